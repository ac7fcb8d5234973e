/**
 * Swaps of the chain's coin against the native asset of an account chain, with a pool that is not trusted (swap.md).
 * {@link org.chainwalletd.swap.engine.SwapJournal} is the sealed journal; {@link org.chainwalletd.swap.engine.SwapEngine} runs an actor for each
 * swap, which observes, writes and acts through {@link org.chainwalletd.swap.legs.Legs}; {@link org.chainwalletd.swap.engine.Decision} chooses its
 * next steps. {@link org.chainwalletd.swap.engine.Watchtower} finds money that no row covers. Called by the RPC methods about swaps.
 */
package org.chainwalletd.swap.engine;
