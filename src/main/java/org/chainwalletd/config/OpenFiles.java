package org.chainwalletd.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Operating system limit on the open files and connections of this process. */
public final class OpenFiles {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String ROW = "Max open files";
    /** Files needed besides client connections: jars, store, key files, connections to nodes and from metrics scrapers. */
    private static final int BESIDE_CONNECTIONS = 512;

    private OpenFiles() {}

    /** Returns the soft limit in force, which the JVM has raised as far as the system allows. Empty if unknown or unlimited. */
    public static OptionalLong limit() {
        try {
            return Files.isReadable(LIMITS) ? limit(Files.readAllLines(LIMITS)) : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    static OptionalLong limit(List<String> rows) {
        return rows.stream()
                .filter(row -> row.startsWith(ROW))
                .map(row -> row.substring(ROW.length()).strip().split("\\s+")[0])
                .filter(soft -> soft.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    /** Returns a complaint with the remedy if {@code limit} does not suffice for {@code maxConnections}. */
    public static Optional<String> complaint(OptionalLong limit, int maxConnections) {
        return limit.isEmpty() || limit.getAsLong() >= (long) maxConnections + BESIDE_CONNECTIONS
                ? Optional.empty()
                : Optional.of("at most " + limit.getAsLong() + " open files are allowed, too few for " + maxConnections
                        + " connections: raise the limit (ulimit -n, LimitNOFILE) to "
                        + (maxConnections + BESIDE_CONNECTIONS) + " or lower --max-connections");
    }
}
