package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.apache.pekko.stream.Attributes;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.Method;
import org.chainwalletd.api.Scope;
import org.chainwalletd.http.RawClient;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.WithServer;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.http.tls.TlsServerTest;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiting call learns that its client has left and releases its slot; a call that does not wait runs to its end. */
@Timeout(120)
class ClientLeavesTest extends WithServer {
    private static final String WAIT = "{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"id\":1}";
    private static final String WORK = "{\"jsonrpc\":\"2.0\",\"method\":\"work\",\"id\":2}";

    /** Limit of a single ordinary call, so that a slot that is not released shows. */
    private static final HttpLimits LIMITS = limits(Duration.ofSeconds(60));

    record Ok(boolean ok) {}

    @Method(name = "wait", scope = Scope.READ, summary = "For tests.", longPoll = true)
    record Wait() implements Call<Ok> {}

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger placesGivenBack = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger working = new AtomicInteger();
    private final CompletableFuture<Ok> event = new CompletableFuture<>();
    private final CompletableFuture<Ok> work = new CompletableFuture<>();
    private final RpcDispatcher dispatcher = new RpcDispatcher(
            MethodRegistry.of(List.of(
                    RpcMethod.of(Wait.class, (none, context) -> {
                        context.callerLeft().thenRunAsync(told::incrementAndGet, ForkJoinPool.commonPool());
                        waiting.incrementAndGet();
                        return event.thenApplyAsync(ok -> ok, ForkJoinPool.commonPool());
                    }),
                    RpcMethod.of("work", Scope.READ, "For tests.", NoParams.class, Ok.class, (none, context) -> {
                        working.incrementAndGet();
                        return work;
                    }))),
            List.of(),
            CallObserver.NONE,
            new RpcDispatcher.Limits(100, 2, 4),
            ForkJoinPool.commonPool());
    private final Map<Socket, Socket> beneath = new HashMap<>();

    private static HttpLimits limits(Duration halfClosed) {
        return ServerFixture.limits(
                1 << 20, 100, 1, Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(20), halfClosed);
    }

    @AfterEach
    void stop() {
        event.complete(new Ok(true));
        work.complete(new Ok(true));
    }

    @Test
    void a_reset_connection_ends_its_wait() throws Exception {
        start(LIMITS, false);
        RawClient client = waitingClient();

        reset(client.socket());

        awaitGone(1);
    }

