package org.chainwalletd.stage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Why a stage failed, without what stages and futures wrap around it on its way: the only place that knows of those wrappers. */
public final class Causes {
    private Causes() {}

    /** The failure itself when nothing is wrapped around it; null for null, as stages tell of success. */
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
     * Waits for the outcome of {@code stage}, on a thread that has nothing else to do.
     *
     * @param refusal what is thrown instead of the cause of a failure
     */
    public static <T, E extends Exception> T join(CompletableFuture<T> stage, Function<Throwable, E> refusal) throws E {
        try {
            return stage.join();
        } catch (CompletionException e) {
            throw refusal.apply(of(e));
        }
    }
}
