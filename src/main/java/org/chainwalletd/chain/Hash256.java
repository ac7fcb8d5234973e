package org.chainwalletd.chain;

import java.security.MessageDigest;

/** A 32-byte hash or id (transaction, block, genesis, hash lock) in natural byte order; ordered as an unsigned big-endian number. */
public final class Hash256 extends Bytes32<Hash256> {
    public static final Hash256 ZERO = new Hash256(new byte[LENGTH]);

    private Hash256(byte[] value) {
        super(value);
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static Hash256 of(byte[] value) {
        return new Hash256(copied(value));
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Hash256 parse(String hex) {
        return new Hash256(parsed(hex));
    }

    /** Takes over 32 bytes without a copy; the caller must not use them again. */
    static Hash256 wrap(byte[] value) {
        return new Hash256(value);
    }

    /** Returns the plain SHA-256 of {@code parts} in order: for datum hashes, hash locks, block ids (chain protocol, section 2.1). */
    public static Hash256 sha256(byte[]... parts) {
        MessageDigest sha256 = Sha256.digest();
        for (byte[] part : parts) {
            sha256.update(part);
        }
        return wrap(sha256.digest());
    }

    public boolean isZero() {
        return equals(ZERO);
    }
}
