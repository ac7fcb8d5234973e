/**
 * Signed text messages (chain protocol, appendix A): a proof of possession of an address's key, for use outside the chain. The keyring
 * signs; verification needs no other component. Called by the methods of {@code rpc}.
 */
package org.chainwalletd.message;
