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
 * Ends a test that hangs. If no test has begun or ended for {@code -Dtest.patience-secs} (300), prints the stacks of all threads, writes them to
 * {@code target/hanging-<process>.txt}, and interrupts the threads of the running tests; if that has no effect within half a minute, ends the
 * process with {@link #EXIT}. A test with many rounds calls {@link #alive} in each. A search by the fuzzer is not watched.
 *
 * <p>JUnit creates one instance for each launch ({@code META-INF/services}).
 */
public final class HangWatch implements TestExecutionListener {
    /** Exit code of a process with a test that could not be interrupted. */
    static final int EXIT = 97;

    private static final Duration GRACE = Duration.ofSeconds(30);

    private static volatile Limits limits =
            new Limits(Duration.ofSeconds(Integer.getInteger("test.patience-secs", 300)), GRACE);
    private static volatile long lastSign;

    /**
     * Limits of the time without progress.
     *
     * @param patience time after which the test is interrupted
     * @param grace time from then on after which the process ends
     */
    record Limits(Duration patience, Duration grace) {}

    private volatile String newest = "";
    /** Threads of the running tests and of their containers. */
    private final Map<String, Thread> running = new ConcurrentHashMap<>();

    private volatile boolean over;

    /** Reports progress of a test with many rounds. */
    public static void alive() {
        lastSign = System.nanoTime();
    }

    /** Sets the limits for the running test; returns the previous ones. */
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

    /** Returns the whole stack, unlike {@link ThreadInfo#toString}. */
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

    /** Writes directly to the file descriptor: a test runner replaces {@link System#err} and may never print what it has captured. */
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
