package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreMemory;
import org.chainwalletd.store.sql.StoreRestore;

/**
 * Moves the money store of a datadir from its SQLite file into an empty PostgreSQL database, while no daemon uses the datadir. At every moment at
 * most one of the two stores can make payments:
 *
 * <ol>
 *   <li>The row of the table {@code moving} names the store that is moved. From here on no daemon opens the database.
 *   <li>All rows are copied in one transaction, with their ids, under the id of the store, and compared.
 *   <li>The file is marked as moved. From here on nothing is written to it, not even by a process that has it open.
 *   <li>{@code sent.log} is replaced by the log of a daemon on the database, which contains the commit that the copy was.
 *   <li>The database becomes that of the datadir, and {@code moving} is dropped: daemons can open it.
 * </ol>
 *
 * <p>An interrupted move is run again. Rows are copied anew as long as the file is not marked, since it may have made payments meanwhile, and as long
 * as the log shows that no daemon has started on a database: the log of a daemon that has started is never replaced.
 */
public final class PostgresMove {
    /** Number of the copy's commit in its log, before any daemon has started on the database. */
    private static final long COPY = 1;

    private static final String COMMITS = "commits";
    /** Tables that have a row even in an empty store. */
    private static final List<String> NEVER_EMPTY = List.of("identity", "payout_queue");
    /** Tables that only the server has; they are filled from the rows, or by daemons. */
    private static final String DERIVED = "live_tokens, held_coins, changes, former_runners, logs, daemons";

    private final Path folder;
    private final Optional<CommitMark> books;
    private final Postgres.Connector connector;
    private final String database;
    private final Map<String, String> chain;
    private final Path file;

    /**
     * Result of a move.
     *
     * @param before whether the store was already in this database, so that nothing was done
     * @param rows number of rows of each table, in the order in which they were copied; empty when an interrupted move only had to be ended
     * @param compared number of spends, payouts and similar objects that were read from both stores and were equal
     */
    public record Moved(boolean before, Map<String, Long> rows, int compared) {
        public Moved {
            rows = new LinkedHashMap<>(rows);
        }
    }

    private PostgresMove(
            Path folder, Optional<CommitMark> books, Postgres.Connector connector, Map<String, String> chain) {
        this.folder = folder.toAbsolutePath();
        this.books = books;
        this.connector = connector;
        this.database = connector.name();
        this.chain = chain;
        this.file = SqliteStore.path(folder);
    }

    /**
     * Moves the store in {@code folder} into the database, or ends an interrupted move. Blocks; the caller holds the lock of the datadir.
     *
     * @param books the last commit recorded in the books of the datadir, which the file must contain
     * @param chain settings of the chain that never change, see {@link PostgresMember}
     * @throws StoreException with instructions in one sentence; payments are made from the file unless the sentence says that it was moved
     */
    public static Moved run(
            Path folder, Optional<CommitMark> books, Postgres.Connector database, Map<String, String> chain) {
        PostgresMove move = new PostgresMove(folder, books, database, chain);
        if (!Files.exists(move.file)) {
            throw move.refused("there is no " + move.file + " to be moved");
        }
        try (SqlSession source = move.source()) {
            return move.run(source);
        } catch (SQLException | IOException e) {
            boolean denied = e instanceof SQLException failure && Postgres.isDenied(failure);
            String why = denied ? PostgresStore.CANNOT_MAKE_TABLES + " (" + e.getMessage() + ")" : e.getMessage();
            throw move.refused("the move has not ended: " + why + "; correct that, and run it again", e);
        }
    }

    private SqlSession source() {
        try {
            return SqliteStore.connectForWriting(file);
        } catch (SQLException | IOException e) {
            throw Sqlite.unusable(file, e);
        }
    }

    private StoreException refused(String why) {
        return refused(why, null);
    }

    private StoreException refused(String why, Exception cause) {
        return StoreException.unavailable("store " + database + ": " + why, cause);
    }

