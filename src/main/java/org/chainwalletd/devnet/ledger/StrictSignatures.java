package org.chainwalletd.devnet.ledger;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Ed25519 as a node verifies it (chain protocol, section 17): the exact equation, so that torsion parts of key or nonce point do not
 * vanish, no points of small order, nothing that is not canonical.
 *
 * <p>Uses the Java runtime's implementation, not the one the daemon signs and verifies with, so that the node can detect a bug in the latter.
 */
final class StrictSignatures {
    private static final int KEY_LENGTH = 32;
    private static final int SIGNATURE_LENGTH = 64;
    /** The field's prime, 2^255 - 19. */
    private static final BigInteger PRIME = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));

    /** The y coordinates of the eight points whose order divides 8. */
    private static final Set<BigInteger> SMALL_ORDER = Stream.of(
                    BigInteger.ZERO,
                    BigInteger.ONE,
                    PRIME.subtract(BigInteger.ONE),
                    ofOrderEight(),
                    PRIME.subtract(ofOrderEight()))
            .collect(Collectors.toUnmodifiableSet());

    private StrictSignatures() {}

    private static BigInteger ofOrderEight() {
        return coordinate(HexFormat.of().parseHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"));
    }

    static boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
        if (publicKey.length != KEY_LENGTH
                || signature.length != SIGNATURE_LENGTH
                || isRefused(publicKey)
                || isRefused(signature)) {
            return false;
        }
        try {
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(decode(publicKey));
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            // Not a point of the curve, or a scalar not below the group's order.
            return false;
        }
    }

    /** Whether the point in the first 32 bytes is not canonical or of small order. */
    private static boolean isRefused(byte[] point) {
        BigInteger y = coordinate(point);
        return y.compareTo(PRIME) >= 0 || SMALL_ORDER.contains(y);
    }

    private static PublicKey decode(byte[] publicKey) throws GeneralSecurityException {
        boolean xOdd = publicKey[KEY_LENGTH - 1] < 0;
        EdECPoint point = new EdECPoint(xOdd, coordinate(publicKey));
        return KeyFactory.getInstance("Ed25519")
                .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
    }

    /** The y coordinate of an encoded point: 255 bits, least significant byte first. */
    private static BigInteger coordinate(byte[] point) {
        byte[] bigEndian = new byte[KEY_LENGTH];
        for (int i = 0; i < KEY_LENGTH; i++) {
            bigEndian[i] = point[KEY_LENGTH - 1 - i];
        }
        bigEndian[0] &= 0x7f;
        return new BigInteger(1, bigEndian);
    }
}
