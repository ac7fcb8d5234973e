package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** The pool's REST interface (swap specification, section 3), one small request at a time from a few callers. */
final class PoolServer implements AutoCloseable {
    private static final int MOST_BYTES = 64 * 1024;
    private static final int THREADS = 4;
    private static final int BACKLOG = 50;
    private static final String JSON_TYPE = "application/json";

    private final ObjectMapper json = new ObjectMapper();
    private final PoolConfig config;
    private final Pool pool;
    private final HttpServer server;
    private final ExecutorService threads;

    PoolServer(PoolConfig config, Pool pool) throws IOException {
        this.config = config;
        this.pool = pool;
        server = HttpServer.create(config.bind(), BACKLOG);
        threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "devnet-pool-http");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/", this::serve);
    }

    void start() {
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!pool.answers()) {
                return;
            }
            byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                write(exchange, 413, error("too long"));
                return;
            }
            try {
                write(exchange, 200, route(exchange, body));
            } catch (PoolRefusal refusal) {
                write(exchange, refusal.status(), error(refusal.getMessage()));
            } catch (JsonProcessingException e) {
                write(exchange, 400, error("not JSON"));
            } catch (IOException e) {
                write(exchange, 502, error("the account chain does not answer"));
            }
        }
    }

    private ObjectNode route(HttpExchange exchange, byte[] body) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        String asked = exchange.getRequestMethod() + " " + place(path);
        if (asked.equals("POST quote")) {
            return pool.quote(read(body));
        }
        if (asked.equals("POST swap notify-" + config.words().chain() + "-lock")) {
            return pool.notifyLock(path[3], read(body));
        }
        return switch (asked) {
            case "GET pool" -> pool.info();
            case "GET swap" -> pool.status(path[3]);
            case "POST swap relay-claim" -> pool.relay(path[3], read(body));
            case "GET price klines" -> candles(exchange);
            case "GET lp", "GET lp position", "POST lp deposit", "GET lp deposit", "POST lp withdraw" ->
                throw new PoolRefusal(501, "this pool takes no deposits");
            default -> throw new PoolRefusal(404, "no such resource");
        };
    }

    /** {@code /api/swap/{id}/relay-claim} is at "swap relay-claim", {@code /api/swap/{id}} at "swap", {@code /api/price/klines} at "price klines". */
    private static String place(String[] path) {
        if (path.length < 3 || !path[1].equals("api")) {
            return "";
        }
        boolean named = path[2].equals("swap");
        if (path.length == 3) {
            return named ? "" : path[2];
        }
        if (named) {
            return path.length == 4 ? path[2] : path[2] + " " + path[4];
        }
        return path[2] + " " + path[3];
    }

    private JsonNode read(byte[] body) throws IOException {
        JsonNode request = json.readTree(body);
        if (!request.isObject()) {
            throw new PoolRefusal(400, "not an object");
        }
        return request;
    }

    private ObjectNode candles(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        Map<String, String> words = Arrays.stream((query == null ? "" : query).split("&"))
                .filter(part -> part.contains("="))
                .collect(Collectors.toMap(
                        part -> part.substring(0, part.indexOf('=')),
                        part -> part.substring(part.indexOf('=') + 1),
                        (first, second) -> first));
        try {
            return pool.candles(
                    words.getOrDefault("interval", "1d"), Integer.parseInt(words.getOrDefault("limit", "120")));
        } catch (NumberFormatException e) {
            throw new PoolRefusal(400, "unknown interval or limit");
        }
    }

    private static ObjectNode error(String message) {
        return JsonNodeFactory.instance.objectNode().put("error", message);
    }

    private void write(HttpExchange exchange, int status, ObjectNode answer) throws IOException {
        byte[] bytes = json.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", JSON_TYPE);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** A request that the pool does not serve, with its HTTP status and the text for the caller. */
    static final class PoolRefusal extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int status;

        PoolRefusal(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }
}