    private Moved run(SqlSession source) throws SQLException, IOException {
        StoreMemory memory = StoreMemory.of(folder, books);
        boolean marked = Commits.movedTo(source).isPresent();
        if (!marked) {
            requireWhole(memory, source);
        }
        try (SqlSession session = TableCopy.connect(connector)) {
            PostgresStore.Server server = PostgresStore.requireFit(session, database);
            PostgresSchema.migrate(session, database);
            Optional<PostgresMoving> begun = begin(session, source, memory, marked);
            if (begun.isEmpty()) {
                return new Moved(true, Map.of(), 0);
            }
            CrashPoint.MOVE_BEGUN.reached();
            if (marked && isUsed(memory)) {
                // A daemon has paid from the database, which was then reset to a state within the move: its log must
                // not be replaced.
                end(session, begun.get());
                return new Moved(false, Map.of(), 0);
            }
            boolean there =
                    marked && begun.get().copied() && begun.get().source().equals(Commits.last(source));
            Map<String, Long> rows = new LinkedHashMap<>();
            PostgresMoving move = there ? begun.get() : copy(session, source, server.timeline(), rows);
            CrashPoint.MOVE_COPIED.reached();
            int compared = there ? 0 : compare(source, rows);
            requireDurable(session);
            markAndLog(source, move);
            end(session, move);
            CrashPoint.MOVE_ENDED.reached();
            return new Moved(false, rows, compared);
        }
    }

    /**
     * Returns whether a daemon may have started on a database with the datadir of a marked file. A daemon announces its first commit in the log
     * before making it; if the log is lost or damaged, a start cannot be ruled out.
     */
    private static boolean isUsed(StoreMemory memory) {
        return memory.isShared()
                ? memory.log().orElseThrow().last().number() > COPY
                : memory.log().isEmpty();
    }

    /** Returns whether a move may have ended although the log is that of the file, because someone has put that log back. */
    private boolean mayHaveEnded(StoreMemory memory) {
        return !memory.isShared() && Files.exists(folder.resolve(PostgresMember.MARK_FILE));
    }

    private void requireWhole(StoreMemory memory, SqlSession source) throws SQLException {
        if (memory.isShared()) {
            throw refused("the payments of " + folder + " are in a database already, as " + SentLog.FILE_NAME
                    + " in it tells, and " + file
                    + " is a copy from before they were moved: move that file away, and start with --store");
        }
        Optional<String> complaint = memory.complaint(source);
        if (complaint.isPresent()) {
            throw StoreException.stopped(StoreMemory.stopped(file, complaint.get()));
        }
    }

    /** Reserves the database for this store, and commits; empty when the store is already there. */
    private Optional<PostgresMoving> begin(SqlSession session, SqlSession source, StoreMemory memory, boolean marked)
            throws SQLException, IOException {
        session.execute(PostgresTransactions.LOCK);
        session.execute(PostgresTransactions.NO_TIMEOUTS);
        Optional<PostgresMoving> begun = PostgresMoving.in(session);
        if (begun.isPresent() && begun.get().isBack()) {
            throw refused("it " + begun.get().why(Commits.movedTo(session)));
        }
        if (begun.isPresent()) {
            requireSame(begun.get(), source, marked ? Optional.of(memory) : Optional.empty());
        } else if (marked && isThere(session, source, memory)) {
            session.execute("ROLLBACK");
            return Optional.empty();
        } else {
            if (marked && (isUsed(memory) || mayHaveEnded(memory))) {
                throw refused("the store was moved to "
                        + Commits.movedTo(source).orElseThrow() + ", and a daemon has worked with it since, or "
                        + SentLog.FILE_NAME + " cannot show that none has: start with --store naming that database, or,"
                        + " when it is lost, run store restored on an empty one");
            }
            requireEmpty(session, source);
        }
        new PostgresMember(chain).requireSameChain(session, database);
        if (begun.isEmpty()) {
            begun = Optional.of(new PostgresMoving(Commits.last(source), false, "", 0, folder.toString()));
            begun.get().enter(session);
            PostgresAgreed.change(session, values -> {
                chain.forEach(values::putIfAbsent);
                return values;
            });
        }
        session.execute("COMMIT");
        return begun;
    }

