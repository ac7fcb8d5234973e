package org.chainwalletd.chain;

import java.math.BigInteger;

/**
 * An amount in base units, 0 … 2^64-1. Arithmetic is checked: it never wraps.
 *
 * @param bits the amount as an unsigned 64-bit pattern
 */
public record Amount(long bits) implements Comparable<Amount> {
    public static final Amount ZERO = new Amount(0);
    public static final Amount MAX = new Amount(-1L);

    public static Amount of(long baseUnits) {
        if (baseUnits < 0) {
            throw new IllegalArgumentException("negative amount " + baseUnits);
        }
        return new Amount(baseUnits);
    }

    public static Amount ofUnsigned(long bits) {
        return new Amount(bits);
    }

    /**
     * @throws ArithmeticException outside 0 … 2^64-1
     */
    public static Amount of(BigInteger baseUnits) {
        return new Amount(U64.fromBigInteger(baseUnits));
    }

    /**
     * @throws ArithmeticException when the sum is above 2^64-1
     */
    public Amount plus(Amount other) {
        long sum = bits + other.bits;
        if (Long.compareUnsigned(sum, bits) < 0) {
            throw new ArithmeticException("amount above 2^64-1: " + this + " + " + other);
        }
        return new Amount(sum);
    }

    /** Returns the sum, or {@link #MAX} when the sum is above it. */
    public Amount plusOrMax(Amount other) {
        return MAX.minus(this).isLessThan(other) ? MAX : plus(other);
    }

    /**
     * @throws ArithmeticException when the difference is negative
     */
    public Amount minus(Amount other) {
        if (isLessThan(other)) {
            throw new ArithmeticException("negative amount: " + this + " - " + other);
        }
        return new Amount(bits - other.bits);
    }

    public boolean isZero() {
        return bits == 0;
    }

    public boolean isLessThan(Amount other) {
        return Long.compareUnsigned(bits, other.bits) < 0;
    }

    public BigInteger toBigInteger() {
        return U64.toBigInteger(bits);
    }

    @Override
    public int compareTo(Amount other) {
        return Long.compareUnsigned(bits, other.bits);
    }

    /** Returns decimal digits. */
    @Override
    public String toString() {
        return Long.toUnsignedString(bits);
    }
}
