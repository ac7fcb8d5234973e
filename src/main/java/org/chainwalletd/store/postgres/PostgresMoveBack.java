package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.Commits;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreMemory;
import org.chainwalletd.store.sql.StoreRestore;

/**
 * Moves the store of a database back into an SQLite file of the last datadir that works with it, while no daemon runs. At every moment at most one of
 * the two stores can make payments:
 *
 * <ol>
 *   <li>The row of the table {@code moving} names the datadir, and the row of the store is marked as stopped: from here on no daemon opens the
 *       database, and a daemon that has it open writes nothing. Nothing in the datadir has changed, and the move can be cancelled.
 *   <li>Everything is copied into new files in a folder of the datadir, under the id of the store, and compared.
 *   <li>The database is marked as moved, permanently.
 *   <li>The new files replace those of the datadir. The new {@code sent.log} comes last: it replaces the log that belongs to the database,
 *       beside which no file makes payments.
 *   <li>The end of the move is recorded in the database, so that the same files in an older copy of the datadir cannot end it again.
 * </ol>
 *
 * <p>An interrupted move is run again. Everything is copied anew as long as the database is not marked; later only the files that were compared are
 * used.
 */
public final class PostgresMoveBack {
    /** Folder in the datadir in which the new files are created. */
    public static final String FOLDER = "moved-back";

    private static final String RUN_AGAIN = "correct that, and run it again";
    private static final String RUN_AGAIN_OR_GIVE_UP =
            "the database may be reserved for the move, and no daemon opens it then: correct that and run it again, or go on"
                    + " with the database after store move --give-up";
    private static final String ASIDE = "-before-move";
    private static final String COMMITS = "commits";

    private final Path folder;
    private final Path made;
    private final Postgres.Connector connector;
    private final String database;
    private final Map<String, String> chain;
    private final Optional<CommitMark> books;
    private final Beside beside;
    /** End of the message about a failure, which says how to proceed. */
    private String advice = RUN_AGAIN;

    /** Parts of a store that are outside its tables, such as keys and books. */
    public interface Beside {
        /**
         * Checks that all of it can be moved, before anything is changed.
         *
         * @throws StoreException if not, with instructions
         */
        void require() throws IOException;

        /**
         * Writes it into new files in {@code folder}, with the names that they have in a datadir, and compares them.
         *
         * @param commit last commit of the store
         */
        void copy(Path folder, CommitMark commit) throws IOException;

        /** Informs the operator that an existing folder occupied the place of a new one and was renamed to {@code name}. */
        void putAside(Path folder, Path name);
    }

    /**
     * Result of a move.
     *
     * @param before whether the store was already in this datadir, so that nothing was done
     * @param rows number of rows of each table; empty when an interrupted move only had to be ended
     * @param compared number of spends, payouts and similar objects that were read from both stores and were equal
     * @param others other datadirs that have worked with the database
     */
    public record Moved(boolean before, Map<String, Long> rows, int compared, List<String> others) {
        public Moved {
            rows = new LinkedHashMap<>(rows);
            others = List.copyOf(others);
        }

        static Moved ended(boolean before) {
            return new Moved(before, Map.of(), 0, List.of());
        }
    }

    private PostgresMoveBack(
            Path folder,
            Optional<CommitMark> books,
            Postgres.Connector connector,
            Map<String, String> chain,
            Beside beside) {
        this.folder = folder.toAbsolutePath();
        this.made = this.folder.resolve(FOLDER);
        this.books = books;
        this.connector = connector;
        this.database = connector.name();
        this.chain = chain;
        this.beside = beside;
    }

    /**
     * Moves the store of the database into the datadir {@code folder}, or ends an interrupted move. Blocks; the caller holds the lock of the datadir.
     *
     * @param books the last commit recorded in the books, which the database must contain
     * @param chain settings of the chain that never change, see {@link PostgresMember}
     * @throws StoreException with instructions in one sentence
     */
    public static Moved run(
            Path folder,
            Optional<CommitMark> books,
            Postgres.Connector database,
            Map<String, String> chain,
            Beside beside) {
        PostgresMoveBack move = new PostgresMoveBack(folder, books, database, chain, beside);
        try {
            return move.run();
        } catch (SQLException | IOException e) {
            throw move.refused("the move back has not ended: " + e.getMessage() + "; " + move.advice, e);
        }
    }

