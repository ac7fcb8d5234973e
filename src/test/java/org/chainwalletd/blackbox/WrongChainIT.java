package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that reports another chain than the pinned one is never signed for, and the daemon says so. */
class WrongChainIT {
    private static final String SHOP = "5c".repeat(32);

    @TempDir
    Path folder;

    @Test
    void a_node_of_another_chain_gets_no_transaction_until_it_is_the_right_one_again() {
        try (DaemonProcess node =
                LauncherCall.devnet(folder.resolve("chain"), 0).launch()) {
            String payer;
            try (DaemonProcess daemon = daemon(node).start()) {
                Wallet wallet = new Wallet(daemon, node);
                payer = wallet.mint();
                wallet.fund(payer, 1_000_000L);
                assertThat(daemon.stop()).isZero();
            }
            node.nodeCall("devnet_set", Map.of("lie", "genesis"));
            try (DaemonProcess daemon = daemon(node).start()) {
                Wallet wallet = new Wallet(daemon, node);
                Map<String, Object> payment = Wallet.payment(payer, "other-chain", new Output(SHOP, 5_000));

                WalletdException.RpcError refused = daemon.refusal("transfer", payment);

                assertThat(refused.code()).as(refused.getMessage()).isEqualTo(-32030);
                assertThat(refused.data()).isNull();
                assertThat(refused.getMessage()).contains("nothing was signed", "is of another chain");
                assertThat(wallet.status().path("complaint").asText()).contains("is of another chain");
                assertThat(wallet.status().path("in_flight_utxos").intValue()).isZero();
                assertThat(pending(node)).as("broadcasts").isZero();

                node.nodeCall("devnet_set", Map.of("lie", "none"));
                Await.until(
                        "the node is of our chain",
                        () -> wallet.status().path("complaint").isNull()
                                || wallet.status().path("complaint").isMissingNode());
                wallet.transfer(payer, "other-chain", new Output(SHOP, 5_000));
                assertThat(pending(node)).isEqualTo(1);
                assertThat(daemon.stop()).isZero();
            }
            assertThat(node.stop()).isZero();
        }
    }

    private LauncherCall daemon(DaemonProcess node) {
        return LauncherCall.daemon(folder.resolve("datadir")).node(node.nodeUri());
    }

    /** Unconfirmed transactions that pay the shop. */
    private static int pending(DaemonProcess node) {
        return node.nodeCall("get_address_mempool", Map.of("address", SHOP))
                .path("mempool")
                .size();
    }
}
