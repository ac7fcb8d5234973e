package org.chainwalletd.testkit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Signals that a process and its children never receive, because it inherited them as ignored: SIGHUP under {@code nohup}, SIGINT in the background
 * of a script.
 */
public final class HangUp {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;
    private static final Path STATUS = Path.of("/proc/self/status");

    private HangUp() {}

    /** Skips the test if this process ignores SIGHUP. */
    public static void assumeHeard() {
        assumeFalse(isIgnored(SIGHUP), "SIGHUP is ignored by this process, as below nohup");
    }

    /** Skips the test if this process ignores SIGINT. */
    public static void assumeInterruptHeard() {
        assumeFalse(isIgnored(SIGINT), "SIGINT is ignored by this process, as in the background of a script");
    }

    private static boolean isIgnored(int signal) {
        try {
            return Files.isReadable(STATUS)
                    && Files.readAllLines(STATUS).stream()
                            .filter(line -> line.startsWith("SigIgn:"))
                            .anyMatch(line -> (Long.parseUnsignedLong(
                                                    line.substring("SigIgn:".length())
                                                            .strip(),
                                                    16)
                                            & 1L << signal - 1)
                                    != 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
