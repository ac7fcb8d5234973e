package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SentLine;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of one of several daemons that write the same database. Each transaction takes the store lock, so that transactions commit one after
 * the other, and first applies to the in-memory state what other daemons have committed since, before anything is checked. Used on the writer thread.
 */
final class PostgresTransactions implements GroupCommitWriter.Transactions {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresTransactions.class);

    /** Minimum number of commits whose changes are kept; a daemon that is further behind reloads everything. */
    static final long KEPT_COMMITS = 10_000;

    /**
     * Maximum number of spends changed by other daemons that are reloaded singly. Above it everything is reloaded, which reads only open spends:
     * the other daemons wait meanwhile.
     */
    static final int MOST_CHANGED = 10_000;

    private static final long COMMITS_BETWEEN_PRUNING = 1_000;

    /** Number of messages in a transaction after which no further units join it, because all other daemons wait for its end. */
    private static final long MOST_MESSAGES = 64;

    /** Bound on consecutive commits with unknown outcome, more than any disk or network failure causes. */
    private static final int MOST_UNCERTAIN = 1_000;

    /** Makes the server end a transaction whose process hangs or is cut off, and so release the lock that all daemons wait for. */
    static final String IDLE_TIMEOUT = "SET LOCAL idle_in_transaction_session_timeout = '15s'";

    /** Statements that begin a short transaction under the store lock that is not counted as a commit of the store. */
    static final String LOCK =
            "BEGIN; SET LOCAL lock_timeout = '3s'; " + IDLE_TIMEOUT + "; SELECT 1 FROM store WHERE one = 1 FOR UPDATE";

    /** Disables the timeouts for a command that reads local files within the transaction; no daemon runs meanwhile. */
    static final String NO_TIMEOUTS =
            "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0";

    /**
     * Statements that begin a transaction, sent as one message. The first SELECT may wait for the lock, and its snapshot of other tables dates from
     * before that wait; therefore later statements read them and assign the commit number. No sequence is used: its value would survive commits that
     * a failover has lost.
     */
    private static final String HEAD = """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SET LOCAL lock_timeout = '3s';
            SET LOCAL idle_in_transaction_session_timeout = '1s';
            SET LOCAL statement_timeout = 0;
            SET LOCAL enable_seqscan = off;
            SELECT version, least, system, pruned, stopped, agreement, %s AS now_system, %s AS now_timeline, %s AS now_boot,
              current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
                AND current_setting('synchronous_commit') <> 'off' AS durable
              FROM store WHERE one = 1 FOR UPDATE;
            INSERT INTO commits (number, daemon, counter, random)
              SELECT coalesce(max(number), 0) + 1, ?,
                coalesce((SELECT counter FROM commits WHERE daemon = ? ORDER BY number DESC LIMIT 1), 0) + 1, ?
              FROM commits RETURNING number, counter;
            SELECT set_config('walletd.commit', (SELECT max(number)::text FROM commits), true),
              set_config('walletd.runner', ?, true);
            SELECT (SELECT max(number) FROM commits WHERE random = ANY(?)) AS last,
              (SELECT count(*) FROM daemons WHERE NOT ended AND NOT superseded AND (timeline < %s OR boot <> %s)) AS silent,
              (SELECT CASE WHEN superseded THEN 'superseded' WHEN ended THEN 'ended' END FROM daemons WHERE start = ?)
                AS standing,
              %s AS millis, keeper.start AS keeper, keeper.epoch AS epoch
              FROM keeper WHERE keeper.one = 1;
            SELECT DISTINCT rows_of, id FROM changes WHERE commit > ?;
            SELECT log, max(counter) AS counter FROM commits JOIN daemons ON start = daemon JOIN logs ON name = log
              WHERE number > ? AND start <> ? GROUP BY log ORDER BY log""".formatted(
                    PostgresSchema.SYSTEM,
                    PostgresSchema.TIMELINE,
                    PostgresSchema.BOOT,
                    PostgresSchema.TIMELINE,
                    PostgresSchema.BOOT,
                    PostgresSchema.MILLIS);

    /** In-memory state derived from rows that other daemons change too. */
    interface Memory {
        /**
         * Reloads changed rows.
         *
         * @param changes numbers of rows by the name of their table
         */
        void applyChanges(SqlSession session, Map<String, Collection<Long>> changes) throws SQLException;

        void reloadAll(SqlSession session) throws SQLException;

        /** Called when this start of the daemon must not write any more. */
        void succeeded();

        /** Reloads the settings that all daemons have in common. */
        void agree(SqlSession session) throws SQLException;
    }

    /**
     * Commit as remembered by the daemon that made it.
     *
     * @param number of the commit
     * @param random number that distinguishes it from another commit with the same number
     */
    record Made(long number, long random) {}

    static final Made NONE = new Made(0, 0);

    private static final long NO_TERM = -1;

    /** The database server that answers, which may differ from the one that the store was written in before. */
    private record Server(long system, long timeline, long boot, boolean durable) {}

    /** Row of the store, which is also its lock. */
    private record StoreRow(long version, long least, long system, long pruned, String stopped, long agreement) {
        /** Returns whether daemons of this release work with the store, see {@link PostgresSchema#requireKnown}. */
        boolean isKnown() {
            return version >= Schema.version() && version <= Schema.version() + 1 && least <= Schema.version();
        }
    }

    /**
     * Row of the lease on background work, see {@link PostgresLease}.
     *
     * @param start of the daemon that took it last; {@link PostgresSchema#NO_HOLDER} if none has yet
     * @param epoch number of times that it was taken
     */
    private record KeeperRow(long start, long epoch) {}

    /**
     * Response to {@link #HEAD}.
     *
     * @param counter number of the new commit in this daemon's log
     * @param last number under which the database has the newest of the commits that this daemon has {@link #seen}
     * @param silent number of daemons that have not confirmed a failover
     * @param standing empty while this start of the daemon may write
     * @param peers logs that have commits of other starts which this daemon's log does not name yet, each with its newest commit
     */
    private record Head(
            StoreRow store,
            Server now,
            long number,
            long counter,
            OptionalLong last,
            long silent,
            Optional<String> standing,
            KeeperRow keeper,
            Map<String, Collection<Long>> changes,
            List<SentLine.Peer> peers) {}

    private final Postgres.Connector database;
    private final String name;
    private final Memory memory;
    private final ServerClock clock;
    private final SecureRandom random = new SecureRandom();
    private final long start;
    private final long system;
    private final Logging logging;
    private Connection connection;
    private SqlSession session;
    private long timeline;
    /** Start time of the server that has this daemon's commits, see {@link PostgresSchema#BOOT}. */
    private long boot;
    /** Number, within this daemon's log, of the commit being prepared. */
    private long counter;

    private volatile boolean logFails;
    /** Number of the last commit that the in-memory state includes; written only by the writer thread. */
    private volatile long followed;
    /** Number of the last commit up to which this daemon's log names the commits of others; raised only by a commit that was made. */
    private long named;

    /** Lease as read by the transaction being prepared. */
    private KeeperRow keeper = new KeeperRow(PostgresSchema.NO_HOLDER, 0);
    /** Epoch in which this daemon last took the lease. */
    private volatile long term = NO_TERM;
    /** Term in which the unit of work being applied was queued. */
    private long queuedTerm = NO_TERM;

    private long messagesBefore;
    /** Version of the settings in common that the in-memory state includes, see {@link PostgresAgreed}. */
    private long agreement = -1;

    private boolean stale = true;
    private boolean committing;
    private Made next;
    private volatile Made confirmed;
    /** Commits since {@link #confirmed} with unknown outcome: if one of them was made, the database may have pruned the confirmed one. */
    private final List<Made> uncertain = new ArrayList<>();

    private volatile LongConsumer committed = number -> {};
    private volatile String stopped;

    /**
     * Start of a daemon.
     *
     * @param number of this start among those of all daemons
     * @param millis time of the server's clock, milliseconds since 1970
     * @param confirmed a commit that the daemon has seen
     * @param stopped reason why nothing is written, not even by this start; empty in normal operation
     */
    record Start(
            long number,
            long system,
            long timeline,
            long boot,
            long millis,
            Made confirmed,
            Optional<String> stopped) {}

    /**
     * Log of a daemon.
     *
     * @param store id of the store
     * @param log empty while the store is stopped, and in tests
     * @param pruner see {@link SentLog#prune}
     */
    record Logging(String store, Optional<SentLog> log, SentLog.Lines lines, LongConsumer pruner) {}

    PostgresTransactions(Postgres.Connector database, Memory memory, Start start, Logging logging) {
        this.clock = new ServerClock(start.millis());
        this.database = database;
        this.name = database.name();
        this.memory = memory;
        this.start = start.number();
        this.system = start.system();
        this.timeline = start.timeline();
        this.boot = start.boot();
        this.confirmed = start.confirmed();
        this.stopped = start.stopped().orElse(null);
        this.logging = logging;
    }

    /** The server's clock as last read under the lock, advanced by this process's monotonic clock. */
    private static final class ServerClock extends Clock {
        /** Server time minus this process's monotonic time. */
        private volatile long difference;

        ServerClock(long millis) {
            set(millis);
        }

        void set(long millis) {
            difference = millis - monotonic();
        }

        private static long monotonic() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        @Override
        public long millis() {
            return difference + monotonic();
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    Clock clock() {
        return clock;
    }

    @Override
    public SqlSession session() {
        return session;
    }

    Made confirmed() {
        return confirmed;
    }

    /** Sets the listener for the number of each further commit; called on the thread that made the commit. */
    void whenCommitted(LongConsumer listener) {
        committed = listener;
    }

    /** Returns the number of the last commit that the in-memory state includes. */
    long followed() {
        return followed;
    }

    /**
     * Returns whether this daemon does the background work according to the transaction being prepared, and has done so without interruption since
     * the unit of work was queued: a decision made in an earlier term may be wrong by now.
     */
    boolean isKeeper() {
        return keeper.start() == PostgresSchema.NO_HOLDER || keeper.start() == start && keeper.epoch() == queuedTerm;
    }

    /** Records that this daemon has taken the lease; units of work queued from now on belong to that term. */
    void enterTerm(long epoch) {
        term = epoch;
    }

    @Override
    public <T> GroupCommitWriter.Work<T> queued(GroupCommitWriter.Work<T> work) {
        long now = term;
        return GroupCommitWriter.Work.of(work::lookups, writing -> {
            queuedTerm = now;
            return work.apply(writing);
        });
    }

    /** Returns the reason, from the store's row, why nothing is written any more; empty in normal operation. */
    Optional<String> stopped() {
        return Optional.ofNullable(stopped);
    }

    /** Returns whether the log could not be written at the last commit; other daemons should then run this daemon's spends. */
    boolean logFails() {
        return logFails;
    }

    @Override
    public void begin() throws SQLException {
        logging.log().ifPresent(log -> log.prune(logging.pruner()));
        logging.lines().undoTo(0);
        Head head = head();
        if (head.store().stopped() != null) {
            stopped = head.store().stopped();
            throw StoreException.stopped(stopped);
        }
        if (!head.store().isKnown()) {
            throw GroupCommitWriter.unavailable(
                    name,
                    "has version " + head.store().version() + " by now, this release writes version "
                            + Schema.version(),
                    null);
        }
        refuseEnded(head);
        Optional<String> lost = lost(head);
        if (lost.isPresent()) {
            stop(lost.get());
        }
        if (!head.now().durable()) {
            throw GroupCommitWriter.unavailable(name, Postgres.NOT_DURABLE, null);
        }
        if (head.now().timeline() > timeline || head.now().boot() != boot) {
            confirmServer(head.now());
            begin();
            return;
        }
        if (head.silent() > 0) {
            throw StoreException.busy("store " + name + ": the database was promoted or restarted, and " + head.silent()
                    + " daemons have not confirmed yet that it has their commits");
        }
        keeper = head.keeper();
        follow(head);
        session.forget();
        next = new Made(head.number(), next.random());
        counter = head.counter();
        head.peers().forEach(logging.lines()::add);
        if (head.number() % COMMITS_BETWEEN_PRUNING == 0) {
            prune(head.number() - KEPT_COMMITS);
        }
    }

    /** Passes the numbers of a commit and of a start to the triggers, for a transaction that does not belong to a running daemon. */
    static void writeAs(SqlSession session, long commit, long start) throws SQLException {
        session.query(
                "SELECT set_config('walletd.commit', ?, true), set_config('walletd.runner', ?, true)",
                row -> true,
                Long.toString(commit),
                Long.toString(start));
    }

    /** Rejects the transaction when this start of the daemon must not write any more; other daemons are not affected. */
    private void refuseEnded(Head head) {
        boolean moved = head.last().isPresent()
                && seen().noneMatch(made -> made.number() == head.last().getAsLong());
        if (head.standing().isEmpty() && !moved) {
            return;
        }
        stopped = "start " + start + " of a daemon writes and sends nothing any more: "
                + (head.standing().filter("ended"::equals).isPresent()
                        ? "it was declared off while it was paused"
                        : "another process has opened the store " + name + " with the same " + SentLog.FILE_NAME
                                + ", or the store was restored meanwhile")
                + ". It ends; start it again, with one process for each datadir";
        LOG.error(stopped);
        memory.succeeded();
        throw StoreException.stopped(stopped);
    }

    /** Fetches the lookups of all units in one message. */
    @Override
    public void prefetch(Supplier<Stream<GroupCommitWriter.Work<?>>> units) throws SQLException {
        messagesBefore = session.messages();
        List<SqlSession.Lookup<?>> lookups = new ArrayList<>();
        units.get().forEach(unit -> lookups.addAll(unit.lookups()));
        session.fetch(lookups);
    }

    @Override
    public boolean mayGrow(long applying, long committing) {
        return session.messages() - messagesBefore < MOST_MESSAGES;
    }

    private Head head() throws SQLException {
        if (session == null) {
            connection = database.connect();
            session = new SqlSession(connection, Postgres.DIALECT);
        }
        session.forget();
        committing = false;
        next = new Made(0, random.nextLong());
        try (PreparedStatement statement = connection.prepareStatement(HEAD)) {
            statement.setLong(1, start);
            statement.setLong(2, start);
            statement.setLong(3, next.random());
            statement.setString(4, Long.toString(start));
            statement.setArray(
                    5,
                    connection.createArrayOf("bigint", seen().map(Made::random).toArray()));
            statement.setLong(6, start);
            statement.setLong(7, followed);
            statement.setLong(8, named);
            statement.setLong(9, start);
            statement.execute();
            ResultSet row = nextResult(statement);
            if (!row.next()) {
                throw GroupCommitWriter.unavailable(name, "has lost the row of its store", null);
            }
            StoreRow store = new StoreRow(
                    row.getLong("version"),
                    row.getLong("least"),
                    row.getLong("system"),
                    row.getLong("pruned"),
                    row.getString("stopped"),
                    row.getLong("agreement"));
            Server now = new Server(
                    row.getLong("now_system"),
                    row.getLong("now_timeline"),
                    row.getLong("now_boot"),
                    row.getBoolean("durable"));
            row = nextResult(statement);
            row.next();
            long number = row.getLong(1);
            long next = row.getLong(2);
            nextResult(statement);
            row = nextResult(statement);
            row.next();
            OptionalLong last = new Row(row).ifNumber("last");
            long silent = row.getLong("silent");
            Optional<String> standing = Optional.ofNullable(row.getString("standing"));
            KeeperRow keeper = new KeeperRow(row.getLong("keeper"), row.getLong("epoch"));
            clock.set(row.getLong("millis"));
            Map<String, Collection<Long>> changes = new HashMap<>();
            row = nextResult(statement);
            while (row.next()) {
                changes.computeIfAbsent(row.getString(1), table -> new ArrayList<>())
                        .add(row.getLong(2));
            }
            List<SentLine.Peer> peers = new ArrayList<>();
            row = nextResult(statement);
            while (row.next()) {
                peers.add(new SentLine.Peer(row.getString("log"), row.getLong("counter")));
            }
            return new Head(store, now, number, next, last, silent, standing, keeper, changes, peers);
        }
    }

    /** Returns the next result set in the response to a message of several statements. */
    private static ResultSet nextResult(PreparedStatement statement) throws SQLException {
        while (!statement.getMoreResults()) {
            if (statement.getUpdateCount() < 0) {
                throw new SQLException("no response to the first statements of a transaction");
            }
        }
        return statement.getResultSet();
    }

    /** Returns why this database cannot be the one that was written last; empty when it can. */
    private Optional<String> lost(Head head) {
        if (head.now().system() != system || head.now().system() != head.store().system()) {
            return Optional.of("is on another database system than the one that was written");
        }
        if (head.now().timeline() < timeline) {
            return Optional.of("has gone back from timeline " + timeline + " to "
                    + head.now().timeline());
        }
        return head.last().isPresent() || confirmed.equals(NONE)
                ? Optional.empty()
                : Optional.of(
                        "lacks commit " + confirmed.number() + ", which start " + start + " of a daemon had seen");
    }

    /** Stops the store for every daemon, because payments are lost and their tokens would pay again. */
    private void stop(String why) throws SQLException {
        rollback();
        String reason = Postgres.lost(name, why);
        session.execute(LOCK);
        session.update("UPDATE store SET stopped = ? WHERE one = 1 AND stopped IS NULL", reason);
        session.execute("COMMIT");
        LOG.error(reason);
        stopped = reason;
        throw StoreException.stopped(reason);
    }

    /**
     * Records that this daemon has found its own commits after a standby was promoted, or the server was restarted, perhaps with an older copy of its
     * data. All other running daemons must confirm the same before anything is written.
     */
    private void confirmServer(Server now) throws SQLException {
        rollback();
        LOG.warn(
                "store {}: the server was {}; it has commit {}",
                name,
                now.timeline() > timeline ? "promoted to timeline " + now.timeline() : "restarted",
                confirmed.number());
        session.update("UPDATE daemons SET timeline = ?, boot = ? WHERE start = ?", now.timeline(), now.boot(), start);
        timeline = now.timeline();
        boot = now.boot();
        // The server may lack a commit whose outcome is unknown, of this daemon or of another, and assign its number
        // again; and it may lack settings, and assign their version again.
        stale = true;
        named = 0;
        agreement = -1;
    }

    private void follow(Head head) throws SQLException {
        int changed = head.changes().getOrDefault("spends", List.of()).size();
        boolean all = stale || followed < head.store().pruned() || changed > MOST_CHANGED;
        // A partly loaded state must not be used; the next transaction reloads everything if this fails.
        stale = true;
        if (all) {
            memory.reloadAll(session);
        } else if (!head.changes().isEmpty()) {
            memory.applyChanges(session, head.changes());
        }
        if (head.store().agreement() != agreement) {
            memory.agree(session);
        }
        agreement = head.store().agreement();
        stale = false;
        followed = head.number() - 1;
    }

    /** Removes old commits and their changes, but keeps the newest commit of each daemon, by which that daemon would notice a loss. */
    private void prune(long before) throws SQLException {
        session.update("DELETE FROM changes WHERE commit <= ?", before);
        session.update(
                "DELETE FROM commits WHERE number <= ? AND number NOT IN (SELECT max(number) FROM commits GROUP BY daemon)",
                before);
        session.update("UPDATE store SET pruned = ? WHERE one = 1 AND pruned < ?", before, before);
    }

    /**
     * Commits; never cancelled and never repeated. A warning means that a synchronous standby may lack the commit: the commit then counts as durable
     * only once a further commit succeeds without a warning. Commits nothing that the log has not accepted, and returns when both have it.
     */
    @Override
    public void commit(Runnable settle) throws SQLException {
        announce();
        CrashPoint.STORE_BEFORE_COMMIT.reached();
        boolean warned = commitWarns();
        followed = next.number();
        named = next.number();
        settle.run();
        CrashPoint.STORE_AFTER_COMMIT.reached();
        recordMade();
        if (warned) {
            confirmByAnother();
        }
        confirmed = next;
        uncertain.clear();
        committed.accept(next.number());
    }

    private void announce() throws SQLException {
        if (logging.log().isEmpty()) {
            return;
        }
        try {
            logging.log()
                    .get()
                    .announce(new CommitMark(logging.store(), next.random(), counter), next.number(), logging.lines());
        } catch (IOException e) {
            logFails = true;
            throw new SQLException(SentLog.FILE_NAME + " cannot be written: " + e.getMessage(), e);
        }
    }

    private void recordMade() {
        if (logging.log().isEmpty()) {
            return;
        }
        try {
            logging.log().get().made();
            logFails = false;
        } catch (SentLog.UnloggedException e) {
            logFails = true;
            throw e;
        }
    }

    /** Returns the last confirmed commit and the later ones with unknown outcome. A database that was not set back contains at least one of them. */
    private Stream<Made> seen() {
        return Stream.concat(Stream.of(confirmed), uncertain.stream());
    }

    private boolean commitWarns() throws SQLException {
        committing = true;
        if (uncertain.size() == MOST_UNCERTAIN) {
            uncertain.remove(0);
        }
        uncertain.add(next);
        try (Statement statement = connection.createStatement()) {
            statement.execute("COMMIT");
            committing = false;
            return statement.getWarnings() != null;
        }
    }

    private void confirmByAnother() {
        Throwable why;
        try {
            Made made = next;
            LOG.warn("store {}: commit {} may not be on a standby", name, made.number());
            begin();
            requireStillThere(made);
            announce();
            boolean warned = commitWarns();
            followed = next.number();
            named = next.number();
            recordMade();
            if (!warned) {
                return;
            }
            why = new SQLException("the server warns that no synchronous standby may have it");
        } catch (SQLException | RuntimeException e) {
            drop();
            why = e;
        }
        throw GroupCommitWriter.unknown(name, why);
    }

    /** Rejects a further commit on a server that lacks the commit to be confirmed: a promoted standby may have answered. */
    private void requireStillThere(Made made) throws SQLException {
        if (!session.has("SELECT 1 FROM commits WHERE number = ? AND random = ?", made.number(), made.random())) {
            throw new SQLException("the server that answers now does not have it");
        }
    }

    @Override
    public void rollback() {
        committing = false;
        if (session == null) {
            return;
        }
        try {
            session.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            drop();
        }
    }

    @Override
    public boolean isCutOff(SQLException e) {
        boolean certain = Postgres.isCutOff(e) && (!committing || Postgres.isPause(e));
        if (certain) {
            drop();
        }
        return certain;
    }

    @Override
    public StoreException failure(Exception e) {
        boolean doubtful = committing && !(e instanceof SQLException database && Postgres.isPause(database));
        if (doubtful || Postgres.isCutOff(e)) {
            drop();
        } else {
            rollback();
        }
        if (doubtful) {
            return GroupCommitWriter.unknown(name, e);
        }
        if (Postgres.isCutOff(e)) {
            return Postgres.gone(name, e);
        }
        if (e instanceof SentLog.UnloggedException) {
            return GroupCommitWriter.unknown(name, e);
        }
        if (e instanceof StoreException known) {
            return known;
        }
        return Postgres.isLockTimeout(e)
                ? new StoreException(
                        StoreException.Reason.BUSY,
                        "store " + name + ": another daemon holds its lock for too long; try again",
                        e)
                : GroupCommitWriter.unavailable(name, "cannot be written: " + e.getMessage(), e);
    }

    /** Closes the connection; nothing that it has left uncommitted will be committed later. */
    void drop() {
        committing = false;
        Postgres.close(session);
        session = null;
        connection = null;
    }

    /** Ends this start of the daemon, so that other daemons no longer wait for its confirmations. */
    void end() {
        try {
            if (session == null) {
                connection = database.connect();
                session = new SqlSession(connection, Postgres.DIALECT);
            }
            session.update("UPDATE daemons SET ended = true WHERE start = ?", start);
        } catch (SQLException e) {
            LOG.warn("store {}: start {} cannot be ended: {}", name, start, e.getMessage());
        }
        drop();
    }
}