    /**
     * Cancels a move back that has not marked the database yet, so that daemons open the database again. Blocks. The process that began the move may
     * still be running; it then fails too.
     *
     * @throws StoreException when there is no such move, or the database is marked
     */
    public static void giveUp(Postgres.Connector connector) {
        String database = connector.name();
        try (SqlSession session = TableCopy.connect(connector)) {
            if (!PostgresSchema.isMade(session)) {
                throw GroupCommitWriter.unavailable(database, "has no tables of a store: correct --store", null);
            }
            session.execute(PostgresTransactions.LOCK);
            PostgresMoving begun = PostgresMoving.in(session)
                    .filter(PostgresMoving::isBack)
                    .orElseThrow(() -> GroupCommitWriter.unavailable(
                            database, "is not being moved back: there is nothing to give up", null));
            Optional<String> moved = Commits.movedTo(session);
            if (moved.isPresent()) {
                throw GroupCommitWriter.unavailable(database, begun.why(moved), null);
            }
            PostgresMoving.end(session);
            session.update("UPDATE store SET stopped = NULL WHERE one = 1");
            session.execute("COMMIT");
        } catch (SQLException e) {
            throw GroupCommitWriter.unavailable(
                    database,
                    "may still be reserved for its move: " + e.getMessage() + "; correct that, and say this again",
                    e);
        }
    }

    private StoreException refused(String why) {
        return refused(why, null);
    }

    private StoreException refused(String why, Exception cause) {
        return StoreException.unavailable("store " + database + ": " + why, cause);
    }

    private Moved run() throws SQLException, IOException {
        try (SqlSession session = TableCopy.connect(connector)) {
            PostgresStore.Server server = PostgresStore.requireFit(session, database);
            if (!PostgresSchema.isMade(session)) {
                throw refused("it has no tables of a store: correct --store");
            }
            session.execute(PostgresTransactions.LOCK);
            session.execute(PostgresTransactions.NO_TIMEOUTS);
            new PostgresMember(chain).requireSameChain(session, database);
            Optional<PostgresMoving> begun = PostgresMoving.in(session);
            if (begun.isPresent() && !begun.get().isBack()) {
                throw refused("it " + begun.get().why(Optional.empty()));
            }
            if (Commits.movedTo(session).isPresent()) {
                session.execute("ROLLBACK");
                return finish(session, begun.orElseThrow(() -> refused("it has lost the row of its move")));
            }
            if (PostgresSchema.requireKnown(session, database) != Schema.version()) {
                throw refused("its tables are of another release: start and stop the daemon of this one on it once");
            }
            PostgresMoving move = reserve(session, server, begun);
            CrashPoint.BACK_MOVE_BEGUN.reached();
            CommitMark commit = new CommitMark(Commits.id(session), move.random(), newest(session) + 1);
            Map<String, Long> rows = copy(session, commit);
            int compared = compare(session, rows);
            beside.copy(made, commit);
            // Written last, because its presence shows that everything is complete.
            writeLog();
            CrashPoint.BACK_MOVE_COPIED.reached();
            mark(session, move);
            advice = RUN_AGAIN;
            requireDurable(session);
            CrashPoint.BACK_MOVE_MARKED.reached();
            install(commit);
            end(session, move);
            return new Moved(false, rows, compared, others(session, move.log()));
        }
    }

    /** Reserves the database for the move to this datadir, and commits: from here on no daemon opens it. */
    private PostgresMoving reserve(SqlSession session, PostgresStore.Server server, Optional<PostgresMoving> begun)
            throws SQLException, IOException {
        PostgresDatadir datadir = PostgresDatadir.of(folder, books, database);
        if (datadir.log().isPresent() && datadir.logName().isEmpty()) {
            throw refused("the payments of " + folder + " are in " + SqliteStore.FILE_NAME
                    + " already: start without --store");
        }
        datadir.requireUsable(session);
        String log = datadir.logName()
                .orElseThrow(
                        () -> refused(folder + " is not a datadir that works with it: name the one whose daemon has"
                                + " worked with it last"));
        if (!session.has("SELECT 1 FROM logs WHERE name = ?", log)) {
            throw refused(
                    folder + " is not a datadir that works with it, or its log was given up in a restore: name the one"
                            + " whose daemon has worked with it last");
        }
        if (begun.isPresent() && !begun.get().log().equals(log)) {
            throw refused("it " + begun.get().why(Optional.empty()));
        }
        Optional<String> stopped = begun.isPresent() ? Optional.empty() : PostgresStore.stopped(session);
        if (stopped.isPresent()) {
            throw StoreException.stopped(stopped.get());
        }
        Optional<String> lacking = server.system() == system(session)
                ? datadir.lacking(session)
                : Optional.of("is on another database system than the one that was written");
        if (lacking.isPresent()) {
            throw StoreException.stopped(Postgres.lost(database, lacking.get()));
        }
        session.update(
                "UPDATE daemons SET ended = true, superseded = true WHERE log = ? AND host = ? AND host <> ''",
                log,
                PostgresDatadir.host(folder));
        requireAllEnded(session);
        beside.require();
        PostgresMoving move = PostgresMoving.back(log, new SecureRandom().nextLong(), folder);
        move.enter(session);
        session.update(
                "UPDATE store SET stopped = ? WHERE one = 1",
                "the store " + database + " " + move.why(Optional.empty()));
        advice = RUN_AGAIN_OR_GIVE_UP;
        if (session.commitWarns()) {
            throw notOnStandby();
        }
        return move;
    }

