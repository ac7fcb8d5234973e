package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SealedBlob.UnsealException.Reason;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SealedBlobTest {
    private static final Argon2 CHEAP = new Argon2(8, 1, 1);
    private static final byte[] ROLE = utf8("chain-walletd/v1/imported");
    private static final byte[] PASSPHRASE = utf8("correct horse battery staple");
    private static final Map<String, byte[]> KEYS = new ConcurrentHashMap<>();

    @TestFactory
    Stream<DynamicTest> blobs_of_the_default_brand_seal_and_open() {
        return Vectors.tests("sealed.json", Vectors.where("expect", "ok"), row -> {
            try (SecretBytes key = keyOf(row, Vectors.bytes(row, "salt"))) {
                assertThat(key.copy()).isEqualTo(Vectors.bytes(row, "key"));
                assertSealsAndOpens(row, key);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> blobs_of_another_brand_seal_and_open() {
        return Vectors.tests("other-brand.json", Vectors.where("type", "sealed"), row -> {
            try (SecretBytes key = Argon2.SPECIFIED.derive(passphrase(row), Vectors.bytes(row, "salt"))) {
                assertSealsAndOpens(row, key);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> blobs_that_must_not_open_say_why() {
        return Vectors.tests("sealed.json", row -> !Vectors.text(row, "expect").equals("ok"), row -> {
            Reason expected = switch (Vectors.text(row, "expect")) {
                case "too-short" -> Reason.TOO_SHORT;
                case "bad-magic" -> Reason.BAD_MAGIC;
                case "unsupported-version" -> Reason.BAD_VERSION;
                case "decryption-failed" -> Reason.DECRYPTION_FAILED;
                default -> throw new AssertionError("unknown verdict in " + row);
            };
            assertThat(reasonOf(() -> {
                        SealedBlob blob = SealedBlob.parse(Vectors.bytes(row, "blob"));
                        try (SecretBytes key = keyOf(row, blob.salt())) {
                            blob.open(key, utf8(Vectors.text(row, "aad")));
                        }
                    }))
                    .isEqualTo(expected);
        });
    }

    @Test
    void refusals_come_in_the_order_of_the_specification() {
        byte[] wrongInEveryWay = new byte[48];
        assertThat(reasonOf(() -> SealedBlob.parse(wrongInEveryWay))).isEqualTo(Reason.TOO_SHORT);
        assertThat(reasonOf(() -> SealedBlob.parse(new byte[49]))).isEqualTo(Reason.BAD_MAGIC);
        byte[] otherVersion = Arrays.copyOf(utf8("WDV1"), 49);
        assertThat(reasonOf(() -> SealedBlob.parse(otherVersion))).isEqualTo(Reason.BAD_VERSION);
        otherVersion[4] = 1;
        assertThat(reasonOf(() -> SealedBlob.parse(otherVersion).open(CHEAP, PASSPHRASE, ROLE)))
                .isEqualTo(Reason.DECRYPTION_FAILED);
    }

    @Test
    void what_was_sealed_opens_with_the_same_passphrase_and_role_only() {
        Random random = Seeded.random("what_was_sealed_opens_with_the_same_passphrase_and_role_only");
        for (int i = 0; i < 100; i++) {
            byte[] plaintext = Seeded.bytes(random, random.nextInt(300));
            byte[] passphrase = Seeded.bytes(random, random.nextInt(40));
            byte[] file = SealedBlob.seal(CHEAP, passphrase, new SecureRandom(), ROLE, plaintext)
                    .toBytes();
            SealedBlob blob = SealedBlob.parse(file);

            assertThat(file).hasSize(SealedBlob.OVERHEAD + plaintext.length);
            assertThat(blob.plaintextLength()).isEqualTo(plaintext.length);
            try (SecretBytes opened = blob.open(CHEAP, passphrase, ROLE)) {
                assertThat(opened.copy()).isEqualTo(plaintext);
            }
            byte[] other = Arrays.copyOf(passphrase, passphrase.length + 1);
            assertThat(reasonOf(() -> blob.open(CHEAP, other, ROLE))).isEqualTo(Reason.DECRYPTION_FAILED);
            assertThat(reasonOf(() -> blob.open(CHEAP, passphrase, utf8("chain-walletd/v1/seed"))))
                    .isEqualTo(Reason.DECRYPTION_FAILED);
        }
    }

    @Test
    void every_seal_takes_a_fresh_salt_and_nonce() {
        SecureRandom random = new SecureRandom();
        byte[] first =
                SealedBlob.seal(CHEAP, PASSPHRASE, random, ROLE, new byte[32]).toBytes();
        byte[] second =
                SealedBlob.seal(CHEAP, PASSPHRASE, random, ROLE, new byte[32]).toBytes();

        assertThat(Arrays.copyOfRange(first, 5, 21)).isNotEqualTo(Arrays.copyOfRange(second, 5, 21));
        assertThat(Arrays.copyOfRange(first, 21, 33)).isNotEqualTo(Arrays.copyOfRange(second, 21, 33));
    }

    @Test
    void every_changed_bit_is_noticed() {
        byte[] file = SealedBlob.seal(CHEAP, PASSPHRASE, new SecureRandom(), ROLE, new byte[32])
                .toBytes();
        for (int bit = 0; bit < 8 * file.length; bit++) {
            byte[] damaged = file.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Reason expected = bit < 32 ? Reason.BAD_MAGIC : bit < 40 ? Reason.BAD_VERSION : Reason.DECRYPTION_FAILED;
            assertThat(reasonOf(() -> SealedBlob.parse(damaged).open(CHEAP, PASSPHRASE, ROLE)))
                    .as("bit " + bit)
                    .isEqualTo(expected);
        }
    }

    @Test
    void any_cut_file_fails_cleanly() {
        byte[] file = SealedBlob.seal(CHEAP, PASSPHRASE, new SecureRandom(), ROLE, new byte[32])
                .toBytes();
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThat(reasonOf(() -> SealedBlob.parse(cut).open(CHEAP, PASSPHRASE, ROLE)))
                    .as(length + " bytes")
                    .isEqualTo(length < SealedBlob.OVERHEAD ? Reason.TOO_SHORT : Reason.DECRYPTION_FAILED);
        }
    }

    @Test
    void any_bytes_either_open_or_fail_with_a_reason() {
        Random random = Seeded.random("any_bytes_either_open_or_fail_with_a_reason");
        for (int i = 0; i < 3000; i++) {
            byte[] blob = Seeded.bytes(random, random.nextInt(200));
            if (random.nextInt(4) > 0 && blob.length >= 5) {
                System.arraycopy(utf8("WDV1\u0001"), 0, blob, 0, 5);
            }
            Throwable thrown = catchThrowable(() -> SealedBlob.parse(blob).open(CHEAP, PASSPHRASE, ROLE));
            assertThat(thrown).isInstanceOf(UnsealException.class).hasNoCause();
        }
    }

    @Test
    void no_pair_of_key_and_nonce_is_special() {
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xff);
        for (byte[] keyBytes : new byte[][] {new byte[32], ones}) {
            for (byte[] nonce : new byte[][] {new byte[12], Arrays.copyOf(ones, 12)}) {
                try (SecretBytes key = SecretBytes.copyOf(keyBytes);
                        SecretBytes opened = SealedBlob.seal(key, new byte[16], nonce, ROLE, PASSPHRASE)
                                .open(key, ROLE)) {
                    assertThat(opened.copy()).isEqualTo(PASSPHRASE);
                }
            }
        }
    }

    @Test
    void parts_of_another_length_are_a_callers_error() {
        SecretBytes key = SecretBytes.takeOver(new byte[32]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SealedBlob.seal(key, new byte[15], new byte[12], ROLE, new byte[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SealedBlob.seal(key, new byte[16], new byte[11], ROLE, new byte[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SealedBlob.seal(
                        SecretBytes.takeOver(new byte[16]), new byte[16], new byte[12], ROLE, new byte[0]));
    }

    @Test
    void a_blob_is_not_changed_through_the_arrays_it_came_from_or_gave() {
        SealedBlob sealed = SealedBlob.seal(CHEAP, PASSPHRASE, new SecureRandom(), ROLE, new byte[] {1, 2, 3});
        byte[] file = sealed.toBytes();
        SealedBlob parsed = SealedBlob.parse(file);
        Arrays.fill(file, (byte) 0);
        Arrays.fill(parsed.toBytes(), (byte) 0);
        Arrays.fill(parsed.salt(), (byte) 0);

        assertThat(parsed.toBytes()).isEqualTo(sealed.toBytes());
    }

    private static void assertSealsAndOpens(JsonNode row, SecretBytes key) {
        byte[] role = utf8(Vectors.text(row, "aad"));
        byte[] plaintext = Vectors.bytes(row, "plaintext");
        SealedBlob sealed =
                SealedBlob.seal(key, Vectors.bytes(row, "salt"), Vectors.bytes(row, "nonce"), role, plaintext);
        assertThat(sealed.toBytes()).isEqualTo(Vectors.bytes(row, "blob"));

        SealedBlob parsed = SealedBlob.parse(Vectors.bytes(row, "blob"));
        assertThat(parsed.salt()).isEqualTo(Vectors.bytes(row, "salt"));
        try (SecretBytes opened = parsed.open(key, role)) {
            assertThat(opened.copy()).isEqualTo(plaintext);
        }
    }

    private static Reason reasonOf(ThrowingCallable call) {
        return catchThrowableOfType(UnsealException.class, call).reason();
    }

    /** Many rows share passphrase and salt: each pair is derived only once. */
    private static SecretBytes keyOf(JsonNode row, byte[] salt) {
        String pair = Vectors.text(row, "passphrase") + Arrays.toString(salt);
        return SecretBytes.copyOf(KEYS.computeIfAbsent(pair, first -> stretched(row, salt)));
    }

    private static byte[] stretched(JsonNode row, byte[] salt) {
        try (SecretBytes key = Argon2.SPECIFIED.derive(passphrase(row), salt)) {
            return key.copy();
        }
    }

    private static byte[] passphrase(JsonNode row) {
        return utf8(Vectors.text(row, "passphrase"));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
