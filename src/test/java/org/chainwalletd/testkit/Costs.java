package org.chainwalletd.testkit;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * With {@code -Dtest.costs=FILE}, writes a line to that file for each test class: the processor seconds used meanwhile by this JVM and by its child
 * processes that have ended, and the elapsed seconds. Elapsed time alone means little while several JVMs share the cores. Without {@code /proc},
 * processes count as zero.
 *
 * <p>JUnit creates one instance for each launch ({@code META-INF/services}).
 */
public final class Costs implements TestExecutionListener {
    private static final String FILE = System.getProperty("test.costs", "");
    /** Linux counts a process's time in hundredths of a second. */
    private static final double TICKS = 100;

    /** Indexes of fields in {@code /proc/self/stat}, counted from 0 after the name. */
    private static final int CHILDREN_USER = 13;

    private static final int CHILDREN_SYSTEM = 14;

    private Spent before;

    private record Spent(double own, double processes, long nanos) {
        static Spent now() {
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new Spent(system.getProcessCpuTime() / 1e9, ofProcesses(), System.nanoTime());
        }

        String since(Spent earlier) {
            return String.format(
                    Locale.ROOT,
                    "%8.2f %8.2f %8.2f",
                    own - earlier.own,
                    processes - earlier.processes,
                    Duration.ofNanos(nanos - earlier.nanos).toMillis() / 1e3);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (!FILE.isEmpty() && isClass(test)) {
            before = Spent.now();
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (before != null && isClass(test)) {
            append(Spent.now().since(before) + "  " + test.getLegacyReportingName() + "\n");
            before = null;
        }
    }

    /** Whether this is a top-level class. */
    private static boolean isClass(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .filter(source -> !((ClassSource) source).getClassName().contains("$"))
                .isPresent();
    }

    private static double ofProcesses() {
        try {
            String line = Files.readString(Path.of("/proc/self/stat"));
            // The name in brackets may contain any characters.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_SYSTEM])) / TICKS;
        } catch (IOException e) {
            return 0;
        }
    }

    private static void append(String line) {
        try {
            Files.write(
                    Path.of(FILE),
                    line.getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
