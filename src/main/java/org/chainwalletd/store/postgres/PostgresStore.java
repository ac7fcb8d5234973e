package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.PayoutTable;
import org.chainwalletd.store.sql.SentLine;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SpendRow;
import org.chainwalletd.store.sql.SpendTable;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.SqlStore;
import org.chainwalletd.store.sql.StoreRestore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Money store in PostgreSQL, written by several daemons at once; {@link PostgresTransactions} serialises their transactions. Each daemon keeps
 * {@code sent.log} in its own datadir.
 */
public final class PostgresStore extends SqlStore {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresStore.class);
    static final String CANNOT_MAKE_TABLES =
            "cannot have its tables made: make the user the owner of the database, or grant it CREATE on the schema";
    private static final int OLDEST_SERVER = 150_000;
    /** Number that identifies no start of a daemon: used for a stopped store, and for runners that have signed off. */
    private static final long NO_START = 0;

    private static final int SOCKET_MILLIS = 10_000;
    /** Time within which the server answers a statement that concerns the whole history, such as counting the rows of a table. */
    static final int COMMAND_MILLIS = 600_000;

    private static final long CHECK_MILLIS = 1_000;
    /** Maximum time until changes by other daemons are known here, as long as the database answers. */
    private static final long CHANGES_MILLIS = 200;
    /** Age of a daemon's heartbeat from which on other daemons take over its spends. */
    private static final long LAPSE_MILLIS = 5_000;
    /** Time since its last change for which a spend is left to a live runner. */
    private static final long RUNNERS_MILLIS = 30_000;
    /** Time without an answer from the database after which the daemon is not ready. */
    private static final long SILENT_MILLIS = 3_000;
    /** Time for which the store lock is held after which the daemon is not ready. */
    private static final long LOCKED_MILLIS = 5_000;
    /** Executor that closes an unresponsive connection on the waiting thread. */
    private static final Executor AT_ONCE = Runnable::run;

    /** State of a server as it reports it. */
    record Server(
            int version,
            boolean recovering,
            boolean readOnly,
            boolean durable,
            long system,
            long timeline,
            long boot,
            long millis) {
        PostgresTransactions.Start start(long number, PostgresTransactions.Made seen, Optional<String> stopped) {
            return new PostgresTransactions.Start(number, system, timeline, boot, millis, seen, stopped);
        }
    }

    /** Observation that the store lock has been held since a monotonic time, with no commit after {@code newest}. */
    private record Holding(long newest, long nanos) {}

    private final String name;
    private final Postgres.Connector primary;
    private final String id;
    private final boolean forgetful;
    private final Optional<SentLog> log;
    private final PostgresTransactions transactions;
    private final ScheduledExecutorService checker = executor("store-check");
    private final ScheduledExecutorService heartbeats = executor("store-heartbeat");
    private volatile boolean closed;
    private final ScheduledExecutorService pruner = executor("sent-log-pruning");
    private final Optional<Clock> sharedClock;
    private final AtomicBoolean checking = new AtomicBoolean();
    /** Monotonic time of the last check answered by the server. */
    private volatile long answered = System.nanoTime();
    /** Monotonic time at the beginning of the last check that found this start among those that may write. */
    private volatile long confirmedAt = System.nanoTime();
    /** Monotonic time at the beginning of the last heartbeat of a start that had not ended. */
    private volatile long beatenAt = System.nanoTime();

    private volatile String lastFailure = "";
    /** Null while the store lock is observed free. */
    private volatile Holding holding;

    private SqlSession reading;
    /** Null while not connected. */
    private volatile SqlSession heartbeatSession;

    private final long start;
    /** Listeners for changes by other daemons, by table. */
    private final Map<String, List<Runnable>> listeners = new ConcurrentHashMap<>();

    private final AtomicBoolean polling = new AtomicBoolean();
    /** Highest commit number that another daemon has hinted at. */
    private final AtomicLong hinted = new AtomicLong();
    /** Number of the last followed commit when changes were last looked for; written only by the thread that has set {@code polling}. */
    private volatile long followedBefore = -1;

    private final AtomicReference<PostgresAgreed> agreed;
    /** Completes when this start must not write any more while other starts may. */
    private final CompletableFuture<Void> succeeded = new CompletableFuture<>();

    PostgresStore(
            Postgres.Connector database,
            SqlSession session,
            PostgresTransactions.Start start,
            Optional<SentLog> log,
            boolean countsByServer)
            throws SQLException {
        super(database.name());
        this.name = database.name();
        this.primary = new Primary(database, SOCKET_MILLIS);
        this.log = log;
        this.id = Commits.id(session);
        this.forgetful = Commits.isForgetful(session);
        this.start = start.number();
        this.agreed = new AtomicReference<>(PostgresAgreed.read(session));
        this.transactions = new PostgresTransactions(
                primary,
                new Rows(),
                start,
                new PostgresTransactions.Logging(id, log, lines, from -> pruner.execute(() -> prune(from))));
        this.sharedClock = countsByServer ? Optional.of(transactions.clock()) : Optional.empty();
        createWriter(transactions);
    }

    private static ScheduledExecutorService executor(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Opens the store of the daemon with the datadir {@code folder}, or creates it when the database is empty. Blocks; the caller holds the lock of
     * the datadir. A store that has lost payments is opened as {@link #stopped}, for all daemons.
     *
     * @param books the last commit recorded in the books of the datadir, which the store must contain
     * @throws StoreException {@code UNAVAILABLE} with instructions about the server or the datadir; {@code DAMAGED} when a newer release has written
     *     the store
     */
    public static PostgresStore open(
            Path folder, Optional<CommitMark> books, Postgres.Connector database, PostgresMember member) {
        return open(folder, books, database, Optional.of(member), true, SentLog.LEAST_TO_PRUNE);
    }

    /**
     * Opens the store as {@link #open(Path, Optional, Postgres.Connector, PostgresMember)} does.
     *
     * @param member empty in tests that compare no settings
     * @param countsByServer whether a use of the allowance expires by the server's clock instead of the daemon's
     * @param leastToPrune size in bytes below which the log is not pruned
     */
    static PostgresStore open(
            Path folder,
            Optional<CommitMark> books,
            Postgres.Connector database,
            Optional<PostgresMember> member,
            boolean countsByServer,
            long leastToPrune) {
        String name = database.name();
        try (SqlSession session = database.session()) {
            AtomicFiles.createFolder(folder);
            Server server = requireFit(session, name);
            PostgresSchema.migrate(session, name);
            PostgresDatadir datadir = PostgresDatadir.of(folder, books, name);
            session.execute(PostgresTransactions.LOCK);
            PostgresMoving.requireNone(session, name);
            if (member.isPresent()) {
                member.get().enter(session, name);
            }
            datadir.requireUsable(session);
            if (datadir.logName().isPresent()) {
                PostgresMember.requireAlone(session, name, datadir.logName().get(), PostgresDatadir.host(folder));
            }
            Optional<String> stopped = stopped(session);
            Optional<String> lacking = stopped.isPresent() ? Optional.empty() : datadir.lacking(session);
            if (lacking.isPresent()) {
                stopped = Optional.of(Postgres.lost(name, lacking.get()));
                session.update("UPDATE store SET stopped = ? WHERE one = 1", stopped.get());
            }
            if (stopped.isPresent()) {
                session.execute("COMMIT");
                LOG.error(stopped.get());
                return stopped(new PostgresStore(
                        database,
                        session,
                        server.start(NO_START, PostgresTransactions.NONE, stopped),
                        Optional.empty(),
                        countsByServer));
            }
            PostgresDatadir.Registered registered = datadir.register(session, server.timeline(), leastToPrune);
            return started(new PostgresStore(
                    database,
                    session,
                    server.start(registered.start(), registered.commit(), Optional.empty()),
                    Optional.of(registered.log()),
                    countsByServer));
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(name, unopened(e), e);
        } catch (IOException e) {
            throw GroupCommitWriter.unavailable(
                    name, "cannot be opened: " + SentLog.FILE_NAME + " in " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Opens a store that is being moved into the database, for reading only: as in a stopped store, nothing is written.
     *
     * @param why reason why nothing is written
     */
    static PostgresStore openReadOnly(Postgres.Connector database, String why) throws SQLException {
        try (SqlSession session = database.session()) {
            return new PostgresStore(
                    database,
                    session,
                    requireFit(session, database.name()).start(NO_START, PostgresTransactions.NONE, Optional.of(why)),
                    Optional.empty(),
                    true);
        }
    }

    static Optional<String> stopped(SqlSession session) throws SQLException {
        return session
                .query("SELECT stopped FROM store WHERE one = 1 AND stopped IS NOT NULL", row -> row.getString(1))
                .stream()
                .findFirst();
    }

    /**
     * Returns the problem that the next start would report about the store with the datadir {@code folder}; empty when it would use the store or
     * create one. Changes nothing and may be called while the daemon is running; blocks.
     *
     * @throws StoreException with the error that would prevent a start
     */
    public static Optional<String> look(
            Path folder, Optional<CommitMark> books, Postgres.Connector database, PostgresMember member) {
        String name = database.name();
        try (SqlSession session = database.session()) {
            requireFit(session, name);
            boolean made = PostgresSchema.isMade(session);
            if (made) {
                PostgresSchema.requireKnown(session, name);
                member.requireSameChain(session, name);
            } else if (!mayMakeTables(session)) {
                throw GroupCommitWriter.unavailable(name, CANNOT_MAKE_TABLES, null);
            }
            // Read this before the commits of the store, because a running daemon may commit in between.
            PostgresDatadir datadir = PostgresDatadir.of(folder, books, name);
            // A daemon that started for the first time meanwhile has made the tables before it wrote to the datadir.
            if (!made && !PostgresSchema.isMade(session)) {
                return datadir.store()
                        .map(store -> "the store " + name + " is empty although the datadir " + folder
                                + " has worked with one");
            }
            PostgresMoving.requireNone(session, name);
            datadir.requireSameStore(session);
            Optional<String> stopped = stopped(session);
            return stopped.isPresent()
                    ? stopped
                    : datadir.lacking(session).map(lacking -> Postgres.lost(name, lacking));
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(name, unopened(e), e);
        } catch (IOException e) {
            throw GroupCommitWriter.unavailable(
                    name, "cannot be compared with " + SentLog.FILE_NAME + " in " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the settings that the daemons of a database have in common; empty when it has no tables yet. Blocks.
     *
     * @throws StoreException {@code UNAVAILABLE} when the database does not answer
     */
    public static Optional<PostgresAgreed> agreed(Postgres.Connector database) {
        try (SqlSession session = database.session()) {
            return PostgresSchema.isMade(session) ? Optional.of(PostgresAgreed.read(session)) : Optional.empty();
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(database.name(), unopened(e), e);
        }
    }

    private static boolean mayMakeTables(SqlSession session) throws SQLException {
        return session.queryOne(
                        "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may", row -> row.truth("may"))
                .orElse(false);
    }

    private static String unopened(SQLException e) {
        if (Postgres.isDenied(e)) {
            return CANNOT_MAKE_TABLES + " (" + e.getMessage() + ")";
        }
        return Postgres.isCutOff(e) ? e.getMessage() : "cannot be opened: " + e.getMessage();
    }

    static PostgresStore started(PostgresStore store) {
        store.startWriter();
        store.checker.scheduleWithFixedDelay(store::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        store.checker.scheduleWithFixedDelay(store::pollChanges, CHANGES_MILLIS, CHANGES_MILLIS, TimeUnit.MILLISECONDS);
        store.heartbeats.scheduleWithFixedDelay(
                store::writeHeartbeat, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        return store;
    }

    /** Keeps the settings in common up to date, so that tokens can be changed while the store is stopped. */
    private static PostgresStore stopped(PostgresStore store) {
        Runnable look = () -> store.read(session -> {
            store.refreshAgreed(session);
            return null;
        });
        store.checker.scheduleWithFixedDelay(look, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        return store;
    }

    /** Prunes the log on a separate thread while the writer continues. */
    private void prune(long from) {
        try (SqlSession session = primary.session()) {
            log.orElseThrow().setSuccessor(StoreRestore.successor(log.get(), session, start, from));
        } catch (IOException | SQLException | RuntimeException | Error e) {
            log.orElseThrow().pruningHasFailed();
            LOG.warn("store {}: {} cannot be pruned yet: {}", name, SentLog.FILE_NAME, e.getMessage());
        }
    }

    public KeyRows keys() {
        return KeyRows.of(this, name, lines);
    }

    public PostgresLease lease() {
        return new PostgresLease(primary, start, transactions::enterTerm);
    }

    /** Returns the registry through which the daemons of the database find each other. */
    public PostgresPeers peers() {
        return new PostgresPeers(primary, start);
    }

    /** Sets the listener for the number of each further commit of this daemon; it must not block. */
    public void whenCommitted(LongConsumer listener) {
        transactions.whenCommitted(listener);
    }

    /** Accepts a hint that another daemon has made the commit with this number, and looks for its changes at once. */
    public void hint(long number) {
        hinted.accumulateAndGet(number, Math::max);
        if (number > transactions.followed()) {
            look(true);
        }
    }

    /** Returns whether the log could be written at the last commit; if not, another daemon should take over. */
    public boolean canLog() {
        return !transactions.logFails();
    }

    public long start() {
        return start;
    }

    /**
     * Opens a session with the primary, for reading or writing tables other than those of the money store.
     *
     * @param patience milliseconds after which a connection without a response is closed
     * @param names replaces names of tables that the money store has as well
     * @throws StoreException {@code UNAVAILABLE}, with instructions about the server
     */
    public static SqlSession connect(Postgres.Connector database, int patience, UnaryOperator<String> names)
            throws SQLException {
        return new SqlSession(new Primary(database, patience).connect(), new Postgres(names));
    }

    /**
     * Connections that are closed when a response takes longer than {@code patience} milliseconds, and are refused unless the server is a fit primary.
     */
    record Primary(Postgres.Connector database, int patience) implements Postgres.Connector {
        @Override
        public String name() {
            return database.name();
        }

        @Override
        public Connection connect() throws SQLException {
            Connection connection = database.connect();
            try {
                connection.setNetworkTimeout(AT_ONCE, patience);
                requireFit(new SqlSession(connection, Postgres.DIALECT), name());
                return connection;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        }
    }

    static Server requireFit(SqlSession session, String name) throws SQLException {
        Server server = session.queryOne(
                        "SELECT current_setting('server_version_num')::bigint AS version, pg_is_in_recovery() AS recovering,"
                                + " current_setting('transaction_read_only') = 'on' AS read_only,"
                                + " current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'"
                                + " AND current_setting('synchronous_commit') <> 'off' AS durable, "
                                + PostgresSchema.SYSTEM + " AS system, CASE WHEN pg_is_in_recovery() THEN 0 ELSE "
                                + PostgresSchema.TIMELINE + " END AS timeline, " + PostgresSchema.BOOT + " AS boot, "
                                + PostgresSchema.MILLIS + " AS millis",
                        row -> new Server(
                                (int) row.number("version"),
                                row.truth("recovering"),
                                row.truth("read_only"),
                                row.truth("durable"),
                                row.number("system"),
                                row.number("timeline"),
                                row.number("boot"),
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
    protected SqlSession reading() throws SQLException {
        if (reading == null) {
            reading = primary.session();
        }
        return reading;
    }

    @Override
    protected boolean readingWasCutOff(SQLException e) {
        if (Postgres.isCutOff(e)) {
            Postgres.close(reading);
            reading = null;
            return true;
        }
        return false;
    }

    /**
     * Writes the daemon's heartbeat on a separate connection: queued behind many reads it would be late, and another daemon would take over. Writes
     * no heartbeat while the log cannot be written, so that other daemons run this daemon's spends.
     */
    private void writeHeartbeat() {
        if (transactions.logFails()) {
            return;
        }
        try {
            if (heartbeatSession == null) {
                heartbeatSession = primary.session();
            }
            long asked = System.nanoTime();
            int written = heartbeatSession.update(
                    "UPDATE daemons SET beaten = " + PostgresSchema.MILLIS + " WHERE start = ? AND NOT ended", start);
            if (written == 1) {
                beatenAt = asked;
            }
        } catch (SQLException | RuntimeException e) {
            LOG.debug("store {}: no heartbeat: {}", name, e.getMessage());
            Postgres.close(heartbeatSession);
            heartbeatSession = null;
        }
    }

    /**
     * Checks that the newest commit seen still exists and that no standby was promoted, for a daemon that has nothing to write: the other daemons
     * wait for its confirmation.
     */
    void check() {
        if (!checking.compareAndSet(false, true)) {
            return;
        }
        PostgresTransactions.Made seen = transactions.confirmed();
        boolean fails = transactions.logFails();
        long asked = System.nanoTime();
        CompletableFuture<Boolean> there = read(session -> {
            observeLock(session);
            refreshAgreed(session);
            return session.has(
                    "SELECT 1 FROM commits WHERE number = ? AND random = ? AND EXISTS (SELECT 1 FROM daemons WHERE"
                            + " start = ? AND NOT ended AND NOT superseded AND timeline = "
                            + PostgresSchema.TIMELINE
                            + " AND boot = " + PostgresSchema.BOOT
                            + ") AND (SELECT stopped FROM store WHERE one = 1) IS NULL",
                    seen.number(),
                    seen.random(),
                    start);
        });
        there.whenCompleteAsync(
                (found, failure) -> {
                    checking.set(false);
                    if (failure != null) {
                        lastFailure = Causes.of(failure).getMessage();
                        return;
                    }
                    answered = System.nanoTime();
                    if (found) {
                        confirmedAt = asked;
                    }
                    if (!found || fails) {
                        checkUnderLock();
                    }
                },
                AT_ONCE);
    }

    /** Updates the in-memory state when other daemons have changed rows, for a daemon that has nothing to write. */
    private void pollChanges() {
        look(false);
    }

    /**
     * @param anyway whether to look even if this daemon is writing
     */
    private void look(boolean anyway) {
        if (!polling.compareAndSet(false, true)) {
            return;
        }
        long wanted = hinted.get();
        long followed = transactions.followed();
        // A daemon that writes follows anyway, and a commit of its own that it has not recorded yet is not a change by
        // others.
        boolean idle = anyway || followed == followedBefore;
        followedBefore = followed;
        read(session -> idle
                        && session.has("SELECT 1 FROM changes WHERE commit > ? ORDER BY commit DESC LIMIT 1", followed))
                .thenComposeAsync(
                        changed -> changed ? checkUnderLock() : CompletableFuture.<Void>completedFuture(null), AT_ONCE)
                .whenCompleteAsync(
                        (done, failure) -> {
                            polling.set(false);
                            // A hint arrived meanwhile. After a failure the next poll is soon enough.
                            if (failure == null && hinted.get() > Math.max(wanted, transactions.followed())) {
                                look(true);
                            }
                        },
                        AT_ONCE);
    }

    /** Records since when the store lock has been held by one transaction. */
    private void observeLock(SqlSession session) throws SQLException {
        long newest = session.number("SELECT coalesce(max(number), 0) FROM commits");
        boolean free = session.has("SELECT 1 FROM store WHERE one = 1 FOR UPDATE SKIP LOCKED");
        Holding before = holding;
        if (free) {
            holding = null;
        } else if (before == null || before.newest() != newest) {
            holding = new Holding(newest, System.nanoTime());
        }
    }

    @Override
    public Optional<String> complaint() {
        long now = System.nanoTime();
        long silent = TimeUnit.NANOSECONDS.toMillis(now - answered);
        Holding held = holding;
        if (stopped().isPresent()) {
            return Optional.empty();
        }
        if (silent > SILENT_MILLIS) {
            return Optional.of("the store " + name + " has not answered for " + silent / 1_000
                    + " s, so nothing is spent until it does: " + lastFailure);
        }
        long locked = held == null ? 0 : TimeUnit.NANOSECONDS.toMillis(now - held.nanos());
        return locked > LOCKED_MILLIS
                ? Optional.of("the lock of the store " + name + " has been held for " + locked / 1_000
                        + " s, so nothing is spent: end the transaction that pg_stat_activity shows on it")
                : Optional.empty();
    }

    @Override
    protected StoreException unreadable(Throwable e) {
        return e instanceof SQLException database && Postgres.isCutOff(database)
                ? Postgres.gone(name, database)
                : super.unreadable(e);
    }

    /** Runs an empty transaction, whose first statements check the database under the store lock. */
    private CompletableFuture<Void> checkUnderLock() {
        return write(session -> null);
    }

    /**
     * Queries the database only if the last successful check or the last heartbeat is too old: a daemon with a heartbeat within {@code SILENT_MILLIS}
     * cannot have been declared off yet.
     */
    @Override
    public CompletionStage<Void> maySend() {
        if (closed) {
            return CompletableFuture.failedFuture(GroupCommitWriter.unavailable(name, "is closed", null));
        }
        long now = System.nanoTime();
        if (TimeUnit.NANOSECONDS.toMillis(Math.max(now - confirmedAt, now - beatenAt)) < SILENT_MILLIS) {
            return CompletableFuture.completedFuture(null);
        }
        // Each check tries the log again, so that a send need not take the lock for that.
        return canLog()
                ? checkUnderLock()
                : CompletableFuture.failedFuture(GroupCommitWriter.unavailable(
                        name, "sends nothing while " + SentLog.FILE_NAME + " cannot be written", null));
    }

    @Override
    protected boolean mayConcludeUnsent(SqlSession session, SpendRow row) throws SQLException {
        return session.has(
                "SELECT 1 FROM spends WHERE id = ? AND runner = " + SpendTable.RUNNER
                        + " AND signed_off = 0 AND NOT EXISTS (SELECT 1 FROM former_runners WHERE spend = spends.id)",
                row.id());
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public void whenOthersChange(SharedRows rows, Runnable listener) {
        listeners
                .computeIfAbsent(rows.table(), table -> new CopyOnWriteArrayList<>())
                .add(listener);
    }

    private void notifyListeners(String table) {
        for (Runnable listener : listeners.getOrDefault(table, List.of())) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                LOG.error("store {}: a listener for changes of {} has failed", name, table, e);
            }
        }
    }

    @Override
    public void requireKeeper() {
        if (!transactions.isKeeper()) {
            throw StoreException.notKeeper();
        }
    }

    @Override
    protected Optional<SqlSession.Lookup<Boolean>> deletion(Address address) {
        return Optional.of(KeyringTable.deletion(address));
    }

    /** A process counts as alive by its heartbeat. Adopting the spend of a process that only seems dead is safe and pays nothing twice. */
    @Override
    protected boolean runsElsewhere(SqlSession session, SpendRow row) throws SQLException {
        return ages().isWithin(row.intent().changedAt(), RUNNERS_MILLIS)
                && session.has(
                        "SELECT 1 FROM spends JOIN daemons ON start = runner WHERE id = ? AND signed_off = 0 AND start <> "
                                + SpendTable.RUNNER + " AND NOT ended AND NOT superseded AND beaten > "
                                + PostgresSchema.MILLIS + " - "
                                + LAPSE_MILLIS,
                        row.id());
    }

    /**
     * Records the former runner before replacing it; for one that has signed off, {@link #NO_START}: whether it has sent the bytes is unknown by now.
     */
    @Override
    protected void adopt(SqlSession session, SpendRow row) throws SQLException {
        session.update(
                "INSERT INTO former_runners (spend, runner) SELECT id, CASE signed_off WHEN 0 THEN runner ELSE "
                        + NO_START
                        + " END FROM spends WHERE id = ? AND (runner <> " + SpendTable.RUNNER
                        + " OR signed_off <> 0) ON CONFLICT DO NOTHING",
                row.id());
        int taken = session.update(
                "UPDATE spends SET runner = " + SpendTable.RUNNER + ", signed_off = 0 WHERE id = ? AND (runner <> "
                        + SpendTable.RUNNER + " OR signed_off <> 0)",
                row.id());
        if (taken > 0) {
            lines.add(new SentLine.Spend(row.id(), row.intent(), row.held(), row.countedAt()));
            Optional<SentLine.Carried> carried = PayoutTable.carriedBy(session, row);
            carried.ifPresent(lines::add);
        }
    }

    /** Leaves the runner in the row, because its log has the bytes. Uses one statement for all spends, because each statement is planned anew. */
    @Override
    protected void signOff(SqlSession session, Set<Hash256> txIds) throws SQLException {
        byte[][] keys = txIds.stream().map(Hash256::toArray).toArray(byte[][]::new);
        session.defer(
                "WITH named AS (SELECT id FROM spends WHERE short_id = ANY (?) AND tx_id = ANY (?)),"
                        + " gone AS (DELETE FROM former_runners USING named WHERE spend = named.id AND runner = "
                        + SpendTable.RUNNER + " RETURNING spend),"
                        + " marked AS (INSERT INTO former_runners (spend, runner) SELECT spend, " + NO_START
                        + " FROM gone ON CONFLICT DO NOTHING)"
                        + " UPDATE spends SET signed_off = 1 FROM named WHERE spends.id = named.id AND signed_off = 0"
                        + " AND spends.runner = " + SpendTable.RUNNER,
                txIds.stream().map(SpendRow::shortId).toArray(Long[]::new),
                keys);
    }

    @Override
    protected void unmark(SqlSession session, SpendRow row) throws SQLException {
        session.deferForAll(
                "WITH gone AS (DELETE FROM former_runners WHERE spend = ANY (?) AND runner = " + SpendTable.RUNNER
                        + " RETURNING spend) INSERT INTO former_runners (spend, runner) SELECT spend, " + NO_START
                        + " FROM gone ON CONFLICT DO NOTHING",
                row.id());
    }

    @Override
    protected boolean wasTakenOver(SqlSession session, SpendRow row) throws SQLException {
        return session.has(
                "SELECT 1 FROM former_runners JOIN spends ON id = spend WHERE spend = ? AND former_runners.runner = "
                        + SpendTable.RUNNER + " AND spends.runner <> " + SpendTable.RUNNER,
                row.id());
    }

    @Override
    protected void requireRunnerOrKeeper(SqlSession session, SpendRow row) throws SQLException {
        boolean runs = session.has(
                "SELECT 1 FROM spends WHERE id = ? AND signed_off = 0 AND runner = " + SpendTable.RUNNER, row.id());
        if (!runs) {
            requireKeeper();
        }
    }

    /**
     * Rejects while a process that has run the spend has neither signed it off nor ended: it could still send the bytes, for example after a pause.
     */
    @Override
    protected void requireSignedOff(SqlSession session, SpendRow row) throws SQLException {
        OptionalLong runner = session.ifNumber(
                "SELECT start FROM daemons WHERE NOT ended AND start <> " + SpendTable.RUNNER
                        + " AND (start = (SELECT runner FROM spends WHERE id = ? AND signed_off = 0)"
                        + " OR start IN (SELECT runner FROM former_runners WHERE spend = ?)) LIMIT 1",
                row.id(),
                row.id());
        if (runner.isPresent()) {
            throw StoreException.busy(
                    "spend " + row.intent().txId() + " may still be sent by start " + runner.getAsLong()
                            + " of a daemon: try again when that one has answered its call; if it hangs, stop it or, when its"
                            + " machine is off for good, say"
                            + " chain-walletd --store ... cluster forget " + runner.getAsLong());
        }
    }

    /**
     * Restores a store that is stopped or has forgotten payments, from the logs of all daemons, which must all have ended; called once per log.
     * Nothing is added before the last missing log is supplied. Blocks; the caller holds the lock of the datadir.
     *
     * @param folder contains the log, usually a datadir
     * @param books the last commit recorded in the books of the datadir
     * @param without names of the logs that are lost, whose payments stay forgotten. {@code sent.log} names the log in {@code folder}
     * @return what was restored or is missing; neither when the store is not stopped and lacks nothing of the datadir
     * @throws StoreException {@code UNAVAILABLE} when the log cannot be used, or {@code without} names one although nothing is lacking
     */
    public static PostgresRestore.Step restore(
            Path folder, Optional<CommitMark> books, Set<String> without, Postgres.Connector database) {
        String name = database.name();
        try (SqlSession session = new Primary(database, COMMAND_MILLIS).session()) {
            Server server = requireFit(session, name);
            PostgresSchema.migrate(session, name);
            PostgresMoving.requireNone(session, name);
            return new PostgresRestore(session, name, server.timeline()).run(folder, books, without);
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(name, "cannot be restored: " + e.getMessage(), e);
        } catch (IOException e) {
            throw GroupCommitWriter.unavailable(
                    name, "cannot be restored: " + SentLog.FILE_NAME + " in " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Returns those of {@code txIds} that belong to no spend of the store, in their given order. Blocks. */
    public static List<Hash256> unknown(Postgres.Connector database, List<Hash256> txIds) {
        try (SqlSession session = database.session()) {
            return unknown(session, txIds);
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(database.name(), "cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    protected void requireAgreement(SqlSession session, AllowanceStore.Limits caps) throws SQLException {
        Optional<String> objection = PostgresAgreed.read(session).objectionToCaps(caps);
        if (objection.isPresent()) {
            throw GroupCommitWriter.unavailable(name, objection.get(), null);
        }
        PostgresAgreed.change(session, values -> {
            values.put(PostgresAgreed.CAPS, caps.words());
            return values;
        });
    }

    /** Returns the settings that all daemons have in common, at most about a second old. */
    public PostgresAgreed agreed() {
        return agreed.get();
    }

    /** Changes these settings as {@link PostgresCluster#agree} does. Blocks. */
    public void agree(UnaryOperator<Map<String, String>> change) {
        try (SqlSession session = primary.session()) {
            keepNewest(PostgresAgreed.agree(session, change));
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(
                    name, "cannot be told what its daemons have in common: " + e.getMessage(), e);
        }
    }

    private PostgresAgreed readAgreed(SqlSession session) throws SQLException {
        return keepNewest(PostgresAgreed.read(session));
    }

    /** Keeps the newest settings: several threads read them, and a slow one may arrive with an older version. */
    private PostgresAgreed keepNewest(PostgresAgreed found) {
        return agreed.accumulateAndGet(found, (known, read) -> read.version() < known.version() ? known : read);
    }

    /** Reloads the settings if another process has changed them; also works for a stopped store. */
    private void refreshAgreed(SqlSession session) throws SQLException {
        long version = session.number("SELECT agreement FROM store WHERE one = 1");
        if (version != agreed().version()) {
            readAgreed(session);
        }
    }

    @Override
    protected Optional<Clock> sharedClock() {
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
        // Other daemons may run this daemon's spends as soon as its start has ended.
        closed = true;
        checker.shutdownNow();
        heartbeats.shutdownNow();
        pruner.shutdown();
        try {
            finish();
            if (!pruner.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("store {}: the pruning of its log did not finish in time", name);
            }
            if (log.isPresent()) {
                log.get().close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("store {}: {}", name, e.getMessage());
        }
        transactions.end();
        Postgres.close(reading);
        Postgres.close(heartbeatSession);
    }

    /** Completes also when another start has replaced this one: the process is useless then until it is restarted. */
    @Override
    public CompletionStage<Void> died() {
        return super.died().applyToEitherAsync(succeeded, nothing -> nothing, AT_ONCE);
    }

    /** Updates the in-memory state from rows that other daemons have changed. */
    private final class Rows implements PostgresTransactions.Memory {
        @Override
        public void applyChanges(SqlSession session, Map<String, Collection<Long>> changes) throws SQLException {
            follow(
                    session,
                    changes.getOrDefault("spends", List.of()),
                    changes.getOrDefault("allowance_minutes", List.of()),
                    changes.containsKey("payouts"),
                    changes.containsKey("sweeps"));
            changes.keySet().forEach(PostgresStore.this::notifyListeners);
        }

        @Override
        public void reloadAll(SqlSession session) throws SQLException {
            PostgresStore.this.reloadAll(session);
            listeners.keySet().forEach(PostgresStore.this::notifyListeners);
        }

        @Override
        public void succeeded() {
            succeeded.complete(null);
        }

        @Override
        public void agree(SqlSession session) throws SQLException {
            // Read under the store lock, these are the newest, also if the server has lost a later version.
            PostgresAgreed newest = PostgresAgreed.read(session);
            agreed.set(newest);
            Optional<String> caps = newest.value(PostgresAgreed.CAPS);
            if (caps.isPresent()) {
                PostgresStore.this.agree(
                        session,
                        AllowanceStore.Limits.parse(caps.get())
                                .orElseThrow(() -> GroupCommitWriter.unavailable(
                                        name,
                                        "has caps that this release cannot read (" + caps.get()
                                                + "): install the newer one",
                                        null)));
            }
        }
    }
}
