package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.engine.Decision;
import org.chainwalletd.swap.engine.Step;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Joined observation of two chains of which either may be silent: what it permits to be sent, and what it does not query at all. */
public class BothLegsTest {
    private static final OwnLock SETTLED = new OwnLock.Locked("ours", OptionalLong.of(Sample.NOW - 60));
    private static final OwnLock YOUNG = new OwnLock.Locked("ours", OptionalLong.empty());
    private static final OwnLock NONE = new OwnLock.Absent();
    private static final PoolLock NONE_OF_THEIRS = new PoolLock.Absent();
    private static final PoolLock POOL = new PoolLock.Locked("theirs", OptionalLong.empty());
    private static final SwapRow QUOTED = Sample.row(Direction.CHAIN_TO_NATIVE);
    private static final SwapRow LOCKING = QUOTED.with(Acts.NONE.lock(), Sample.NOW);

    private final List<String> asked = new ArrayList<>();
    private Supplier<CompletionStage<OwnLeg.View>> own = silent();
    private Supplier<CompletionStage<PoolLeg.View>> pool = silent();
    private Supplier<CompletionStage<Optional<String>>> bounds = none();
    private Supplier<CompletionStage<Optional<String>>> ownObstacle = none();
    private Supplier<CompletionStage<Optional<String>>> poolObstacle = none();
    private Supplier<CompletionStage<GateVerdict>> gate = () -> done(GateVerdict.OPEN);
    private Optional<String> hindrance = Optional.empty();
    private GateInputs told;

    private static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private static Supplier<CompletionStage<Optional<String>>> none() {
        return () -> done(Optional.empty());
    }

    private static Supplier<CompletionStage<Optional<String>>> against(String why) {
        return () -> done(Optional.of(why));
    }

    private static <T> Supplier<CompletionStage<T>> silent() {
        return () -> CompletableFuture.failedFuture(new IllegalStateException("no answer"));
    }

    private static <T> Supplier<CompletionStage<T>> broken() {
        return () -> {
            throw new IllegalStateException("fails before it asks");
        };
    }

    private <T> CompletionStage<T> asked(String what, Supplier<CompletionStage<T>> answer) {
        asked.add(what);
        return answer.get();
    }

    private final class Own implements OwnLeg {
        @Override
        public OwnLeg.View look(SwapRow row) {
            return Await.result(own.get());
        }

        @Override
        public Optional<String> obstacle(SwapRow row) {
            return Await.result(asked("own obstacle", ownObstacle));
        }

        @Override
        public String sendLock(SwapRow row, BooleanSupplier mayBegin) {
            return "lock";
        }

        @Override
        public void abandonLock(SwapRow row) {
            asked.add("abandon");
        }

        @Override
        public String takeBack(SwapRow row) {
            return "refund";
        }
    }

    private final class Theirs implements PoolLeg {
        @Override
        public PoolLeg.View look(SwapRow row) {
            return Await.result(pool.get());
        }

        @Override
        public Optional<String> obstacle(SwapRow row) {
            return Await.result(asked("pool obstacle", poolObstacle));
        }

        @Override
        public GateVerdict gate(SwapRow row, GateInputs now) {
            told = now;
            return Await.result(asked("gate", gate));
        }

