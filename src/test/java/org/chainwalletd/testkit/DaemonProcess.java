package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/**
 * Packaged program in a separate process, started through the launcher as an operator would ({@link LauncherCall}). The address at which it listens
 * is read from its output.
 */
public final class DaemonProcess implements AutoCloseable {
    public static final String PASSPHRASE = "correct horse";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Time limit of a process; making an archive of classes takes a large part of it. */
    private static final Duration LIFETIME = Duration.ofMinutes(3);

    /** Clients of development nodes, by URI. */
    private static final Map<URI, WalletdClient> NODES = new ConcurrentHashMap<>();

    private static final Pattern READY = Pattern.compile("ready on (https?://\\S+)");
    private static final Pattern NODE = Pattern.compile("development node on (http://\\S+)");

    private final Process process;
    private final Path datadir;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final CompletableFuture<URI> ready = new CompletableFuture<>();
    private final CompletableFuture<URI> node = new CompletableFuture<>();
    private final Map<String, WalletdClient> clients = new ConcurrentHashMap<>();
    private final List<Thread> readers;

    DaemonProcess(Process process, Path datadir) {
        this.process = process;
        this.datadir = datadir;
        this.readers = List.of(
                reading(process.getInputStream(), this::onOutput), reading(process.getErrorStream(), errors::add));
    }

    private static Thread reading(InputStream stream, Consumer<String> each) {
        Thread thread = new Thread(() -> read(stream, each), "output-of-process");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void read(InputStream stream, Consumer<String> each) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                each.accept(line);
            }
        } catch (IOException e) {
            each.accept("(output lost: " + e.getMessage() + ")");
        }
    }

    private void onOutput(String line) {
        output.add(line);
        Matcher devnet = NODE.matcher(line);
        if (devnet.find()) {
            node.complete(URI.create(devnet.group(1)));
        }
        Matcher bound = READY.matcher(line);
        if (bound.find()) {
            ready.complete(URI.create(bound.group(1)));
        }
    }

    /** Waits until the daemon serves, and returns its address; fails if the process ends before. */
    public URI awaitReady() {
        return get(ready);
    }

    /** Waits until its development node serves, and returns the node's address. */
    public URI nodeUri() {
        return get(node);
    }

    private URI get(CompletableFuture<URI> future) {
        CompletableFuture<Object> first = CompletableFuture.anyOf(future, process.onExit());
        try {
            first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (!future.isDone()) {
                exitCode();
            }
            return future.get(0, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IllegalStateException("not serving:\n" + transcript(), e);
        }
    }

    public String token(String scope) {
        try {
            return Files.readString(datadir.resolve("token-" + scope)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a client with the token that the scope's file contained at the first call. */
    public WalletdClient client(String scope) {
        return clients.computeIfAbsent(scope, word -> clientWith(token(word)));
    }

    public WalletdClient clientWith(String token) {
        return new WalletdClient(awaitReady(), token, Optional.empty(), PATIENCE);
    }

    /** Calls with the spend token. */
    public JsonNode call(String method, Map<String, ?> params) {
        return client("spend").call(method, params);
    }

    /** Returns the error of a call with the spend token. */
    public WalletdException.RpcError refusal(String method, Map<String, ?> params) {
        return refusal(client("spend"), method, params);
    }

    /** Returns the error of a call. */
    public static WalletdException.RpcError refusal(WalletdClient client, String method, Map<String, ?> params) {
        JsonNode result;
        try {
            result = client.call(method, params);
        } catch (WalletdException.RpcError refused) {
            return refused;
        }
        throw new AssertionError(method + " was not refused but gave " + result);
    }

    /** Calls the development node of this process. A node closes each connection after the answer, so no connection is used twice. */
    public JsonNode nodeCall(String method, Map<String, ?> params) {
        return nodeCall(nodeUri(), method, params);
    }

    /** Calls a development node elsewhere. */
    public static JsonNode nodeCall(URI node, String method, Map<String, ?> params) {
        return NODES.computeIfAbsent(node, uri -> new WalletdClient(uri, "none", Optional.empty(), PATIENCE))
                .call(method, params);
    }

    /** Returns the value of a metric without labels from {@code GET /metrics}. */
    public double metric(String name) {
        HttpRequest request = Dial.request(awaitReady().resolve("/metrics"))
                .header("authorization", "Bearer " + token("read"))
                .build();
        String page = Dial.answer(request).body();
        return page.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no metric " + name + " in\n" + page));
    }

    public long pid() {
        return process.pid();
    }

    /** Writes a dump of all reachable objects, after a full garbage collection. */
    public void dumpHeap(Path file) throws IOException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(pid()),
                        "GC.heap_dump",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = Await.output(jcmd);
        assertThat(Await.exit(jcmd)).as(said).isZero();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, given by its name without SIG. */
    public void signal(String name) {
        try {
            int code = Await.exit(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start());
            if (code != 0) {
                throw new IllegalStateException("kill -" + name + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends SIGTERM and returns the exit code. */
    public int stop() {
        signal("TERM");
        return exitCode();
    }

    /** Sends SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Waits until the process ends, and returns its exit code. */
    public int exitCode() {
        try {
            if (!process.waitFor(LIFETIME.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("did not end:\n" + transcript());
            }
            for (Thread reader : readers) {
                reader.join(PATIENCE.toMillis());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the lines of standard output so far. */
    public List<String> output() {
        return List.copyOf(output);
    }

    /** Returns the lines of standard error so far, which are the log. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    /** Returns everything printed so far, for the messages of failed tests. */
    public String transcript() {
        return String.join("\n", output) + "\n" + String.join("\n", errors);
    }

    /**
     * Ends the process and waits for its end, so that nothing writes into its folder afterwards and its processor time counts for the test that
     * started it.
     */
    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