    /**
     * Checks that the move that was begun is this one, and that the file has not gone back since.
     *
     * @param ofMarked records kept beside the file, if it is marked
     */
    private void requireSame(PostgresMoving begun, SqlSession source, Optional<StoreMemory> ofMarked)
            throws SQLException {
        if (!begun.source().store().equals(Commits.id(source))) {
            throw refused("another store, that of " + begun.datadir()
                    + ", is being moved into it: name an empty database, or end that move");
        }
        Optional<String> lacking = Commits.lacking(source, begun.source());
        if (lacking.isPresent()) {
            throw refused(file + " " + lacking.get() + ", when its move was begun: put the newest copy of the datadir "
                    + begun.datadir() + " back");
        }
        boolean other = ofMarked.isPresent()
                && isUsed(ofMarked.get())
                && !logName(ofMarked.get()).equals(Optional.of(begun.log()));
        if (other) {
            throw refused(
                    SentLog.FILE_NAME + " in " + folder + " is not the one that belongs to the database: put its newest"
                            + " copy back, or name the database that it belongs to");
        }
    }

    private static Optional<String> logName(StoreMemory memory) {
        return memory.log().flatMap(SentLog.Known::shared).map(SentLog.Shared::name);
    }

    /** Returns whether the database has the store, and the log of this datadir is registered there. */
    private static boolean isThere(SqlSession session, SqlSession source, StoreMemory memory) throws SQLException {
        Optional<String> log = logName(memory);
        return log.isPresent()
                && Commits.id(session).equals(Commits.id(source))
                && session.has("SELECT 1 FROM logs WHERE name = ?", log.get());
    }

    private void requireEmpty(SqlSession session, SqlSession source) throws SQLException {
        if (Commits.id(session).equals(Commits.id(source))) {
            throw refused("it has this store already, so that " + folder
                    + " is an older copy of the datadir that works with it: use the newest one, with --store");
        }
        long payments = TableCopy.count(session, "spends") + TableCopy.count(session, "kept_spends");
        long starts = TableCopy.count(session, "daemons") + TableCopy.count(session, COMMITS);
        boolean other = false;
        for (String table : TableCopy.tables(source)) {
            other |= !NEVER_EMPTY.contains(table) && TableCopy.count(session, table) > 0;
        }
        if (starts > 0 || other || KeyringTable.head(session).isPresent()) {
            throw refused("it is in use, with " + payments
                    + " payments of a daemon: make an empty database with createdb, and name that");
        }
    }

    /** Copies everything in one transaction, replacing the rows copied by an earlier attempt. */
    private PostgresMoving copy(SqlSession session, SqlSession source, long timeline, Map<String, Long> rows)
            throws SQLException, IOException {
        source.execute("BEGIN");
        try {
            List<String> tables = TableCopy.tables(source);
            PostgresMoving move = new PostgresMoving(
                    Commits.last(source),
                    true,
                    PostgresDatadir.randomName(),
                    new SecureRandom().nextLong(),
                    folder.toString());
            session.execute(PostgresTransactions.LOCK);
            session.execute(PostgresTransactions.NO_TIMEOUTS);
            Optional<PostgresMoving> begun = PostgresMoving.in(session);
            if (begun.isEmpty()
                    || !begun.get().source().store().equals(move.source().store())) {
                throw refused("another process has ended or begun a move meanwhile: run this one again");
            }
            session.execute("TRUNCATE " + String.join(", ", tables) + ", " + DERIVED);
            PostgresDatadir.enterLog(session, move.log(), folder);
            long start = PostgresDatadir.insertStart(session, timeline, move.log(), PostgresDatadir.host(folder));
            session.update("UPDATE daemons SET ended = true, superseded = true WHERE start = ?", start);
            long number = move.source().number() + 1;
            copyCommits(session, source, start, move);
            PostgresTransactions.writeAs(session, number, start);
            for (String table : tables) {
                if (!table.equals(COMMITS)) {
                    rows.put(table, TableCopy.copy(source, table, session, table));
                    CrashPoint.MOVE_COPYING.reached(() -> table);
                }
            }
            Commits.mark(session, Optional.empty());
            // No daemon needs these changes: each loads the complete state when it starts on the database.
            session.update("DELETE FROM changes");
            move.enter(session);
            session.execute("COMMIT");
            return move;
        } finally {
            source.execute("ROLLBACK");
        }
    }

