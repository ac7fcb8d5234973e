package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every question to a swap is answered, wherever it is when the swap's actor ends. */
public class SwapAnswersTest {
    private static final String ID = "swap-1";
    private static final Duration NEVER = Duration.ofDays(1);
    private static final Supplier<OptionalLong> TIP = () -> OptionalLong.of(Sample.TIP);

    private static ActorTestKit kit;
    private static SealedRecords seals;

    @BeforeAll
    static void start() {
        kit = ActorTestKit.create();
        seals = TestSeals.of(Optional.empty());
    }

    @AfterAll
    static void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    /** A quote whose observations end when the test says so; nothing can be sent. */
    private static final class Quoted extends IdleLegs {
        private final MemorySwaps table = MemorySwaps.immortal(MemorySwaps.rows());
        private final Queue<CompletableFuture<View>> looks = new ConcurrentLinkedQueue<>();
        private final Queue<String> heard = new ConcurrentLinkedQueue<>();
        private final SwapBook book = new SwapBook();
        /** Value that a swap's actor reads after an observation, on its own thread. */
        private volatile Supplier<OptionalLong> tip = TIP;

        private boolean reached = true;
        private ActorRef<SwapEngine.Command> engine;

        Quoted start(Duration pace) {
            SwapJournal journal = EngineCalls.journal(table, seals);
            SwapRow row = Sample.row(Direction.CHAIN_TO_NATIVE);
            EngineCalls.add(journal, row);
            book.enter(row);
            SwapSetup setup = EngineCalls.setup(
                    journal, this, "run-1", InstantSource.fixed(Instant.ofEpochSecond(Sample.NOW)), pace);
            Supplier<OptionalLong> current = () -> tip.get();
            Consumer<SwapRow> changed = now -> heard.add(now.status().word());
            engine = kit.spawn(SwapEngine.create(
                    Copies.with(setup, "tip", current, "book", book, "changed", changed), new StalledSwaps()));
            return this;
        }

        CompletableFuture<SwapReply> ask(Function<CompletableFuture<SwapReply>, SwapQuestion> question) {
            return EngineCalls.ask(engine, ID, question);
        }

        CompletableFuture<SwapReply> execute() {
            return ask(reply -> new SwapQuestion.Execute(Optional.empty(), reply));
        }

        CompletableFuture<SwapReply> refund() {
            return ask(SwapQuestion.Refund::new);
        }

        /** Answered during a round too, after everything asked before. */
        SwapReply status() {
            return Await.result(ask(SwapQuestion.Status::new));
        }

        /** Waits until the questions asked before have reached the swap's actor. */
        void given() {
            EngineCalls.hasRoom(engine);
        }

        /** Tests whether the swap's lock is being decided on. */
        boolean isExecuting() {
            return book.needingGas(Sample.OUR_EVM) == 1;
        }

        CompletableFuture<View> firstLook() {
            Await.until("somebody looks", () -> !looks.isEmpty());
            return looks.remove();
        }

        @Override
        public boolean reach(SwapRow row) {
            return reached;
        }

        @Override
        public CompletionStage<View> look(SwapRow row) {
            CompletableFuture<View> look = new CompletableFuture<>();
            looks.add(look);
            return look;
        }
    }

    @Test
    void a_swap_of_another_account_chain_is_told_of_and_neither_looked_at_nor_changed() {
        Quoted swap = new Quoted();
        swap.reached = false;
        swap.start(Duration.ZERO);
        assertThat(swap.status()).isInstanceOf(SwapReply.Current.class);
        assertThat(Await.result(swap.execute())).isInstanceOf(SwapReply.Current.class);
        assertThat(Await.result(swap.refund())).isInstanceOf(SwapReply.NothingLocked.class);
        assertThat(swap.looks).isEmpty();
        assertThat(swap.isExecuting()).isFalse();
        assertThat(swap.heard).isEmpty();
        kit.stop(swap.engine);
    }

    private static Legs.View unsafe() {
        return IdleLegs.view(new OwnLock.Absent(), new LockPermission.Refused("not today"), false);
    }

    private static OptionalLong dies() {
        throw new IllegalStateException("dies here");
    }

