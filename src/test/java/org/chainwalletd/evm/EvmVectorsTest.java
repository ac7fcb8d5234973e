package org.chainwalletd.evm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;
import static org.chainwalletd.testkit.Vectors.text;
import static org.chainwalletd.testkit.Vectors.where;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The bytes of the account chain against the golden vectors (chain protocol, appendix E). */
class EvmVectorsTest {
    private static final String FILE = "evm.json";
    private static final int H = KeyDerivation.Bip32.HARDENED;

    @TestFactory
    Stream<DynamicTest> a_phrase_or_a_secret_gives_its_key_and_address() {
        return Vectors.tests(FILE, where("type", "key"), row -> {
            try (SecretBytes secret = secretOf(row)) {
                assertThat(secret.<byte[], RuntimeException>use(byte[]::clone)).isEqualTo(bytes(row, "private_key"));
                assertThat(secret.<byte[], RuntimeException>use(Secp256k1::compressedPublicKey))
                        .isEqualTo(bytes(row, "public_key_compressed"));
                EvmAddress address = EvmAddress.ofSecret(secret);
                assertThat(address).hasToString(text(row, "address"));
                assertThat(address.toArray()).isEqualTo(bytes(row, "address_hex"));
                assertThat(EvmAddress.parse("0x" + text(row, "address_hex"))).isEqualTo(address);
            }
        });
    }

    private static SecretBytes secretOf(JsonNode row) {
        if (text(row, "mnemonic") == null) {
            return SecretBytes.takeOver(bytes(row, "private_key"));
        }
        try (Mnemonic phrase = Mnemonic.parse(text(row, "mnemonic").getBytes(StandardCharsets.UTF_8));
                SecretBytes seed = phrase.seed()) {
            return seed.use(bytes -> KeyDerivation.Bip32.derive(bytes, 44 | H, 60 | H, H, 0, 0));
        }
    }

    @TestFactory
    Stream<DynamicTest> selectors_are_the_first_bytes_of_the_signature_s_hash() {
        return Vectors.tests(
                FILE,
                where("type", "selector"),
                row -> assertThat(Arrays.copyOf(hashOfSignature(row), 4)).isEqualTo(bytes(row, "selector")));
    }

    @TestFactory
    Stream<DynamicTest> the_event_s_topic() {
        return Vectors.tests(FILE, where("type", "topic"), row -> {
            assertThat(hashOfSignature(row)).isEqualTo(bytes(row, "topic"));
            assertThat(SwapContract.LOCKED_TOPIC.hex()).isEqualTo(text(row, "topic"));
        });
    }

    private static byte[] hashOfSignature(JsonNode row) {
        return Keccak256.of(text(row, "signature").getBytes(StandardCharsets.US_ASCII));
    }

    @TestFactory
    Stream<DynamicTest> call_data() {
        return Vectors.tests(FILE, where("type", "call"), row -> {
            JsonNode arguments = row.required("arguments");
            byte[] first = HexFormat.of().parseHex(arguments.get(0).textValue());
            Bytes data = switch (text(row, "function")) {
                case "lock" ->
                    SwapContract.lock(
                            Hash256.of(first),
                            addressOf(arguments.get(1)),
                            arguments.get(2).longValue());
                case "claim" -> SwapContract.claim(first);
                case "refund" -> SwapContract.refund(Hash256.of(first));
                case "getSwap" -> SwapContract.getSwap(Hash256.of(first));
                default -> throw new AssertionError("unknown function");
            };
            assertThat(data.hex()).isEqualTo(text(row, "data"));
        });
    }

    @TestFactory
    Stream<DynamicTest> return_data() {
        return Vectors.tests(FILE, where("type", "result"), row -> {
            JsonNode values = row.required("values");
            assertThat(SwapContract.swap(Bytes.parse(text(row, "data"))))
                    .isEqualTo(new SwapContract.Swap(
                            addressOf(values.get(0)),
                            addressOf(values.get(1)),
                            values.get(2).bigIntegerValue(),
                            values.get(3).longValue(),
                            SwapContract.State.values()[values.get(4).intValue()]));
        });
    }

