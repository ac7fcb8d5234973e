package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.testkit.JsonSchemas;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code rpc.discover} says of the daemon's own methods. */
class DiscoveryTest {
    @ParameterizedTest
    @ValueSource(strings = {"chain", "alpha"})
    void the_document_is_valid_by_the_published_schema_of_openrpc(String brand) {
        assertThat(JsonSchemas.againstOpenRpc(document(brand))).isEmpty();
    }

    /** Else the test above would show nothing. */
    @Test
    void the_published_schema_refuses_what_openrpc_has_no_place_for() {
        ObjectNode wrong = (ObjectNode) document("chain").deepCopy();
        ((ObjectNode) wrong.at("/components/errors/DOUBLE_SPEND")).put("x-retryable", false);
        ((ObjectNode) wrong.at("/methods/0/result/schema")).put("type", "u64");

        assertThat(JsonSchemas.againstOpenRpc(wrong))
                .anyMatch(complaint -> complaint.contains("DOUBLE_SPEND"))
                .anyMatch(complaint -> complaint.contains("/methods/0"));
    }

    /** Generators of clients name their types by the titles, and make up names from hashes where there is none. */
    @Test
    void every_schema_has_a_title_that_is_a_name_and_no_two_shapes_share_one() {
        Map<String, JsonNode> byTitle = new HashMap<>();
        schemas(document("chain")).forEach(schema -> {
            ObjectNode shape = schema.deepCopy();
            // It tells the meaning of the member that has the shape.
            shape.remove("description");
            String title = shape.path("title").asText();
            assertThat(title).as(schema.toString()).matches("[A-Z][A-Za-z0-9]*");
            JsonNode other = byTitle.putIfAbsent(title, shape);
            assertThat(other == null || other.equals(shape))
                    .as("%s and %s", other, shape)
                    .isTrue();
        });
        // Generated TypeScript has a type for each method too.
        document("chain")
                .get("methods")
                .forEach(method -> assertThat(byTitle)
                        .doesNotContainKey(camelCase(method.get("name").asText())));
        assertThat(byTitle)
                .hasSizeGreaterThan(120)
                .containsKeys("Address", "Amount", "CreditArray", "Hash256OrNull", "HtlcState", "TransferResult");
    }

    private static String camelCase(String method) {
        return Pattern.compile("(?:^|_)(\\w)")
                .matcher(method)
                .replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    }

    /** Those of all parameters and results, with the ones inside of them. */
    private static List<ObjectNode> schemas(JsonNode document) {
        List<ObjectNode> found = new ArrayList<>();
        Deque<JsonNode> open = new ArrayDeque<>();
        document.get("methods").findValues("schema").forEach(open::add);
        while (!open.isEmpty()) {
            JsonNode schema = open.pop();
            found.add((ObjectNode) schema);
            schema.path("properties").forEach(open::add);
            schema.path("oneOf").forEach(open::add);
            if (schema.has("items")) {
                open.add(schema.get("items"));
            }
        }
        return found;
    }

    @Test
    void a_brand_finds_its_own_words_in_the_members_of_quotes_and_the_default_ones_as_other_spellings() {
        JsonNode issue = method("alpha", "quote_issue");
        assertThat(names(issue))
                .contains("alpha_amount", "rate_alphas_per_unit", "chain_amount", "rate_chain_per_unit");
        issue.get("params").forEach(param -> {
            boolean other = param.get("name").asText().matches("chain_amount|rate_chain_per_unit");
            assertThat(param.has("x-alias-of")).as(param.toString()).isEqualTo(other);
        });
        JsonNode quote = issue.at("/result/schema/properties/quote");
        assertThat(quote.get("properties").has("alpha_amount")).isTrue();
        assertThat(quote.get("properties").has("chain_amount")).isFalse();
        assertThat(quote.get("required").toString()).contains("alpha_amount").doesNotContain("chain_amount");
        assertThat(method("alpha", "quote_verify")
                        .at("/params/0/schema/properties")
                        .has("rate_alphas_per_unit"))
                .isTrue();

        assertThat(names(method("chain", "quote_issue")))
                .contains("chain_amount", "rate_chain_per_unit")
                .noneMatch(name -> name.contains("chains"));
    }

    private static JsonNode document(String brand) {
        return MethodFamilies.withoutServices(ChainProfile.of(brand), "1.2.3")
                .registry()
                .describe("1.2.3");
    }

    private static JsonNode method(String brand, String name) {
        for (JsonNode method : document(brand).get("methods")) {
            if (method.get("name").asText().equals(name)) {
                return method;
            }
        }
        throw new AssertionError("no method " + name);
    }

    private static List<String> names(JsonNode method) {
        List<String> names = new ArrayList<>();
        method.get("params").forEach(param -> names.add(param.get("name").asText()));
        return names;
    }
}
