package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The daemon signs nothing for a node that reports another chain than the pinned one, and reports the error. */
@Tag("long")
class WrongChainIT extends SeededDaemon {
    private static final String SHOP = "5c".repeat(32);

    @Test
    void a_node_of_another_chain_gets_no_transaction_until_it_is_the_right_one_again() {
        String payer;
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            payer = wallet.payer(1, 1_000_000);
            assertThat(daemon.stop()).isZero();
        }
        DaemonProcess.nodeCall(chain.uri(), "devnet_set", Map.of("lie", "genesis"));
        try (DaemonProcess daemon = daemon().start()) {
            Wallet wallet = new Wallet(daemon, chain.uri());
            Map<String, Object> payment = Wallet.payment(payer, "other-chain", new Output(SHOP, 5_000));

            WalletdException.RpcError refused = daemon.refusal("transfer", payment);

            assertThat(refused.code()).as(refused.getMessage()).isEqualTo(-32030);
            assertThat(refused.data()).isNull();
            assertThat(refused.getMessage()).contains("nothing was signed", "is of another chain");
            assertThat(wallet.status().path("complaint").asText()).contains("is of another chain");
            assertThat(wallet.status().path("in_flight_utxos").intValue()).isZero();
            assertThat(pending()).as("broadcasts").isZero();

            DaemonProcess.nodeCall(chain.uri(), "devnet_set", Map.of("lie", "none"));
            Await.until(
                    "the node is of our chain",
                    () -> wallet.status().path("complaint").isNull()
                            || wallet.status().path("complaint").isMissingNode());
            wallet.transfer(payer, "other-chain", new Output(SHOP, 5_000));
            assertThat(pending()).isEqualTo(1);
            assertThat(daemon.stop()).isZero();
        }
    }

    /** Returns the number of unconfirmed transactions that pay the shop. */
    private int pending() {
        return DaemonProcess.nodeCall(chain.uri(), "get_address_mempool", Map.of("address", SHOP))
                .path("mempool")
                .size();
    }
}
