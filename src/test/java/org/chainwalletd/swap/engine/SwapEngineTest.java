package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The engine over simulated chains: honest and dishonest pools, lost answers, and a process that dies at every write. */
@Walks({CrashPoint.SWAP_BEFORE_STEP, CrashPoint.SWAP_AFTER_STEP})
public class SwapEngineTest {
    private static final int HISTORIES = Integer.getInteger("swap.histories", 40);
    private static final long SEED = Long.getLong("swap.seed", 20_260_101L);
    private static final String ID = "swap-1";

    @AutoClose("shutdownTestKit")
    private static ActorTestKit kit;

    @AutoClose
    private static SealedRecords seals;

    @AutoClose("die")
    private History history;

    @BeforeAll
    static void start() {
        kit = ActorTestKit.create();
        seals = TestSeals.of(Optional.empty());
    }

    /** Legs of one process: nothing that it has begun reaches a chain after its death. */
    private static final class ProcessLegs {
        private final Legs real;
        private boolean isDead;

        ProcessLegs(Legs real) {
            this.real = real;
        }

        synchronized void die() {
            isDead = true;
        }

        private synchronized Object whileAlive(Stub.Call call) throws Throwable {
            return isDead && !call.name().equals("reach")
                    ? CompletableFuture.failedFuture(new IllegalStateException("dead"))
                    : call.on(real);
        }

        Legs legs() {
            return Stub.of(Legs.class, this::whileAlive);
        }
    }

    /** A swap, from its quote to its end, over as many processes as necessary. */
    private static final class History {
        private final Map<String, SwapEntry> rows = MemorySwaps.rows();
        private final SimulatedLegs legs;
        private final SwapJournal reader;
        private final Queue<SwapRow> heard = new ConcurrentLinkedQueue<>();
        private final AtomicLong tip = new AtomicLong(Sample.TIP);
        private final StalledSwaps stalled = new StalledSwaps();
        private int runs;
        private MemorySwaps store;
        private ProcessLegs ofProcess;
        private ActorRef<SwapEngine.Command> engine;

        History(long seed, int trouble) {
            reader = EngineCalls.journal(MemorySwaps.immortal(rows), seals);
            legs = new SimulatedLegs(new Random(seed), rows, reader, trouble);
        }

        private void start() {
            start(MemorySwaps.immortal(rows));
        }

        private void start(MemorySwaps table) {
            store = table;
            ofProcess = new ProcessLegs(legs);
            SwapJournal journal = EngineCalls.journal(store, seals);
            SwapSetup setup = EngineCalls.setup(
                    journal,
                    ofProcess.legs(),
                    "run-" + ++runs,
                    InstantSource.fixed(Instant.ofEpochSecond(Sample.NOW)),
                    Duration.ZERO);
            Supplier<OptionalLong> current = () -> OptionalLong.of(tip.get());
            Consumer<SwapRow> changed = heard::add;
            if (runs == 1) {
                EngineCalls.add(journal, Sample.row(Direction.CHAIN_TO_NATIVE));
            }
            engine = kit.spawn(SwapEngine.create(Copies.with(setup, "tip", current, "changed", changed), stalled));
        }

        private SwapReply execute() {
            return Await.result(executing());
        }

        private CompletableFuture<SwapReply> executing() {
            return EngineCalls.execute(engine, ID);
        }

        private CompletableFuture<SwapReply> asking() {
            return EngineCalls.ask(engine, ID, SwapQuestion.Status::new);
        }

        private SwapReply refund() {
            return Await.result(EngineCalls.ask(engine, ID, SwapQuestion.Refund::new));
        }

        private SwapStatus status() {
            SwapEntry entry = rows.get(ID);
            return SwapStatus.ofWord(entry.status()).orElseThrow();
        }

        /** Returns the height at which it ended, once nothing of it is at stake. */
        private OptionalLong settledAt() {
            return Await.result(reader.find(ID))
                    .filter(SwapRow::isSettled)
                    .map(SwapRow::endedAt)
                    .orElse(OptionalLong.empty());
        }

        private void die() {
            ofProcess.die();
            kit.stop(engine);
        }

        /** Executes until the engine knows of its row. */
        private void executed() {
            Await.until(
                    "the swap goes on",
                    () -> store.isDead()
                            || execute() instanceof SwapReply.Current current
                                    && current.row().acts().locking());
        }

        private void untilOver() {
            Await.until("the swap goes on", () -> store.isDead() || (status().isTerminal() && rests()));
        }

        /** Tests whether it is over; a completed swap continues until its own lock is claimed or refunded. */
        private boolean rests() {
            return status() != SwapStatus.COMPLETED || legs.paid() || legs.refunded();
        }
    }

    private void running(long seed) {
        history = new History(seed, 0);
        history.start();
    }

    private void over(long seed) {
        running(seed);
        history.executed();
        history.untilOver();
    }

