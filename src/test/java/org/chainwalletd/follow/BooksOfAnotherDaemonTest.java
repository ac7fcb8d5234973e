package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.coins.SeenCredits;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.event.EventFeed;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Distorted;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.wait.PaymentOutcome;
import org.chainwalletd.wait.TxOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A single daemon writes the books; the others publish the same chain, with the same cursors, and continue when the first one dies. */
@Tag("postgres")
@Timeout(300)
class BooksOfAnotherDaemonTest {
    private static final Address SHOP = Address.of(new byte[32]);
    private static final CompletableFuture<Void> STAYS = new CompletableFuture<>();
    private static final Duration LONG = Duration.ofSeconds(60);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final List<SharingDaemon> daemons = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void make() {
        database = new TestDatabase();
    }

    @AfterEach
    void close() throws IOException {
        database.back();
        daemons.forEach(SharingDaemon::close);
        database.close();
    }

    private SharingDaemon daemon() {
        return daemon(setup -> setup, chain.uri());
    }

    private SharingDaemon daemon(UnaryOperator<FollowerSetup> change, URI... nodes) {
        SharingDaemon daemon = new SharingDaemon(database, folder, change, nodes);
        daemons.add(daemon);
        return daemon;
    }

    private void awaitTips() {
        daemons.forEach(daemon -> daemon.awaitTip(chain.node()));
    }

    private void assertFoldsToTheChain(SharingDaemon daemon) {
        BlockPlace tip =
                new BlockPlace(chain.node().tip().height(), chain.node().tip().id());
        Await.until("the events lead to the tip", () -> {
            List<BlockPlace> fold = daemon.fold();
            return !fold.isEmpty() && fold.get(fold.size() - 1).equals(tip);
        });
        for (BlockPlace place : daemon.fold()) {
            if (!place.blockId().equals(Hash256.ZERO)) {
                assertThat(chain.node().ledger().blockAt(place.height()).map(ConnectedBlock::id))
                        .contains(place.blockId());
            }
        }
    }

    private static List<String> kinds(List<FollowEvent> events) {
        return events.stream().map(event -> event.getClass().getSimpleName()).toList();
    }

    @Test
    void a_deposit_is_seen_by_waits_and_by_cursors_of_either_daemon() {
        SharingDaemon keeper = daemon().keep();
        SharingDaemon reader = daemon();
        keeper.watch(SHOP);
        awaitTips();
        CreditCursor cursor = Await.result(keeper.feed.now(0, Optional.empty()));
        CompletionStage<PaymentOutcome> payment = reader.waits.forPayment(SHOP, Amount.of(1), LONG, STAYS);
        CompletionStage<CreditFeed.Batch> credits = reader.waits.forCredits(cursor, false, 10, LONG, STAYS);
        Await.pause(200);

        Hash256 first = chain.fund(SHOP, 5_000);

        assertThat(Await.result(payment))
                .isInstanceOfSatisfying(
                        PaymentOutcome.Received.class,
                        received -> assertThat(received.txId()).contains(first));
        CompletionStage<TxOutcome> buried = reader.waits.forTransaction(first, 2, LONG, STAYS);
        CreditFeed.Batch told = Await.result(credits);
        assertThat(told.events())
                .extracting(event -> event.credit().outpoint().txId())
                .containsExactly(first);
        Hash256 second = chain.fund(SHOP, 6_000);
        assertThat(Await.result(keeper.waits.forCredits(told.cursor(), false, 10, LONG, STAYS))
                        .events())
                .extracting(event -> event.credit().outpoint().txId())
                .containsExactly(second);
        assertThat(Await.result(buried)).isInstanceOf(TxOutcome.Confirmed.class);
        awaitTips();
        assertThat(reader.follower.status().lag()).isZero();
        assertThat(reader.follower.status().complaints()).isEmpty();
        assertThat(reader.follower.isFullyScanned()).isTrue();
    }

    @Test
    void a_reorganisation_is_reported_backwards_and_then_forwards() {
        daemon().keep();
        SharingDaemon reader = daemon();
        awaitTips();
        chain.mine(5);
        awaitTips();
        // The tip is visible before the events of its blocks have arrived.
        assertFoldsToTheChain(reader);
        reader.events.clear();
        chain.node().reorg(4);
        awaitTips();
        Await.until("all is told", () -> reader.events.size() >= 9);

        assertThat(String.join(" ", kinds(reader.events)))
                .isEqualTo("Disconnected ".repeat(4) + "Connected ".repeat(5).strip());
    }

