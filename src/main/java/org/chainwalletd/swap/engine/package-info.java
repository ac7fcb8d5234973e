/**
 * Swaps of the chain's coin against the native asset of an account chain, with a pool that is not trusted (swap.md). {@link
 * org.chainwalletd.swap.engine.SwapJournal} remembers, sealed; {@link org.chainwalletd.swap.engine.SwapEngine} has an actor for each swap,
 * which looks, writes and acts through {@link org.chainwalletd.swap.legs.Legs}; {@link org.chainwalletd.swap.engine.Decision} says what it
 * does next. {@link org.chainwalletd.swap.engine.Watchtower} finds money that no row speaks of. Called by the methods about swaps.
 */
package org.chainwalletd.swap.engine;
