package org.chainwalletd.devnet.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Client of one node: opens a connection per request and returns every byte of the answer. Blocking. */
record Peer(URI uri) {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PATIENCE_MILLIS = 40_000;
    private static final int MOST_ANSWER_BYTES = 8 << 20;
    private static final int DEFAULT_PORT = 9_334;

    /**
     * Returns everything the node sends until it closes the connection or has sent {@code events} events of a push stream.
     *
     * @param request its bytes as Latin-1
     * @param events how many events a stream begins with
     * @throws IOException when the node cannot be reached or does not end its answer
     */
    String exchange(String request, int events) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(
                    new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()),
                    PATIENCE_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return read(socket.getInputStream(), events);
        }
    }

    private static String read(InputStream in, int events) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        byte[] buffer = new byte[16_384];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            answer.write(buffer, 0, count);
            if (answer.size() > MOST_ANSWER_BYTES) {
                throw new IOException("an answer of more than " + MOST_ANSWER_BYTES + " bytes");
            }
            String text = answer.toString(StandardCharsets.ISO_8859_1);
            if (text.contains("text/event-stream") && text.split("\n\n", -1).length > events) {
                return text;
            }
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * The whole answer of a call.
     *
     * @param params JSON text
     */
    JsonNode call(String method, String params) throws IOException {
        String answer = exchange(
                post("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":1}"), 0);
        return JSON.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }

    /** A request with this body; {@code body} and result are bytes as Latin-1. */
    static String post(String body) {
        return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }
}
