package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client's jar works with Jackson and without anything else of the daemon; its example pays once. */
class ClientJarIT {
    @TempDir
    Path folder;

    @Test
    void the_example_over_the_clients_own_jar_pays_once_however_often_it_is_started() throws Exception {
        try (DaemonProcess daemon =
                LauncherCall.daemonWithDevnet(folder.resolve("datadir")).start()) {
            Wallet wallet = new Wallet(daemon, daemon);
            String payer = wallet.mint();
            String shop = wallet.mint();
            wallet.fund(payer, 1_000_000);

            String first = payout(daemon, payer, shop);
            String second = payout(daemon, payer, shop);

            assertThat(first).matches("(?s)paid with [0-9a-f]{64}, fee [0-9]+, left [0-9]+ confirmed\\s*");
            assertThat(second.substring(0, 74)).isEqualTo(first.substring(0, 74));
            JsonNode status = daemon.call("get_status", Map.of());
            assertThat(status.path("in_flight_transfers").intValue()).isEqualTo(1);
        }
    }

    private String payout(DaemonProcess daemon, String from, String to) throws IOException, InterruptedException {
        ProcessBuilder example = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                "org.chainwalletd.client.example.Payout",
                from,
                to,
                "5000",
                "payout-0001");
        example.environment()
                .putAll(Map.of(
                        "WALLETD_URL", daemon.awaitReady().toString(), "WALLETD_AUTH_TOKEN", daemon.token("spend")));
        Path said = folder.resolve("said");
        int exit = Await.exit(
                example.redirectErrorStream(true).redirectOutput(said.toFile()).start());
        String output = Files.readString(said, StandardCharsets.UTF_8);
        assertThat(exit).as(output).isZero();
        return output;
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
