package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Statements of the operator about the daemons that a database knows, made by commands beside them. Every method blocks and needs no datadir. */
public final class PostgresCluster {
    private final String name;
    private final Postgres.Connector connector;

    public PostgresCluster(PostgresDatabase database) {
        this(database.name(), database);
    }

    PostgresCluster(String name, Postgres.Connector connector) {
        this.name = name;
        this.connector = connector;
    }

    /** Statements on a session, which is closed afterwards. */
    @FunctionalInterface
    private interface Work<T> {
        T run(SqlSession session, PostgresStore.Server server) throws SQLException;
    }

    private <T> T with(Work<T> work) {
        try (SqlSession session = new SqlSession(connector.connect(), Postgres.DIALECT)) {
            PostgresStore.Server server = PostgresStore.requireFit(session, name);
            if (!PostgresSchema.isMade(session)) {
                throw refused("has no tables of a store: correct --store, or start the daemon, which makes them");
            }
            long version = PostgresSchema.requireKnown(session, name);
            if (version != Schema.version()) {
                throw refused("has version " + version + ", and this release writes version " + Schema.version()
                        + ": use the command of the release that its daemons run");
            }
            return work.run(session, server);
        } catch (SQLException e) {
            if (Postgres.isLockTimeout(e)) {
                throw refused("has its lock held by another transaction for too long: try again");
            }
            throw GroupCommitWriter.unavailable(
                    name, Postgres.isCutOff(e) ? e.getMessage() : "cannot be used: " + e.getMessage(), e);
        }
    }

    private StoreException refused(String why) {
        return GroupCommitWriter.unavailable(name, why, null);
    }

    /**
     * A start of a daemon that had not told whether the server has its commits.
     *
     * @param silentMillis time since its last heartbeat, by the server's clock
     */
    public record Silent(long start, String datadir, long silentMillis) {}

    /**
     * Lets writing go on after a standby was promoted, or the server restarted, although daemons are silent that have not ended: the operator has
     * made sure that the server has all their commits. One that lacks a commit nevertheless stops the store when its daemon wakes.
     *
     * @throws StoreException {@code STOPPED} when the store has lost payments, {@code UNAVAILABLE} when no daemon is silent
     */
    public List<Silent> confirmFailover() {
        return with((session, server) -> {
            session.execute(PostgresTransactions.LOCK);
            Optional<String> stopped = PostgresStore.stopped(session);
            if (stopped.isPresent()) {
                throw StoreException.stopped(stopped.get());
            }
            List<Silent> silent = session.query(
                    "UPDATE daemons SET timeline = ?, boot = ? WHERE NOT ended AND NOT superseded"
                            + " AND (timeline < ? OR boot <> ?) RETURNING start,"
                            + " coalesce((SELECT datadir FROM logs WHERE name = log), '') AS datadir, "
                            + PostgresSchema.MILLIS + " - beaten AS silent",
                    row -> new Silent(row.number("start"), row.text("datadir"), Math.max(0, row.number("silent"))),
                    server.timeline(),
                    server.boot(),
                    server.timeline(),
                    server.boot());
            if (silent.isEmpty()) {
                throw refused(
                        "has nothing to confirm: since the server was promoted or restarted last, each daemon that"
                                + " has not ended has found its commits in it");
            }
            session.execute("COMMIT");
            return silent;
        });
    }
}
