package org.chainwalletd.store;

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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of one of several daemons that write the same database. Each transaction takes the store lock, so that they commit one after the
 * other, and first reads what the others have committed since: the state in memory follows that before anything is checked. Reads and writes on
 * the writer's thread.
 */
final class PostgresTransactions implements GroupCommitWriter.Transactions {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresTransactions.class);

    /** Least number of commits whose changes are kept; a daemon that is further behind reads everything again. */
    static final long KEPT_COMMITS = 10_000;

    private static final long COMMITS_BETWEEN_PRUNING = 1_000;

    /** Number of messages in a transaction from which on no more units join it: all other daemons wait for its end. */
    private static final long MOST_MESSAGES = 64;

    /** Statements that begin a short transaction under the store lock which is no commit of the store. */
    static final String LOCK = "BEGIN; SET LOCAL lock_timeout = '3s'; SELECT 1 FROM store WHERE one = 1 FOR UPDATE";

    /**
     * Statements that begin a transaction, sent as one message. The commit gets its number by a statement of its own, which sees everything that
     * was committed before the lock was granted. No sequence is used: it would survive commits that a fail-over has lost.
     */
    private static final String HEAD = """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SET LOCAL lock_timeout = '3s';
            SET LOCAL idle_in_transaction_session_timeout = '1s';
            SET LOCAL statement_timeout = 0;
            SELECT version, system, pruned, stopped, %s AS now_system, %s AS now_timeline,
              current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
                AND current_setting('synchronous_commit') <> 'off' AS durable
              FROM store WHERE one = 1 FOR UPDATE;
            INSERT INTO commits (number, daemon, counter, random)
              SELECT coalesce(max(number), 0) + 1, ?, ?, ? FROM commits RETURNING number;
            SELECT set_config('walletd.commit', (SELECT max(number)::text FROM commits), true),
              set_config('walletd.runner', ?, true);
            SELECT EXISTS (SELECT 1 FROM commits WHERE number = ? AND random = ?) AS has_last,
              (SELECT count(*) FROM daemons WHERE NOT ended AND timeline < %s) AS silent,
              (SELECT ended FROM daemons WHERE start = ?) AS signed_off, %s AS millis;
            SELECT DISTINCT rows_of, id FROM changes WHERE commit > ?""".formatted(
                    PostgresSchema.SYSTEM, PostgresSchema.TIMELINE, PostgresSchema.TIMELINE, PostgresSchema.MILLIS);

    /** State in memory that is derived from rows which other daemons change too. */
    interface Memory {
        /**
         * Reloads changed rows.
         *
         * @param changes numbers of rows by the name of their table
         */
        void fold(SqlSession session, Map<String, Collection<Long>> changes) throws SQLException;

        void readAgain(SqlSession session) throws SQLException;
    }

    /**
     * A commit, as the daemon that made it remembers it.
     *
     * @param number of the commit
     * @param random number that tells it from another commit with the same number
     */
    record Made(long number, long random) {}

    static final Made NONE = new Made(0, 0);

    private record Head(
            long version,
            long system,
            long pruned,
            String stopped,
            long nowSystem,
            long nowTimeline,
            boolean durable,
            long number,
            boolean hasLast,
            long silent,
            boolean signedOff,
            Map<String, Collection<Long>> changes) {}

    private final Postgres.Connector connector;
    private final String name;
    private final Memory memory;
    private final ServerClock clock;
    private final SecureRandom random = new SecureRandom();
    private final long start;
    private final long system;
    private Connection connection;
    private SqlSession session;
    private long timeline;
    private long counter;
    /** Number of the last commit that the state in memory includes. */
    private long followed;

    private long messagesBefore;
    private boolean readAgain = true;
    private boolean committing;
    private Made next;
    private volatile Made confirmed;
    private volatile String stopped;

    /**
     * Creates the transactions of a daemon.
     *
     * @param start number of this start of the daemon
     * @param millis now by the server's clock, milliseconds since 1970
     * @param confirmed a commit that the daemon has seen
     */
    PostgresTransactions(
            Postgres.Connector connector,
            String name,
            Memory memory,
            long start,
            long system,
            long timeline,
            long millis,
            Made confirmed) {
        this.clock = new ServerClock(millis);
        this.connector = connector;
        this.name = name;
        this.memory = memory;
        this.start = start;
        this.system = system;
        this.timeline = timeline;
        this.confirmed = confirmed;
    }

    /** The server's clock as it was read under the lock last, going on from there by the time that this process has measured. */
    private static final class ServerClock extends Clock {
        /** The server's time, less the process's monotonic time. */
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

    /** Returns why nothing is written any more, as the store's row says; empty in normal operation. */
    Optional<String> stopped() {
        return Optional.ofNullable(stopped);
    }

    @Override
    public void begin() throws SQLException {
        Head head = head();
        if (head.stopped() != null) {
            stopped = head.stopped();
            throw StoreException.stopped(stopped);
        }
        if (head.version() != Schema.version()) {
            throw GroupCommitWriter.unavailable(
                    name,
                    "has version " + head.version() + " by now, this release writes version " + Schema.version(),
                    null);
        }
        if (head.signedOff()) {
            stopped =
                    "start " + start + " of a daemon was declared off while it was paused: it writes and sends nothing"
                            + " any more; start it again";
            throw StoreException.stopped(stopped);
        }
        Optional<String> lost = lost(head);
        if (lost.isPresent()) {
            stop(lost.get());
        }
        if (!head.durable()) {
            throw GroupCommitWriter.unavailable(name, Postgres.NOT_DURABLE, null);
        }
        if (head.nowTimeline() > timeline) {
            tellTimeline(head.nowTimeline());
            begin();
            return;
        }
        if (head.silent() > 0) {
            throw new StoreException(
                    StoreException.Reason.BUSY,
                    "store " + name + ": the database was promoted, and " + head.silent()
                            + " daemons have not told yet whether it has their commits",
                    null);
        }
        follow(head);
        session.forget();
        next = new Made(head.number(), next.random());
        if (head.number() % COMMITS_BETWEEN_PRUNING == 0) {
            prune(head.number() - KEPT_COMMITS);
        }
    }

    /** Fetches the lookups of all units in one message. */
    @Override
    public void foresee(Supplier<Stream<GroupCommitWriter.Work<?>>> units) throws SQLException {
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
            connection = connector.connect();
            session = new SqlSession(connection, Postgres.DIALECT);
        }
        session.forget();
        committing = false;
        next = new Made(0, random.nextLong());
        counter++;
        try (PreparedStatement statement = connection.prepareStatement(HEAD)) {
            statement.setLong(1, start);
            statement.setLong(2, counter);
            statement.setLong(3, next.random());
            statement.setString(4, Long.toString(start));
            statement.setLong(5, confirmed.number());
            statement.setLong(6, confirmed.random());
            statement.setLong(7, start);
            statement.setLong(8, followed);
            statement.execute();
            ResultSet row = answer(statement);
            if (!row.next()) {
                throw GroupCommitWriter.unavailable(name, "has lost the row of its store", null);
            }
            long version = row.getLong("version");
            long belongs = row.getLong("system");
            long pruned = row.getLong("pruned");
            String why = row.getString("stopped");
            long nowSystem = row.getLong("now_system");
            long nowTimeline = row.getLong("now_timeline");
            boolean durable = row.getBoolean("durable");
            row = answer(statement);
            row.next();
            long number = row.getLong(1);
            answer(statement);
            row = answer(statement);
            row.next();
            boolean hasLast = row.getBoolean("has_last");
            long silent = row.getLong("silent");
            boolean signedOff = row.getBoolean("signed_off");
            clock.set(row.getLong("millis"));
            Map<String, Collection<Long>> changes = new HashMap<>();
            row = answer(statement);
            while (row.next()) {
                changes.computeIfAbsent(row.getString(1), table -> new ArrayList<>())
                        .add(row.getLong(2));
            }
            return new Head(
                    version,
                    belongs,
                    pruned,
                    why,
                    nowSystem,
                    nowTimeline,
                    durable,
                    number,
                    hasLast,
                    silent,
                    signedOff,
                    changes);
        }
    }

    /** Returns the next rows in the answer to a message of several statements. */
    private static ResultSet answer(PreparedStatement statement) throws SQLException {
        while (!statement.getMoreResults()) {
            if (statement.getUpdateCount() < 0) {
                throw new SQLException("the head of a transaction was not answered");
            }
        }
        return statement.getResultSet();
    }

    /** Returns why this database cannot be the one that was written last; empty when it can. */
    private Optional<String> lost(Head head) {
        if (head.nowSystem() != system || head.nowSystem() != head.system()) {
            return Optional.of("is on another database system than the one that was written");
        }
        if (head.nowTimeline() < timeline) {
            return Optional.of("has gone back from timeline " + timeline + " to " + head.nowTimeline());
        }
        return head.hasLast() || confirmed.equals(NONE)
                ? Optional.empty()
                : Optional.of(
                        "lacks commit " + confirmed.number() + ", which start " + start + " of a daemon had seen");
    }

    /** Stops the store for every daemon: payments are lost, and their tokens would pay again. */
    private void stop(String why) throws SQLException {
        rollback();
        String reason = "the store " + name + " " + why + ": payments may be forgotten, so nothing is spent";
        session.execute(LOCK);
        session.update("UPDATE store SET stopped = ? WHERE one = 1 AND stopped IS NULL", reason);
        session.execute("COMMIT");
        LOG.error(reason);
        stopped = reason;
        throw StoreException.stopped(reason);
    }

    /**
     * Records that this daemon has found its own commits after a standby was promoted. All other running daemons have to confirm the same before
     * anything goes on.
     */
    private void tellTimeline(long now) throws SQLException {
        rollback();
        LOG.warn(
                "store {}: timeline {} follows {}: a standby was promoted, which has commit {}",
                name,
                now,
                timeline,
                confirmed.number());
        session.update("UPDATE daemons SET timeline = ? WHERE start = ?", now, start);
        timeline = now;
    }

    private void follow(Head head) throws SQLException {
        boolean all = readAgain || followed < head.pruned();
        // A partly read state must not be used.
        readAgain = true;
        if (all) {
            memory.readAgain(session);
        } else if (!head.changes().isEmpty()) {
            memory.fold(session, head.changes());
        }
        readAgain = false;
        followed = head.number() - 1;
    }

    /** Removes old commits and their changes, but keeps the newest commit of each daemon, by which it would notice that it was lost. */
    private void prune(long before) throws SQLException {
        session.update("DELETE FROM changes WHERE commit <= ?", before);
        session.update(
                "DELETE FROM commits WHERE number <= ? AND number NOT IN (SELECT max(number) FROM commits GROUP BY daemon)",
                before);
        session.update("UPDATE store SET pruned = ? WHERE one = 1 AND pruned < ?", before, before);
    }

    /**
     * Commits; never cancelled and never repeated. A warning means that a synchronous standby may lack the commit: it counts as durable once a
     * further commit is made without a warning.
     */
    @Override
    public void commit(Runnable settle) throws SQLException {
        CrashPoint.STORE_BEFORE_COMMIT.reached();
        boolean warned = commitWarns();
        followed = next.number();
        settle.run();
        CrashPoint.STORE_AFTER_COMMIT.reached();
        if (warned) {
            confirmByAnother();
        }
        confirmed = next;
    }

    private boolean commitWarns() throws SQLException {
        committing = true;
        try (Statement statement = connection.createStatement()) {
            statement.execute("COMMIT");
            committing = false;
            return statement.getWarnings() != null;
        }
    }

    private void confirmByAnother() {
        Throwable why;
        try {
            LOG.warn("store {}: commit {} may not be on a standby", name, next.number());
            begin();
            if (!commitWarns()) {
                followed = next.number();
                return;
            }
            followed = next.number();
            why = new SQLException("the server warns that no synchronous standby may have it");
        } catch (SQLException | RuntimeException e) {
            drop();
            why = e;
        }
        throw GroupCommitWriter.unknown(name, why);
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

    /** Closes the connection; nothing that it has not committed will be committed later. */
    void drop() {
        committing = false;
        Postgres.close(session);
        session = null;
        connection = null;
    }

    /** Ends this start of the daemon: others no longer wait for its confirmations. */
    void end() {
        try {
            if (session == null) {
                connection = connector.connect();
                session = new SqlSession(connection, Postgres.DIALECT);
            }
            session.update("UPDATE daemons SET ended = true WHERE start = ?", start);
        } catch (SQLException e) {
            LOG.warn("store {}: start {} cannot be ended: {}", name, start, e.getMessage());
        }
        drop();
    }
}
