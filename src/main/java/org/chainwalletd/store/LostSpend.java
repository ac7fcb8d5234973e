package org.chainwalletd.store;

/**
 * A spend that was sent and lost its coin to another transaction, which a reorganisation may still take away.
 *
 * @param number in the order in which spends were decided on
 * @param spend with what it would have spent
 */
public record LostSpend(long number, PackedSpend spend) {}
