package org.chainwalletd.devnet.pool;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A private {@code anvil} process on a free port of the loopback interface: chain id 31337, and {@code safe} and {@code finalized} close behind
 * the tip. The process ends on {@link #close()} and on an orderly exit of this process.
 */
public final class Anvil implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern LISTENING = Pattern.compile("Listening on (127\\.0\\.0\\.1:\\d+)");
    private static final String PROGRAM = "anvil";
    /** Greatest depth of the program below a folder; npm puts it five levels down. */
    private static final int DEPTH = 6;

    private final Process process;
    private final Thread atExit;
    private final CompletableFuture<URI> uri = new CompletableFuture<>();

    private Anvil(Process process) {
        this.process = process;
        atExit = new Thread(process::destroyForcibly, "anvil-end");
    }

    /**
     * Looks for the program.
     *
     * @param named the program itself, or a folder that has it somewhere below, such as one that npm installed it into; empty: the folders of
     *     {@code path} are looked at
     * @param path folders as in the variable PATH
     */
    public static Optional<Path> find(Optional<Path> named, String path) {
        if (named.isEmpty()) {
            return Arrays.stream(path.split(Pattern.quote(File.pathSeparator)))
                    .filter(folder -> !folder.isEmpty())
                    .map(folder -> Path.of(folder).resolve(PROGRAM))
                    .filter(Anvil::isProgram)
                    .findFirst();
        }
        if (isProgram(named.get())) {
            return named;
        }
        try (Stream<Path> below = Files.find(
                named.get(),
                DEPTH,
                (file, attributes) -> file.endsWith(PROGRAM) && attributes.isRegularFile() && isProgram(file))) {
            return below.findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    /**
     * Starts the process; it answers requests when this method returns.
     *
     * @param blockTime block interval in whole seconds; zero: a block only when {@code evm_mine} asks for one
     * @throws IOException when the program cannot be run, or does not answer within half a minute
     */
    public static Anvil start(Path program, Duration blockTime) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--chain-id",
                "31337",
                "--slots-in-an-epoch",
                "1"));
        if (blockTime.isZero()) {
            command.add("--no-mining");
        } else {
            command.addAll(List.of("--block-time", Long.toString(blockTime.toSeconds())));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        Anvil anvil = new Anvil(process);
        Runtime.getRuntime().addShutdownHook(anvil.atExit);
        Thread reader = new Thread(anvil::read, "anvil-output");
        reader.setDaemon(true);
        reader.start();
        try {
            anvil.uri.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return anvil;
        } catch (ExecutionException | TimeoutException e) {
            anvil.close();
            throw new IOException(program + " does not start: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            anvil.close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " started", e);
        }
    }

    /** Drains the process's output: it would block on a full pipe. */
    private void read() {
        String last = "nothing";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher listening = LISTENING.matcher(line);
                if (listening.find()) {
                    uri.complete(URI.create("http://" + listening.group(1) + "/"));
                }
                last = line.isBlank() ? last : line;
            }
            uri.completeExceptionally(new IOException("it ended, saying: " + last));
        } catch (IOException e) {
            uri.completeExceptionally(e);
        }
    }

    /** URI of its JSON-RPC server. */
    public URI uri() {
        return uri.join();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IllegalStateException ending) {
            // The process itself is ending: the hook has run or is about to.
        }
    }
}
