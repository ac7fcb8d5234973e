package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.SqlSession;

/**
 * A daemon among those that share a database.
 *
 * @param fixed settings that never change, by their names in messages
 */
public record PostgresMember(Map<String, String> fixed) {
    /** File that marks a datadir whose payments are in a database; contains the database's name. */
    public static final String MARK_FILE = "database-id";

    /** Age of a heartbeat, by the server's clock, from which on a daemon counts as dead. */
    static final long LAPSE_MILLIS = 15_000;

    /** Condition of a start that is running, as far as the database knows. */
    private static final String WORKS =
            "NOT ended AND NOT superseded AND beaten > " + PostgresSchema.MILLIS + " - " + LAPSE_MILLIS;

    /**
     * Marks a datadir whose payments are in a database.
     *
     * @param database its name, without a password
     */
    public static void mark(Path datadir, String database) throws IOException {
        Path file = datadir.resolve(MARK_FILE);
        if (!Files.exists(file)) {
            AtomicFiles.write(file, (database + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Admits this daemon to the database, in the transaction under the store lock that registers its start.
     *
     * @throws StoreException with instructions; {@code BUSY} when a daemon of a release that cannot share the database is using it,
     *     {@code UNAVAILABLE} when the database belongs to another chain
     */
    void enter(SqlSession session, String name) throws SQLException {
        requireSameChain(session, name);
        requireNoExclusiveRelease(session, name);
        PostgresAgreed.change(session, values -> {
            fixed.forEach(values::putIfAbsent);
            return values;
        });
    }

    private static void requireNoExclusiveRelease(SqlSession session, String name) throws SQLException {
        Optional<Other> other = Other.one(session, "NOT shares");
        if (other.isPresent()) {
            throw StoreException.busy(
                    "the store " + name + " is in use by " + other.get().words()
                            + ", of an earlier release, which shares it with nobody: stop that one first");
        }
    }

    /**
     * Rejects a datadir whose daemon is running elsewhere: from a copy of the datadir, or from the same datadir on another machine. On the same
     * machine the lock of the datadir already shows that the other daemon has ended.
     *
     * @param log name of the datadir's log
     * @param host datadir and the kernel that keeps its lock, see {@link PostgresDatadir#host}
     * @throws StoreException {@code BUSY}
     */
    static void requireAlone(SqlSession session, String name, String log, String host) throws SQLException {
        Optional<Other> other = Other.one(session, "log = ? AND (host = '' OR host IS DISTINCT FROM ?)", log, host);
        if (other.isPresent()) {
            throw StoreException.busy(
                    "the store " + name + " is in use by " + other.get().words()
                            + ", which has this datadir or a copy of it:"
                            + " stop that one, and start this one " + LAPSE_MILLIS / 1_000
                            + " s after it was last heard of; a further daemon needs an empty datadir");
        }
    }

    /**
     * Rejects a database of another chain. Only reads.
     *
     * @throws StoreException {@code UNAVAILABLE} with instructions
     */
    void requireSameChain(SqlSession session, String name) throws SQLException {
        Map<String, String> agreed = PostgresAgreed.read(session).values();
        for (Map.Entry<String, String> setting : fixed.entrySet()) {
            String other = agreed.getOrDefault(setting.getKey(), setting.getValue());
            if (!other.equals(setting.getValue())) {
                throw GroupCommitWriter.unavailable(
                        name,
                        "has the " + setting.getKey() + " " + other + ", and this daemon " + setting.getValue()
                                + ": correct the option, or name another database",
                        null);
            }
        }
    }

    /**
     * Another running start of a daemon.
     *
     * @param machine empty if unknown
     * @param silentMillis time since its last heartbeat, by the server's clock
     */
    private record Other(long start, String machine, long silentMillis) {
        static Optional<Other> one(SqlSession session, String condition, Object... parameters) throws SQLException {
            return session.queryOne(
                    "SELECT start, coalesce(machine, '') AS machine, " + PostgresSchema.MILLIS
                            + " - beaten AS silent FROM daemons WHERE " + WORKS + " AND " + condition
                            + " ORDER BY start DESC LIMIT 1",
                    row -> new Other(row.number("start"), row.text("machine"), Math.max(0, row.number("silent"))),
                    parameters);
        }

        String words() {
            return "start " + start + " of a daemon" + (machine.isEmpty() ? "" : " on " + machine)
                    + ", which was heard of " + silentMillis / 1_000 + " s ago";
        }
    }
}
