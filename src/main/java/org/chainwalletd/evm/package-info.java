/**
 * Encodings of the account chain of a swap (chain protocol, appendix E): addresses, transactions of type 2, the swap contract's interface. Pure
 * functions and immutable values. Numbers of the account chain have up to 256 bits, big-endian, so they are {@code BigInteger}. Called by the swap
 * engine and by the methods for the account-chain key.
 */
package org.chainwalletd.evm;
