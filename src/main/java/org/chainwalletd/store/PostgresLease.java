package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.Optional;

/**
 * The lease on background work, one row of the database: whoever has it renews it, and whoever sees it unchanged for long enough may take it. Taking it
 * raises its epoch under the store lock, so writes of the former holder are refused from then on. Methods block, on a connection of their own.
 */
public final class PostgresLease implements AutoCloseable {
    /** Holder before the first one. */
    static final long NOBODY = 0;

    private static final int SOCKET_MILLIS = 10_000;

    private final String name;
    private final Postgres.Connector connector;
    private final long start;
    /** Null as long as it is not connected. */
    private SqlSession session;

    PostgresLease(String name, Postgres.Connector connector, long start) {
        this.name = name;
        this.connector = connector;
        this.start = start;
    }

    /**
     * The lease as it was read.
     *
     * @param start of the daemon that has it, or has given it back; 0 before the first one
     * @param epoch number of times that it was taken
     * @param renewal raised by each renewal
     * @param free whether the holder has given it back, has ended, or is known to write nothing any more
     * @param address at which the holder is called; empty where that is not known
     */
    public record Lease(long start, long epoch, long renewal, boolean free, Optional<String> address) {
        /** Tells whether nobody has renewed or taken it since {@code before}. */
        public boolean isUnchangedSince(Lease before) {
            return start == before.start && epoch == before.epoch && renewal == before.renewal;
        }
    }

    static boolean isMade(SqlSession session) throws SQLException {
        return session.queryOne("SELECT to_regclass('keeper') IS NOT NULL AS made", row -> row.truth("made"))
                .orElseThrow();
    }

    /** Creates the tables; called with the migration's lock. */
    static void make(SqlSession session) throws SQLException {
        session.execute("CREATE TABLE keeper (one BIGINT PRIMARY KEY CHECK (one = 1), start BIGINT NOT NULL,"
                + " epoch BIGINT NOT NULL, renewal BIGINT NOT NULL, given_back BOOLEAN NOT NULL DEFAULT false)");
        session.execute("INSERT INTO keeper (one, start, epoch, renewal) VALUES (1, " + NOBODY + ", 0, 0)");
        session.execute("ALTER TABLE daemons ADD COLUMN address TEXT");
    }

    /** Reads the lease. */
    public Lease read() {
        return run(PostgresLease::lease);
    }

    private static Lease lease(SqlSession session) throws SQLException {
        return session.queryOne(
                        "SELECT keeper.start AS start, epoch, renewal, given_back OR coalesce(ended OR superseded, true) AS free,"
                                + " address"
                                + " FROM keeper LEFT JOIN daemons ON daemons.start = keeper.start WHERE one = 1",
                        row -> new Lease(
                                row.number("start"),
                                row.number("epoch"),
                                row.number("renewal"),
                                row.truth("free"),
                                row.ifText("address")))
                .orElseThrow();
    }

    /**
     * Takes the lease if it still is as it was read.
     *
     * @return the lease as it is then
     */
    public Lease take(Lease seen) {
        return run(session -> {
            session.execute(PostgresTransactions.LOCK);
            session.update(
                    "UPDATE keeper SET start = ?, epoch = epoch + 1, renewal = renewal + 1, given_back = false WHERE one = 1 AND start = ? AND epoch = ?"
                            + " AND renewal = ? AND EXISTS (SELECT 1 FROM daemons WHERE start = ? AND NOT ended AND NOT superseded)",
                    start,
                    seen.start(),
                    seen.epoch(),
                    seen.renewal(),
                    start);
            Lease now = lease(session);
            session.execute("COMMIT");
            return now;
        });
    }

    /**
     * Renews the lease.
     *
     * @return whether this daemon still has it in this epoch
     */
    public boolean renew(Lease mine) {
        return run(session -> session.update(
                        "UPDATE keeper SET renewal = renewal + 1 WHERE one = 1 AND start = ? AND epoch = ?",
                        start,
                        mine.epoch()))
                > 0;
    }

    /** Gives the lease back, so that another daemon takes it at once; nothing when this daemon does not have it. */
    public void giveBack(Lease mine) {
        run(session -> session.update(
                "UPDATE keeper SET given_back = true WHERE one = 1 AND start = ? AND epoch = ?", start, mine.epoch()));
    }

    /** Records at which address this daemon is called. */
    public void tellAddress(String address) {
        run(session -> session.update("UPDATE daemons SET address = ? WHERE start = ?", address, start));
    }

    /** Tells whether this daemon has taken the lease. */
    public boolean isMine(Lease lease) {
        return lease.start() == start;
    }

    private <T> T run(GroupCommitWriter.Work<T> work) {
        try {
            if (session == null) {
                session = new SqlSession(PostgresStore.connect(name, connector, SOCKET_MILLIS), Postgres.DIALECT);
            }
            return work.apply(session);
        } catch (SQLException e) {
            close();
            throw GroupCommitWriter.unavailable(name, e.getMessage(), e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        Postgres.close(session);
        session = null;
    }
}
