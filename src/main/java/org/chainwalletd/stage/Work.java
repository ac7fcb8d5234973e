package org.chainwalletd.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Runs blocking code on a bounded pool, for callers that must not block. */
public final class Work {
    private Work() {}

    /**
     * Runs {@code work} on {@code threads}. Never throws: the stage fails with a {@link RejectedExecutionException} when the pool's queue is full,
     * and with an {@link OutOfMemoryError} when the system cannot create a thread.
     */
    public static <T> CompletableFuture<T> on(Executor threads, Supplier<T> work) {
        return on(threads, work, () -> {});
    }

    /** @param notBegun run here if the work is not started; releases what the work itself would release at its end */
    public static <T> CompletableFuture<T> on(Executor threads, Supplier<T> work, Runnable notBegun) {
        try {
            return CompletableFuture.supplyAsync(work, threads);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            notBegun.run();
            return CompletableFuture.failedFuture(e);
        }
    }
}
