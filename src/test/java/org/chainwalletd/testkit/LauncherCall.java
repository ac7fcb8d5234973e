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
 * Builder of a call of the packaged launcher: arguments, environment, working directory. Ports are chosen by the system unless a test specifies
 * one.
 */
public final class LauncherCall {
    /** Option for JVMs that end before more optimisation by the compiler would pay off. */
    public static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    /**
     * Options for JVMs that open or make many keys: each key takes a third of the processor time if the compiler optimises fully only the code that
     * runs hundreds of thousands of times.
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
     * Archive of classes, which halves the cost of a start. It is made once, in the package, before the first start; another JVM with tests may be
     * making it at the same time. If the machine is too slow for it, the tests start without it.
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

    /** Returns the launcher's environment for cheap starts. */
    public static Map<String, String> quickStarts() {
        return Map.of("WALLETD_ARCHIVE", Archive.MODE, "WALLETD_JAVA_OPTS", SHORT_LIVED);
    }

    /** Returns {@code target/chain-walletd} of the build that runs the test. */
    public static Path packageFolder() {
        return Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd"));
    }

    /** Creates a call with exactly these arguments. */
    public static LauncherCall words(String... words) {
        return new LauncherCall().and(words);
    }

    /** Creates a call of the daemon with {@code datadir} and a free port; a node must be added. */
    public static LauncherCall daemon(Path datadir) {
        return daemon(datadir, 0);
    }

    private static LauncherCall daemon(Path datadir, int port) {
        LauncherCall call = words("--datadir", datadir.toString(), "--bind", "127.0.0.1:" + port);
        call.datadir = datadir;
        return call;
    }

    /** Creates a call of the daemon with an embedded development node, whose blocks are mined on demand. */
    public static LauncherCall daemonWithDevnet(Path datadir) {
        return daemonWithDevnet(datadir, 0);
    }

    /** Does the same with a fixed port, such as that of an earlier one. */
    public static LauncherCall daemonWithDevnet(Path datadir, int port) {
        return daemon(datadir, port).and("--devnet", "--devnet-bind", "127.0.0.1:0", "--devnet-block-interval", "0");
    }

    /** Creates a call of the development node alone, with blocks on demand. */
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

    /** Adds a development node elsewhere. */
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

    /** Sets options for a daemon that opens or makes many keys. */
    public LauncherCall manyKeys() {
        return with("WALLETD_JAVA_OPTS", MANY_KEYS);
    }

    /** Halts the process at the named {@link org.chainwalletd.store.files.CrashPoint}, {@code NAME} or {@code NAME#n}. */
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

    /** Starts the process without waiting. */
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

    /** Starts the process and waits until it serves. */
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

    /** Runs the program in this process, from the launcher's entry point in the JVM: for calls that are refused before anything is started. */
    public Commands.Ended runHere() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        unset.forEach(environment::remove);
        environment.putAll(variables);
        return Commands.run(environment, arguments.toArray(String[]::new));
    }
}
