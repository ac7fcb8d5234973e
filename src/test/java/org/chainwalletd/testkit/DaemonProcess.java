package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.client.WalletdClient;

/**
 * The packaged daemon as a process of its own, started through the launcher like an operator would. Ports are chosen by the system and read
 * from what the daemon prints.
 */
public final class DaemonProcess implements AutoCloseable {
    public static final String PASSPHRASE = "correct horse";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern READY = Pattern.compile("ready on (https?://\\S+)");
    private static final Pattern NODE = Pattern.compile("development node on (http://\\S+)");

    private final Process process;
    private final Path datadir;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private final CompletableFuture<URI> ready = new CompletableFuture<>();
    private final CompletableFuture<URI> node = new CompletableFuture<>();
    private final Thread reader;

    private DaemonProcess(Process process, Path datadir) {
        this.process = process;
        this.datadir = datadir;
        this.reader = new Thread(this::read, "daemon-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** {@code target/chain-walletd} of the build that runs the test. */
    public static Path packageFolder() {
        return Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd"));
    }

    /** Starts with a development node whose blocks come on demand. */
    public static DaemonProcess startWithDevnet(Path datadir, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--datadir",
                datadir.toString(),
                "--bind",
                "127.0.0.1:0",
                "--devnet",
                "--devnet-bind",
                "127.0.0.1:0",
                "--devnet-block-interval",
                "0"));
        arguments.addAll(List.of(more));
        DaemonProcess daemon = launch(packageFolder(), datadir, Map.of(), arguments);
        daemon.awaitReady();
        return daemon;
    }

    /** Starts the launcher of {@code packageFolder} with exactly these arguments; does not wait. */
    public static DaemonProcess launch(
            Path packageFolder, Path datadir, Map<String, String> environment, List<String> arguments) {
        return launch(
                packageFolder.resolve("bin/chain-walletd").toAbsolutePath(), null, datadir, environment, arguments);
    }

    public static DaemonProcess launch(
            Path launcher, Path workingFolder, Path datadir, Map<String, String> environment, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(launcher.toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (workingFolder != null) {
            builder.directory(workingFolder.toFile());
        }
        builder.environment().putIfAbsent("WALLETD_KEYSTORE_PASSPHRASE", PASSPHRASE);
        builder.environment().putIfAbsent("WALLETD_ARCHIVE", "off");
        environment.forEach((name, value) -> {
            if (value.isEmpty()) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
        });
        try {
            return new DaemonProcess(builder.start(), datadir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
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
        } catch (IOException e) {
            output.add("(output lost: " + e.getMessage() + ")");
        }
        ready.completeExceptionally(new IllegalStateException("the daemon ended:\n" + String.join("\n", output)));
        node.completeExceptionally(new IllegalStateException("the daemon ended"));
    }

    public URI awaitReady() {
        return get(ready);
    }

    public URI nodeUri() {
        return get(node);
    }

    private URI get(CompletableFuture<URI> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            process.destroyForcibly();
            throw new IllegalStateException("not ready: " + e.getMessage() + "\n" + String.join("\n", output), e);
        }
    }

    public String token(String scope) {
        try {
            return Files.readString(datadir.resolve("token-" + scope)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public WalletdClient client(String scope) {
        return new WalletdClient(awaitReady(), token(scope), Optional.empty(), PATIENCE);
    }

    /** Calls with the spend token. */
    public JsonNode call(String method, Map<String, ?> params) {
        return client("spend").call(method, params);
    }

    public JsonNode nodeCall(String method, Map<String, ?> params) {
        return new WalletdClient(nodeUri(), "none", Optional.empty(), PATIENCE).call(method, params);
    }

    /** SIGTERM, then the exit code. */
    public int stop() {
        process.destroy();
        return exitCode();
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    public int exitCode() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("did not end:\n" + String.join("\n", output));
            }
            reader.join(PATIENCE.toMillis());
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public List<String> output() {
        return List.copyOf(output);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
