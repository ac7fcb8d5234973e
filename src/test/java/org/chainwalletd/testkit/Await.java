package org.chainwalletd.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Waits for a condition instead of a fixed time, and never indefinitely: at most a minute, or two minutes for a process. */
public final class Await {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long SHORTEST_LOOK_NANOS = 1_000_000;
    private static final long LONGEST_LOOK_NANOS = 160_000_000;

    private static final long PROCESS_SECONDS = 120;

    private Await() {}

    /** Waits until {@code condition} holds; fails if it does not within the limit. */
    public static void until(String what, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - began;
            if (Thread.currentThread().isInterrupted() || waited > PATIENCE_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            }
            // Polls often at first, and later so rarely that it takes no processor time from the code that is waited
            // for.
            LockSupport.parkNanos(Math.max(SHORTEST_LOOK_NANOS, Math.min(waited / 8, LONGEST_LOOK_NANOS)));
        }
    }

    /** Returns the value of a stage; fails as {@code join} does, and when the stage does not complete. */
    public static <T> T result(CompletionStage<T> stage) {
        return outcome(stage.toCompletableFuture());
    }

    /** Returns the result of a task; fails with a {@link CompletionException} as the task did, and when it does not end. */
    public static <T> T outcome(Future<T> task) {
        try {
            return task.get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("waited in vain for an outcome", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits until the latch has been counted down. */
    public static void opened(CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
                throw new AssertionError("waited in vain for a latch");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits until the thread has ended. */
    public static void end(Thread thread) {
        until("the thread " + thread.getName() + " has ended", () -> !thread.isAlive());
    }

    /** Returns the exit code of a process; one that has not ended within two minutes is killed. */
    public static int exit(Process process) {
        try {
            if (process.waitFor(PROCESS_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill(process);
        throw new AssertionError("waited in vain for the end of " + process.info());
    }

    /** Returns the text that a process prints on standard output until it ends; one that has not ended within two minutes is killed. */
    public static String output(Process process) {
        try (BufferedReader lines = reader(process)) {
            return lines.lines().map(line -> line + "\n").collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the standard output of a process, which is killed after two minutes so that the output ends. */
    public static BufferedReader reader(Process process) {
        CompletableFuture.delayedExecutor(PROCESS_SECONDS, TimeUnit.SECONDS).execute(() -> kill(process));
        return process.inputReader(StandardCharsets.UTF_8);
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Delays a peer of a test, or chooses the moment of a kill. Must not be used to wait for a condition. */
    public static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
