package org.chainwalletd.node;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections that may be open to one node at a time, and how many calls wait for one. Of the connections the background has a half,
 * and never more than {@value #MOST_IN_BACKGROUND}. Thread-safe: places are taken and given back by calls on any thread, the numbers of
 * waiting calls are kept by {@link Upstream}.
 */
final class ConcurrencyLimiter {
    private static final int MOST_IN_BACKGROUND = 16;
    private static final int BACKGROUND_SHIFT = 32;

    private final int most;
    private final int mostInBackground;
    /** Permits taken: all calls in the lower half of the bits, background calls in the upper half. */
    private final AtomicLong taken = new AtomicLong();

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger waitingInForeground = new AtomicInteger();

    ConcurrencyLimiter(int most) {
        this.most = most;
        this.mostInBackground = Math.max(1, Math.min(MOST_IN_BACKGROUND, most / 2));
    }

    /** Takes a place if there is one for {@code priority}, also before those that wait. */
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

    /** Takes a place if there is one and nobody who comes first waits for it. */
    boolean tryTakeInTurn(Priority priority) {
        AtomicInteger before = priority == Priority.FOREGROUND ? waitingInForeground : waiting;
        return before.get() == 0 && tryTake(priority);
    }

    /**
     * Gives a place back.
     *
     * @return whether somebody may wait for it
     */
    boolean giveBack(Priority priority) {
        taken.addAndGet(-one(priority));
        return waiting.get() > 0;
    }

    /** Someone begins to wait; he asks for a place again after this, because the last one may have been given back just before. */
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