    @Test
    void questions_in_the_stash_of_an_actor_that_dies_are_answered_and_the_next_actor_continues() {
        Quoted swap = new Quoted().start(Duration.ZERO);
        CompletableFuture<SwapReply> worked = swap.execute();
        CompletableFuture<Legs.View> look = swap.firstLook();
        assertThat(swap.isExecuting()).isTrue();
        CompletableFuture<SwapReply> execute = swap.execute();
        CompletableFuture<SwapReply> refund = swap.refund();
        assertThat(swap.status()).as("asked when both lie in the stash").isInstanceOf(SwapReply.Current.class);
        swap.tip = SwapAnswersTest::dies;
        look.complete(unsafe());
        assertThat(Await.result(worked)).as("no lock was begun").isInstanceOf(SwapReply.Failed.class);
        assertThat(Await.result(execute)).isInstanceOf(SwapReply.LockUnknown.class);
        assertThat(Await.result(refund)).isInstanceOf(SwapReply.Failed.class);
        assertThat(swap.isExecuting()).isFalse();
        assertThat(swap.heard).isEmpty();
        swap.tip = TIP;
        assertThat(swap.status()).isInstanceOf(SwapReply.Current.class);
        kit.stop(swap.engine);
    }

    @Test
    void questions_in_the_mailbox_of_an_actor_that_dies_are_answered() {
        Quoted swap = new Quoted().start(NEVER);
        swap.execute();
        CompletableFuture<Legs.View> look = swap.firstLook();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        swap.tip = () -> {
            Await.result(asked);
            return dies();
        };
        look.complete(unsafe());
        List<CompletableFuture<SwapReply>> unread =
                List.of(swap.execute(), swap.refund(), swap.ask(SwapQuestion.Status::new));
        swap.given();
        asked.complete(null);
        assertThat(unread)
                .extracting(reply -> Await.result(reply).getClass().getSimpleName())
                .containsExactly("LockUnknown", "Failed", "Failed");
        kit.stop(swap.engine);
    }

    @Test
    void questions_that_nobody_has_answered_when_the_daemon_stops_are_answered() {
        Quoted swap = new Quoted().start(NEVER);
        CompletableFuture<SwapReply> worked = swap.execute();
        swap.firstLook();
        CompletableFuture<SwapReply> stashed = swap.execute();
        swap.given();
        kit.stop(swap.engine);
        assertThat(Await.result(worked)).isInstanceOf(SwapReply.Failed.class);
        assertThat(Await.result(stashed)).isInstanceOf(SwapReply.LockUnknown.class);
    }

    @Test
    void questions_that_wait_for_the_journal_when_the_daemon_stops_are_answered() {
        Quoted swap = new Quoted();
        swap.table.readsAfter(new CompletableFuture<>());
        swap.start(NEVER);
        CompletableFuture<SwapReply> execute = swap.execute();
        CompletableFuture<SwapReply> refund = swap.refund();
        swap.given();
        kit.stop(swap.engine);
        assertThat(Await.result(execute)).isInstanceOf(SwapReply.LockUnknown.class);
        assertThat(Await.result(refund)).isInstanceOf(SwapReply.Failed.class);
    }

    @Test
    void all_that_waited_for_a_round_are_answered_after_it_and_not_one_with_each_round() {
        Quoted swap = new Quoted().start(NEVER);
        CompletableFuture<SwapReply> worked = swap.execute();
        CompletableFuture<Legs.View> look = swap.firstLook();
        List<CompletableFuture<SwapReply>> waiting = List.of(swap.refund(), swap.refund(), swap.execute());
        swap.given();
        look.complete(unsafe());
        assertThat(Await.result(worked)).isEqualTo(new SwapReply.NotExecuted("not today"));
        swap.firstLook().complete(unsafe());
        assertThat(waiting)
                .extracting(reply -> Await.result(reply).getClass().getSimpleName())
                .containsExactly("NothingLocked", "NothingLocked", "NotExecuted");
        kit.stop(swap.engine);
    }

    @Test
    void an_expired_quote_is_not_executed_and_says_so_however_late_it_is_asked() {
        SwapRow quote = Sample.row(Direction.NATIVE_TO_CHAIN);
        SwapQuestion execute = new SwapQuestion.Execute(Optional.empty(), new CompletableFuture<>());
        assertThat(execute.by(quote.with(Acts.NONE.expire(), 0)))
                .isEqualTo(new SwapReply.NotExecuted("the quote has expired"));
        SwapRow locked = quote.with(Acts.NONE.lock(), 0);
        assertThat(execute.by(locked)).isEqualTo(new SwapReply.Current(locked));
    }
}
