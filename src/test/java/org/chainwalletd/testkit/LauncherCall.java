package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A call of the packaged launcher being put together: arguments, environment, working folder. Ports are chosen by the system unless a test
 * names one.
 */
public final class LauncherCall {
    /** For JVMs that do not live long enough to be repaid for more of the compiler's work. */
    public static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    /**
     * For those that open or make many keys: each takes a third of the processor time when the compiler does its best for what is run
     * hundreds of thousands of times, and for nothing else.
     */
    private static final String MANY_KEYS = "-XX:Tier4InvocationThreshold=200000 -XX:Tier4MinInvocationThreshold=100000"
            + " -XX:Tier4CompileThreshold=500000 -XX:Tier4BackEdgeThreshold=2000000";

    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final List<String> unset = new ArrayList<>();
    private Path launcher = packageFolder().resolve("bin/chain-walletd").toAbsolutePath();
    private Path workingFolder;
    private Path datadir;

    /**
     * The archive of classes halves what a start costs, and tests start often: it is made once, in the package, before the first one. Another
     * JVM with tests may be making it. On a machine that is too slow for it the tests start without.
     */
    private static final class Archive {
        static final int MINUTES = 5;
        static final String MODE = make() ? "" : "off";

        private static boolean make() {
            Path launcher = packageFolder().resolve("bin/chain-walletd").toAbsolutePath();
            ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("WALLETD_ARCHIVE", "now");
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
            try {
                Process maker = builder.start();
                if (!maker.waitFor(MINUTES, TimeUnit.MINUTES)) {
                    maker.destroyForcibly();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            Path cache = packageFolder().resolve(".cache");
            while (Files.isDirectory(cache) && isBeingMade(cache)) {
                if (System.nanoTime() > end) {
                    return false;
                }
                Await.pause(20);
            }
            return Files.isDirectory(cache);
        }

        private static boolean isBeingMade(Path cache) {
            try (Stream<Path> files = Files.list(cache)) {
                return files.anyMatch(file -> file.toString().endsWith(".lock"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private LauncherCall() {
        variables.put("WALLETD_KEYSTORE_PASSPHRASE", DaemonProcess.PASSPHRASE);
        variables.putAll(quickStarts());
    }

    /** What makes starts cheap, in the launcher's environment. */
    public static Map<String, String> quickStarts() {
        return Map.of("WALLETD_ARCHIVE", Archive.MODE, "WALLETD_JAVA_OPTS", SHORT_LIVED);
    }

    /** {@code target/chain-walletd} of the build that runs the test. */
    public static Path packageFolder() {
        return Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd"));
    }

    /** Exactly these words after the launcher's name. */
    public static LauncherCall words(String... words) {
        return new LauncherCall().and(words);
    }

    /** The daemon on {@code datadir} and a free port; a node is still to be named. */
    public static LauncherCall daemon(Path datadir) {
        return daemon(datadir, 0);
    }

    private static LauncherCall daemon(Path datadir, int port) {
        LauncherCall call = words("--datadir", datadir.toString(), "--bind", "127.0.0.1:" + port);
        call.datadir = datadir;
        return call;
    }

    /** The daemon with a development node inside, whose blocks come on demand. */
    public static LauncherCall daemonWithDevnet(Path datadir) {
        return daemonWithDevnet(datadir, 0);
    }

    /** Likewise, on a port that an earlier one had. */
    public static LauncherCall daemonWithDevnet(Path datadir, int port) {
        return daemon(datadir, port).and("--devnet", "--devnet-bind", "127.0.0.1:0", "--devnet-block-interval", "0");
    }

    /** The development node alone, with blocks on demand. */
    public static LauncherCall devnet(Path datadir, int port) {
        return words(
                "devnet",
                "--datadir",
                datadir.toString(),
                "--devnet-bind",
                "127.0.0.1:" + port,
                "--devnet-block-interval",
                "0");
    }

    public LauncherCall and(String... words) {
        arguments.addAll(List.of(words));
        return this;
    }

    /** Over a development node somewhere else. */
    public LauncherCall node(URI node) {
        return and("--node-rpc", node.toString(), "--network", "devnet");
    }

    public LauncherCall with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    public LauncherCall without(String variable) {
        variables.remove(variable);
        unset.add(variable);
        return this;
    }

    /** For a daemon that will open or make many keys. */
    public LauncherCall manyKeys() {
        return with("WALLETD_JAVA_OPTS", MANY_KEYS);
    }

    /** The named {@link org.chainwalletd.store.files.CrashPoint} halts the process, {@code NAME} or {@code NAME#n}. */
    public LauncherCall crashAt(String point) {
        return with("WALLETD_JAVA_OPTS", variables.get("WALLETD_JAVA_OPTS") + " -Dwalletd.crash-point=" + point);
    }

    public LauncherCall launcher(Path other) {
        launcher = other;
        return this;
    }

    public LauncherCall from(Path folder) {
        workingFolder = folder;
        return this;
    }

    /** Starts the process and does not wait. */
    public DaemonProcess launch() {
        List<String> command = new ArrayList<>();
        command.add(launcher.toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        if (workingFolder != null) {
            builder.directory(workingFolder.toFile());
        }
        unset.forEach(builder.environment()::remove);
        builder.environment().putAll(variables);
        try {
            return new DaemonProcess(builder.start(), datadir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the process and returns when it serves. */
    public DaemonProcess start() {
        DaemonProcess process = launch();
        process.awaitReady();
        return process;
    }

    /** Runs the process to its end. */
    public Commands.Ended run() {
        try (DaemonProcess process = launch()) {
            int code = process.exitCode();
            return new Commands.Ended(code, process.output(), process.errors());
        }
    }

    /** Runs in this process, from where the launcher's JVM begins too: for what is refused before anything is started. */
    public Commands.Ended runHere() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        unset.forEach(environment::remove);
        environment.putAll(variables);
        return Commands.run(environment, arguments.toArray(String[]::new));
    }
}
