package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.to;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults that {@code devnet_set} injects into the node. */
class FaultsTest {
    private static final String HEIGHT = "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1}";

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withClock(clock));

    private final ChainHarness on = new ChainHarness(chain);

    private void set(String params) {
        assertThat(on.result("devnet_set", params).toString()).isEqualTo("{\"ok\":true}");
    }

    private String raw(String body) {
        return NodeCall.raw(chain.uri(), "POST / HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static String sending(Transaction tx) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"send_raw_transaction\",\"params\":{\"tx_hex\":\""
                + HexFormat.of().formatHex(TransactionCodec.encode(tx)) + "\"},\"id\":1}";
    }

    @Test
    void a_call_dropped_before_has_no_effect_and_one_dropped_after_has() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000));
        set("{'drop':'before','drop_count':1,'drop_method':'send_raw_transaction'}");
        assertThat(raw(HEIGHT)).startsWith("HTTP/1.1 200 OK");
        assertThat(raw(sending(tx))).isEmpty();
        assertThat(on.result("get_node_info", "{}").get("mempool_size").intValue())
                .isZero();
        set("{'drop':'after','drop_count':1}");
        assertThat(raw(sending(tx))).isEmpty();
        assertThat(on.result("get_node_info", "{}").get("mempool_size").intValue())
                .isEqualTo(1);
        set("{'drop':'before'}");
        assertThat(raw(HEIGHT)).isEmpty();
        assertThat(raw(HEIGHT)).isEmpty();
        set("{'drop':'none'}");
        assertThat(raw(HEIGHT)).startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void answers_are_held_back_for_the_latency() throws Exception {
        String call = sending(on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000)));
        set("{'latency_ms':5000}");
        try (Socket socket = NodeCall.connect(chain.uri())) {
            socket.getOutputStream()
                    .write(("POST / HTTP/1.1\r\nContent-Length: " + call.length() + "\r\n\r\n" + call)
                            .getBytes(StandardCharsets.US_ASCII));
            Await.until(
                    "the call has its effect",
                    () -> chain.node().ledger().statistics().mempoolTransactions() == 1);
            assertThat(on.result("devnet_set", "{}").get("ok").booleanValue())
                    .as("other calls are answered meanwhile")
                    .isTrue();
            assertThat(socket.getInputStream().available()).isZero();
            clock.advance(Duration.ofSeconds(5));
            chain.node().clockMoved();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void lies_change_answers_and_not_the_chain() {
        Outpoint coin = on.fund(A, 10_000);
        Transaction tx = on.signed(A, List.of(coin), to(B, 9_000));
        String address = "{'address':'" + A.address + "'}";
        set("{'lie':'genesis'}");
        assertThat(on.result("get_block_height", "{}").get("genesis_block_id").textValue())
                .isEqualTo("ee".repeat(32));
        set("{'lie':'no_genesis'}");
        assertThat(on.result("get_block_height", "{}").has("genesis_block_id")).isFalse();
        set("{'lie':'utxo_value'}");
        assertThat(on.result("get_address_utxos", address).at("/utxos/0/value").longValue())
                .isEqualTo(5_000);
        set("{'lie':'balance'}");
        assertThat(on.result("get_balance", address).get("balance").longValue()).isEqualTo(20_000);
        set("{'lie':'tx_id'}");
        assertThat(NodeCall.read(NodeCall.post(chain.uri(), sending(tx)))
                        .at("/result/tx_id")
                        .textValue())
                .isEqualTo("ee".repeat(32));
        for (String lie : List.of("tx_value", "script")) {
            set("{'lie':'" + lie + "'}");
            assertThat(idOf(coin.txId())).as(lie).isNotEqualTo(coin.txId());
        }
        set("{'lie':'forgetful'}");
        Hash256 pending = TransactionCodec.txId(ChainHarness.CHAIN, tx);
        assertThat(on.error("get_transaction", "{'hash':'" + pending + "'}")).isEqualTo("-32602 Transaction not found");
        set("{'lie':'shape'}");
        assertThat(on.result("get_block_height", "{}").toString()).isEqualTo("{\"unexpected\":true}");
        set("{'lie':'none'}");
        assertThat(idOf(coin.txId())).isEqualTo(coin.txId());
    }

    private Hash256 idOf(Hash256 txId) {
        String hex = on.result("get_transaction", "{'hash':'" + txId + "'}")
                .get("tx_hex")
                .textValue();
        return TransactionCodec.txId(
                ChainHarness.CHAIN, TransactionCodec.decode(HexFormat.of().parseHex(hex)));
    }

    @Test
    void transactions_can_be_refused_with_an_internal_error() {
        set("{'refuse':true}");
        assertThat(on.error("send_raw_transaction", "{'tx_hex':''}")).startsWith("-32603 Storage error: ");
        set("{'refuse':false}");
        assertThat(on.error("send_raw_transaction", "{'tx_hex':''}")).startsWith("-32602 Failed to");
    }

    @Test
    void the_mempool_can_be_forgotten_as_in_a_restart() {
        on.send(on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000)));
        set("{'forget_mempool':true}");
        assertThat(on.result("get_node_info", "{}").get("mempool_size").intValue())
                .isZero();
    }

    @Test
    void a_word_that_does_not_exist_is_refused_with_those_that_do() {
        assertThat(on.error("devnet_set", "{'drop':'sometimes'}"))
                .isEqualTo("-32602 drop must be one of none, before, after");
        assertThat(on.error("devnet_set", "{'latency':5}"))
                .isEqualTo(
                        "-32602 unknown setting `latency`: known are connection_cap, drop, drop_count, drop_method,"
                                + " drop_streams, forget_mempool, latency_ms, lie, mining, prompt, quota, refuse, sse, tip_changes");
    }
}
