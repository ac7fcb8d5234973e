/**
 * Sends the same requests to two nodes and reports where their answers differ: the development node in this process and another running
 * node, preferably a real one on its development network. For {@code chain-walletd devnet compare}.
 */
package org.chainwalletd.devnet.compare;
