package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SpendTable;
import org.chainwalletd.store.sql.SqlSession;

/** Operator queries and commands about the daemons of a database, run outside the daemons. Every method blocks and needs no datadir. */
public final class PostgresCluster {
    /** Age of a heartbeat, by the server's clock, from which on a start counts as silent. */
    private static final long HEARD_MILLIS = 15_000;
    /** Number of ended starts, the newest ones, that {@link #status} includes. */
    private static final int ENDED_SHOWN = 20;
    /** Time within which a healthy keeper renews its lease. */
    private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String KEEPER =
            "SELECT start FROM keeper WHERE NOT given_back AND start <> " + PostgresSchema.NO_HOLDER;
    private static final String RENEWALS = "SELECT epoch + renewal FROM keeper";

    private static final String SENDS = "SELECT runner, count(*) FROM (SELECT id, runner FROM spends WHERE "
            + SpendTable.OPEN
            + " AND signed_off = 0 UNION SELECT spend, former_runners.runner FROM former_runners JOIN spends ON id = spend WHERE "
            + SpendTable.OPEN + ") sends GROUP BY runner";
    /** Query for starts; its parameters are the timeline and the boot of the server. */
    private static final String STARTS =
            "SELECT start, ended, superseded, coalesce(machine, '') AS machine, coalesce(datadir, '') AS datadir, coalesce(address, '') AS address, coalesce(node, '') AS node, node IS NOT NULL AND gathered > 0"
                    + " AND gathered = (SELECT number FROM gathering) AS gathered, since, "
                    + PostgresSchema.MILLIS + " - beaten AS silent, timeline < ? OR boot <> ? AS behind,"
                    + " CASE WHEN ended THEN 0 ELSE coalesce(count, 0) END AS open FROM daemons"
                    + " LEFT JOIN logs ON logs.name = log LEFT JOIN (" + SENDS + ") counted ON runner = start";

    private final Postgres.Connector database;
    private final String name;

    public PostgresCluster(Postgres.Connector database) {
        this.database = database;
        this.name = database.name();
    }

    @FunctionalInterface
    private interface Work<T> {
        T run(SqlSession session, PostgresStore.Server server) throws SQLException;
    }

