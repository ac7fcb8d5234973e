package org.chainwalletd.devnet.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The answers of the transport, byte for byte as a node writes them. */
final class HttpText {
    private static final String JSON = "application/json";
    private static final String PLAIN = "text/plain";

    static final byte[] STREAM_HEAD =
            ascii("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
                    + "Connection: keep-alive\r\nX-Accel-Buffering: no\r\n\r\n");

    private HttpText() {}

    /**
     * @param status 200 or 400
     */
    static byte[] json(int status, byte[] body) {
        return answer(status == 200 ? "200 OK" : "400 Bad Request", JSON, body);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] answer(String status, String contentType, byte[] body) {
        byte[] head = ascii("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\nContent-Length: "
                + body.length + "\r\nConnection: close\r\n\r\n");
        byte[] answer = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, answer, head.length, body.length);
        return answer;
    }

    /** Answer of the transport itself. */
    record Refusal(String status, String contentType, String body) {
        static final Refusal HEAD_TOO_LARGE = new Refusal("400 Bad Request", JSON, "Bad Request");
        static final Refusal CONTENT_LENGTH = new Refusal("400 Bad Request", JSON, "Invalid Content-Length");
        static final Refusal METHOD = new Refusal("405 Method Not Allowed", JSON, "Method Not Allowed");
        static final Refusal PUSH_OFF = new Refusal("404 Not Found", JSON, "Not Found");
        static final Refusal PUSH_FULL = new Refusal("503 Service Unavailable", PLAIN, "SSE connection pool exhausted");
        static final Refusal PUSH_PER_PEER =
                new Refusal("429 Too Many Requests", PLAIN, "Too many SSE connections from this IP");

        static Refusal badRequest(String text) {
            return new Refusal("400 Bad Request", PLAIN, text);
        }

        byte[] answer() {
            return HttpText.answer(status, contentType, body.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The transport refuses a request. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Refusal refusal;

        RefusedException(Refusal refusal) {
            super(refusal.body(), null, false, false);
            this.refusal = refusal;
        }

        Refusal refusal() {
            return refusal;
        }
    }
}
