package org.chainwalletd.spend;

/**
 * What {@code abandon_transfer} did.
 *
 * @param released outpoints that were reserved and are free now
 * @param remaining outpoints that are still reserved, of all spends
 */
public record Abandoned(int released, int remaining) {}
