package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.body;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.flood;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Node that answers JSON-RPC with wrong content: none of it must be passed on, and it must not be asked again. */
class LyingNodeTest {
    private static final String ID = "ab".repeat(32);
    private static final String OTHER_ID = "cd".repeat(32);
    private static final Address ALICE = Address.parse(ID);
    private static final Address BOB = Address.parse("b0".repeat(32));
    private static final Hash256 TX = Hash256.parse(ID);

    @AutoClose
    private final NodeHarness harness = new NodeHarness(ConfigFactory.empty());

    private final ScriptedNode node = harness.node();
    private final ScriptedNode honest = harness.node();

    private static Arguments lie(String name, Function<NodeClient, CompletionStage<?>> call, String result) {
        return Arguments.of(name, call, result.replace("ID", ID).replace("OTHER", OTHER_ID));
    }

    private static String utxo(String members) {
        return "{\"tip_height\":1,\"truncated\":false,\"utxos\":[{" + members + "}]}";
    }

    private static String block(String height, String id, String count) {
        return "{\"hash\":\"" + id + "\",\"height\":" + height
                + ",\"prev_block_id\":\"ID\",\"state_root\":\"ID\",\"tx_root\":\"ID\",\"timestamp\":1,\"nonce\":1,"
                + "\"difficulty_target\":\"ID\",\"tx_count\":" + count + ",\"transactions\":[\"ID\"]}";
    }

