package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BooleanSupplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;

/** A quote of a sell and the engine that goes on with it, looking without a pause over legs of the test. */
abstract class OneSwap {
    static final String ID = "swap-1";

    final ActorTestKit kit = ActorTestKit.create();
    final SealedRecords seals = TestSeals.of(Optional.empty());
    final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    final Map<String, SwapEntry> rows = MemorySwaps.rows();
    ActorRef<SwapEngine.Command> engine;

    /** Legs of a swap in which no secret leaves and nothing is taken back. */
    abstract static class LockOnly implements Legs {
        @Override
        public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
            return CompletableFuture.failedFuture(new AssertionError("no secret may leave"));
        }

        @Override
        public CompletionStage<String> takeBack(SwapRow row) {
            return CompletableFuture.failedFuture(new AssertionError("it is not due"));
        }
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    private SwapJournal journal() {
        return new SwapJournal(MemorySwaps.immortal(rows), seals, ForkJoinPool.commonPool());
    }

    /**
     * Starts the engine over what is journalled.
     *
     * @param run name of the process's life
     */
    void start(Legs legs, String run) {
        SwapSetup setup = new SwapSetup(
                journal(),
                legs,
                run,
                clock,
                Duration.ofMillis(1),
                () -> OptionalLong.of(Sample.TIP),
                () -> false,
                changed -> {},
                Sample.MARGINS,
                alarm -> {});
        engine = kit.spawn(SwapEngine.create(setup, new StalledSwaps()));
    }

    /** Journals the quote, starts the engine and asks it to execute. */
    CompletableFuture<SwapReply> execute(Legs legs) {
        SwapRow row = SwapRow.quoted(
                ID, "pool-1", "run-1", Sample.terms(Direction.CHAIN_TO_NATIVE), Optional.empty(), Sample.NOW);
        Await.result(journal().add(row, SecretBytes.copyOf(Sample.SECRET)));
        start(legs, "run-1");
        CompletableFuture<SwapReply> reply = new CompletableFuture<>();
        engine.tell(new SwapEngine.Ask(ID, new SwapQuestion.Execute(Optional.empty(), reply)));
        return reply;
    }
}
