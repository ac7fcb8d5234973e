package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.HEIGHT_7;
import static org.chainwalletd.node.NodeHarness.ID;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.body;
import static org.chainwalletd.testkit.ScriptedNode.cutOff;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.raw;

import com.typesafe.config.ConfigFactory;
import java.io.BufferedInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Failover according to interface.md, section 1.7, over real sockets. */
class FailoverTest {

    @AutoClose
    private final NodeHarness harness = new NodeHarness(ConfigFactory.empty());

    private final ScriptedNode first = harness.node();
    private final ScriptedNode second = harness.node();

    @Test
    void each_call_starts_at_the_next_node() {
        first.on("*", HEIGHT_7);
        second.on("*", HEIGHT_7);
        NodeClient client = harness.client(first.url(), second.url());

        for (int i = 0; i < 6; i++) {
            get(client.tip());
        }

        assertThat(first.requests()).hasSize(3);
        assertThat(second.requests()).hasSize(3);
    }

    static Stream<Arguments> nodesThatGiveNoAnswer() {
        return Stream.of(
                Arguments.of(
                        "5xx", body(503, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"x\"},\"id\":1}")),
                Arguments.of("HTML", body(200, "<html><body>maintenance</body></html>")),
                Arguments.of(
                        "cut JSON", body(200, "{\"jsonrpc\":\"2.0\",\"result\":{\"height\":7,\"block_id\":\"" + ID)),
                Arguments.of("other JSON", body(200, "{\"height\":7}")),
                Arguments.of("JSON array", body(200, "[]")),
                Arguments.of("empty body", body(200, "")),
                Arguments.of("redirect", body(302, "")),
                Arguments.of("two documents", body(200, "{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":1}{}")),
                Arguments.of("not HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n\r\n")),
                Arguments.of("cut answer", raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"")),
                Arguments.of("two lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}")),
                Arguments.of("endless headers", raw("HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(20_000) + "\r\n")),
                Arguments.of("closed at once", cutOff()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nodesThatGiveNoAnswer")
    void a_node_that_gives_no_json_rpc_answer_is_passed_over(String name, ScriptedNode.Step step) {
        first.on("*", step);
        second.on("*", HEIGHT_7);
        NodeClient client = harness.client(first.url(), second.url());

        assertThat(get(client.tip()).height()).isEqualTo(7);

        assertThat(first.requests()).hasSize(1);
        assertThat(second.requests()).hasSize(1);
    }

    @Test
    void a_refused_connection_is_passed_over() {
        second.on("*", HEIGHT_7);

        assertThat(get(harness.client(ScriptedNode.refusing(), second.url()).tip())
                        .height())
                .isEqualTo(7);
    }

    @Test
    void an_error_object_is_surfaced_at_once_with_code_and_text() {
        first.on("*", error(-32602, "Transaction validation failed: NoInputs"));
        second.on("*", HEIGHT_7);
        NodeClient client = harness.client(first.url(), second.url());

        NodeException.Rejected rejected =
                failure(NodeException.Rejected.class, client.sendRawTransaction(Bytes.parse("00")));

        assertThat(rejected.code()).isEqualTo(-32602);
        assertThat(rejected.text()).isEqualTo("Transaction validation failed: NoInputs");
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void a_4xx_status_is_surfaced_at_once() {
        first.on("*", body(404, "Not Found"));
        second.on("*", HEIGHT_7);

        NodeException.BadAnswer bad = failure(
                NodeException.BadAnswer.class,
                harness.client(first.url(), second.url()).tip());

        assertThat(bad).hasMessageContaining("HTTP status 404");
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void a_chunked_answer_of_a_proxy_is_understood() {
        first.on(
                "*",
                (request, socket) -> raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + chunk("{\"jsonrpc\":\"2.0\"")
                                + "1;x=y\r\n,\r\n"
                                + chunk("\"id\":" + request.id() + ",")
                                + chunk("\"result\":{\"height\":18446744073709551615,\"block_id\":\"" + ID.substring(4))
                                + chunk("abab\"}}")
                                + "0\r\nX: y\r\n\r\n")
                        .serve(request, socket));

        assertThat(get(harness.client(first.url()).tip()).height()).isEqualTo(-1L);
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    @Test
    void a_node_that_floods_behind_its_answer_keeps_no_other_waiting() {
        first.on("*", (request, socket) -> {
            HEIGHT_7.serve(request, socket);
            byte[] flood = new byte[1 << 20];
            while (!socket.isClosed()) {
                socket.getOutputStream().write(flood);
            }
        });
        second.on("*", HEIGHT_7);
        NodeClient flooded = harness.client(first.url());
        NodeClient both = harness.client(first.url(), second.url());
        for (int i = 0; i < 8; i++) {
            assertThat(get(flooded.tip()).height()).isEqualTo(7);
            assertThat(get(both.tip()).height()).isEqualTo(7);
        }

        Await.until("the floods are cut", () -> first.serving() == 0);
    }

    @Test
    void an_answer_without_a_length_ends_with_the_connection() {
        first.on(
                "*",
                (request, socket) -> raw("HTTP/1.0 200 OK\r\nServer: old\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":"
                                + request.id() + ",\"result\":{\"height\":9,\"block_id\":\"" + ID + "\"}}")
                        .serve(request, socket));

        assertThat(get(harness.client(first.url()).tip()).height()).isEqualTo(9);
    }

    @Test
    void a_request_has_the_plain_form_that_a_node_reads() {
        first.on("*", HEIGHT_7);
        URI withPath = URI.create(first.url() + "/rpc/v1?key=x");

        get(harness.client(withPath).tip());

        assertThat(first.requests().get(0).head())
                .startsWith("POST /rpc/v1?key=x HTTP/1.1\r\nHost: 127.0.0.1:"
                        + first.url().getPort() + "\r\n")
                .contains("\r\nContent-Length: ")
                .doesNotContainIgnoringCase("chunked")
                .doesNotContainIgnoringCase("expect");
    }

    @Test
    void a_node_may_be_given_by_name() {
        first.on("*", HEIGHT_7);
        URI byName = URI.create("http://localhost:" + first.url().getPort());

        assertThat(get(harness.client(byName).tip()).height()).isEqualTo(7);
    }

    @Test
    void a_name_that_nobody_knows_is_an_unreachable_node_and_says_so() {
        NodeException.Unreachable failure = failure(
                NodeException.Unreachable.class,
                harness.client(URI.create("http://no-such-node.invalid:1"))
                        .hasty()
                        .tip());

        assertThat(failure).hasMessageContaining("the name no-such-node.invalid is not known");
    }

    @Test
    void a_request_longer_than_the_socket_takes_at_once_arrives_whole() throws Exception {
        int megabytes = 24;
        try (ServerSocket slow = new ServerSocket()) {
            slow.setReceiveBufferSize(4096);
            slow.bind(new InetSocketAddress("127.0.0.1", 0));
            URI url = URI.create("http://127.0.0.1:" + slow.getLocalPort());
            CompletionStage<?> sent =
                    harness.client(url).hasty().sendRawTransaction(Bytes.wrap(new byte[megabytes << 19]));
            try (Socket socket = slow.accept()) {
                InputStream in = new BufferedInputStream(socket.getInputStream());
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) in.read());
                }
                String length = head.toString().replaceAll("(?s).*Content-Length: (\\d+).*", "$1");
                String body = new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.US_ASCII);
                String hex = "\"tx_hex\":\"" + "00".repeat(megabytes << 19) + "\"";
                assertThat(body.contains(hex)).isTrue();
            }
            failure(NodeException.Unreachable.class, sent);
        }
    }

    @Test
    void a_view_of_one_node_stays_with_it() {
        first.on("*", HEIGHT_7);
        second.on("*", HEIGHT_7);
        NodeClient client = harness.client(first.url(), second.url());

        NodeClient one = client.each().get(0);
        List<CompletionStage<NodeClient.Tip>> calls = List.of(one.tip(), one.tip(), one.tip(), one.tip());
        calls.forEach(NodeHarness::get);

        assertThat(List.of(first.requests().size(), second.requests().size())).containsExactly(4, 0);
    }

    @Test
    void there_is_a_view_for_each_node() {
        first.on("*", HEIGHT_7);
        second.on("*", error(-32603, "Storage error: x"));

        List<NodeClient> each = harness.client(first.url(), second.url()).each();

        assertThat(get(each.get(0).tip()).height()).isEqualTo(7);
        failure(NodeException.Rejected.class, each.get(1).tip());
        assertThat(each).hasSize(2);
    }

    @Test
    void a_refusal_after_a_lost_answer_says_that_the_first_attempt_may_have_arrived() {
        ScriptedNode.Step refusal = error(-32602, "Mempool pre-check failed: transaction already in mempool");
        first.on("*", cutOff());
        second.on("*", refusal);

        assertThat(failure(
                                NodeException.Rejected.class,
                                harness.client(first.url(), second.url()).sendRawTransaction(Bytes.parse("00")))
                        .onlyAttempt())
                .isFalse();
        assertThat(failure(
                                NodeException.Rejected.class,
                                harness.client(ScriptedNode.refusing(), second.url())
                                        .sendRawTransaction(Bytes.parse("00")))
                        .onlyAttempt())
                .isTrue();
    }
}
