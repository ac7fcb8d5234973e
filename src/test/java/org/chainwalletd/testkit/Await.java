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

/** Waits for something instead of for a time, and never for ever: a minute, or two for a process. */
public final class Await {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long SHORTEST_LOOK_NANOS = 1_000_000;
    private static final long LONGEST_LOOK_NANOS = 160_000_000;

    private static final long PROCESS_SECONDS = 120;

    private Await() {}

    /** Returns as soon as {@code condition} holds; fails when it does not come true. */
    public static void until(String what, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - began;
            if (Thread.currentThread().isInterrupted() || waited > PATIENCE_NANOS) {
                throw new AssertionError("waited in vain until " + what);
            }
            // Often at first; later seldom enough not to keep a core from what is waited for.
            LockSupport.parkNanos(Math.max(SHORTEST_LOOK_NANOS, Math.min(waited / 8, LONGEST_LOOK_NANOS)));
        }
    }

    /** What the stage is completed with; fails as {@code join} does, and when nothing comes. */
    public static <T> T result(CompletionStage<T> stage) {
        return outcome(stage.toCompletableFuture());
    }

    /** What a task has given; fails with a {@link CompletionException} as the task did, and when it does not end. */
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

    /** Returns when the latch has been counted down. */
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

    /** Returns when the thread has ended. */
    public static void end(Thread thread) {
        until("the thread " + thread.getName() + " has ended", () -> !thread.isAlive());
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
        kill(process);
        throw new AssertionError("waited in vain for the end of " + process.info());
    }

    /** What a process prints on its standard output until it ends; one that has not ended within two minutes is killed. */
    public static String output(Process process) {
        try (BufferedReader lines = reader(process)) {
            return lines.lines().map(line -> line + "\n").collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The standard output of a process that is killed after two minutes, so that it comes to an end. */
    public static BufferedReader reader(Process process) {
        CompletableFuture.delayedExecutor(PROCESS_SECONDS, TimeUnit.SECONDS).execute(() -> kill(process));
        return process.inputReader(StandardCharsets.UTF_8);
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Makes a peer of a test slow, or lets a kill come at any moment. It is no way to wait for something. */
    public static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
