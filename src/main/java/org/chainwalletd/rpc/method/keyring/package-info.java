/**
 * The keyring's methods (interface.md, section 4.11), the translation of the keyring's refusals into errors, and the checks that come before a
 * deletion. {@code MethodFamilies} takes the methods, {@code boot} the rest.
 */
package org.chainwalletd.rpc.method.keyring;
