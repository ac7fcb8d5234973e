package org.chainwalletd.devnet;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.testkit.Dial;

/** Calls a node over a plain socket, one connection per call, so that every byte of an answer can be checked. */
final class NodeCall {
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private NodeCall() {}

    /** Sends {@code request} as Latin-1 and returns everything up to the end of the connection. */
    static String raw(URI node, String request) {
        try (Socket socket = connect(node)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Socket connect(URI node) throws IOException {
        return Dial.socket(node);
    }

    static String post(URI node, String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        String answer = raw(
                node,
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n"
                        + new String(body.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    /** Returns the whole answer of a call; {@code params} may be null. */
    static JsonNode answer(URI node, String method, JsonNode params) {
        ObjectNode request = JSON.createObjectNode().put("jsonrpc", "2.0").put("method", method);
        if (params != null) {
            request.set("params", params);
        }
        return read(post(node, request.put("id", 1).toString()));
    }

    /** Returns the result of a call with JSON parameters, written with single quotes instead of double ones. */
    static JsonNode result(URI node, String method, String params) {
        JsonNode answer = answer(node, method, read(params.replace('\'', '"')));
        if (!answer.has("result")) {
            throw new AssertionError(method + " failed: " + answer);
        }
        return answer.get("result");
    }

    /** Returns {@code <code> <message>} of a call that must fail. */
    static String error(URI node, String method, String params) {
        JsonNode error = answer(node, method, read(params.replace('\'', '"'))).required("error");
        return error.required("code").intValue() + " "
                + error.required("message").textValue();
    }

    static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
