package org.chainwalletd.crypto;

/**
 * Pure Ed25519 (RFC 8032, section 5.1): not the pre-hashed and not the context variant. Seeds and public keys have 32 bytes, signatures 64.
 *
 * <p>Signatures are deterministic. For honestly made keys and signatures every RFC 8032 verifier agrees with this one; for crafted ones it
 * is as strict as the nodes (chain protocol, sections 3 and 17).
 */
public final class Ed25519 {
    public static final int SEED_LENGTH = 32;
    public static final int PUBLIC_KEY_LENGTH = 32;
    public static final int SIGNATURE_LENGTH = 64;

    private Ed25519() {}

    /**
     * The public key of a seed (RFC 8032, section 5.1.5).
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
     * Signs {@code message} as it is. The public key is supplied because deriving it again doubles the cost.
     *
     * <p>It must be the one of {@code seed}: two signatures of one message under two different public keys give the secret scalar away.
     * Therefore never pass a public key that came from outside; {@link SigningKey} keeps the pair together.
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
     * Whether {@code signature} is a valid signature of {@code message}. Key and signature may be any bytes: those of a wrong length, that
     * are no canonical encoding, or whose key or nonce point R is of small order or has a torsion part, are simply not valid.
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
     * The library's equation is the one multiplied by the cofactor, under which torsion parts vanish: with both points free of them it is
     * the exact one. Asked last, since it more than doubles the price of a
     * valid signature, and most of the others never come this far.
     *
     * @param point its encoding in the first 32 bytes
     */
    private static boolean isInPrimeOrderGroup(byte[] point) {
        return org.bouncycastle.math.ec.rfc8032.Ed25519.validatePublicKeyFull(point, 0);
    }

    /**
     * Whether {@code publicKey} may stand for a party: 32 bytes that decode to a point of the curve which is not of small order (chain
     * protocol, section 3). Membership in the prime-order subgroup is not asked for.
     */
    public static boolean isUsable(byte[] publicKey) {
        return publicKey.length == PUBLIC_KEY_LENGTH
                && org.bouncycastle.math.ec.rfc8032.Ed25519.validatePublicKeyPartial(publicKey, 0);
    }

    /** As {@link #isUsable}, and the point is in the subgroup of prime order, so that all verifiers agree on every signature under the key. */
    public static boolean isOfPrimeOrder(byte[] publicKey) {
        return publicKey.length == PUBLIC_KEY_LENGTH && isInPrimeOrderGroup(publicKey);
    }

    private static void requireLength(String what, byte[] value, int length) {
        if (value.length != length) {
            throw new IllegalArgumentException(what + " must have " + length + " bytes, not " + value.length);
        }
    }
}
