package org.chainwalletd.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes from peers that are buffered at a time. Bytes are taken from the budget before they are buffered, and returned when they are
 * dropped; a nested budget counts against its outer one too. Thread-safe, never blocks.
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
     * Creates a budget of a fraction of this process's maximum heap.
     *
     * @param divisor 4 for a quarter
     */
    public static ByteBudget ofHeap(int divisor) {
        return of(Runtime.getRuntime().maxMemory() / divisor);
    }

    /** Creates a budget that also counts against this one, so that one kind of holder leaves room for others. */
    public ByteBudget within(long part) {
        return new ByteBudget(this, Math.min(part, limit));
    }

    /** Takes {@code bytes} if that many are left; all or none. */
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

    /** Takes {@code bytes} even beyond the limit: for data that must not be lost, such as the answer to a payment. */
    public void take(long bytes) {
        held.addAndGet(bytes);
        if (outer != null) {
            outer.take(bytes);
        }
    }

    /** Returns bytes that were taken. */
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

    /** Creates an empty share for one holder that grows step by step. */
    public Share share() {
        return new Share(this);
    }

    /** Bytes taken by one holder. {@link #close} returns all of them, after which no more can be taken. Thread-safe. */
    public static final class Share implements AutoCloseable {
        private final ByteBudget budget;
        private long taken;
        private boolean closed;

        private Share(ByteBudget budget) {
            this.budget = budget;
        }

        /** Takes another {@code bytes}; false if they are not left, or after {@link #close}. */
        public synchronized boolean tryGrow(long bytes) {
            if (closed || !budget.tryTake(bytes)) {
                return false;
            }
            taken += bytes;
            return true;
        }

        /** Returns some of the bytes. */
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
