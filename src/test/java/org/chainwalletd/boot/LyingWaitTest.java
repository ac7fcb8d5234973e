package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The only node reports a transaction that was never mined. */
class LyingWaitTest {
    private static final int TIMED_OUT = -32040;

    @TempDir
    Path datadir;

    @Test
    void a_node_that_names_a_block_above_the_followed_tip_confirms_nothing_by_its_word() {
        try (DaemonRig rig = DaemonRig.withChain(datadir)) {
            rig.awaitFollowed();
            Hash256 pending = rig.devnet().faucet(new Party(1).address, Amount.of(5_000));
            long above = rig.devnet().tip().height() + 1;
            String unmined = "ee".repeat(32);
            ObjectNode block = blockAbove(rig, above, unmined, pending);
            rig.node()
                    .lieAbout(
                            "get_block_height", tip -> tip.put("height", above).put("block_id", unmined));
            rig.node().lieAbout("get_block", (asked, truth) -> truth == null ? block : null);
            rig.node()
                    .lieAbout(
                            "get_transaction",
                            (asked, truth) -> ((ObjectNode) truth)
                                    .put("in_mempool", false)
                                    .put("block_hash", unmined)
                                    .put("block_height", above));
            long before = rig.node().count("get_block_height");
            Await.until("the lie was told of the tip", () -> rig.node().count("get_block_height") > before);

            Map<String, Object> now = params("tx_id", pending, "timeout_secs", 0);
            rig.refused(TIMED_OUT, "wait_for_tx", now);
            rig.refused(TIMED_OUT, "wait_for_tx", now);

            rig.node().tellTheTruth();
            rig.mine(1);
            JsonNode confirmed = rig.call("wait_for_tx", "tx_id", pending, "timeout_secs", 60);
            assertThat(confirmed.path("block_height").asLong()).isEqualTo(above);
            assertThat(confirmed.path("block_id").asText())
                    .isEqualTo(rig.devnet().tip().id().hex());
        }
    }

    /** Block as the node would return it. */
    private static ObjectNode blockAbove(DaemonRig rig, long height, String id, Hash256 transaction) {
        WalletdClient node = new WalletdClient(rig.devnet().uri(), "none", Optional.empty(), Duration.ofSeconds(20));
        ObjectNode block = (ObjectNode) node.call("get_block", Map.of("height", height - 1));
        block.put("prev_block_id", block.path("hash").asText());
        block.put("hash", id).put("height", height).put("tx_count", 1);
        block.putArray("transactions").add(transaction.hex());
        return block;
    }
}
