package org.chainwalletd.chain;

/** A 32-byte Ed25519 public key as used in witnesses and HTLC scripts (RFC 8032, section 5.1.5). Not checked to be a curve point. */
public final class PublicKey extends Bytes32<PublicKey> {
    private PublicKey(byte[] value) {
        super(value);
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static PublicKey of(byte[] value) {
        return new PublicKey(copied(value));
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static PublicKey parse(String hex) {
        return new PublicKey(parsed(hex));
    }
}
