package org.chainwalletd.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all clients together make the daemon hold: heads and bodies that have not been dealt with, answers that have not been read. Each
 * connection has bounds of its own besides; their sum over all connections would be more than any heap.
 */
final class ByteBudget {
    private final long most;
    private final AtomicLong held = new AtomicLong();

    ByteBudget(long most) {
        this.most = most;
    }

    /** Takes nothing when there is not enough left. */
    boolean take(long bytes) {
        if (held.addAndGet(bytes) <= most) {
            return true;
        }
        held.addAndGet(-bytes);
        return false;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }

    long held() {
        return held.get();
    }
}
