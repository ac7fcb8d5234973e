package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.rpc.method.CallRig.with;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.testkit.PlainKeys;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class MessageMethodsTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");

    private final PlainKeys keys = new PlainKeys(CHAIN);
    private final CallRig rig = rig(CHAIN, keys);

    private static CallRig rig(ChainProfile chain, PlainKeys keys) {
        return new CallRig(
                new MessageMethods(new TextMessages(chain, keys, Runnable::run), Runnable::run).all(),
                new KeyringErrors(Path.of("wallets")));
    }

    @TestFactory
    Stream<DynamicTest> messages_are_verified_as_the_vectors_say() {
        return Vectors.tests("messages.json", row -> {
            JsonNode result = rig.result("verify_message", claim(row));

            assertThat(result.path("valid").booleanValue()).isEqualTo(Vectors.flag(row, "valid"));
            assertThat(result.path("address").textValue()).isEqualTo(Vectors.text(row, "address"));
            assertThat(result).hasSize(2);
        });
    }

    @TestFactory
    Stream<DynamicTest> signatures_at_the_edge_are_invalid_and_no_errors() {
        return Vectors.tests(
                "own/signatures-at-the-edge.json",
                row -> assertThat(rig.result("verify_message", claim(row))
                                .path("valid")
                                .booleanValue())
                        .isEqualTo(Vectors.flag(row, "valid")));
    }

    @TestFactory
    Stream<DynamicTest> weak_keys_are_invalid_and_have_an_address() {
        return Vectors.tests("weak-keys.json", row -> !Vectors.flag(row, "usable"), row -> {
            JsonNode result = rig.result(
                    "verify_message",
                    Map.of(
                            "pubkey",
                            Vectors.text(row, "public_key"),
                            "signature",
                            "01" + "00".repeat(63),
                            "message",
                            ""));

            assertThat(result.path("valid").booleanValue()).isFalse();
            assertThat(result.path("address").textValue()).hasSize(64);
        });
    }

    @TestFactory
    Stream<DynamicTest> messages_are_signed_as_the_vectors_say() {
        return Vectors.tests("messages.json", row -> Vectors.flag(row, "valid"), row -> {
            String address = keys.add(Vectors.bytes(row, "seed")).hex();

            JsonNode result =
                    rig.result("sign_message", Map.of("address", address, "message", Vectors.text(row, "message")));

            assertThat(result.path("signature").textValue()).isEqualTo(Vectors.text(row, "signature"));
            assertThat(result.path("pubkey").textValue()).isEqualTo(Vectors.text(row, "public_key"));
            assertThat(result.path("address").textValue()).isEqualTo(address);
            assertThat(result).hasSize(3);
        });
    }

    @TestFactory
    Stream<DynamicTest> the_brand_is_part_of_what_is_signed() {
        return Vectors.tests("other-brand.json", Vectors.where("type", "message"), row -> {
            ChainProfile alpha = ChainProfile.of(Vectors.text(row, "brand"));
            PlainKeys theirs = new PlainKeys(alpha);
            String address = theirs.add(Vectors.bytes(row, "seed")).hex();

            JsonNode signed = rig(alpha, theirs)
                    .result("sign_message", Map.of("address", address, "message", Vectors.text(row, "message")));
            assertThat(signed.path("signature").textValue()).isEqualTo(Vectors.text(row, "signature"));
            assertThat(signed.path("address").textValue()).isEqualTo(Vectors.text(row, "address"));

            Map<String, Object> claim = new LinkedHashMap<>(Map.of(
                    "pubkey",
                    signed.path("pubkey").textValue(),
                    "signature",
                    Vectors.text(row, "signature"),
                    "message",
                    Vectors.text(row, "message")));
            assertThat(rig(alpha, theirs)
                            .result("verify_message", claim)
                            .path("valid")
                            .booleanValue())
                    .isTrue();
            assertThat(rig.result("verify_message", claim).path("valid").booleanValue())
                    .isFalse();
        });
    }

    @Test
    void an_address_that_is_not_in_the_keyring_signs_nothing() {
        assertThat(rig.code("sign_message", Map.of("address", "ab".repeat(32), "message", "x")))
                .isEqualTo(-32010);
    }

    @Test
    void what_is_not_hex_of_the_right_length_is_a_wrong_parameter() {
        JsonNode row = Vectors.row("messages.json", "ascii-with-address");
        Map<String, Object> claim = claim(row);
        String signature = Vectors.text(row, "signature");

        for (Object wrong :
                new Object[] {signature + "00", signature.substring(2), "zz" + signature.substring(2), "", 7}) {
            assertThat(rig.code("verify_message", with(claim, "signature", wrong)))
                    .as("signature " + wrong)
                    .isEqualTo(-32602);
        }
        for (String name : new String[] {"pubkey", "address"}) {
            assertThat(rig.code("verify_message", with(claim, name, "ab".repeat(31))))
                    .isEqualTo(-32602);
            assertThat(rig.code("verify_message", with(claim, name, "xy".repeat(32))))
                    .isEqualTo(-32602);
        }
        for (String name : new String[] {"pubkey", "signature", "message"}) {
            assertThat(rig.code("verify_message", with(claim, name, null))).isEqualTo(-32602);
        }
        assertThat(rig.code("sign_message", Map.of("address", "ab".repeat(31), "message", "x")))
                .isEqualTo(-32602);
        assertThat(rig.error("verify_message", with(claim, "signature", "ab"))
                        .path("message")
                        .textValue())
                .contains("signature")
                .contains("128");
    }

    @Test
    void hex_of_either_case_is_read() {
        JsonNode row = Vectors.row("messages.json", "ascii-with-address");
        Map<String, Object> claim = claim(row);
        claim.replaceAll((name, value) ->
                name.equals("message") ? value : value.toString().toUpperCase(Locale.ROOT));

        JsonNode result = rig.result("verify_message", claim);
        assertThat(result.path("valid").booleanValue()).isTrue();
        assertThat(result.path("address").textValue()).isEqualTo(Vectors.text(row, "address"));
    }

    @Test
    void the_address_is_the_one_of_the_key_whatever_was_claimed() {
        JsonNode row = Vectors.row("messages.json", "ascii-with-address");

        JsonNode result = rig.result("verify_message", with(claim(row), "address", "ab".repeat(32)));

        assertThat(result.path("valid").booleanValue()).isFalse();
        assertThat(result.path("address").textValue()).isEqualTo(Vectors.text(row, "address"));
    }

    private static Map<String, Object> claim(JsonNode row) {
        Map<String, Object> claim = new LinkedHashMap<>();
        claim.put("pubkey", Vectors.text(row, "public_key"));
        claim.put("signature", Vectors.text(row, "signature"));
        claim.put("message", Vectors.text(row, "message"));
        if (row.hasNonNull("claimed_address")) {
            claim.put("address", Vectors.text(row, "claimed_address"));
        }
        return claim;
    }
}
