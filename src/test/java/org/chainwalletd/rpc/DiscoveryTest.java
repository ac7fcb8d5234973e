package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.testkit.JsonSchemas;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of {@code rpc.discover} for the daemon's own methods. */
class DiscoveryTest {
    @ParameterizedTest
    @ValueSource(strings = {"chain", "alpha"})
    void the_document_is_valid_by_the_published_schema_of_openrpc(String brand) {
        assertThat(JsonSchemas.againstOpenRpc(document(brand))).isEmpty();
    }

    /** Otherwise the test above would prove nothing. */
    @Test
    void the_published_schema_refuses_what_openrpc_has_no_place_for() {
        ObjectNode wrong = (ObjectNode) document("chain").deepCopy();
        ((ObjectNode) wrong.at("/components/errors/DOUBLE_SPEND")).put("x-retryable", false);
        ((ObjectNode) wrong.at("/methods/0/result/schema")).put("type", "u64");

        assertThat(JsonSchemas.againstOpenRpc(wrong))
                .anyMatch(complaint -> complaint.contains("DOUBLE_SPEND"))
                .anyMatch(complaint -> complaint.contains("/methods/0"));
    }

    /**
     * Client generators name their types by the titles; without titles they invent names from hashes, and with duplicate titles they append
     * numbers.
     */
    @Test
    void every_shape_is_reported_once_under_a_title_that_is_a_name() {
        JsonNode document = document("chain");
        JsonNode shared = document.at("/components/schemas");
        List<JsonNode> references = new ArrayList<>(document.get("methods").findValues("schema"));
        shared.properties().forEach(schema -> {
            assertThat(schema.getKey()).matches("[A-Z][A-Za-z0-9]*");
            assertThat(schema.getValue().path("title").asText()).isEqualTo(schema.getKey());
            schema.getValue().path("properties").forEach(references::add);
            schema.getValue().path("oneOf").forEach(references::add);
            references.addAll(schema.getValue().findValues("items"));
        });
        assertThat(references)
                .hasSizeGreaterThan(500)
                .allSatisfy(reference -> assertThat(reference).hasSize(1));
        assertThat(references.stream()
                        .map(reference -> reference.get("$ref").asText().replace("#/components/schemas/", ""))
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(
                        shared.properties().stream().map(Map.Entry::getKey).toList());
        // Generated TypeScript also has a type for each method, and for its parameters.
        List<String> types = shared.properties().stream().map(Map.Entry::getKey).toList();
        document.get("methods").forEach(method -> {
            String name = camelCase(method.get("name").asText());
            assertThat(types).doesNotContain(name, name + "Params");
        });
        assertThat(types)
                .contains("Address", "Amount", "CreditArray", "Hash256OrNull", "HtlcState", "SpendKind")
                .noneMatch(name -> name.matches("Kind|State|Result|Entry"));
    }

    @Test
    void an_example_of_a_schema_is_valid_by_it() {
        JsonNode document = document("chain");
        List<JsonNode> withExamples = new ArrayList<>();
        document.at("/components/schemas").forEach(schema -> {
            if (schema.has("examples")) {
                withExamples.add(schema);
                schema.get("examples")
                        .forEach(example -> assertThat(JsonSchemas.against(document, schema, example))
                                .isEmpty());
            }
        });
        assertThat(withExamples).hasSizeGreaterThan(2);
    }

    /** JSON Schema draft 7 ignores descriptions beside a reference. */
    @Test
    void an_object_tells_the_meaning_of_its_members() {
        assertThat(document("chain")
                        .at("/components/schemas/TransferResult/description")
                        .asText())
                .startsWith("fee: effective, with folded sub-dust change; fee_rate: ");
        // Generators put it into comments of their language.
        assertThat(document("chain").at("/components/schemas").findValuesAsText("description"))
                .noneMatch(text -> text.contains("*/") || text.contains("\"\"\"") || text.contains("\n"));
    }

    private static String camelCase(String method) {
        return Pattern.compile("(?:^|_)(\\w)")
                .matcher(method)
                .replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
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
        JsonNode quote = document("alpha").at("/components/schemas/QuoteCredential");
        assertThat(quote.get("properties").has("alpha_amount")).isTrue();
        assertThat(quote.get("properties").has("chain_amount")).isFalse();
        assertThat(quote.get("required").toString()).contains("alpha_amount").doesNotContain("chain_amount");
        assertThat(quote.get("properties").has("rate_alphas_per_unit")).isTrue();

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
