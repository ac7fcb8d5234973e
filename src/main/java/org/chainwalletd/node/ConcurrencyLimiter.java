package org.chainwalletd.node;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the open connections to one node, and counts the calls that wait for one. Background calls get half of the connections and never more than
 * {@value #MOST_IN_BACKGROUND}. Thread-safe: permits are taken and released by calls on any thread; the counts of waiting calls are kept by {@link
 * Upstream}.
 */
final class ConcurrencyLimiter {
    private static final int MOST_IN_BACKGROUND = 16;
    private static final int BACKGROUND_SHIFT = 32;

    private final int most;
    private final int mostInBackground;
    /** Permits taken: all calls in the lower 32 bits, background calls in the upper 32. */
    private final AtomicLong taken = new AtomicLong();

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger waitingInForeground = new AtomicInteger();

    ConcurrencyLimiter(int most) {
        this.most = most;
        this.mostInBackground = Math.max(1, Math.min(MOST_IN_BACKGROUND, most / 2));
    }

    /** Takes a permit if one is free for {@code priority}, even ahead of waiting calls. */
    boolean tryTake(Priority priority) {
        while (true) {
            long now = taken.get();
            boolean full = (int) now >= most
                    || priority == Priority.BACKGROUND && (int) (now >>> BACKGROUND_SHIFT) >= mostInBackground;
            if (full) {
                return false;
            }
            if (taken.compareAndSet(now, now + one(priority))) {
                return true;
            }
        }
    }

    /** Takes a permit if one is free and no call with the same or a higher priority is waiting. */
    boolean tryTakeInTurn(Priority priority) {
        AtomicInteger before = priority == Priority.FOREGROUND ? waitingInForeground : waiting;
        return before.get() == 0 && tryTake(priority);
    }

    /**
     * Releases a permit.
     *
     * @return whether a call may be waiting for it
     */
    boolean release(Priority priority) {
        taken.addAndGet(-one(priority));
        return waiting.get() > 0;
    }

    /** Counts a waiting call. The caller must try again to take a permit afterwards, because the last one may have been released just before. */
    void beginWaiting(Priority priority) {
        countWaiting(priority, 1);
    }

    void endWaiting(Priority priority) {
        countWaiting(priority, -1);
    }

    private void countWaiting(Priority priority, int change) {
        if (priority == Priority.FOREGROUND) {
            waitingInForeground.addAndGet(change);
        }
        waiting.addAndGet(change);
    }

    int taken() {
        return (int) taken.get();
    }

    int waiting() {
        return waiting.get();
    }

    private static long one(Priority priority) {
        return priority == Priority.BACKGROUND ? (1L << BACKGROUND_SHIFT) + 1 : 1;
    }
}
