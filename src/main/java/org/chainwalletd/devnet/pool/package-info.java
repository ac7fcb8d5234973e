/**
 * A market-making pool beside the development node, for trials of the swap engine: the REST interface that the engine speaks, with its own keys and
 * money on both chains. The entry point is {@link org.chainwalletd.devnet.pool.Pool}. Its chain leg is the development ledger in the same process,
 * its other leg is any account chain with JSON-RPC. It keeps its swaps in memory: a stopped pool forgets them, and its locked funds stay locked.
 * Not for chains whose coins have value.
 */
package org.chainwalletd.devnet.pool;
