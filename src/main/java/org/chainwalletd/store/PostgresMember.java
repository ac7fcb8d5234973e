package org.chainwalletd.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * The one daemon that works on a database. A second one stands by while the first is alive. A successor supersedes its predecessors: one that was
 * only paused writes nothing any more when it wakes. Only a successor on the same datadir and kernel also knows that they send nothing.
 *
 * @param fixed settings that never change, by their names in messages
 * @param host datadir and the kernel that keeps its lock, see {@link PostgresDatadir#host}
 * @param silent a daemon that counts as gone unless it was heard of again
 */
public record PostgresTenant(Map<String, String> fixed, String host, Optional<Worker> silent) {
    /** File by which a datadir shows that its payments are in a database; contains the database's name. */
    public static final String MARK_FILE = "database-id";

    /** Age of a heartbeat by the server's clock, from which on a daemon counts as gone. */
    private static final long LAPSE_MILLIS = 15_000;

    /**
     * Expression for a number that changes as long as a daemon works: the renewals of its lease on background work, which end when that hangs, or its
     * heartbeat before it has taken the lease.
     */
    private static final String PROGRESS = "coalesce(renewal, beaten)";

    /** Query for the newest start of another daemon that has not ended. */
    private static final String OTHER =
            "SELECT daemons.start AS start, coalesce(machine, '') AS machine, coalesce(address, '') AS address, "
                    + PROGRESS
                    + " AS progress, " + PostgresSchema.MILLIS + " - beaten AS silent FROM daemons"
                    + " LEFT JOIN keeper ON keeper.start = daemons.start AND NOT given_back WHERE NOT ended AND NOT superseded"
                    + " AND (host = '' OR host IS DISTINCT FROM ?) ORDER BY daemons.start DESC LIMIT 1";

    /** The same query for tables that an earlier release has made. */
    private static final String OTHER_OF_BEFORE =
            "SELECT start, coalesce(machine, '') AS machine, '' AS address, beaten AS progress, "
                    + PostgresSchema.MILLIS
                    + " - beaten AS silent FROM daemons WHERE NOT ended AND NOT superseded"
                    + " AND (host = '' OR host IS DISTINCT FROM ?) ORDER BY start DESC LIMIT 1";

    /**
     * Another start of a daemon, which works on the database.
     *
     * @param machine name of its machine; empty where that is not known
     * @param address URL at which it is called; empty where that is not known
     * @param progress another number whenever it has shown that it works
     * @param silentMillis time since its last heartbeat, by the server's clock
     */
    public record Worker(long start, String machine, String address, long progress, long silentMillis) {
        private static Worker of(Row row) throws SQLException {
            return new Worker(
                    row.number("start"),
                    row.text("machine"),
                    row.text("address"),
                    row.number("progress"),
                    Math.max(0, row.number("silent")));
        }

        /** Tells whether nothing was heard of it since {@code before}. */
        public boolean isSilentSince(Worker before) {
            return start == before.start && progress == before.progress;
        }
    }

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
     * Describes the daemon of {@code datadir}.
     *
     * @param chain settings of the chain that never change: brand, network, genesis
     */
    public static PostgresTenant of(Path datadir, Map<String, String> chain) throws IOException {
        return new PostgresTenant(chain, Files.exists(datadir) ? PostgresDatadir.host(datadir) : "", Optional.empty());
    }

    /** Returns this daemon, which takes the place of another one that was watched long enough. */
    public PostgresTenant after(Optional<Worker> watched) {
        return new PostgresTenant(fixed, host, watched);
    }

    /**
     * Returns the other daemon that works on a database, or has died there; empty when there is none. Blocks.
     *
     * @throws StoreException {@code UNAVAILABLE} when the database does not answer
     */
    public Optional<Worker> worker(PostgresDatabase database) {
        try (SqlSession session = new SqlSession(database.connect(), Postgres.DIALECT)) {
            return PostgresSchema.isMade(session) ? worker(session) : Optional.empty();
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(database.name(), e.getMessage(), e);
        }
    }

    private Optional<Worker> worker(SqlSession session) throws SQLException {
        if (!PostgresSchema.hasLease(session)) {
            return session.queryOne(OTHER_OF_BEFORE, Worker::of, host);
        }
        return session.queryOne(OTHER, Worker::of, host);
    }

    /**
     * Makes the database this daemon's, in the transaction under the store lock that registers its start.
     *
     * @throws StoreException with what to do; {@code BUSY} when another daemon works on it, {@code UNAVAILABLE} when it is of another chain
     */
    void enter(SqlSession session, String name) throws SQLException {
        requireSameChain(session, name);
        Optional<Worker> other = worker(session);
        boolean lapsed =
                other.filter(each -> each.silentMillis() >= LAPSE_MILLIS).isPresent();
        if (other.isPresent()
                && !lapsed
                && silent.filter(other.get()::isSilentSince).isEmpty()) {
            throw new StoreException(StoreException.Reason.BUSY, "the store " + name + " " + inUse(other.get()), null);
        }
        PostgresAgreed.change(session, values -> {
            fixed.forEach(values::putIfAbsent);
            return values;
        });
        session.update("UPDATE daemons SET superseded = true WHERE NOT ended AND NOT superseded");
    }

    /**
     * Refuses a database of another chain. Only reads.
     *
     * @throws StoreException {@code UNAVAILABLE} with what to do
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

    private static String inUse(Worker other) {
        return "is in use by start " + other.start() + " of a daemon"
                + (other.machine().isEmpty() ? "" : " on " + other.machine()) + ", which was heard of "
                + other.silentMillis() / 1_000
                + " s ago: one daemon at a time works on a database, and others stand by";
    }
}
