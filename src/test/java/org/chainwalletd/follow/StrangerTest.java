package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Network;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The books begin above the block at which a node's chain parts from theirs: no block is common, so no work can be weighed. */
class StrangerTest {
    private static final long FIRST_KEPT = 15;
    private static final String NO_BLOCK = "shares no block with the books";

    @TempDir
    Path folder;

    private final ActorTestKit kit = ActorTestKit.create();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ModelChain chain = new ModelChain(new Random(7));
    private final ModelNode node = new ModelNode(chain, executor);
    private final Set<Address> owned = Set.of(chain.address(0), chain.address(1));
    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private ModelBlock ours;
    private ModelDaemon daemon;

    private ModelBlock grown(ModelBlock from, int blocks) {
        ModelBlock top = from;
        for (int i = 0; i < blocks; i++) {
            top = chain.grow(top, List.of());
        }
        return top;
    }

    @BeforeEach
    void begin() {
        ours = grown(chain.genesis(), 30);
        try (ModelBooks books = new ModelBooks(folder, owned)) {
            Await.result(new Bookkeeping(books.file(), books.books())
                    .begin(
                            LongStream.rangeClosed(FIRST_KEPT, 20)
                                    .mapToObj(height -> new Bookkeeping.Entry(
                                                    ours.at(height).block(), true)
                                            .row())
                                    .toList(),
                            Network.TESTNET,
                            Optional.empty()));
        }
        node.tip(ours);
        daemon = new ModelDaemon(
                folder, owned, List.of(node), node.client(), kit, executor, clock.withZone(ZoneOffset.UTC));
        daemon.awaitFollowed(ours);
    }

    @AfterEach
    void stop() {
        daemon.close();
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    private boolean isComplained(String words) {
        daemon.follower().nudge();
        return daemon.follower().status().complaints().stream().anyMatch(line -> line.contains(words));
    }

    /** What a node does for a while is no reason to say that the daemon is not ready. */
    private void awaitNamed(String words) {
        assertThat(isComplained(words)).isFalse();
        Await.until("it is named after ten minutes", () -> {
            clock.advance(Duration.ofMinutes(1));
            return isComplained(words);
        });
    }

    @Test
    void a_longer_chain_without_a_common_block_changes_nothing_and_is_named_with_what_can_be_done() {
        Map<String, List<String>> before = daemon.books().dump();

        node.tip(grown(ours.at(FIRST_KEPT - 5), 40));
        awaitNamed(NO_BLOCK);

        assertThat(daemon.follower().tip().orElseThrow().place())
                .isEqualTo(ours.block().place());
        assertThat(daemon.books().dump()).isEqualTo(before);
    }

    @Test
    void when_the_node_comes_back_to_the_chain_it_is_followed_and_named_no_more() {
        node.tip(grown(ours.at(FIRST_KEPT - 5), 40));
        awaitNamed(NO_BLOCK);

        ModelBlock further = grown(ours, 2);
        node.tip(further);
        daemon.awaitFollowed(further);

        Await.until("nothing is complained of", () -> !isComplained(NO_BLOCK));
    }

    @Test
    void the_only_node_is_named_as_well_when_it_falls_behind() {
        node.tip(ours.at(25));

        awaitNamed("lags behind");
        assertThat(daemon.follower().status().lag()).isZero();
    }

    @Test
    void a_longer_chain_that_parts_at_the_lowest_kept_block_is_followed() {
        ModelBlock longer = grown(ours.at(FIRST_KEPT), 40);
        node.tip(longer);

        daemon.awaitFollowed(longer);
    }
}