        @Override
        public String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
            throw new IllegalStateException("fails before it sends");
        }
    }

    private BothLegs legs() {
        return legs(new BothLegs.Threads(Runnable::run, Runnable::run, Runnable::run, Runnable::run));
    }

    private BothLegs legs(BothLegs.Threads threads) {
        return new BothLegs(
                row -> true,
                row -> new Own(),
                row -> new Theirs(),
                row -> asked("bounds", bounds),
                () -> hindrance,
                InstantSource.fixed(Instant.ofEpochSecond(Sample.NOW)),
                threads,
                Runnable::run);
    }

    @Test
    void a_look_that_hangs_keeps_no_thread_from_a_claim_a_refund_or_the_other_chain() {
        ExecutorService contract = Executors.newSingleThreadExecutor();
        CompletableFuture<PoolLeg.View> hanging = new CompletableFuture<>();
        try {
            BothLegs legs = legs(new BothLegs.Threads(Runnable::run, contract, Runnable::run, Runnable::run));
            own = () -> done(new OwnLeg.View(SETTLED, false, false));
            pool = () -> hanging;
            CompletionStage<Legs.View> look = legs.look(LOCKING);

            assertThat(Await.result(legs.takeBack(LOCKING))).isEqualTo("refund");
            assertThat(legs.pushClaim(LOCKING, SecretBytes.copyOf(new byte[32]), () -> true))
                    .isCompletedExceptionally();
            assertThat(Await.result(legs.sendLock(LOCKING, () -> true))).isEqualTo("lock");
            assertThat(look).isNotDone();
            hanging.complete(new PoolLeg.View(NONE_OF_THEIRS, false));
            assertThat(Await.result(look).isComplete()).isTrue();
        } finally {
            contract.shutdownNow();
        }
    }

    @Test
    void work_that_no_thread_takes_fails_and_is_tried_again_later() {
        Executor full = work -> {
            throw new RejectedExecutionException("full");
        };
        BothLegs legs = legs(new BothLegs.Threads(full, full, full, full));

        assertThat(Await.result(legs.look(LOCKING)).isComplete()).isFalse();
        assertThat(legs.takeBack(LOCKING)).isCompletedExceptionally();
    }

    private Legs.View look(SwapRow row) {
        asked.clear();
        return Await.result(legs().look(row));
    }

    private void sees(OwnLock lock, PoolLock theirs) {
        own = () -> done(new OwnLeg.View(lock, false, false));
        pool = () -> done(new PoolLeg.View(theirs, false));
    }

    private static List<Step> next(SwapRow row, Legs.View view) {
        SwapRow seen = row.seeing(view.observation(), Sample.NOW);
        return Decision.next(
                seen,
                new Decision.Known(
                        "run-1", Sample.NOW, view.isComplete(), view.permission(), view.refundDue(), view.gate()));
    }

    @Test
    void a_chain_that_cannot_be_asked_is_unknown_and_the_other_one_is_not() {
        pool = () -> done(new PoolLeg.View(POOL, false));
        Legs.View view = look(LOCKING);
        assertThat(view.observation().ownLock()).isEmpty();
        assertThat(view.observation().poolLock()).contains(POOL);
        assertThat(view.isComplete()).isFalse();
        own = () -> done(new OwnLeg.View(SETTLED, true, true));
        pool = broken();
        view = look(LOCKING);
        assertThat(view.observation()).isEqualTo(new ChainObservation(Optional.of(SETTLED), Optional.empty(), true));
        assertThat(view.refundDue()).isTrue();
    }

    @Test
    void with_either_chain_silent_no_lock_leaves_none_is_abandoned_and_no_secret_leaves() {
        own = () -> done(new OwnLeg.View(NONE, false, false));
        assertThat(next(LOCKING, look(LOCKING))).isEmpty();
        assertThat(asked).isEmpty();
        own = silent();
        pool = () -> done(new PoolLeg.View(POOL, false));
        assertThat(next(LOCKING, look(LOCKING))).isEmpty();
        SwapRow locked =
                LOCKING.seeing(new ChainObservation(Optional.of(SETTLED), Optional.of(POOL), false), Sample.NOW);
        assertThat(next(locked, look(locked))).isEmpty();
        assertThat(asked).isEmpty();
    }

    private static Stream<Arguments> unjudged() {
        return Stream.of(
                Arguments.of("bounds", silent()),
                Arguments.of("bounds", broken()),
                Arguments.of("own", silent()),
                Arguments.of("own", broken()),
                Arguments.of("pool", silent()),
                Arguments.of("pool", broken()));
    }

    @ParameterizedTest
    @MethodSource("unjudged")
    void an_obstacle_that_cannot_be_judged_lets_nothing_be_sent_or_abandoned(
            String which, Supplier<CompletionStage<Optional<String>>> failing) {
        sees(NONE, NONE_OF_THEIRS);
        bounds = which.equals("bounds") ? failing : none();
        ownObstacle = which.equals("own") ? failing : none();
        poolObstacle = which.equals("pool") ? failing : none();
        Legs.View view = look(LOCKING);
        assertThat(view.permission()).isInstanceOf(LockPermission.Unjudged.class);
        assertThat(next(LOCKING, view)).isEmpty();
    }

    @Test
    void an_obstacle_on_one_chain_does_not_count_while_the_other_could_not_be_asked() {
        sees(NONE, NONE_OF_THEIRS);
        ownObstacle = against("no coins");
        poolObstacle = silent();
        assertThat(next(LOCKING, look(LOCKING))).isEmpty();
    }

    @Test
    void what_speaks_against_a_lock_on_either_chain_or_by_the_bounds_gives_it_up() {
        sees(NONE, NONE_OF_THEIRS);
        assertThat(next(LOCKING, look(LOCKING))).containsExactly(new Step.SendLock());
        ownObstacle = against("no coins");
        assertThat(next(LOCKING, look(LOCKING))).containsExactly(new Step.AbandonLock("no coins"));
        ownObstacle = none();
        poolObstacle = against("slot used");
        assertThat(next(LOCKING, look(LOCKING))).containsExactly(new Step.AbandonLock("slot used"));
        bounds = against("too short");
        assertThat(next(LOCKING, look(LOCKING))).containsExactly(new Step.AbandonLock("too short"));
        assertThat(asked).containsExactly("bounds");
    }

    @Test
    void obstacles_are_asked_only_while_there_is_no_lock_of_ours() {
        sees(YOUNG, NONE_OF_THEIRS);
        look(LOCKING);
        assertThat(asked).isEmpty();
        sees(NONE, NONE_OF_THEIRS);
        look(QUOTED);
        assertThat(asked).containsExactly("bounds", "own obstacle", "pool obstacle");
    }

    @Test
    void the_gate_is_asked_only_when_it_could_open() {
        sees(YOUNG, POOL);
        assertThat(look(LOCKING).gate()).isEmpty();
        sees(SETTLED, NONE_OF_THEIRS);
        assertThat(look(LOCKING).gate()).isEmpty();
        sees(new OwnLock.Claimed("ours", "tx", false), POOL);
        assertThat(look(LOCKING).gate()).isEmpty();
        sees(SETTLED, POOL);
        SwapRow journalled = LOCKING.with(LOCKING.acts().journalClaim(), Sample.NOW);
        assertThat(look(journalled).gate()).isEmpty();
        assertThat(asked).isEmpty();
        assertThat(look(LOCKING).gate()).contains(GateVerdict.OPEN);
        SwapRow permitted = LOCKING.with(LOCKING.acts().permitClaim(), Sample.NOW);
        assertThat(look(permitted).gate()).contains(GateVerdict.OPEN);
        assertThat(asked).containsExactly("gate");
    }

    @Test
    void the_gate_is_told_the_time_the_hindrance_and_when_our_lock_was_settled() {
        sees(SETTLED, POOL);
        hindrance = Optional.of("the daemon is being stopped");
        look(LOCKING);
        assertThat(told).isEqualTo(new GateInputs(Sample.NOW, false, hindrance, OptionalLong.of(Sample.NOW - 60)));
        own = () -> done(new OwnLeg.View(SETTLED, true, false));
        look(LOCKING);
        assertThat(told.refundDue()).isTrue();
    }

    /** An endpoint that is silent, or reports an old time, must not hold the refund indefinitely; one sent too early reverts. */
    @Test
    void a_refund_in_the_contract_is_due_by_the_wall_clock_a_quarter_of_an_hour_later() {
        for (long past : new long[] {899, 900}) {
            SwapRow buy = buy(Sample.NOW - past);
            pool = () -> done(new PoolLeg.View(NONE_OF_THEIRS, false));
            own = silent();
            assertThat(look(buy).refundDue()).as("silent, " + past).isEqualTo(past == 900);
            assertThat(next(buy, look(buy)).contains(new Step.TakeBack())).isEqualTo(past == 900);
            own = () -> done(new OwnLeg.View(SETTLED, false, false));
            assertThat(look(buy).refundDue()).as("an old time, " + past).isEqualTo(past == 900);
            own = () -> done(new OwnLeg.View(new OwnLock.Claimed("ours", "tx", false), false, false));
            assertThat(look(buy).refundDue()).isFalse();
        }
    }

    private static SwapRow buy(long deadline) {
        SwapTerms due = Copies.with(Sample.terms(Direction.NATIVE_TO_CHAIN), "timeout", deadline);
        return SwapRow.quoted("buy", "pool-buy", "run-1", due, Optional.empty(), Sample.NOW)
                .with(Acts.NONE.lock(), Sample.NOW)
                .seeing(new ChainObservation(Optional.of(SETTLED), Optional.empty(), false), Sample.NOW);
    }

    @Test
    void a_gate_that_fails_stays_closed() {
        sees(SETTLED, POOL);
        for (Supplier<CompletionStage<GateVerdict>> failing :
                List.<Supplier<CompletionStage<GateVerdict>>>of(silent(), broken())) {
            gate = failing;
            Legs.View view = look(LOCKING);
            assertThat(view.gate()).isEmpty();
            assertThat(next(LOCKING, view)).isEmpty();
        }
    }

    @Test
    void a_journalled_claim_is_pushed_whatever_the_gate_says_and_beside_it_goes_the_refund() {
        own = () -> done(new OwnLeg.View(SETTLED, true, false));
        pool = () -> done(new PoolLeg.View(POOL, false));
        gate = () -> done(GateVerdict.closed("not yet"));
        SwapRow journalled = LOCKING.with(LOCKING.acts().journalClaim(), Sample.NOW);
        assertThat(next(journalled, look(journalled))).containsExactly(new Step.PushClaim(), new Step.TakeBack());
    }

    @Test
    void a_leg_that_fails_at_once_fails_its_stage_and_not_its_caller() {
        try (SecretBytes secret = SecretBytes.copyOf(Sample.SECRET)) {
            assertThat(legs().pushClaim(LOCKING, secret, () -> true)).isCompletedExceptionally();
        }
    }
}
