package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.access.Grant;
import org.chainwalletd.http.RawClient;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.WithServer;
import org.chainwalletd.http.door.Refusals.ServerObserver;
import org.chainwalletd.http.pages.RpcHandler;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send as much as they may and read nothing: together they use no more than the daemon's budget. */
@Timeout(120)
class MemoryReservationTest extends WithServer {
    private static final int BUDGET = 256 << 10;
    private static final HttpLimits LIMITS = limits(100);

    private static HttpLimits limits(int perToken) {
        return ServerFixture.limits(
                1 << 20,
                100,
                perToken,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                BUDGET);
    }

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int LONG_ANSWER = 200 << 10;
    /** Longer than the socket buffers of both sides. */
    private static final int LONGEST_ANSWER = 12 << 20;

    /** Value in place of a status for a reset connection. */
    private static final int RESET = 0;

    private final CompletableFuture<RpcAnswer> asleep = new CompletableFuture<>();
    private final CountDownLatch longestAsked = new CountDownLatch(1);
    private final AtomicInteger blocked = new AtomicInteger();
    private final AtomicInteger later = new AtomicInteger();
    private final CountDownLatch unblock = new CountDownLatch(1);

    @AfterEach
    void stop() {
        unblock.countDown();
    }

    static Stream<String> unending() {
        return Stream.of(head("Content-Length: " + (200 << 10)), head("Transfer-Encoding: chunked") + "80000\r\n");
    }

    @ParameterizedTest
    @MethodSource("unending")
    void a_body_or_chunk_that_never_ends_counts_while_it_comes_and_leaves_nothing_behind(String head) throws Exception {
        start();
        byte[] part = "x".repeat(100 << 10).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 2; i++) {
            fixture.client().send(head).send(part);
        }
        Await.until("two are held", () -> fixture.server.heldBytes() > 200 << 10);
        RawClient third = fixture.client().send(head).send(part);

