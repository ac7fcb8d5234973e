package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.HexFormat;

/** A 32-byte Ed25519 public key as it stands in witnesses and HTLC scripts (RFC 8032, section 5.1.5). Not checked to be a curve point. */
public final class PublicKey implements Comparable<PublicKey> {
    public static final int LENGTH = 32;

    private final byte[] value;

    private PublicKey(byte[] value) {
        this.value = value;
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static PublicKey of(byte[] value) {
        if (value.length != LENGTH) {
            throw new IllegalArgumentException("expected 32 bytes, got " + value.length);
        }
        return new PublicKey(value.clone());
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static PublicKey parse(String hex) {
        if (hex.length() != 2 * LENGTH) {
            throw new IllegalArgumentException("expected 64 hex characters, got " + hex.length());
        }
        return new PublicKey(HexFormat.of().parseHex(hex));
    }

    /** A copy of the 32 bytes in natural order. */
    public byte[] toArray() {
        return value.clone();
    }

    /** The content itself, for read-only use inside this package. */
    byte[] unsafe() {
        return value;
    }

    /** 64 lower-case hexadecimal characters. */
    public String hex() {
        return HexFormat.of().formatHex(value);
    }

    @Override
    public int compareTo(PublicKey other) {
        return Arrays.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PublicKey that && Arrays.equals(value, that.value);
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
