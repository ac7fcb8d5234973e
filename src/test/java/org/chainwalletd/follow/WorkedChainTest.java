package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Following a chain with real proof of work, over real sockets, with a node that returns false data about it. A block takes some sixteen hashes of
 * half a second, except with the timestamps below, for which the first nonce is enough; other timestamps would only be slower.
 */
@Tag("long")
class WorkedChainTest {
    private static final Instant LUCKY_FIRST = Instant.ofEpochSecond(1_773_537_029L);
    private static final Instant LUCKY_SECOND = Instant.ofEpochSecond(1_773_537_111L);
    /** Timestamp for a branch that replaces the second block. */
    private static final Instant LUCKY_BRANCH = Instant.ofEpochSecond(1_773_537_142L);

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock(LUCKY_FIRST);
    private Devnet node;
    private FollowRig rig;

    @BeforeEach
    void mine() throws IOException {
        node = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                .withWork()
                .withFirstBlocks(1)
                .withClock(clock));
    }

    @AfterEach
    void stop() {
        rig.close();
        node.close();
    }

    private void follow() {
        rig = new FollowRig(
                folder, List.of(new SeenBook()), FollowRig.of(node.ledger().network()), node.uri());
        rig.awaitTip(node.tip().id());
    }

    private void assertRefused(String what) {
        double before = lies();
        Hash256 believed = rig.follower().tip().orElseThrow().place().blockId();
        Await.until(what + " is found out", () -> lies() > before);
        assertThat(rig.follower().tip().orElseThrow().place().blockId())
                .as(what)
                .isEqualTo(believed)
                .isNotEqualTo(node.tip().id());
    }

    private double lies() {
        return rig.meters().get("walletd.follower.lies").counter().count();
    }

    @Test
    void what_a_node_says_wrongly_of_a_worked_block_is_refused_until_it_says_the_truth() {
        follow();
        assertThat(rig.follower().status().network()).contains(Network.TESTNET);
        node.faults().lie(Lie.OMISSION);
        clock.set(LUCKY_SECOND);
        node.mine(1);

        assertRefused("a list without one of its transactions");
        node.faults().lie(Lie.HEIGHT);
        assertThat(rig.client().blockAt(1)).as("another height").failsWithin(Duration.ofSeconds(60));
        node.faults().lie(Lie.TX_VALUE);
        assertRefused("a transaction of another value");

        node.faults().lie(Lie.NONE);
        rig.awaitTip(node.tip().id());
    }

    @Test
    void a_block_that_nobody_worked_for_is_refused_and_one_that_somebody_did_is_taken_in_its_place() {
        follow();
        node.mineWithoutWork(true);
        clock.set(LUCKY_SECOND);
        node.mine(1);

        assertRefused("a block without work");

        node.mineWithoutWork(false);
        clock.set(LUCKY_BRANCH);
        node.reorganise(1, false, List.of());
        rig.awaitTip(node.tip().id());
    }
}
