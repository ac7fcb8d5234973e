package org.chainwalletd.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limit of the bytes from peers that may be buffered at a time. A holder of such bytes takes them from the budget first and returns them when it
 * drops them; a budget within another counts against both. Thread-safe, never waits.
 */
public final class ByteBudget {
    private final ByteBudget outer;
    private final long limit;
    private final AtomicLong held = new AtomicLong();

    private ByteBudget(ByteBudget outer, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("a budget of " + limit + " bytes");
        }
        this.outer = outer;
        this.limit = limit;
    }

    public static ByteBudget of(long limit) {
        return new ByteBudget(null, limit);
    }

    /**
     * A part of the heap that this process may have at most.
     *
     * @param divisor 4 for a quarter
     */
    public static ByteBudget ofHeap(int divisor) {
        return of(Runtime.getRuntime().maxMemory() / divisor);
    }

    /**
     * Several parts of it.
     *
     * @param parts of {@code of} equal ones
     */
    public static ByteBudget ofHeap(int parts, int of) {
        return of(Runtime.getRuntime().maxMemory() / of * parts);
    }

    /** A budget of its own that also counts against this one: so that one kind of holder leaves something to the others. */
    public ByteBudget within(long part) {
        return new ByteBudget(this, Math.min(part, limit));
    }

    /** Takes {@code bytes} when they are left, all of them or none. */
    public boolean tryTake(long bytes) {
        if (held.addAndGet(bytes) > limit) {
            held.addAndGet(-bytes);
            return false;
        }
        if (outer != null && !outer.tryTake(bytes)) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Takes {@code bytes} whether they are left or not: for what must not be lost, such as the answer to a payment. */
    public void take(long bytes) {
        held.addAndGet(bytes);
        if (outer != null) {
            outer.take(bytes);
        }
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        held.addAndGet(-bytes);
        if (outer != null) {
            outer.give(bytes);
        }
    }

    public long held() {
        return held.get();
    }

    public long limit() {
        return limit;
    }

    /** Creates an empty share for one holder whose need grows. */
    public Share share() {
        return new Share(this);
    }

    /** Share that one holder has taken. Closed once, it gives all of it back and can take no more. Thread-safe. */
    public static final class Share implements AutoCloseable {
        private final ByteBudget budget;
        private long taken;
        private boolean closed;

        private Share(ByteBudget budget) {
            this.budget = budget;
        }

        /** Takes {@code bytes} more; false when they are not left, or after {@link #close}. */
        public synchronized boolean tryGrow(long bytes) {
            if (closed || !budget.tryTake(bytes)) {
                return false;
            }
            taken += bytes;
            return true;
        }

        /** Gives a part back. */
        public synchronized void shrink(long bytes) {
            if (!closed) {
                taken -= bytes;
                budget.give(bytes);
            }
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                budget.give(taken);
            }
        }
    }
}
