package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reorganisation that takes our lock out of its block, after the pool has locked too. */
public class ReorganisedLockTest {
    private static final String ID = "swap-1";
    private static final OwnLock LOCKED = new OwnLock.Locked("lock:0", OptionalLong.empty());

    private final ActorTestKit kit = ActorTestKit.create();
    private final SealedRecords seals = TestSeals.of(Optional.empty());
    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    private final Map<String, SwapEntry> rows = MemorySwaps.rows();
    private final ShownLegs legs = new ShownLegs();
    private ActorRef<SwapEngine.Command> engine;

    /** Shows what it was given. Once there is a lock its slot and the quote's time speak against another one. */
    private static final class ShownLegs implements Legs {
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicInteger abandoned = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();
        private volatile OwnLock lock = new OwnLock.Absent();
        private volatile LockPermission permission = new LockPermission.Granted();

        @Override
        public CompletionStage<View> look(SwapRow row) {
            looks.incrementAndGet();
            ChainObservation observation =
                    new ChainObservation(Optional.of(lock), Optional.of(new PoolLock.Absent()), false);
            return CompletableFuture.completedFuture(new View(observation, permission, false, Optional.empty()));
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            sent.incrementAndGet();
            lock = LOCKED;
            permission = new LockPermission.Refused("slot taken");
            return CompletableFuture.completedFuture("lock");
        }

        @Override
        public CompletionStage<Void> abandonLock(SwapRow row) {
            abandoned.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
            return CompletableFuture.failedFuture(new AssertionError("no secret may leave"));
        }

        @Override
        public CompletionStage<String> takeBack(SwapRow row) {
            return CompletableFuture.failedFuture(new AssertionError("it is not due"));
        }
    }

    @BeforeEach
    void lock() {
        SwapJournal journal = new SwapJournal(MemorySwaps.immortal(rows), seals, ForkJoinPool.commonPool());
        SwapRow row = SwapRow.quoted(
                ID, "pool-1", "run-1", Sample.terms(Direction.CHAIN_TO_NATIVE), Optional.empty(), Sample.NOW);
        Await.result(journal.add(row, SecretBytes.copyOf(Sample.SECRET)));
        SwapSetup setup = new SwapSetup(
                journal,
                legs,
                "run-1",
                clock,
                Duration.ofMillis(1),
                () -> OptionalLong.of(Sample.TIP),
                () -> false,
                changed -> {},
                Sample.MARGINS,
                alarm -> {});
        engine = kit.spawn(SwapEngine.create(setup, new StalledSwaps()));
        CompletableFuture<SwapReply> reply = new CompletableFuture<>();
        engine.tell(new SwapEngine.Ask(ID, new SwapQuestion.Execute(Optional.empty(), reply)));
        assertThat(Await.result(reply)).isInstanceOf(SwapReply.Standing.class);
        untilLooked();
        assertThat(status()).isEqualTo("user_locked");
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    private String status() {
        return rows.get(ID).status();
    }

    /** A whole look that began after this call, and what was done about it. */
    private void untilLooked() {
        int before = legs.looks.get();
        Await.until("it was looked at", () -> legs.looks.get() > before + 2);
    }

    @Test
    void a_lock_that_comes_back_goes_on_as_if_it_had_not_been_away() {
        legs.lock = new OwnLock.Absent();
        untilLooked();
        assertThat(status()).isEqualTo("locking");
        clock.advance(Duration.ofSeconds(600));
        untilLooked();
        assertThat(legs.abandoned).hasValue(0);
        legs.lock = LOCKED;
        untilLooked();
        assertThat(status()).isEqualTo("user_locked");
        assertThat(legs.sent).hasValue(1);
    }

    @Test
    void a_lock_that_stays_away_is_given_up_after_ten_minutes() {
        legs.lock = new OwnLock.Absent();
        untilLooked();
        clock.advance(Duration.ofSeconds(601));
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
        assertThat(legs.sent).hasValue(1);
    }

    /** What another process saw of it is not known: safety comes first. */
    @Test
    void after_a_restart_a_lock_that_is_away_is_given_up_at_once() {
        kit.stop(engine);
        legs.lock = new OwnLock.Absent();
        SwapSetup setup = new SwapSetup(
                new SwapJournal(MemorySwaps.immortal(rows), seals, ForkJoinPool.commonPool()),
                legs,
                "run-2",
                clock,
                Duration.ofMillis(1),
                () -> OptionalLong.of(Sample.TIP),
                () -> false,
                changed -> {},
                Sample.MARGINS,
                alarm -> {});
        engine = kit.spawn(SwapEngine.create(setup, new StalledSwaps()));
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
    }
}
