package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.Refusals.ServerObserver;
import org.chainwalletd.http.pages.Pages.ReadinessCheck;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OperationTest extends WithServer {
    private static final String GET = " HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void readyz_tells_all_reasons_until_there_are_none() throws Exception {
        String[] node = {"no node has \"answered\" yet"};
        List<ReadinessCheck> checks =
                List.of(() -> Optional.ofNullable(node[0]), Optional::empty, () -> Optional.ofNullable(node[0]));
        fixture = new ServerFixture(datadir, ServerFixture.LIMITS, ServerFixture.PLACE, checks);
        RawClient client = fixture.client();
        RawClient.Response not = client.send("GET /readyz" + GET).read();
        assertThat(not.status()).isEqualTo(503);
        assertThat(not.text())
                .isEqualTo(
                        "{\"ready\":false,\"reasons\":[\"no node has \\\"answered\\\" yet\",\"no node has \\\"answered\\\" yet\"]}");

        node[0] = null;
        RawClient.Response ready = client.send("GET /readyz" + GET).read();
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.text()).isEqualTo("{\"ready\":true,\"reasons\":[]}");
    }

    @Test
    void an_own_listener_serves_metrics_without_a_token_and_nothing_else_of_value() throws Exception {
        HttpServer.Place place = ServerFixture.place(Optional.of(ServerFixture.LOOPBACK), false);
        fixture = new ServerFixture(datadir, ServerFixture.LIMITS, place, List.of());
        RawClient main = fixture.client();
        try (RawClient side = RawClient.to(fixture.server.metricsAddress().orElseThrow())) {
            assertThat(side.send("GET /metrics" + GET).read().text()).isEqualTo("metrics");
            assertThat(side.post(ServerFixture.SPEND, "\"x\"").read().status()).isEqualTo(404);
            assertThat(main.send("GET /metrics" + GET).read().status()).isEqualTo(404);
        }
    }

    @Test
    void a_start_with_an_address_that_is_taken_fails_and_keeps_no_other() throws Exception {
        start(ServerFixture.LIMITS);
        InetSocketAddress taken = fixture.server.address();
        InetSocketAddress free = FreePort.address();
        assertThatThrownBy(() -> another(taken, Optional.of(free))).hasRootCauseInstanceOf(BindException.class);
        assertThatThrownBy(() -> another(free, Optional.of(taken))).hasRootCauseInstanceOf(BindException.class);
        assertThatThrownBy(() -> another(taken, Optional.empty())).hasRootCauseInstanceOf(BindException.class);

        HttpServer server = another(free, Optional.empty());
        assertThat(server.address()).isEqualTo(free);
    }

    private HttpServer another(InetSocketAddress address, Optional<InetSocketAddress> metrics) {
        return Await.result(HttpServer.start(
                fixture.system,
                new HttpServer.Place(address, List.of(), metrics, false, Optional.empty(), Optional.empty()),
                ServerFixture.LIMITS,
                new HttpServer.Services(
                        (body, scope, client) -> null,
                        fixture.authenticator,
                        List.of(),
                        () -> "",
                        ServerObserver.NONE,
                        Optional.empty()),
                ByteBudget.of(ServerFixture.LIMITS.memory().all())));
    }

    @Test
    void draining_closes_idle_connections_lets_calls_end_and_accepts_nobody() throws Exception {
        start(ServerFixture.LIMITS);
        RawClient idle = fixture.client();
        RawClient busy = fixture.client();
        assertThat(idle.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        busy.post(ServerFixture.READ, "\"wait\"");
        fixture.awaitCalls(2);

        CompletableFuture<Void> drained =
                fixture.server.drain(Duration.ofSeconds(60)).toCompletableFuture();

        assertThat(idle.readToEnd()).isEmpty();
        assertThatThrownBy(fixture::client).isInstanceOf(ConnectException.class);
        assertThat(drained).isNotDone();
        fixture.gate.complete(null);
        RawClient.Response answer = busy.read();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("connection")).isEqualTo("close");
        assertThat(busy.readToEnd()).isEmpty();
        Await.outcome(drained);
    }

    @Test
    void what_is_still_in_work_at_the_end_of_the_drain_is_answered_with_503() throws Exception {
        start(ServerFixture.LIMITS);
        RawClient busy = fixture.client();
        RawClient half = fixture.client();
        busy.post(ServerFixture.READ, "\"wait\"");
        half.send("POST / HTTP/1.1\r\nHost:");
        fixture.awaitCalls(1);
        Await.until("both are connected", () -> fixture.server.connections() >= 2);

        CompletableFuture<Void> drained =
                fixture.server.drain(Duration.ofSeconds(2)).toCompletableFuture();

        RawClient.Response answer = busy.read();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text()).isEqualTo("{\"message\":\"the daemon is shutting down\"}");
        assertThat(half.readToEnd()).doesNotContain("200 OK");
        Await.outcome(drained);
    }

    @Test
    void draining_does_not_wait_for_clients_that_have_their_last_answer_and_stay() throws Exception {
        HttpLimits patient = ServerFixture.limits(
                Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofMinutes(10));
        start(patient);
        RawClient before = fixture.client();
        RawClient during = fixture.client();
        before.send(RawClient.postText(ServerFixture.READ, "\"x\"").replace("Host:", "Connection: close\r\nHost:"));
        assertThat(before.readToEnd()).contains("200 OK");
        during.post(ServerFixture.READ, "\"wait\"");
        fixture.awaitCalls(2);

        CompletableFuture<Void> drained =
                fixture.server.drain(Duration.ofMinutes(10)).toCompletableFuture();
        fixture.gate.complete(null);

        assertThat(during.readToEnd()).contains("200 OK");
        Await.outcome(drained);
    }

    @Test
    void draining_a_server_without_connections_is_done_at_once() throws Exception {
        start(ServerFixture.LIMITS);
        Await.result(fixture.server.drain(Duration.ofHours(1)));
    }
}