    @TestFactory
    Stream<DynamicTest> events() {
        return Vectors.tests(FILE, where("type", "log"), row -> {
            List<Hash256> topics = new ArrayList<>();
            row.required("topics").forEach(topic -> topics.add(Hash256.parse(topic.textValue())));
            JsonNode values = row.required("values");
            assertThat(SwapContract.locked(topics, Bytes.parse(text(row, "data"))))
                    .isEqualTo(new SwapContract.Locked(
                            Hash256.parse(values.get(0).textValue()),
                            addressOf(values.get(1)),
                            addressOf(values.get(2)),
                            values.get(3).bigIntegerValue(),
                            values.get(4).longValue()));
        });
    }

    private static EvmAddress addressOf(JsonNode hex) {
        return EvmAddress.of(HexFormat.of().parseHex(hex.textValue()));
    }

    @TestFactory
    Stream<DynamicTest> transactions() {
        return Vectors.tests(FILE, where("type", "transaction"), row -> {
            DynamicFeeTransaction tx = new DynamicFeeTransaction(
                    integer(row, "chain_id"),
                    integer(row, "nonce"),
                    integer(row, "max_priority_fee_per_gas"),
                    integer(row, "max_fee_per_gas"),
                    integer(row, "gas_limit"),
                    EvmAddress.of(bytes(row, "to")),
                    integer(row, "value"),
                    Bytes.wrap(bytes(row, "data")));
            assertThat(tx.unsigned().hex()).isEqualTo(text(row, "unsigned"));
            assertThat(tx.signingHash().hex()).isEqualTo(text(row, "signing_hash"));
            try (SecretBytes secret = SecretBytes.takeOver(bytes(row, "private_key"))) {
                assertThat(EvmAddress.ofSecret(secret)).hasToString(text(row, "from_address"));
                DynamicFeeTransaction.Signed signed = tx.sign(secret);
                assertThat(signed.raw().hex()).isEqualTo(text(row, "raw"));
                assertThat(signed.hash().hex()).isEqualTo(text(row, "hash"));
            }
        });
    }

    @Test
    void an_address_with_a_wrong_checksum_is_refused() {
        String right = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assertThat(EvmAddress.parse(right)).hasToString(right);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EvmAddress.parse(right.replace("F6F4", "f6F4")))
                .withMessageContaining("checksum");
        assertThatIllegalArgumentException().isThrownBy(() -> EvmAddress.parse(right.substring(2)));
        assertThatIllegalArgumentException().isThrownBy(() -> EvmAddress.parse(right + "00"));
        assertThatIllegalArgumentException().isThrownBy(() -> EvmAddress.parse("0x" + "g".repeat(40)));
    }

    @Test
    void return_data_of_another_shape_is_refused() {
        String words = "0".repeat(5 * 64);
        assertThat(SwapContract.swap(Bytes.parse(words)).state()).isEqualTo(SwapContract.State.NONE);
        assertThatIllegalArgumentException().isThrownBy(() -> SwapContract.swap(Bytes.parse(words.substring(64))));
        assertThatIllegalArgumentException().isThrownBy(() -> SwapContract.swap(Bytes.parse(words + "00")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SwapContract.swap(Bytes.parse("01" + words.substring(2))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SwapContract.swap(Bytes.parse(words.substring(2) + "04")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SwapContract.swap(Bytes.parse("0".repeat(3 * 64) + "f".repeat(64) + "0".repeat(64))));
    }

    @Test
    void secrets_are_numbers_from_one_to_below_the_order() {
        byte[] order = HexFormat.of().parseHex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        assertThat(Secp256k1.isUsable(order)).isFalse();
        assertThat(Secp256k1.isUsable(new byte[32])).isFalse();
        assertThat(Secp256k1.isUsable(new byte[31])).isFalse();
        order[31]--;
        assertThat(Secp256k1.isUsable(order)).isTrue();
        assertThat(Secp256k1.sign(order, new byte[32]).s()).isLessThan(new BigInteger(1, order));
    }
}
