package org.chainwalletd.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Unwraps the causes of failed stages and futures. The only class that knows the wrapper exceptions. */
public final class Causes {
    private Causes() {}

    /** Returns the innermost cause, or {@code failure} itself when it is not wrapped; null for null, which means success in stage callbacks. */
    public static Throwable of(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns the exception to throw in a step that cannot handle {@code failure}: its stage then fails with the same cause, checked or not. */
    public static RuntimeException passedOn(Throwable failure) {
        return new CompletionException(of(failure));
    }

    /**
     * Blocks until {@code stage} completes. The calling thread must be allowed to block.
     *
     * @param refusal makes the exception to throw from the cause of the failure
     */
    public static <T, E extends Exception> T join(CompletableFuture<T> stage, Function<Throwable, E> refusal) throws E {
        try {
            return stage.join();
        } catch (CompletionException e) {
            throw refusal.apply(of(e));
        }
    }
}