    private StoreException notOnStandby() {
        return refused(
                "the server warns that no synchronous standby may have what was written: correct that, and run the"
                        + " move again");
    }

    private static long system(SqlSession session) throws SQLException {
        return session.number("SELECT system FROM store WHERE one = 1");
    }

    private static long newest(SqlSession session) throws SQLException {
        return session.number("SELECT coalesce(max(number), 0) FROM commits");
    }

    /**
     * Rejects unless every start has ended: a process that is only paused may still write or finish a send, and its datadir may know commits that the
     * database lacks.
     */
    private void requireAllEnded(SqlSession session) throws SQLException {
        List<String> working = session.query(
                "SELECT start, coalesce(machine, '') AS machine, coalesce(datadir, '') AS datadir FROM daemons"
                        + " LEFT JOIN logs ON name = log WHERE NOT ended ORDER BY start",
                row -> row.number("start")
                        + (row.text("machine").isEmpty() ? "" : " on " + row.text("machine"))
                        + (row.text("datadir").isEmpty() ? "" : " with the datadir " + row.text("datadir")));
        if (!working.isEmpty()) {
            throw StoreException.busy(
                    "store " + database + ": these starts of daemons have not signed off: " + String.join(", ", working)
                            + "; stop them, and give up each whose process is gone for good with cluster forget and its"
                            + " number");
        }
    }

    private List<String> others(SqlSession session, String log) throws SQLException {
        return session.query("SELECT datadir FROM logs WHERE name <> ? ORDER BY datadir", row -> row.getString(1), log);
    }

    /** Copies all rows into a new file, in one transaction on each side. */
    private Map<String, Long> copy(SqlSession session, CommitMark commit) throws SQLException, IOException {
        discard();
        AtomicFiles.createFolder(made);
        Map<String, Long> rows = new LinkedHashMap<>();
        session.execute(Postgres.DIALECT.beginReading());
        try (SqlSession file = SqliteStore.connectForWriting(SqliteStore.path(made))) {
            file.execute("BEGIN IMMEDIATE");
            for (String table : TableCopy.tables(file)) {
                rows.put(table, TableCopy.back(session, table, file, table));
            }
            file.update("INSERT INTO commits (number, random) VALUES (?, ?)", commit.number(), commit.opening());
            file.update("UPDATE identity SET commits = ? WHERE one = 1", commit.number());
            // No daemon may start on the folder of the new files until the database is marked.
            Commits.mark(file, Optional.of(database));
            file.execute("COMMIT");
        } finally {
            session.execute("ROLLBACK");
        }
        return rows;
    }

    /** Compares the stores as daemons would read them; returns the number of objects compared. */
    private int compare(SqlSession session, Map<String, Long> rows) throws SQLException, IOException {
        String why = "store " + database + ": it is being moved";
        try (SqlSession file = SqliteStore.connectForWriting(SqliteStore.path(made));
                Store from = SqliteStore.openReadOnly(made, why);
                Store to = PostgresStore.openReadOnly(connector, why)) {
            Map<String, Long> copied = new LinkedHashMap<>(rows);
            copied.merge(COMMITS, 1L, Long::sum);
            return new StoreComparison(from, to, file, session).requireEqual(copied, true, this::different);
        }
    }

    private StoreException different(String what) {
        return refused("the copy in " + made + " differs from it in " + what
                + ": go on with the database after store move --give-up, and report this as a fault of the program");
    }