    private <T> T with(Work<T> work) {
        try (SqlSession session = database.session()) {
            PostgresStore.Server server = PostgresStore.requireFit(session, name);
            if (!PostgresSchema.isMade(session)) {
                throw refused("has no tables of a store: correct --store, or start the daemon, which makes them");
            }
            long version = PostgresSchema.requireKnown(session, name);
            if (version != Schema.version()) {
                throw refused("has version " + version + ", and this release writes version " + Schema.version()
                        + ": use the command of the release that its daemons run");
            }
            if (!PostgresSchema.hasLease(session) || !PostgresSchema.hasGathering(session)) {
                throw refused("was made by an earlier release: start a daemon of this one, which upgrades it");
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
     * Snapshot of the daemons and the state of their database.
     *
     * @param commit number of the newest commit, 0 before the first
     * @param keeper start that holds the lease on background work; empty while no start does
     * @param renewed whether the lease was renewed during this query, which waits a few seconds for that; otherwise no daemon does the background
     *     work
     * @param epoch number of times that the lease was taken
     * @param stopped why nothing is spent; empty in normal operation
     * @param lock the transaction that holds the store lock; empty while it is free
     * @param hidden number of ended starts that are not among {@code starts}
     * @param starts newest first
     */
    public record Status(
            String database,
            String server,
            long commit,
            Optional<Long> keeper,
            boolean renewed,
            long epoch,
            Optional<String> stopped,
            Optional<Lock> lock,
            long hidden,
            List<Start> starts) {}

    /**
     * The store lock while a transaction holds it.
     *
     * @param process id of the holder's process on the server, as in {@code pg_stat_activity}
     * @param heldMillis time since the holder's transaction began
     * @param waiting number of transactions that wait for the lock
     */
    public record Lock(long process, long heldMillis, long waiting) {}

    public enum Standing {
        /** Its last heartbeat is recent. */
        RUNNING,
        /** Its last heartbeat is old, and it is not known to have ended. */
        SILENT,
        /** It writes and sends nothing any more; its process may still exist. */
        SUPERSEDED,
        ENDED
    }

    /**
     * Start of a daemon.
     *
     * @param machine name of its machine; empty if unknown
     * @param datadir empty if unknown
     * @param address URL at which it can be called; empty if unknown
     * @param node address of its node for the other daemons; empty if it has none
     * @param gathered whether its node has joined those of the other daemons
     * @param since time of the start by the server's clock, milliseconds since 1970
     * @param silentMillis time since its last heartbeat, by the server's clock
     * @param behind whether it has not yet confirmed that the server has its commits, after the server was promoted or restarted
     * @param open number of spends that hold coins and that it may still send, as far as the database knows
     */
    public record Start(
            long start,
            Standing standing,
            String machine,
            String datadir,
            String address,
            String node,
            boolean gathered,
            long since,
            long silentMillis,
            boolean behind,
            long open) {}

    /** Returns the state of the daemons. Writes nothing. Waits at most a few seconds for a renewal of the lease on background work. */
    public Status status() {
        return with((session, server) -> {
            boolean renewed = hasKeeper(session) && isRenewed(session);
            Optional<Lock> lock = lock(session);
            session.execute(Postgres.DIALECT.beginReading());
            List<Start> starts = session.query(
                    STARTS
                            + " WHERE NOT ended OR start IN (SELECT start FROM daemons WHERE ended ORDER BY start DESC LIMIT "
                            + ENDED_SHOWN + ") ORDER BY start DESC",
                    PostgresCluster::start,
                    server.timeline(),
                    server.boot());
            Status status = session.queryOne(
                            "SELECT (" + KEEPER
                                    + ") AS keeper, (SELECT epoch FROM keeper) AS epoch, current_database() AS name, current_setting('server_version') AS server,"
                                    + " (SELECT coalesce(max(number), 0) FROM commits) AS commit, stopped,"
                                    + " (SELECT count(*) FROM daemons) - ? AS hidden FROM store WHERE one = 1",
                            row -> new Status(
                                    row.text("name"),
                                    row.text("server"),
                                    row.number("commit"),
                                    row.ifNumber("keeper").stream().boxed().findFirst(),
                                    renewed,
                                    row.number("epoch"),
                                    row.ifText("stopped"),
                                    lock,
                                    row.number("hidden"),
                                    starts),
                            starts.size())
                    .orElseThrow();
            session.execute("COMMIT");
            return status;
        });
    }

    private static boolean hasKeeper(SqlSession session) throws SQLException {
        return session.has(KEEPER);
    }

    private static boolean isRenewed(SqlSession session) throws SQLException {
        long before = renewals(session);
        long began = System.nanoTime();
        while (System.nanoTime() - began < RENEWAL_NANOS) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (renewals(session) > before) {
                return true;
            }
        }
        return false;
    }

    private static long renewals(SqlSession session) throws SQLException {
        return session.number(RENEWALS);
    }

    private static Start start(Row row) throws SQLException {
        long silent = Math.max(0, row.number("silent"));
        Standing alive = silent < HEARD_MILLIS ? Standing.RUNNING : Standing.SILENT;
        Standing standing = row.truth("superseded") ? Standing.SUPERSEDED : alive;
        boolean ended = row.truth("ended");
        return new Start(
                row.number("start"),
                ended ? Standing.ENDED : standing,
                row.text("machine"),
                row.text("datadir"),
                row.text("address"),
                row.text("node"),
                row.truth("gathered"),
                row.number("since"),
                silent,
                row.truth("behind") && !ended && standing != Standing.SUPERSEDED,
                row.number("open"));
    }

    /** Finds the holder of the store lock without waiting for it: the oldest transaction that has locked its table and waits for no other lock. */
    private static Optional<Lock> lock(SqlSession session) throws SQLException {
        if (session.has("SELECT 1 FROM store WHERE one = 1 FOR UPDATE SKIP LOCKED")) {
            return Optional.empty();
        }
        return session.queryOne(
                "SELECT activity.pid AS process, extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS held,"
                        + " (SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND pid IN"
                        + " (SELECT pid FROM pg_locks WHERE relation = 'store'::regclass)) AS waiting"
                        + " FROM pg_stat_activity activity WHERE xact_start IS NOT NULL AND activity.pid IN"
                        + " (SELECT pid FROM pg_locks WHERE relation = 'store'::regclass AND mode = 'RowShareLock' AND granted)"
                        + " AND activity.pid NOT IN (SELECT pid FROM pg_locks WHERE NOT granted) ORDER BY xact_start LIMIT 1",
                row -> new Lock(row.number("process"), row.number("held"), row.number("waiting")));
    }

    /**
     * Start of a daemon that had not confirmed that the server has its commits.
     *
     * @param silentMillis time since its last heartbeat, by the server's clock
     */
    public record Silent(long start, String datadir, long silentMillis) {}

    /**
     * Resumes writing after a standby was promoted, or the server was restarted, although daemons that have not ended are silent: the operator has
     * made sure that the server has all their commits. If a commit is missing nevertheless, its daemon stops the store when it resumes.
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

    /**
     * Declares that a start of a daemon can never send anything again: its machine is off, or its process has ended. Operations that free coins no
     * longer wait for it. If it resumes nevertheless, it writes and sends nothing. Works also while writing is suspended because that daemon does not
     * confirm a failover.
     *
     * @throws StoreException {@code UNAVAILABLE} when there is no such start, it has ended, or its last heartbeat is recent
     */
    public Start forget(long start) {
        return with((session, server) -> {
            session.execute(PostgresTransactions.LOCK);
            // No heartbeat may come between the look at the last one and the end of the start.
            session.has("SELECT 1 FROM daemons WHERE start = ? FOR UPDATE", start);
            Start found = session.queryOne(
                            STARTS + " WHERE start = ?",
                            PostgresCluster::start,
                            server.timeline(),
                            server.boot(),
                            start)
                    .orElseThrow(() -> refused("knows no start " + start + " of a daemon: cluster status lists them"));
            if (found.standing() == Standing.ENDED) {
                throw refused("knows that start " + start + " has ended: there is nothing to forget");
            }
            if (found.silentMillis() < HEARD_MILLIS) {
                throw refused("has heard of start " + start + " " + found.silentMillis() / 1_000
                        + " s ago: its process runs, so it may send at any moment; stop it, on "
                        + (found.machine().isEmpty() ? "its machine" : found.machine())
                        + ", or switch that machine off and say this again after "
                        + HEARD_MILLIS / 1_000 + " s");
            }
            session.update("UPDATE daemons SET ended = true WHERE start = ?", start);
            session.execute("COMMIT");
            return found;
        });
    }

    /**
     * Ends the period in which daemons of the previous release may run beside those of this one: from now on they are rejected, so that a later
     * release may remove what only they need.
     *
     * @return whether the period was open until now
     * @throws StoreException when such a daemon has not ended
     */
    public boolean finishUpgrade() {
        return with((session, server) -> {
            session.execute(PostgresTransactions.LOCK);
            Optional<String> earlier = session.queryOne(
                    "SELECT start, coalesce(machine, '') AS machine FROM daemons"
                            + " WHERE NOT ended AND NOT superseded AND release < ? ORDER BY start LIMIT 1",
                    row -> row.number("start") + (row.text("machine").isEmpty() ? "" : " on " + row.text("machine")),
                    Schema.version());
            if (earlier.isPresent()) {
                throw refused("has start " + earlier.get()
                        + " of a daemon of an earlier release, which has not ended: upgrade it, or, when its process is gone"
                        + " for good, say cluster forget; then say this again");
            }
            boolean open =
                    session.update("UPDATE store SET least = ? WHERE least < ?", Schema.version(), Schema.version())
                            > 0;
            session.execute("COMMIT");
            return open;
        });
    }

    /** Returns the settings that all daemons have in common. */
    public PostgresAgreed agreed() {
        return with((session, server) -> PostgresAgreed.read(session));
    }

    /**
     * Changes the settings that all daemons have in common; running daemons adopt them. Works while the store is stopped.
     *
     * @param change receives all settings by name and returns the new ones; if it throws, nothing is changed
     * @return the settings after the change
     */
    public PostgresAgreed agree(UnaryOperator<Map<String, String>> change) {
        return with((session, server) -> PostgresAgreed.agree(session, change));
    }
}
