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

/** Connections and requests of tests, with a timeout if the other side sends nothing. */
public final class Dial {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Client shared by all tests: each client has threads of its own, and creating one for each request costs four times as much as the request. */
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final ObjectMapper JSON = new ObjectMapper();

    private Dial() {}

    /** Sends a request and returns the answer as text. */
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

    /** Parses the text of an answer or an event as JSON. */
    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a request to {@code uri} that fails when no response head arrives within a minute. */
    public static HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri).timeout(PATIENCE);
    }

    /** Creates such a request with a token. */
    public static HttpRequest.Builder request(URI uri, String token) {
        return request(uri).header("authorization", "Bearer " + token);
    }

    /** Creates a JSON-RPC call, or a batch of calls, with a token. */
    public static HttpRequest.Builder post(URI uri, String token, String body) {
        return request(uri, token)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    /** Connects; reads fail after a minute without data. */
    public static Socket socket(URI uri) throws IOException {
        return socket(uri.getHost(), uri.getPort());
    }

    /** Connects; reads fail after a minute without data. */
    public static Socket socket(String host, int port) throws IOException {
        return socket(new InetSocketAddress(host, port));
    }

    /** Connects; reads fail after a minute without data. */
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

    /** Creates an unconnected socket whose reads fail after a minute without data. */
    public static Socket unconnected() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }
}
