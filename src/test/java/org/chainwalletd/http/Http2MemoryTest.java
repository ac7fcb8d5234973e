package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.http.RawHttp2.DATA;
import static org.chainwalletd.http.RawHttp2.END_HEADERS;
import static org.chainwalletd.http.RawHttp2.HEADERS;
import static org.chainwalletd.http.RawHttp2.number;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that the daemon holds for an HTTP/2 client is counted, held for a limited time, and released. */
@Tag("long")
@Timeout(120)
class Http2MemoryTest extends WithServer {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int INITIAL_WINDOW = 4;

    private final List<RawHttp2> clients = new ArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<RpcAnswer> never = new CompletableFuture<>();

    @AfterEach
    void stop() throws Exception {
        closeAll();
        never.complete(new RpcAnswer(200, new byte[1]));
    }

    @Test
    void forty_answers_that_nobody_takes_end_their_connection() throws Exception {
        start(LONG, Duration.ofMillis(200), 64 << 20, 256);
        RawHttp2 deaf = connect(INITIAL_WINDOW, 0);
        for (int stream = 1; stream < 80; stream += 2) {
            deaf.post(stream, ServerFixture.READ, "\"long\"");
        }

        fixture.awaitRefusal("reading");
        assertThat(deaf.goAway()).isEqualTo(-1);
    }

    @Test
    void an_answer_that_is_taken_byte_by_byte_ends_its_connection_too() throws Exception {
        start(LONG, Duration.ofMillis(200), 64 << 20, 256);
        RawHttp2 slow = connect(INITIAL_WINDOW, 1);
        slow.post(1, ServerFixture.READ, "\"long\"");

        Await.until("it is cut off", () -> {
            try {
                slow.send(RawHttp2.WINDOW_UPDATE, 0, 1, number(1));
            } catch (IOException closed) {
                return true;
            }
            return fixture.refusals.contains("reading");
        });
        assertThat(fixture.refusals).containsAnyOf("reading", "http2-excess");
    }

    @Test
    void a_request_whose_end_does_not_come_ends_its_connection() throws Exception {
        start(Duration.ofMillis(200), LONG, 64 << 20, 256);
        RawHttp2 withoutBody = connect();
        withoutBody.send(HEADERS, END_HEADERS, 1, RawHttp2.head(ServerFixture.READ, 3));
        assertThat(withoutBody.goAway()).isEqualTo(-1);

        RawHttp2 withinHead = connect();
        withinHead.send(HEADERS, 0, 1, RawHttp2.head(ServerFixture.READ, 3));
        assertThat(withinHead.goAway()).isEqualTo(-1);

        RawHttp2 withinFrame = connect();
        withinFrame.sendRaw(new byte[] {0, 0, 8, RawHttp2.PING, 0, 0});
        assertThat(withinFrame.goAway()).isEqualTo(-1);
        Await.until("the last one is counted", () -> fixture.refusals.size() == 3);
        assertThat(fixture.refusals).containsOnly("request");
    }

    @Test
    void heads_and_unfinished_frames_count_and_are_given_back() throws Exception {
        start(LONG, LONG, 300 << 10, 256);
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(RawHttp2.head(ServerFixture.READ, 3));
        for (int i = 0; i < 10; i++) {
            RawHttp2.literal(head, "x-" + i, "y".repeat(100));
        }
        for (int client = 0; client < 3; client++) {
            RawHttp2 holder = connect();
            for (int stream = 1; stream < 60; stream += 2) {
                holder.send(HEADERS, END_HEADERS, stream, head.toByteArray());
            }
            holder.sendRaw(new byte[] {0, 0x40, 0, DATA, 0, 0, 0, 0, 1});
            holder.sendRaw(new byte[1 << 13]);
        }
        fixture.awaitRefusal("memory");
        closeAll();

        Await.until("there is room again", () -> ask(40 << 10));
        assertThat(fixture.refusals).allMatch("memory"::equals);
    }