    @Test
    void an_honest_swap_completes_without_anybody_asking_again() {
        for (long seed = 1; seed <= 10; seed++) {
            over(seed);
            history.die();
            assertThat(history.legs.wrong()).as("seed " + seed).isEmpty();
            assertThat(history.status()).as("seed " + seed).isIn(SwapStatus.COMPLETED, SwapStatus.REFUNDED);
            assertThat(history.legs.gained() && history.legs.paid() || history.legs.refunded())
                    .as("seed " + seed)
                    .isTrue();
        }
    }

    /** The process dies at the n-th write, before or after it, and restarts, until the swap is over. */
    @Test
    void a_process_that_dies_at_every_write_never_loses_both_legs() {
        for (int nth = 0; nth < HISTORIES; nth++) {
            HangWatch.alive();
            assertSurvives(SEED + nth, 1 + nth % 14, nth % 2 == 0, nth % 3 == 0 ? 0 : 10);
        }
    }

    private void assertSurvives(long seed, int writes, boolean written, int trouble) {
        history = new History(seed, trouble);
        history.start(new MemorySwaps(history.rows, writes + 1, written));
        executedOrDead();
        int deaths = 0;
        while (true) {
            history.untilOver();
            if (!history.store.isDead()) {
                break;
            }
            history.die();
            history.start(
                    ++deaths < 5
                            ? new MemorySwaps(history.rows, 1 + deaths % 3, !written)
                            : MemorySwaps.immortal(history.rows));
        }
        history.die();
        String told = "seed " + seed + ", died first at write " + writes + (written ? " after it" : " before it");
        assertThat(history.legs.wrong()).as(told).isEmpty();
        assertThat(history.legs.bothLost()).as(told).isFalse();
        assertThat(history.status()).as(told).isNotEqualTo(SwapStatus.LOST);
        assertThat(history.legs.locked() && !history.legs.gained() && !history.legs.refunded())
                .as(told + ": locked, and neither paid nor given back")
                .isFalse();
    }

    private void executedOrDead() {
        Await.until("the swap goes on", () -> {
            if (history.store.isDead()) {
                return true;
            }
            SwapReply reply = history.execute();
            return reply.equals(new SwapReply.NotExecuted("the quote has expired"))
                    || reply instanceof SwapReply.Current current
                            && (current.row().acts().locking()
                                    || current.row().status().isTerminal());
        });
    }

    /** The actor dies before or after its n-th step, and is restarted from the row. */
    @Test
    void a_swap_whose_actor_dies_around_any_step_continues_from_its_row() {
        for (CrashPoint point : SwapEngineTest.class.getAnnotation(Walks.class).value()) {
            for (int passage = 1; passage <= 6; passage++) {
                HangWatch.alive();
                assertGoesOn(point, passage);
            }
        }
    }

    private void assertGoesOn(CrashPoint point, int passage) {
        AtomicInteger passed = new AtomicInteger();
        CrashPoint.watch(reached -> {
            if (reached == point && passed.incrementAndGet() == passage) {
                throw new IllegalStateException("dies here");
            }
        });
        try {
            over(SEED + passage);
        } finally {
            CrashPoint.watch(null);
        }
        history.die();
        String told = "died at passage " + passage + " of " + point;
        assertThat(history.legs.wrong()).as(told).isEmpty();
        assertThat(history.legs.bothLost()).as(told).isFalse();
        assertThat(history.legs.gained() || history.legs.refunded()).as(told).isTrue();
    }

    @Test
    void what_is_over_is_watched_for_8640_blocks_of_the_chain_and_not_one_less() {
        over(1);
        Await.until("it is settled", () -> history.settledAt().isPresent());
        long ended = history.settledAt().getAsLong();
        history.tip.set(ended + SwapRow.WATCH_BLOCKS - 1);
        int looks = history.legs.looks();
        Await.until("it is looked at still", () -> history.legs.looks() > looks + 20);
        assertThat(history.rows.get(ID).watched()).isTrue();
        history.tip.set(ended + SwapRow.WATCH_BLOCKS);
        Await.until("nobody looks any more", () -> !history.rows.get(ID).watched());
    }

    @Test
    void a_second_execute_answers_the_record_and_locks_nothing_more() {
        running(3);
        history.executed();
        assertThat(history.execute()).isInstanceOf(SwapReply.Current.class);
        history.die();
        assertThat(history.legs.wrong()).isEmpty();
    }

    @Test
    void a_quote_of_another_process_is_not_executed() {
        running(4);
        history.die();
        history.start();
        Await.until("the swap goes on", () -> history.status() == SwapStatus.EXPIRED);
        assertThat(history.execute()).isEqualTo(new SwapReply.NotExecuted("the quote has expired"));
        assertThat(history.status()).isEqualTo(SwapStatus.EXPIRED);
    }