    /** Writes the log of the new file, and forces both to disk. */
    private void writeLog() throws SQLException, IOException {
        Path path = SqliteStore.path(made);
        try (SqlSession file = SqliteStore.connectForWriting(path)) {
            file.query("PRAGMA wal_checkpoint(TRUNCATE)", row -> row.getLong(1));
            StoreRestore.writeLog(made, file);
        }
        for (Path left : files(made)) {
            if (left.getFileName().toString().endsWith("-wal") && Files.size(left) > 0) {
                throw new IOException(left + " is left, so that " + SqliteStore.FILE_NAME + " is not whole");
            }
        }
        AtomicFiles.syncFolder(made);
        AtomicFiles.syncFolder(folder);
    }

    /** Marks the database as moved: from here on only the new files can make payments, once they are in place. */
    private void mark(SqlSession session, PostgresMoving move) throws SQLException {
        session.execute(PostgresTransactions.LOCK);
        boolean ours = PostgresMoving.in(session).filter(move::equals).isPresent();
        if (!ours || Commits.movedTo(session).isPresent()) {
            throw refused(
                    "another process has ended, begun or given up a move meanwhile: run this one again, or go on with"
                            + " the database");
        }
        Optional<String> file = Optional.of(SqliteStore.FILE_NAME + " in " + folder);
        Commits.mark(session, file);
        session.update("UPDATE store SET stopped = ? WHERE one = 1", "the store " + database + " " + move.why(file));
        session.execute("COMMIT");
    }

    /**
     * Checks that the synchronous standby has the mark. A commit's warning, possibly in an earlier run, is not repeated later, so another commit is
     * made.
     */
    private void requireDurable(SqlSession session) throws SQLException {
        session.execute("BEGIN");
        session.update("UPDATE moving SET copied = copied");
        if (session.commitWarns()) {
            throw notOnStandby();
        }
    }

    /** Moves the new files into place; files that an earlier attempt has moved are no longer in the folder. */
    private void install(CommitMark commit) throws IOException {
        List<Path> all = new ArrayList<>(files(made));
        all.removeIf(file -> isOfDatabase(file.getFileName().toString()));
        Path store = made.resolve(SqliteStore.FILE_NAME);
        if (Files.exists(store)) {
            unmark(store);
            all.add(store);
        }
        for (Path file : all) {
            Path place = folder.resolve(file.getFileName());
            // A leftover write-ahead log would be taken for that of the new file.
            for (String suffix : List.of("-wal", "-shm")) {
                AtomicFiles.delete(place.resolveSibling(place.getFileName() + suffix));
            }
            if (Files.isDirectory(place)) {
                putAside(place);
            }
            AtomicFiles.rename(file, place);
            CrashPoint.BACK_MOVE_INSTALLING.reached(() -> place.getFileName().toString());
        }
        requireInPlace(commit);
        AtomicFiles.rename(SentLog.in(made), SentLog.in(folder));
        CrashPoint.BACK_MOVE_LOGGED.reached();
    }

    private static void unmark(Path store) throws IOException {
        try (SqlSession file = SqliteStore.connectForWriting(store)) {
            file.execute("BEGIN IMMEDIATE");
            Commits.mark(file, Optional.empty());
            file.execute("COMMIT");
            file.query("PRAGMA wal_checkpoint(TRUNCATE)", row -> row.getLong(1));
        } catch (SQLException e) {
            throw Sqlite.unusable(store, e);
        }
    }

    /** Returns whether a file is moved into place last, or not at all. */
    private static boolean isOfDatabase(String name) {
        return name.startsWith(SqliteStore.FILE_NAME)
                || name.equals(SentLog.FILE_NAME)
                || name.endsWith("-wal")
                || name.endsWith("-shm");
    }

    private void putAside(Path place) throws IOException {
        Path aside = free(place);
        try {
            AtomicFiles.rename(place, aside);
        } catch (IOException e) {
            throw new IOException(
                    "the new folder " + made.resolve(place.getFileName()) + " cannot take the place of " + place
                            + ", which cannot be renamed to " + aside.getFileName() + " (" + e.getMessage()
                            + "): move it away by hand, or unmount it when another disk is mounted there",
                    e);
        }
        beside.putAside(place, aside);
    }

    /** Returns an unused name for renaming an existing folder at {@code place}. */
    private static Path free(Path place) {
        Path aside = place.resolveSibling(place.getFileName() + ASIDE);
        for (int number = 2; Files.exists(aside); number++) {
            aside = place.resolveSibling(place.getFileName() + ASIDE + "-" + number);
        }
        return aside;
    }