    @Test
    void what_ends_is_given_back_while_its_connection_continues() throws Exception {
        start(LONG, LONG, 100 << 10, 256);
        RawHttp2 client = connect();
        for (int stream = 1; stream < 801; stream += 4) {
            client.post(stream, ServerFixture.READ, "\"x\"");
            client.readBody(stream);
            if (stream % 40 == 1) {
                client.send(HEADERS, END_HEADERS, stream + 2, RawHttp2.head(ServerFixture.READ, 3));
                client.reset(stream + 2);
            }
        }
        assertThat(fixture.refusals).isEmpty();
    }

    @Test
    void requests_that_were_taken_back_and_are_still_worked_on_have_a_bound() throws Exception {
        start(LONG, LONG, 64 << 20, 4);
        RawHttp2 client = connect();
        int stream = 1;
        for (; stream < 17; stream += 2) {
            client.post(stream, ServerFixture.SPEND, "\"never\"");
            client.reset(stream);
        }
        assertThat(fixture.refusals).isEmpty();
        client.post(stream, ServerFixture.SPEND, "\"never\"");

        assertThat(client.goAway()).isIn(11, -1);
        assertThat(fixture.refusals).containsExactly("http2-excess");
        assertThat(calls).hasValueLessThanOrEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"200-ok", "100-continue, x"})
    void an_unknown_expectation_is_refused_as_over_http_1(String expectation) throws Exception {
        start(LONG, LONG, 64 << 20, 256);
        RawHttp2 client = connect();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(RawHttp2.head(ServerFixture.READ, 3));
        RawHttp2.literal(head, "expect", expectation);
        client.send(HEADERS, END_HEADERS, 1, head.toByteArray());
        client.send(DATA, RawHttp2.END_STREAM, 1, "\"x\"".getBytes(StandardCharsets.UTF_8));

        assertThat(client.readBody(1)).contains("the expectation is unknown");
        assertThat(fixture.refusals).containsExactly("malformed");
        assertThat(calls).hasValue(0);
        client.post(3, ServerFixture.READ, "\"x\"");
        assertThat(client.readBody(3)).hasSize(10);
    }

    private void start(Duration request, Duration write, long held, int streams) throws Exception {
        HttpLimits limits = ServerFixture.limits(1 << 20, 100, 100, request, LONG, write, LONG, held);
        fixture = new ServerFixture(
                datadir,
                limits,
                new HttpServer.Place(
                        ServerFixture.LOOPBACK,
                        List.of(),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Optional.of(new Settings.Http2(streams, 16_384, 1000))),
                List.of(),
                Optional.of((body, scope, client) -> {
                    calls.incrementAndGet();
                    String text = new String(body, StandardCharsets.UTF_8);
                    if (text.equals("\"never\"")) {
                        return never;
                    }
                    client.parked().run();
                    return CompletableFuture.completedFuture(
                            new RpcAnswer(200, new byte[text.equals("\"long\"") ? 200_000 : 10]));
                }));
    }

    private RawHttp2 connect(int... settings) throws IOException {
        RawHttp2 client = RawHttp2.with(Dial.socket(fixture.server.address()), settings);
        clients.add(client);
        return client;
    }

    private void closeAll() throws IOException {
        for (RawHttp2 client : clients) {
            client.close();
        }
    }

    private boolean ask(int length) {
        try (RawHttp2 client = connect()) {
            int stream = 1;
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            head.writeBytes(RawHttp2.head(ServerFixture.READ, length));
            client.send(HEADERS, END_HEADERS, stream, head.toByteArray());
            for (int sent = 0; sent < length; sent += 10_240) {
                client.send(DATA, sent + 10_240 == length ? RawHttp2.END_STREAM : 0, stream, new byte[10_240]);
            }
            return client.readBody(stream).length() == 10;
        } catch (IOException refused) {
            return false;
        }
    }
}
