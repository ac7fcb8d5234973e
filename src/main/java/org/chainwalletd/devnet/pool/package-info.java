/**
 * A market-making pool beside the development node, for trials of the swap engine: the REST interface that the engine speaks, with keys and
 * money of its own on both chains. {@link org.chainwalletd.devnet.pool.Pool} is the way in. Its chain leg is the development ledger in the
 * same process, its other leg any account chain with JSON-RPC. It keeps its swaps in memory: a stopped pool forgets them, and its locked
 * funds stay locked. Not for chains whose coins have value.
 */
package org.chainwalletd.devnet.pool;
