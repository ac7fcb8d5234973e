package org.chainwalletd.http.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.http.RawHttp2.CONTINUATION;
import static org.chainwalletd.http.RawHttp2.DATA;
import static org.chainwalletd.http.RawHttp2.END_HEADERS;
import static org.chainwalletd.http.RawHttp2.END_STREAM;
import static org.chainwalletd.http.RawHttp2.GOAWAY;
import static org.chainwalletd.http.RawHttp2.HEADERS;
import static org.chainwalletd.http.RawHttp2.PADDED;
import static org.chainwalletd.http.RawHttp2.PING;
import static org.chainwalletd.http.RawHttp2.PRIORITY;
import static org.chainwalletd.http.RawHttp2.PUSH_PROMISE;
import static org.chainwalletd.http.RawHttp2.RST_STREAM;
import static org.chainwalletd.http.RawHttp2.SETTINGS;
import static org.chainwalletd.http.RawHttp2.WINDOW_UPDATE;
import static org.chainwalletd.http.RawHttp2.number;
import static org.chainwalletd.http.RawHttp2.settings;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.LogCapture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An HTTP/2 client that violates the protocol, or follows it but causes too much work, ends only its own connection. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2AttackTest {
    private static final int PROTOCOL_ERROR = 1;
    private static final int FLOW_CONTROL_ERROR = 3;
    private static final int STREAM_CLOSED = 5;
    private static final int FRAME_SIZE_ERROR = 6;
    private static final int COMPRESSION_ERROR = 9;
    private static final int ENHANCE_YOUR_CALM = 11;
    private static final int WHOLE = END_HEADERS | END_STREAM;

    @AutoClose
    private ServerFixture fixture;

    @BeforeAll
    void start(@TempDir Path datadir) throws Exception {
        fixture = ServerFixture.http2(datadir, ServerFixture.LIMITS, Optional.empty());
    }

    @BeforeEach
    void forget() {
        fixture.refusals.clear();
    }

    @FunctionalInterface
    interface Script {
        void play(RawHttp2 client) throws IOException;
    }

    record Attack(String name, int code, Script script) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Attack> broken() {
        return Stream.of(
                misfit(
                        "a frame of 16 MiB is announced",
                        c -> c.sendRaw(new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, DATA, 0, 0, 0, 0, 1})),
                misfit("an unknown frame of more than 16 KiB", c -> c.send(0x20, 0, 0, new byte[(1 << 14) + 1])),
                faulty("data on no stream", c -> c.send(DATA, 0, 0, new byte[1])),
                faulty("data on an idle stream", c -> c.send(DATA, 0, 9, new byte[1])),
                faulty("a head on an even stream", c -> c.send(HEADERS, WHOLE, 2, get())),
                faulty("more padding than frame in a head", c -> {
                    byte[] padded = get();
                    padded[0] = (byte) 255;
                    c.send(HEADERS, WHOLE | PADDED, 1, Arrays.copyOf(padded, 20));
                }),
                faulty("more padding than frame in a body", c -> {
                    c.send(HEADERS, END_HEADERS, 1, RawHttp2.head(ServerFixture.READ, 3));
                    c.send(DATA, PADDED, 1, new byte[] {4, 1, 2, 3});
                }),
                new Attack("data after the end of the stream", STREAM_CLOSED, c -> {
                    c.post(1, ServerFixture.READ, "\"wait\"");
                    c.send(DATA, END_STREAM, 1, new byte[3]);
                }),
                new Attack("a head after the end of the stream", STREAM_CLOSED, c -> {
                    c.post(1, ServerFixture.READ, "\"wait\"");
                    c.send(HEADERS, WHOLE, 1, get());
                }),
                new Attack("data after a reset", STREAM_CLOSED, c -> {
                    c.send(HEADERS, END_HEADERS, 1, RawHttp2.head(ServerFixture.READ, 3));
                    c.reset(1);
                    c.send(DATA, END_STREAM, 1, new byte[3]);
                }),
                new Attack("a stream below one that was opened", STREAM_CLOSED, c -> {
                    c.send(HEADERS, WHOLE, 5, get());
                    c.send(HEADERS, WHOLE, 3, get());
                }),
                faulty("trailers that do not end their stream", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    c.send(DATA, 0, 1, new byte[100]);
                    c.send(HEADERS, END_HEADERS, 1, fields("x", "y"));
                }),
                faulty("trailers with a pseudo-header", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    c.send(DATA, 0, 1, new byte[100]);
                    c.send(HEADERS, WHOLE, 1, fields(":path", "/"));
                }),
                faulty("trailers without a body", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    c.send(HEADERS, WHOLE, 1, fields("x", "y"));
                }),
                faulty("another frame within a header block", c -> {
                    c.send(HEADERS, 0, 1, get());
                    c.send(0x20, 0, 0, new byte[8]);
                }),
                faulty("a continuation of another stream", c -> {
                    c.send(HEADERS, 0, 1, get());
                    c.send(CONTINUATION, END_HEADERS, 3, new byte[0]);
                }),
                faulty("a continuation of nothing", c -> c.send(CONTINUATION, END_HEADERS, 1, get())),
                faulty("a push", c -> c.send(PUSH_PROMISE, END_HEADERS, 1, new byte[20])),
                faulty("a reset of an idle stream", c -> c.reset(7)),
                misfit("a short reset", c -> c.send(RST_STREAM, 0, 1, new byte[3])),
                misfit("a short ping", c -> c.send(PING, 0, 0, new byte[7])),
                faulty("a ping on a stream", c -> c.send(PING, 0, 1, new byte[8])),
                misfit("settings of 5 bytes", c -> c.send(SETTINGS, 0, 0, new byte[5])),
                faulty("settings on a stream", c -> c.send(SETTINGS, 0, 1, new byte[0])),
                misfit("an acknowledgement that says more", c -> c.send(SETTINGS, 1, 0, new byte[6])),
                faulty("a push that is neither on nor off", c -> set(c, 2, 2)),
                new Attack("a window beyond the largest", FLOW_CONTROL_ERROR, c -> set(c, 4, -1)),
                faulty("a largest frame of nothing", c -> set(c, 5, 0)),
                faulty("a largest frame below zero", c -> set(c, 5, -5)),
                faulty("a window update of nothing", c -> c.send(WINDOW_UPDATE, 0, 0, number(0))),
                misfit("a short window update", c -> c.send(WINDOW_UPDATE, 0, 0, new byte[3])),
                new Attack("a window of the connection that overflows", FLOW_CONTROL_ERROR, c -> {
                    c.send(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE));
                    c.send(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE));
                }),
                new Attack("a window of a stream that overflows", FLOW_CONTROL_ERROR, c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    c.send(WINDOW_UPDATE, 0, 1, number(Integer.MAX_VALUE));
                }),
                new Attack("settings that overflow the window of a stream", FLOW_CONTROL_ERROR, c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    c.send(WINDOW_UPDATE, 0, 1, number(Integer.MAX_VALUE - 65_535));
                    set(c, 4, 65_536);
                }),
                faulty("a stream that depends on itself", c -> c.send(PRIORITY, 0, 1, new byte[] {0, 0, 0, 1, 0})),
                misfit("a short priority", c -> c.send(PRIORITY, 0, 1, new byte[4])),
                faulty("a farewell on a stream", c -> c.send(GOAWAY, 0, 1, new byte[8])),
                new Attack("a field of the table that does not exist", COMPRESSION_ERROR, sends(new byte[] {
                    (byte) 0xff, 0x70
                })),
                new Attack("a block that ends within a string", COMPRESSION_ERROR, sends(new byte[] {0, 5, 'a'})),
                new Attack("a string of 2 GiB", COMPRESSION_ERROR, sends(new byte[] {0, 0x7f, -128, -1, -1, -1, 7})),
                faulty("a head that says less than its body", c -> {
                    c.send(HEADERS, END_HEADERS, 1, RawHttp2.head(ServerFixture.READ, 3));
                    c.send(DATA, END_STREAM, 1, new byte[4]);
                }),
                faulty("a head that says more than its body", c -> {
                    c.send(HEADERS, END_HEADERS, 1, RawHttp2.head(ServerFixture.READ, 9));
                    c.send(DATA, 0, 1, new byte[4]);
                    c.send(DATA, END_STREAM, 1, new byte[4]);
                }),
                faulty("a body announced and none", sends(RawHttp2.head(ServerFixture.READ, 9))));
    }

    /** Invalid heads of requests. */
    static Stream<Attack> heads() {
        return Stream.of(
                malformed("an upper-case name", "X-Upper", "1"),
                malformed("an unknown pseudo-header", ":wallet", "1"),
                malformed("a pseudo-header twice", ":path", "/"),
                malformed("an answer's pseudo-header", ":status", "200"),
                malformed("a name with a space", "a b", "1"),
                malformed("a name with a colon", "a:b", "1"),
                malformed("an empty name", "", "1"),
                malformed("a line end in a value", "x", "1\r\nauthorization: Bearer y"),
                malformed("a zero in a value", "x", "1\0"),
                malformed("a space around a value", "x", " 1"),
                malformed("connection", "connection", "close"),
                malformed("transfer-encoding", "transfer-encoding", "chunked"),
                malformed("upgrade", "upgrade", "h2c"),
                malformed("te", "te", "gzip"),
                malformed("a length that is no number", "content-length", "1x"),
                malformed("a length below zero", "content-length", "-1"),
                malformed("a length beyond all", "content-length", "99999999999999999999"),
                malformed("a type that is none", "content-type", "a b c; ="),
                faulty(
                        "a pseudo-header after the others",
                        sends(fields("x", "1", ":method", "GET", ":scheme", "http", ":path", "/"))),
                faulty("no path", sends(fields(":method", "GET", ":scheme", "http"))),
                faulty("an empty path", sends(head("GET", ""))),
                faulty("a path that is none", sends(head("GET", "/%zz"))),
                faulty("a method that is none", sends(head("G T", "/"))),
                faulty(
                        "an authority that is none",
                        sends(fields(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "[::"))),
                faulty("a scheme that is none", sends(fields(":method", "GET", ":scheme", "a b", ":path", "/"))));
    }

    /** Valid but excessive use of the protocol. */
    static Stream<Attack> excesses() {
        return Stream.of(
                flood("pings", c -> c.send(PING, 0, 0, new byte[8])),
                flood("answers to no ping", c -> c.send(PING, 1, 0, new byte[8])),
                flood("settings", c -> set(c, 4, 0)),
                flood("acknowledgements", c -> c.send(SETTINGS, 1, 0, new byte[0])),
                flood("priorities", c -> c.send(PRIORITY, 0, 1, new byte[] {0, 0, 0, 3, 0})),
                flood("unknown frames", c -> c.send(0x77, 0, 0, new byte[0])),
                flood("farewells", c -> c.send(GOAWAY, 0, 0, new byte[8])),
                flood("small window updates", c -> c.send(WINDOW_UPDATE, 0, 0, number(1))),
                // Each of these paths made Pekko's model of paths recurse until the process ended.
                excess("a path of slashes", sends(longPath("/".repeat(8000) + "."))),
                excess("a path of very many segments", sends(longPath("/a".repeat(4000) + "/."))),
                excess("empty continuations", c -> {
                    c.send(HEADERS, 0, 1, get());
                    repeat(600, () -> c.send(CONTINUATION, 0, 1, new byte[0]));
                }),
                excess("endless continuations", c -> {
                    c.send(HEADERS, 0, 1, get());
                    byte[] part = fields("x", "y".repeat(120));
                    repeat(600, () -> c.send(CONTINUATION, 0, 1, part));
                }),
                excess("empty pieces of a body", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    repeat(600, () -> c.send(DATA, 0, 1, new byte[0]));
                }),
                excess("pieces of a body that are padding", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    byte[] padding = new byte[256];
                    padding[0] = (byte) 255;
                    repeat(600, () -> c.send(DATA, PADDED, 1, padding));
                }),
                excess("a body byte by byte", c -> {
                    c.send(HEADERS, END_HEADERS, 1, head("POST", "/"));
                    repeat(600, () -> c.send(DATA, 0, 1, new byte[1]));
                }),
                excess("requests that are taken back", c -> {
                    for (int stream = 1; stream < 3000; stream += 2) {
                        c.send(HEADERS, WHOLE, stream, get());
                        c.reset(stream);
                    }
                }),
                excess("a field that is repeated", c -> {
                    byte[] block = Arrays.copyOf(get(), get().length + 1000);
                    Arrays.fill(block, get().length, block.length, (byte) 0x90);
                    c.send(HEADERS, WHOLE, 1, block);
                }),
                excess("a long field of the table that is repeated", c -> {
                    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
                    bomb.writeBytes(get());
                    bomb.writeBytes(new byte[] {0x40, 1, 'x', 0x7f, (byte) 0xa1, 0x1e});
                    bomb.writeBytes("y".repeat(127 + 0x21 + 0x1e * 128).getBytes(StandardCharsets.US_ASCII));
                    for (int i = 0; i < 10; i++) {
                        bomb.write(0xbe);
                    }
                    c.send(HEADERS, WHOLE, 1, bomb.toByteArray());
                }));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void a_broken_frame_ends_its_connection(Attack attack) throws Exception {
        endsWith("http2", attack);
    }

    @ParameterizedTest
    @MethodSource("heads")
    void a_malformed_head_ends_its_connection_and_nothing_of_it_is_logged(Attack attack) throws Exception {
        endsWith("http2", attack);
    }

    @ParameterizedTest
    @MethodSource("excesses")
    void what_costs_too_much_ends_its_connection(Attack attack) throws Exception {
        endsWith("http2-excess", attack);
    }

    @Test
    void a_client_that_does_all_this_in_moderation_is_served() throws Exception {
        try (RawHttp2 client = RawHttp2.with(socket(), 1, 1 << 20, 3, 100, 5, 1 << 20, 0x99, 7)) {
            for (int i = 0; i < 40; i++) {
                client.send(PING, 0, 0, new byte[8]);
                client.send(0x77, 0, 0, new byte[3]);
                client.send(WINDOW_UPDATE, 0, 0, number(1000));
            }
            for (int stream = 1; stream < 200; stream += 2) {
                client.send(HEADERS, END_HEADERS, stream, RawHttp2.head(ServerFixture.READ, 3));
                client.reset(stream);
            }
            client.send(PRIORITY, 0, 301, new byte[] {0, 0, 0, 3, 0});
            client.send(HEADERS, 0, 301, RawHttp2.head(ServerFixture.READ, 100));
            client.send(CONTINUATION, 0, 301, fields("x-padding", "1"));
            client.send(CONTINUATION, END_HEADERS, 301, fields("x-padding", "2"));
            byte[] piece = new byte[61];
            piece[0] = 10;
            client.send(DATA, PADDED, 301, piece);
            client.send(DATA, 0, 301, new byte[50]);
            client.send(HEADERS, WHOLE, 301, fields("x-sum", "1"));

            assertThat(client.readBody(301)).contains("\"bytes\":100");
            assertThat(fixture.refusals).isEmpty();
        }
    }

    @Test
    void the_reserved_bit_of_a_stream_is_ignored() throws Exception {
        try (RawHttp2 client = new RawHttp2(socket())) {
            client.send(HEADERS, END_HEADERS, 1 | 1 << 31, RawHttp2.head(ServerFixture.READ, 3));
            client.send(DATA, END_STREAM, 1 | 1 << 31, "\"x\"".getBytes(StandardCharsets.US_ASCII));

            assertThat(client.readBody(1)).contains("\"scope\":\"read\"");
        }
    }

    private void endsWith(String refusal, Attack attack) throws Exception {
        LogCapture log = LogCapture.ofAll();
        try (log;
                RawHttp2 client = new RawHttp2(socket());
                RawHttp2 other = new RawHttp2(socket())) {
            other.post(1, ServerFixture.READ, "\"x\"");
            try {
                attack.script().play(client);
            } catch (SocketException e) {
                // The daemon did not wait until the end of the input.
                assertThat(refusal).isEqualTo("http2-excess");
            }
            assertThat(client.goAway()).isIn(attack.code(), refusal.equals("http2-excess") ? -1 : attack.code());
            Await.until("it is counted", () -> fixture.refusals.contains(refusal));
            assertThat(fixture.refusals).hasSize(1);
            assertThat(other.readBody(1)).contains("\"scope\":\"read\"");
        }
        assertThat(log.events())
                .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEmpty();
    }

    private static Attack faulty(String name, Script script) {
        return new Attack(name, PROTOCOL_ERROR, script);
    }

    private static Attack misfit(String name, Script script) {
        return new Attack(name, FRAME_SIZE_ERROR, script);
    }

    private static Attack excess(String name, Script script) {
        return new Attack(name, ENHANCE_YOUR_CALM, script);
    }

    private static Script sends(byte[] head) {
        return c -> c.send(HEADERS, WHOLE, 1, head);
    }

    private static Attack malformed(String name, String field, String value) {
        return faulty(name, sends(fields(":method", "GET", ":scheme", "http", ":path", "/healthz", field, value)));
    }

    private static Attack flood(String name, Script once) {
        return excess(name, c -> repeat(600, () -> once.play(c)));
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private static void repeat(int times, Step step) throws IOException {
        for (int i = 0; i < times; i++) {
            step.run();
        }
    }

    private static void set(RawHttp2 client, int id, int value) throws IOException {
        client.send(SETTINGS, 0, 0, settings(id, value));
    }

    private static byte[] get() {
        return head("GET", "/healthz");
    }

    private static byte[] longPath(String path) {
        List<HpackTable.Field> fields = List.of(
                new HpackTable.Field(":method", "GET"),
                new HpackTable.Field(":scheme", "http"),
                new HpackTable.Field(":path", path));
        return Http2HeaderBlock.anew(1, fields, true).drop(Http2Frame.HEADER).toArray();
    }

    private static byte[] head(String method, String path) {
        return fields(":method", method, ":scheme", "http", ":path", path);
    }

    private static byte[] fields(String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            RawHttp2.literal(block, namesAndValues[i], namesAndValues[i + 1]);
        }
        return block.toByteArray();
    }

    private Socket socket() throws IOException {
        return Dial.socket(fixture.server.address());
    }
}
