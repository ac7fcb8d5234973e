package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payout batches of a whole daemon whose clock stands still, so that its minute does not end. */
class PayoutQuotaTest {
    private static final int BATCHES_OF_ONE_NODE = 30;
    private static final String DEAD_NODE = "http://127.0.0.1:1";

    @Test
    void a_node_that_does_not_answer_allows_no_payout_batches(@TempDir Path datadir) throws Exception {
        DevnetConfig config = DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10);
        try (Devnet chain = Devnet.start(config);
                DaemonRig daemon = DaemonRig.over(
                        chain,
                        new ManualClock(Instant.now()),
                        datadir,
                        "--node-rpc",
                        chain.uri() + "," + DEAD_NODE,
                        "--payout-delay",
                        "0")) {
            daemon.awaitFollowed();
            Party payer = daemon.imported(0x21);
            long[] coins = new long[BATCHES_OF_ONE_NODE + 1];
            Arrays.fill(coins, 100_000);
            daemon.fund(payer, coins);
            daemon.mine(7);
            daemon.awaitFollowed();
            daemon.awaitHistories();

            for (int i = 0; i < BATCHES_OF_ONE_NODE; i++) {
                submit(daemon, payer, i);
                awaitState(daemon, i, "in_flight");
            }
            submit(daemon, payer, BATCHES_OF_ONE_NODE);
            Await.until(
                    "the next one waits for the quota",
                    () -> payoutOf(daemon, BATCHES_OF_ONE_NODE)
                            .path("waiting_for")
                            .asText()
                            .equals("node_quota"));
            assertThat(payoutOf(daemon, BATCHES_OF_ONE_NODE).path("state").asText())
                    .isEqualTo("queued");
        }
    }

    private static void submit(DaemonRig daemon, Party payer, int number) {
        daemon.call("payout_submit", payouts(payer, List.of(payout("payout-" + number, new Party(0x22), 1_000))));
    }

    private static JsonNode payoutOf(DaemonRig daemon, int number) {
        return daemon.call("payout_get", "payout_id", "payout-" + number).get("payout");
    }

    private static void awaitState(DaemonRig daemon, int number, String state) {
        Await.until(
                "payout " + number + " is " + state,
                () -> payoutOf(daemon, number).get("state").asText().equals(state));
    }
}
