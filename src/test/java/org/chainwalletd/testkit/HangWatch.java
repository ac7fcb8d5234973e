package org.chainwalletd.testkit;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a test that hangs. When nothing has begun or ended for {@code -Dtest.patience-secs} (300), the stacks of all threads are printed, and
 * written to {@code target/hanging-<process>.txt}, and the threads of the tests that run are interrupted; when that does not help within half a
 * minute, the process ends with {@link #EXIT}. Whoever runs many rounds in one test calls {@link #alive} in each. A search by the fuzzer is not watched.
 *
 * <p>JUnit makes one for each launch ({@code META-INF/services}).
 */
public final class HangWatch implements TestExecutionListener {
    /** Of a process with a test that could not be interrupted. */
    static final int EXIT = 97;

    private static final Duration GRACE = Duration.ofSeconds(30);

    private static volatile Limits limits =
            new Limits(Duration.ofSeconds(Integer.getInteger("test.patience-secs", 300)), GRACE);
    private static volatile long lastSign;

    /**
     * Times without a sign of life.
     *
     * @param patience after which the test is interrupted
     * @param grace after which the process ends then
     */
    record Limits(Duration patience, Duration grace) {}

    private volatile String newest = "";
    /** Threads of the tests that have begun and not ended, and of their containers. */
    private final Map<String, Thread> running = new ConcurrentHashMap<>();

    private volatile boolean over;

    /** A sign of life from a test of many rounds. */
    public static void alive() {
        lastSign = System.nanoTime();
    }

    /** Sets the times for the test that runs; returns those before. */
    static Limits limit(Limits now) {
        Limits before = limits;
        limits = now;
        return before;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        if (System.getenv("JAZZER_FUZZ") != null) {
            return;
        }
        alive();
        Thread watch = new Thread(this::watch, "hang-watch");
        watch.setDaemon(true);
        watch.start();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        newest = test.getUniqueId();
        running.put(newest, Thread.currentThread());
        alive();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        running.remove(test.getUniqueId());
        alive();
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        over = true;
    }

    private void watch() {
        while (!over) {
            Limits now = limits;
            if (!running.isEmpty() && hasBeenSilentFor(now.patience())) {
                String stacks = stacks(now.patience());
                tell(stacks);
                running.forEach((test, thread) -> {
                    if (running.keySet().stream().noneMatch(other -> other.startsWith(test + "/"))) {
                        thread.interrupt();
                    }
                });
                if (!isAliveWithin(now.grace())) {
                    Runtime.getRuntime().halt(EXIT);
                }
            }
            LockSupport.parkNanos(200_000_000);
        }
    }

    private static boolean hasBeenSilentFor(Duration time) {
        return System.nanoTime() - lastSign > time.toNanos();
    }

    private static boolean isAliveWithin(Duration time) {
        long asked = System.nanoTime();
        while (System.nanoTime() - asked < time.toNanos()) {
            if (lastSign - asked > 0) {
                return true;
            }
            LockSupport.parkNanos(50_000_000);
        }
        return false;
    }

    private String stacks(Duration patience) {
        StringBuilder said =
                new StringBuilder("Nothing has happened for " + patience.toSeconds() + " s since " + newest + "\n\n");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, false)) {
            said.append(describe(thread));
        }
        return said.toString();
    }

    /** Unlike {@link ThreadInfo#toString} with the whole stack. */
    private static String describe(ThreadInfo thread) {
        LockInfo lock = thread.getLockInfo();
        StringBuilder said = new StringBuilder("\"" + thread.getThreadName() + "\" " + thread.getThreadState()
                + (lock == null ? "" : " on " + lock)
                + (thread.getLockOwnerName() == null ? "" : " held by \"" + thread.getLockOwnerName() + "\"") + "\n");
        for (StackTraceElement frame : thread.getStackTrace()) {
            said.append("    at ").append(frame).append('\n');
        }
        return said.append('\n').toString();
    }

    /** Past what a test runner makes of {@link System#err}: it may never get to write that down. */
    private static void tell(String stacks) {
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8).println(stacks);
        Path file = Path.of("target", "hanging-" + ProcessHandle.current().pid() + ".txt");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, stacks);
        } catch (IOException e) {
            System.err.println("The stacks are not in " + file + ": " + e.getMessage());
        }
    }
}
