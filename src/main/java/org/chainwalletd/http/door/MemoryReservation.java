package org.chainwalletd.http.door;

import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.AnswerRoom;

/**
 * Bytes buffered on behalf of a client, for one request with its answer, reserved in a {@link ByteBudget}. They are given back once: when the answer
 * is written or there is nobody any more to read it, whichever comes first.
 */
public final class MemoryReservation implements AnswerRoom {
    private final ByteBudget budget;
    private final long free;
    private long bytes;
    private boolean refused;
    private boolean released;

    /** @param free counted, but held also when there is nothing left: less than what the request's connection costs anyhow */
    public MemoryReservation(ByteBudget budget, long free) {
        this.budget = budget;
        this.free = free;
    }

    /** Takes more; false when there is not enough left, or what was held is given back already. */
    @Override
    public synchronized boolean take(long more) {
        if (released) {
            return false;
        }
        if (bytes + more <= free) {
            budget.take(more);
        } else if (!budget.tryTake(more)) {
            refused = true;
            return false;
        }
        bytes += more;
        return true;
    }

    @Override
    public synchronized void takeAnyway(long more) {
        if (!released) {
            budget.take(more);
            bytes += more;
        }
    }

    @Override
    public synchronized void giveBack(long part) {
        if (!released) {
            budget.give(part);
            bytes -= part;
        }
    }

    /** Gives back all of it; more can still be taken. */
    public synchronized void giveBackAll() {
        giveBack(bytes);
    }

    /** Whether there was once not enough. */
    public synchronized boolean refused() {
        return refused;
    }

    public synchronized void release() {
        released = true;
        budget.give(bytes);
        bytes = 0;
    }
}
