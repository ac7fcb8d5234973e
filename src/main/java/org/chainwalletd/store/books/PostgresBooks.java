package org.chainwalletd.store.books;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BookSchema.StoreSeen;
import org.chainwalletd.store.postgres.Postgres;
import org.chainwalletd.store.postgres.PostgresStore;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SqlSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The books of several daemons in PostgreSQL, in the same database as the money store but in separate transactions. Each writing transaction locks
 * the row of {@code books}, then adds its number to {@code book_commits}; so transactions commit one after the other, and each daemon notices when
 * another one has written. A transaction that needs both locks takes this one before that of the money store.
 */
final class PostgresBooks implements BooksEngine {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresBooks.class);

    /** Advisory lock that admits one migration at a time ("WDBK"). */
    private static final long MIGRATION_LOCK = 0x5744424bL;
    /** Time in milliseconds after which a connection that does not answer is closed. */
    private static final int TIMEOUT_MILLIS = 10_000;

    /** The same for statements that may take long: undoing or joining a long rescan is a single statement, and so is copying the rows of a file. */
    private static final int WRITE_TIMEOUT_MILLIS = 60_000;

    /** The same for counting the rows of a table. */
    private static final int MOVE_TIMEOUT_MILLIS = 600_000;

    /** Time in milliseconds after which polling for new commits counts as failed; it reads a single row. */
    private static final int POLL_TIMEOUT_MILLIS = 5_000;

    private static final long KEPT_COMMITS = 10_000;
    private static final long COMMITS_BETWEEN_PRUNING = 1_000;
    private static final long NO_RUN = -1;

    /** Table that is renamed, because the money store has a table with the same name. */
    private static final Pattern RESCANS = Pattern.compile("\\bscans\\b");

    private static final List<String> TABLES = List.of(
            """
            CREATE TABLE books (
              one BIGINT PRIMARY KEY CHECK (one = 1),
              run BIGINT NOT NULL DEFAULT 0,
              pruned BIGINT NOT NULL DEFAULT 0,
              stopped TEXT)""",
            "INSERT INTO books (one) VALUES (1)",
            "CREATE TABLE book_commits (number BIGINT PRIMARY KEY, random BIGINT NOT NULL)");

    private static final String LOCK = """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SET LOCAL lock_timeout = '3s';
            SET LOCAL idle_in_transaction_session_timeout = '5s';
            SET LOCAL statement_timeout = 0;
            SELECT 1 FROM books WHERE one = 1 FOR UPDATE""";

    private static final String HEAD =
            "SELECT run, pruned, %s AS stopped, (SELECT MAX(number) FROM book_commits) AS last,"
                    + " (SELECT random FROM book_commits WHERE number = ?) AS random FROM books WHERE one = 1";

    private static final String STOPPED = "COALESCE((SELECT s.stopped FROM store s WHERE s.one = 1), books.stopped)";

    /**
     * A commit made by this daemon.
     *
     * @param random distinguishes it from another commit with the same number
     */
    private record OwnCommit(long number, long random) {}

    private record Head(long run, long pruned, Optional<String> stopped, long last, Optional<Long> random) {}

    private final String name;
    private final Postgres.Connector database;
    /** Number of this daemon's start; empty when no lease decides which daemon may begin a run. */
    private final OptionalLong start;

    private final SecureRandom random = new SecureRandom();
    /** Whether the money store is in the same database: when it is stopped, so are the books. */
    private boolean besideStore;

    private SqlSession writing;
    private SqlSession reading;
    /** Last commit of this daemon; nothing is cached before it exists. */
    private Optional<OwnCommit> made = Optional.empty();

    private OwnCommit next = new OwnCommit(0, 0);
    private boolean othersWrote;
    private boolean committing;
    /** Number of the current run, read from the row of {@code books}. */
    private long current;

    private long begun = NO_RUN;
    private volatile long run = NO_RUN;

    private PostgresBooks(Postgres.Connector database, OptionalLong start) {
        this.name = database.name();
        this.database = database;
        this.start = start;
    }

    /**
     * Opens the books, or creates them if they do not exist, and upgrades their tables.
     *
     * @param start number of this daemon's start, which begins a run only while it holds the lease on background work; empty if there is no lease
     * @param move file whose content new books are created with
     */
    static PostgresBooks open(
            Postgres.Connector database,
            List<? extends BookTable<?, ?>> tables,
            OptionalLong start,
            Optional<BooksMove> move) {
        PostgresBooks books = new PostgresBooks(database, start);
        move.ifPresent(file -> file.prepare(tables));
        try (SqlSession session = books.connect()) {
            session.networkTimeout(WRITE_TIMEOUT_MILLIS);
            session.execute("BEGIN");
            Schema.lockUpgrades(session, "the books " + database.name(), MIGRATION_LOCK);
            boolean fresh = BookSchema.migrateServer(
                    session, database.name(), tables, TABLES, statement -> Postgres.definition(renamed(statement)));
            if (fresh && move.isPresent()) {
                move.get().run(session, PostgresBooks::renamed);
            }
            books.besideStore = Schema.isOnServer(session, "daemons");
            // Safe: the log numbers of the next run are above any that were ever assigned, whatever was lost.
            session.update("UPDATE books SET stopped = NULL WHERE stopped IS NOT NULL");
            session.execute("COMMIT");
        } catch (SQLException e) {
            throw books.openFailure("cannot be opened", e);
        }
        move.ifPresent(BooksMove::deleteFile);
        return books;
    }

    /** See {@link Books#remembered(Postgres.Connector)}. */
    static Optional<CommitMark> remembered(Postgres.Connector database) {
        return query(database, "store_seen", StoreSeen::newest).flatMap(mark -> mark);
    }

    /** See {@link Books#requireMovable}. */
    static boolean requireMovable(Postgres.Connector database, List<? extends BookTable<?, ?>> tables) {
        return query(database, "books", session -> {
                    if (!BookSchema.isNewest(session, tables)) {
                        throw StoreException.unavailable(
                                "the books " + database.name()
                                        + " are of another release than this: start and stop the daemon of this one on them"
                                        + " once",
                                null);
                    }
                    Optional<String> stopped = session.queryOne(
                            "SELECT stopped FROM books WHERE one = 1 AND stopped IS NOT NULL", row -> row.getString(1));
                    if (stopped.isPresent()) {
                        throw StoreException.stopped(stopped.get() + ": start and stop the daemon on it once");
                    }
                    return true;
                })
                .orElse(false);
    }

    /** See {@link Books#moveBack}. */
    static OptionalLong moveBack(
            Postgres.Connector database, Path folder, List<? extends BookTable<?, ?>> tables, CommitMark mark) {
        return query(database, "books", session -> {
                    session.networkTimeout(MOVE_TIMEOUT_MILLIS);
                    session.beginReading();
                    long rows = BooksMove.back(session, PostgresBooks::renamed, folder, tables, mark);
                    session.execute("COMMIT");
                    return OptionalLong.of(rows);
                })
                .orElse(OptionalLong.empty());
    }

    /** See {@link Books#spenders(Postgres.Connector, long)}. */
    static List<Hash256> spenders(Postgres.Connector database, long height) {
        return query(database, "spendings", session -> StoreSeen.spenders(session, height))
                .orElse(List.of());
    }

    @FunctionalInterface
    private interface Query<T> {
        T at(SqlSession session) throws SQLException;
    }

    private static <T> Optional<T> query(Postgres.Connector database, String table, Query<T> query) {
        PostgresBooks books = new PostgresBooks(database, OptionalLong.empty());
        try (SqlSession session = books.connect()) {
            return Schema.isOnServer(session, table) ? Optional.of(query.at(session)) : Optional.empty();
        } catch (SQLException e) {
            throw books.openFailure("cannot be read", e);
        }
    }

    private static String renamed(String statement) {
        return RESCANS.matcher(statement).replaceAll("rescans");
    }

    private SqlSession connect() throws SQLException {
        return PostgresStore.connect(database, TIMEOUT_MILLIS, PostgresBooks::renamed);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SqlSession begin() throws SQLException {
        committing = false;
        begun = NO_RUN;
        if (writing == null) {
            writing = connect();
        }
        writing.forget();
        writing.networkTimeout(TIMEOUT_MILLIS);
        // READ COMMITTED: later statements see everything that was committed before the lock was granted.
        writing.execute(LOCK);
        Head head = writing.queryOne(
                        String.format(HEAD, besideStore ? STOPPED : "stopped"),
                        row -> new Head(
                                row.number("run"),
                                row.number("pruned"),
                                row.ifText("stopped"),
                                row.number("last"),
                                row.ifNumber("random").stream().boxed().findFirst()),
                        made.map(OwnCommit::number).orElse(0L))
                .orElseThrow(() -> unavailable("have lost their row", null));
        writing.networkTimeout(WRITE_TIMEOUT_MILLIS);
        if (head.stopped().isPresent()) {
            throw StoreException.stopped(head.stopped().get());
        }
        if (made.isPresent() && isLost(made.get(), head)) {
            stop(made.get());
        }
        current = head.run();
        othersWrote = made.isEmpty() || head.last() != made.get().number();
        next = new OwnCommit(head.last() + 1, random.nextLong());
        writing.defer("INSERT INTO book_commits (number, random) VALUES (?, ?)", next.number(), next.random());
        if (next.number() % COMMITS_BETWEEN_PRUNING == 0) {
            prune(next.number() - KEPT_COMMITS);
        }
        return writing;
    }

    private static boolean isLost(OwnCommit commit, Head head) {
        return commit.number() > head.pruned() && !head.random().equals(Optional.of(commit.random()));
    }

    /**
     * Stops the books for every daemon: events of the lost commit may already have been delivered to readers, and their numbers would be assigned
     * again.
     */
    private void stop(OwnCommit missing) throws SQLException {
        String why = missingCommit(missing.number());
        writing.update("UPDATE books SET stopped = ? WHERE one = 1", why);
        writing.execute("COMMIT");
        LOG.error(why);
        throw StoreException.stopped(why);
    }

    private String missingCommit(long commit) {
        return "the books " + name + " lack commit " + commit
                + ", which a daemon has made: the database has gone back, so nothing is entered";
    }

    private void prune(long before) throws SQLException {
        writing.defer("DELETE FROM book_commits WHERE number <= ?", before);
        writing.defer("UPDATE books SET pruned = ? WHERE one = 1 AND pruned < ?", before, before);
    }

    @Override
    public boolean othersWrote() {
        return othersWrote;
    }

    /**
     * Commits; never cancelled and never repeated. When the server warns that a standby may lack the commit, it counts as durable only after a
     * further commit without such a warning.
     */
    @Override
    public void commit() throws SQLException {
        writing.flush();
        boolean warned = commitWarns();
        if (warned && anotherCommitWarns()) {
            throw unknown(new SQLException("the server warns that no synchronous standby may have it"));
        }
    }

    private boolean commitWarns() throws SQLException {
        committing = true;
        boolean warned;
        try {
            warned = writing.commitWarns();
        } catch (SQLException e) {
            if (!Postgres.isCutOff(e) || Postgres.isPause(e)) {
                throw e;
            }
            drop();
            warned = resolveLostCommit(e);
        }
        committing = false;
        made = Optional.of(next);
        if (begun != NO_RUN) {
            run = begun;
        }
        return warned;
    }

    private boolean anotherCommitWarns() {
        LOG.warn("books {}: commit {} may not be on a standby", name, next.number());
        try {
            begin();
            writing.flush();
            boolean warned = commitWarns();
            if (othersWrote) {
                // Another daemon wrote between the two commits, and the caller's caches do not reflect it: make the
                // next transaction drop them.
                made = Optional.empty();
            }
            return warned;
        } catch (SQLException | RuntimeException e) {
            drop();
            throw unknown(e);
        }
    }

    /**
     * Determines under the lock whether the commit whose answer was lost was made: holding the lock means that its transaction is over.
     *
     * @param lost rethrown when the commit was certainly not made
     * @return whether the server warns about the commit of this later transaction
     */
    private boolean resolveLostCommit(SQLException lost) throws SQLException {
        boolean there;
        boolean warned;
        try {
            writing = connect();
            writing.execute(LOCK);
            there = writing.has(
                    "SELECT 1 FROM book_commits WHERE number = ? AND random = ?", next.number(), next.random());
            warned = writing.commitWarns();
        } catch (SQLException | RuntimeException e) {
            drop();
            throw unknown(e);
        }
        LOG.warn("books {}: commit {} was {}made; its answer was lost", name, next.number(), there ? "" : "not ");
        if (!there) {
            committing = false;
            throw lost;
        }
        return warned;
    }

    private StoreException unknown(Exception cause) {
        return new StoreException(
                StoreException.Reason.UNKNOWN,
                "the books " + name + " may or may not have been written: " + cause.getMessage(),
                cause);
    }

    @Override
    public void rollback() {
        begun = NO_RUN;
        if (writing == null) {
            return;
        }
        writing.forget();
        try {
            writing.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            drop();
        }
    }

    private void drop() {
        Postgres.close(writing);
        writing = null;
    }

    @Override
    public boolean isCutOff(Exception e) {
        return isLost(e) && (!committing || e instanceof SQLException database && Postgres.isPause(database));
    }

    private static boolean isLost(Exception e) {
        return Postgres.isCutOff(databaseFailure(e));
    }

    private static Exception databaseFailure(Exception e) {
        return e.getCause() instanceof SQLException cause ? cause : e;
    }

    @Override
    public StoreException failure(Exception e) {
        return failure("cannot be written", e);
    }

    private StoreException failure(String what, Exception e) {
        if (e instanceof StoreException known) {
            return known;
        }
        if (Postgres.isCutOff(databaseFailure(e))) {
            return Postgres.gone(name, databaseFailure(e));
        }
        return Postgres.isLockTimeout(databaseFailure(e))
                ? new StoreException(
                        StoreException.Reason.BUSY,
                        "the books " + name + ": another daemon holds their lock for too long; try again",
                        e)
                : unavailable(what + ": " + e.getMessage(), e);
    }

    /**
     * Returns the failure of opening the books at a start or for an operator's command; the cause's message says what to do when the server cannot
     * be reached.
     */
    private StoreException openFailure(String what, SQLException e) {
        return Postgres.isCutOff(e)
                ? StoreException.unavailable("store " + name + " " + e.getMessage(), e)
                : unavailable(what + ": " + e.getMessage(), e);
    }

    private StoreException unavailable(String what, Exception cause) {
        return StoreException.unavailable("the books " + name + " " + what, cause);
    }

    @Override
    public SqlSession beginReading() throws SQLException {
        if (reading == null) {
            reading = connect();
        }
        reading.beginReading();
        return reading;
    }

    @Override
    public void endReading() throws SQLException {
        if (reading != null) {
            reading.update("COMMIT");
        }
    }

    @Override
    public boolean isReadingCutOff(Exception e) {
        if (isLost(e)) {
            Postgres.close(reading);
            reading = null;
            return true;
        }
        return false;
    }

    @Override
    public Optional<Watching> watching() {
        return Optional.of(new Watching() {
            private SqlSession session;

            @Override
            public long lastCommit() throws SQLException {
                if (session == null) {
                    session = PostgresStore.connect(database, POLL_TIMEOUT_MILLIS, PostgresBooks::renamed);
                }
                return session.number("SELECT COALESCE(MAX(number), 0) FROM book_commits");
            }

            @Override
            public void stop(long missing) throws SQLException {
                String why = missingCommit(missing);
                session.update("UPDATE books SET stopped = ? WHERE one = 1 AND stopped IS NULL", why);
                LOG.error(why);
            }

            @Override
            public SqlSession begin() throws SQLException {
                session.beginReading();
                return session;
            }

            @Override
            public void end() throws SQLException {
                session.update("COMMIT");
            }

            @Override
            public void close() {
                Postgres.close(session);
                session = null;
            }
        });
    }

    @Override
    public long run() {
        return run;
    }

    @Override
    public boolean isCurrent(long number) {
        return number == current;
    }

    @Override
    public boolean nextRun(boolean own) throws SQLException {
        if (!own && !holdsLease()) {
            return false;
        }
        if (!own || run == current) {
            begun = current + 1;
            writing.update("UPDATE books SET run = ? WHERE one = 1", begun);
        }
        return true;
    }

    /**
     * Returns whether this daemon holds the lease. A daemon that takes the lease after this check begins its run after this transaction, because it
     * needs the same lock; so the last run belongs to the last holder.
     */
    private boolean holdsLease() throws SQLException {
        return start.isEmpty() || writing.has("SELECT 1 FROM keeper WHERE one = 1 AND start = ?", start.getAsLong());
    }

    /** Starts are counted in the money store; restoring it does not assign a number again that a lost start may have had. */
    @Override
    public Optional<Generation> generation() throws SQLException {
        return besideStore
                ? writing.queryOne(
                        "SELECT coalesce(start, 0) AS start, " + Postgres.TIMELINE
                                + " AS timeline FROM (SELECT MAX(start) AS start FROM daemons) AS starts",
                        row -> new Generation(row.number("start"), row.number("timeline")))
                : Optional.empty();
    }

    @Override
    public void close() {
        Postgres.close(reading);
        Postgres.close(writing);
    }
}
