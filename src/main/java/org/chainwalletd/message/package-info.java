/**
 * Signed text messages (chain protocol, appendix A): a proof that somebody holds the key of an address, for people and programs outside the
 * chain. The keyring signs; verifying asks nobody. The methods of {@code rpc} call it.
 */
package org.chainwalletd.message;
