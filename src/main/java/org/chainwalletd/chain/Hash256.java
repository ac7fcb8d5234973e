package org.chainwalletd.chain;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/** A 32-byte hash or id (transaction, block, genesis, hash lock) in natural byte order; ordered as an unsigned big-endian number. */
public final class Hash256 implements Comparable<Hash256> {
    public static final int LENGTH = 32;
    public static final Hash256 ZERO = new Hash256(new byte[LENGTH]);

    private final byte[] value;

    private Hash256(byte[] value) {
        this.value = value;
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static Hash256 of(byte[] value) {
        if (value.length != LENGTH) {
            throw new IllegalArgumentException("expected 32 bytes, got " + value.length);
        }
        return new Hash256(value.clone());
    }

    /** Takes 32 bytes over without a copy; the caller must not touch them again. */
    static Hash256 wrap(byte[] value) {
        return new Hash256(value);
    }

    /** The plain SHA-256 of {@code parts} in order: datum hashes, hash locks, block ids (chain protocol, section 2.1). */
    public static Hash256 sha256(byte[]... parts) {
        MessageDigest sha256 = ChainProfile.sha256();
        for (byte[] part : parts) {
            sha256.update(part);
        }
        return wrap(sha256.digest());
    }

    public boolean isZero() {
        return equals(ZERO);
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Hash256 parse(String hex) {
        if (hex.length() != 2 * LENGTH) {
            throw new IllegalArgumentException("expected 64 hex characters, got " + hex.length());
        }
        return new Hash256(HexFormat.of().parseHex(hex));
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
    public int compareTo(Hash256 other) {
        return Arrays.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Hash256 that && Arrays.equals(value, that.value);
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
