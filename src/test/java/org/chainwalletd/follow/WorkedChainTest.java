package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Following a chain whose blocks have to be worked for, over real sockets, at a node that lies about them. */
class WorkedChainTest {
    private static Devnet node;

    @TempDir
    Path folder;

    private FollowRig rig;

    /** One for all: each of its blocks costs some two hashes. */
    @BeforeAll
    static void mine() throws IOException {
        node = Devnet.start(
                DevnetConfig.onDemand(ChainProfile.of("chain")).withLittleWork().withFirstBlocks(1));
    }

    @AfterAll
    static void close() {
        node.close();
    }

    @AfterEach
    void stop() {
        node.faults().lie(Lie.NONE);
        node.mineWithoutWork(false);
        rig.close();
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
        node.mine(1);

        assertRefused("a list without one of its transactions");
        node.faults().lie(Lie.HEIGHT);
        assertThat(rig.client().blockAt(1)).as("another height").failsWithin(Duration.ofSeconds(20));
        node.faults().lie(Lie.TX_VALUE);
        assertRefused("a transaction of another value");

        node.faults().lie(Lie.NONE);
        rig.awaitTip(node.tip().id());
    }

    @Test
    void a_block_that_nobody_worked_for_is_refused_and_one_that_somebody_did_is_taken_in_its_place() {
        follow();
        node.mineWithoutWork(true);
        node.mine(1);

        assertRefused("a block without work");

        node.mineWithoutWork(false);
        node.reorganise(1, false, List.of());
        rig.awaitTip(node.tip().id());
    }
}
