package org.chainwalletd.account;

import java.math.BigInteger;

/**
 * What the next block asks for, in wei per gas.
 *
 * @param baseFee burnt
 * @param tip what recent blocks' transactions paid beyond it, their median; at least one wei
 */
public record FeeMarket(BigInteger baseFee, BigInteger tip) {
    private static final BigInteger TWO = BigInteger.valueOf(2);

    /** {@code 2 × base fee + tip}: still enough after six blocks that are all full. */
    public BigInteger comfortable() {
        return baseFee.multiply(TWO).add(tip);
    }
}