    static Stream<Arguments> lies() {
        Function<NodeClient, CompletionStage<?>> tip = NodeClient::tip;
        Function<NodeClient, CompletionStage<?>> balance = client -> client.balance(ALICE);
        Function<NodeClient, CompletionStage<?>> balances = client -> client.balances(List.of(ALICE, BOB));
        Function<NodeClient, CompletionStage<?>> utxos = client -> client.addressUtxos(ALICE);
        Function<NodeClient, CompletionStage<?>> batch = client -> client.addressUtxos(List.of(ALICE, BOB));
        Function<NodeClient, CompletionStage<?>> script = client -> client.scriptUtxos(Bytes.parse("0102"));
        Function<NodeClient, CompletionStage<?>> mempool = client -> client.addressMempool(ALICE);
        Function<NodeClient, CompletionStage<?>> blockAt = client -> client.blockAt(5);
        Function<NodeClient, CompletionStage<?>> blockById = client -> client.block(TX);
        Function<NodeClient, CompletionStage<?>> transaction = client -> client.transaction(TX);
        Function<NodeClient, CompletionStage<?>> spentBy = client -> client.spentBy(new Outpoint(TX, 0));
        Function<NodeClient, CompletionStage<?>> send = client -> client.sendRawTransaction(Bytes.parse("00"));
        return Stream.of(
                lie("result null", tip, "null"),
                lie("result a list", tip, "[]"),
                lie("height missing", tip, "{\"block_id\":\"ID\"}"),
                lie("height null", tip, "{\"height\":null,\"block_id\":\"ID\"}"),
                lie("height a string", tip, "{\"height\":\"7\",\"block_id\":\"ID\"}"),
                lie("height a fraction", tip, "{\"height\":7.0,\"block_id\":\"ID\"}"),
                lie("height negative", tip, "{\"height\":-1,\"block_id\":\"ID\"}"),
                lie("height above u64", tip, "{\"height\":18446744073709551616,\"block_id\":\"ID\"}"),
                lie("height twice", tip, "{\"height\":7,\"height\":8,\"block_id\":\"ID\"}"),
                lie("id too short", tip, "{\"height\":7,\"block_id\":\"abcd\"}"),
                lie("id not hex", tip, "{\"height\":7,\"block_id\":\"" + "zz".repeat(32) + "\"}"),
                lie("id null", tip, "{\"height\":7,\"block_id\":null}"),
                lie("balance of another address", balance, "{\"address\":\"OTHER\",\"balance\":1}"),
                lie("balance missing", balance, "{\"address\":\"ID\"}"),
                lie("balance a string", balance, "{\"address\":\"ID\",\"balance\":\"1\"}"),
                lie("balance above u64", balance, "{\"address\":\"ID\",\"balance\":99999999999999999999}"),
                lie("balances lack one", balances, "{\"balances\":[{\"address\":\"ID\",\"balance\":1}]}"),
                lie(
                        "balances with one twice",
                        balances,
                        "{\"balances\":[{\"address\":\"ID\",\"balance\":1},{\"address\":\"ID\",\"balance\":1}]}"),
                lie("balances no list", balances, "{\"balances\":{}}"),
                lie("balances list of numbers", balances, "{\"balances\":[1,2]}"),
                lie("listing of another address", utxos, "{\"address\":\"OTHER\",\"tip_height\":1,\"utxos\":[]}"),
                lie("listing without tip", utxos, "{\"utxos\":[]}"),
                lie("listing twice", utxos, "{\"tip_height\":1,\"utxos\":[],\"utxos\":[]}"),
                lie("truncated a number", utxos, "{\"tip_height\":1,\"truncated\":0,\"utxos\":[]}"),
                lie(
                        "index above u32",
                        utxos,
                        utxo(
                                "\"tx_id\":\"ID\",\"output_index\":4294967296,\"value\":1,\"height\":1,\"is_coinbase\":false")),
                lie(
                        "value twice",
                        utxos,
                        utxo(
                                "\"tx_id\":\"ID\",\"output_index\":0,\"value\":1,\"value\":900,\"height\":1,\"is_coinbase\":false")),
                lie(
                        "value missing",
                        utxos,
                        utxo("\"tx_id\":\"ID\",\"output_index\":0,\"height\":1,\"is_coinbase\":false")),
                lie(
                        "coinbase flag missing",
                        utxos,
                        utxo("\"tx_id\":\"ID\",\"output_index\":0,\"value\":1,\"height\":1")),
                lie("batch lacks one", batch, "{\"tip_height\":1,\"addresses\":[{\"address\":\"ID\",\"utxos\":[]}]}"),
                lie("listing of another script", script, "{\"script_hex\":\"0103\",\"tip_height\":1,\"utxos\":[]}"),
                lie("mempool of another address", mempool, "{\"address\":\"OTHER\",\"tip_height\":1,\"mempool\":[]}"),
                lie("mempool entry without lists", mempool, "{\"tip_height\":1,\"mempool\":[{\"tx_id\":\"ID\"}]}"),
                lie("block of another height", blockAt, block("6", "ID", "1")),
                lie("another block", blockById, block("5", "OTHER", "1")),
                lie("block with another count", blockById, block("5", "ID", "2")),
                lie("another transaction", transaction, "{\"tx_id\":\"OTHER\",\"tx_hex\":\"00\",\"in_mempool\":true}"),
                lie("transaction nowhere", transaction, "{\"tx_hex\":\"00\",\"in_mempool\":false}"),
                lie(
                        "transaction at two places",
                        transaction,
                        "{\"tx_hex\":\"00\",\"in_mempool\":true,\"block_hash\":\"ID\",\"block_height\":1}"),
                lie("transaction of odd hex", transaction, "{\"tx_hex\":\"000\",\"in_mempool\":true}"),
                lie("spent by nobody", spentBy, "{\"spent\":true}"),
                lie("spent a number", spentBy, "{\"spent\":1}"),
                lie("broadcast without id", send, "{}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void a_wrong_result_is_a_bad_answer(String name, Function<NodeClient, CompletionStage<?>> call, String result) {
        node.on("*", result(result));

        failure(NodeException.BadAnswer.class, call.apply(harness.client(node.url())));

        assertThat(node.requests()).hasSize(1);
    }

    static Stream<Arguments> envelopes() {
        String result = "\"result\":{\"height\":7,\"block_id\":\"" + ID + "\"}";
        return Stream.of(
                Arguments.of("id of another request", "{\"jsonrpc\":\"2.0\"," + result + ",\"id\":424242}"),
                Arguments.of("id null with a result", "{\"jsonrpc\":\"2.0\"," + result + ",\"id\":null}"),
                Arguments.of("id missing", "{\"jsonrpc\":\"2.0\"," + result + "}"),
                Arguments.of("id a string", "{\"jsonrpc\":\"2.0\"," + result + ",\"id\":\"1\"}"),
                Arguments.of("result twice", "{\"jsonrpc\":\"2.0\"," + result + "," + result + ",\"id\":1}"),
                Arguments.of(
                        "error of another request",
                        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"x\"},\"id\":424242}"),
                Arguments.of("error without code", "{\"jsonrpc\":\"2.0\",\"error\":{\"message\":\"x\"},\"id\":1}"),
                Arguments.of(
                        "error code a string",
                        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":\"-1\",\"message\":\"x\"},\"id\":1}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("envelopes")
    void a_wrong_envelope_is_a_bad_answer(String name, String envelope) {
        node.on("*", body(200, envelope));

        failure(NodeException.BadAnswer.class, harness.client(node.url()).tip());

        assertThat(node.requests()).hasSize(1);
    }

    @Test
    void a_parse_error_without_id_is_an_error_like_any_other() {
        node.on(
                "*",
                body(200, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}"));

        assertThat(failure(
                                NodeException.Rejected.class,
                                harness.client(node.url()).tip())
                        .code())
                .isEqualTo(-32700);
    }

    @Test
    void ids_are_the_same_in_upper_and_lower_case() {
        node.on(
                "*",
                result("{\"address\":\"" + ID.toUpperCase(java.util.Locale.ROOT) + "\",\"balance\":1,\"new\":{}}"));

        assertThat(get(harness.client(node.url()).balance(ALICE)).bits()).isEqualTo(1);
    }

    @Test
    void an_answer_of_a_gigabyte_is_abandoned_at_the_cap() {
        AtomicInteger megabytes = new AtomicInteger();
        node.on("*", flood(1024, megabytes));
        honest.on("*", result("{\"height\":7,\"block_id\":\"" + ID + "\"}"));

        assertThat(get(harness.client(node.url(), honest.url()).tip()).height()).isEqualTo(7);

        assertThat(megabytes.get()).isLessThan(64);
    }

    @Test
    void an_announced_length_above_the_cap_is_abandoned_at_once() {
        node.on("*", ScriptedNode.raw("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n{"));

        assertThat(failure(
                        NodeException.Unreachable.class,
                        harness.client(node.url()).hasty().tip()))
                .hasMessageContaining("longer than 4096 bytes");
    }

    @Test
    void a_block_of_as_many_transactions_as_fit_into_it_is_read() {
        int most = ChainProfile.MAX_BLOCK_BYTES / 56;
        String ids = ("\"" + ID + "\",").repeat(most - 1);
        node.on(
                "*",
                result(block("5", ID, Integer.toString(most))
                        .replace("[\"ID\"]", "[" + ids + "\"ID\"]")
                        .replace("ID", ID)));

        assertThat(get(harness.client(node.url()).blockAt(5)).orElseThrow().transactions())
                .hasSize(most);
    }

    static Stream<Arguments> caps() {
        Function<NodeClient, CompletionStage<?>> tip = NodeClient::tip;
        Function<NodeClient, CompletionStage<?>> send = client -> client.sendRawTransaction(Bytes.parse("00"));
        Function<NodeClient, CompletionStage<?>> spender = client -> client.knownSpentBy(new Outpoint(TX, 0));
        Function<NodeClient, CompletionStage<?>> listing = client -> client.addressUtxos(ALICE);
        Function<NodeClient, CompletionStage<?>> listings = client -> client.addressUtxos(List.of(ALICE, BOB));
        Function<NodeClient, CompletionStage<?>> balances = client -> client.balances(List.of(ALICE, BOB));
        Function<NodeClient, CompletionStage<?>> script = client -> client.scriptUtxos(Bytes.parse("0102"));
        Function<NodeClient, CompletionStage<?>> mempool = client -> client.addressMempool(ALICE);
        Function<NodeClient, CompletionStage<?>> transaction = client -> client.transaction(TX);
        Function<NodeClient, CompletionStage<?>> block = client -> client.blockAt(5);
        return Stream.of(
                Arguments.of(tip, 4 << 10),
                Arguments.of(send, 4 << 10),
                Arguments.of(spender, 4 << 10),
                Arguments.of(listing, 256 << 10),
                Arguments.of(listings, 512 << 10),
                Arguments.of(balances, 512 << 10),
                Arguments.of(script, 256 << 10),
                Arguments.of(mempool, 1 << 20),
                Arguments.of(transaction, (2 << 20) + (200 << 10)),
                Arguments.of(block, 6 << 20));
    }

    @ParameterizedTest
    @MethodSource("caps")
    void each_question_has_the_longest_answer_that_it_can_need(
            Function<NodeClient, CompletionStage<?>> call, int most) {
        node.on("*", ScriptedNode.raw("HTTP/1.1 200 OK\r\nContent-Length: " + (most + 1) + "\r\n\r\n{"));

        assertThat(failure(
                        NodeException.Unreachable.class,
                        call.apply(harness.client(node.url()).hasty())))
                .hasMessageContaining("longer than " + most + " bytes");

        assertThat(harness.metrics.get("walletd.upstream.answers.cut").counter().count())
                .isEqualTo(1);
    }

    @Test
    void thirty_two_answers_without_their_last_byte_hold_a_part_of_the_default_heap_only() {
        int most = (2 << 20) + (200 << 10);
        byte[] body = new byte[most - 1];
        node.on("*", (request, socket) -> {
            socket.getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nContent-Length: " + most + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            socket.getOutputStream().flush();
            node.hang().serve(request, socket);
        });
        NodeClient client = harness.client(node.url()).hasty();
        for (int i = 0; i < 32; i++) {
            client.transaction(TX);
        }

        Await.until("all have come so far", () -> held() >= 32.0 * (most - 1));

        assertThat(held()).isLessThan((576 << 20) / Nodes.HEAP_SHARE);
    }

    private double held() {
        return harness.metrics.get("walletd.upstream.answer.bytes").gauge().value();
    }

    @Test
    void the_longest_answer_that_is_allowed_is_read() {
        String filler = "x".repeat(1_000_000);
        node.on("*", result("{\"tx_hex\":\"00\",\"in_mempool\":true,\"new\":\"" + filler + "\"}"));

        assertThat(get(harness.client(NodeHarness.settings(1, 1, 1_000_200, node.url()))
                        .transaction(TX)))
                .isPresent();
    }

    @Test
    void the_words_of_a_node_stay_on_one_line_of_the_log_and_have_an_end() {
        node.on(
                "get_balance",
                error(-32602, "first\r\n2026 FORGED\t\u001b[31m\u0085\u2028end"),
                error(-32602, "x".repeat(100_000)));
        NodeClient client = harness.client(node.url());

        assertThat(failure(NodeException.Rejected.class, client.balance(ALICE)).text())
                .isEqualTo("first??2026 FORGED??[31m??end");
        assertThat(failure(NodeException.Rejected.class, client.balance(ALICE)).text())
                .isEqualTo("x".repeat(1_000) + "…");
    }
}
