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

/** A server of HTTP that answers each request with the body that a test has for it, and keeps the requests. */
public final class PlayedServer implements AutoCloseable {
    private final HttpServer server;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    /** @param authorization null when the request had none */
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

    /** Status of the answers from now on. */
    public PlayedServer answering(int changed) {
        status = changed;
        return this;
    }

    /** A member of an answer of JSON-RPC, result or error, with what surrounds it. */
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
