package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packaged daemon cannot write because its files have reached the maximum size that the system allows. */
@Tag("long")
class FullDiskIT extends SeededDaemon {
    private static final String SHOP = "5d".repeat(32);
    private static final int UPSTREAM = -32020;
    private static final int COINS = 250;
    private static final int INTERNAL_ERROR = -32603;

    @Test
    void what_cannot_be_written_is_not_sent_and_the_same_payment_succeeds_when_there_is_room() throws IOException {
        List<String> made = new ArrayList<>();
        String payer;
        try (DaemonProcess daemon = daemon().launcher(withSmallFiles()).start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = wallet.payer(COINS, 100_000);
            WalletdException.RpcError refused = payUntilRefused(wallet, payer, made);
            boolean unknown = isUnknown(refused) | isUnknown(pay(daemon, payer, made.size()));
            assertThat(pending()).as("broadcasts").isEqualTo(made.size());
            assertThat(wallet.status().path("in_flight_utxos").intValue())
                    .as("reserved")
                    .isEqualTo(made.size() + (unknown ? 1 : 0));
            daemon.kill();
        }
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            for (int i = 0; i <= made.size(); i++) {
                String txId = wallet.pay(payer, token(i), SHOP, 1_000);
                assertThat(i < made.size() ? made.get(i) : txId).isEqualTo(txId);
            }
            wallet.confirm();
            wallet.awaitNothingInFlight();
            assertThat(wallet.balance(SHOP)).isEqualTo(1_000L * (made.size() + 1));
            assertThat(daemon.stop()).isZero();
        }
    }

    /** A commit that failed partway may become valid after a crash: its outcome is then unknown. */
    private static boolean isUnknown(WalletdException.RpcError refused) {
        if (refused.code() == UPSTREAM) {
            assertThat(refused.getMessage()).contains("is unknown", "may or may not have been written");
            return true;
        }
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(INTERNAL_ERROR);
        assertThat(refused.getMessage()).contains("this call has broadcast nothing", "cannot be written");
        return false;
    }

    private static WalletdException.RpcError payUntilRefused(Wallet wallet, String payer, List<String> made) {
        while (made.size() < COINS) {
            try {
                made.add(wallet.pay(payer, token(made.size()), SHOP, 1_000));
            } catch (WalletdException.RpcError refused) {
                return refused;
            }
        }
        throw new AssertionError("the disk never was full");
    }

    private static WalletdException.RpcError pay(DaemonProcess daemon, String payer, int number) {
        return daemon.refusal("transfer", Wallet.payment(payer, token(number), new Output(SHOP, 1_000)));
    }

    private static String token(int number) {
        return "full-disk-" + number;
    }

    @Override
    LauncherCall daemon() {
        return LauncherCall.daemon(datadir()).node(chain.uri());
    }

    /** Limits the files that the process writes to 500 blocks of 1,024 bytes. */
    private Path withSmallFiles() throws IOException {
        Path launcher =
                LauncherCall.packageFolder().resolve("bin/chain-walletd").toAbsolutePath();
        return Launchers.script(
                folder.resolve("small-files"), "#!/bin/bash\nulimit -f 500\nexec '" + launcher + "' \"$@\"\n");
    }

    private int pending() {
        return DaemonProcess.nodeCall(chain.uri(), "get_address_mempool", Map.of("address", SHOP))
                .path("mempool")
                .size();
    }
}
