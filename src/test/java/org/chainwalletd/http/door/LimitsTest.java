package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.http.RawClient;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.WithServer;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
@Timeout(120)
class LimitsTest extends WithServer {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(60);

    /** The time of clients, which passes only where a test says so. */
    private final AtomicLong nanos = new AtomicLong();

    private HttpLimits limits(int connections, Duration request, Duration keepAlive, Duration halfClosed) {
        return ServerFixture.timed(
                ServerFixture.limits(1 << 20, connections, 2, request, keepAlive, SHORT, halfClosed), nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Lets time pass until so many have been cut off; the server tells of each just after its client has noticed. */
    private void passUntilCut(int clients) {
        Await.until(clients + " are cut off", () -> {
            pass(SHORT);
            return fixture.refusals.size() >= clients;
        });
    }

    /** Lets time pass until a client is cut off, without an answer. */
    private void assertCut(RawClient client, String reason) throws IOException {
        passUntilCut(1);
        assertThat(fixture.refusals).containsExactly(reason);
        assertThat(client.readToEnd()).isEmpty();
    }

    @Test
    void a_request_whose_head_does_not_end_in_time_is_cut_off() throws Exception {
        RawClient client = startAndConnect(limits(10, SHORT, LONG, LONG));
        client.send("POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ");

        assertCut(client, "request");
    }

    @Test
    void every_byte_that_drips_in_does_not_buy_more_time() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
        RawClient client = startAndConnect(limits(10, SHORT, LONG, LONG));
        try {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
            drip.scheduleWithFixedDelay(
                    () -> {
                        try {
                            client.send("y");
                            sent.incrementAndGet();
                            pass(SHORT.dividedBy(4));
                        } catch (IOException closed) {
                            throw new UncheckedIOException(closed);
                        }
                    },
                    10,
                    10,
                    TimeUnit.MILLISECONDS);

            assertThat(client.readToEnd()).isEmpty();
            fixture.awaitRefusal("request");
            assertThat(fixture.refusals).as("the only reason").containsOnly("request");
            assertThat(sent).as("drops before the cut").hasPositiveValue();
        } finally {
            drip.shutdownNow();
        }
    }

    @Test
    void a_request_whose_body_does_not_end_in_time_is_cut_off() throws Exception {
        RawClient client = startAndConnect(limits(10, SHORT, LONG, LONG));
        client.send("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n\"abc");

        passUntilCut(1);
        assertThat(client.readToEnd()).doesNotContain("200 OK");
    }

    @Test
    void a_slow_second_request_on_a_kept_connection_is_cut_off_too() throws Exception {
        RawClient client = startAndConnect(limits(10, SHORT, LONG, LONG));
        assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        client.send("POST / HT");

        assertCut(client, "request");
    }

    @Test
    void a_second_request_that_begins_in_the_packet_of_the_first_is_cut_off_too() throws Exception {
        RawClient client = startAndConnect(limits(10, SHORT, SECOND, LONG));
        client.send(RawClient.postText(ServerFixture.READ, "\"x\"") + "POST / HT");

        assertThat(client.read().status()).isEqualTo(200);
        assertCut(client, "request");
    }

    @Test
    void a_connection_without_requests_is_closed_after_a_while() throws Exception {
        RawClient used = startAndConnect(limits(10, LONG, SECOND, LONG));
        RawClient silent = fixture.client();
        assertThat(used.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);

        passUntilCut(2);
        assertThat(used.readToEnd()).isEmpty();
        assertThat(silent.readToEnd()).isEmpty();
        assertThat(fixture.refusals).containsOnly("idle");
    }

    @Test
    void long_answers_are_not_cut_and_the_client_s_time_begins_after_each() throws Exception {
        int first = 2 << 20;
        int second = 3 << 20;
        fixture = new ServerFixture(
                datadir,
                ServerFixture.timed(ServerFixture.limits(1 << 20, 10, 2, SECOND, SECOND, LONG, LONG), nanos::get),
                ServerFixture.PLACE,
                List.of(),
                Optional.of((call, grant, client) -> CompletableFuture.completedFuture(
                        new RpcAnswer(200, new byte[call.length == 3 ? first : second]))));
        RawClient client = fixture.deafClient();
        InputStream answers = client.socket().getInputStream();
        client.send(RawClient.postText(ServerFixture.READ, "\"x\"") + RawClient.postText(ServerFixture.READ, "\"xx\""));
        Await.until("an answer begins", () -> hasBytes(answers));
        passTimesOfOthers(2);
        int read = answers.readNBytes(first).length;
        passTimesOfOthers(4);

        read += answers.readNBytes(second).length;
        passUntilCut(5);
        read += answers.readAllBytes().length;

        assertThat(read).isGreaterThan(first + second);
        assertThat(fixture.refusals).containsExactlyInAnyOrder("request", "request", "idle", "idle", "idle");
    }

    /**
     * Lets as much time pass as a client may take for a request, and may stay without one.
     *
     * @param clients number of those that have been cut off then
     */
    private void passTimesOfOthers(int clients) throws Exception {
        RawClient silent = fixture.client();
        RawClient late = fixture.client()
                .send("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                        + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
        assertThat(late.read().status()).isEqualTo(100);
        passUntilCut(clients);
        assertThat(silent.readToEnd()).isEmpty();
        assertThat(late.readToEnd()).isEmpty();
    }

    private static boolean hasBytes(InputStream in) {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_call_that_takes_longer_than_every_deadline_of_the_client_is_answered() throws Exception {
        RawClient waiting = startAndConnect(limits(10, SHORT, SECOND, SHORT));
        RawClient late = fixture.client();
        waiting.post(ServerFixture.READ, "\"wait\"");
        fixture.awaitCalls(1);
        late.send("POST");
        assertCut(late, "request");

        fixture.gate.complete(null);
        assertThat(waiting.read().status()).isEqualTo(200);
    }

    @Test
    void a_client_that_is_gone_does_not_hold_its_connection_until_the_call_ends() throws Exception {
        RawClient client = startAndConnect(limits(10, LONG, LONG, SHORT));
        client.post(ServerFixture.READ, "\"wait\"");
        client.socket().shutdownOutput();

        passUntilCut(1);
        assertThat(fixture.refusals).containsExactly("gone");
        assertThat(client.readToEnd().replace("HTTP/1.1 100 Continue\r\n\r\n", ""))
                .as("what was said besides asking whether it is there")
                .isEmpty();
    }

    @Test
    void a_connection_over_the_limit_is_told_so_at_once_and_a_place_that_gets_free_is_given_out() throws Exception {
        RawClient one = startAndConnect(limits(2, LONG, LONG, LONG));
        RawClient two = fixture.client();
        assertThat(one.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        assertThat(two.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);

        try (RawClient three = fixture.client()) {
            RawClient.Response answer = three.read();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text()).isEqualTo("{\"message\":\"too many connections\"}");
            assertThat(three.readToEnd()).isEmpty();
        }
        one.close();
        Await.until("a place is free", () -> fixture.server.connections() == 1);
        try (RawClient four = fixture.client()) {
            assertThat(four.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        }
        two.close();
    }

    @Test
    void one_token_at_its_bound_is_told_to_come_back_and_the_others_continue() throws Exception {
        start(limits(10, LONG, LONG, LONG));
        List<RawClient> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            waiting.add(fixture.client().post(ServerFixture.READ, "\"wait\""));
        }
        fixture.awaitCalls(2);
        try (RawClient client = fixture.client()) {
            RawClient.Response busy = client.post(ServerFixture.READ, "\"x\"").read();
            assertThat(busy.status()).isEqualTo(200);
            assertThat(busy.text())
                    .isEqualTo(
                            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32042,\"message\":\"too many requests at a time with this token\",\"data\":{\"retryable\":true,\"retry_after_secs\":1}},\"id\":null}");
            assertThat(client.post(ServerFixture.SPEND, "\"x\"").read().text()).contains("\"scope\":\"spend\"");

            fixture.gate.complete(null);
            for (RawClient one : waiting) {
                assertThat(one.read().status()).isEqualTo(200);
                one.close();
            }
            assertThat(client.post(ServerFixture.READ, "\"x\"").read().text()).contains("\"scope\":\"read\"");
        }
    }

    @Test
    void a_head_over_the_limit_is_431_and_one_at_the_limit_is_read() throws Exception {
        String begin = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            fields.append("X-").append(i).append(": ").append("y".repeat(4000)).append("\r\n");
        }
        int left = 32_768 - begin.length() - fields.length() - "Z: \r\n\r\n".length();
        start(ServerFixture.LIMITS);
        try (RawClient client = fixture.client()) {
            String head = begin + fields + "Z: " + "z".repeat(left) + "\r\n\r\n";
            assertThat(client.send(head).read().status()).isEqualTo(200);
            assertThat(client.send(head).read().status()).isEqualTo(200);
        }
        try (RawClient client = fixture.client()) {
            RawClient.Response answer = client.send(begin + fields + "Z: " + "z".repeat(left + 1) + "\r\n\r\n")
                    .read();
            assertThat(answer.status()).isEqualTo(431);
            assertThat(answer.text()).isEqualTo("{\"message\":\"the head of the request is too long\"}");
            assertThat(client.readToEnd()).isEmpty();
        }
        fixture.awaitRefusal("head");
    }

    @Test
    void one_field_that_is_too_long_is_431_and_a_path_that_is_too_long_is_414() throws Exception {
        start(ServerFixture.LIMITS);
        try (RawClient client = fixture.client()) {
            RawClient.Response answer = client.send(
                            "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + "y".repeat(20_000) + "\r\n\r\n")
                    .read();
            assertThat(answer.status()).isEqualTo(431);
            assertThat(answer.text()).isNotEqualTo("{\"message\":\"the head of the request is too long\"}");
        }
        try (RawClient client = fixture.client()) {
            assertThat(client.send("GET /" + "y".repeat(20_000) + " HTTP/1.1\r\nHost: x\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(414);
        }
        assertThat(fixture.refusals).doesNotContain("head");
    }

    @Test
    void requests_sent_ahead_are_answered_one_after_the_other_however_many_they_are() throws Exception {
        int requests = 20_000;
        String one = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        ExecutorService sender = Executors.newSingleThreadExecutor();
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        try {
            Future<RawClient> sending = sender.submit(() -> client.send(one.repeat(requests)));
            for (int i = 0; i < requests; i++) {
                assertThat(client.read().status()).isEqualTo(200);
            }
            Await.outcome(sending);
        } finally {
            sender.shutdownNow();
        }
    }

    @Test
    void an_address_at_its_bound_is_refused_and_the_others_are_served() throws Exception {
        HttpLimits limits = ServerFixture.withShares(limits(10, LONG, LONG, LONG), 2, Long.MAX_VALUE, Long.MAX_VALUE);
        start(limits);
        RawClient two = fixture.client();
        try (RawClient other = RawClient.to(fixture.server.address(), "127.0.0.2")) {
            RawClient one = fixture.client();
            Await.until("both are connected", () -> fixture.server.connections() == 3);
            RawClient three = fixture.client();
            RawClient.Response refused = three.read();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).isEqualTo("{\"message\":\"too many connections from this address\"}");
            assertThat(three.readToEnd()).isEmpty();
            three.close();
            assertThat(fixture.refusals).containsExactly("address");
            assertThat(other.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
            assertThat(two.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);

            one.close();
            Await.until("the place is free", () -> fixture.server.connections() == 2);
            try (RawClient four = fixture.client()) {
                assertThat(four.post(ServerFixture.READ, "\"x\"").read().status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void a_proxy_stands_for_many_and_is_bound_by_the_totals_only() throws Exception {
        HttpLimits limits = ServerFixture.withShares(limits(10, LONG, LONG, LONG), 1, 0, Long.MAX_VALUE);
        fixture = new ServerFixture(datadir, limits, List.of("127.0.0.0/24"), Optional.empty());
        RawClient one = fixture.client();
        RawClient two = fixture.client();
        assertThat(one.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        assertThat(two.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
    }

    @Test
    void an_address_and_a_connection_hold_no_more_than_their_shares() throws Exception {
        HttpLimits limits = ServerFixture.withShares(limits(100, LONG, LONG, LONG), 100, 300 << 10, 200 << 10);
        String head = "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n";
        start(limits);
        RawClient greedy = fixture.client();
        RawClient one = fixture.client();
        RawClient two = fixture.client();
        RawClient three = fixture.client();
        try (RawClient other = RawClient.to(fixture.server.address(), "127.0.0.2")) {
            greedy.send(head).send("x".repeat(195 << 10));
            Await.until("all of it is held", () -> fixture.server.heldBytes() >= 195 << 10);
            assertThat(other.post(ServerFixture.SPEND, "\"x\"").read().status()).isEqualTo(200);
            assertThat(fixture.refusals).isEmpty();
            // So few bytes that they are read at once and not in advance: only then does a refused client get an HTTP
            // answer.
            greedy.send("x".repeat(6 << 10));
            fixture.awaitRefusal("memory");
            assertThat(greedy.readToEnd()).startsWith("HTTP/1.1 503 ").contains("holds too much");

            String manage = head.replace(ServerFixture.READ, ServerFixture.MANAGE);
            one.send(head).send("x".repeat(110 << 10));
            two.send(manage).send("x".repeat(110 << 10));
            Await.until("both are held", () -> fixture.server.heldBytes() > 220 << 10);
            three.send(manage).send("x".repeat(110 << 10));
            Await.until("the address is at its share", () -> Collections.frequency(fixture.refusals, "memory") == 2);
            assertThat(other.post(ServerFixture.SPEND, "z".repeat(150 << 10))
                            .read()
                            .text())
                    .contains("\"bytes\":153600");
        }
    }

    @Test
    void a_body_announced_as_far_too_long_is_refused_unread() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n");

        RawClient.Response answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(client.readToEnd()).isEmpty();
    }

    @Test
    void a_client_that_asks_before_sending_a_long_body_is_refused_without_it() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        String head = "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ";
        client.send(head + "5\r\n\r\n");
        assertThat(client.read().status()).isEqualTo(100);
        assertThat(client.send("\"abc\"").read().text()).contains("\"bytes\":5");

        client.send(head + "3000000\r\n\r\n");
        assertThat(client.read().status()).isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /, 405",
        "PUT, /, 405",
        "DELETE, /healthz, 405",
        "HEAD, /healthz, 200",
        "OPTIONS, /, 204",
        "OPTIONS, /readyz, 204",
        "GET, /readyz, 200",
        "GET, /nothing, 404",
        "POST, /nothing, 404",
        "GET, //, 404",
        "GET, /metrics, 401"
    })
    void each_path_knows_its_methods(String method, String path, int status) throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        RawClient.Response answer = client.send(
                        method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
                .read(method.equals("HEAD"));

        assertThat(answer.status()).isEqualTo(status);
        if (status == 405 || status == 204) {
            assertThat(answer.header("allow")).isEqualTo(path.equals("/") ? "POST, OPTIONS" : "GET, HEAD, OPTIONS");
        }
        assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, 200",
        "application/json; charset=utf-8, 200",
        "Application/JSON;charset=ISO-8859-1, 200",
        "application/json-rpc, 200",
        "text/plain, 415",
        "application/x-www-form-urlencoded, 415",
        "multipart/form-data; boundary=x, 415"
    })
    void a_body_must_be_called_json(String type, int status) throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        String request = RawClient.postText(ServerFixture.READ, "\"x\"").replace("application/json", type);

        assertThat(client.send(request).read().status()).isEqualTo(status);
    }

    @Test
    void a_body_without_a_type_is_taken_as_json() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        String request =
                RawClient.postText(ServerFixture.READ, "\"x\"").replace("Content-Type: application/json\r\n", "");

        assertThat(client.send(request).read().status()).isEqualTo(200);
    }

    @Test
    void a_metrics_token_of_any_scope_opens_the_metrics() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        RawClient.Response answer = client.send(
                        "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ + "\r\n\r\n")
                .read();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("content-type")).startsWith("text/plain");
        assertThat(answer.text()).isEqualTo("metrics");
    }

    @Test
    void what_is_no_http_is_refused_in_json() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        RawClient.Response answer = client.send("GET / HTTP/1.1\r\nHost: x\r\n\"no header\"\r\n\r\n")
                .read();

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("content-type")).isEqualTo("application/json");
        assertThat(answer.text()).startsWith("{\"message\":\"").endsWith("\"}");
        assertThat(client.readToEnd()).isEmpty();
    }

    @Test
    void a_notification_is_204_without_a_body() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        RawClient.Response answer =
                client.post(ServerFixture.READ, "\"notify\"").read();

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("content-type")).isNull();
        assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
    }
}
