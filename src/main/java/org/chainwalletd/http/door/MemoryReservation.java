package org.chainwalletd.http.door;

import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.AnswerRoom;

/**
 * Bytes buffered on behalf of a client, for one request with its answer, reserved in a {@link ByteBudget}. They are
 * released once: when the answer has been written or its reader has disconnected, whichever comes first.
 */
public final class MemoryReservation implements AnswerRoom {
    private final ByteBudget budget;
    private final long free;
    private long bytes;
    private boolean refused;
    private boolean released;

    /** @param free bytes that are counted but granted even when the budget is used up: fewer than the request's connection costs anyway */
    public MemoryReservation(ByteBudget budget, long free) {
        this.budget = budget;
        this.free = free;
    }

    /** Reserves more bytes; false when the budget has too few left, or the reservation has already been released. */
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

    /** Releases all bytes; more can be reserved afterwards. */
    public synchronized void giveBackAll() {
        giveBack(bytes);
    }

    /** Whether a reservation was ever refused. */
    public synchronized boolean refused() {
        return refused;
    }

    public synchronized void release() {
        released = true;
        budget.give(bytes);
        bytes = 0;
    }
}
