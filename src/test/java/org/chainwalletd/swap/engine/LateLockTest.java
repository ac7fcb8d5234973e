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

/** A lock whose making takes longer than anybody waits for it: it may become durable only as long as nobody has given it up. */
public class LateLockTest {
    private static final String ID = "swap-1";

    private final ActorTestKit kit = ActorTestKit.create();
    private final SealedRecords seals = TestSeals.of(Optional.empty());
    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    private final Map<String, SwapEntry> rows = MemorySwaps.rows();
    private final SlowLegs legs = new SlowLegs();
    private final CompletableFuture<SwapReply> reply = new CompletableFuture<>();
    private ActorRef<SwapEngine.Command> engine;
    private BooleanSupplier mayBegin;

    /** Never journals a lock; as long as that is so, one that is given up is lost. */
    private static final class SlowLegs implements Legs {
        private final AtomicInteger looks = new AtomicInteger();
        private final CompletableFuture<BooleanSupplier> asked = new CompletableFuture<>();
        private final CompletableFuture<String> wait = new CompletableFuture<>();
        private volatile LockPermission permission = new LockPermission.Granted();

        @Override
        public CompletionStage<View> look(SwapRow row) {
            looks.incrementAndGet();
            OwnLock lock = row.acts().abandoning() ? new OwnLock.Lost() : new OwnLock.Absent();
            ChainObservation observation =
                    new ChainObservation(Optional.of(lock), Optional.of(new PoolLock.Absent()), false);
            return CompletableFuture.completedFuture(new View(observation, permission, false, Optional.empty()));
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            asked.complete(mayBegin);
            return wait;
        }

        @Override
        public CompletionStage<Void> abandonLock(SwapRow row) {
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
    void beginALock() {
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
        engine.tell(new SwapEngine.Ask(ID, new SwapQuestion.Execute(Optional.empty(), reply)));
        mayBegin = Await.result(legs.asked);
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    private void nobodyWaitsAnyMore() {
        legs.wait.completeExceptionally(new IllegalStateException("no outcome within 60 s"));
    }

    @Test
    void it_may_be_made_while_its_round_lasts_and_the_quote_holds() {
        assertThat(mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(
                Sample.terms(Direction.CHAIN_TO_NATIVE).offer().expiresAt() - Sample.NOW - 1));
        assertThat(mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(mayBegin.getAsBoolean()).as("the quote has expired").isFalse();
    }

    @Test
    void once_it_is_told_as_failed_it_is_not_made() {
        legs.permission = new LockPermission.Refused("the quote has expired");
        nobodyWaitsAnyMore();
        Await.until("it is told", () -> rows.get(ID).status().equals("failed"));
        assertThat(mayBegin.getAsBoolean()).isFalse();
    }

    @Test
    void the_next_look_ends_it_also_when_nothing_speaks_against_it() {
        int before = legs.looks.get();
        nobodyWaitsAnyMore();
        Await.until("it is looked at again", () -> legs.looks.get() > before);
        assertThat(mayBegin.getAsBoolean()).isFalse();
    }

    /** Whoever looks after the swap then does not know of it. */
    @Test
    void the_end_of_its_actor_ends_it() {
        kit.stop(engine);
        Await.until("it is ended", () -> !mayBegin.getAsBoolean());
    }
}
