package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SignedMessageTest {
    @TestFactory
    Stream<DynamicTest> messages_of_the_default_brand() {
        return Vectors.tests("messages.json", row -> {
            byte[] publicKey = Vectors.bytes(row, "public_key");
            String claimed = Vectors.text(row, "claimed_address");
            boolean addressFits = claimed == null || claimed.equals(addressOf("CHAIN", publicKey));
            boolean valid =
                    SignedMessage.verify(publicKey, tag("CHAIN"), message(row), Vectors.bytes(row, "signature"));

            assertThat(SignedMessage.image(tag("CHAIN"), message(row))).isEqualTo(Vectors.bytes(row, "image"));
            assertThat(valid && addressFits).isEqualTo(Vectors.flag(row, "valid"));
            if (valid) {
                assertSigns(row, "CHAIN");
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> messages_of_another_brand() {
        return Vectors.tests("other-brand.json", Vectors.where("type", "message"), row -> {
            assertThat(SignedMessage.image(tag("ALPHA"), message(row))).isEqualTo(Vectors.bytes(row, "image"));
            assertSigns(row, "ALPHA");
        });
    }

    @TestFactory
    Stream<DynamicTest> only_honest_signatures_are_valid() {
        return Vectors.tests(
                "own/signatures-at-the-edge.json",
                row -> assertThat(SignedMessage.verify(
                                Vectors.bytes(row, "public_key"),
                                tag("CHAIN"),
                                message(row),
                                Vectors.bytes(row, "signature")))
                        .isEqualTo(Vectors.flag(row, "valid")));
    }

    @Test
    void a_signature_of_one_brand_is_worth_nothing_under_another() {
        try (SigningKey key = SigningKey.takeOver(SecretBytes.takeOver(new byte[32]))) {
            byte[] signature = key.sign(SignedMessage.image(tag("CHAIN"), new byte[0]));

            assertThat(SignedMessage.verify(key.publicKey(), tag("CHAIN"), new byte[0], signature))
                    .isTrue();
            assertThat(SignedMessage.verify(key.publicKey(), tag("ALPHA"), new byte[0], signature))
                    .isFalse();
        }
    }

    @Test
    void signatures_and_keys_of_another_length_are_invalid() {
        try (SigningKey key = SigningKey.takeOver(SecretBytes.takeOver(new byte[32]))) {
            byte[] signature = key.sign(SignedMessage.image(tag("CHAIN"), new byte[0]));

            assertThat(SignedMessage.verify(key.publicKey(), tag("CHAIN"), new byte[0], Arrays.copyOf(signature, 65)))
                    .isFalse();
            assertThat(SignedMessage.verify(Arrays.copyOf(key.publicKey(), 31), tag("CHAIN"), new byte[0], signature))
                    .isFalse();
        }
    }

    private static void assertSigns(JsonNode row, String brand) {
        try (SigningKey key = SigningKey.takeOver(SecretBytes.takeOver(Vectors.bytes(row, "seed")))) {
            assertThat(key.sign(SignedMessage.image(tag(brand), message(row))))
                    .isEqualTo(Vectors.bytes(row, "signature"));
            assertThat(addressOf(brand, key.publicKey())).isEqualTo(Vectors.text(row, "address"));
        }
    }

    /** H of the chain protocol, section 2.1, written out, because this package has no addresses. */
    private static String addressOf(String brand, byte[] publicKey) {
        byte[] addressTag = (brand + "-ADDR").getBytes(StandardCharsets.US_ASCII);
        byte[] hash = Digests.sha256(new byte[] {(byte) addressTag.length}, addressTag, publicKey);
        return HexFormat.of().formatHex(hash);
    }

    private static byte[] tag(String brand) {
        return (brand + "-MSG").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] message(JsonNode row) {
        return Vectors.text(row, "message").getBytes(StandardCharsets.UTF_8);
    }
}
