package org.chainwalletd.testkit;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** HTTP server that answers each request with a body supplied by the test, and records the requests. */
public final class PlayedServer implements AutoCloseable {
    private final HttpServer server;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    /**
     * Recorded request.
     *
     * @param authorization null if the request had none
     */
    public record Request(String authorization, String body) {}

    public PlayedServer(Supplier<String> answers) throws IOException {
        this(HttpServer.create(), answers);
    }

    /** @param server not bound yet */
    public PlayedServer(HttpServer server, Supplier<String> answers) throws IOException {
        this.server = server;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.add(new Request(
                    exchange.getRequestHeaders().getFirst("authorization"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            byte[] body = answers.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    /** Sets the status of further answers. */
    public PlayedServer answering(int changed) {
        status = changed;
        return this;
    }

    /** Returns a JSON-RPC answer with this member, a result or an error. */
    public static String rpc(String member) {
        return "{\"jsonrpc\":\"2.0\"," + member + ",\"id\":1}";
    }

    public List<Request> requests() {
        return requests;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
