package org.chainwalletd.chain;

import java.math.BigInteger;

/**
 * Conversion between transaction costs and fees (chain protocol, section 7). Costs come from {@link TxShape}. Integers only; intermediate results
 * are wider than 64 bits, so nothing overflows.
 */
public final class Fees {
    private static final BigInteger DIVISOR = BigInteger.valueOf(ChainProfile.FEE_DIVISOR);
    private static final BigInteger DENSITY_SCALE = BigInteger.valueOf(1_000_000);
    private static final int PLAIN_BASE_STEPS = 5_000;

    private Fees() {}

    /** Returns {@code ceil(cost / 100)}: the consensus minimum, in base units. */
    public static Amount minimumFee(long cost) {
        return feeForRate(cost, 1);
    }

    /**
     * Returns {@code ceil(cost · rate / 100)}.
     *
     * @param cost not negative
     * @param rate base units per 100 cost units, unsigned 64-bit; 1 gives the minimum fee
     * @throws ArithmeticException when the fee is above 2^64-1
     */
    public static Amount feeForRate(long cost, long rate) {
        BigInteger scaled = BigInteger.valueOf(checked(cost, 0)).multiply(U64.toBigInteger(rate));
        BigInteger[] quotient = scaled.divideAndRemainder(DIVISOR);
        return Amount.of(quotient[1].signum() == 0 ? quotient[0] : quotient[0].add(BigInteger.ONE));
    }

    /**
     * Returns {@code floor(fee · 100 / cost)}: the rate that corresponds to a fee, unsigned 64-bit.
     *
     * @param cost above zero
     * @throws ArithmeticException when the rate is above 2^64-1, which is possible only for a cost below 100
     */
    public static long effectiveRate(Amount fee, long cost) {
        return U64.fromBigInteger(fee.toBigInteger().multiply(DIVISOR).divide(BigInteger.valueOf(checked(cost, 1))));
    }

    /**
     * Returns {@code floor(fee · 1,000,000 / cost)}, by which mempools and miners order transactions.
     *
     * @param cost above zero
     */
    public static BigInteger density(Amount fee, long cost) {
        return fee.toBigInteger().multiply(DENSITY_SCALE).divide(BigInteger.valueOf(checked(cost, 1)));
    }

    /**
     * Returns the evaluation steps of one plain input.
     *
     * @param signingMessageLength {@code M}, in bytes
     */
    public static long plainInputSteps(long signingMessageLength) {
        return PLAIN_BASE_STEPS + 8 * chunks(signingMessageLength);
    }

    /** Returns {@code ceil(length / 64)}. */
    static long chunks(long length) {
        return length / 64 + (length % 64 == 0 ? 0 : 1);
    }

    private static long checked(long cost, long least) {
        if (cost < least) {
            throw new IllegalArgumentException("cost " + cost + " is below " + least);
        }
        return cost;
    }
}
