/** Background work of the daemon as one subtree of actors that can stop and start while the daemon serves calls. */
package org.chainwalletd.keeper;
