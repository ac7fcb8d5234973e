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

/** One HTTP address of the chain. It is honest and well until a test tells it otherwise; other endpoints of the chain do not notice. */
public final class EvmEndpoint implements AutoCloseable {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_CALLS = 100;
    private static final int MOST_REMEMBERED = 20_000;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String ANY = "*";

    static {
        // Without it the second of two small writes waits 40 ms for the first one's acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** A call as it was read. */
    public record Call(String method, JsonNode params) {}

    /** What happens to a call instead of an answer. Thrown, since it may come from within a batch. */
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

    /** Does a call, or not, and says what becomes of it. */
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

    /** What it says although it is not so. */
    public EvmLies lies() {
        return lies;
    }

    /** It sees the chain as it was {@code blocks} blocks ago; 0: as it is. */
    public void behind(int blocks) {
        rpc.behind(blocks);
    }

    /** Connections are refused until {@link #up}. */
    public synchronized void down() {
        server.stop(0);
    }

    /** Listens again, at the same port. */
    public synchronized void up() {
        server = listen(address);
    }

    /** Calls of {@code method} ({@code *}: all) get no answer, until {@link #behave}. */
    public void hang(String method) {
        faults.put(method, (call, self) -> {
            CountDownLatch until = released;
            throw new Misbehaviour(exchange -> {
                Await.opened(until);
            });
        });
    }

    /** Answers with megabytes of one JSON string whose length is not announced. */
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

    /** Refuses with a JSON-RPC error. */
    public void refuse(String method, int code, String message) {
        faults.put(method, (call, self) -> {
            throw new EvmRefusal(code, message);
        });
    }

    /** Does what is asked, and closes the connection without a word. */
    public void loseAnswers(String method) {
        faults.put(method, (call, self) -> {
            self.honest(call);
            throw new Misbehaviour(exchange -> {});
        });
    }

    /** Says that a transaction was taken, and drops it. */
    public void swallowSends() {
        faults.put(
                "eth_sendRawTransaction",
                (call, self) -> NODES.textNode(EvmJson.hex(Hash256.of(Keccak256.of(
                        EvmJson.bytes(call.params().get(0), "transaction").toArray())))));
    }

    /** Does {@code step} just before each call of {@code method}. */
    public void before(String method, Runnable step) {
        before.put(method, step);
    }

    /** Hears each well-formed transaction before it is taken or refused, whatever else the endpoint was told. */
    public void hear(Consumer<SignedTransaction> ear) {
        heard = ear;
    }

    /** Well and honest again; what hangs is let go. */
    public void behave() {
        faults.clear();
        before.clear();
        lies.stop();
        rpc.behind(0);
        released.countDown();
        released = new CountDownLatch(1);
    }

    /** How often {@code method} was called. */
    public long count(String method) {
        return calls().stream().filter(call -> call.method().equals(method)).count();
    }

    /** The calls in the order in which they were read, at most 20,000. */
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

    /** What the chain says, with the lies of this endpoint. */
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
