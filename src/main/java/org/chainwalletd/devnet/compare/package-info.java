/**
 * Asks two nodes the same questions and tells where their answers differ: the development node in this process, and another one that is
 * running somewhere, best a real one on its development network. For {@code chain-walletd devnet compare}.
 */
package org.chainwalletd.devnet.compare;
