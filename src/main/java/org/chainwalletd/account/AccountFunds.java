package org.chainwalletd.account;

import java.math.BigInteger;

/**
 * What an address of ours has, in wei.
 *
 * @param balance the lowest that the quorum's endpoints name at the latest block
 * @param committed value and highest fee of our transactions that are not mined
 * @param reservePerSwap 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need
 * @param reserved that for all open swaps
 */
public record AccountFunds(BigInteger balance, BigInteger committed, BigInteger reservePerSwap, BigInteger reserved) {
    /** What may be spent without taking from an open swap; never negative. */
    public BigInteger spendable() {
        return balance.subtract(committed).subtract(reserved).max(BigInteger.ZERO);
    }
}
