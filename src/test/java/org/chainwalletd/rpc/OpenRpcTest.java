package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.I64;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;
import org.junit.jupiter.api.Test;

class OpenRpcTest {
    record Params(
            @Doc("how much") Optional<Amount> amount,
            @Alias(value = "hash", deprecated = true) Hash256 blockId,
            @Inline Page page) {}

    record Page(@U32 OptionalLong limit) {}

    enum Kind {
        GOOD,
        VERY_BAD
    }

    record Entry(Address address, Kind kind) {}

    record Result(
            List<Entry> entries,
            @Doc("of its chain") @OrNull Optional<Hash256> tip,
            OptionalLong index,
            @I64 long lag) {}

    private final MethodRegistry registry = MethodRegistry.withDiscovery(
            List.of(TestMethods.method(
                    "look", Scope.MANAGE, Params.class, Result.class, (params, context) -> new CompletableFuture<>())),
            "1.2.3");

    private static String hex64(String title) {
        return "{\"type\":\"string\",\"pattern\":\"^[0-9a-fA-F]{64}$\",\"minLength\":64,\"maxLength\":64,"
                + "\"examples\":[\"" + "0123456789abcdef".repeat(4) + "\"],\"title\":\"" + title + "\"}";
    }

    private static String ref(String title) {
        return "{\"$ref\":\"#/components/schemas/" + title + "\"}";
    }

    private JsonNode discover() throws Exception {
        RpcDispatcher dispatcher = new RpcDispatcher(
                registry, List.of(), CallObserver.NONE, new RpcDispatcher.Limits(1, 1, 0), TestMethods.EXECUTOR);
        RpcAnswer answer = TestMethods.answer(
                dispatcher,
                Optional.of(Scope.READ),
                "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\",\"id\":1}".getBytes(UTF_8));
        return new ObjectMapper().readTree(answer.body()).get("result");
    }

    @Test
    void discover_describes_parameters_results_errors_and_scope() throws Exception {
        JsonNode document = discover();
        assertThat(document.get("openrpc").textValue()).isEqualTo("1.3.2");
        assertThat(document.at("/info/version").textValue()).isEqualTo("1.2.3");
        assertThat(document.get("methods").findValuesAsText("x-scope")).containsExactly("manage", "read");
        JsonNode look = document.at("/methods/0");
        assertThat(look.get("params").findValuesAsText("name")).containsExactly("block_id", "hash", "amount", "limit");
        assertThat(look.at("/params/0/required").booleanValue()).isTrue();
        assertThat(look.at("/params/1"))
                .hasToString(
                        "{\"name\":\"hash\",\"description\":\"another spelling of block_id, which is then left out\","
                                + "\"required\":false,\"x-alias-of\":\"block_id\","
                                + "\"schema\":" + ref("Hash256") + ",\"deprecated\":true}");
        assertThat(look.at("/params/2"))
                .hasToString("{\"name\":\"amount\",\"description\":\"how much\",\"required\":false,\"schema\":"
                        + ref("Amount") + "}");
        assertThat(look.at("/params/3/schema")).hasToString(ref("U32"));
        assertThat(look.at("/result/schema")).hasToString(ref("Result"));
        JsonNode schemas = document.at("/components/schemas");
        assertThat(schemas.get("Hash256")).hasToString(hex64("Hash256"));
        assertThat(schemas.get("Amount"))
                .hasToString(
                        "{\"type\":\"integer\",\"minimum\":0,\"maximum\":18446744073709551615,\"title\":\"Amount\"}");
        assertThat(schemas.at("/U32/maximum").longValue()).isEqualTo(4294967295L);
        assertThat(schemas.get("Result"))
                .hasToString(
                        "{\"type\":\"object\",\"properties\":{\"entries\":" + ref("EntryArray") + ",\"tip\":"
                                + ref("Hash256OrNull") + ",\"index\":" + ref("U64") + ",\"lag\":" + ref("I64")
                                + "},\"required\":[\"entries\",\"tip\",\"lag\"],\"title\":\"Result\",\"description\":\"tip: of its chain\"}");
        assertThat(schemas.get("EntryArray"))
                .hasToString("{\"type\":\"array\",\"title\":\"EntryArray\",\"items\":" + ref("Entry") + "}");
        assertThat(schemas.get("Entry"))
                .hasToString("{\"type\":\"object\",\"properties\":{\"address\":" + ref("Address") + ",\"kind\":"
                        + ref("Kind") + "},\"required\":[\"address\",\"kind\"],\"title\":\"Entry\"}");
        assertThat(schemas.get("Kind"))
                .hasToString("{\"type\":\"string\",\"title\":\"Kind\",\"enum\":[\"good\",\"very_bad\"]}");
        assertThat(schemas.get("Hash256OrNull"))
                .hasToString("{\"oneOf\":[" + ref("Hash256") + "," + ref("Null") + "],\"title\":\"Hash256OrNull\"}");
        assertThat(schemas.get("I64"))
                .hasToString(
                        "{\"type\":\"integer\",\"minimum\":-9223372036854775808,\"maximum\":9223372036854775807,\"title\":\"I64\"}");
        assertThat(document.at("/components/errors/DOUBLE_SPEND/code").intValue())
                .isEqualTo(-32021);
    }

    @Test
    void every_reference_in_the_document_leads_somewhere() throws Exception {
        JsonNode document = discover();
        assertThat(document.findValuesAsText("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                document.at(reference.substring(1)).isMissingNode())
                        .isFalse());
    }

    @Test
    void the_reference_page_tells_the_same() {
        assertThat(ReferencePage.of(registry))
                .contains(
                        "| [`look`](#look) | manage | For tests. |",
                        "| `block_id` | hex64 | yes | older spelling: `hash` |",
                        "| `amount` | u64 | no | how much |",
                        "| `limit` | u32 | no |  |",
                        "| `entries` | array of object |  |",
                        "| `entries[].kind` | one of good, very_bad |  |",
                        "| `tip` | hex64 or null | of its chain |",
                        "| `index` | u64, optional |  |",
                        "| `lag` | i64 |  |",
                        "Errors: -32602, -32603, -32001, -32042, -32043.",
                        "| -32039 | 200 | In-flight exhausted | yes |");
    }
}
