package org.chainwalletd.chain;

import java.math.BigInteger;

/**
 * Helpers for heights, timeouts, nonces and times, which are unsigned 64-bit numbers held in a {@code long}. Amounts of money have their own type,
 * {@link Amount}.
 */
public final class U64 {
    public static final BigInteger MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private U64() {}

    public static int compare(long a, long b) {
        return Long.compareUnsigned(a, b);
    }

    /** Returns the number, or 2^63-1 if it is higher, for comparisons with heights and times that are below 2^63. */
    public static long clamp(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    public static BigInteger toBigInteger(long value) {
        return value >= 0 ? BigInteger.valueOf(value) : new BigInteger(Long.toUnsignedString(value));
    }

    /**
     * @throws ArithmeticException outside 0 … 2^64-1
     */
    public static long fromBigInteger(BigInteger value) {
        if (value.signum() < 0 || value.compareTo(MAX) > 0) {
            throw new ArithmeticException("not an unsigned 64-bit number: " + value);
        }
        return value.longValue();
    }

    public static String toString(long value) {
        return Long.toUnsignedString(value);
    }
}
