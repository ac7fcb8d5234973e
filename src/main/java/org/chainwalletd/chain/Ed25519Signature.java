package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.HexFormat;

/** The 64 bytes of an Ed25519 signature, R and S (RFC 8032, section 5.1.6). Their validity is not checked. */
public final class Ed25519Signature {
    public static final int LENGTH = 64;

    private final byte[] value;

    private Ed25519Signature(byte[] value) {
        this.value = value;
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 64 bytes
     */
    public static Ed25519Signature of(byte[] value) {
        if (value.length != LENGTH) {
            throw new IllegalArgumentException("expected 64 bytes, got " + value.length);
        }
        return new Ed25519Signature(value.clone());
    }

    /**
     * Reads 128 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Ed25519Signature parse(String hex) {
        if (hex.length() != 2 * LENGTH) {
            throw new IllegalArgumentException("expected 128 hex characters, got " + hex.length());
        }
        return new Ed25519Signature(HexFormat.of().parseHex(hex));
    }

    /** Returns a copy of the 64 bytes. */
    public byte[] toArray() {
        return value.clone();
    }

    /** Returns 128 lower-case hexadecimal characters. */
    public String hex() {
        return HexFormat.of().formatHex(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ed25519Signature that && Arrays.equals(value, that.value);
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
