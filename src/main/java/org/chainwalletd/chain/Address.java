package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.HexFormat;

/** A 32-byte address, which is at once the script of a plain output (chain protocol, section 3). */
public final class Address implements Comparable<Address> {
    public static final int LENGTH = 32;

    private final byte[] value;

    private Address(byte[] value) {
        this.value = value;
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static Address of(byte[] value) {
        if (value.length != LENGTH) {
            throw new IllegalArgumentException("expected 32 bytes, got " + value.length);
        }
        return new Address(value.clone());
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Address parse(String hex) {
        if (hex.length() != 2 * LENGTH) {
            throw new IllegalArgumentException("expected 64 hex characters, got " + hex.length());
        }
        return new Address(HexFormat.of().parseHex(hex));
    }

    /** A copy of the 32 bytes in natural order. */
    public byte[] toArray() {
        return value.clone();
    }

    /** 64 lower-case hexadecimal characters. */
    public String hex() {
        return HexFormat.of().formatHex(value);
    }

    @Override
    public int compareTo(Address other) {
        return Arrays.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Address that && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return hex();
    }
}
