package org.chainwalletd.boot;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shutdown sequence: stops the started parts in reverse order. A part that fails to stop does not prevent the others from being stopped. */
final class ShutdownSequence {
    private static final Logger LOG = LoggerFactory.getLogger(ShutdownSequence.class);

    private final Deque<Entry> started = new ArrayDeque<>();

    /** Stop of one part, which may fail. */
    @FunctionalInterface
    interface Stop {
        void run() throws Exception;
    }

    private record Entry(String what, Stop stop) {}

    void add(String what, Stop stop) {
        started.push(new Entry(what, stop));
    }

    /**
     * Reserves the position of a part that is started after its users and must be stopped after them.
     *
     * @return accepts the stop action of the part once it is started; until then nothing is stopped at this position
     */
    Consumer<Stop> place(String what) {
        AtomicReference<Stop> later = new AtomicReference<>(() -> {});
        add(what, () -> later.get().run());
        return later::set;
    }

    /** Idempotent. */
    void closeAll() {
        while (!started.isEmpty()) {
            Entry entry = started.pop();
            LOG.debug("stopping {}", entry.what());
            try {
                entry.stop().run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception | Error e) {
                LOG.warn("stopping {} failed: {}", entry.what(), e.toString());
            }
        }
    }

    /** Deadlines of a shutdown. Confined to the thread that stops the daemon. */
    static final class Times {
        /** Time for all parts that are stopped after the last call was answered or cut off. */
        private static final Duration CLOSING = Duration.ofSeconds(1);

        private static final Duration MIN_WAIT = Duration.ofMillis(200);

        private long drainBy;
        private long stopBy;

        /** @param drain total time for calls and spends in progress to finish */
        void begin(Duration drain) {
            drainBy = System.nanoTime() + drain.toNanos();
            stopBy = drainBy + CLOSING.toNanos();
        }

        Duration untilDrained() {
            return until(drainBy);
        }

        Duration untilStopped() {
            return until(stopBy);
        }

        private static Duration until(long end) {
            Duration left = Duration.ofNanos(end - System.nanoTime());
            return left.compareTo(MIN_WAIT) > 0 ? left : MIN_WAIT;
        }
    }

    /**
     * First phase of a shutdown: services with long waits answer them now, with the answer that a timeout would give, and answer later waits
     * at once. Only calls that end by themselves are left to drain.
     */
    static final class WaitEndings {
        private static final Logger LOG = LoggerFactory.getLogger(WaitEndings.class);

        private record Entry(String what, Supplier<CompletionStage<Void>> end) {}

        private final List<Entry> entries = new ArrayList<>();

        /** @param end idempotent; completes when the answers have been given, which must not take longer than a second or two */
        void add(String what, Supplier<CompletionStage<Void>> end) {
            entries.add(new Entry(what, end));
        }

        /** Adds a service like {@link #add}, but before all others: for services that would restart the waits that others have just ended. */
        void addFirst(String what, Supplier<CompletionStage<Void>> end) {
            entries.add(0, new Entry(what, end));
        }

        /** Ends all waits concurrently; a service that fails to end its waits does not affect the others. */
        void endAll(Duration timeout) {
            List<CompletionStage<Void>> begun =
                    entries.stream().map(WaitEndings::begin).toList();
            for (int i = 0; i < begun.size(); i++) {
                finish(entries.get(i), begun.get(i), timeout);
            }
        }

        private static CompletionStage<Void> begin(Entry entry) {
            try {
                return entry.end().get();
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private static void finish(Entry entry, CompletionStage<Void> ending, Duration timeout) {
            try {
                Futures.await(ending, timeout, "ending " + entry.what());
            } catch (RuntimeException e) {
                LOG.warn("ending {} failed: {}", entry.what(), e.toString());
            }
        }
    }
}
