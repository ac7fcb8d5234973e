package org.chainwalletd.testkit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** SIGHUP, which never comes to a process below {@code nohup}, nor to those that it starts: they are born with the signal ignored. */
public final class HangUp {
    private static final Path STATUS = Path.of("/proc/self/status");

    private HangUp() {}

    /** Leaves a test of the signal out where the tests themselves cannot hear it. */
    public static void assumeHeard() {
        assumeFalse(isIgnored(), "SIGHUP is ignored by this process, as below nohup");
    }

    private static boolean isIgnored() {
        try {
            return Files.isReadable(STATUS)
                    && Files.readAllLines(STATUS).stream()
                            .filter(line -> line.startsWith("SigIgn:"))
                            .anyMatch(line -> (Long.parseUnsignedLong(
                                                    line.substring("SigIgn:".length())
                                                            .strip(),
                                                    16)
                                            & 1)
                                    != 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
