package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.rpc.method.IndexerRig.recorded;
import static org.chainwalletd.testkit.ScriptedNode.body;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Indexing.GetAddressHistory;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.indexer.IndexerClient.HtlcPage;
import org.chainwalletd.indexer.IndexerClient.IndexedHtlc;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Delegated methods with recorded answers of a real indexer, and with indexers that fail or lie. */
class IndexerMethodsTest {
    private static final String ALICE = "47b9fce311f27e0a92693cc97ca24c9ddecc698aaf8741244b440a327779ab58";
    private static final Map<String, String> OF_ALICE = Map.of("address", ALICE);
    private static final Map<String, Object> OUTPUT = Map.of("tx_id", "ab".repeat(32), "output_index", 0);

    private final ScriptedNode node = ScriptedNode.start();
    private final ScriptedNode first = ScriptedNode.start();
    private final ScriptedNode second = ScriptedNode.start();
    private IndexerRig rig;

    @AfterEach
    void stop() {
        rig.close();
        node.close();
        first.close();
        second.close();
    }

    private CallRig withIndexers(ScriptedNode... indexers) {
        rig = new IndexerRig(
                node.url(),
                Optional.empty(),
                Stream.of(indexers).map(ScriptedNode::url).toArray(java.net.URI[]::new));
        return rig.calls();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list_settlements",
                "list_settlements since",
                "contract_stats",
                "contract_stats one",
                "contract_stats unknown contract",
                "get_address_history",
                "get_address_history next page",
                "get_attestation_edges",
                "detect_in_chain_swaps",
                "detect_in_chain_swaps one",
                "get_output_spent_by",
                "get_output_spent_by unspent",
                "get_output_datum quote",
                "get_output_datum hash only",
                "get_output_datum none",
                "get_output_datum unknown",
                "find_settlements_by_quote_id",
                "find_settlements_by_quote_id none"
            })
    void what_an_indexer_answers_is_handed_out_with_all_ids_in_hex(String name) {
        JsonNode exchange = recorded(name);
        JsonNode answer = exchange.required("answer").required("result");
        String method = exchange.required("method").textValue();
        first.on(method, result(answer.toString()));

        JsonNode handedOut = withIndexers(first).result(method, exchange.required("params"));

        assertThat(handedOut).isEqualTo(inHex(answer));
        JsonNode asked = first.requests().get(0).params();
        exchange.required("params")
                .properties()
                .forEach(member -> assertThat(asked.get(member.getKey()).toString())
                        .isEqualTo(member.getValue().toString()));
    }

    /** Converts arrays of 32 numbers to hex, and removes members that interface.md does not list. */
    private static JsonNode inHex(JsonNode value) {
        if (value instanceof ArrayNode array
                && array.size() == 32
                && array.get(0).isNumber()) {
            byte[] bytes = new byte[32];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) array.get(i).intValue();
            }
            return IndexerRig.JSON.getNodeFactory().textNode(HexFormat.of().formatHex(bytes));
        }
        if (value instanceof ArrayNode array) {
            ArrayNode copy = IndexerRig.JSON.createArrayNode();
            array.forEach(element -> copy.add(inHex(element)));
            return copy;
        }
        if (value instanceof ObjectNode object) {
            ObjectNode copy = IndexerRig.JSON.createObjectNode();
            object.properties().forEach(member -> copy.set(member.getKey(), inHex(member.getValue())));
            copy.remove("counterparties");
            return copy;
        }
        return value;
    }

    private static void assertBadSettlements(CallRig calls, Object params) {
        JsonNode error = calls.error("list_settlements", params);
        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue()).contains("badly: `settlements` holds ");
    }

    @Test
    void settlements_that_were_not_asked_for_are_not_handed_out() {
        JsonNode exchange = recorded("list_settlements");
        String answer = inHex(exchange.required("answer").required("result")).toString();
        CallRig calls = withIndexers(first);

        first.on("list_settlements", result(answer.replace(ALICE, "77".repeat(32))));
        assertBadSettlements(calls, OF_ALICE);
        first.on("list_settlements", result(answer));
        assertBadSettlements(calls, Map.of("address", ALICE, "limit", 1));
        assertBadSettlements(calls, Map.of("address", ALICE, "contract_hash", "77".repeat(32)));
        assertThat(calls.result("list_settlements", OF_ALICE).get("settlements"))
                .hasSizeGreaterThan(1);
    }

    @Test
    void a_page_has_a_hundred_rows_by_default_and_never_more_than_a_thousand() {
        first.on("get_address_history", result("{\"history\":[]}"));
        CallRig calls = withIndexers(first);

        calls.result("get_address_history", OF_ALICE);
        calls.result("get_address_history", Map.of("address", ALICE, "limit", 4_000_000_000L, "since_height", 7));

        assertThat(first.requests().get(0).params().get("limit").intValue()).isEqualTo(100);
        assertThat(first.requests().get(1).params().get("limit").intValue()).isEqualTo(1000);
        assertThat(first.requests().get(1).params().get("since_height").intValue())
                .isEqualTo(7);
        assertThat(calls.code("get_address_history", Map.of("address", ALICE, "limit", 0)))
                .isEqualTo(-32602);
    }

    @Test
    void a_cursor_reaches_the_indexer_as_it_is_and_cannot_forge_a_parameter() {
        first.on("get_address_history", result("{\"history\":[],\"next_cursor\":null}"));
        String cursor = "\",\"address\":\"ü\n\u2028";

        JsonNode page = withIndexers(first).result("get_address_history", Map.of("address", ALICE, "cursor", cursor));

        assertThat(first.requests().get(0).params().get("cursor").textValue()).isEqualTo(cursor);
        assertThat(first.requests().get(0).params().get("address").textValue()).isEqualTo(ALICE);
        assertThat(page.has("next_cursor")).isFalse();
    }

    @Test
    void an_indexer_cannot_say_how_far_the_books_go_or_send_more_rows_than_asked_for() {
        String row = "{\"block_height\":5,\"tx_id\":\"" + "cd".repeat(32)
                + "\",\"amount\":7,\"direction\":\"input\",\"is_coinbase\":false}";
        first.on(
                "get_address_history",
                result("{\"history\":[" + row + "],\"complete_from\":3,\"last_indexed_height\":9}"),
                result("{\"history\":[" + row + "," + row + "]}"));
        CallRig calls = withIndexers(first);
        Map<String, Object> one = Map.of("address", ALICE, "limit", 1);

        assertThat(calls.result("get_address_history", one).toString()).isEqualTo("{\"history\":[" + row + "]}");
        JsonNode error = calls.error("get_address_history", one);
        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue()).contains("badly: `history` holds more rows than asked for");
    }

    static Stream<Arguments> delegated() {
        return Stream.of(
                Arguments.of("get_address_history", OF_ALICE),
                Arguments.of("list_settlements", OF_ALICE),
                Arguments.of("contract_stats", OF_ALICE),
                Arguments.of("get_attestation_edges", OF_ALICE),
                Arguments.of("detect_in_chain_swaps", Map.of()),
                Arguments.of("find_settlements_by_quote_id", Map.of("quote_id", "00".repeat(16))));
    }

    @ParameterizedTest
    @MethodSource("delegated")
    void without_an_indexer_the_method_says_so(String method, Map<String, String> params) {
        JsonNode error = withIndexers().error(method, params);

        assertThat(error.get("code").intValue()).isEqualTo(-32041);
        assertThat(error.get("message").textValue()).contains("--indexer-rpc");
    }

    @ParameterizedTest
    @MethodSource("delegated")
    void an_indexer_that_is_down_is_upstream_and_named(String method, Map<String, String> params) {
        first.on("*", body(503, "down"));

        JsonNode error = withIndexers(first).error(method, params);

        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue())
                .isEqualTo("no indexer answered " + method + " in 2 sweeps; the last one tried was " + first.url()
                        + ": HTTP status 503");
    }

    @Test
    void the_next_indexer_is_asked_when_one_is_down_but_not_when_it_refuses() {
        first.on("*", body(503, "down"));
        second.on("contract_stats", result("{\"stats\":[]}"));
        second.on("list_settlements", error(-32602, "invalid params: invalid cursor"));
        CallRig calls = withIndexers(first, second);

        assertThat(calls.result("contract_stats", OF_ALICE).toString()).isEqualTo("{\"stats\":[]}");
        assertThat(calls.error("list_settlements", OF_ALICE).get("message").textValue())
                .isEqualTo("indexer error -32602: invalid params: invalid cursor");
    }

    @Test
    void the_token_goes_with_each_request() {
        first.on("*", result("{\"stats\":[]}"));
        rig = new IndexerRig(node.url(), Optional.of("s3cret"), first.url());

        rig.calls().result("contract_stats", OF_ALICE);

        assertThat(first.requests().get(0).head()).contains("\r\nAuthorization: Bearer s3cret\r\n");
    }

    @Test
    void the_books_of_the_daemon_answer_before_the_indexer() {
        withIndexers(first);
        GetAddressHistory.Row row = new GetAddressHistory.Row(
                5, Hash256.parse("cd".repeat(32)), Amount.MAX, GetAddressHistory.Direction.INPUT, false);
        GetAddressHistory.Result page = new GetAddressHistory.Result(
                List.of(row), Optional.of("more"), OptionalLong.empty(), OptionalLong.empty());
        CallRig calls = rig.calls((query, onlySource) -> CompletableFuture.completedStage(
                query.address().equals(Address.parse(ALICE)) ? Optional.of(page) : Optional.empty()));

        assertThat(calls.result("get_address_history", OF_ALICE).toString())
                .isEqualTo("{\"history\":[{\"block_height\":5,\"tx_id\":\"" + "cd".repeat(32)
                        + "\",\"amount\":18446744073709551615,\"direction\":\"input\",\"is_coinbase\":false}],"
                        + "\"next_cursor\":\"more\"}");
        assertThat(first.requests()).isEmpty();
    }

    @Test
    void the_node_tells_who_has_spent_an_output_when_no_indexer_does() {
        node.on(
                "get_output_spent_by",
                result("{\"spent\":true,\"spending_tx_id\":\"" + "cd".repeat(32)
                        + "\",\"input_index\":1,\"block_height\":9}"),
                result("{\"spent\":false}"));
        first.on("*", body(503, "down"));
        CallRig calls = withIndexers(first);

        JsonNode spent = calls.result("get_output_spent_by", OUTPUT);
        JsonNode unspent = calls.result("get_output_spent_by", OUTPUT);

        assertThat(spent.toString())
                .isEqualTo("{\"spent\":true,\"spending_tx_id\":\"" + "cd".repeat(32)
                        + "\",\"input_index\":1,\"block_height\":9,\"source\":\"node\"}");
        assertThat(unspent.toString()).isEqualTo("{\"spent\":false,\"source\":\"node\"}");
    }

    @Test
    void a_node_without_the_method_makes_a_source_that_knows_nothing() {
        assertThat(withIndexers().result("get_output_spent_by", OUTPUT).toString())
                .isEqualTo("{\"spent\":false,\"source\":\"fallback-unknown-method\"}");
    }

    private static Transaction withDatums() {
        TxOutput plain = TxOutput.toAddress(Address.parse(ALICE), Amount.of(1_000));
        return new Transaction(
                List.of(new Outpoint(Hash256.parse("11".repeat(32)), 0)),
                List.of(
                        plain.withDatum(Bytes.wrap(new byte[16])),
                        plain.withDatum(Bytes.wrap(new byte[17])),
                        plain.withDatumHash(Hash256.parse("22".repeat(32))),
                        plain),
                List.of(Witness.EMPTY));
    }

    private static ScriptedNode.Step transaction(String txId, Transaction tx) {
        return result("{\"tx_hex\":\"" + HexFormat.of().formatHex(TransactionCodec.encode(tx)) + "\",\"tx_id\":\""
                + txId + "\",\"in_mempool\":false,\"block_hash\":\"" + "33".repeat(32) + "\",\"block_height\":3}");
    }

    @Test
    void a_datum_is_read_from_the_bytes_of_the_transaction_when_no_indexer_tells() {
        Transaction tx = withDatums();
        String txId = TransactionCodec.txId(IndexerRig.PROFILE, tx).hex();
        node.on("get_transaction", transaction(txId, tx));
        CallRig calls = withIndexers();

        assertThat(datum(calls, txId, 0)).isEqualTo("{\"quote_id\":\"" + "00".repeat(16) + "\",\"unhonorable\":false}");
        assertThat(datum(calls, txId, 1)).isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
        assertThat(datum(calls, txId, 2)).isEqualTo("{\"quote_id\":null,\"unhonorable\":true}");
        assertThat(datum(calls, txId, 3)).isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
        assertThat(datum(calls, txId, 4)).isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
    }

    private static String datum(CallRig calls, String txId, int index) {
        return calls.result("get_output_datum", Map.of("tx_id", txId, "output_index", index))
                .toString();
    }

    @Test
    void bytes_of_another_transaction_tell_no_datum() {
        node.on("get_transaction", transaction("ab".repeat(32), withDatums()));

        JsonNode error = withIndexers().error("get_output_datum", OUTPUT);

        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue()).contains("bytes of another transaction");
    }

    static Stream<String> lies() {
        String row = "{\"tx_id\":\"" + "ab".repeat(32) + "\",\"output_index\":0}";
        return Stream.of(
                "{}",
                "[]",
                "{\"settlements\":{}}",
                "{\"settlements\":[{}]}",
                "{\"settlements\":[{\"tx_id\":\"abcd\",\"output_index\":0}]}",
                "{\"settlements\":[{\"tx_id\":[1,2,3],\"output_index\":0}]}",
                "{\"settlements\":[{\"tx_id\":[" + "256,".repeat(31) + "0],\"output_index\":0}]}",
                "{\"settlements\":[{\"tx_id\":[" + "-1,".repeat(31) + "0],\"output_index\":0}]}",
                "{\"settlements\":[{\"tx_id\":[" + "1,".repeat(32) + "0],\"output_index\":0}]}",
                "{\"settlements\":[{\"tx_id\":\"" + "ab".repeat(32) + "\",\"output_index\":4294967296}]}",
                "{\"settlements\":[" + (row + ",").repeat(1_000) + row + "]}",
                "{\"settlements\":[],\"settlements\":[]}");
    }

    @ParameterizedTest
    @MethodSource("lies")
    void an_answer_of_another_shape_is_refused_and_not_handed_out(String lie) {
        first.on("*", result(lie));

        JsonNode error = withIndexers(first).error("find_settlements_by_quote_id", Map.of("quote_id", "00".repeat(16)));

        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue()).startsWith("indexer answered find_settlements_by_quote_id ");
    }

    @Test
    void a_quote_id_has_sixteen_bytes() {
        withIndexers(first);

        assertThat(rig.calls().code("find_settlements_by_quote_id", Map.of("quote_id", "77")))
                .isEqualTo(-32602);
        assertThat(first.requests()).isEmpty();
    }

    @Test
    void htlcs_are_read_for_those_who_keep_records_of_their_own() throws Exception {
        withIndexers(first);
        for (String name : List.of("htlc_status claimed", "htlc_status reclaimed", "htlc_status locked")) {
            JsonNode exchange = recorded(name);
            JsonNode answer = exchange.at("/answer/result");
            first.on("htlc_status", result(answer.toString()));
            Outpoint lock = new Outpoint(
                    Hash256.parse(answer.get("lock_tx_id").textValue()),
                    answer.get("output_index").intValue());

            IndexedHtlc htlc =
                    Await.outcome(rig.client.htlc(lock).toCompletableFuture()).orElseThrow();

            assertThat(IndexerRig.JSON.readTree(IndexerRig.JSON.writeValueAsString(Map.of(
                            "state", htlc.state().name().toLowerCase(java.util.Locale.ROOT),
                            "claimed", htlc.claim().isPresent(),
                            "reclaimed", htlc.reclaim().isPresent()))))
                    .isEqualTo(IndexerRig.JSON.valueToTree(new HashMap<>(Map.of(
                            "state", answer.get("state").textValue(),
                            "claimed", !answer.get("claim").isNull(),
                            "reclaimed", !answer.get("reclaim").isNull()))));
        }
    }

    @Test
    void an_htlc_that_no_indexer_has_is_nothing_and_one_of_another_outpoint_is_refused() throws Exception {
        withIndexers(first);
        Outpoint lock = new Outpoint(Hash256.parse("55".repeat(32)), 0);
        first.on(
                "htlc_status",
                error(-32602, "invalid params: no indexed HTLC at (" + "55".repeat(32) + ", 0)"),
                result(recorded("htlc_status claimed").at("/answer/result").toString()));

        assertThat(Await.result(rig.client.htlc(lock))).isEmpty();
        assertThat(rig.client.htlc(lock))
                .failsWithin(java.time.Duration.ofSeconds(60))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(NodeException.BadAnswer.class)
                .withMessageContaining("badly: `result` is of another outpoint");
    }

    @Test
    void htlcs_of_another_hash_lock_are_refused() {
        withIndexers(first);
        first.on(
                "htlc_lookup_by_hashlock",
                result(recorded("htlc_lookup_by_hashlock").at("/answer/result").toString()));

        assertThat(rig.client.htlcsByHashLock(Hash256.parse("55".repeat(32))))
                .failsWithin(java.time.Duration.ofSeconds(60))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withMessageContaining("badly: `htlcs` holds another hash lock");
    }

    @Test
    void a_list_of_htlcs_is_asked_for_by_key_and_states() throws Exception {
        withIndexers(first);
        JsonNode exchange = recorded("htlc_list no address");
        first.on("htlc_list", result(exchange.at("/answer/result").toString()));

        HtlcPage page = Await.result(rig.client.htlcs(
                Hash256.parse(ALICE), Set.of(Htlcs.State.RECLAIMED, Htlcs.State.CLAIMED), OptionalLong.of(-1), 1));

        assertThat(page.htlcs()).hasSize(1);
        assertThat(page.nextCursor())
                .contains(exchange.at("/answer/result/next_cursor").textValue());
        assertThat(first.requests().get(0).params().toString())
                .isEqualTo("{\"address\":\"" + ALICE
                        + "\",\"state\":[\"claimed\",\"reclaimed\"],\"limit\":1,"
                        + "\"since_height\":18446744073709551615}");
    }
}
