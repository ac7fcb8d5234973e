package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class HttpServerTest extends WithServer {
    private RawClient client;

    @BeforeEach
    void connect() throws Exception {
        start(ServerFixture.LIMITS);
        client = fixture.client();
    }

    @Test
    void a_request_with_a_token_reaches_the_rpc_layer_with_its_scope_and_client() throws Exception {
        RawClient.Response answer = client.post(ServerFixture.MANAGE, "\"x\"").read();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("content-type")).isEqualTo("application/json");
        assertThat(answer.header("server")).isNull();
        assertThat(answer.text()).isEqualTo("{\"scope\":\"manage\",\"client\":\"127.0.0.1\",\"bytes\":3}");
    }

    @Test
    void one_connection_carries_many_requests() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() throws Exception {
        String one = RawClient.postText(ServerFixture.READ, "\"x\"");
        String two = RawClient.postText(ServerFixture.READ, "\"xx\"");
        client.send(one + two + one);

        assertThat(client.read().text()).contains("\"bytes\":3");
        assertThat(client.read().text()).contains("\"bytes\":4");
        assertThat(client.read().text()).contains("\"bytes\":3");
    }

    @Test
    void a_body_that_comes_in_pieces_is_put_together() throws Exception {
        String body = "\"" + "y".repeat(700_000) + "\"";
        client.post(ServerFixture.READ, body);

        assertThat(client.read().text()).contains("\"bytes\":700002");
    }

    @Test
    void a_chunked_body_is_put_together() throws Exception {
        client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ServerFixture.READ
                        + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\"ab\r\n2\r\nc\"\r\n0\r\n\r\n");

        assertThat(client.read().text()).contains("\"bytes\":5");
        assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
    }

    @Test
    void a_body_over_the_limit_is_413_also_when_the_client_sends_all_of_it_first() throws Exception {
        client.post(ServerFixture.READ, " ".repeat(3 << 20));

        RawClient.Response answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.text()).isEqualTo("{\"message\":\"the request body is longer than 1048576 bytes\"}");
    }

    @Test
    void healthz_needs_no_token() throws Exception {
        RawClient.Response answer =
                client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").read();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("ok");
    }

    @Test
    void a_failing_rpc_layer_is_500_without_details() throws Exception {
        for (String body : new String[] {"\"fail\"", "\"throw\""}) {
            RawClient.Response answer = client.post(ServerFixture.READ, body).read();
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text()).isEqualTo("{\"message\":\"internal error\"}");
        }
    }

    @Test
    void a_fault_of_the_rpc_layer_takes_no_slot_of_the_token_for_good() throws Exception {
        for (int call = 0; call <= ServerFixture.LIMITS.maxConcurrentPerToken(); call++) {
            assertThat(client.post(ServerFixture.READ, "\"throw\"").read().status())
                    .isEqualTo(500);
        }

        assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
    }

    @Test
    void a_client_that_has_closed_its_sending_side_still_gets_its_answer() throws Exception {
        client.post(ServerFixture.READ, "\"x\"");
        client.socket().shutdownOutput();

        assertThat(client.read().status()).isEqualTo(200);
        assertThat(client.readToEnd()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "-1\r\n", "5\r\nabcdeXX3\r\n", "fffffffffff\r\n"})
    void a_malformed_chunk_is_a_bad_request_and_not_a_late_one(String chunks) throws Exception {
        try (RawClient client = fixture.client()) {
            RawClient.Response answer = client.send("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                            + ServerFixture.READ
                            + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\"x\"\r\n"
                            + chunks)
                    .read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void http_1_0_is_answered_and_closed() throws Exception {
        client.send("POST / HTTP/1.0\r\nAuthorization: Bearer " + ServerFixture.READ
                + "\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n\"x\"");

        assertThat(client.read().status()).isEqualTo(200);
        assertThat(client.readToEnd()).isEmpty();
    }
}
