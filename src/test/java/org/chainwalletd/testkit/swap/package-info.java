/**
 * Random histories of swaps over {@link org.chainwalletd.testkit.TwoChains}: {@link org.chainwalletd.testkit.swap.SwapHistoryTest.SwapHistory} makes things
 * happen, a {@link org.chainwalletd.testkit.swap.Trader} swaps, and {@link org.chainwalletd.testkit.swap.SwapJudge}, who sees everything,
 * says what must not have been.
 */
package org.chainwalletd.testkit.swap;
