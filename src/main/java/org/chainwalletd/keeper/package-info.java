/** The background work of the daemon as one subtree of actors, which stops and starts while the daemon serves. */
package org.chainwalletd.keeper;
