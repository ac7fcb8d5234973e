package org.chainwalletd.stage;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for stages in straight-line code. Only for threads of a pool that was made for such code, and never for a stage that needs a thread of
 * the same pool: two that wait for each other's thread would wait in vain.
 */
public final class Blocking {
    /** Beyond the limits that every store, node and endpoint has of its own: a stage that is lost must not keep a thread. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private Blocking() {}

    /**
     * The stage's value. What the stage began goes on after a wait that was given up.
     *
     * @throws RuntimeException the stage's own failure, without what stages wrap around it
     * @throws IllegalStateException when it is not complete within a minute, or the thread is interrupted
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