    @Test
    void a_refund_that_is_not_due_says_so_and_one_of_nothing_too() {
        running(5);
        assertThat(history.refund()).isInstanceOf(SwapReply.NothingLocked.class);
        history.executed();
        List<Class<? extends SwapReply>> early = List.of(SwapReply.NotDue.class, SwapReply.NothingLocked.class);
        SwapReply reply = history.refund();
        assertThat(early).anyMatch(type -> type.isInstance(reply));
    }

    @Test
    void an_unknown_swap_is_unknown() {
        running(6);
        assertThat(Await.result(EngineCalls.ask(history.engine, "nobody", SwapQuestion.Status::new)))
                .isEqualTo(new SwapReply.Unknown("nobody"));
    }

    @Test
    void what_is_asked_before_the_journal_is_read_waits_for_it() {
        history = new History(7, 0);
        MemorySwaps table = MemorySwaps.immortal(history.rows);
        CompletableFuture<Void> opened = new CompletableFuture<>();
        table.readsAfter(opened);
        history.start(table);
        CompletableFuture<SwapReply> early = history.executing();
        assertThat(history.stalled.why()).isPresent();
        opened.complete(null);
        assertThat(Await.result(early))
                .isInstanceOfSatisfying(
                        SwapReply.Current.class,
                        current -> assertThat(current.row().acts().locking()).isTrue());
        assertThat(history.stalled.why()).isEmpty();
    }

    @Test
    void nothing_is_begun_for_a_caller_who_has_left_before_the_journal_was_read() {
        history = new History(8, 0);
        MemorySwaps table = MemorySwaps.immortal(history.rows);
        CompletableFuture<Void> opened = new CompletableFuture<>();
        table.readsAfter(opened);
        history.start(table);
        history.executing().cancel(false);
        CompletableFuture<SwapReply> later = history.asking();
        opened.complete(null);
        assertThat(Await.result(later)).isInstanceOf(SwapReply.Current.class);
        assertThat(history.refund()).isInstanceOf(SwapReply.NothingLocked.class);
        assertThat(history.status()).isEqualTo(SwapStatus.QUOTED);
    }

    @Test
    void a_journal_that_cannot_be_read_is_reported_and_read_again_and_holds_a_bounded_number_of_questions() {
        history = new History(9, 0);
        MemorySwaps table = MemorySwaps.immortal(history.rows);
        table.readsAfter(CompletableFuture.failedFuture(
                new StoreException(StoreException.Reason.UNAVAILABLE, "the disk is away", null)));
        history.start(table);
        Await.until("it is told", () -> history.stalled.why().orElse("").contains("cannot be read"));
        CompletableFuture<SwapReply> first = history.asking();
        CompletableFuture<SwapReply> last = first;
        for (int i = 0; i < 1_024; i++) {
            last = history.asking();
        }
        assertThat(Await.result(last)).isInstanceOf(SwapReply.Failed.class);
        table.readsAfter(CompletableFuture.completedFuture(null));
        assertThat(Await.result(first)).isInstanceOf(SwapReply.Current.class);
        assertThat(history.stalled.why()).isEmpty();
    }

    @Test
    void a_lock_whose_write_has_no_known_end_is_reported_as_not_known() {
        for (boolean written : new boolean[] {true, false}) {
            history = new History(10, 0);
            history.start(new MemorySwaps(history.rows, 2, written));
            assertThat(history.execute()).isInstanceOf(SwapReply.LockUnknown.class);
            assertThat(history.status()).isEqualTo(written ? SwapStatus.LOCKING : SwapStatus.QUOTED);
            history.die();
        }
    }

    @Test
    void what_became_durable_without_an_answer_is_told_of_when_it_is_read_again() {
        history = new History(10, 0);
        history.start(MemorySwaps.losingAnswer(history.rows, 2));
        assertThat(history.execute()).isInstanceOf(SwapReply.LockUnknown.class);
        Await.until("it was told of", () -> !history.heard.isEmpty());
        assertThat(history.heard.element().acts()).isEqualTo(Acts.NONE.lock());
    }

    @Test
    void a_row_that_was_marked_as_watched_again_without_an_answer_gets_its_actor() {
        history = new History(11, 0);
        history.start();
        history.die();
        history.rows.computeIfPresent(ID, (id, entry) -> Copies.with(entry, "watched", false));
        history.start(MemorySwaps.losingAnswer(history.rows, 1));
        Await.until("the journal is read", () -> history.stalled.why().isEmpty());
        history.engine.tell(new SwapEngine.Rewatch(ID));
        Await.until("the quote of another process expires", () -> history.status() == SwapStatus.EXPIRED);
    }

    @Test
    void the_log_says_why_a_secret_does_not_leave_yet() {
        LogCapture log = LogCapture.of(SwapActor.WaitLog.class);
        try (log) {
            over(1);
            history.die();
        }
        assertThat(log.messages())
                .containsOnlyOnce("swap " + ID + " is user_locked and waits: its secret may not leave: not yet");
    }
}