        fixture.awaitRefusal("memory");
        assertThat(statusOf(third)).isIn(503, RESET);
        awaitRoom();
    }

    @Test
    void heads_that_never_end_are_cut_off_beyond_the_budget_and_leave_nothing_behind() throws Exception {
        start();
        String head = "POST / HTTP/1.1\r\n";
        for (int i = 0; i < 4; i++) {
            head += "X-" + i + ": " + "y".repeat(7000) + "\r\n";
        }
        for (int i = 0; i < 10; i++) {
            fixture.client().send(head);
        }

        fixture.awaitRefusal("memory");
        awaitRoom();
    }

    @Test
    void requests_that_are_sent_ahead_count_before_they_are_read() throws Exception {
        start();
        String request = RawClient.postText(ServerFixture.READ, "\"never\"");
        String ahead = RawClient.postText(ServerFixture.READ, "z".repeat(14 << 10));
        for (int i = 0; i < 30; i++) {
            RawClient client = fixture.client();
            sendAll(client, request + ahead.repeat(10));
        }

        fixture.awaitRefusal("memory");
        asleep.complete(new RpcAnswer(200, new byte[10]));
        awaitRoom();
    }

    @Test
    void a_body_that_nobody_wants_is_dropped_without_counting() throws Exception {
        start();
        RawClient stranger = fixture.client();
        stranger.post("no-token-of-this-daemon", "z".repeat(1 << 20));
        RawClient wrongType = fixture.client();
        wrongType.send(
                RawClient.postText(ServerFixture.READ, "z".repeat(1 << 20)).replace("/json", "/xml"));

        assertThat(stranger.read().status()).isEqualTo(401);
        assertThat(wrongType.read().status()).isEqualTo(415);
        assertThat(fixture.refusals).doesNotContain("memory");
    }

    @Test
    void a_token_has_its_slot_back_when_its_answer_is_read_and_not_before() throws Exception {
        RawClient deaf = deafInTheOnlySlot();

        assertThat(deaf.read().body()).hasSize(LONGEST_ANSWER);
        awaitSlot();
    }

    @Test
    void a_token_has_its_slot_back_when_the_reader_of_its_answer_is_gone() throws Exception {
        deafInTheOnlySlot().close();

        awaitSlot();
    }

    @Test
    void answers_that_nobody_reads_count_until_their_client_is_gone() throws Exception {
        start();
        RawClient reader = fixture.client().post(ServerFixture.READ, "\"long\"");
        assertThat(reader.read().body()).hasSize(LONG_ANSWER);
        reader.post(ServerFixture.READ, "\"long\"");
        assertThat(reader.read().body()).hasSize(LONG_ANSWER);

        for (int i = 0; i < 30; i++) {
            RawClient deaf = fixture.client();
            deaf.socket().setReceiveBufferSize(4096);
            for (int call = 0; call < 20; call++) {
                deaf.post(ServerFixture.READ, "\"long\"");
            }
        }
        fixture.awaitRefusal("memory");
        awaitRoom();
    }

    @Test
    void small_calls_continue_while_the_budget_is_nearly_used_up() throws Exception {
        start();
        fixture.client().send(head("Content-Length: " + (300 << 10))).send("x".repeat(200 << 10));

        assertThat(ask(10)).isEqualTo(200);
    }

    @Test
    void what_a_call_holds_is_given_back_when_the_rpc_layer_breaks() throws Exception {
        start();
        String body = "\"throw\"" + " ".repeat(100 << 10);
        for (int call = 0; call < 4; call++) {
            assertThat(fixture.client().post(ServerFixture.READ, body).read().status())
                    .isEqualTo(500);
        }

        assertThat(ask(180 << 10)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bodies_that_wait_for_their_turn_count_until_their_clients_leave_and_are_dropped_then(boolean http2)
            throws Exception {
        int waiting = 8;
        int atOnce = Runtime.getRuntime().availableProcessors();
        start(ServerFixture.limits(1 << 20, 100, waiting + atOnce, LONG, LONG, LONG, LONG, 256L << 20), http2);
        for (int i = 0; i < atOnce; i++) {
            fixture.client().post(ServerFixture.READ, "\"block\"" + " ".repeat(20 << 10));
        }
        Await.until("every turn is taken", () -> blocked.get() == atOnce);
        long before = fixture.server.heldBytes();
        String body = "\"later\"" + " ".repeat(http2 ? 40 << 10 : 500 << 10);
        List<Socket> leaving = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            leaving.add(
                    http2
                            ? postOverHttp2(body)
                            : fixture.client().post(ServerFixture.READ, body).socket());
        }
        Await.until(
                "all that waits is counted",
                () -> fixture.server.heldBytes() >= before + (long) waiting * body.length());

        for (Socket socket : leaving) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
        Await.until("only those who stay are counted", () -> fixture.server.heldBytes() <= before);
        RawClient last = fixture.client().post(ServerFixture.READ, "\"last\"" + " ".repeat(20 << 10));
        unblock.countDown();

        assertThat(last.read().text())
                .as("those who left have given their slots back")
                .hasSize(10);
        assertThat(later)
                .as("bodies that were worked on for clients that had left")
                .hasValue(0);
    }

    @Test
    void a_body_that_was_read_counts_until_it_is_dropped_when_its_client_leaves_before_it_is_in_the_row()
            throws Exception {
        start();
        ByteBudget budget = ByteBudget.of(BUDGET);
        Queue<Runnable> threads = new ConcurrentLinkedQueue<>();
        Connection connection = new Connection(
                ServerFixture.LOOPBACK, LIMITS, budget, new ConnectionClass.Threads(Attributes.none(), threads::add));
        RpcHandler handler = new RpcHandler(
                this::answer,
                new Callers(fixture.authenticator, new ClientAddress(List.of())),
                LIMITS,
                new Refusals(ServerObserver.NONE, fixture.system),
                fixture.system);
        ByteString body = ByteString.fromString("\"later\"" + " ".repeat(20 << 10));
        connection.arrived(body.length());
        connection.letThrough(body.length());
        connection.headArrived();
        CompletionStage<HttpResponse> answered = handler.handle(
                HttpRequest.POST("/")
                        .addHeader(RawHeader.create("authorization", "Bearer " + ServerFixture.READ))
                        .withEntity(
                                HttpEntities.create(ContentTypes.APPLICATION_JSON, body.length(), Source.single(body))),
                connection,
                connection.presence());
        Await.until("the body is read and waits for a thread", () -> !threads.isEmpty());

        connection.closed();

        assertThat(budget.held()).isEqualTo(body.length());
        threads.remove().run();
        Await.result(answered);
        assertThat(budget.held()).isZero();
        assertThat(later).hasValue(0);
    }

    private Socket postOverHttp2(String body) throws IOException {
        RawHttp2 client = new RawHttp2(Dial.socket(fixture.server.address()));
        client.post(1, ServerFixture.READ, body);
        return client.socket();
    }

    /** Creates a client whose answer holds the token's only slot and is not read. */
    private RawClient deafInTheOnlySlot() throws Exception {
        start(limits(1), false);
        RawClient deaf = fixture.deafClient().post(ServerFixture.SPEND, "\"longest\"");
        // An earlier attempt to use the slot would block this call.
        Await.opened(longestAsked);
        assertThat(isSlotFree(fixture.client())).isFalse();
        return deaf;
    }

    private void awaitSlot() throws Exception {
        RawClient other = fixture.client();
        Await.until("the slot is free", () -> isSlotFree(other));
    }

    private static boolean isSlotFree(RawClient client) {
        try {
            return !client.post(ServerFixture.SPEND, "\"x\"").read().text().contains("-32042");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The daemon may have closed the connection before the client has sent everything. */
    private static void sendAll(RawClient client, String text) {
        try {
            client.send(text);
        } catch (IOException cutOff) {
            assertThat(cutOff).isInstanceOf(SocketException.class);
        }
    }

    private void start() throws Exception {
        start(LIMITS, false);
    }

    private void start(HttpLimits limits, boolean http2) throws Exception {
        fixture = new ServerFixture(
                datadir,
                limits,
                http2 ? ServerFixture.withHttp2(Optional.empty()) : ServerFixture.PLACE,
                List.of(),
                Optional.of(this::answer));
    }

    private CompletionStage<RpcAnswer> answer(byte[] body, Optional<Grant> grant, Client client) {
        if (new String(body, StandardCharsets.UTF_8).startsWith("\"throw\"")) {
            throw new IllegalStateException("broken on purpose");
        }
        String asked = new String(body, StandardCharsets.UTF_8);
        if (asked.equals("\"never\"")) {
            return asleep;
        }
        if (asked.startsWith("\"block\"")) {
            blocked.incrementAndGet();
            Await.opened(unblock);
        }
        if (asked.startsWith("\"later\"")) {
            later.incrementAndGet();
        }
        if (asked.equals("\"longest\"")) {
            longestAsked.countDown();
            return CompletableFuture.completedFuture(new RpcAnswer(200, new byte[LONGEST_ANSWER]));
        }
        int length = asked.equals("\"long\"") ? LONG_ANSWER : 10;
        return CompletableFuture.completedFuture(
                client.room().take(length)
                        ? new RpcAnswer(200, new byte[length])
                        : new RpcAnswer(200, "no room".getBytes(StandardCharsets.UTF_8)));
    }

    private int ask(int length) {
        try (RawClient client = fixture.client()) {
            return statusOf(client.post(ServerFixture.READ, "z".repeat(length)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void awaitRoom() {
        fixture.closeClients();
        Await.until("there is room again", () -> ask(180 << 10) == 200);
    }

    /** A refusal that leaves bytes of the request unread resets the connection, and the answer may be lost. */
    private static int statusOf(RawClient client) throws Exception {
        try {
            return client.read().status();
        } catch (SocketException reset) {
            return RESET;
        }
    }

    private static String head(String framing) {
        return "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\n" + framing + "\r\n\r\n";
    }
}
