package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Nodes of another chain than the expected or pinned one, as seen by callers over HTTP (decisions.md, 8h). */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class OtherChainTest {
    private static final String OTHER = "ab".repeat(32);
    private static final int UPSTREAM = -32020;
    private static final int TX_BUILD = -32030;
    private static final int TIMED_OUT = -32040;

    @TempDir
    Path datadir;

    @Test
    void nothing_of_a_chain_that_is_not_the_expected_one_is_followed_credited_or_shown() {
        try (DaemonRig rig = DaemonRig.withChain(datadir, "--expect-genesis", OTHER)) {
            Party shop = rig.imported(1);
            rig.fund(shop, 5_000);
            Hash256 paid = rig.devnet().faucet(shop.address, Amount.of(7_000));
            rig.mine(2);

            Map<String, Map<String, Object>> reads = new LinkedHashMap<>();
            reads.put("get_balance", params("address", shop.address));
            reads.put("get_wallet_balance", Map.of());
            reads.put("get_address_utxos", params("address", shop.address));
            reads.put("get_address_mempool", params("address", shop.address));
            reads.put("get_transaction", params("tx_id", paid));
            reads.put("get_block_height", Map.of());
            reads.put("get_block_by_height", params("height", 1));
            reads.put("get_block_id_at_height", params("height", 1));
            reads.put("get_output_spent_by", params("tx_id", paid, "output_index", 0));
            reads.forEach((method, arguments) -> {
                WalletdException.RpcError refused = rig.refused(method, arguments);
                assertThat(refused.code())
                        .as("%s: %s", method, refused.getMessage())
                        .isEqualTo(UPSTREAM);
                assertThat(refused.getMessage())
                        .as(method)
                        .contains(
                                "node is of another chain",
                                rig.devnet().genesisId().hex(),
                                OTHER);
            });
            for (int confirmations = 0; confirmations < 2; confirmations++) {
                assertThat(rig.call("list_credits", "min_confirmations", confirmations)
                                .path("credits"))
                        .isEmpty();
            }
            rig.refused(TIMED_OUT, "wait_for_tx", "tx_id", paid, "timeout_secs", 1);
            JsonNode unpaid = rig.call("wait_for_payment", "address", shop.address, "timeout_secs", 1);
            assertThat(unpaid.path("received").asBoolean()).isFalse();
            assertThat(unpaid.path("timed_out").asBoolean()).isTrue();
            assertThat(rig.call("htlc_list").path("htlcs")).isEmpty();
            rig.refused(TX_BUILD, "transfer", payment(shop.address, new Party(2).address, 1_000));

            WalletdException.RpcError unfollowed = rig.refused(UPSTREAM, "get_follower_status");
            assertThat(unfollowed.getMessage()).contains("no block is followed yet", "is of another chain");
            JsonNode status = rig.call("get_status");
            assertThat(status.path("complaint").asText()).contains("is of another chain");
            assertThat(status.path("upstream_ok").asBoolean()).isFalse();
            assertThat(rig.readiness().body()).contains("is of another chain");
        }
    }

    /** Its own books continue to answer; data of a node that was exchanged for another is not requested. */
    @Test
    void what_was_booked_before_a_node_changed_its_chain_is_still_told_and_nothing_is_added() throws IOException {
        try (DaemonRig rig = DaemonRig.withChain(datadir)) {
            // An address created before the first block is followed is covered only once its history was read.
            rig.awaitFollowed();
            String address = rig.newAddress();
            Party stranger = new Party(9);
            rig.devnet().faucet(Address.parse(address), Amount.of(5_000));
            rig.mine(1);
            rig.awaitFollowed();
            assertThat(rig.balance(address)).isEqualTo(5_000);
            JsonNode before = rig.call("list_credits", "min_confirmations", 1);
            assertThat(before.path("credits")).hasSize(1);

            rig.node().lieAbout("get_block_height", tip -> tip.put("genesis_block_id", OTHER));
            Await.until(
                    "the change is seen",
                    () -> !rig.call("get_follower_status").path("complaints").isEmpty());
            long height =
                    rig.call("get_follower_status").path("last_indexed_height").asLong();
            rig.devnet().faucet(Address.parse(address), Amount.of(9_000));
            rig.mine(2);

            assertThat(rig.balance(address)).isEqualTo(5_000);
            assertThat(rig.call("get_wallet_balance").path("total").asLong()).isEqualTo(5_000);
            assertThat(rig.call("get_address_utxos", "address", address).path("utxos"))
                    .hasSize(1);
            assertThat(rig.refused("get_balance", "address", stranger.address).getMessage())
                    .contains("node is of another chain", OTHER);
            assertThat(rig.call("list_credits", "min_confirmations", 1).path("credits"))
                    .isEqualTo(before.path("credits"));
            JsonNode follower = rig.call("get_follower_status");
            assertThat(follower.path("last_indexed_height").asLong()).isEqualTo(height);
            assertThat(follower.path("complaints").get(0).asText()).contains("is of another chain", OTHER);

            rig.node().tellTheTruth();
            rig.awaitFollowed();
            assertThat(rig.balance(address)).isEqualTo(14_000);
        }
    }

    @Test
    void beside_a_node_of_another_chain_only_the_right_one_is_asked_and_heard() throws IOException {
        try (Devnet right = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
                Devnet wrong = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(30));
                DistortingNode behind = new DistortingNode(wrong.uri())) {
            behind.lieAbout("get_block_height", tip -> tip.put("genesis_block_id", OTHER));
            behind.lieAbout("get_node_info", info -> info.put("genesis_block_id", OTHER));
            String genesis = right.genesisId().hex();
            try (DaemonRig rig = new DaemonRig(
                    datadir,
                    right.uri(),
                    "--node-rpc",
                    behind.url() + "," + right.uri(),
                    "--expect-genesis",
                    genesis)) {
                Party shop = rig.imported(1);
                wrong.faucet(shop.address, Amount.of(7_000));
                wrong.mine(1);
                right.faucet(shop.address, Amount.of(3_000));
                right.mine(1);
                for (int i = 0; i < 6; i++) {
                    assertThat(rig.balance(shop.address.hex())).isEqualTo(3_000);
                    assertThat(rig.call("get_block_height").path("height").asLong())
                            .isEqualTo(11);
                }
                Await.until(
                        "the right chain is followed",
                        () -> rig.followerStatus().path("last_indexed_height").asLong() == 11);
                assertThat(rig.call("list_credits", "min_confirmations", 1).path("credits"))
                        .allSatisfy(credit ->
                                assertThat(credit.path("amount").asLong()).isEqualTo(3_000));
                for (String method : new String[] {"get_balance", "get_balances", "get_block", "get_transaction"}) {
                    assertThat(behind.count(method)).as(method).isZero();
                }
                assertThat(rig.followerStatus().path("complaints").toString())
                        .contains(behind.url().toString(), "is of another chain");
            }
        }
    }

    @Test
    void blocks_without_work_are_followed_only_where_the_operator_calls_it_a_development_chain() throws IOException {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10))) {
            assertUnfollowed(chain, "this is no mainnet", "--network", "mainnet");
            assertUnfollowed(
                    chain,
                    "this is no mainnet",
                    "--network",
                    "mainnet",
                    "--expect-genesis",
                    chain.genesisId().hex());
            assertUnfollowed(
                    chain, "only as a development chain, with --network devnet", "--network", DaemonRig.UNSAID);

            try (DaemonRig rig = DaemonRig.over(
                    chain,
                    datadir,
                    "--network",
                    DaemonRig.UNSAID,
                    "--expect-genesis",
                    chain.genesisId().hex())) {
                rig.awaitFollowed();
            }
            // The daemon does not use its own books if it is configured with less or other information about the chain
            // than the one before.
            try (DaemonRig rig = DaemonRig.over(chain, datadir, "--network", DaemonRig.UNSAID)) {
                rig.mine(1);
                Await.until(
                        "it is said why",
                        () -> rig.followerStatus()
                                .path("complaints")
                                .toString()
                                .contains("only as a development chain"));
                assertThat(rig.followerStatus().path("last_indexed_height").asLong())
                        .isLessThan(rig.devnet().tip().height());
            }
        }
    }

    private void assertUnfollowed(Devnet chain, String why, String... flags) {
        try (DaemonRig rig = DaemonRig.over(chain, datadir, flags)) {
            String shop = rig.newAddress();
            chain.faucet(Address.parse(shop), Amount.of(5_000));
            chain.mine(1);
            Await.until(
                    "it is said why",
                    () -> rig.refused("get_follower_status").getMessage().contains(why));
            assertThat(rig.call("list_credits", "min_confirmations", 1).path("credits"))
                    .isEmpty();
            assertThat(rig.readiness().body()).contains(why);
        }
    }

    @Test
    void a_node_that_names_the_right_genesis_and_shows_another_first_block_is_not_followed() {
        try (DaemonRig rig = DaemonRig.withChain(datadir, "--network", DaemonRig.UNSAID)) {
            String genesis = rig.devnet().genesisId().hex();
            rig.node()
                    .lieAbout(
                            "get_block",
                            (asked, truth) -> asked.path("height").asLong(-1) == 0
                                    ? ((ObjectNode) truth).put("nonce", 77)
                                    : null);
            Await.until(
                    "it is said why",
                    () -> rig.refused("get_follower_status")
                            .getMessage()
                            .contains("a node names genesis " + genesis + " and shows another block at height 0"));
        }
    }
}
