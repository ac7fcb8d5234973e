package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.to;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.devnet.indexer.IndexerCalls;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The development node's indexer compared with the recorded answers of a real one for the recorded story, and over other chains. */
class IndexerTest {
    private static final byte[] PREIMAGE = "open sesame".getBytes(StandardCharsets.US_ASCII);
    private static final long LAST_OF_THE_STORY = 53;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withFirstBlocks(47));

    private final ChainHarness on = new ChainHarness(chain);

    private JsonNode answer(String method, JsonNode params) {
        return NodeCall.answer(chain.node().indexerUri(), method, params);
    }

    private JsonNode result(String method, String params) {
        return NodeCall.result(chain.node().indexerUri(), method, params);
    }

    private static JsonNode recorded(String name) {
        return Recorded.exchanges("indexer-rpc.json").stream()
                .filter(exchange -> exchange.required("name").textValue().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing recorded as " + name));
    }

    /** The payment of block 49, the lock of block 51 and the claim of block 53, sent again byte for byte. */
    private void tellTheStory() {
        chain.mine(1);
        send("send_raw_transaction");
        chain.mine(2);
        send("send_raw_transaction of an HTLC lock");
        chain.mine(2);
        send("send_raw_transaction claim");
        assertThat(chain.mine(1)).isEqualTo(LAST_OF_THE_STORY);
    }

    private void send(String name) {
        JsonNode exchange = Recorded.call(name);
        JsonNode answer = NodeCall.answer(chain.uri(), "send_raw_transaction", Recorded.params(exchange));
        assertThat(answer.get("result")).as(name).isEqualTo(exchange.at("/answer/result"));
    }

    /** Returns the rows of a recorded list that belong to the replayed part of the story. */
    private static ArrayNode told(String name, String list, String heightMember) {
        ArrayNode rows = NodeCall.JSON.createArrayNode();
        for (JsonNode row : recorded(name).at("/answer/result/" + list)) {
            if (row.get(heightMember).longValue() <= LAST_OF_THE_STORY) {
                rows.add(row);
            }
        }
        assertThat(rows).as(name).isNotEmpty();
        return rows;
    }

    private JsonNode ask(String name) {
        JsonNode exchange = recorded(name);
        return answer(exchange.required("method").textValue(), exchange.required("params"))
                .required("result");
    }

    @Test
    void the_recorded_rows_are_extracted_from_the_recorded_story() {
        tellTheStory();

        assertThat(ask("get_indexer_status").get("last_indexed_height").longValue())
                .isEqualTo(LAST_OF_THE_STORY);
        assertThat(ask("get_address_history").get("history"))
                .isEqualTo(told("get_address_history", "history", "block_height"));
        assertThat(ask("list_settlements").get("settlements"))
                .isEqualTo(told("list_settlements", "settlements", "block_height"));
        assertThat(ask("htlc_list no address").get("htlcs"))
                .isEqualTo(told("htlc_list no address", "htlcs", "lock_block_height"));
        JsonNode edge = ask("get_attestation_edges").at("/edges/0");
        JsonNode recordedEdge = recorded("get_attestation_edges").at("/answer/result/edges/0");
        for (String member : List.of("contract_hash", "contract_name", "counterparty")) {
            assertThat(edge.get(member)).isEqualTo(recordedEdge.get(member));
        }
        assertThat(edge.fieldNames()).toIterable().containsExactlyElementsOf(recordedEdge::fieldNames);
        assertThat(ask("contract_stats").toString())
                .isEqualTo("{\"stats\":[{\"avg_settle_blocks\":2,\"contract_hash\":"
                        + recordedEdge.get("contract_hash")
                        + ",\"last_settled_at_height\":53,\"refunded\":0,\"succeeded\":1,\"total\":1}]}");
        assertThat(ask("contract_stats one")).isEqualTo(ask("contract_stats"));
    }

    @Test
    void cursors_have_the_recorded_form_and_lead_on() {
        tellTheStory();
        String address = recorded("get_address_history").at("/params/address").textValue();
        JsonNode whole = result("get_address_history", "{'address':'" + address + "'}");
        assertThat(whole.has("next_cursor")).isFalse();

        JsonNode first = result("get_address_history", "{'address':'" + address + "','limit':1}");
        String cursor = first.get("next_cursor").textValue();
        assertThat(cursor).hasSize(54).startsWith("AAAAAAAAADGb");
        JsonNode second = result("get_address_history", "{'address':'" + address + "','cursor':'" + cursor + "'}");

        assertThat(joined(first, second)).isEqualTo(rows(whole));
        JsonNode back = result("get_address_history", "{'address':'" + address + "','reverse':true,'limit':1}");
        JsonNode rest = result(
                "get_address_history",
                "{'address':'" + address + "','reverse':true,'cursor':'"
                        + back.get("next_cursor").textValue() + "'}");
        List<JsonNode> reversed = new ArrayList<>(joined(back, rest));
        Collections.reverse(reversed);
        assertThat(reversed).isEqualTo(rows(whole));
    }

    private static List<JsonNode> joined(JsonNode first, JsonNode second) {
        List<JsonNode> all = new ArrayList<>(rows(first));
        all.addAll(rows(second));
        return all;
    }

    private static List<JsonNode> rows(JsonNode page) {
        List<JsonNode> rows = new ArrayList<>();
        page.get("history").forEach(rows::add);
        return rows;
    }

    @Test
    void a_page_that_ends_within_a_transaction_loses_no_row() {
        Outpoint coin = on.fund(A, 10_000);
        chain.submit(on.signed(A, List.of(coin), to(B, 5_000), to(A, 4_000)));
        chain.mine(1);
        String address = A.address.hex();
        List<JsonNode> shown = new ArrayList<>();
        String cursor = "";
        for (int i = 0; i < 3; i++) {
            JsonNode page = result("get_address_history", "{'address':'" + address + "','limit':1" + cursor + "}");
            shown.addAll(rows(page));
            cursor = page.has("next_cursor")
                    ? ",'cursor':'" + page.get("next_cursor").textValue() + "'"
                    : "";
        }

        assertThat(cursor).isEmpty();
        assertThat(shown).isEqualTo(rows(result("get_address_history", "{'address':'" + address + "'}")));
        assertThat(shown)
                .extracting(row -> row.get("direction").textValue())
                .containsExactly("output", "input", "output");
        assertThat(shown.get(1).toString()).contains("\"amount\":10000", "\"counterparties\":[\"" + B.address + "\"]");
        assertThat(shown.get(2).toString()).contains("\"amount\":4000", "\"counterparties\":[]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ping",
                "htlc_status none",
                "htlc_list of A",
                "htlc_list bad state",
                "htlc_lookup_by_hashlock none",
                "htlc_lookup_by_hashlock bad",
                "contract_stats unknown contract",
                "get_address_history bad cursor",
                "get_address_history bad address",
                "get_output_datum unknown",
                "find_settlements_by_quote_id none",
                "find_settlements_by_quote_id bad",
                "unknown method",
                "missing params"
            })
    void what_needs_no_rows_is_answered_word_for_word(String name) {
        JsonNode exchange = recorded(name);
        JsonNode answer = answer(exchange.required("method").textValue(), exchange.required("params"));
        JsonNode said = ((ObjectNode) answer).remove(List.of("id", "jsonrpc"));
        assertThat(said).isEqualTo(exchange.required("answer"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"envelope: batch", "envelope: no id", "envelope: version"})
    void the_envelope_is_that_of_an_indexer(String name) {
        JsonNode exchange = recorded(name);
        assertThat(NodeCall.read(NodeCall.post(
                        chain.node().indexerUri(), exchange.required("request").textValue())))
                .isEqualTo(exchange.required("answer"));
    }

    @Test
    void what_is_no_json_is_a_parse_error_with_its_own_status_and_a_batch_is_answered() {
        assertThat(NodeCall.raw(chain.node().indexerUri(), "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n{"))
                .startsWith("HTTP/1.1 400 ")
                .contains("-32700");
        assertThat(
                        NodeCall.post(
                                chain.node().indexerUri(),
                                "[{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1},{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":2}]"))
                .isEqualTo("[{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true}},"
                        + "{\"id\":2,\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true}}]");
    }

    @Test
    void both_parties_see_a_settlement_and_swaps_share_a_hash_lock() {
        HtlcParams params = ChainHarness.contract(PREIMAGE, 1_000);
        Outpoint claimed = on.lock(params, null, null);
        Outpoint open = on.lock(params, null, null);
        HtlcParams late = ChainHarness.contract("other".getBytes(StandardCharsets.US_ASCII), 1);
        Outpoint reclaimed = on.lock(late, null, null);
        assertThat(on.send(on.claim(claimed, B, PREIMAGE, 90_000))).isEqualTo("accepted");
        assertThat(on.send(on.reclaim(reclaimed, A, 90_000))).isEqualTo("accepted");
        chain.mine(1);

        for (Party party : List.of(A, B)) {
            JsonNode seen = result("list_settlements", "{'address':'" + party.address + "'}")
                    .get("settlements");
            assertThat(seen)
                    .extracting(row -> row.get("outcome").textValue())
                    .containsExactlyInAnyOrder("claimed", "reclaimed");
            assertThat(seen)
                    .allSatisfy(row -> assertThat(row.get("observer_address")).hasSize(32));
        }
        assertThat(status(claimed).at("/claim/preimage").textValue())
                .isEqualTo(Bytes.wrap(PREIMAGE).hex());
        assertThat(status(reclaimed).get("state").textValue()).isEqualTo("reclaimed");
        assertThat(status(open).get("state").textValue()).isEqualTo("locked");
        JsonNode swaps = result("detect_in_chain_swaps", "{}").get("swaps");
        assertThat(swaps).hasSize(1);
        assertThat(swaps.at("/0/htlcs")).hasSize(2);
        assertThat(result("htlc_list", "{'address':'" + A.key.hex() + "','role':'sender','state':['claimed','locked']}")
                        .get("htlcs"))
                .hasSize(2);
        assertThat(result("htlc_list", "{'address':'" + A.key.hex() + "','role':'receiver'}")
                        .get("htlcs"))
                .isEmpty();
        JsonNode spent = result(
                "get_output_spent_by", "{'tx_id':'" + claimed.txId() + "','output_index':" + claimed.index() + "}");
        assertThat(spent.get("source").textValue()).isEqualTo("indexer-cache");
        assertThat(result("get_output_spent_by", "{'tx_id':'" + open.txId() + "','output_index':0}")
                        .toString())
                .isEqualTo("{\"source\":\"node\",\"spent\":false}");
    }

    private JsonNode status(Outpoint lock) {
        return result("htlc_status", "{'lock_tx_id':'" + lock.txId() + "','output_index':" + lock.index() + "}");
    }

    @Test
    void a_datum_is_a_quote_only_inline_and_with_sixteen_bytes() {
        Bytes quote = Bytes.wrap(new byte[16]);
        Outpoint coin = on.fund(A, 50_000);
        Hash256 txId = chain.submit(on.signed(
                A,
                List.of(coin),
                to(B, 1_000).withDatum(quote),
                to(B, 1_000).withDatum(Bytes.wrap(new byte[15])),
                to(B, 1_000).withDatumHash(Hash256.parse("22".repeat(32))),
                to(B, 40_000)));
        chain.mine(1);

        assertThat(datum(txId, 0)).isEqualTo("{\"quote_id\":\"" + quote.hex() + "\",\"unhonorable\":false}");
        assertThat(datum(txId, 1)).isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
        assertThat(datum(txId, 2)).isEqualTo("{\"quote_id\":null,\"unhonorable\":true}");
        assertThat(datum(txId, 3)).isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
        assertThat(result("find_settlements_by_quote_id", "{'quote_id':'" + quote.hex() + "'}")
                        .toString())
                .isEqualTo("{\"settlements\":[{\"output_index\":0,\"tx_id\":\"" + txId + "\"}]}");
    }

    private String datum(Hash256 txId, int index) {
        return result("get_output_datum", "{'tx_id':'" + txId + "','output_index':" + index + "}")
                .toString();
    }

    @Test
    void a_reorganisation_takes_back_what_it_leaves_behind() {
        HtlcParams params = ChainHarness.contract(PREIMAGE, 1_000);
        Outpoint lock = on.lock(params, Bytes.wrap(new byte[16]), null);
        String beforeTheClaim = everything();
        assertThat(on.send(on.claim(lock, B, PREIMAGE, 90_000))).isEqualTo("accepted");
        chain.mine(1);
        assertThat(status(lock).get("state").textValue()).isEqualTo("claimed");

        chain.node().reorganise(1, false, List.of());

        assertThat(status(lock).get("state").textValue()).isEqualTo("locked");
        assertThat(everything()).isEqualTo(beforeTheClaim);
        chain.node().reorganise(5, false, List.of());
        assertThat(NodeCall.error(chain.node().indexerUri(), "htlc_status", "{'lock_tx_id':'" + lock.txId() + "'}"))
                .startsWith("-32602 invalid params: no indexed HTLC at");
        assertThat(result("find_settlements_by_quote_id", "{'quote_id':'" + "00".repeat(16) + "'}")
                        .get("settlements"))
                .isEmpty();
        assertThat(result("get_address_history", "{'address':'" + B.address + "'}")
                        .get("history"))
                .isEmpty();
    }

    @Test
    void an_index_that_lived_through_reorganisations_equals_one_built_from_scratch() {
        for (int round = 0; round < 4; round++) {
            HtlcParams params = ChainHarness.contract(new byte[] {(byte) round}, round % 2 == 0 ? 1 : 1_000);
            Outpoint lock = on.lock(params, null, null);
            everything();
            on.send(
                    round % 2 == 0
                            ? on.reclaim(lock, A, 90_000)
                            : on.claim(lock, B, new byte[] {(byte) round}, 90_000));
            chain.mine(1);
            everything();
            chain.node().reorganise(1 + round, round != 2, List.of());
            chain.mine(1);

            assertThat(everything()).isEqualTo(fromScratch());
        }
    }

    private static final List<String> QUESTIONS = List.of(
            "\"method\":\"htlc_list\",\"params\":{}",
            "\"method\":\"detect_in_chain_swaps\",\"params\":{}",
            question("get_address_history", A),
            question("get_address_history", B),
            question("list_settlements", A),
            question("get_attestation_edges", B));

    private static String question(String method, Party party) {
        return "\"method\":\"" + method + "\",\"params\":{\"address\":\"" + party.address + "\"}";
    }

    private static String batch() {
        List<String> requests = QUESTIONS.stream()
                .map(question -> "{\"jsonrpc\":\"2.0\",\"id\":1," + question + "}")
                .toList();
        return "[" + String.join(",", requests) + "]";
    }

    private String everything() {
        return NodeCall.post(chain.node().indexerUri(), batch());
    }

    private String fromScratch() {
        byte[] answer = new IndexerCalls(chain.node().ledger(), InstantSource.system())
                .answer(InetAddress.getLoopbackAddress(), batch().getBytes(StandardCharsets.US_ASCII))
                .body();
        return new String(answer, StandardCharsets.UTF_8);
    }
}
