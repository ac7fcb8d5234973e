package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;

/** A quote of a sell and the engine that processes it, observing the test's legs without a pause. */
abstract class OneSwap {
    static final String ID = "swap-1";

    final ActorTestKit kit = ActorTestKit.create();
    final SealedRecords seals = TestSeals.of(Optional.empty());
    final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    final Map<String, SwapEntry> rows = MemorySwaps.rows();
    ActorRef<SwapEngine.Command> engine;

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
    }

    private SwapJournal journal() {
        return new SwapJournal(MemorySwaps.immortal(rows), seals, ForkJoinPool.commonPool());
    }

    /**
     * Starts the engine on the journalled rows.
     *
     * @param run id of the process
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
                new SwapBook(),
                changed -> {},
                Sample.MARGINS,
                alarm -> {});
        engine = kit.spawn(SwapEngine.create(setup, new StalledSwaps()));
    }

    /** Journals the quote, starts the engine and asks it to execute. */
    CompletableFuture<SwapReply> execute(Legs legs) {
        EngineCalls.add(journal(), Sample.row(Direction.CHAIN_TO_NATIVE));
        start(legs, "run-1");
        return EngineCalls.execute(engine, ID);
    }
}