    @Test
    void a_reset_connection_ends_its_wait_under_tls_too() throws Exception {
        start(LIMITS, true);
        SSLSocket socket = tls("http/1.1");
        new RawClient(socket).post(ServerFixture.READ, WAIT);
        awaitWaits(1);

        reset(socket);

        awaitGone(1);
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.3, true", "TLSv1.3, false", "TLSv1.2, true", "TLSv1.2, false"})
    void a_client_that_hangs_up_under_tls_gives_its_wait_back_at_once(String version, boolean politely)
            throws Exception {
        start(limits(Duration.ofMinutes(10)), true);
        SSLSocket socket = tls("http/1.1", version);
        new RawClient(socket).post(ServerFixture.READ, WAIT);
        awaitWaits(1);

        if (politely) {
            socket.close();
        } else {
            beneath.get(socket).close();
        }

        awaitGone(1);
    }

    @Test
    void a_wait_whose_client_has_closed_only_its_sending_side_is_still_answered() throws Exception {
        start(LIMITS, false);
        try (RawClient client = waitingClient()) {
            awaitPlacesGivenBack(1);
            client.socket().shutdownOutput();
            askSomethingElse();

            assertThat(told).hasValue(0);
            event.complete(new Ok(true));
            assertThat(lastAnswer(client)).contains("\"ok\":true");
        }
    }

    @Test
    void a_client_that_closes_its_connection_is_found_out_by_an_interim_answer() throws Exception {
        start(limits(Duration.ofMinutes(10)), false);
        RawClient client = waitingClient();

        client.close();

        awaitGone(1);
    }

    @Test
    void a_client_that_waits_for_its_answer_with_its_sending_side_closed_receives_interim_answers_first()
            throws Exception {
        start(limits(Duration.ofMinutes(10)), false);
        try (RawClient client = waitingClient()) {
            client.socket().shutdownOutput();

            assertThat(client.read(true).status()).isEqualTo(100);
            assertThat(client.read(true).status()).isEqualTo(100);
            event.complete(new Ok(true));
            assertThat(lastAnswer(client)).contains("\"ok\":true");
        }
    }

    @Test
    void a_client_that_has_left_before_its_request_was_read_is_looked_for_too() throws Exception {
        start(LIMITS, false);
        Connection connection = new Connection(
                new InetSocketAddress("127.0.0.1", 1),
                LIMITS,
                ByteBudget.of(Long.MAX_VALUE),
                new ConnectionClass.Threads(Attributes.none(), Runnable::run));
        connection.speaksHttp1();
        connection.bytesArrived();
        connection.peerClosed();

        connection.headArrived();
        connection.mayHearInterim(true);
        connection.requestArrived();

        assertThat(connection.mayBeProbed()).isTrue();
    }

    @Test
    void a_client_of_http_1_0_is_sent_nothing_but_its_answer() throws Exception {
        start(limits(Duration.ofMinutes(10)), false);
        try (RawClient client = fixture.client();
                RawClient other = fixture.client()) {
            client.send(RawClient.postText(ServerFixture.READ, WAIT).replace("HTTP/1.1", "HTTP/1.0"));
            awaitWaits(1);
            awaitPlacesGivenBack(1);
            other.post(ServerFixture.READ, WAIT);
            awaitWaits(2);
            client.socket().shutdownOutput();
            other.socket().shutdownOutput();
            assertThat(other.read(true).status()).isEqualTo(100);
            assertThat(other.read(true).status()).isEqualTo(100);

            event.complete(new Ok(true));

            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    @Test
    void a_client_that_has_closed_its_sending_side_and_never_comes_back_is_gone_in_the_end() throws Exception {
        start(limits(Duration.ofMillis(200)), false);
        RawClient client = waitingClient();

        client.close();

        awaitGone(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_reset_stream_ends_its_wait_and_no_other_one_of_its_connection(boolean tls) throws Exception {
        start(LIMITS, tls);
        try (RawHttp2 client = new RawHttp2(http2(tls))) {
            client.post(1, ServerFixture.READ, WAIT);
            awaitWaits(1);
            awaitPlacesGivenBack(1);
            client.post(3, ServerFixture.READ, WAIT);
            awaitWaits(2);

            client.reset(1);

            Await.until("one wait has ended", () -> dispatcher.longPolls() == 1 && told.get() == 1);
            event.complete(new Ok(true));
            assertThat(client.readBody(3)).contains("\"ok\":true");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_lost_connection_ends_all_waits_of_its_streams(boolean tls) throws Exception {
        start(LIMITS, tls);
        RawHttp2 client = new RawHttp2(http2(tls));
        client.post(1, ServerFixture.READ, WAIT);
        awaitWaits(1);
        awaitPlacesGivenBack(1);
        client.post(3, ServerFixture.READ, "[" + WAIT + "," + WAIT + "]");
        awaitWaits(3);

        reset(client.socket());

        awaitGone(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_header_block_that_would_grow_in_the_decoder_closes_its_connection(boolean tls) throws Exception {
        start(LIMITS, tls);
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        bomb.writeBytes(RawHttp2.head(ServerFixture.READ, 0));
        bomb.writeBytes(new byte[] {0x40, 1, 'x', 0x7f, (byte) 0xa1, 0x1e});
        bomb.writeBytes("y".repeat(127 + 0x21 + 0x1e * 128).getBytes(StandardCharsets.US_ASCII));
        int theLongFieldAgain = 0xbe;
        byte[] harmless = bomb.toByteArray();
        for (int i = 0; i < 1000; i++) {
            bomb.write(theLongFieldAgain);
        }
        try (RawHttp2 client = new RawHttp2(http2(tls))) {
            client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1, harmless);
            assertThat(client.isAnswered(1)).isTrue();

            client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 3, bomb.toByteArray());

            assertThat(client.isAnswered(3)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_header_block_that_does_not_end_closes_its_connection(boolean tls) throws Exception {
        start(LIMITS, tls);
        try (RawHttp2 client = new RawHttp2(http2(tls))) {
            ByteArrayOutputStream part = new ByteArrayOutputStream();
            for (int i = 0; i < 40; i++) {
                RawHttp2.literal(part, "x-" + i, "y".repeat(100));
            }
            client.send(RawHttp2.HEADERS, 0, 1, RawHttp2.head(ServerFixture.READ, 0));
            for (int i = 0; i < 8; i++) {
                client.send(RawHttp2.CONTINUATION, 0, 1, part.toByteArray());
            }

            assertThat(client.isAnswered(1)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_http_2_connection_that_is_closed_ends_all_its_waits(boolean tls) throws Exception {
        start(LIMITS, tls);
        RawHttp2 client = new RawHttp2(http2(tls));
        client.post(1, ServerFixture.READ, WAIT);
        awaitWaits(1);

        client.close();

        awaitGone(1);
    }

    @Test
    void the_waits_of_a_batch_are_open_together_and_end_together() throws Exception {
        start(LIMITS, false);
        RawClient client = fixture.client()
                .post(ServerFixture.READ, "[" + String.join(",", WAIT, WAIT, WAIT, WAIT, WORK, WORK) + "]");
        awaitWaits(4);
        Await.until("the rest of the batch is being worked on", () -> working.get() == 2);

        reset(client.socket());

        awaitGone(4);
    }

    @Test
    void waits_leave_the_bound_of_a_token_to_other_calls_and_have_one_of_their_own() throws Exception {
        start(LIMITS, false);
        fixture.client().post(ServerFixture.READ, WAIT);
        awaitWaits(1);
        awaitPlacesGivenBack(1);
        fixture.client().post(ServerFixture.READ, "[" + WAIT + "," + WAIT + "]");
        awaitWaits(3);
        awaitPlacesGivenBack(2);
        fixture.client().post(ServerFixture.READ, WAIT);
        awaitWaits(4);
        awaitPlacesGivenBack(3);

        askSomethingElse();
        try (RawClient one = fixture.client().post(ServerFixture.READ, WAIT)) {
            assertThat(one.read().text()).contains("-32042").contains("\"retryable\":true");
        }
    }

    @Test
    void a_call_that_does_not_wait_continues_without_its_client_and_keeps_its_place_meanwhile() throws Exception {
        start(LIMITS, false);
        RawClient client = fixture.client().post(ServerFixture.READ, WORK);
        Await.until("the call is being worked on", () -> working.get() == 1);
        reset(client.socket());
        Await.until("the connection is closed", () -> fixture.server.connections() == 0);

        try (RawClient other = fixture.client().post(ServerFixture.READ, WORK)) {
            assertThat(other.read().text()).contains("-32042");
        }
        work.complete(new Ok(true));
        Await.until("the place is free again", this::isFree);
    }

    @Test
    void calls_of_a_connection_that_stays_leave_nothing_behind() throws Exception {
        start(LIMITS, false);
        event.complete(new Ok(true));
        try (RawClient client = fixture.client()) {
            for (int i = 0; i < 50; i++) {
                assertThat(client.post(ServerFixture.READ, WAIT).read().text()).contains("\"ok\":true");
            }
        }
        Await.until("the connection is closed", () -> fixture.server.connections() == 0);
        assertThat(dispatcher.longPolls()).isZero();
        assertThat(told).hasValue(0);
    }

    private RawClient waitingClient() throws Exception {
        RawClient client = fixture.client().post(ServerFixture.READ, WAIT);
        awaitWaits(1);
        return client;
    }

    private static String lastAnswer(RawClient client) throws IOException {
        RawClient.Response answer = client.read();
        while (answer.status() == 100) {
            answer = client.read();
        }
        return answer.text();
    }

    private boolean isFree() {
        try (RawClient other = fixture.client().post(ServerFixture.READ, WORK)) {
            return other.read().text().contains("\"ok\":true");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void awaitWaits(int number) {
        Await.until(number + " calls wait", () -> waiting.get() == number);
        assertThat(dispatcher.longPolls()).isEqualTo(number);
    }

    /**
     * Waits until slots are released: a wait begins before its request releases its slot, and a further request with its token is refused until
     * then.
     */
    private void awaitPlacesGivenBack(int requests) {
        Await.until(requests + " requests have given their places back", () -> placesGivenBack.get() == requests);
    }

    private void awaitGone(int number) {
        Await.until("the waits have ended", () -> dispatcher.longPolls() == 0);
        Await.until("their methods have been told", () -> told.get() == number);
    }

    /** Makes another call, which is answered after everything that was sent to the server before. */
    private void askSomethingElse() throws Exception {
        try (RawClient other = fixture.client()) {
            assertThat(other.post(ServerFixture.READ, "{\"jsonrpc\":\"2.0\",\"method\":\"none\",\"id\":1}")
                            .read()
                            .text())
                    .contains("-32601");
        }
    }

    private void start(HttpLimits limits, boolean tls) throws Exception {
        Optional<TlsIdentity> identity = tls ? Optional.of(identity()) : Optional.empty();
        fixture = new ServerFixture(
                datadir, limits, ServerFixture.withHttp2(identity), List.of(), Optional.of(this::dispatch));
    }

    private CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Grant> grant, Client client) {
        Runnable parked = () -> {
            client.parked().run();
            placesGivenBack.incrementAndGet();
        };
        return dispatcher.dispatch(
                body,
                grant,
                new Client(
                        client.address(), client.presence(), parked, client.room(), client.turns(), client.denied()));
    }

    private TlsIdentity identity() throws Exception {
        return TlsIdentity.open(
                datadir, "chain-walletd", TlsIdentity.names(InetAddress.getByName("127.0.0.1"), List.of()), line -> {});
    }

    private void reset(Socket socket) throws IOException {
        Socket bare = beneath.getOrDefault(socket, socket);
        bare.setSoLinger(true, 0);
        bare.close();
    }

    private Socket http2(boolean tls) throws Exception {
        return tls ? tls("h2") : Dial.socket(fixture.server.address());
    }

    private SSLSocket tls(String protocol) throws Exception {
        return tls(protocol, "TLSv1.3");
    }

    private SSLSocket tls(String protocol, String version) throws Exception {
        Socket bare = Dial.socket("127.0.0.1", fixture.server.address().getPort());
        SSLSocket socket = (SSLSocket)
                TlsServerTest.trusting(datadir).getSocketFactory().createSocket(bare, "localhost", 443, true);
        var parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        parameters.setProtocols(new String[] {version});
        socket.setSSLParameters(parameters);
        beneath.put(socket, bare);
        socket.startHandshake();
        return socket;
    }
}
