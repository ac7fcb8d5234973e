package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The client's jar works with only Jackson beside it, and its examples do what they describe. */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClientJarIT {
    @TempDir
    Path folder;

    @TempDir
    static Path shared;

    @AutoClose
    private static DaemonProcess daemon;

    private static Wallet wallet;
    private static String till;
    private static String payer;

    @BeforeAll
    static void start() {
        daemon = LauncherCall.daemonWithDevnet(SeededKeyring.in(shared.resolve("datadir")))
                .start();
        wallet = new Wallet(daemon, daemon);
        till = wallet.derive();
        payer = wallet.derive();
    }

    @Test
    @Order(1)
    void the_example_that_follows_deposits_continues_where_its_cursor_says() throws Exception {
        wallet.fund(till, 5_000);
        Path first = folder.resolve("first");
        Process following = example(daemon, "read", first, "Deposits", "1");
        Await.until("the cursor is told", () -> read(first).contains("cursor "));
        Await.exit(following.destroyForcibly());
        wallet.fund(till, 6_000);
        Path second = folder.resolve("second");
        Process again = example(daemon, "read", second, "Deposits", "1", cursor(read(first)));
        Await.until("the cursor is told", () -> read(second).contains("cursor "));
        Await.exit(again.destroyForcibly());

        assertThat(read(first)).startsWith("confirmed 5000 to " + till);
        assertThat(read(second)).startsWith("confirmed 6000 to " + till).doesNotContain("5000");

        Path balances = folder.resolve("balances");
        assertThat(Await.exit(example(daemon, "read", balances, "Balances"))).isZero();
        assertThat(read(balances).lines()).containsExactlyInAnyOrder(till + " 11000", payer + " 0");
    }

    /** Runs after the deposits, which would include this payment. */
    @Test
    @Order(2)
    void the_example_over_the_clients_own_jar_pays_once_however_often_it_is_started() throws Exception {
        wallet.fund(payer, 1_000_000);

        String first = payout(payer, till);
        String second = payout(payer, till);

        assertThat(first).matches("(?s)paid with [0-9a-f]{64}, fee [0-9]+, left [0-9]+ confirmed\\s*");
        assertThat(second.substring(0, 74)).isEqualTo(first.substring(0, 74));
        JsonNode status = daemon.call("get_status", Map.of());
        assertThat(status.path("in_flight_transfers").intValue()).isEqualTo(1);
    }

    private static String cursor(String said) {
        return said.lines()
                .filter(line -> line.startsWith("cursor "))
                .reduce((earlier, later) -> later)
                .map(line -> line.substring("cursor ".length()))
                .orElseThrow();
    }

    private String payout(String from, String to) throws IOException, InterruptedException {
        Path said = folder.resolve("said");
        int exit = Await.exit(example(daemon, "spend", said, "Payout", from, to, "5000", "payout-0001"));
        assertThat(exit).as(read(said)).isZero();
        return read(said);
    }

    /** Starts an example with the client's jar. */
    private static Process example(DaemonProcess daemon, String scope, Path said, String name, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                "org.chainwalletd.client.example." + name));
        command.addAll(List.of(arguments));
        ProcessBuilder example = new ProcessBuilder(command);
        example.environment()
                .putAll(Map.of(
                        "WALLETD_URL", daemon.awaitReady().toString(), "WALLETD_AUTH_TOKEN", daemon.token(scope)));
        return example.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    }

    private static String read(Path said) {
        try {
            return Files.readString(said, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String classPath() throws IOException {
        Path client = LauncherCall.packageFolder().resolveSibling("chain-walletd-client.jar");
        try (Stream<Path> jars = Files.list(LauncherCall.packageFolder().resolve("lib"))) {
            return Stream.concat(
                            Stream.of(client),
                            jars.filter(jar -> jar.getFileName().toString().startsWith("jackson-")))
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }
}
