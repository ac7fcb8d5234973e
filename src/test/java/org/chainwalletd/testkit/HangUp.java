package org.chainwalletd.testkit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Signals that never come to a process, nor to those that it starts, because they are born with them ignored: SIGHUP below {@code nohup},
 * SIGINT in the background of a script.
 */
public final class HangUp {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;
    private static final Path STATUS = Path.of("/proc/self/status");

    private HangUp() {}

    /** Leaves a test of the signal out where the tests themselves cannot hear it. */
    public static void assumeHeard() {
        assumeFalse(isIgnored(SIGHUP), "SIGHUP is ignored by this process, as below nohup");
    }

    /** Likewise of SIGINT. */
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