    @Test
    void when_the_keeper_dies_and_another_one_continues_no_block_is_missed_or_told_twice() {
        SharingDaemon first = daemon().keep();
        SharingDaemon second = daemon();
        SharingDaemon third = daemon();
        awaitTips();
        chain.mine(3);
        awaitTips();
        first.kill();
        daemons.remove(first);
        chain.mine(2);
        second.keep();
        awaitTips();
        chain.node().reorg(2);
        awaitTips();
        // Moves the background work while both daemons live: the old keeper is stopped in an orderly way.
        second.keeper.stop();
        chain.mine(1);
        third.keep();
        awaitTips();
        chain.mine(1);
        awaitTips();

        for (SharingDaemon daemon : daemons) {
            assertFoldsToTheChain(daemon);
            assertThat(kinds(daemon.events)).doesNotContain("Advanced");
        }
    }

    @Test
    void a_stream_of_events_continues_at_another_daemon() {
        SharingDaemon keeper = daemon().keep();
        SharingDaemon reader = daemon();
        keeper.watch(SHOP);
        awaitTips();
        Streamed before = stream(keeper, Optional.empty());
        Hash256 first = chain.fund(SHOP, 5_000);
        Await.until("the first is told", () -> before.credits().size() == 1);
        before.stop();
        Hash256 second = chain.fund(SHOP, 6_000);
        keeper.kill();
        daemons.remove(keeper);
        reader.keep();

        Streamed after = stream(reader, Optional.of(before.lastId()));
        Await.until("the second is told", () -> !after.credits().isEmpty());
        assertThat(before.credits()).singleElement().asString().contains(first.hex());
        assertThat(after.credits()).singleElement().asString().contains(second.hex());
        SharingDaemon another = daemon();
        another.awaitTip(chain.node());
        Streamed again = stream(another, Optional.of(before.lastId()));
        Await.until("the second is told again", () -> !again.credits().isEmpty());
        assertThat(again.credits()).singleElement().asString().contains(second.hex());
        assertThat(again.lastId()).isEqualTo(after.lastId());
    }

    /** Events of a stream, in order. */
    private record Streamed(Queue<String> events, UniqueKillSwitch end) {
        List<String> credits() {
            return events.stream()
                    .filter(event -> event.contains("event: credit"))
                    .toList();
        }

        String lastId() {
            return credits()
                    .get(credits().size() - 1)
                    .lines()
                    .filter(line -> line.startsWith("id: "))
                    .map(line -> line.substring(4))
                    .findFirst()
                    .orElseThrow();
        }

        void stop() {
            end.shutdown();
        }
    }

    private static Streamed stream(SharingDaemon daemon, Optional<String> lastEventId) {
        EventFeed.Opened opened = (EventFeed.Opened)
                Await.result(daemon.streams.open(lastEventId, Optional.empty(), new EventFeed.Memory() {
                    @Override
                    public boolean take(long bytes) {
                        return true;
                    }

                    @Override
                    public void giveBack(long bytes) {}
                }));
        Queue<String> events = new ConcurrentLinkedQueue<>();
        UniqueKillSwitch end = opened.bytes()
                .viaMat(KillSwitches.single(), Keep.right())
                .toMat(Sink.foreach(bytes -> events.add(bytes.utf8String())), Keep.left())
                .run(Materializer.createMaterializer(daemon.kit.system()));
        return new Streamed(events, end);
    }

    @Test
    void a_node_that_lags_delays_a_tip_for_some_seconds_only() {
        daemon().keep();
        long[] highest = {Long.MAX_VALUE};
        SharingDaemon reader = daemon(
                setup -> with(
                        setup, node -> Distorted.blocks(node, block -> block.height() > highest[0] ? null : block)),
                chain.uri());
        awaitTips();
        chain.mine(1);
        awaitTips();
        highest[0] = chain.node().tip().height();
        chain.mine(1);
        awaitTips();
        highest[0] = Long.MAX_VALUE;
        chain.mine(1);
        awaitTips();

        assertFoldsToTheChain(reader);
        assertThat(kinds(reader.events)).endsWith("Connected", "Advanced", "Connected");
    }

