package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class KeyDerivationTest {
    private static final int COIN_TYPE = 9527;

    @TestFactory
    Stream<DynamicTest> keys_of_the_default_brand() {
        return Vectors.tests("keys.json", row -> {
            try (Mnemonic phrase = phraseOf(row);
                    SecretBytes entropy = phrase.entropy();
                    SecretBytes seed = phrase.seed();
                    SecretBytes rendered = phrase.phrase()) {
                assertThat(entropy.copy()).isEqualTo(Vectors.bytes(row, "entropy"));
                assertThat(seed.copy()).isEqualTo(Vectors.bytes(row, "bip39_seed"));
                assertThat(rendered.copy()).asString(StandardCharsets.UTF_8).isEqualTo(Vectors.text(row, "mnemonic"));
                assertSecret(row, phrase, "CHAIN-MNEMONIC-ED25519-V1");
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> keys_of_another_brand() {
        return Vectors.tests("other-brand.json", Vectors.where("type", "key"), row -> {
            try (Mnemonic phrase = phraseOf(row)) {
                assertSecret(row, phrase, "ALPHA-MNEMONIC-ED25519-V1");
            }
        });
    }

    @Test
    void the_mnemonic_tag_is_the_raw_bytes_of_the_tag_table() {
        JsonNode tag = Vectors.row("tags.json", "CHAIN-MNEMONIC-ED25519-V1");
        JsonNode key = Vectors.row("keys.json", "standard-abandon-art");
        try (Mnemonic phrase = phraseOf(key);
                SecretBytes secret = KeyDerivation.standard(Vectors.bytes(tag, "tag_hex"), phrase)) {
            assertThat(secret.copy()).isEqualTo(Vectors.bytes(key, "secret"));
        }
    }

    @Test
    void only_twenty_four_words_spell_a_secret() {
        try (Mnemonic twelve = Mnemonic.ofEntropy(new byte[16])) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyDerivation.independent(twelve))
                    .withMessage("a secret is spelt by 24 words, not 12");
        }
    }

    private static void assertSecret(JsonNode row, Mnemonic phrase, String tag) {
        try (SecretBytes secret = derive(row, phrase, tag)) {
            assertThat(secret.copy()).isEqualTo(Vectors.bytes(row, "secret"));
            assertThat(secret.<byte[], RuntimeException>use(Ed25519::publicKey))
                    .isEqualTo(Vectors.bytes(row, "public_key"));
        }
    }

    private static SecretBytes derive(JsonNode row, Mnemonic phrase, String tag) {
        return switch (Vectors.text(row, "derivation")) {
            case "standard" -> KeyDerivation.standard(tag.getBytes(StandardCharsets.US_ASCII), phrase);
            case "independent" -> KeyDerivation.independent(phrase);
            case "hd" ->
                KeyDerivation.hierarchical(
                        phrase, COIN_TYPE, Vectors.integer(row, "index").intValueExact());
            default -> throw new AssertionError("unknown derivation in " + row);
        };
    }

    private static Mnemonic phraseOf(JsonNode row) {
        return Mnemonic.parse(Vectors.text(row, "mnemonic").getBytes(StandardCharsets.UTF_8), Mnemonic.KEY_WORDS);
    }
}
