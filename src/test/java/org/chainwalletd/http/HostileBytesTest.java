package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.TokenRotation;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.http.tls.TlsServerTest;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class HostileBytesTest extends WithServer {
    private static final HttpLimits IMPATIENT = ServerFixture.limits(
            10_000,
            100,
            8,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ofMillis(100));

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void no_bytes_keep_the_server_from_serving_the_next_client() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        start(IMPATIENT);
        for (int round = 0; round < 200; round++) {
            try (RawClient client = fixture.client()) {
                sendQuietly(client, damaged(random));
                if (random.nextBoolean()) {
                    client.socket().setSoLinger(random.nextBoolean(), 0);
                } else {
                    client.socket().shutdownOutput();
                    client.readToEnd();
                }
            }
        }
        try (RawClient client = fixture.client()) {
            assertThat(client.post(ServerFixture.READ, "\"x\"").read().status())
                    .as("seed %d", seed)
                    .isEqualTo(200);
        }
        Await.until("every connection is closed", () -> fixture.server.connections() == 0);
    }

    /** Returns a request with some of its bytes changed, omitted, repeated or inserted. */
    private static byte[] damaged(Random random) {
        String body = random.nextInt(4) == 0 ? "y".repeat(random.nextInt(30_000)) : "\"x\"";
        byte[] bytes = RawClient.postText(ServerFixture.READ, body).getBytes(StandardCharsets.ISO_8859_1);
        for (int change = random.nextInt(6); change > 0; change--) {
            int at = random.nextInt(Math.min(bytes.length, 200));
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = "\r\n: \t\0".getBytes(StandardCharsets.ISO_8859_1)[random.nextInt(6)];
                case 2 -> bytes = spliced(bytes, at, 0, random);
                default -> bytes = spliced(bytes, at, Math.min(bytes.length - at, random.nextInt(20)), random);
            }
        }
        return bytes;
    }

    private static byte[] spliced(byte[] bytes, int at, int dropped, Random random) {
        byte[] added = new byte[random.nextInt(10)];
        random.nextBytes(added);
        byte[] result = new byte[bytes.length - dropped + added.length];
        System.arraycopy(bytes, 0, result, 0, at);
        System.arraycopy(added, 0, result, at, added.length);
        System.arraycopy(bytes, at + dropped, result, at + added.length, bytes.length - at - dropped);
        return result;
    }

    private static void sendQuietly(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            assertThat(e).as("the server may hang up on nonsense").isNotNull();
        }
    }

    /** Heads for which two parsers could find different ends of the body: 16 KB after one of them once ended the process. */
    private static final List<String> AMBIGUOUS = List.of(
            "Transfer-Encoding: \"chunked\"\r\nContent-Length: 20000\r\n\r\n",
            "Transfer-Encoding: \"chunked\"\r\n\r\n",
            "Transfer-Encoding:\r\nContent-Length: 20000\r\n\r\n",
            "Transfer-Encoding:\r\n\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 20000\r\n\r\n",
            "Transfer-Encoding: identity\r\nContent-Length: 20000\r\n\r\n",
            "Content-Length: 0000000000000000000000000\r\n\r\n",
            "Content-Length: 0000000000000000000020000\r\n\r\n",
            "Content-Length: 20000\r\nContent-Length: 0\r\n\r\n",
            "Content-Length: 0, 20000\r\n\r\n",
            "Content-Length: +20000\r\n\r\n",
            "X: \u00e2\r\nContent-Length: 20000\r\n\r\n",
            "X: y\r\n Content-Length: 20000\r\n\r\n",
            "X: y\nContent-Length: 20000\r\n\r\n",
            "X: y\n\n",
            "Transfer-Encoding: chunked\r\n\r\n000000000\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n000000001\r\nx\r\n",
            "Transfer-Encoding: chunked\r\n\r\n0;\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n z\r\n\r\n",
            "Expect: 200-ok\r\nContent-Length: 20000\r\n\r\n");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void no_request_that_is_hidden_in_a_body_is_seen(boolean tls) throws Exception {
        TlsIdentity identity =
                TlsIdentity.open(datadir, "chain-walletd", TlsIdentity.names(LOOPBACK, List.of()), line -> {});
        try (ServerFixture fixture = tls
                ? ServerFixture.tls(datadir, ServerFixture.LIMITS, identity)
                : new ServerFixture(datadir, ServerFixture.LIMITS)) {
            String hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500);
            for (String head : AMBIGUOUS) {
                try (RawClient client = client(fixture, tls)) {
                    sendQuietly(
                            client,
                            ("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                                            + "\r\nContent-Type: application/json\r\n" + head + hidden)
                                    .getBytes(StandardCharsets.ISO_8859_1));

                    assertThat(client.readToEnd())
                            .as(head)
                            .matches("(?s)HTTP/1\\.1 4(00|17) .*")
                            .doesNotContain("200 OK");
                }
            }
            try (RawClient client = client(fixture, tls)) {
                assertThat(client.post(ServerFixture.READ, "\"x\"").read().status())
                        .isEqualTo(200);
            }
            assertThat(fixture.refusals).hasSize(AMBIGUOUS.size()).containsOnly("malformed");
        }
    }

    private RawClient client(ServerFixture fixture, boolean tls) throws Exception {
        return tls
                ? new RawClient(TlsServerTest.trusting(datadir)
                        .getSocketFactory()
                        .createSocket(LOOPBACK, fixture.server.address().getPort()))
                : fixture.client();
    }

    @Test
    void a_malformed_request_takes_no_answer_from_the_one_before_it() throws Exception {
        start(ServerFixture.LIMITS);
        for (String end : List.of("no sense\r\n\r\n", "GET / HTTP/1.1\r\nHo")) {
            try (RawClient client = fixture.client()) {
                client.send(RawClient.postText(ServerFixture.READ, "\"x\"").repeat(3) + end);
                client.socket().shutdownOutput();

                for (int answer = 0; answer < 3; answer++) {
                    assertThat(client.read().status()).isEqualTo(200);
                }
                assertThat(client.read().status()).isEqualTo(400);
                assertThat(client.readToEnd()).isEmpty();
            }
        }
    }

    @Test
    void bodies_in_very_many_chunks_are_put_together_however_they_come() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        String head = "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        client.send((head + "1\r\nx\r\n".repeat(20_000) + "0\r\n" + "X: y\r\n".repeat(1_000) + "\r\n").repeat(2));

        assertThat(client.read().text()).contains("\"bytes\":20000");
        assertThat(client.read().text()).contains("\"bytes\":20000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx0\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx0\r\n\r\n",
                "OPTIONS / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\nx",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
                "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a b/c@d:99999\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: a/b/c;d\r\nContent-Length: 0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\nContent-Length: 1\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /a?b=%zz#c HTTP/1.1\r\nHost: x\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n"
            })
    void no_request_makes_the_daemon_write_to_its_log_or_call_the_fault_its_own(String request) throws Exception {
        start(ServerFixture.LIMITS);
        try (LogCapture log = LogCapture.ofAll()) {
            try (RawClient client = fixture.client()) {
                client.send(request);
                client.socket().shutdownOutput();
                assertThat(client.readToEnd()).matches("(?s)HTTP/1\\.[01] [24].*");
            }
            assertThat(log.events()).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.INFO));
        }
    }

    @Test
    void neither_tokens_nor_bodies_get_into_the_log_at_any_level() throws Exception {
        try (LogCapture log = LogCapture.ofAll().at(Level.TRACE)) {
            start(ServerFixture.LIMITS);
            String secret = "correct-horse-battery";
            String good = RawClient.postText(ServerFixture.SPEND, "\"" + secret + "\"");
            List<String> requests = List.of(
                    good,
                    RawClient.postText("wrong-" + ServerFixture.SPEND, "\"" + secret + "\""),
                    RawClient.postText(ServerFixture.SPEND, "\"fail\""),
                    good.replace("Bearer ", "Bearer \u0001"),
                    good.replace("Authorization:", "Authorization :"),
                    good.replace("Bearer ", "Bearer \""),
                    good.replace("Content-Length: ", "Content-Length: x"),
                    good.replace("application/json", "application/" + secret + "/" + secret),
                    good.replace("POST / ", "POST /?token=" + ServerFixture.SPEND + "^ "),
                    good.replace("POST ", ServerFixture.SPEND + " "),
                    good.replace(
                            "Host: localhost",
                            "Cookie: " + ServerFixture.SPEND + ";;=" + secret + "\r\nHost: localhost"),
                    good.replace("HTTP/1.1", "HTTP/7.1"));
            for (String request : requests) {
                try (RawClient client = fixture.client()) {
                    client.send(request);
                    client.socket().shutdownOutput();
                    client.readToEnd();
                }
            }
            new TokenRotation(
                            new Tokens.InFiles(datadir, ServerFixture.TOKENS, ServerFixture.EVERY_SCOPE),
                            NamedTokens.none())
                    .reload();
            for (ILoggingEvent event : log.events()) {
                String line = event.getFormattedMessage()
                        + event.getMDCPropertyMap()
                        + (event.getThrowableProxy() == null
                                ? ""
                                : event.getThrowableProxy().getMessage());
                assertThat(line).doesNotContain(ServerFixture.SPEND).doesNotContain(secret);
            }
            assertThat(log.events()).isNotEmpty();
        }
    }
}
