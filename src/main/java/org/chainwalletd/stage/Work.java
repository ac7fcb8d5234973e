package org.chainwalletd.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Begins straight-line code on a bounded pool, for callers that must not wait for it themselves. */
public final class Work {
    private Work() {}

    /**
     * Never throws: the stage fails with a {@link RejectedExecutionException} when too much waits for these threads already, with an
     * {@link OutOfMemoryError} when the system has no thread left.
     */
    public static <T> CompletableFuture<T> on(Executor threads, Supplier<T> work) {
        return on(threads, work, () -> {});
    }

    /** @param notBegun run here when the work is not begun: gives back what the work gives back in its end */
    public static <T> CompletableFuture<T> on(Executor threads, Supplier<T> work, Runnable notBegun) {
        try {
            return CompletableFuture.supplyAsync(work, threads);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            notBegun.run();
            return CompletableFuture.failedFuture(e);
        }
    }
}
