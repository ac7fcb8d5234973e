package org.chainwalletd.store;

/**
 * A spend that was sent and closed without success, which a block may have all the same, or get by a reorganisation.
 *
 * @param number in the order in which spends were decided on
 * @param spend with what it would have spent
 * @param state how it was closed
 */
public record LostSpend(long number, PackedSpend spend, IntentState state) {}
