package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without TLS, both versions of HTTP are served on one port and distinguished by the first bytes (RFC 9113, sections 3.3 and 3.4). */
@Timeout(120)
class PlainServerTest extends WithServer {
    @BeforeEach
    void start() throws Exception {
        fixture = ServerFixture.http2(datadir, ServerFixture.LIMITS, Optional.empty());
    }

    @Test
    void requests_of_one_http_2_connection_are_answered_in_no_order() throws Exception {
        try (RawHttp2 client = new RawHttp2(socket())) {
            client.post(1, ServerFixture.SPEND, "\"wait\"");
            client.post(3, ServerFixture.SPEND, "\"x\"");
            assertThat(client.readBody(3)).contains("\"scope\":\"spend\"");

            fixture.gate.complete(null);
            assertThat(client.readBody(1)).contains("\"scope\":\"spend\"");
        }
    }

    @Test
    void a_server_that_does_not_offer_http_2_takes_its_preface_for_a_request_of_http_1() throws Exception {
        try (ServerFixture only1 = new ServerFixture(datadir, ServerFixture.LIMITS);
                RawClient client = only1.client()) {
            assertThat(client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").read().status())
                    .isBetween(400, 505);
        }
    }

    @Test
    void a_preface_may_come_byte_by_byte() throws Exception {
        Socket socket = socket();
        socket.setTcpNoDelay(true);
        for (byte one : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII)) {
            socket.getOutputStream().write(one);
            socket.getOutputStream().flush();
        }
        try (RawHttp2 client = RawHttp2.after(socket)) {
            client.post(1, ServerFixture.READ, "\"x\"");
            assertThat(client.readBody(1)).contains("\"scope\":\"read\"");
        }
    }

    @Test
    void a_request_of_http_1_may_begin_like_a_preface_and_come_byte_by_byte() throws Exception {
        try (RawClient client = fixture.client()) {
            byte[] text = RawClient.postText(ServerFixture.READ, "\"x\"").getBytes(StandardCharsets.US_ASCII);
            ByteArrayInputStream bytes = new ByteArrayInputStream(text);
            for (int i = 0; i < 8; i++) {
                client.send(new byte[] {(byte) bytes.read()});
            }
            assertThat(client.send(bytes.readAllBytes()).read().text()).contains("\"scope\":\"read\"");
        }
        try (RawClient client = fixture.client()) {
            assertThat(client.send("PRX / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .read()
                            .status())
                    .isBetween(400, 501);
        }
    }

    @Test
    void a_field_that_is_not_utf_8_is_refused_and_the_text_says_so() throws Exception {
        try (RawClient client = fixture.client()) {
            RawClient.Response refused = client.send(
                            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Name: caf\u00e9\r\n\r\n")
                    .read();
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text()).contains("UTF-8");
        }
    }

    @Test
    void a_connection_that_has_said_nothing_does_not_hold_the_drain_up() throws Exception {
        try (Socket silent = socket();
                RawHttp2 client = new RawHttp2(socket())) {
            client.post(1, ServerFixture.READ, "\"x\"");
            client.readBody(1);
            CompletionStage<Void> drained = fixture.server.drain(Duration.ofSeconds(30));

            Await.result(drained);

            assertThat(fixture.server.connections()).isZero();
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    private Socket socket() throws Exception {
        return Dial.socket(fixture.server.address());
    }
}
