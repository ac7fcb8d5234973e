package org.chainwalletd.spend;

/**
 * Result of {@code abandon_transfer}.
 *
 * @param released number of outpoints that were reserved and are free now
 * @param remaining number of outpoints that are still reserved, of all spends
 */
public record Abandoned(int released, int remaining) {}
