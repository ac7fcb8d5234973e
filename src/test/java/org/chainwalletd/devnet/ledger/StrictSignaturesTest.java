package org.chainwalletd.devnet.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.Test;

/** The node's own verifier against crafted signatures (chain protocol, section 17), and against the daemon's. */
class StrictSignaturesTest {
    private static final BigInteger PRIME = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger ORDER =
            BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    private static final BigInteger D = BigInteger.valueOf(-121_665)
            .multiply(BigInteger.valueOf(121_666).modInverse(PRIME))
            .mod(PRIME);
    private static final byte[] MESSAGE = {1, 2, 3};
    private static final Point BASE = Point.decode("5866666666666666666666666666666666666666666666666666666666666666");
    private static final Point ORDER_EIGHT =
            Point.decode("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");

    private final BigInteger secret = BigInteger.valueOf(0x1234_5678_9abc_def1L);
    private final BigInteger nonce = BigInteger.valueOf(0x0fed_cba9_8765_4321L);

    /** Point of the curve in affine coordinates: slow, but simple enough to be obviously correct. */
    private record Point(BigInteger x, BigInteger y) {
        static final Point NEUTRAL = new Point(BigInteger.ZERO, BigInteger.ONE);

        static Point decode(String hex) {
            byte[] bytes = HexFormat.of().parseHex(hex);
            boolean odd = bytes[31] < 0;
            bytes[31] &= 0x7f;
            BigInteger y = number(bytes);
            BigInteger square = y.multiply(y)
                    .subtract(BigInteger.ONE)
                    .multiply(D.multiply(y).multiply(y).add(BigInteger.ONE).modInverse(PRIME))
                    .mod(PRIME);
            BigInteger x = square.modPow(PRIME.add(BigInteger.valueOf(3)).shiftRight(3), PRIME);
            if (!x.multiply(x).mod(PRIME).equals(square)) {
                x = x.multiply(BigInteger.TWO.modPow(
                                PRIME.subtract(BigInteger.ONE).shiftRight(2), PRIME))
                        .mod(PRIME);
            }
            return new Point(x.testBit(0) == odd ? x : PRIME.subtract(x), y);
        }

        Point plus(Point other) {
            BigInteger cross = D.multiply(x).multiply(other.x).multiply(y).multiply(other.y);
            BigInteger newX = x.multiply(other.y)
                    .add(y.multiply(other.x))
                    .multiply(BigInteger.ONE.add(cross).modInverse(PRIME));
            BigInteger newY = y.multiply(other.y)
                    .add(x.multiply(other.x))
                    .multiply(BigInteger.ONE.subtract(cross).modInverse(PRIME));
            return new Point(newX.mod(PRIME), newY.mod(PRIME));
        }

        Point times(BigInteger scalar) {
            Point sum = NEUTRAL;
            for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
                sum = sum.plus(sum);
                sum = scalar.testBit(bit) ? sum.plus(this) : sum;
            }
            return sum;
        }

