/** The methods about the followed chain itself. */
package org.chainwalletd.rpc.method.follow;
