package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FreePort;

/** HTTP endpoint of the chain. It works correctly until a test changes that; other endpoints of the chain are not affected. */
public final class EvmEndpoint implements AutoCloseable {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_CALLS = 100;
    private static final int MOST_REMEMBERED = 20_000;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String ANY = "*";

    static {
        // Without this the second of two small writes waits 40 ms for the acknowledgement of the first.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** Call as received. */
    public record Call(String method, JsonNode params) {}

    /** Effect on a call in place of an answer; thrown, because the call may be part of a batch. */
    private static final class Misbehaviour extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Reply reply;

        Misbehaviour(Reply reply) {
            super("misbehaves", null, false, false);
            this.reply = reply;
        }
    }

    @FunctionalInterface
    private interface Reply {
        void write(HttpExchange exchange) throws IOException;
    }

    /** Handles a call, executing it or not. */
    @FunctionalInterface
    private interface Fault {
        JsonNode serve(Call call, EvmEndpoint endpoint);
    }

    private final EvmRpc rpc;
    private final EvmLies lies = new EvmLies();
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();
    private final Map<String, Runnable> before = new ConcurrentHashMap<>();
    private volatile Consumer<SignedTransaction> heard = tx -> {};
    private final List<Call> calls = new ArrayList<>();
    private final ExecutorService threads;
    private final InetSocketAddress address;
    private volatile CountDownLatch released = new CountDownLatch(1);
    private HttpServer server;

