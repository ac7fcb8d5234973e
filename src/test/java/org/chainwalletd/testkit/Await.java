package org.chainwalletd.testkit;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something instead of for a time, and never for ever. */
public final class Await {
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private static final long PROCESS_SECONDS = 120;

    private Await() {}

    /** Returns as soon as {@code condition} holds; fails when it does not come true within 20 s. */
    public static void until(String what, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** What the stage is completed with; fails as {@code join} does, and when nothing comes within 20 s. */
    public static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("waited in vain for an outcome", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** The exit code of a process; one that has not ended within two minutes is killed. */
    public static int exit(Process process) {
        try {
            if (process.waitFor(PROCESS_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        throw new AssertionError("waited in vain for the end of " + process.info());
    }
}
