package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.LauncherCall;

/** What tests of the launcher share: the JDKs of this machine, and a call that ends well wherever it is made. */
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

    /** Ends with one line on standard error, which contains the hints. */
    static Commands.Ended refused(Commands.Ended ended, int code, String... hints) {
        String told = String.join("\n", ended.errors());
        assertThat(ended.errors()).as(told).hasSize(1);
        assertThat(told).startsWith("chain-walletd: ").contains(hints);
        assertThat(ended.code()).as(told).isEqualTo(code);
        return ended;
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
