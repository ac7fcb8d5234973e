package org.chainwalletd.keyring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;

/** Steps of which each begins when the one before has ended well, so that many of them leave room for everybody else's work. */
final class OneByOne {
    private final int count;
    private final Executor executor;
    private final IntFunction<CompletableFuture<?>> step;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private OneByOne(int count, Executor executor, IntFunction<CompletableFuture<?>> step) {
        this.count = count;
        this.executor = executor;
        this.step = step;
    }

    /**
     * Runs {@code step} for 0 … count-1. Fails as the first step that fails, or that cannot begin; those behind it are not begun.
     *
     * @param executor where the next step is begun; must not be the caller's thread, because every step would add to its stack
     */
    static CompletableFuture<Void> run(int count, Executor executor, IntFunction<CompletableFuture<?>> step) {
        OneByOne row = new OneByOne(count, executor, step);
        row.begin(0);
        return row.done;
    }

    private void begin(int i) {
        if (i == count) {
            done.complete(null);
            return;
        }
        begun(i).whenCompleteAsync(
                        (value, failure) -> {
                            if (failure == null) {
                                begin(i + 1);
                            } else {
                                done.completeExceptionally(failure);
                            }
                        },
                        executor);
    }

    private CompletableFuture<?> begun(int i) {
        try {
            return step.apply(i);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
