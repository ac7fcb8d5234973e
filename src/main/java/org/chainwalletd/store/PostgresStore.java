package org.chainwalletd.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The money store in PostgreSQL, which several daemons may write at once: {@link PostgresTransactions} keeps them apart. No command line opens
 * one yet: it still lacks {@code sent.log} beside it.
 */
public final class PostgresStore extends SqlStore {
    private static final int OLDEST_SERVER = 150_000;
    private static final int SOCKET_MILLIS = 10_000;
    private static final long CHECK_MILLIS = 1_000;
    /** Age of a daemon's heartbeat from which on others take its spends over. */
    private static final long LAPSE_MILLIS = 5_000;
    /** Executor that closes an unresponsive connection on the thread that waits for it. */
    private static final Executor AT_ONCE = Runnable::run;

    /** State of a server, as it reports it. */
    private record Server(
            int version,
            boolean recovering,
            boolean readOnly,
            boolean durable,
            long system,
            long timeline,
            long millis) {}

    private final String name;
    private final Postgres.Connector connector;
    private final String id;
    private final boolean forgetful;
    private final PostgresTransactions transactions;
    private final ScheduledExecutorService checker = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "store-check");
        thread.setDaemon(true);
        return thread;
    });
    private final Optional<Clock> sharedClock;
    private SqlSession reading;

    private final long start;

    private PostgresStore(
            String name, Postgres.Connector connector, SqlSession session, OptionalLong earlier, boolean countsByServer)
            throws SQLException {
        super(name, new SentLog.Lines());
        this.name = name;
        this.connector = connector;
        this.id = Commits.last(session).store();
        this.forgetful = Commits.isForgetful(session);
        Server server = requireFit(session, name);
        this.start = earlier.isPresent()
                ? session.queryOne(
                                "UPDATE daemons SET ended = false, timeline = ?, beaten = " + PostgresSchema.MILLIS
                                        + " WHERE start = ? RETURNING start",
                                row -> row.getLong(1),
                                server.timeline(),
                                earlier.getAsLong())
                        .orElseThrow()
                : session.queryOne(
                                "INSERT INTO daemons (timeline, beaten) VALUES (?, " + PostgresSchema.MILLIS
                                        + ") RETURNING start",
                                row -> row.getLong(1),
                                server.timeline())
                        .orElseThrow();
        PostgresTransactions.Made seen = session.queryOne(
                        "SELECT number, random FROM commits ORDER BY number DESC LIMIT 1",
                        row -> new PostgresTransactions.Made(row.getLong(1), row.getLong(2)))
                .orElse(PostgresTransactions.NONE);
        this.transactions = new PostgresTransactions(
                this::connect, name, new Rows(), start, server.system(), server.timeline(), server.millis(), seen);
        this.sharedClock = countsByServer ? Optional.of(transactions.clock()) : Optional.empty();
        write(transactions);
    }

    /**
     * Opens the store of the daemon with the datadir {@code folder}, or creates it when the database is empty. Blocks; the caller holds the lock
     * of the datadir. A store that has lost payments is {@link #stopped}, for all daemons.
     *
     * @param books the commit that the books of the datadir remember, which the store must contain
     * @param name of the database for messages about failures, without a password
     * @throws StoreException {@code UNAVAILABLE} with what is to be done about the server or the datadir, {@code DAMAGED} when a newer release has
     *     written the store
     */
    public static PostgresStore open(
            Path folder, Optional<CommitMark> books, String name, Postgres.Connector connector) {
        return open(name, connector, OptionalLong.empty());
    }

    /**
     * Opens the store, or creates it when the database is empty. Blocks.
     *
     * @param name of the database for messages about failures, without a password
     * @param start number of this process, when it has had the store open before; a new process is given one
     * @throws StoreException {@code UNAVAILABLE} with what is to be done about the server, {@code DAMAGED} when a newer release has written it
     */
    static PostgresStore open(String name, Postgres.Connector connector, OptionalLong start) {
        return open(name, connector, start, true);
    }

    /**
     * Opens the store as {@link #open(String, Postgres.Connector, OptionalLong)} does.
     *
     * @param countsByServer whether the server's clock decides when a use of the allowance ends, not the daemon's
     */
    static PostgresStore open(String name, Postgres.Connector connector, OptionalLong start, boolean countsByServer) {
        try (SqlSession session = new SqlSession(connector.connect(), Postgres.DIALECT)) {
            requireFit(session, name);
            PostgresSchema.migrate(session, name);
            PostgresStore store = new PostgresStore(name, connector, session, start, countsByServer);
            store.startWriter();
            store.checker.scheduleWithFixedDelay(store::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
            return store;
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(name, "cannot be opened: " + e.getMessage(), e);
        }
    }

    /** Returns the number of this start of the daemon. */
    long start() {
        return start;
    }

    private Connection connect() throws SQLException {
        return connect(name, connector, SOCKET_MILLIS);
    }

    /**
     * Opens a session with the primary, for one that reads or writes tables beside the money store.
     *
     * @param name of the database for messages about failures, without a password
     * @param patience milliseconds after which a connection without an answer is closed
     * @param names replaces names of tables that the money store has as well
     * @throws StoreException {@code UNAVAILABLE}, with what is to be done about the server
     */
    public static SqlSession connect(
            String name, Postgres.Connector connector, int patience, UnaryOperator<String> names) throws SQLException {
        return new SqlSession(connect(name, connector, patience), new Postgres(names));
    }

    /** Connects to the primary server. */
    static Connection connect(String name, Postgres.Connector connector, int patience) throws SQLException {
        Connection connection = connector.connect();
        try {
            connection.setNetworkTimeout(AT_ONCE, patience);
            requireFit(new SqlSession(connection, Postgres.DIALECT), name);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static Server requireFit(SqlSession session, String name) throws SQLException {
        Server server = session.queryOne(
                        "SELECT current_setting('server_version_num')::bigint AS version, pg_is_in_recovery() AS recovering,"
                                + " current_setting('transaction_read_only') = 'on' AS read_only,"
                                + " current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'"
                                + " AND current_setting('synchronous_commit') <> 'off' AS durable, "
                                + PostgresSchema.SYSTEM + " AS system, CASE WHEN pg_is_in_recovery() THEN 0 ELSE "
                                + PostgresSchema.TIMELINE + " END AS timeline, " + PostgresSchema.MILLIS + " AS millis",
                        row -> new Server(
                                (int) row.number("version"),
                                row.truth("recovering"),
                                row.truth("read_only"),
                                row.truth("durable"),
                                row.number("system"),
                                row.number("timeline"),
                                row.number("millis")))
                .orElseThrow();
        if (server.version() < OLDEST_SERVER) {
            throw GroupCommitWriter.unavailable(name, "is on a server older than PostgreSQL 15: upgrade it", null);
        }
        if (server.recovering() || server.readOnly()) {
            throw GroupCommitWriter.unavailable(
                    name, "is read-only, a standby perhaps: name the primary, which decides about money", null);
        }
        if (!server.durable()) {
            throw GroupCommitWriter.unavailable(name, Postgres.NOT_DURABLE, null);
        }
        return server;
    }

    @Override
    SqlSession reading() throws SQLException {
        if (reading == null) {
            reading = new SqlSession(connect(), Postgres.DIALECT);
        }
        return reading;
    }

    @Override
    boolean readingWasCutOff(SQLException e) {
        if (Postgres.isCutOff(e)) {
            Postgres.close(reading);
            reading = null;
            return true;
        }
        return false;
    }

    /**
     * Checks that the newest commit that was seen still exists and that no standby was promoted, for a daemon that has nothing to write: the
     * others wait for its confirmation. Writes the daemon's heartbeat, too.
     */
    void check() {
        PostgresTransactions.Made seen = transactions.confirmed();
        CompletableFuture<Boolean> there = read(session -> {
            session.update("UPDATE daemons SET beaten = " + PostgresSchema.MILLIS + " WHERE start = ?", start);
            return session.queryOne(
                            "SELECT 1 FROM commits WHERE number = ? AND random = ?"
                                    + " AND (SELECT timeline FROM daemons WHERE start = ?) = "
                                    + PostgresSchema.TIMELINE,
                            row -> true,
                            seen.number(),
                            seen.random(),
                            start)
                    .isPresent();
        });
        there.thenAcceptAsync(
                found -> {
                    if (!found || transactions.stopped().isPresent()) {
                        lookClosely();
                    }
                },
                AT_ONCE);
    }

    /** Runs an empty transaction, whose first statements check the database under the store lock. */
    private void lookClosely() {
        write(session -> null);
    }

    @Override
    boolean mayDeny(SqlSession session, SpendRow row) throws SQLException {
        return session.queryOne(
                        "SELECT 1 FROM spends WHERE id = ? AND runner = " + PostgresSchema.RUNNER
                                + " AND NOT EXISTS (SELECT 1 FROM former_runners WHERE spend = spends.id)",
                        found -> true,
                        row.id())
                .isPresent();
    }

    @Override
    boolean isShared() {
        return true;
    }

    /** A process counts as alive by its heartbeat; adopting the spend of one that only seems dead is safe, and pays nothing twice. */
    @Override
    boolean runsElsewhere(SqlSession session, SpendRow row) throws SQLException {
        return session.queryOne(
                        "SELECT 1 FROM spends JOIN daemons ON start = runner WHERE id = ? AND start <> "
                                + PostgresSchema.RUNNER + " AND NOT ended AND beaten > " + PostgresSchema.MILLIS + " - "
                                + LAPSE_MILLIS,
                        found -> true,
                        row.id())
                .isPresent();
    }

    @Override
    void adopt(SqlSession session, SpendRow row) throws SQLException {
        session.update(
                "INSERT INTO former_runners (spend, runner) SELECT id, runner FROM spends WHERE id = ? AND runner <> "
                        + PostgresSchema.RUNNER + " ON CONFLICT DO NOTHING",
                row.id());
        session.update("UPDATE spends SET runner = " + PostgresSchema.RUNNER + " WHERE id = ?", row.id());
    }

    /** Refuses while a process that has run the spend, and may be paused, has not ended: it could still send the bytes. */
    @Override
    void requireSignedOff(SqlSession session, SpendRow row) throws SQLException {
        Optional<Long> runner = session.queryOne(
                "SELECT start FROM daemons WHERE NOT ended AND start <> " + PostgresSchema.RUNNER
                        + " AND (start = (SELECT runner FROM spends WHERE id = ?)"
                        + " OR start IN (SELECT runner FROM former_runners WHERE spend = ?)) LIMIT 1",
                found -> found.getLong(1),
                row.id(),
                row.id());
        if (runner.isPresent()) {
            throw new StoreException(
                    StoreException.Reason.BUSY,
                    "spend " + row.intent().txId() + " may still be sent by start " + runner.get()
                            + " of a daemon, which has not ended; stop that daemon first",
                    null);
        }
    }

    /**
     * Declares that a start of a daemon can never send anything again: its machine is off, or its successor holds the lock of its datadir. If it
     * wakes nevertheless, it writes nothing any more. Blocks; works also while nothing else is written because that daemon does not confirm a
     * fail-over.
     */
    void signOff(long ended) throws SQLException {
        if (ended == start) {
            throw new IllegalArgumentException("a daemon signs itself off when it ends");
        }
        try (SqlSession session = new SqlSession(connect(), Postgres.DIALECT)) {
            session.execute(PostgresTransactions.LOCK);
            session.update("UPDATE daemons SET ended = true WHERE start = ?", ended);
            session.execute("COMMIT");
        }
    }

    /** Keeps the setting as a row, which changes only while no other start of a daemon is alive. */
    @Override
    void requireAgreement(SqlSession session, String setting, String value) throws SQLException {
        Optional<String> agreed =
                session.queryOne("SELECT value FROM agreed WHERE name = ?", row -> row.getString(1), setting);
        if (agreed.isPresent() && !agreed.get().equals(value)) {
            Optional<Long> other = session.queryOne(
                    "SELECT start FROM daemons WHERE NOT ended AND start <> " + PostgresSchema.RUNNER + " LIMIT 1",
                    row -> row.getLong(1));
            if (other.isPresent()) {
                throw GroupCommitWriter.unavailable(
                        name,
                        "has other " + setting + " (" + agreed.get() + ") than this daemon (" + value
                                + "): configure all daemons alike, and stop start " + other.get() + " to change them",
                        null);
            }
        }
        session.update(
                "INSERT INTO agreed (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                setting,
                value);
    }

    @Override
    Optional<Clock> sharedClock() {
        return sharedClock;
    }

    @Override
    public Optional<String> stopped() {
        return transactions.stopped();
    }

    @Override
    public boolean isForgetful() {
        return forgetful;
    }

    @Override
    public Optional<CommitMark> confirmed() {
        PostgresTransactions.Made seen = transactions.confirmed();
        return stopped().isPresent() ? Optional.empty() : Optional.of(new CommitMark(id, seen.random(), seen.number()));
    }

    @Override
    public void close() {
        checker.shutdownNow();
        try {
            finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        transactions.end();
        Postgres.close(reading);
    }

    /** Updates the state in memory from rows that other daemons have changed. */
    private final class Rows implements PostgresTransactions.Memory {
        @Override
        public void fold(SqlSession session, Map<String, Collection<Long>> changes) throws SQLException {
            follow(
                    session,
                    changes.getOrDefault("spends", List.of()),
                    changes.getOrDefault("allowance_minutes", List.of()),
                    changes.containsKey("payouts"));
        }

        @Override
        public void readAgain(SqlSession session) throws SQLException {
            PostgresStore.this.readAgain(session);
        }
    }
}
