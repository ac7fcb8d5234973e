/**
 * The development node's chain: unspent outputs, mempool, blocks and their indexes, validation in a node's order with its error texts, mining and
 * reorganisation (chain protocol, sections 8, 9, 11). No network; files only through {@code store}. Called by {@code devnet} and its calls.
 */
package org.chainwalletd.devnet.ledger;
