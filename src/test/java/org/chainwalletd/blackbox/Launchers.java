package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.LauncherCall;

/** Common parts of the launcher's tests: the JDKs of this machine, and a call that must succeed wherever it is made. */
final class Launchers {
    static final Path JAVA_OF_THIS_TEST = Path.of(System.getProperty("java.home"));

    private Launchers() {}

    static void answersVersion(LauncherCall call) {
        Commands.Ended ended = call.run();
        assertThat(ended.errors()).isEmpty();
        assertThat(ended.output())
                .singleElement()
                .asString()
                .startsWith("chain-walletd ")
                .contains("Java");
        assertThat(ended.code()).isZero();
    }

    /** Asserts that a call ended with this code and one line on standard error that contains the hints. */
    static Commands.Ended refused(Commands.Ended ended, int code, String... hints) {
        String told = String.join("\n", ended.errors());
        assertThat(ended.errors()).as(told).hasSize(1);
        assertThat(told).startsWith("chain-walletd: ").contains(hints);
        assertThat(ended.code()).as(told).isEqualTo(code);
        return ended;
    }

    /** Writes a script that anybody may execute. */
    static Path script(Path file, String text) throws IOException {
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /**
     * Runs commands of the manual in one bash in {@code home}, whose folder {@code bin} is first on the path. If they do not end in time, they are
     * killed together with their daemons.
     *
     * @param more variables for these commands only
     */
    static void runCommands(Path home, String script, long seconds, String nodePort, Map<String, String> more)
            throws IOException, InterruptedException {
        Path log = home.resolve("log");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", script)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("HOME", home.toString());
        builder.environment().put("WALLETD_DEVNET_BIND", "127.0.0.1:" + nodePort);
        builder.environment().put("WALLETD_DEVNET_BLOCK_INTERVAL", "1");
        builder.environment().putAll(LauncherCall.quickStarts());
        builder.environment().putAll(more);
        builder.environment().remove("WALLETD_KEYSTORE_PASSPHRASE");
        Process bash = builder.start();
        try {
            boolean ended = bash.waitFor(seconds, TimeUnit.SECONDS);
            assertThat(ended).as("it ends; so far:%n%s", Files.readString(log)).isTrue();
            assertThat(bash.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            List<ProcessHandle> started = bash.descendants().toList();
            Await.exit(bash.destroyForcibly());
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    static List<Path> jdks() {
        Path usual = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(usual)) {
            return List.of();
        }
        try (Stream<Path> homes = Files.list(usual)) {
            return homes.filter(home -> Files.isExecutable(home.resolve("bin/java")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
