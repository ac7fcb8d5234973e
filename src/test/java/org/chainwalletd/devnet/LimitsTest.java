package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Quotas, connections and deadlines of a node (chain protocol, sections 10.1 and 10.3). */
class LimitsTest {
    private static final String A = "{'address':'47b9fce311f27e0a92693cc97ca24c9ddecc698aaf8741244b440a327779ab58'}";

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withClock(clock));

    private final ChainHarness on = new ChainHarness(chain);

    @Test
    void quotas_are_off_unless_switched_on() {
        for (int i = 0; i < 70; i++) {
            on.result("get_balance", A);
        }
    }

    @Test
    void the_31st_scan_of_a_minute_is_refused_whatever_the_method() {
        on.result("devnet_set", "{'quota':true}");
        for (int i = 0; i < 10; i++) {
            on.result("get_balance", A);
            on.result("get_address_mempool", A);
            on.error("get_address_utxos", "{}");
        }
        String recorded = Recorded.call("scan quota: the 31st call of an address in a minute")
                .at("/answer/error/message")
                .textValue();
        assertThat(on.error("get_balance", A)).isEqualTo("-32603 " + recorded);
        on.result("get_block_height", "{}");

        clock.advance(Duration.ofSeconds(59));
        assertThat(on.error("get_balances", "{}")).isEqualTo("-32603 " + recorded);
        clock.advance(Duration.ofSeconds(1));
        on.result("get_balance", A);
    }

    @Test
    void the_61st_submission_of_a_minute_is_refused() {
        on.result("devnet_set", "{'quota':true}");
        for (int i = 0; i < 60; i++) {
            on.error("send_raw_transaction", "{'tx_hex':'00'}");
        }
        assertThat(on.error("send_raw_transaction", "{'tx_hex':'00'}"))
                .isEqualTo("-32603 "
                        + Recorded.call("tx quota: the 61st call of an address in a minute")
                                .at("/answer/error/message")
                                .textValue());
        on.result("get_balance", A);
    }

    @Test
    void the_33rd_connection_is_closed_without_an_answer() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 32; i++) {
                open.add(NodeCall.connect(chain.uri()));
            }
            assertThat(get(chain)).isEmpty();
            open.remove(0).close();
            Await.until("a place is free again", () -> get(chain).startsWith("HTTP/1.1 405"));
            open.add(NodeCall.connect(chain.uri()));
            chain.node().capConnections(false);
            assertThat(get(chain)).startsWith("HTTP/1.1 405");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static String get(DevnetExtension chain) {
        try {
            return NodeCall.raw(chain.uri(), "GET / HTTP/1.1\r\n\r\n");
        } catch (UncheckedIOException e) {
            return "";
        }
    }

    @Test
    void a_request_that_is_not_complete_within_30_seconds_is_cut_off() throws Exception {
        try (Socket slow = NodeCall.connect(chain.uri())) {
            slow.getOutputStream().write("POST / HTTP/1.1\r\nContent-Le".getBytes(StandardCharsets.US_ASCII));
            on.result("get_block_height", "{}");
            clock.advance(Duration.ofSeconds(30));
            chain.node().clockMoved();
            assertThat(slow.getInputStream().readAllBytes()).isEmpty();
        }
    }

    @Test
    void a_request_may_come_in_pieces() throws Exception {
        String body = "{\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"id\":[1.5,{\"b\":null,\"a\":1e20}]}";
        String request = "POST / HTTP/1.1\r\ncontent-LENGTH:  " + body.length() + "\r\n\r\n" + body;
        try (Socket socket = NodeCall.connect(chain.uri())) {
            socket.setTcpNoDelay(true);
            for (byte one : request.getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(one);
                socket.getOutputStream().flush();
            }
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .endsWith(
                            "\r\n\r\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},"
                                    + "\"id\":[1.5,{\"a\":1e+20,\"b\":null}]}");
        }
    }

    @Test
    void a_transaction_may_have_two_megabytes_of_hex_and_others_64_kilobytes() {
        assertThat(on.error("send_raw_transaction", "{'tx_hex':'" + "0".repeat(2_600_000) + "'}"))
                .startsWith("-32602 Trailing bytes after transaction: consumed 4 of 1300000");
        assertThat(on.error("get_script_utxos", "{'script_hex':'" + "00".repeat(65_536) + "'}"))
                .isEqualTo("-32602 script_hex exceeds max output-script size (got 65536 bytes, max 65535)");
        assertThat(on.error("nope", "{'x':'" + "0".repeat(66_000) + "'}"))
                .matches("-32700 Request too large: \\d+ bytes \\(max 65536 for this method\\)");
    }
}
