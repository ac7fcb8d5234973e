/**
 * The account chain of a swap (chain protocol, appendix E): addresses, transactions of type 2, the swap contract's interface. Everything here
 * is pure; numbers of the account chain are big-endian and up to 256 bits, so they are {@code BigInteger}. Called by the swap engine and by
 * the methods about the account-chain key.
 */
package org.chainwalletd.evm;
