package org.chainwalletd.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What this process has had written to disks, as Linux counts it: whole pages of files, the log's and the checkpoint's alike. */
public final class DiskBytes {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final String NAME = "write_bytes: ";

    private DiskBytes() {}

    /** Empty where the system does not count. A folder in memory counts nothing. */
    public static OptionalLong written() throws IOException {
        if (!Files.isReadable(COUNTERS)) {
            return OptionalLong.empty();
        }
        try (Stream<String> lines = Files.lines(COUNTERS)) {
            return lines.filter(line -> line.startsWith(NAME))
                    .mapToLong(line -> Long.parseLong(line.substring(NAME.length())))
                    .findFirst();
        }
    }

    /** For people. */
    public static String each(OptionalLong before, OptionalLong after, long units) {
        return before.isEmpty() || after.isEmpty()
                ? "bytes not counted here"
                : String.format("%.1f KB written each", (after.getAsLong() - before.getAsLong()) / 1e3 / units);
    }
}
