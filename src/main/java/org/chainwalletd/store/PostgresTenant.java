package org.chainwalletd.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * The one daemon that works on a database. A second one is refused while the first is alive. A successor supersedes its predecessors: one that was
 * only paused writes nothing any more when it wakes. Only a successor on the same datadir and kernel also knows that they send nothing.
 *
 * @param fixed settings that never change, by their names in messages
 * @param host datadir and the kernel that keeps its lock, see {@link PostgresDatadir#host}
 */
public record PostgresTenant(Map<String, String> fixed, String host) {
    /** File by which a datadir shows that its payments are in a database; contains the database's name. */
    public static final String MARK_FILE = "database-id";

    /** Age of a heartbeat by the server's clock, from which on a daemon counts as gone. */
    private static final long LAPSE_MILLIS = 15_000;

    /** Another start of a daemon. */
    private record Other(long start, long silentMillis) {}

    /**
     * Describes the daemon that holds the lock of {@code datadir}, and marks the datadir.
     *
     * @param chain settings of the chain that never change: brand, network, genesis
     * @param database its name, without a password
     */
    public static PostgresTenant of(Path datadir, Map<String, String> chain, String database) throws IOException {
        Path file = datadir.resolve(MARK_FILE);
        if (!Files.exists(file)) {
            AtomicFiles.write(file, (database + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return looking(datadir, chain);
    }

    /** Describes the daemon of {@code datadir} without making anything. */
    public static PostgresTenant looking(Path datadir, Map<String, String> chain) throws IOException {
        return new PostgresTenant(chain, Files.exists(datadir) ? PostgresDatadir.host(datadir) : "");
    }

    /**
     * Makes the database this daemon's, in the transaction under the store lock that registers its start.
     *
     * @throws StoreException {@code UNAVAILABLE} with what to do, when the database belongs to another daemon
     */
    void enter(SqlSession session, String name) throws SQLException {
        Optional<String> objection = objection(session);
        if (objection.isPresent()) {
            throw GroupCommitWriter.unavailable(name, objection.get(), null);
        }
        PostgresAgreed.change(session, values -> {
            fixed.forEach(values::putIfAbsent);
            return values;
        });
        session.update("UPDATE daemons SET superseded = true WHERE NOT ended AND NOT superseded");
    }

    /** Returns why this daemon must not use the database, a clause that completes "the store …"; empty when it may. Only reads. */
    Optional<String> objection(SqlSession session) throws SQLException {
        for (Map.Entry<String, String> setting : fixed.entrySet()) {
            Optional<String> agreed = session.queryOne(
                    "SELECT value FROM agreed WHERE name = ?", row -> row.getString(1), setting.getKey());
            if (agreed.isPresent() && !agreed.get().equals(setting.getValue())) {
                return Optional.of("has the " + setting.getKey() + " " + agreed.get() + ", and this daemon "
                        + setting.getValue() + ": correct the option, or name another database");
            }
        }
        return session.queryOne(
                        "SELECT start, " + PostgresSchema.MILLIS + " - beaten AS silent FROM daemons WHERE NOT ended"
                                + " AND NOT superseded AND (host = '' OR host IS DISTINCT FROM ?) AND beaten > "
                                + PostgresSchema.MILLIS + " - "
                                + LAPSE_MILLIS + " ORDER BY start DESC LIMIT 1",
                        row -> new Other(row.number("start"), row.number("silent")),
                        host)
                .map(other -> "is in use by start " + other.start() + " of a daemon, which was heard "
                        + Math.max(0, other.silentMillis() / 1_000)
                        + " s ago: one daemon at a time works on a database; stop that one, or after its machine has"
                        + " died start this one again in " + LAPSE_MILLIS / 1_000 + " s");
    }
}