        byte[] encode() {
            byte[] bytes = littleEndian(y);
            bytes[31] |= x.testBit(0) ? (byte) 0x80 : 0;
            return bytes;
        }
    }

    private static BigInteger number(byte[] littleEndian) {
        byte[] reversed = new byte[littleEndian.length];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = littleEndian[littleEndian.length - 1 - i];
        }
        return new BigInteger(1, reversed);
    }

    private static byte[] littleEndian(BigInteger number) {
        byte[] bytes = new byte[32];
        for (int i = 0; i < 32; i++) {
            bytes[i] = number.shiftRight(8 * i).byteValue();
        }
        return bytes;
    }

    private static BigInteger challenge(byte[] r, byte[] key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-512");
            digest.update(r);
            digest.update(key);
            return number(digest.digest(MESSAGE)).mod(ORDER);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A signature whose equation holds once both sides are multiplied by eight, whatever torsion its points have. */
    private byte[] signature(byte[] r, byte[] key, BigInteger logarithmOfR) {
        BigInteger s = logarithmOfR.add(challenge(r, key).multiply(secret)).mod(ORDER);
        byte[] signature = Arrays.copyOf(r, 64);
        System.arraycopy(littleEndian(s), 0, signature, 32, 32);
        return signature;
    }

    private static void assertInvalid(byte[] key, byte[] crafted, String point) {
        assertThat(StrictSignatures.verify(key, MESSAGE, crafted)).as(point).isFalse();
        assertThat(Ed25519.verify(key, MESSAGE, crafted)).as(point).isFalse();
    }

    @Test
    void an_honest_signature_is_valid() {
        byte[] key = BASE.times(secret).encode();
        byte[] honest = signature(BASE.times(nonce).encode(), key, nonce);
        assertThat(StrictSignatures.verify(key, MESSAGE, honest)).isTrue();
        assertThat(Ed25519.verify(key, MESSAGE, honest)).isTrue();
    }

    @Test
    void a_nonce_point_with_a_torsion_part_is_invalid() {
        byte[] key = BASE.times(secret).encode();
        for (int torsion = 1; torsion < 8; torsion++) {
            Point r = BASE.times(nonce).plus(ORDER_EIGHT.times(BigInteger.valueOf(torsion)));
            byte[] crafted = signature(r.encode(), key, nonce);
            assertInvalid(key, crafted, "R + %d T".formatted(torsion));
        }
    }

    @Test
    void a_nonce_point_of_small_order_is_invalid() {
        byte[] key = BASE.times(secret).encode();
        for (int torsion = 0; torsion < 8; torsion++) {
            byte[] r = ORDER_EIGHT.times(BigInteger.valueOf(torsion)).encode();
            byte[] crafted = signature(r, key, BigInteger.ZERO);
            assertInvalid(key, crafted, "%d T".formatted(torsion));
        }
    }

    @Test
    void a_key_with_a_torsion_part_is_invalid_unless_the_challenge_happens_to_cancel_it() {
        for (int torsion = 1; torsion < 8; torsion++) {
            byte[] key = BASE.times(secret)
                    .plus(ORDER_EIGHT.times(BigInteger.valueOf(torsion)))
                    .encode();
            byte[] r = BASE.times(nonce).encode();
            boolean cancelled = challenge(r, key)
                            .multiply(BigInteger.valueOf(torsion))
                            .mod(BigInteger.valueOf(8))
                            .signum()
                    == 0;
            byte[] crafted = signature(r, key, nonce);
            assertThat(StrictSignatures.verify(key, MESSAGE, crafted))
                    .as("A + %d T", torsion)
                    .isEqualTo(cancelled);
            assertThat(Ed25519.verify(key, MESSAGE, crafted))
                    .as("A + %d T", torsion)
                    .isFalse();
        }
    }

    @Test
    void weak_keys_verify_nothing() {
        byte[] neutral = new byte[64];
        neutral[0] = 1;
        for (var row : Vectors.rows("weak-keys.json")) {
            if (!Vectors.flag(row, "usable")) {
                assertThat(StrictSignatures.verify(Vectors.bytes(row, "public_key"), MESSAGE, neutral))
                        .as(Vectors.text(row, "name"))
                        .isFalse();
            }
        }
    }

    @Test
    void a_scalar_beyond_the_groups_order_is_invalid() {
        byte[] key = BASE.times(secret).encode();
        byte[] honest = signature(BASE.times(nonce).encode(), key, nonce);
        BigInteger s = number(Arrays.copyOfRange(honest, 32, 64)).add(ORDER);
        System.arraycopy(littleEndian(s), 0, honest, 32, 32);
        assertThat(StrictSignatures.verify(key, MESSAGE, honest)).isFalse();
    }

    @Test
    void both_verifiers_agree_on_changed_signatures_and_keys() {
        Random random = Seeded.random("both_verifiers_agree_on_changed_signatures_and_keys");
        List<Integer> disagreements = new ArrayList<>();
        byte[] seed = Seeded.bytes(random, 32);
        byte[] key = Ed25519.publicKey(seed);
        byte[] signature = Ed25519.sign(seed, key, MESSAGE);
        for (int i = 0; i < 64; i++) {
            byte[] changedKey = key.clone();
            byte[] changed = signature.clone();
            if (random.nextInt(4) > 0) {
                int bit = random.nextInt(512);
                changed[bit / 8] ^= (byte) (1 << bit % 8);
            }
            if (random.nextInt(4) == 0) {
                int bit = random.nextInt(256);
                changedKey[bit / 8] ^= (byte) (1 << bit % 8);
            }
            if (StrictSignatures.verify(changedKey, MESSAGE, changed) != Ed25519.verify(changedKey, MESSAGE, changed)) {
                disagreements.add(i);
            }
        }
        assertThat(disagreements).isEmpty();
        assertThat(StrictSignatures.verify(key, MESSAGE, signature)).isTrue();
    }
}
