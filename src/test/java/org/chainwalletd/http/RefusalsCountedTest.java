package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each refused request is counted once under its reason, whichever layer refuses it, including requests that never get past Pekko's parser. */
class RefusalsCountedTest extends WithServer {
    private static final String HOST = "Host: localhost\r\n";

    @BeforeEach
    void serve() throws Exception {
        start(ServerFixture.LIMITS);
    }

    @ParameterizedTest
    @CsvSource({
        "no-host, 400, malformed",
        "no-request, 400, malformed",
        "unknown-method, 501, malformed",
        "body-of-a-trace, 422, malformed",
        "deep-target, 414, target",
        "unknown-expectation, 417, malformed",
        "unknown-version, 505, malformed",
        "long-target, 414, target",
        "long-field, 431, field",
        "long-head, 431, head",
        "many-fields, 400, malformed",
        "no-such-path, 404, path",
        "no-such-method-there, 405, method",
        "put, 405, method",
        "xml, 415, type",
        "long-body, 413, length"
    })
    void a_refused_request_is_counted_under_its_reason(String request, int status, String reason) throws Exception {
        try (RawClient client = fixture.client()) {
            client.send(text(request));

            assertThat(client.read().status()).isEqualTo(status);
            fixture.awaitRefusal(reason);
            assertThat(fixture.refusals).containsExactly(reason);
        }
    }

    @Test
    void answers_of_calls_are_no_refusals_also_when_they_look_like_one() throws Exception {
        try (RawClient client = fixture.client()) {
            for (int i = 0; i < 3; i++) {
                client.post(ServerFixture.READ, "HTTP/1.1 400 Bad Request");
                assertThat(client.read().status()).isEqualTo(200);
            }
            client.send("GET /healthz HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        assertThat(fixture.refusals).isEmpty();
    }

    private static String text(String request) {
        return switch (request) {
            case "no-host" -> "GET / HTTP/1.1\r\n\r\n";
            case "no-request" -> "what is this\r\n\r\n";
            case "unknown-method" -> "WHAT / HTTP/1.1\r\n" + HOST + "\r\n";
            case "body-of-a-trace" -> "TRACE / HTTP/1.1\r\n" + HOST + "Content-Length: 1\r\n\r\nx";
            case "deep-target" -> "GET " + "/".repeat(2000) + ". HTTP/1.1\r\n" + HOST + "\r\n";
            case "unknown-expectation" -> "GET / HTTP/1.1\r\n" + HOST + "Expect: more\r\n\r\n";
            case "unknown-version" -> "GET / HTTP/4.2\r\n" + HOST + "\r\n";
            case "long-target" -> "GET /" + "x".repeat(4000) + " HTTP/1.1\r\n" + HOST + "\r\n";
            case "long-field" -> "GET / HTTP/1.1\r\n" + HOST + "X: " + "y".repeat(9 << 10) + "\r\n\r\n";
            case "long-head" ->
                "GET / HTTP/1.1\r\n" + HOST + ("X: " + "y".repeat(7 << 10) + "\r\n").repeat(6) + "\r\n\r\n";
            case "many-fields" -> "GET / HTTP/1.1\r\n" + HOST + "a: b\r\n".repeat(100) + "\r\n";
            case "no-such-path" -> "GET /nothing HTTP/1.1\r\n" + HOST + "\r\n";
            case "no-such-method-there" -> "DELETE /healthz HTTP/1.1\r\n" + HOST + "\r\n";
            case "put" -> "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 0\r\n\r\n";
            case "xml" -> RawClient.postText(ServerFixture.READ, "<a/>").replace("/json", "/xml");
            case "long-body" -> RawClient.postText(ServerFixture.READ, "z".repeat((1 << 20) + 1));
            default -> throw new IllegalArgumentException(request);
        };
    }
}
