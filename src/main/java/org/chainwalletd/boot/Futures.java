package org.chainwalletd.boot;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocking waits for stages, only for the thread that starts and stops the daemon. */
final class Futures {
    private Futures() {}

    /**
     * Waits for a stage.
     *
     * @param what name of the awaited work, for the timeout message
     * @throws RuntimeException the stage's own failure, unwrapped
     */
    static <T> T await(CompletionStage<T> stage, Duration timeout, String what) {
        try {
            return stage.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(what + " failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(what + " did not finish within " + timeout.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: " + what, e);
        }
    }
}
