package org.chainwalletd.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Begins straight-line code on a bounded pool, for callers that must not wait for it themselves. */
public final class Work {
    private Work() {}

    /** Never throws: when too much waits for these threads already, the stage fails with a {@link RejectedExecutionException}. */
    public static <T> CompletableFuture<T> on(Executor threads, Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
