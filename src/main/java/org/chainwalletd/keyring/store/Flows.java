package org.chainwalletd.keyring.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;

/** Begins blocking work on a pool, and waits for what another pool or an actor was asked. */
public final class Flows {
    private Flows() {}

    /** Never throws: a pool that takes no more work fails the future, so that an actor which begins the work lives on. */
    public static <T> CompletableFuture<T> submit(Executor pool, Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, pool);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Blocks until {@code stage} has ended; throws what it failed with. Never on a thread of the pool that works on it, nor on an actor's. */
    public static <T> T join(CompletionStage<T> stage) {
        return Causes.join(
                stage.toCompletableFuture(),
                failure -> failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure));
    }

    /** The value, or the failure thrown. */
    public static <T> T valueOf(Outcome<T> outcome) {
        return outcome.fold(value -> value, failure -> {
            throw failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure);
        });
    }
}
