package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.rpc.method.CallRig.with;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.uri.PaymentUriCodec;
import org.junit.jupiter.api.Test;

class UriMethodsTest {
    private static final String ADDRESS = "ab".repeat(32);
    private static final BigInteger MOST = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
    private static final Map<String, Object> ALL = new LinkedHashMap<>(Map.of(
            "address",
            ADDRESS,
            "amount",
            MOST,
            "memo",
            "two words",
            "hash_lock",
            "0c".repeat(32),
            "timeout",
            MOST,
            "label",
            "Käse & Brot"));

    private final CallRig rig = new CallRig(new UriMethods(new PaymentUriCodec(ChainProfile.of("chain"))).all());

    @Test
    void what_was_encoded_is_decoded_to_the_same_members() {
        String uri = rig.result("payment_uri_encode", ALL).path("uri").textValue();

        assertThat(uri)
                .isEqualTo("chain:" + ADDRESS + "?amount=" + MOST + "&memo=two%20words&hash_lock=" + "0c".repeat(32)
                        + "&timeout=" + MOST + "&label=K%C3%A4se%20%26%20Brot");
        assertThat(rig.result("payment_uri_decode", Map.of("uri", uri)).properties())
                .allSatisfy(member -> assertThat(member.getValue().asText())
                        .isEqualTo(ALL.get(member.getKey()).toString()))
                .hasSize(6);
    }

    @Test
    void only_what_is_set_comes_back() {
        var result = rig.result("payment_uri_decode", Map.of("uri", "CHAIN:" + ADDRESS + "?other=1"));

        assertThat(result).hasSize(1);
        assertThat(result.path("address").textValue()).isEqualTo(ADDRESS);
    }

    @Test
    void faults_are_wrong_parameters_with_the_rule_in_words() {
        assertThat(rig.code("payment_uri_encode", with(ALL, "address", "ab"))).isEqualTo(-32602);
        assertThat(rig.code("payment_uri_encode", with(ALL, "amount", -1))).isEqualTo(-32602);
        assertThat(rig.code("payment_uri_encode", with(ALL, "amount", "5"))).isEqualTo(-32602);
        assertThat(rig.code("payment_uri_encode", with(ALL, "memo", "x".repeat(70_000))))
                .isEqualTo(-32602);
        assertThat(rig.error("payment_uri_encode", with(ALL, "hash_lock", null))
                        .path("message")
                        .textValue())
                .contains("timeout")
                .contains("hash_lock");
        var refused = rig.error("payment_uri_decode", Map.of("uri", "chain:" + ADDRESS + "?amount=1&amount=2"));
        assertThat(refused.path("code").intValue()).isEqualTo(-32602);
        assertThat(refused.path("message").textValue()).contains("uri").contains("amount is there twice");
    }
}
