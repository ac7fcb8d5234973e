package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Ed25519Test {
    private static final HexFormat HEX = HexFormat.of();

    @ParameterizedTest(name = "RFC 8032, section 7.1, {0}")
    @CsvSource(textBlock = """
            TEST 1, 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60, d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a, '', e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
            TEST 2, 4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb, 3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c, 72, 92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
            TEST 3, c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7, fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025, af82, 6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
            TEST SHA(abc), 833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42, ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf, ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f, dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704
            """)
    void agrees_with_the_rfc(String name, String seed, String publicKey, String message, String signature) {
        byte[] derived = Ed25519.publicKey(HEX.parseHex(seed));
        byte[] made = Ed25519.sign(HEX.parseHex(seed), derived, HEX.parseHex(message));

        assertThat(HEX.formatHex(derived)).isEqualTo(publicKey);
        assertThat(HEX.formatHex(made)).isEqualTo(signature);
        assertThat(Ed25519.verify(derived, HEX.parseHex(message), made)).isTrue();
    }

    @TestFactory
    Stream<DynamicTest> public_key_of_an_address() {
        return Vectors.tests(
                "addresses.json",
                row -> Vectors.text(row, "seed") != null,
                row -> assertThat(Ed25519.publicKey(Vectors.bytes(row, "seed")))
                        .isEqualTo(Vectors.bytes(row, "public_key")));
    }

    @TestFactory
    Stream<DynamicTest> weak_keys_are_not_usable() {
        return Vectors.tests(
                "weak-keys.json",
                row -> assertThat(Ed25519.isUsable(Vectors.bytes(row, "public_key")))
                        .isEqualTo(Vectors.flag(row, "usable")));
    }

    @Test
    void keys_of_another_length_are_not_usable() {
        for (int length : new int[] {0, 1, 31, 33, 64}) {
            assertThat(Ed25519.isUsable(new byte[length])).isFalse();
        }
    }

    @Test
    void weak_keys_verify_nothing() {
        for (var row : Vectors.rows("weak-keys.json")) {
            if (!Vectors.flag(row, "usable")) {
                byte[] identityAsR = new byte[Ed25519.SIGNATURE_LENGTH];
                identityAsR[0] = 1;
                assertThat(Ed25519.verify(Vectors.bytes(row, "public_key"), new byte[0], identityAsR))
                        .as(Vectors.text(row, "name"))
                        .isFalse();
            }
        }
    }

    @Test
    void any_changed_bit_makes_a_signature_invalid() {
        Random random = Seeded.random("any_changed_bit_makes_a_signature_invalid");
        byte[] seed = Seeded.bytes(random, 32);
        byte[] publicKey = Ed25519.publicKey(seed);
        byte[] message = Seeded.bytes(random, 40);
        byte[] signature = Ed25519.sign(seed, publicKey, message);

        for (int bit = 0; bit < 8 * signature.length; bit++) {
            assertThat(Ed25519.verify(publicKey, message, flipped(signature, bit)))
                    .as("signature bit " + bit)
                    .isFalse();
        }
        for (int bit = 0; bit < 8 * publicKey.length; bit++) {
            assertThat(Ed25519.verify(flipped(publicKey, bit), message, signature))
                    .as("key bit " + bit)
                    .isFalse();
        }
        for (int bit = 0; bit < 8 * message.length; bit++) {
            assertThat(Ed25519.verify(publicKey, flipped(message, bit), signature))
                    .as("message bit " + bit)
                    .isFalse();
        }
    }

    @Test
    void a_signature_with_the_group_order_added_to_its_scalar_is_refused() {
        byte[] seed = new byte[32];
        byte[] publicKey = Ed25519.publicKey(seed);
        byte[] signature = Ed25519.sign(seed, publicKey, new byte[0]);
        byte[] order = HEX.parseHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
        int carry = 0;
        for (int i = 0; i < 32; i++) {
            carry += (signature[32 + i] & 0xff) + (order[i] & 0xff);
            signature[32 + i] = (byte) carry;
            carry >>= 8;
        }

        assertThat(Ed25519.verify(publicKey, new byte[0], signature)).isFalse();
    }

    @Test
    void untrusted_bytes_of_any_length_never_throw() {
        Random random = Seeded.random("untrusted_bytes_of_any_length_never_throw");
        for (int i = 0; i < 2000; i++) {
            byte[] key = Seeded.bytes(random, random.nextBoolean() ? 32 : random.nextInt(70));
            byte[] signature = Seeded.bytes(random, random.nextBoolean() ? 64 : random.nextInt(130));
            assertThat(Ed25519.verify(key, Seeded.bytes(random, random.nextInt(100)), signature))
                    .isFalse();
            Ed25519.isUsable(key);
        }
    }

    @Test
    void a_seed_or_key_of_another_length_is_a_callers_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ed25519.publicKey(new byte[31]))
                .withMessageContaining("seed");
        assertThatIllegalArgumentException().isThrownBy(() -> Ed25519.sign(new byte[33], new byte[32], new byte[0]));
        assertThatIllegalArgumentException().isThrownBy(() -> Ed25519.sign(new byte[32], new byte[31], new byte[0]));
    }

    @Test
    void a_signing_key_signs_as_the_bare_functions_do() {
        byte[] seed = Seeded.bytes(Seeded.random("a_signing_key_signs_as_the_bare_functions_do"), 32);
        byte[] message = {1, 2, 3};
        try (SigningKey key = SigningKey.takeOver(SecretBytes.copyOf(seed))) {
            assertThat(key.publicKey()).isEqualTo(Ed25519.publicKey(seed));
            assertThat(key.sign(message)).isEqualTo(Ed25519.sign(seed, Ed25519.publicKey(seed), message));
        }
    }

    @Test
    void a_signing_key_overwrites_its_seed_on_close() {
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 7);
        SigningKey key = SigningKey.takeOver(SecretBytes.takeOver(seed));
        SecretBytes copy = key.secret();

        key.close();

        assertThat(seed).containsOnly(0);
        assertThat(copy.copy()).hasSize(32).containsOnly(7);
        assertThat(key.toString()).doesNotContain("0707");
        assertThat(catchThrowable(() -> key.sign(new byte[0]))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_seed_that_is_no_key_is_overwritten_nevertheless() {
        byte[] seed = {1, 2, 3};

        assertThatIllegalArgumentException().isThrownBy(() -> SigningKey.takeOver(SecretBytes.takeOver(seed)));

        assertThat(seed).containsOnly(0);
    }

    private static byte[] flipped(byte[] value, int bit) {
        byte[] changed = value.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        return changed;
    }
}
