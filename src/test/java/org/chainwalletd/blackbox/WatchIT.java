package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.HangUp;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code watch} of the package with a daemon of the package, without a terminal. */
@Tag("long")
class WatchIT {
    @TempDir
    Path folder;

    @Test
    void lines_tell_what_happens_across_a_restart_of_the_daemon_until_an_interrupt() {
        HangUp.assumeInterruptHeard();
        Path datadir = folder.resolve("datadir");
        String address;
        int port = FreePort.any();
        DaemonProcess watch;
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir, port).start()) {
            watch = LauncherCall.words("watch", "--interval", "1", "--datadir", datadir.toString())
                    .and("--bind", "127.0.0.1:" + port)
                    .launch();
            Wallet wallet = new Wallet(daemon, daemon);
            address = wallet.mint();
            awaitLine(watch, " tip ");
            wallet.fund(address, 5_000);
            awaitLine(watch, "credit confirmed 5,000 to " + address);
            awaitLine(watch, "balance 5,000");
            assertThat(daemon.stop()).isZero();
        }
        try (watch;
                DaemonProcess daemon =
                        LauncherCall.daemonWithDevnet(datadir, port).start()) {
            new Wallet(daemon, daemon).fund(address, 6_000);
            awaitLine(watch, "credit confirmed 6,000 to " + address);

            watch.signal("INT");

            assertThat(watch.exitCode()).isZero();
            assertThat(watch.errors()).isEmpty();
            assertThat(watch.output())
                    .filteredOn(line -> line.contains("credit confirmed"))
                    .hasSize(2);
        }
    }

    private static void awaitLine(DaemonProcess watch, String part) {
        Await.until("a line with '" + part + "'", () -> watch.output().stream().anyMatch(line -> line.contains(part)));
    }
}
