package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.function.LongConsumer;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Lease on background work, one row of the database: its holder renews it, and a daemon that sees it unchanged for long enough may take it. Taking it
 * increments its epoch under the store lock, so later writes of the former holder are rejected. Methods block, on a separate connection.
 */
public final class PostgresLease implements AutoCloseable {
    private final PostgresSession database;
    private final long start;
    private final LongConsumer taken;

    /**
     * @param database whose connections time out when it does not respond
     * @param start of this daemon
     * @param taken receives the epoch when this daemon has taken the lease, before {@link #take} returns
     */
    PostgresLease(Postgres.Connector database, long start, LongConsumer taken) {
        this.database = new PostgresSession(database);
        this.start = start;
        this.taken = taken;
    }

    /**
     * Lease as it was read.
     *
     * @param start of the daemon that holds it or has given it back; 0 before the first one
     * @param epoch number of times that it was taken
     * @param renewal increased by each renewal
     * @param address URL at which the holder can be called; empty if unknown
     * @param free whether the holder has given it back, has ended, or is known not to write any more
     */
    public record Lease(long start, long epoch, long renewal, String address, boolean free) {
        /** Returns whether the lease was neither renewed nor taken since {@code before}. */
        public boolean isUnchangedSince(Lease before) {
            return start == before.start && epoch == before.epoch && renewal == before.renewal;
        }
    }

    public Lease read() {
        return database.run(PostgresLease::lease);
    }

    private static Lease lease(SqlSession session) throws SQLException {
        return session.queryOne(
                        "SELECT keeper.start AS start, epoch, renewal, coalesce(address, '') AS address, given_back OR coalesce(ended OR superseded, true) AS free"
                                + " FROM keeper LEFT JOIN daemons ON daemons.start = keeper.start WHERE one = 1",
                        row -> new Lease(
                                row.number("start"),
                                row.number("epoch"),
                                row.number("renewal"),
                                row.text("address"),
                                row.truth("free")))
                .orElseThrow();
    }

    /**
     * Takes the lease if it is unchanged since it was read.
     *
     * @return the lease afterwards
     */
    public Lease take(Lease seen) {
        Lease now = database.run(session -> {
            session.execute(PostgresTransactions.LOCK);
            session.update(
                    "UPDATE keeper SET start = ?, epoch = epoch + 1, renewal = renewal + 1, given_back = false WHERE one = 1 AND start = ? AND epoch = ?"
                            + " AND renewal = ? AND EXISTS (SELECT 1 FROM daemons WHERE start = ? AND NOT ended AND NOT superseded)",
                    start,
                    seen.start(),
                    seen.epoch(),
                    seen.renewal(),
                    start);
            Lease after = lease(session);
            session.execute("COMMIT");
            return after;
        });
        if (isMine(now)) {
            taken.accept(now.epoch());
        }
        return now;
    }

    /**
     * Renews the lease.
     *
     * @return whether this daemon still holds it in this epoch
     */
    public boolean renew(Lease mine) {
        return database.run(session -> session.update(
                        "UPDATE keeper SET renewal = renewal + 1 WHERE one = 1 AND start = ? AND epoch = ?",
                        start,
                        mine.epoch()))
                > 0;
    }

    /** Returns whether this daemon still holds the lease in this epoch, without renewing it. */
    public boolean isHeld(Lease mine) {
        Lease now = read();
        return isMine(now) && now.epoch() == mine.epoch();
    }

    /** Gives the lease back, so that another daemon can take it at once; does nothing when this daemon does not hold it. */
    public void giveBack(Lease mine) {
        database.run(session -> session.update(
                "UPDATE keeper SET given_back = true WHERE one = 1 AND start = ? AND epoch = ?", start, mine.epoch()));
    }

    /** Records the URL at which this daemon can be called. */
    public void tellAddress(String address) {
        database.run(session -> session.update("UPDATE daemons SET address = ? WHERE start = ?", address, start));
    }

    /** Returns whether this daemon was the last to take the lease. */
    public boolean isMine(Lease lease) {
        return lease.start() == start;
    }

    @Override
    public void close() {
        database.close();
    }
}
