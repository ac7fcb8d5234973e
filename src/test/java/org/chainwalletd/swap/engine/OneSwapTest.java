package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A sell whose lock is slow to be made, or that a reorganisation removes from its block after the pool has also locked. */
class OneSwapTest {
    private static final String ID = "swap-1";

    private final ActorTestKit kit = ActorTestKit.create();
    private final SealedRecords seals = TestSeals.of(Optional.empty());
    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    private final Map<String, SwapEntry> rows = MemorySwaps.rows();
    private ActorRef<SwapEngine.Command> engine;

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    /**
     * Starts the engine on the journalled rows.
     *
     * @param run id of the process
     */
    private void start(ShownLegs legs, String run) {
        SwapSetup setup = EngineCalls.setup(
                EngineCalls.journal(MemorySwaps.immortal(rows), seals), legs, run, clock, Duration.ofMillis(1));
        engine = kit.spawn(SwapEngine.create(setup, new StalledSwaps()));
    }

    /** Journals the quote, starts the engine and asks it to execute. */
    private CompletableFuture<SwapReply> execute(ShownLegs legs) {
        EngineCalls.add(EngineCalls.journal(MemorySwaps.immortal(rows), seals), Sample.row(Direction.CHAIN_TO_NATIVE));
        start(legs, "run-1");
        return EngineCalls.execute(engine, ID);
    }

    private String status() {
        return rows.get(ID).status();
    }

    /** A lock that takes longer to make than any caller waits. Never journals it, so an abandoned one is lost. */
    private final class SlowLock extends ShownLegs {
        private final CompletableFuture<BooleanSupplier> asked = new CompletableFuture<>();
        private final CompletableFuture<String> wait = new CompletableFuture<>();
        private final BooleanSupplier mayBegin;

        private SlowLock() {
            execute(this);
            mayBegin = Await.result(asked);
        }

        @Override
        public CompletionStage<View> look(SwapRow row) {
            lock = row.acts().abandoning() ? new OwnLock.Lost() : new OwnLock.Absent();
            return super.look(row);
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            asked.complete(mayBegin);
            return wait;
        }

        private void nobodyWaitsAnyMore() {
            wait.completeExceptionally(new IllegalStateException("no outcome within 60 s"));
        }
    }

    @Test
    void a_slow_lock_may_be_made_while_its_round_lasts_and_the_quote_holds() {
        SlowLock slow = new SlowLock();
        assertThat(slow.mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(
                Sample.terms(Direction.CHAIN_TO_NATIVE).offer().expiresAt() - Sample.NOW - 1));
        assertThat(slow.mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(slow.mayBegin.getAsBoolean()).as("the quote has expired").isFalse();
    }

    @Test
    void a_slow_lock_that_is_reported_as_failed_is_not_made() {
        SlowLock slow = new SlowLock();
        slow.permission = new LockPermission.Refused("the quote has expired");
        slow.nobodyWaitsAnyMore();
        Await.until("it is told", () -> status().equals("failed"));
        assertThat(slow.mayBegin.getAsBoolean()).isFalse();
    }

    @Test
    void the_next_look_ends_a_slow_lock_also_when_nothing_speaks_against_it() {
        SlowLock slow = new SlowLock();
        int before = slow.looks.get();
        slow.nobodyWaitsAnyMore();
        Await.until("it is looked at again", () -> slow.looks.get() > before);
        assertThat(slow.mayBegin.getAsBoolean()).isFalse();
    }

    /** An actor that takes over the swap would not know of the lock. */
    @Test
    void the_end_of_its_actor_ends_a_slow_lock() {
        SlowLock slow = new SlowLock();
        kit.stop(engine);
        Await.until("it is ended", () -> !slow.mayBegin.getAsBoolean());
    }

    /** Returns the legs of a swap with our lock in a block. */
    private ShownLegs locked() {
        ShownLegs legs = new ShownLegs();
        assertThat(Await.result(execute(legs))).isInstanceOf(SwapReply.Current.class);
        untilLooked(legs);
        assertThat(status()).isEqualTo("user_locked");
        return legs;
    }

    /** Waits for a complete round that began after this call. */
    private static void untilLooked(ShownLegs legs) {
        int before = legs.looks.get();
        Await.until("it was looked at", () -> legs.looks.get() > before + 2);
    }

    @Test
    void a_lock_that_comes_back_continues_as_if_it_had_not_been_away() {
        ShownLegs legs = locked();
        legs.lock = new OwnLock.Absent();
        untilLooked(legs);
        assertThat(status()).isEqualTo("locking");
        clock.advance(Duration.ofSeconds(600));
        untilLooked(legs);
        assertThat(legs.abandoned).hasValue(0);
        legs.lock = ShownLegs.LOCKED;
        untilLooked(legs);
        assertThat(status()).isEqualTo("user_locked");
        assertThat(legs.locks).hasValue(1);
    }

    @Test
    void a_lock_that_stays_away_is_abandoned_after_ten_minutes() {
        ShownLegs legs = locked();
        legs.lock = new OwnLock.Absent();
        untilLooked(legs);
        clock.advance(Duration.ofSeconds(601));
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
        assertThat(legs.locks).hasValue(1);
    }

    /** The observations of another process are unknown, so the safe choice is made. */
    @Test
    void after_a_restart_a_lock_that_is_away_is_given_up_at_once() {
        ShownLegs legs = locked();
        kit.stop(engine);
        legs.lock = new OwnLock.Absent();
        start(legs, "run-2");
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
    }
}
