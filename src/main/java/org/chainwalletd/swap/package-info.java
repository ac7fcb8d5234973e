/**
 * Swaps of the chain's coin against the native asset of an account chain, with a pool that is not trusted (swap.md). What decides about
 * money is pure here: {@link org.chainwalletd.swap.QuoteBinding} ties a quote to what was asked, {@link
 * org.chainwalletd.swap.SellGate} and {@link org.chainwalletd.swap.BuyGate} say whether a secret may leave, {@link
 * org.chainwalletd.swap.Decision} says what a swap does next. {@link org.chainwalletd.swap.SwapJournal} remembers, sealed. {@link
 * org.chainwalletd.swap.SwapEngine} has an actor for each swap, which looks, writes and acts through {@link org.chainwalletd.swap.Legs}: {@link
 * org.chainwalletd.swap.ChainOwnLeg} and {@link org.chainwalletd.swap.ChainPoolLeg} stand on the chain. Called by the methods about swaps.
 */
package org.chainwalletd.swap;
