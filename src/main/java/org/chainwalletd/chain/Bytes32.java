package org.chainwalletd.chain;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A value of 32 bytes in natural byte order, printed as 64 lower-case hexadecimal characters and ordered as an unsigned big-endian number. Values
 * of different subclasses are never equal.
 */
public abstract sealed class Bytes32<T extends Bytes32<T>> implements Comparable<T>
        permits Address, Hash256, PublicKey {
    public static final int LENGTH = 32;

    private final byte[] value;

    /** Takes over the array without a copy. */
    Bytes32(byte[] value) {
        this.value = value;
    }

    /**
     * Returns a copy of {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    static byte[] copied(byte[] value) {
        if (value.length != LENGTH) {
            throw new IllegalArgumentException("expected 32 bytes, got " + value.length);
        }
        return value.clone();
    }

    /**
     * Parses 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    static byte[] parsed(String hex) {
        if (hex.length() != 2 * LENGTH) {
            throw new IllegalArgumentException("expected 64 hex characters, got " + hex.length());
        }
        return HexFormat.of().parseHex(hex);
    }

    /** Returns a copy of the 32 bytes in natural order. */
    public final byte[] toArray() {
        return value.clone();
    }

    /** Returns the content itself, for read-only use inside this package. */
    final byte[] unsafe() {
        return value;
    }

    /** Returns the first eight bytes as a big-endian number, for sorting and hashing. */
    public final long leading() {
        return ByteBuffer.wrap(value).getLong();
    }

    /** Returns 64 lower-case hexadecimal characters. */
    public final String hex() {
        return HexFormat.of().formatHex(value);
    }

    @Override
    public final int compareTo(T other) {
        return Arrays.compareUnsigned(value, other.unsafe());
    }

    @Override
    public final boolean equals(Object other) {
        return this == other
                || other instanceof Bytes32<?> that
                        && getClass() == that.getClass()
                        && Arrays.equals(value, that.value);
    }

    @Override
    public final int hashCode() {
        return Arrays.hashCode(value);
    }

    @Override
    public final String toString() {
        return hex();
    }
}
