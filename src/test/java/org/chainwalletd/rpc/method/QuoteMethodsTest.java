package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.rpc.method.CallRig.with;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.testkit.PlainKeys;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class QuoteMethodsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNode SAMPLE = Vectors.row("quote.json", "b");
    private static final String PAYEE = Vectors.text(SAMPLE.required("quote"), "payee_pubkey");
    private static final String WEAK = "01" + "00".repeat(31);

    private final PlainKeys keys = new PlainKeys(ChainProfile.of("chain"));
    private final String issuer = keys.add(Vectors.bytes(SAMPLE, "signer_seed")).hex();
    private CompletionStage<Hash256> genesis =
            CompletableFuture.completedStage(Hash256.parse(Vectors.text(SAMPLE, "genesis_block_id")));
    private long now = 1_781_234_567L;
    private final CallRig rig = rig("chain", keys);

    private CallRig rig(String brand, PlainKeys signer) {
        ChainProfile chain = ChainProfile.of(brand);
        ChainIdentity identity = new ChainIdentity() {
            @Override
            public CompletionStage<Hash256> genesisForSigning() {
                return genesis;
            }

            @Override
            public Optional<Hash256> expected() {
                return Optional.empty();
            }

            @Override
            public Optional<String> complaint() {
                return Optional.empty();
            }
        };
        Quotes quotes = new Quotes(
                chain, signer, identity, () -> Instant.ofEpochSecond(now), new SecureRandom(), Runnable::run);
        return new CallRig(
                new QuoteMethods(chain, quotes).all(), new KeyringErrors(Path.of("wallets")), new UpstreamErrors());
    }

    private Map<String, Object> terms() {
        Map<String, Object> terms = new LinkedHashMap<>();
        terms.put("address", issuer);
        terms.put("payee_pubkey", PAYEE);
        terms.put("currency", "USD");
        terms.put("amount_minor", 1250);
        terms.put("rate_chain_per_unit", 4_000_000_000L);
        terms.put("chain_amount", 50_000_000_000L);
        terms.put("ttl_secs", 300);
        return terms;
    }

    private static ObjectNode sample() {
        return SAMPLE.required("quote").deepCopy();
    }

    private String reason(JsonNode quote) {
        JsonNode result = rig.result("quote_verify", Map.of("quote", quote));
        assertThat(result.path("valid").booleanValue()).isEqualTo(!result.has("reason"));
        return result.path("reason").asText("");
    }

    @TestFactory
    Stream<DynamicTest> the_quotes_of_the_vectors_are_issued_and_verified_to_the_byte() {
        return Vectors.tests("quote.json", Vectors.where("verdict", "valid"), row -> {
            JsonNode quote = row.required("quote");
            now = quote.required("issued_at").longValue();
            Map<String, Object> terms = terms();
            terms.put("address", keys.add(Vectors.bytes(row, "signer_seed")).hex());
            terms.put("ttl_secs", quote.required("expires_at").longValue() - now);
            for (String member : List.of(
                    "quote_id",
                    "currency",
                    "amount_minor",
                    "rate_chain_per_unit",
                    "chain_amount",
                    "payee_pubkey",
                    "memo")) {
                terms.put(member, quote.required(member));
            }
            if (quote.has("payer_pubkey")) {
                terms.put("payer_pubkey", quote.required("payer_pubkey"));
            }

            JsonNode issued = rig.result("quote_issue", terms);

            assertThat(JSON.readTree(issued.path("quote").toString())).isEqualTo(JSON.readTree(quote.toString()));
            assertThat(names(issued.path("quote"))).isEqualTo(names(quote));
            for (String member : List.of("image", "signature", "signer_address", "payee_address", "genesis_block_id")) {
                assertThat(issued.path(member)).as(member).isEqualTo(row.required(member));
            }
            JsonNode verified = rig.result("quote_verify", Map.of("quote", quote));
            assertThat(verified.path("valid").booleanValue()).isTrue();
            assertThat(names(verified)).containsExactly("valid", "signer_address", "payee_address", "genesis_block_id");
            assertThat(verified.path("signer_address")).isEqualTo(row.required("signer_address"));
            assertThat(verified.path("payee_address")).isEqualTo(row.required("payee_address"));
        });
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    @Test
    void preimage_and_id_are_fresh_for_each_quote_and_the_hash_lock_is_the_preimages() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            JsonNode issued = rig.result("quote_issue", terms());
            Hash256 preimage = Hash256.parse(issued.path("htlc_preimage").textValue());
            assertThat(issued.path("htlc_hash_lock").textValue())
                    .isEqualTo(Hash256.sha256(preimage.toArray()).hex());
            seen.add(preimage.hex());
            seen.add(issued.path("quote").path("quote_id").textValue());
            assertThat(issued.path("quote").path("memo").textValue()).isEmpty();
            assertThat(issued.path("quote").has("payer_pubkey")).isFalse();
            assertThat(reason(issued.path("quote"))).isEmpty();
        }
        assertThat(seen).hasSize(40);
    }

    @Test
    void terms_that_no_quote_can_have_are_wrong_parameters() {
        Object[][] wrong = {
            {"ttl_secs", 0},
            {"ttl_secs", 3601},
            {"ttl_secs", -1},
            {"currency", "US"},
            {"currency", "usd"},
            {"currency", "ABCDEFGHIJKLM"},
            {"currency", "EÜR"},
            {"memo", "ä".repeat(129)},
            {"quote_id", "00".repeat(15)},
            {"quote_id", "00".repeat(17)},
            {"payee_pubkey", WEAK},
            {"payee_pubkey", "02" + "00".repeat(31)},
            {"payer_pubkey", WEAK},
            {"chain_amount", "1"},
            {"chain_amount", null},
            {"amount_minor", null},
            {"rate_chain_per_unit", null},
            {"unheard_of", 1},
            {"alpha_amount", 1},
        };
        for (Object[] change : wrong) {
            assertThat(rig.code("quote_issue", with(terms(), (String) change[0], change[1])))
                    .as(Arrays.toString(change))
                    .isEqualTo(-32602);
        }
        assertThat(rig.result("quote_issue", with(terms(), "ttl_secs", 3600))
                        .path("quote")
                        .path("expires_at")
                        .longValue())
                .isEqualTo(now + 3600);
        assertThat(rig.code("quote_issue", with(terms(), "address", "ab".repeat(32))))
                .isEqualTo(-32010);
    }

    @Test
    void a_malformed_quote_is_a_wrong_parameter_and_not_an_invalid_quote() {
        for (String member : names(sample())) {
            if (!member.equals("payer_pubkey")) {
                ObjectNode without = sample();
                without.remove(member);
                assertThat(rig.code("quote_verify", Map.of("quote", without)))
                        .as(member)
                        .isEqualTo(-32602);
            }
            ObjectNode of = sample();
            of.putArray(member);
            assertThat(rig.code("quote_verify", Map.of("quote", of))).as(member).isEqualTo(-32602);
        }
        for (String hex : List.of("quote_id", "payee_pubkey", "payer_pubkey", "signer_pubkey", "signature")) {
            for (String change : List.of("", "zz", "00".repeat(31), "00".repeat(33), "00".repeat(65))) {
                assertThat(rig.code("quote_verify", Map.of("quote", sample().put(hex, change))))
                        .as(hex + " " + change)
                        .isEqualTo(-32602);
            }
        }
        assertThat(rig.code("quote_verify", Map.of("quote", sample().put("more", 1))))
                .isEqualTo(-32602);
        assertThat(rig.code("quote_verify", Map.of("quote", sample().put("expires_at", -1))))
                .isEqualTo(-32602);
        assertThat(rig.code("quote_verify", Map.of("quote", sample().put("version", 1.5))))
                .isEqualTo(-32602);
        assertThat(rig.code("quote_verify", Map.of("quote", "x"))).isEqualTo(-32602);
        assertThat(rig.code("quote_verify", Map.of())).isEqualTo(-32602);
    }

    @Test
    void what_fails_a_check_is_reported_with_its_reason_and_the_addresses_nevertheless() {
        assertThat(reason(sample())).isEmpty();
        assertThat(reason(sample().put("version", 2))).contains("version");
        assertThat(reason(sample().put("currency", "usd"))).contains("currency");
        assertThat(reason(sample().put("memo", "m".repeat(257)))).contains("memo");
        assertThat(reason(sample().put("signer_pubkey", WEAK))).contains("signer's key");
        assertThat(reason(sample().put("payee_pubkey", WEAK))).contains("payee's key");
        assertThat(reason(sample().put("payer_pubkey", WEAK))).contains("payer's key");
        assertThat(reason(sample().put("chain_amount", 1))).contains("signature");
        now += 300;
        assertThat(reason(sample())).contains("expired");
        now -= 300 + 61;
        JsonNode early = rig.result("quote_verify", Map.of("quote", sample()));
        assertThat(early.path("reason").textValue()).contains("future");
        assertThat(early.path("signer_address")).isEqualTo(SAMPLE.required("signer_address"));
        assertThat(early.path("payee_address")).isEqualTo(SAMPLE.required("payee_address"));
        assertThat(early.path("genesis_block_id")).isEqualTo(SAMPLE.required("genesis_block_id"));
    }

    @Test
    void a_quote_of_another_chain_is_not_valid_here() {
        genesis = CompletableFuture.completedStage(Hash256.parse("77".repeat(32)));

        JsonNode result = rig.result("quote_verify", Map.of("quote", sample()));

        assertThat(result.path("reason").textValue()).contains("signature");
        assertThat(result.path("genesis_block_id").textValue()).isEqualTo("77".repeat(32));
    }

    @Test
    void nothing_is_signed_or_verified_for_a_chain_that_is_not_known() {
        genesis = CompletableFuture.failedStage(new NodeException.WrongChain("another chain"));
        assertThat(rig.code("quote_issue", terms())).isEqualTo(-32030);
        assertThat(rig.code("quote_verify", Map.of("quote", sample()))).isEqualTo(-32030);
    }

    @Test
    void members_are_called_by_the_brand_and_read_in_both_spellings() {
        PlainKeys theirs = new PlainKeys(ChainProfile.of("alpha"));
        CallRig alpha = rig("alpha", theirs);
        Map<String, Object> terms = terms();
        terms.put("address", theirs.add(new byte[32]).hex());
        Map<String, Object> branded = with(with(terms, "chain_amount", null), "rate_chain_per_unit", null);
        branded.put("alpha_amount", 7);
        branded.put("rate_alphas_per_unit", 8);

        JsonNode plain = alpha.result("quote_issue", terms).path("quote");
        JsonNode quote = alpha.result("quote_issue", branded).path("quote");

        assertThat(names(plain)).isEqualTo(names(quote)).contains("alpha_amount", "rate_alphas_per_unit");
        assertThat(names(quote)).doesNotContain("chain_amount", "rate_chain_per_unit");
        assertThat(quote.path("alpha_amount").intValue()).isEqualTo(7);
        assertThat(quote.path("rate_alphas_per_unit").intValue()).isEqualTo(8);
        ObjectNode respelled = quote.deepCopy();
        respelled.remove(List.of("alpha_amount", "rate_alphas_per_unit"));
        respelled.put("chain_amount", 7).put("rate_chain_per_unit", 8);
        assertThat(alpha.result("quote_verify", Map.of("quote", quote))
                        .path("valid")
                        .booleanValue())
                .isTrue();
        assertThat(alpha.result("quote_verify", Map.of("quote", respelled))
                        .path("valid")
                        .booleanValue())
                .isTrue();
        assertThat(alpha.code("quote_verify", Map.of("quote", respelled.put("alpha_amount", 7))))
                .isEqualTo(-32602);
        assertThat(alpha.code("quote_issue", with(terms, "alpha_amount", 7))).isEqualTo(-32602);
    }
}
