package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rescan with two nodes, one of which is on another branch. */
class RescanTest {
    private static final int TOP = 60;
    private static final int READ = 30;

    @TempDir
    Path folder;

    private final Random random = Seeded.random("rescan");
    private final ActorTestKit kit = ActorTestKit.create();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ModelChain chain = new ModelChain(random);
    private final ModelNode other = new ModelNode(chain, executor);
    private final ModelNode right = new ModelNode(chain, executor);
    private ModelDaemon daemon;

    private ModelDaemon start(Set<Address> owned, ModelNode any) {
        return new ModelDaemon(folder, owned, List.of(other, right), any.client(), kit, executor);
    }

    @AfterEach
    void stop() {
        if (daemon != null) {
            daemon.close();
        }
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    /** Lets a daemon without addresses follow the chain, then ends it. Returns the tip, which both nodes have. */
    private ModelBlock followed() {
        ModelBlock tip = chain.grown(chain.genesis(), TOP);
        other.tip(tip);
        right.tip(tip);
        daemon = start(Set.of(), right);
        daemon.awaitFollowed(tip);
        daemon.close();
        return tip;
    }

    @Test
    void a_step_back_that_takes_long_leaves_no_block_out(@TempDir Path scratch) {
        ModelBlock tip = followed();
        Set<Address> owned = new HashSet<>();
        for (int key = 0; key < ModelChain.KEYS; key++) {
            owned.add(chain.address(key));
        }

        other.tip(chain.grown(tip.at(READ - 1), 3));
        right.missOnce(READ + 1);
        daemon = start(owned, right);
        daemon.books().whileUndoing(this::untilOthersWereAsked);
        daemon.awaitNoRescan();

        assertThat(daemon.books().gaps()).isEmpty();
        try (ModelBooks expected = ModelBooks.fromScratch(scratch, owned, tip)) {
            assertThat(daemon.books().dump()).containsAllEntriesOf(expected.dump());
        }
    }

    @Test
    void blocks_that_are_not_the_heads_are_not_written() {
        ModelBlock tip = followed();

        ModelBlock branch = chain.grown(tip.at(READ), TOP - READ - 1);
        other.tip(branch);
        right.lie(ModelNode.Lie.SILENT);
        daemon = start(Set.of(chain.address(0)), other);
        Await.until("the other branch was read", () -> other.transactionsAsked() > TOP);
        right.lie(ModelNode.Lie.NONE);
        daemon.awaitNoRescan();

        for (ModelBlock block = branch; block.height() > TOP - 20; block = block.parent()) {
            assertThat(daemon.books().staged()).doesNotContain(block.id());
        }
    }

    @Test
    void a_node_whose_walks_have_ended_too_early_the_least_is_walked_up() {
        Rescanner.Turns turns = new Rescanner.Turns(3);
        turns.endedEarly(0);
        turns.endedEarly(2);
        for (int i = 0; i < 20; i++) {
            assertThat(turns.next()).isEqualTo(1);
        }
        turns.endedEarly(1);
        turns.endedEarly(1);
        for (int i = 0; i < 20; i++) {
            assertThat(turns.next()).isNotEqualTo(1);
        }
        for (int i = 0; i < 1_000; i++) {
            turns.endedEarly(0);
            turns.endedEarly(1);
            turns.endedEarly(2);
        }
        turns.arrived(0);
        for (int i = 0; i < 5; i++) {
            assertThat(turns.next()).isZero();
            turns.endedEarly(0);
        }
        assertThat(IntStream.range(0, 200).map(i -> turns.next()).distinct().count())
                .as("no node is left out for long because all had failed")
                .isEqualTo(3);
        turns.arrived(1);
        for (int i = 0; i < 20; i++) {
            assertThat(turns.next()).isEqualTo(1);
        }
    }

    /** Delays like a slow disk: a rescan that does not wait would read the rest of the chain meanwhile. */
    private void untilOthersWereAsked() {
        int before = right.blocksAsked();
        for (int i = 0; i < 20 && right.blocksAsked() < before + TOP - READ; i++) {
            Await.pause(50);
        }
    }
}
