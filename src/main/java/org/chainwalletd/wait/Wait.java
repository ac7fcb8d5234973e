package org.chainwalletd.wait;

import java.util.concurrent.CompletableFuture;

/**
 * Open wait. The actor that holds it completes its future; a caller that disconnects removes it by {@code Leave}.
 *
 * @param <O> outcome
 */
abstract class Wait<O> extends TimerWheel.Entry {
    final CompletableFuture<O> reply = new CompletableFuture<>();
    final long began;
    final long due;

    /**
     * @param began monotonic milliseconds
     * @param due of the same clock
     */
    Wait(long began, long due) {
        this.began = began;
        this.due = due;
    }

    /** Returns whether the caller only asks for the present state and does not wait. */
    boolean isPoll() {
        return began == due;
    }

    long seconds(long now) {
        return Math.max(0, now - began) / 1_000;
    }
}
