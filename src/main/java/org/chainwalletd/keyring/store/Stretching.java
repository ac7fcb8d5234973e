package org.chainwalletd.keyring.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.chainwalletd.stage.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Priority scheduler of a keyring's Argon2id computations. Each takes a good part of a second, so in a plain queue the first signature of a
 * key would wait for all new keys requested before it. A running computation is never interrupted. Thread-safe.
 *
 * <p>Each waiting computation queues one task on the threads; a task picks the most urgent computation only when it runs.
 */
public final class Stretching {
    /** Priority of a computation, highest first; computations of the same priority run in order of submission. */
    public enum Urgency {
        /** Spends, and the start of the daemon. */
        SPEND,
        /** Requests with a passphrase, to reveal or delete something. */
        PROOF,
        /** New keys, exports and background work. */
        SEAL
    }

    private static final Logger LOG = LoggerFactory.getLogger(Stretching.class);

    private final Executor threads;
    private final Map<Urgency, Deque<Runnable>> waiting = new EnumMap<>(Urgency.class);
    private final Deque<Runnable> ahead = new ArrayDeque<>();
    private int running;

    /** @param threads as many threads as computations may run concurrently */
    public Stretching(Executor threads) {
        this.threads = threads;
        for (Urgency urgency : Urgency.values()) {
            waiting.put(urgency, new ArrayDeque<>());
        }
    }

    /** Returns an executor for computations of one priority. */
    public Executor of(Urgency urgency) {
        return work -> execute(waiting.get(urgency), work);
    }

    /**
     * Queues a computation together with its preparation and follow-up: reading the file, verifying the content. Never throws: if the
     * threads accept no more work, the future fails.
     */
    public <T> CompletableFuture<T> submit(Urgency urgency, Supplier<T> work) {
        return Work.on(of(urgency), work);
    }

    /** Runs a computation and blocks until it has ended; for threads of other pools. Fails as {@code work} does. */
    public <T> T compute(Urgency urgency, Supplier<T> work) {
        return Flows.join(submit(urgency, work));
    }

    /**
     * Returns an executor for background computations: each starts only when no other computation runs or waits.
     *
     * @param background has its own thread for them, so that they occupy none of the threads above
     */
    public Executor whenQuiet(Executor background) {
        return work -> {
            synchronized (this) {
                ahead.add(() -> hand(work, background));
            }
            beginAhead();
        };
    }

    /** Starts a background computation; one that is rejected, which happens when the daemon stops, is dropped, as no caller waits for it. */
    private static void hand(Runnable work, Executor background) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("a background computation is dropped: {}", e.toString());
        }
    }

    private void execute(Deque<Runnable> row, Runnable work) {
        synchronized (this) {
            row.add(work);
        }
        try {
            threads.execute(this::takeTurn);
        } catch (RejectedExecutionException e) {
            boolean stillWaits;
            synchronized (this) {
                stillWaits = row.removeLastOccurrence(work);
            }
            if (stillWaits) {
                throw e;
            }
        }
    }

    private void takeTurn() {
        Optional<Runnable> work = mostUrgent();
        if (work.isEmpty()) {
            return;
        }
        try {
            work.get().run();
        } finally {
            synchronized (this) {
                running--;
            }
            beginAhead();
        }
    }

    private synchronized Optional<Runnable> mostUrgent() {
        for (Deque<Runnable> row : waiting.values()) {
            if (!row.isEmpty()) {
                running++;
                return Optional.of(row.remove());
            }
        }
        return Optional.empty();
    }

    private void beginAhead() {
        Runnable next;
        synchronized (this) {
            boolean quiet = running == 0 && waiting.values().stream().allMatch(Deque::isEmpty);
            next = quiet ? ahead.poll() : null;
        }
        if (next != null) {
            next.run();
        }
    }
}
