package org.chainwalletd.rpc;

import java.util.concurrent.atomic.AtomicLong;

/** A part of a room for all answers of one batch. Once an answer did not fit, none of the items that have not begun is begun. */
final class BatchRoom implements AnswerRoom {
    private final AnswerRoom room;
    private final AtomicLong left;
    private volatile boolean full;

    BatchRoom(AnswerRoom room, long bytes) {
        this.room = room;
        this.left = new AtomicLong(bytes);
    }

    @Override
    public boolean take(long bytes) {
        if (left.addAndGet(-bytes) >= 0 && room.take(bytes)) {
            return true;
        }
        left.addAndGet(bytes);
        full = true;
        return false;
    }

    @Override
    public void takeAnyway(long bytes) {
        full |= left.addAndGet(-bytes) < 0;
        room.takeAnyway(bytes);
    }

    @Override
    public void giveBack(long bytes) {
        left.addAndGet(bytes);
        room.giveBack(bytes);
    }

    @Override
    public boolean full() {
        return full;
    }
}
