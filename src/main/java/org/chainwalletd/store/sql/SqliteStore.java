package org.chainwalletd.store.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Default store: one SQLite file, {@code walletd.db} (0600), in write-ahead mode with one fsync per commit. One thread writes with group commit and
 * one reads; callers block only while it opens and closes.
 */
public final class SqliteStore extends SqlStore {
    public static final String FILE_NAME = "walletd.db";

    private static final Logger LOG = LoggerFactory.getLogger(SqliteStore.class);
    /**
     * Page size of new files in bytes. A spend touches two random pages, in the indexes of transaction ids and of tokens; with a quarter of SQLite's
     * default page size they take a quarter of the bytes. Files of older releases keep their page size.
     */
    private static final int PAGE_SIZE = 1_024;

    private static final long TRIED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String file;
    private final SqlSession readSession;
    private final SqlSession writeSession;
    private final SqliteTransactions transactions;
    /** Monotonic time of the last attempt to write again to a store that could not be written. */
    private final AtomicLong tried = new AtomicLong(System.nanoTime() - TRIED_AGAIN_NANOS);

    private final ExecutorService pruner = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sent-log-pruning");
        thread.setDaemon(true);
        return thread;
    });
    private final Optional<SentLog> log;
    private final Optional<String> stopped;
    private final boolean forgetful;

    /**
     * Creates the store.
     *
     * @param log empty when the store is stopped and therefore never written
     */
    private SqliteStore(
            String file,
            SqlSession readSession,
            SqlSession writeSession,
            Optional<SentLog> log,
            Optional<String> stopped)
            throws SQLException {
        super(file);
        this.file = file;
        this.readSession = readSession;
        this.writeSession = writeSession;
        this.log = log;
        this.stopped = stopped;
        this.forgetful = Commits.isForgetful(writeSession);
        load(writeSession);
        this.transactions = new SqliteTransactions(
                writeSession,
                file,
                log.orElse(null),
                lines,
                Commits.last(writeSession),
                from -> pruner.execute(() -> prune(from)));
        createWriter(transactions);
    }

    /** Opens the store as {@link #open(Path, Optional)} does, without books to compare its commits with. */
    public static SqliteStore open(Path folder) {
        return open(folder, Optional.empty());
    }

    /**
     * Opens or creates the store in {@code folder}, checks it and upgrades it to the newest version. Blocks. A store that has lost payments is opened
     * as {@link #stopped}.
     *
     * @param books the last commit recorded in the books, which the store must contain
     * @throws StoreException naming the file: {@code DAMAGED}, and the file is left as it is, never replaced; or {@code UNAVAILABLE}
     */
    public static SqliteStore open(Path folder, Optional<CommitMark> books) {
        return open(folder, books, SentLog.LEAST_TO_PRUNE);
    }

    /**
     * Opens the store as {@link #open(Path, Optional)} does.
     *
     * @param leastToPrune size in bytes below which the log is not pruned
     */
    static SqliteStore open(Path folder, Optional<CommitMark> books, long leastToPrune) {
        Path path = path(folder);
        try {
            StoreMemory memory = unmoved(folder, books);
            if (!Files.exists(path) && !memory.isEmpty()) {
                Sqlite.requireNoLog(path);
                throw StoreException.damaged(missing(path));
            }
            SqlSession write = connectUnmoved(path, memory);
            Optional<String> stopped = memory.complaint(write).map(complaint -> StoreMemory.stopped(path, complaint));
            stopped.ifPresent(LOG::error);
            Optional<SentLog> log = stopped.isPresent()
                    ? Optional.empty()
                    : Optional.of(openLog(folder, write, memory.log(), leastToPrune));
            SqliteStore store = new SqliteStore(path.toString(), connect(path), write, log, stopped);
            store.startWriter();
            return store;
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    /**
     * Opens a file that is being moved, for reading only: as in a stopped store, nothing is written.
     *
     * @param why reason why nothing is written
     */
    public static SqliteStore openReadOnly(Path folder, String why) {
        Path path = path(folder);
        try {
            SqliteStore store =
                    new SqliteStore(path.toString(), connect(path), connect(path), Optional.empty(), Optional.of(why));
            store.startWriter();
            return store;
        } catch (SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    /**
     * Reads the records kept beside the store.
     *
     * @throws StoreException when they show that the payments of the datadir are in a database
     */
    private static StoreMemory unmoved(Path folder, Optional<CommitMark> books) throws IOException {
        StoreMemory memory = StoreMemory.of(folder, books);
        if (memory.isShared()) {
            throw refused("the payments of the datadir " + folder.toAbsolutePath() + " are in a database, as "
                    + SentLog.FILE_NAME
                    + " in it tells, and their client tokens would pay again: name the database with"
                    + " --store");
        }
        return memory;
    }

    /**
     * Opens the file as {@link #connectForWriting} does.
     *
     * @throws StoreException when the store was moved
     */
    private static SqlSession connectUnmoved(Path path, StoreMemory memory) throws IOException, SQLException {
        SqlSession session = connectForWriting(path);
        Optional<String> moved = moved(session, path, memory);
        if (moved.isPresent()) {
            session.close();
            throw refused(moved.get());
        }
        return session;
    }

    /**
     * Returns the operator message about a moved store; empty when the store was not moved. A file marked as moved is never written again: later
     * commits in the log beside it belong to the file that replaced it when the store was moved back.
     */
    private static Optional<String> moved(SqlSession session, Path path, StoreMemory memory) throws SQLException {
        Optional<String> database = Commits.movedTo(session);
        if (database.isEmpty()) {
            return Optional.empty();
        }
        Optional<CommitMark> certain = memory.log().map(SentLog.Known::certain);
        boolean goneOn = certain.isPresent()
                && certain.get().store().equals(Commits.id(session))
                && !Commits.has(session, certain.get());
        return Optional.of(
                goneOn
                        ? "the store " + path + " was moved to " + database.get() + ", and " + SentLog.FILE_NAME
                                + " beside it has later commits of a file. When the payments were moved back since, it is an"
                                + " older copy: move it away, and run: chain-walletd --datadir "
                                + path.getParent() + " store restored; else start with --store " + database.get()
                        : Commits.moved(path.toString(), database.get()));
    }

    /**
     * Returns the name of the database that the store in {@code folder} was moved to; empty when it was not moved, or that cannot be determined.
     * Blocks.
     */
    public static Optional<String> movedTo(Path folder) {
        Path path = path(folder);
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (SqlSession session = Sqlite.connectReadOnly(path)) {
            return Schema.isNewest(session) ? Commits.movedTo(session) : Optional.empty();
        } catch (SQLException e) {
            LOG.debug("store {}: {}", path, e.getMessage());
            return Optional.empty();
        }
    }

    public static Path path(Path folder) {
        return folder.resolve(FILE_NAME).toAbsolutePath();
    }

    public static SqlSession connectForWriting(Path path) throws IOException, SQLException {
        AtomicFiles.createFolder(path.getParent());
        if (Files.exists(path)) {
            Sqlite.requireWhole(path);
        } else {
            Sqlite.requireNoLog(path);
            Sqlite.make(path, PAGE_SIZE, Schema::make);
        }
        SqlSession write = connect(path);
        check(write, path.toString());
        Schema.migrate(write, path.toString());
        return write;
    }

    /**
     * Opens the log. The log is rewritten from the store when it does not exist yet, or lacks the store's last commit because it was restored from a
     * copy.
     */
    private static SentLog openLog(Path folder, SqlSession session, Optional<SentLog.Known> known, long leastToPrune)
            throws IOException, SQLException {
        CommitMark last = Commits.last(session);
        boolean goesOn = known.filter(log ->
                        log.last().opening() == last.opening() && log.last().number() >= last.number())
                .isPresent();
        if (!goesOn) {
            StoreRestore.writeLog(folder, session);
        }
        AtomicFiles.delete(folder.resolve(StoreMemory.EARLIER_FILE));
        return SentLog.open(folder, leastToPrune);
    }

    /**
     * Returns whether the store in {@code folder} is missing or has lost payments. May upgrade the store's version, changes nothing else; blocks.
     */
    public static boolean needsRestore(Path folder, Optional<CommitMark> books) {
        Path path = path(folder);
        try {
            StoreMemory memory = unmoved(folder, books);
            if (!Files.exists(path)) {
                return !memory.isEmpty();
            }
            try (SqlSession session = connectUnmoved(path, memory)) {
                return memory.complaint(session).isPresent();
            }
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    /**
     * Returns the problem that the next start would report about the store in {@code folder}; empty when it would use the store, or when an older
     * release wrote it. Changes nothing and may be called while a daemon is running; blocks.
     */
    public static Optional<String> look(Path folder, Optional<CommitMark> books) {
        Path path = path(folder);
        try {
            // Read this before the store, because a running daemon may commit in between.
            StoreMemory memory = unmoved(folder, books);
            if (!Files.exists(path)) {
                return memory.isEmpty() ? Optional.empty() : Optional.of(missing(path));
            }
            Sqlite.requireWhole(path);
            try (SqlSession session = Sqlite.connectReadOnly(path)) {
                if (!Schema.isNewest(session)) {
                    return Optional.empty();
                }
                Optional<String> moved = moved(session, path, memory);
                return moved.isPresent()
                        ? moved
                        : memory.complaint(session).map(complaint -> StoreMemory.stopped(path, complaint));
            }
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    private static String missing(Path path) {
        return StoreMemory.stopped(path, "is missing although this datadir has worked with one");
    }

    /** Returns those of {@code txIds} that belong to no spend of the store in {@code folder}, in their given order. Blocks. */
    public static List<Hash256> unknown(Path folder, List<Hash256> txIds) {
        Path path = path(folder);
        try (SqlSession session = connectForWriting(path)) {
            return unknown(session, txIds);
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    /**
     * Restores a store that is {@link #stopped} or missing: adds everything that {@code sent.log} contains and the store lacks, and makes it the
     * store of this datadir. Blocks; nothing else may use the datadir meanwhile. After an interruption, run the restore again: the log, which
     * contains the most, is replaced last.
     *
     * @param without whether the operator accepts that a log is missing, damaged or too old
     * @param tellBooks receives the commit that the books must record from then on
     * @throws StoreException {@code UNAVAILABLE} when there is nothing to restore, or a log is missing and {@code without} is false
     */
    public static StoreRestore.Restored restore(
            Path folder, Optional<CommitMark> books, boolean without, Consumer<CommitMark> tellBooks) {
        Path path = path(folder);
        try {
            StoreMemory memory = unmoved(folder, books);
            boolean missing = !Files.exists(path);
            try (SqlSession session = connectUnmoved(path, memory)) {
                Optional<String> complaint = memory.complaint(session);
                if (complaint.isEmpty() && (!missing || memory.isEmpty())) {
                    throw refused("the store " + path
                            + " is the one that this datadir has worked with: there is nothing" + " to be restored");
                }
                return restore(folder, session, memory, without, tellBooks);
            }
        } catch (IOException | SQLException e) {
            throw Sqlite.unusable(path, e);
        }
    }

    private static StoreRestore.Restored restore(
            Path folder, SqlSession session, StoreMemory memory, boolean without, Consumer<CommitMark> tellBooks)
            throws IOException, SQLException {
        StoreRestore restore = new StoreRestore(session);
        session.execute("BEGIN IMMEDIATE");
        if (memory.log().isPresent()) {
            restore.enterAll(folder);
        }
        boolean complete = memory.log().isPresent();
        long highest = memory.log().map(known -> known.last().number()).orElse(0L);
        for (CommitMark mark : memory.marks().values()) {
            complete &= Commits.has(session, mark) || restore.hasSeen(mark);
            highest = Math.max(highest, mark.number());
        }
        if (!complete && !without) {
            session.execute("ROLLBACK");
            throw refused(SentLog.FILE_NAME + " in " + folder.toAbsolutePath() + " is "
                    + (memory.damage().isPresent()
                            ? "damaged"
                            : memory.log().isPresent() ? "older than the payments that are missing" : "missing")
                    + ", so that payments stay forgotten, and their client tokens pay again: put its newest copy back;"
                    + " or, when it is lost, stop the worker that pays, look up on the chain what it has paid, mark that"
                    + " in its books, and run this with --without " + SentLog.FILE_NAME);
        }
        CommitMark mark = restore.begin(highest, !complete);
        session.execute("COMMIT");
        CrashPoint.RESTORE_ENTERED.reached();
        tellBooks.accept(mark);
        CrashPoint.RESTORE_TOLD.reached();
        StoreRestore.writeLog(folder, session);
        AtomicFiles.delete(folder.resolve(StoreMemory.EARLIER_FILE));
        return restore.report(mark, complete);
    }

    private static StoreException refused(String why) {
        return StoreException.unavailable(why, null);
    }

    private static SqlSession connect(Path path) throws SQLException {
        SqlSession session = Sqlite.connect(path);
        session.execute("PRAGMA foreign_keys = ON");
        return session;
    }

    private static void check(SqlSession session, String file) throws SQLException {
        Optional<String> damage = Sqlite.damage(session);
        if (damage.isPresent()) {
            throw StoreException.damaged("the store " + file + " is damaged: " + damage.get());
        }
    }

    @Override
    public Optional<String> stopped() {
        return stopped;
    }

    @Override
    public Optional<String> complaint() {
        Optional<String> why = stopped.isPresent() ? Optional.empty() : transactions.unwritten();
        if (why.isPresent()) {
            tryAgain();
        }
        return why.map(text -> "the store " + file + " cannot be written, so nothing is spent until it can: " + text);
    }

    /** Makes an empty commit: while the complaint keeps payments away, nothing else would notice that the disk has space again. */
    private void tryAgain() {
        long before = tried.get();
        long now = System.nanoTime();
        if (now - before >= TRIED_AGAIN_NANOS && tried.compareAndSet(before, now)) {
            write(session -> null);
        }
    }

    @Override
    public boolean isForgetful() {
        return forgetful;
    }

    @Override
    public Optional<CommitMark> confirmed() {
        return stopped.isPresent() ? Optional.empty() : Optional.of(transactions.confirmed());
    }

    @Override
    protected SqlSession reading() {
        return readSession;
    }

    /** Prunes the log on a separate thread while the writer continues. */
    private void prune(long from) {
        Path path = Path.of(file);
        try (SqlSession session = connect(path)) {
            log.orElseThrow().setSuccessor(StoreRestore.successor(path.getParent(), session, from));
        } catch (IOException | SQLException | RuntimeException | Error e) {
            log.orElseThrow().pruningHasFailed();
            LOG.warn("store {}: {} cannot be pruned yet: {}", file, SentLog.FILE_NAME, e.getMessage());
        }
    }

    @Override
    public void close() {
        pruner.shutdown();
        try {
            finish();
            if (!pruner.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("store {}: the pruning of its log did not finish in time", file);
            }
            readSession.close();
            writeSession.close();
            if (log.isPresent()) {
                log.get().close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException | IOException e) {
            LOG.warn("store {}: {}", file, e.getMessage());
        }
    }
}
