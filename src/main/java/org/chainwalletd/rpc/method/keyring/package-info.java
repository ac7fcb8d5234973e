/**
 * The keyring's methods (interface.md, section 4.11), one class each, the translation of the keyring's refusals into errors, and the check
 * with the nodes that comes before a deletion. {@code boot} puts {@link org.chainwalletd.rpc.method.keyring.KeyringMethods} into the registry.
 */
package org.chainwalletd.rpc.method.keyring;
