package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Spawners;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two daemons on one journal of swaps: the one that processes them knows all open swaps, and none that is over, before anything acts. */
class SwapSwitchesTest {
    private final ActorTestKit kit = ActorTestKit.create();
    private final SealedRecords seals = TestSeals.of(Optional.empty());
    private final Map<String, SwapEntry> rows = MemorySwaps.rows();
    private final AtomicLong now = new AtomicLong(Sample.NOW);
    private final Daemon first = new Daemon("run-1");
    private final Daemon second = new Daemon("run-2");

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    /** The swaps of one daemon. No chain can be observed, so only quotes change. */
    private final class Daemon {
        private final MemorySwaps store = MemorySwaps.immortal(rows);
        private final SwapJournal journal = EngineCalls.journal(store, seals);
        private final SwapBook book = new SwapBook();
        private final SwapNews news = new SwapNews(book, new SimpleMeterRegistry(), row -> {});
        private final Keeper keeper = Keeper.under(Spawners.of(kit));
        private final ActorRef<SwapEngine.Command> engine;
        private final String run;

        private Daemon(String run) {
            this.run = run;
            SwapSetup setup = EngineCalls.setup(
                    journal, new IdleLegs(), run, () -> Instant.ofEpochSecond(now.get()), Duration.ofMillis(20));
            BooleanSupplier stopping = () -> !keeper.isRunning();
            engine = keeper.begin(
                    "swaps",
                    SwapEngine.create(
                            Copies.with(setup, "stopping", stopping, "book", book, "changed", news),
                            new StalledSwaps()),
                    SwapEngine::whileStopped);
            book.leaveToEngine();
            book.outdate();
        }

        private SwapRow quote(int n) {
            SwapRow row = SwapRow.quoted("swap-" + n, "pool-" + n, run, terms(n), Optional.empty(), now.get());
            SwapJournal.Held held = EngineCalls.add(journal, row);
            news.accept(row);
            engine.tell(new SwapEngine.Adopt(held));
            return row;
        }

        private List<SwapRow> open() {
            return Await.result(journal.watchedRows());
        }

        /** Asserts that memory has the journal's rows. */
        private void assertKnowsAll() {
            Await.until("the journal is read", book::isKnown);
            List<SwapRow> open = open();
            assertThat(book.count(SwapStatus.QUOTED)).isEqualTo(open.size());
            open.forEach(row -> assertThat(book.of(row.terms().hashLock())).isPresent());
        }
    }

    private static SwapTerms terms(int n) {
        return Sample.row(n, Direction.CHAIN_TO_NATIVE).terms();
    }

    @Test
    void the_book_is_the_journals_in_each_run() {
        first.keeper.start();
        first.assertKnowsAll();
        List<SwapRow> early = IntStream.range(1, 4).mapToObj(first::quote).toList();
        first.assertKnowsAll();
        assertThat(second.book.isKnown()).isFalse();
        first.keeper.stop();
        assertThat(first.book.isKnown()).isFalse();
        assertThat(first.book.of(Hash256.ZERO)).isPresent();

        second.keeper.start();
        second.assertKnowsAll();
        assertThat(second.book.count(SwapStatus.QUOTED)).isEqualTo(3);
        second.quote(4);
        // For this daemon the quotes of the other process are over.
        rows.computeIfPresent(
                early.get(0).id(), (id, row) -> Copies.with(row, "version", row.version() + 1, "watched", false));
        second.keeper.stop();

        CompletableFuture<Void> gate = new CompletableFuture<>();
        first.store.readsAfter(gate);
        first.keeper.start();
        SwapRow late = first.quote(5);
        CompletableFuture<SwapReply> asked = EngineCalls.execute(first.engine, late.id());
        assertThat(EngineCalls.hasRoom(first.engine)).isTrue();
        assertThat(first.book.isKnown()).as("nothing was read yet").isFalse();
        assertThat(asked).as("nothing acts before").isNotDone();
        gate.complete(null);
        first.assertKnowsAll();
        assertThat(first.book.of(early.get(0).terms().hashLock())).isEmpty();
        assertThat(first.book.of(terms(4).hashLock()).orElseThrow()).contains("swap-4");
        assertThat(Await.result(asked)).isInstanceOf(SwapReply.Failed.class);
    }

    @Test
    void a_daemon_without_an_engine_reads_the_journal_in_each_run_and_again_when_it_cannot() {
        SwapBook book = new SwapBook();
        book.leaveToOperator();
        book.outdate();
        Keeper keeper = Keeper.under(Spawners.of(kit));
        AtomicLong failures = new AtomicLong(2);
        keeper.begin(
                "swap-book",
                BookReader.create(
                        book,
                        () -> failures.getAndDecrement() > 0
                                ? CompletableFuture.failedFuture(
                                        new StoreException(StoreException.Reason.UNAVAILABLE, "a test's disk", null))
                                : first.journal.watchedRows(),
                        Duration.ofMillis(20)),
                command -> {});
        keeper.start();
        Await.until("it is read", book::isKnown);
        assertThat(book.count(SwapStatus.QUOTED)).isZero();
        keeper.stop();
        assertThat(book.isKnown()).isFalse();
        first.quote(1);
        keeper.start();
        Await.until("it is read", book::isKnown);
        assertThat(book.count(SwapStatus.QUOTED)).isEqualTo(1);
    }
}
