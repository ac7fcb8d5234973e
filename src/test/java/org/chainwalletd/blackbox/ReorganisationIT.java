package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A reorganisation removes a confirmed payment from the chain while the packaged daemon is down, and the daemon dies again while handling it. */
@Tag("long")
@Walks(CrashPoint.SPEND_AFTER_REORGANISATION)
class ReorganisationIT extends SeededDaemon {
    private static final String SHOP = "5b".repeat(32);

    @Test
    void a_payment_that_was_confirmed_at_the_crash_and_is_gone_at_the_next_start_is_sent_again() {
        String payer;
        String txId;
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = wallet.payer(1, 1_000_000);
            txId = wallet.pay(payer, "reorganised", SHOP, 5_000);
            wallet.confirm();
            wallet.awaitNothingInFlight();
            assertThat(daemon.metric("walletd_spend_unburied")).isEqualTo(1);
            assertThat(daemon.metric("walletd_spend_outcomes_total{kind=\"transfer\",outcome=\"confirmed\"}"))
                    .isEqualTo(1);
            daemon.kill();
        }
        DaemonProcess.nodeCall(chain.uri(), "devnet_reorg", Map.of("depth", 1, "drop", true));
        assertThat(isKnown(txId)).isFalse();
        try (DaemonProcess daemon =
                daemon().crashAt("SPEND_AFTER_REORGANISATION").launch()) {
            assertThat(daemon.exitCode()).isEqualTo(HALTED);
        }
        assertThat(isKnown(txId)).isFalse();
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            Await.until("the node has it again", () -> isKnown(txId));
            assertThat(wallet.status().path("in_flight_transfers").intValue()).isEqualTo(1);
            assertThat(daemon.metric("walletd_spend_in_flight")).isEqualTo(1);
            assertThat(daemon.metric("walletd_spend_reserved")).isEqualTo(1);
            assertThat(daemon.metric("walletd_spend_rebroadcasts_total")).isEqualTo(1);
            assertThat(daemon.metric("walletd_spend_allowance_used")).isGreaterThan(5_000);
            assertThat(daemon.metric("walletd_spend_reorganised_total"))
                    .as("it was found out in the life before")
                    .isZero();
            assertThat(daemon.metric("walletd_store_queue")).isZero();
            assertThat(wallet.pay(payer, "reorganised", SHOP, 5_000)).isEqualTo(txId);
            wallet.confirm();
            wallet.awaitNothingInFlight();
            wallet.confirmed(txId);
            assertThat(wallet.balance(SHOP)).isEqualTo(5_000);
            assertThat(daemon.stop()).isZero();
        }
    }

    @Override
    LauncherCall daemon() {
        return super.daemon().and("--spend-cap-per-period", "1000000");
    }

    private boolean isKnown(String txId) {
        try {
            DaemonProcess.nodeCall(chain.uri(), "get_transaction", Map.of("hash", txId));
            return true;
        } catch (WalletdException.RpcError unknown) {
            return false;
        }
    }
}
