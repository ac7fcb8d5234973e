package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/**
 * Node over a real socket that behaves as a test specifies: it can answer, return false data, hang, close connections or flood. Serves one request
 * per connection, like a real node. Each method has a separate script, whose last step repeats.
 */
public final class ScriptedNode implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String END_OF_HEAD = "\r\n\r\n";

    /** Shared threads of all nodes of the process: with hundreds of requests a second, each would otherwise start a thread. */
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-node");
        thread.setDaemon(true);
        return thread;
    });

    /** Response of the node to one request. */
    @FunctionalInterface
    public interface Step {
        void serve(Request request, Socket socket) throws IOException;
    }

    /**
     * Request as received.
     *
     * @param id as JSON text
     */
    public record Request(String head, String method, JsonNode params, String id) {}

    private final ServerSocket server;
    private final String scheme;
    private final Map<String, Deque<Step>> scripts = new HashMap<>();
    private final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger serving = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);

    private ScriptedNode(ServerSocket server, String scheme) {
        this.server = server;
        this.scheme = scheme;
    }

    public static ScriptedNode start() {
        return start(ServerSocketFactory.getDefault(), "http");
    }

    public static ScriptedNode start(ServerSocketFactory sockets, String scheme) {
        try {
            ServerSocket server = sockets.createServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
            ScriptedNode node = new ScriptedNode(server, scheme);
            THREADS.execute(node::accept);
            return node;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a URL without a listener. */
    public static URI refusing() {
        return URI.create("http://127.0.0.1:" + FreePort.any());
    }

    public URI url() {
        return URI.create(scheme + "://127.0.0.1:" + server.getLocalPort());
    }

    /** Sets the script of {@code method}; {@code *} means all methods without one. */
    public ScriptedNode on(String method, Step... steps) {
        synchronized (scripts) {
            scripts.put(method, new ArrayDeque<>(List.of(steps)));
        }
        return this;
    }

    /** Returns the requests in the order in which they were read. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public long count(String method) {
        return requests().stream()
                .filter(request -> request.method().equals(method))
                .count();
    }

    public int mostAtOnce() {
        return mostAtOnce.get();
    }

    public int serving() {
        return serving.get();
    }

    /** Continues all steps that wait because of {@link #held}. */
    public void release() {
        released.countDown();
    }

    @Override
    public void close() {
        release();
        try {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Step result(String json) {
        return (request, socket) ->
                write(socket, 200, "{\"jsonrpc\":\"2.0\",\"result\":" + json + ",\"id\":" + request.id() + "}");
    }

    public static Step error(int code, String message) {
        return (request, socket) -> write(
                socket,
                200,
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" + code + ",\"message\":" + JSON.writeValueAsString(message)
                        + "},\"id\":" + request.id() + "}");
    }

    public static Step body(int status, String body) {
        return (request, socket) -> write(socket, status, body);
    }

    /** Sends only {@code text}, then closes the connection. */
    public static Step raw(String text) {
        return (request, socket) -> socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    public static Step cutOff() {
        return (request, socket) -> {};
    }

    /** Keeps the connection open without an answer until {@link #release} or {@link #close}. */
    public Step hang() {
        return held(cutOff());
    }

    /** Runs {@code step} after {@link #release}. */
    public Step held(Step step) {
        return (request, socket) -> {
            Await.opened(released);
            step.serve(request, socket);
        };
    }

    /** Sends {@code megabytes} of a JSON string without announcing the length, or less if the caller closes the connection. */
    public static Step flood(int megabytes, AtomicInteger sent) {
        return (request, socket) -> {
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\n\r\n{\"jsonrpc\":\"2.0\",\"result\":\"".getBytes(StandardCharsets.UTF_8));
            byte[] megabyte = "a".repeat(1024 * 1024).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < megabytes; i++) {
                out.write(megabyte);
                sent.incrementAndGet();
            }
        };
    }

    /** Sends one byte of an endless answer every 5 ms. */
    public static Step drip() {
        return (request, socket) -> {
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            while (!socket.isClosed()) {
                out.write(' ');
                out.flush();
                Await.pause(5);
            }
        };
    }

    private static void write(Socket socket, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.writeBytes(("HTTP/1.1 " + status + " X\r\nContent-Type: application/json\r\nContent-Length: "
                        + bytes.length + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        answer.writeBytes(bytes);
        socket.getOutputStream().write(answer.toByteArray());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                THREADS.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        mostAtOnce.accumulateAndGet(serving.incrementAndGet(), Math::max);
        try (socket) {
            Request request = read(socket.getInputStream());
            requests.add(request);
            step(request.method()).serve(request, socket);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            // The caller closed the connection, which many scripts provoke.
        } finally {
            serving.decrementAndGet();
            open.remove(socket);
        }
    }

    private Step step(String method) {
        synchronized (scripts) {
            Deque<Step> script = scripts.getOrDefault(method, scripts.get("*"));
            if (script == null) {
                return error(-32601, "Method not found");
            }
            return script.size() > 1 ? script.poll() : script.peek();
        }
    }

    /** Treats a GET as a call without parameters of the method named like its path, such as {@code /sse}. */
    private static Request read(InputStream raw) throws IOException {
        InputStream in = new BufferedInputStream(raw);
        StringBuilder head = new StringBuilder();
        while (!endsHead(head)) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.append((char) next);
        }
        if (head.indexOf("GET ") == 0) {
            return new Request(head.toString(), head.substring(4).split("[? ]", 2)[0], null, "null");
        }
        int length = head.toString()
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).trim()))
                .findFirst()
                .orElseThrow(() -> new IOException("no Content-Length"));
        JsonNode body = JSON.readTree(in.readNBytes(length));
        return new Request(
                head.toString(),
                body.required("method").textValue(),
                body.get("params"),
                body.required("id").toString());
    }

    private static boolean endsHead(StringBuilder head) {
        int start = head.length() - END_OF_HEAD.length();
        return start >= 0 && head.indexOf(END_OF_HEAD, start) == start;
    }
}
