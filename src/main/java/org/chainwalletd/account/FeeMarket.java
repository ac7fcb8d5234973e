package org.chainwalletd.account;

import java.math.BigInteger;

/**
 * Price of gas in the next block, in wei per gas.
 *
 * @param baseFee burnt, as the header of a block says; zero on a chain without
 * @param tip to be paid beyond it, at least one wei
 */
public record FeeMarket(BigInteger baseFee, BigInteger tip) {
    private static final BigInteger TWO = BigInteger.valueOf(2);

    /** {@code 2 × base fee + tip}: still enough after six blocks that are all full. */
    public BigInteger comfortable() {
        return baseFee.multiply(TWO).add(tip);
    }
}
