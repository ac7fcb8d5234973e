/**
 * Swaps as data, and all pure decisions about their money (swap.md): {@link org.chainwalletd.swap.gates.QuoteBinding} binds a quote to its request,
 * {@link org.chainwalletd.swap.gates.SellGate} and {@link org.chainwalletd.swap.gates.BuyGate} decide whether a secret may be revealed,
 * {@link org.chainwalletd.swap.gates.SwapRow} derives the status of a swap. No actor, no clock, no I/O.
 */
package org.chainwalletd.swap.gates;
