package org.chainwalletd.crypto;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.math.ec.ECPoint;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;
import org.bouncycastle.util.BigIntegers;

/**
 * ECDSA over secp256k1 (SEC 2, section 2.4.1) with deterministic nonces by RFC 6979 over SHA-256 and low {@code s}. Secrets and hashes have 32
 * bytes, big-endian.
 *
 * <p>Bouncy Castle computes with {@code BigInteger}, which cannot be overwritten: copies of the secret scalar and of nonces stay on the heap until
 * they are garbage-collected.
 */
public final class Secp256k1 {
    public static final int SECRET_LENGTH = 32;

    private static final int FIELD_LENGTH = 32;
    private static final X9ECParameters CURVE = CustomNamedCurves.getByName("secp256k1");
    private static final BigInteger N = CURVE.getN();
    private static final BigInteger HALF_N = N.shiftRight(1);

    private Secp256k1() {}

    /**
     * Signature from which the public key can be recovered.
     *
     * @param yParity parity of the y coordinate of the nonce point: 0 (even) or 1 (odd)
     * @param r positive, below the group order
     * @param s positive, at most half of the group order
     */
    public record Signature(int yParity, BigInteger r, BigInteger s) {}

    /** Tests whether {@code secret} is a scalar in 1 … n-1. */
    public static boolean isUsable(byte[] secret) {
        if (secret.length != SECRET_LENGTH) {
            return false;
        }
        BigInteger scalar = new BigInteger(1, secret);
        return scalar.signum() > 0 && scalar.compareTo(N) < 0;
    }

    /**
     * Returns the public key in 33 bytes: {@code 02} or {@code 03}, then x (SEC 1, section 2.3.3).
     *
     * @throws IllegalArgumentException unless the secret is usable
     */
    public static byte[] compressedPublicKey(byte[] secret) {
        return point(scalar(secret)).getEncoded(true);
    }

    /**
     * Returns the public key in 64 bytes: x, then y, without the leading {@code 04}.
     *
     * @throws IllegalArgumentException unless the secret is usable
     */
    public static byte[] publicKey(byte[] secret) {
        byte[] encoded = point(scalar(secret)).getEncoded(false);
        return Arrays.copyOfRange(encoded, 1, encoded.length);
    }

    /**
     * Signs a 32-byte hash.
     *
     * @throws IllegalArgumentException unless the secret is usable and the hash has 32 bytes
     */
    public static Signature sign(byte[] secret, byte[] hash) {
        if (hash.length != FIELD_LENGTH) {
            throw new IllegalArgumentException("a hash to sign has 32 bytes, not " + hash.length);
        }
        BigInteger d = scalar(secret);
        BigInteger e = new BigInteger(1, hash);
        HMacDSAKCalculator nonces = new HMacDSAKCalculator(new SHA256Digest());
        nonces.init(N, d, hash);
        while (true) {
            BigInteger k = nonces.nextK();
            ECPoint point = point(k);
            BigInteger x = point.getAffineXCoord().toBigInteger();
            BigInteger s = BigIntegers.modOddInverse(N, k)
                    .multiply(e.add(d.multiply(x)))
                    .mod(N);
            // An x of n or above would need a third bit to recover the key; this happens for about one nonce in
            // 2^127.
            if (x.signum() == 0 || x.compareTo(N) >= 0 || s.signum() == 0) {
                continue;
            }
            int yParity = point.getAffineYCoord().testBitZero() ? 1 : 0;
            return s.compareTo(HALF_N) > 0
                    ? new Signature(1 - yParity, x, N.subtract(s))
                    : new Signature(yParity, x, s);
        }
    }

    /**
     * Returns {@code secret + tweak} modulo the group order, 32 bytes that belong to the caller; empty when the tweak is not below the order or the
     * sum is zero (BIP-32, private parent key to private child key).
     *
     * @throws IllegalArgumentException unless the secret is usable
     */
    static Optional<byte[]> tweak(byte[] secret, byte[] tweak) {
        BigInteger added = new BigInteger(1, tweak);
        BigInteger sum = scalar(secret).add(added).mod(N);
        return added.compareTo(N) >= 0 || sum.signum() == 0
                ? Optional.empty()
                : Optional.of(BigIntegers.asUnsignedByteArray(SECRET_LENGTH, sum));
    }

    private static BigInteger scalar(byte[] secret) {
        if (!isUsable(secret)) {
            throw new IllegalArgumentException("a secp256k1 secret is a number in 1 … n-1 of 32 bytes");
        }
        return new BigInteger(1, secret);
    }

    private static ECPoint point(BigInteger scalar) {
        return new FixedPointCombMultiplier().multiply(CURVE.getG(), scalar).normalize();
    }
}
