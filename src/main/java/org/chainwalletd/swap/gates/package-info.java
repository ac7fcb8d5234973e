/**
 * Swaps as data, and every judgement about money, pure (swap.md): {@link org.chainwalletd.swap.gates.QuoteBinding} ties a quote to what was
 * asked, {@link org.chainwalletd.swap.gates.SellGate} and {@link org.chainwalletd.swap.gates.BuyGate} say whether a secret may leave, {@link
 * org.chainwalletd.swap.gates.SwapRow} says where a swap is. No actor, no clock, nobody is asked.
 */
package org.chainwalletd.swap.gates;