    @Test
    void a_node_that_lies_about_a_block_is_not_believed() {
        daemon().keep();
        SharingDaemon reader =
                daemon(setup -> with(setup, node -> Distorted.transactions(node, Distorted::richer)), chain.uri());
        awaitTips();
        chain.fund(SHOP, 5_000);
        awaitTips();

        assertFoldsToTheChain(reader);
        assertThat(kinds(reader.events)).doesNotContain("Connected").endsWith("Advanced");
    }

    @Test
    void blocks_that_the_daemon_that_writes_does_not_get_are_the_lag_of_the_others() {
        AtomicBoolean cutOff = new AtomicBoolean();
        UnaryOperator<NodeClient.BlockSummary> shown = block -> {
            if (cutOff.get()) {
                throw new IllegalStateException("the node does not answer the daemon that writes");
            }
            return block;
        };
        daemon(setup -> with(setup, node -> Distorted.blocks(node, shown)), chain.uri())
                .keep();
        SharingDaemon reader = daemon(setup -> setup, chain.uri(), chain.uri());
        awaitTips();
        cutOff.set(true);
        chain.node().mine(7);

        Await.until("the lag is known", () -> reader.follower.status().lag() == 7);
        assertThat(reader.follower.status().nodesHeight())
                .isEqualTo(chain.node().tip().height());

        cutOff.set(false);
        awaitTips();
        Await.until("there is no lag", () -> reader.follower.status().lag() == 0);
    }

    private static FollowerSetup with(FollowerSetup setup, UnaryOperator<NodeClient> change) {
        return Copies.with(
                setup,
                "sources",
                new FollowerSetup.Sources(
                        setup.sources().nodes().stream()
                                .map(node -> new FollowedNode(node.name(), change.apply(node.client())))
                                .toList(),
                        change.apply(setup.sources().any()),
                        setup.sources().rules()));
    }

    @Test
    void a_silent_database_is_told_of_while_it_lasts_and_then_all_continues() {
        daemon().keep();
        SharingDaemon reader = daemon();
        awaitTips();
        database.fallSilent();
        chain.mine(2);
        Await.until(
                "the reader says it",
                () -> reader.follower.status().complaints().stream()
                        .anyMatch(complaint -> complaint.contains("have not answered")));
        database.back();
        chain.mine(1);
        awaitTips();
        Await.until(
                "nothing is said any more",
                () -> reader.follower.status().complaints().isEmpty());
        database.leave();
        chain.mine(1);
        Await.pause(500);
        database.back();
        awaitTips();

        assertFoldsToTheChain(reader);
    }

    @Test
    void what_any_daemon_sees_in_a_mempool_is_told_by_all_and_removed_by_the_keeper() {
        SharingDaemon keeper = daemon().keep();
        SharingDaemon reader = daemon();
        keeper.watch(SHOP);
        awaitTips();
        CreditCursor cursor = Await.result(keeper.feed.now(0, Optional.empty()));
        Hash256 seen = chain.node().faucet(SHOP, Amount.of(7_000));
        Transaction tx = chain.node().ledger().transaction(seen).orElseThrow().tx();
        CompletionStage<CreditFeed.Batch> atKeeper = keeper.waits.forCredits(cursor, false, 10, LONG, STAYS);
        CompletionStage<CreditFeed.Batch> atReader = reader.waits.forCredits(cursor, false, 10, LONG, STAYS);

        reader.seen.tell(new SeenCredits.Seen(seen, tx));

        CreditFeed.Batch told = Await.result(atKeeper);
        assertThat(told.events()).extracting(CreditEvent::kind).containsExactly(CreditEvent.Kind.SEEN);
        assertThat(Await.result(atReader)).isEqualTo(told);
        chain.mine(1);
        assertThat(Await.result(reader.waits.forCredits(told.cursor(), false, 10, LONG, STAYS))
                        .events())
                .extracting(CreditEvent::kind)
                .containsExactly(CreditEvent.Kind.CONFIRMED);
    }

    @Test
    void a_lock_that_any_daemon_sees_is_told_by_all_and_once() {
        SharingDaemon keeper = daemon().keep();
        SharingDaemon reader = daemon();
        awaitTips();
        PublicKey own = PublicKey.of(Hash256.sha256(new byte[1]).toArray());
        keeper.watch(ModelChain.PROFILE.addressOf(own));
        HtlcParams params = new HtlcParams(own, PublicKey.of(new byte[32]), Hash256.ZERO, 1_000);
        Transaction tx = new Transaction(
                List.of(new Outpoint(Hash256.ZERO, 0)),
                List.of(TxOutput.toScript(HtlcScript.build(params), Amount.of(5_000))),
                List.of(Witness.plain(own, new byte[64])));
        Hash256 txId = TransactionCodec.txId(ModelChain.PROFILE, tx);

        Await.result(keeper.sightings.seen(txId, tx));
        Await.until("the reader tells of it", () -> !reader.htlcs.isEmpty());
        Await.until("the keeper tells of it", () -> !keeper.htlcs.isEmpty());
        // A repeated notice would arrive before later events.
        chain.mine(1);
        awaitTips();
        assertThat(reader.htlcs).containsExactly(new Outpoint(txId, 0));
        assertThat(keeper.htlcs).containsExactly(new Outpoint(txId, 0));
    }

