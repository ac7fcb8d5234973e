package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The books start above the fork with a node's chain: there is no common block, so work cannot be compared. */
class StrangerTest {
    private static final long FIRST_KEPT = 15;
    /** Transactions of blocks up to this one are not read. */
    private static final long LAST_HEADER = 20;

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

    @BeforeEach
    void begin() {
        ours = chain.grown(chain.genesis(), 30);
        try (ModelBooks books = new ModelBooks(folder)) {
            Await.result(new Bookkeeping(books.file(), books.books(), FollowerSetup.Rules.DEFAULT)
                    .begin(
                            LongStream.rangeClosed(FIRST_KEPT, LAST_HEADER)
                                    .mapToObj(height -> new Bookkeeping.Entry(
                                                    ours.at(height).block(), true)
                                            .row())
                                    .toList(),
                            ours.at(FIRST_KEPT).block().place(),
                            Network.TESTNET,
                            Optional.empty()));
        }
        node.tip(ours);
        start(Optional.empty());
        daemon.awaitFollowed(ours);
        daemon.awaitNoRescan();
    }

    private void start(Optional<BlockPlace> checkpoint) {
        start(List.of(node), checkpoint);
    }

    private void start(List<ModelNode> nodes, Optional<BlockPlace> checkpoint) {
        daemon = new ModelDaemon(
                BooksPlaces.FILES,
                folder,
                owned,
                nodes,
                node.client(),
                kit,
                executor,
                clock.withZone(ZoneOffset.UTC),
                checkpoint);
    }

    private void restart(BlockPlace checkpoint) {
        daemon.close();
        start(Optional.of(checkpoint));
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

    /** Waits for the complaint. A node's temporary behaviour must not make the daemon unready. */
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

        node.tip(chain.grown(ours.at(FIRST_KEPT - 5), 40));
        awaitNamed(NO_BLOCK);

        assertThat(daemon.follower().tip().orElseThrow().place())
                .isEqualTo(ours.block().place());
        assertThat(daemon.books().dump()).isEqualTo(before);
    }

    @Test
    void when_the_node_comes_back_to_the_chain_it_is_followed_and_named_no_more() {
        node.tip(chain.grown(ours.at(FIRST_KEPT - 5), 40));
        awaitNamed(NO_BLOCK);

        ModelBlock further = chain.grown(ours, 2);
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
        ModelBlock longer = chain.grown(ours.at(FIRST_KEPT), 40);
        node.tip(longer);

        daemon.awaitFollowed(longer);
    }

    private CreditReader reader(long depth) {
        return new CreditReader(
                () -> new CreditFeed(
                        daemon.books().file(), () -> daemon.follower().tip().map(FollowedTip::place)),
                owned,
                depth,
                Optional.empty());
    }

    private static void assertExact(CreditReader reader, ModelBlock tip) {
        reader.readAll();
        assertThat(reader.hasBooked()).isTrue();
        reader.assertExact(tip);
    }

    @Test
    void the_operator_decides_by_a_checkpoint_and_the_feed_tells_from_its_cursors_on_what_is_different() {
        List<CreditReader> readers = List.of(reader(0), reader(1), reader(3));
        readers.forEach(reader -> assertExact(reader, ours));
        ModelBlock other = chain.grown(ours.at(FIRST_KEPT - 5), 40);
        node.tip(other);

        restart(other.at(25).block().place());
        daemon.awaitFollowed(other);
        daemon.awaitNoRescan();

        readers.forEach(reader -> assertExact(reader, other));
        assertThat(isComplained(NO_BLOCK)).isFalse();
        for (Address address : owned) {
            LedgerBooks.Watched watched = Await.result(
                            new LedgerBooks(daemon.books().file()).find(address))
                    .orElseThrow();
            assertThat(watched.birth()).as("a height of the other chain").isZero();
            assertThat(watched.isCovered())
                    .as("by a rescan from the first block")
                    .isTrue();
        }
        restart(other.at(25).block().place());
        ModelBlock further = chain.grown(other, 1);
        node.tip(further);
        daemon.awaitFollowed(further);
    }

    @Test
    void what_a_silent_node_has_shown_of_the_chain_before_is_no_lag_of_the_one_that_the_operator_decides_for() {
        daemon.close();
        ModelNode silent = new ModelNode(chain, executor);
        ModelBlock further = chain.grown(ours, 1);
        silent.tip(further);
        ModelBlock other = chain.grown(ours.at(FIRST_KEPT - 5), 17);
        start(List.of(node, silent), Optional.of(other.at(25).block().place()));
        daemon.awaitFollowed(further);

        silent.lie(ModelNode.Lie.SILENT);
        node.tip(other);
        daemon.awaitFollowed(other);

        Await.until("there is no lag", () -> daemon.follower().status().lag() == 0);
        assertThat(other.height()).isLessThan(ours.height());
    }

    @Test
    void a_process_that_dies_in_the_commit_goes_over_at_its_next_start() {
        ModelBlock other = chain.grown(ours.at(FIRST_KEPT - 5), 40);
        CreditReader reader = reader(1);
        reader.readAll();
        Bookkeeping broken =
                new Bookkeeping(daemon.books().file(), daemon.books().books(), FollowerSetup.Rules.DEFAULT);
        List<BlockRow> rows = LongStream.rangeClosed(0, 30)
                .mapToObj(height -> new Bookkeeping.Entry(other.at(height).block(), true).row())
                .toList();
        Map<String, List<String>> before = daemon.books().dump();
        daemon.books().failUndoing();

        assertThatThrownBy(
                        () -> Await.result(broken.replaceChain(rows, rows.get(0).place())))
                .hasMessageContaining("cannot be written");

        assertThat(daemon.books().dump()).isEqualTo(before);
        node.tip(other);
        restart(other.at(25).block().place());
        daemon.awaitFollowed(other);
        daemon.awaitNoRescan();
        assertExact(reader, other);
    }

    @Test
    void a_checkpoint_that_the_books_agree_with_lets_no_strange_chain_in() {
        restart(ours.at(25).block().place());
        daemon.awaitFollowed(ours);

        node.tip(chain.grown(ours.at(FIRST_KEPT - 5), 40));
        awaitNamed(NO_BLOCK);

        assertThat(daemon.follower().tip().orElseThrow().place())
                .isEqualTo(ours.block().place());
    }

    @Test
    void a_node_that_denies_blocks_and_then_shows_them_decides_nothing() {
        ModelBlock fork = chain.grown(ours.at(22), 40);
        node.tip(chain.grown(ours.at(FIRST_KEPT - 5), 40));
        node.hide(fork);

        restart(fork.at(25).block().place());
        awaitNamed(NO_BLOCK);

        assertThat(daemon.follower().tip().orElseThrow().place())
                .isEqualTo(ours.block().place());
    }

    @Test
    void nor_does_one_that_the_strange_chain_has_not() {
        ModelBlock right = chain.grown(ours.at(FIRST_KEPT - 5), 40);
        node.tip(chain.grown(ours.at(FIRST_KEPT - 5), 40));

        restart(right.at(25).block().place());
        awaitNamed(NO_BLOCK);

        assertThat(daemon.follower().tip().orElseThrow().place())
                .isEqualTo(ours.block().place());
        node.tip(right);
        daemon.awaitFollowed(right);
    }
}
