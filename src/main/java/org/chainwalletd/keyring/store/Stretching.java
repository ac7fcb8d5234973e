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
 * The Argon2id computations of a keyring, the most urgent first: each takes a good part of a second, so in a mere row the first signature of a
 * key would wait for every new key that somebody asked for before. One that has begun is never interrupted. Thread-safe.
 *
 * <p>For each computation that waits, one turn waits at the threads; whose turn it is is decided when the turn comes.
 */
public final class Stretching {
    /** Kind of work that waits for a computation; the earlier kinds go first, those of the same kind in their order. */
    public enum Urgency {
        /** A spend, or the start of the daemon. */
        SPEND,
        /** A caller who gave a passphrase to see or delete something. */
        PROOF,
        /** New keys, exports, and what nobody waits for. */
        SEAL
    }

    private static final Logger LOG = LoggerFactory.getLogger(Stretching.class);

    private final Executor threads;
    private final Map<Urgency, Deque<Runnable>> waiting = new EnumMap<>(Urgency.class);
    private final Deque<Runnable> ahead = new ArrayDeque<>();
    private int running;

    /** @param threads as many as computations may run at once */
    public Stretching(Executor threads) {
        this.threads = threads;
        for (Urgency urgency : Urgency.values()) {
            waiting.put(urgency, new ArrayDeque<>());
        }
    }

    /** For computations of one urgency. */
    public Executor of(Urgency urgency) {
        return work -> execute(waiting.get(urgency), work);
    }

    /**
     * Begins a computation, with what belongs to it before and after: reading the file, proving what it holds. Never throws: threads that take
     * no more work fail the future.
     */
    public <T> CompletableFuture<T> submit(Urgency urgency, Supplier<T> work) {
        return Work.on(of(urgency), work);
    }

    /** The same for a thread of another pool, which waits for it; fails as {@code work} does. */
    public <T> T compute(Urgency urgency, Supplier<T> work) {
        return Flows.join(submit(urgency, work));
    }

    /**
     * For computations that nobody waits for: each begins only at a moment at which no other one runs or waits.
     *
     * @param background has a thread for them, so that they take none from those above
     */
    public Executor whenQuiet(Executor background) {
        return work -> {
            synchronized (this) {
                ahead.add(() -> hand(work, background));
            }
            beginAhead();
        };
    }

    /** A background that takes nothing any more is that of a daemon which ends: nobody is told, since nobody waits. */
    private static void hand(Runnable work, Executor background) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("a computation ahead of time is left out: {}", e.toString());
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