    @Test
    void the_events_at_each_daemon_lead_to_the_chain_whatever_happens() {
        Random random = Seeded.random("sharing");
        for (int i = 0; i < 3; i++) {
            daemon();
        }
        int keeper = 0;
        daemons.get(0).watch(SHOP);
        daemons.get(0).keep();
        awaitTips();
        List<Reading> readings = new ArrayList<>(List.of(new Reading(0), new Reading(1), new Reading(3)));
        for (int step = 0; step < 60; step++) {
            switch (random.nextInt(8)) {
                case 0 -> chain.node().reorg(1 + random.nextInt(5));
                case 1 -> {
                    // The keeper's process dies, and another one starts in its place.
                    SharingDaemon dead = daemons.remove(keeper);
                    // Fails if an event does not fit.
                    dead.fold();
                    dead.kill();
                    daemon();
                    keeper = random.nextInt(daemons.size());
                    daemons.get(keeper).keep();
                }
                case 2 -> {
                    // Another daemon takes over before the old keeper knows.
                    int next = random.nextInt(daemons.size());
                    if (next != keeper) {
                        daemons.get(next).keep();
                        daemons.get(keeper).keeper.stop();
                        keeper = next;
                    }
                }
                case 3 -> {
                    database.leave();
                    Await.pause(random.nextInt(300));
                    database.back();
                }
                case 4 -> readings.forEach(reading -> reading.read(daemons.get(random.nextInt(daemons.size())), 3));
                case 5 -> awaitTips();
                default -> chain.fund(SHOP, 1_000 + step);
            }
        }
        chain.mine(5);
        awaitTips();
        daemons.forEach(this::assertFoldsToTheChain);
        for (Reading reading : readings) {
            reading.read(daemons.get(random.nextInt(daemons.size())), Integer.MAX_VALUE);
            assertThat(reading.credits())
                    .as("credits at depth " + reading.depth)
                    .isEqualTo(credits(reading.depth));
        }
    }

    /** Returns the credits of the chain with at least {@code depth} confirmations, from the first followed block on. */
    private Set<String> credits(long depth) {
        Set<String> all = new TreeSet<>();
        for (long height = 1; height <= chain.node().tip().height() - Math.max(1, depth) + 1; height++) {
            ConnectedBlock block = chain.node().ledger().blockAt(height).orElseThrow();
            for (int i = 0; i < block.txIds().size(); i++) {
                boolean pays = block.block().transactions().get(i).outputs().stream()
                        .anyMatch(output -> output.address().equals(Optional.of(SHOP)));
                if (pays) {
                    all.add(block.txIds().get(i) + " in " + block.id());
                }
            }
        }
        return all;
    }

    /** Reader of the feed that asks any of the daemons with its last cursor. */
    private static final class Reading {
        private final long depth;
        private final Set<String> credits = new TreeSet<>();
        private CreditCursor cursor;

        Reading(long depth) {
            this.depth = depth;
        }

        void read(SharingDaemon daemon, int pages) {
            if (cursor == null) {
                cursor = Await.result(daemon.feed.beginning(depth, Optional.empty()));
            }
            boolean more = true;
            for (int page = 0; page < pages && more; page++) {
                CreditFeed.Batch batch = Await.result(daemon.feed.read(cursor, true, 2));
                for (CreditEvent event : batch.events()) {
                    String credit = event.credit().outpoint().txId() + " in "
                            + event.credit().block().blockId();
                    boolean isNew =
                            event.kind() == CreditEvent.Kind.CONFIRMED ? credits.add(credit) : credits.remove(credit);
                    assertThat(isNew).as(event.kind() + " " + credit).isTrue();
                }
                cursor = batch.cursor();
                more = batch.more();
            }
        }

        Set<String> credits() {
            return credits;
        }
    }
}