    private void requireInPlace(CommitMark commit) throws IOException {
        Path store = SqliteStore.path(folder);
        try (SqlSession file = SqliteStore.connectForWriting(store)) {
            if (!Commits.last(file).equals(commit)) {
                throw new IOException(store + " is not the file that was made for the move");
            }
        } catch (SQLException e) {
            throw Sqlite.unusable(store, e);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    /** Finishes a move whose mark is in the database. Nothing is copied again, because the file may have made payments. */
    private Moved finish(SqlSession session, PostgresMoving move) throws SQLException, IOException {
        StoreMemory memory = StoreMemory.of(folder, Optional.empty());
        CommitMark commit = new CommitMark(Commits.id(session), move.random(), newest(session) + 1);
        boolean waits = SentLog.read(made)
                .map(SentLog.Known::last)
                .filter(commit::equals)
                .isPresent();
        if (memory.isShared() && !move.copied() && waits && isLogOf(memory, move)) {
            requireNotGoneOn(session);
            requireDurable(session);
            install(commit);
            end(session, move);
            return Moved.ended(false);
        }
        boolean here = memory.log().isPresent()
                && !memory.isShared()
                && memory.log().get().last().store().equals(Commits.id(session))
                && isIn(commit);
        if (waits && !move.copied() && memory.log().isEmpty()) {
            throw refused("the new files wait in " + made + ", but " + folder + " has no " + SentLog.FILE_NAME
                    + " that can be read, which alone shows whether its daemon has paid with a copy of the database since"
                    + " the move was begun: put the newest copy of it back and run this again; or, when it is lost, load"
                    + " the dump from before the move into a new database, and start with --store naming that");
        }
        if (!here) {
            throw refused("it " + move.why(Commits.movedTo(session)) + "; " + folder
                    + " is not that datadir, or an older copy of it: use the newest one");
        }
        if (!move.copied()) {
            end(session, move);
            return Moved.ended(false);
        }
        leave();
        return Moved.ended(true);
    }

    /** Rejects if the datadir has worked with a copy of the database meanwhile: its log then has payments that the new files lack. */
    private void requireNotGoneOn(SqlSession session) throws SQLException, IOException {
        Optional<String> lacking =
                PostgresDatadir.of(folder, Optional.empty(), database).lacking(session);
        if (lacking.isPresent()) {
            throw refused("it " + lacking.get() + ": that daemon has worked with another database since the move back"
                    + " was begun, and " + made + " lacks what it has paid; start with --store naming that database");
        }
    }

    private static boolean isLogOf(StoreMemory memory, PostgresMoving move) {
        return memory.log()
                .flatMap(SentLog.Known::shared)
                .filter(log -> log.name().equals(move.log()))
                .isPresent();
    }

    /** Returns whether the file of the datadir is the one that the move has created, whatever was written to it since. */
    private boolean isIn(CommitMark commit) throws SQLException, IOException {
        Path store = SqliteStore.path(folder);
        if (!Files.exists(store)) {
            return false;
        }
        try (SqlSession file = SqliteStore.connectForWriting(store)) {
            return Commits.lacking(file, commit).isEmpty();
        }
    }

    private void end(SqlSession session, PostgresMoving move) throws SQLException, IOException {
        // First, so that an older copy of the datadir cannot end the move again.
        session.execute(PostgresTransactions.LOCK);
        session.update("UPDATE moving SET copied = true WHERE random = ?", move.random());
        Optional<String> file = Commits.movedTo(session);
        PostgresMoving ended = PostgresMoving.in(session).orElse(move);
        session.update("UPDATE store SET stopped = ? WHERE one = 1", "the store " + database + " " + ended.why(file));
        session.execute("COMMIT");
        CrashPoint.BACK_MOVE_ENDED.reached();
        leave();
    }

    /** Removes the file that requires a start to name the database, and the remains of the new files. */
    private void leave() throws IOException {
        AtomicFiles.delete(folder.resolve(PostgresMember.MARK_FILE));
        discard();
    }

    private void discard() throws IOException {
        if (!Files.exists(made)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> found = Files.walk(made)) {
            all = new ArrayList<>(found.toList());
        }
        Collections.reverse(all);
        for (Path each : all) {
            Files.delete(each);
        }
        AtomicFiles.syncFolder(folder);
    }
}
