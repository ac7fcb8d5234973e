package org.chainwalletd.wait;

import java.util.concurrent.CompletableFuture;

/**
 * Open wait. Its future is completed by the actor that holds it; whoever completes it first (the caller has gone) takes it out of the
 * actor by {@code Leave}.
 *
 * @param <O> how it may end
 */
abstract class Wait<O> extends TimerWheel.Entry {
    final CompletableFuture<O> reply = new CompletableFuture<>();
    final long began;
    final long due;

    /**
     * @param began milliseconds of a clock that never goes back
     * @param due of the same clock
     */
    Wait(long began, long due) {
        this.began = began;
        this.due = due;
    }

    /** Whether the caller wants to know what is so now, and to wait for nothing. */
    boolean asksOnly() {
        return began == due;
    }

    long seconds(long now) {
        return Math.max(0, now - began) / 1_000;
    }
}
