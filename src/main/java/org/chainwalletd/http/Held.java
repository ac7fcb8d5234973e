package org.chainwalletd.http;

import org.chainwalletd.net.ByteBudget;

/** What one request or answer takes of a {@link ByteBudget}; given back once, whoever comes first. */
final class Held {
    private final ByteBudget budget;
    private long bytes;
    private boolean refused;
    private boolean released;

    Held(ByteBudget budget) {
        this.budget = budget;
    }

    /** Takes more; false when there is not enough left, or what was held is given back already. */
    synchronized boolean take(long more) {
        if (released) {
            return false;
        }
        if (!budget.tryTake(more)) {
            refused = true;
            return false;
        }
        bytes += more;
        return true;
    }

    /** Gives a part back before the rest; nothing when all is given back already. */
    synchronized void give(long part) {
        if (!released) {
            bytes -= part;
            budget.give(part);
        }
    }

    /** Whether there was once not enough. */
    synchronized boolean refused() {
        return refused;
    }

    synchronized void release() {
        released = true;
        budget.give(bytes);
        bytes = 0;
    }
}
