package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The packaged daemon dies at each named crash point of a payment and of a mint (class {@code CrashPoint} of the store). The next process, which
 * dies at the next point, completes the interrupted payment first. The keyring's {@code CrashTest} checks each point of a mint;
 * {@code -Dwalletd.crash-points=all} dies at each of them here too.
 */
@Tag("long")
@Walks({
    CrashPoint.SPEND_BEFORE_INTENT,
    CrashPoint.SPEND_AFTER_INTENT,
    CrashPoint.SPEND_AFTER_BROADCAST,
    CrashPoint.SPEND_AFTER_OUTCOME
})
class CrashPointsIT extends SeededDaemon {
    private static final List<String> SPENDING = Arrays.stream(
                    CrashPointsIT.class.getAnnotation(Walks.class).value())
            .map(CrashPoint::name)
            .toList();
    private static final List<String> MINTING =
            System.getProperty("walletd.crash-points", "").equals("all")
                    ? List.of(
                            "MINT_BEFORE_KEY_FILE",
                            "MINT_BEFORE_MNEMONIC_FILE",
                            "FILE_TEMP_WRITTEN",
                            "MINT_BEFORE_STATE",
                            "FILE_RENAMED",
                            "MINT_BEFORE_ANSWER")
                    : List.of("MINT_BEFORE_MNEMONIC_FILE", "MINT_BEFORE_ANSWER");

    @Test
    void a_payment_and_a_mint_are_sound_wherever_the_daemon_dies() throws IOException {
        String payer;
        long funded;
        Withdrawals withdrawals;
        try (DaemonProcess daemon = daemon().crashAt(SPENDING.get(0)).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = wallet.payer(2 * SPENDING.size(), 1_000_000);
            funded = wallet.mine(1).path("height").longValue();
            withdrawals = new Withdrawals(payer);
            diesPaying(daemon, withdrawals, SPENDING.get(0));
        }
        for (String point : SPENDING.subList(1, SPENDING.size())) {
            try (DaemonProcess daemon = daemon().crashAt(point).start()) {
                diesPaying(daemon, withdrawals, point);
            }
        }
        Set<String> acknowledged = new TreeSet<>(Set.of(payer));
        for (String point : MINTING) {
            diesMinting(acknowledged, point);
        }
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            withdrawals.settle(daemon, wallet);
            withdrawals.audit(daemon, wallet, funded);
            assertThat(wallet.addresses()).containsAll(acknowledged);
            assertThat(daemon.stop()).isZero();
        }
        noHalfWrittenFileIsLeft();
    }

    /** Pays the order that the previous process left open, and if that does not reach the point, a new one. */
    private static void diesPaying(DaemonProcess daemon, Withdrawals withdrawals, String point) {
        for (String before : SPENDING.subList(0, SPENDING.indexOf(point))) {
            if (daemon.isAlive()) {
                withdrawals.attempt(daemon, "dies-at-" + before);
            }
        }
        if (daemon.isAlive()) {
            boolean answered = withdrawals.attempt(daemon, "dies-at-" + point);
            // The answer does not wait until the outcome is written.
            assertThat(answered && !point.equals("SPEND_AFTER_OUTCOME"))
                    .as(point)
                    .isFalse();
        }
        assertThat(daemon.exitCode()).as(point).isEqualTo(HALTED);
    }

    private void diesMinting(Set<String> acknowledged, String point) {
        try (DaemonProcess daemon = daemon().crashAt(point).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            assertThat(wallet.addresses()).as("before " + point).containsAll(acknowledged);
            try {
                acknowledged.add(daemon.call("generate_standard_address", Map.of())
                        .path("address")
                        .asText());
            } catch (WalletdException.Transport died) {
                // The expected case: the key of a mint without an answer may or may not exist.
            }
            assertThat(daemon.exitCode()).as(point).isEqualTo(HALTED);
        }
    }

    private void noHalfWrittenFileIsLeft() throws IOException {
        try (Stream<Path> files = Files.walk(datadir())) {
            assertThat(files.map(path -> path.getFileName().toString())).noneMatch(name -> name.endsWith(".tmp"));
        }
    }
}
