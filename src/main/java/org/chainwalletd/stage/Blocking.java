package org.chainwalletd.stage;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Blocks a thread until a stage completes. Only for threads of a pool dedicated to blocking code, and never for a stage that needs a thread of the
 * same pool: two tasks that wait for each other's thread would deadlock.
 */
public final class Blocking {
    /** Longer than any timeout of a store, node or endpoint, so that only a stage that never completes is cut off and does not keep its thread. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private Blocking() {}

    /**
     * Waits for a stage and returns its value. After a timeout the stage's work goes on; only the wait ends.
     *
     * @throws RuntimeException the stage's failure, without the wrappers that stages add
     * @throws IllegalStateException if the stage is not complete within a minute, or the thread is interrupted
     */
    public static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Causes.of(e);
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(cause);
        } catch (TimeoutException e) {
            throw new IllegalStateException("no outcome within " + LONGEST.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
