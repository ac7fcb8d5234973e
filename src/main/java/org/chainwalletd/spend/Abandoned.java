package org.chainwalletd.spend;

/**
 * Result of {@code abandon_transfer}.
 *
 * @param released number of outpoints that were reserved and are now free
 * @param remaining number of outpoints still reserved, over all spends
 */
public record Abandoned(int released, int remaining) {}
