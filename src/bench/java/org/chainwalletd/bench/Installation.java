package org.chainwalletd.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A folder with the launcher in {@code bin} and jars in {@code lib}, and how to start it. */
final class Installation {
    static final String PASSPHRASE = "correct horse";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Path folder;
    private final Map<String, String> environment;

    Installation(Path folder, Map<String, String> environment) {
        this.folder = folder;
        this.environment = environment;
    }

    /** A process that runs; closing it is SIGKILL, for nothing of it is kept. */
    record Running(Process process) implements AutoCloseable {
        /** Reads the output up to a line with {@code word}. */
        String lineWith(String word) throws IOException {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(word)) {
                    return line;
                }
            }
            throw new IOException("the process ended");
        }

        /** SIGTERM. */
        void stop() throws InterruptedException {
            process.destroy();
            process.waitFor(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            process.destroyForcibly();
            try {
                process.waitFor(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A daemon that serves. */
    record Ready(Running running, URI uri) {}

    /**
     * Starts a daemon on a free port of this machine.
     *
     * @param tokens datadir whose tokens the daemon has too; null: it makes its own
     */
    Ready ready(Path datadir, Path tokens, URI node, List<String> more) throws IOException {
        if (tokens != null) {
            Files.createDirectories(datadir);
            for (String scope : List.of("read", "manage", "spend")) {
                Files.copy(tokens.resolve("token-" + scope), datadir.resolve("token-" + scope));
            }
        }
        List<String> words = new ArrayList<>(List.of(
                "--datadir",
                datadir.toString(),
                "--bind",
                "127.0.0.1:0",
                "--node-rpc",
                node.toString(),
                "--network",
                "devnet"));
        words.addAll(more);
        Running running = start(words);
        return new Ready(running, URI.create(running.lineWith("ready on").replaceFirst(".*(https?://\\S+).*", "$1")));
    }

    Running start(List<String> words) throws IOException {
        return new Running(
                builder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    }

    private ProcessBuilder builder(List<String> words) {
        List<String> command = new ArrayList<>();
        command.add(folder.resolve("bin/chain-walletd").toAbsolutePath().toString());
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> all = new HashMap<>(environment);
        all.put("WALLETD_KEYSTORE_PASSPHRASE", PASSPHRASE);
        builder.environment().putAll(all);
        return builder;
    }

    /** Makes the archive of classes anew and tells whether there is one now. */
    boolean makeArchive() throws IOException, InterruptedException {
        Path cache = folder.resolve(".cache");
        if (Files.isDirectory(cache)) {
            try (var old = Files.list(cache)) {
                for (Path file : old.toList()) {
                    Files.delete(file);
                }
            }
        }
        ProcessBuilder maker = builder(List.of("--version"));
        maker.environment().put("WALLETD_ARCHIVE", "now");
        maker.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (!Files.isDirectory(cache)) {
            return false;
        }
        try (var made = Files.list(cache)) {
            return made.findAny().isPresent();
        }
    }

    /**
     * Until the first answer.
     *
     * @param millis on the clock
     * @param cpuMillis of all cores together, which says more than the clock while others use the machine
     */
    record Start(double millis, double cpuMillis) {}

    /**
     * Measures from the start of the launcher's process to the end of the first answer with status 200 to {@code POST /}.
     *
     * @param words without {@code --bind}
     */
    Start firstAnswer(List<String> words, String token, String body) throws Exception {
        int port = freePort();
        List<String> all = new ArrayList<>(List.of("--bind", "127.0.0.1:" + port));
        all.addAll(words);
        ProcessBuilder builder = builder(all);
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        byte[] request = ("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                        + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
        long begun = System.nanoTime();
        try (Running running = new Running(builder.start())) {
            while (!answers(port, request)) {
                if (!running.process().isAlive() || System.nanoTime() - begun > PATIENCE_NANOS) {
                    throw new IOException("no answer from " + folder + " " + all);
                }
                Thread.sleep(2);
            }
            double millis = (System.nanoTime() - begun) / 1e6;
            Duration cpu = running.process().info().totalCpuDuration().orElse(Duration.ZERO);
            return new Start(millis, cpu.toMillis());
        }
    }

    private static boolean answers(int port, byte[] request) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            String head = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
            in.readAllBytes();
            return head.equals("HTTP/1.1 200");
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }
}