    /** Inserts the openings of the file, which the books may have recorded, and the copy itself as the newest commit. */
    private static void copyCommits(SqlSession session, SqlSession source, long start, PostgresMoving move)
            throws SQLException {
        record Opening(long number, long random) {}
        List<Opening> openings = source.query(
                "SELECT number, random FROM commits ORDER BY number",
                row -> new Opening(row.number("number"), row.number("random")));
        String insert = "INSERT INTO commits (number, daemon, counter, random) VALUES (?, ?, ?, ?)";
        if (openings.isEmpty() || openings.get(0).number() > 1) {
            session.update(insert, 0, start, 0, CommitMark.BEFORE_OPENINGS);
        }
        for (Opening opening : openings) {
            session.update(insert, opening.number(), start, 0, opening.random());
        }
        session.update(insert, move.source().number() + 1, start, COPY, move.random());
    }

    /** Compares the stores as daemons would read them; returns the number of objects compared. */
    private int compare(SqlSession source, Map<String, Long> rows) throws SQLException {
        String why = "store " + database + ": it is being moved";
        try (SqlSession session = TableCopy.connect(connector);
                Store from = SqliteStore.openReadOnly(folder, why);
                Store to = PostgresStore.openReadOnly(connector, why)) {
            return new StoreComparison(from, to, source, session).requireEqual(rows, false, this::different);
        }
    }

    private StoreException different(String what) {
        return refused("the copy differs from " + file + " in " + what + ", so " + file
                + " remains the store that pays: start without --store, and report this as a fault of the program");
    }

    /**
     * Checks that the synchronous standby has the copy. A commit's warning, possibly in an earlier run, is not repeated later, so another commit is
     * made.
     */
    private void requireDurable(SqlSession session) throws SQLException {
        session.execute("BEGIN");
        session.update("UPDATE moving SET copied = true");
        if (session.commitWarns()) {
            throw refused(
                    "the server warns that no synchronous standby may have the copy: correct that, and run the move"
                            + " again");
        }
    }

    /** Marks the file, unless it was written since it was copied. */
    private void mark(SqlSession source, PostgresMoving move) throws SQLException {
        source.execute("BEGIN IMMEDIATE");
        if (!Commits.last(source).equals(move.source())) {
            source.execute("ROLLBACK");
            throw refused("another process has written " + file + " meanwhile: end it, and run the move again");
        }
        Commits.mark(source, Optional.of(database));
        source.execute("COMMIT");
        // Otherwise a copy of the file without its write-ahead log would lack the mark.
        source.query("PRAGMA wal_checkpoint(TRUNCATE)", row -> row.getLong(1));
    }

    /**
     * Marks the file and replaces the log. The new log is written first, so that a failure to write it is noticed while the file can still make
     * payments.
     */
    private void markAndLog(SqlSession source, PostgresMoving move) throws SQLException, IOException {
        AtomicFiles.removeLeftovers(folder, SentLog.FILE_NAME);
        SentLog.Successor log = StoreRestore.movedLog(
                folder,
                source,
                new CommitMark(move.source().store(), move.random(), COPY),
                new SentLog.Shared(move.log(), move.source().number() + 1));
        try {
            log.log().force();
            mark(source, move);
            CrashPoint.MOVE_MARKED.reached();
            SentLog.replace(folder, log);
        } catch (SQLException | IOException | RuntimeException e) {
            log.log().discard();
            throw e;
        }
        AtomicFiles.delete(folder.resolve(StoreMemory.EARLIER_FILE));
        CrashPoint.MOVE_LOGGED.reached();
    }

    /** Allows daemons to open the database. */
    private void end(SqlSession session, PostgresMoving move) throws SQLException, IOException {
        PostgresMember.mark(folder, database);
        session.execute(PostgresTransactions.LOCK);
        if (PostgresMoving.in(session)
                .filter(now -> now.random() == move.random())
                .isEmpty()) {
            throw refused("another process has ended or begun a move meanwhile: run this one again");
        }
        new PostgresMember(chain).enter(session, database);
        PostgresMoving.end(session);
        session.execute("COMMIT");
    }

    public static String words(Map<String, Long> rows) {
        return rows.entrySet().stream()
                .filter(table -> !NEVER_EMPTY.contains(table.getKey()))
                .map(table -> table.getKey() + " " + table.getValue())
                .collect(Collectors.joining(", "));
    }
}