    EvmEndpoint(EvmRpc rpc) {
        this.rpc = rpc;
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "evm-endpoint");
            thread.setDaemon(true);
            return thread;
        });
        address = FreePort.address();
        server = listen(address);
    }

    private HttpServer listen(InetSocketAddress at) {
        try {
            HttpServer listening = HttpServer.create(at, 200);
            listening.setExecutor(threads);
            listening.createContext("/", this::serve);
            listening.start();
            return listening;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + address.getPort() + "/");
    }

    /** Returns the false answers that this endpoint gives. */
    public EvmLies lies() {
        return lies;
    }

    /** Makes the endpoint lag {@code blocks} blocks behind the chain; 0 for none. */
    public void behind(int blocks) {
        rpc.behind(blocks);
    }

    /** Refuses connections until {@link #up}. */
    public synchronized void down() {
        server.stop(0);
    }

    /** Listens again on the same port. */
    public synchronized void up() {
        server = listen(address);
    }

    /** Leaves calls of {@code method} ({@code *}: all) unanswered until {@link #behave}. */
    public void hang(String method) {
        faults.put(method, (call, self) -> {
            CountDownLatch until = released;
            throw new Misbehaviour(exchange -> {
                Await.opened(until);
            });
        });
    }

    /** Answers with megabytes of a JSON string without announcing the length. */
    public void flood(String method, int megabytes) {
        faults.put(method, (call, self) -> {
            throw new Misbehaviour(exchange -> {
                exchange.sendResponseHeaders(200, 0);
                OutputStream out = exchange.getResponseBody();
                out.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x".getBytes(StandardCharsets.US_ASCII));
                byte[] megabyte = new byte[1 << 20];
                Arrays.fill(megabyte, (byte) '0');
                for (int i = 0; i < megabytes; i++) {
                    out.write(megabyte);
                }
                out.write("\"}".getBytes(StandardCharsets.US_ASCII));
            });
        });
    }

    /** Answers with this status and text instead of JSON-RPC. */
    public void status(String method, int status, String body) {
        faults.put(method, (call, self) -> {
            throw new Misbehaviour(exchange -> write(exchange, status, body));
        });
    }

    /** Answers with a JSON-RPC error. */
    public void refuse(String method, int code, String message) {
        faults.put(method, (call, self) -> {
            throw new EvmRefusal(code, message);
        });
    }

    /** Executes calls, but closes the connection without an answer. */
    public void loseAnswers(String method) {
        faults.put(method, (call, self) -> {
            self.honest(call);
            throw new Misbehaviour(exchange -> {});
        });
    }

    /** Reports transactions as accepted, but drops them. */
    public void swallowSends() {
        faults.put(
                "eth_sendRawTransaction",
                (call, self) -> NODES.textNode(EvmJson.hex(Hash256.of(Keccak256.of(
                        EvmJson.bytes(call.params().get(0), "transaction").toArray())))));
    }

    /** Runs {@code step} immediately before each call of {@code method}. */
    public void before(String method, Runnable step) {
        before.put(method, step);
    }

    /** Passes each well-formed transaction to a listener before it is accepted or refused, regardless of other settings of the endpoint. */
    public void hear(Consumer<SignedTransaction> ear) {
        heard = ear;
    }

    /** Restores correct behaviour and releases hanging calls. */
    public void behave() {
        faults.clear();
        before.clear();
        lies.stop();
        rpc.behind(0);
        released.countDown();
        released = new CountDownLatch(1);
    }

    /** Returns the number of calls of {@code method}. */
    public long count(String method) {
        return calls().stream().filter(call -> call.method().equals(method)).count();
    }

    /** Returns the calls in the order in which they were read, at most 20,000. */
    public List<Call> calls() {
        synchronized (calls) {
            return List.copyOf(calls);
        }
    }

    @Override
    public synchronized void close() {
        released.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                write(exchange, 413, "");
                return;
            }
            try {
                write(exchange, 200, EvmJson.MAPPER.writeValueAsString(answer(body)));
            } catch (Misbehaviour misbehaviour) {
                misbehaviour.reply.write(exchange);
            }
        }
    }

    private JsonNode answer(byte[] body) throws IOException {
        JsonNode request;
        try {
            request = EvmJson.MAPPER.readTree(body);
        } catch (JsonProcessingException e) {
            return invalid();
        }
        if (!request.isArray()) {
            return one(request);
        }
        if (request.isEmpty() || request.size() > MOST_CALLS) {
            return invalid();
        }
        ArrayNode answers = NODES.arrayNode();
        request.forEach(each -> answers.add(one(each)));
        return answers;
    }

    private JsonNode one(JsonNode request) {
        if (!request.path("method").isTextual()) {
            return invalid();
        }
        Call call = new Call(request.get("method").textValue(), request.path("params"));
        remember(call);
        tell(call);
        Optional.ofNullable(before.get(call.method())).ifPresent(Runnable::run);
        ObjectNode answer = NODES.objectNode().put("jsonrpc", "2.0").set("id", request.path("id"));
        try {
            Fault fault = faults.getOrDefault(call.method(), faults.get(ANY));
            return answer.set("result", fault == null ? honest(call) : fault.serve(call, this));
        } catch (EvmRefusal refusal) {
            ObjectNode error =
                    answer.putObject("error").put("code", refusal.code()).put("message", refusal.getMessage());
            refusal.data().ifPresent(data -> error.put("data", EvmJson.hex(data)));
            return answer;
        }
    }

    /** Returns the chain's answer with the falsifications of this endpoint. */
    private JsonNode honest(Call call) {
        return lies.answer(call.method(), call.params(), rpc.call(call.method(), call.params()));
    }

    private void tell(Call call) {
        if (call.method().equals("eth_sendRawTransaction")) {
            try {
                heard.accept(
                        SignedTransaction.decode(EvmJson.bytes(call.params().get(0), "transaction")));
            } catch (IllegalArgumentException | EvmRefusal malformed) {
                return;
            }
        }
    }

    private void remember(Call call) {
        synchronized (calls) {
            if (calls.size() < MOST_REMEMBERED) {
                calls.add(call);
            }
        }
    }

    private static JsonNode invalid() {
        ObjectNode answer = NODES.objectNode().put("jsonrpc", "2.0").putNull("id");
        answer.putObject("error").put("code", -32_600).put("message", "Invalid request");
        return answer;
    }

    private static void write(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }
}
