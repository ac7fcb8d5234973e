package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Connections and requests of tests that give up when the other side says nothing. */
public final class Dial {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The client of all tests: each has threads of its own, and a new one for each question costs four times as much as the question. */
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final ObjectMapper JSON = new ObjectMapper();

    private Dial() {}

    /** The answer to a request, as text. */
    public static HttpResponse<String> answer(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Text of an answer, or of an event, as JSON. */
    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request for {@code uri} that fails when no head of an answer comes within a minute. */
    public static HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri).timeout(PATIENCE);
    }

    /** The same request with a token. */
    public static HttpRequest.Builder request(URI uri, String token) {
        return request(uri).header("authorization", "Bearer " + token);
    }

    /** A JSON-RPC call, or a batch of them, with a token. */
    public static HttpRequest.Builder post(URI uri, String token, String body) {
        return request(uri, token)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    /** A connection whose reads fail after a minute of silence. */
    public static Socket socket(URI uri) throws IOException {
        return socket(uri.getHost(), uri.getPort());
    }

    /** A connection whose reads fail after a minute of silence. */
    public static Socket socket(String host, int port) throws IOException {
        return socket(new InetSocketAddress(host, port));
    }

    /** A connection whose reads fail after a minute of silence. */
    public static Socket socket(InetSocketAddress address) throws IOException {
        Socket socket = unconnected();
        try {
            socket.connect(address, (int) PATIENCE.toMillis());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    /** A socket that is not connected yet, whose reads fail after a minute of silence. */
    public static Socket unconnected() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }
}
