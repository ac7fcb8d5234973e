package org.chainwalletd.crypto;

/**
 * Pure Ed25519 (RFC 8032, section 5.1), neither the pre-hashed nor the context variant. Seeds and public keys have 32 bytes, signatures 64.
 *
 * <p>Signatures are deterministic. For honestly generated keys and signatures all RFC 8032 verifiers agree with this one; for crafted ones it is as
 * strict as the nodes (chain protocol, sections 3 and 17).
 */
public final class Ed25519 {
    public static final int SEED_LENGTH = 32;
    public static final int PUBLIC_KEY_LENGTH = 32;
    public static final int SIGNATURE_LENGTH = 64;

    private Ed25519() {}

    /**
     * Returns the public key of a seed (RFC 8032, section 5.1.5).
     *
     * @throws IllegalArgumentException unless the seed has 32 bytes
     */
    public static byte[] publicKey(byte[] seed) {
        requireLength("seed", seed, SEED_LENGTH);
        byte[] publicKey = new byte[PUBLIC_KEY_LENGTH];
        org.bouncycastle.math.ec.rfc8032.Ed25519.generatePublicKey(seed, 0, publicKey, 0);
        return publicKey;
    }

    /**
     * Signs {@code message} without hashing it first. The public key is a parameter because deriving it again would double the cost.
     *
     * <p>It must belong to {@code seed}: two signatures of one message under two different public keys reveal the secret scalar. Therefore never
     * pass a public key from an external source; {@link SigningKey} keeps the pair together.
     *
     * @throws IllegalArgumentException unless seed and public key have 32 bytes each
     */
    public static byte[] sign(byte[] seed, byte[] publicKey, byte[] message) {
        requireLength("seed", seed, SEED_LENGTH);
        requireLength("public key", publicKey, PUBLIC_KEY_LENGTH);
        byte[] signature = new byte[SIGNATURE_LENGTH];
        org.bouncycastle.math.ec.rfc8032.Ed25519.sign(seed, 0, publicKey, 0, message, 0, message.length, signature, 0);
        return signature;
    }

    /**
     * Tests whether {@code signature} is a valid signature of {@code message}. Accepts any bytes as key and signature: those of a wrong length,
     * without canonical encoding, or whose key or nonce point R is of small or mixed order are invalid.
     */
    public static boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
        return publicKey.length == PUBLIC_KEY_LENGTH
                && signature.length == SIGNATURE_LENGTH
                && org.bouncycastle.math.ec.rfc8032.Ed25519.verify(
                        signature, 0, publicKey, 0, message, 0, message.length)
                && isInPrimeOrderGroup(signature)
                && isInPrimeOrderGroup(publicKey);
    }

    /**
     * Tests whether a point is in the subgroup of prime order. The library checks the verification equation multiplied by the cofactor, which
     * ignores torsion components; for two points without them this is equivalent to the exact equation. Called last, because it more than doubles
     * the cost of a valid signature and most invalid ones fail before.
     *
     * @param point encoded in the first 32 bytes
     */
    private static boolean isInPrimeOrderGroup(byte[] point) {
        return org.bouncycastle.math.ec.rfc8032.Ed25519.validatePublicKeyFull(point, 0);
    }

    /**
     * Tests whether {@code publicKey} is acceptable as a party's key: 32 bytes that decode to a curve point that is not of small order (chain
     * protocol, section 3). Membership in the prime-order subgroup is not required.
     */
    public static boolean isUsable(byte[] publicKey) {
        return publicKey.length == PUBLIC_KEY_LENGTH
                && org.bouncycastle.math.ec.rfc8032.Ed25519.validatePublicKeyPartial(publicKey, 0);
    }

    /** As {@link #isUsable}, and also requires the subgroup of prime order, where all verifiers agree on every signature under the key. */
    public static boolean isOfPrimeOrder(byte[] publicKey) {
        return publicKey.length == PUBLIC_KEY_LENGTH && isInPrimeOrderGroup(publicKey);
    }

    private static void requireLength(String what, byte[] value, int length) {
        if (value.length != length) {
            throw new IllegalArgumentException(what + " must have " + length + " bytes, not " + value.length);
        }
    }
}
