package org.chainwalletd.store.sql;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Transactions of the only process that writes an SQLite file. Each is announced in {@code sent.log} before it is committed. */
final class SqliteTransactions implements GroupCommitWriter.Transactions {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteTransactions.class);

    private final SqlSession session;
    private final String file;
    private final SentLog log;
    private final SentLog.Lines lines;
    private final long opening = randomOpening();
    private boolean opened;
    private boolean committing;
    /** Newest commit of the store; {@link #next} is the commit being prepared. */
    private CommitMark last;

    private CommitMark next;
    private volatile CommitMark confirmed;
    private volatile Optional<String> unwritten = Optional.empty();
    private final LongConsumer pruner;

    /**
     * Creates the transactions of a store.
     *
     * @param log records every commit before it is made
     * @param lines lines that the units of a commit add to the log
     * @param last newest commit of the store
     * @param pruner see {@link SentLog#prune}
     */
    SqliteTransactions(
            SqlSession session, String file, SentLog log, SentLog.Lines lines, CommitMark last, LongConsumer pruner) {
        this.session = session;
        this.file = file;
        this.log = log;
        this.lines = lines;
        this.last = last;
        this.confirmed = last;
        this.pruner = pruner;
    }

    private static long randomOpening() {
        long random = new SecureRandom().nextLong();
        return random == CommitMark.BEFORE_OPENINGS ? 1 : random;
    }

    @Override
    public SqlSession session() {
        return session;
    }

    /** Returns the newest commit that is durable both in the store and in the log. */
    CommitMark confirmed() {
        return confirmed;
    }

    @Override
    public void begin() throws SQLException {
        log.prune(pruner);
        session.update("BEGIN IMMEDIATE");
        lines.undoTo(0);
        next = new CommitMark(last.store(), opening, last.number() + 1);
        if (!Commits.count(session, next.number())) {
            throw StoreException.stopped(
                    Commits.moved(file, Commits.movedTo(session).orElseThrow()));
        }
        if (!opened) {
            Commits.open(session, next.number(), opening);
        }
    }

    /**
     * Commits; the log is forced to disk in parallel with the store, or before it if a line requires that. Commits nothing that the log has not
     * accepted.
     */
    @Override
    public void commit(Runnable settle) throws SQLException {
        try {
            log.announce(next, lines);
        } catch (IOException e) {
            throw new SQLException(SentLog.FILE_NAME + " cannot be written: " + e.getMessage(), e);
        }
        CrashPoint.STORE_BEFORE_COMMIT.reached();
        committing = true;
        session.update("COMMIT");
        committing = false;
        opened = true;
        last = next;
        settle.run();
        CrashPoint.STORE_AFTER_COMMIT.reached();
        log.made();
        confirmed = next;
        unwritten = Optional.empty();
    }

    /** Returns why the last transaction could not be written; empty if it was written. */
    Optional<String> unwritten() {
        return unwritten;
    }

    @Override
    public void rollback() {
        committing = false;
        try {
            session.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            // After some errors SQLite has already rolled back, and no transaction is left.
            LOG.debug("store {}: nothing to roll back: {}", file, e.getMessage());
        }
    }

    @Override
    public StoreException failure(Exception e) {
        if (e instanceof SentLog.UnloggedException) {
            unwritten = Optional.of(e.getMessage());
            return GroupCommitWriter.unknown(file, e);
        }
        if (e instanceof StoreException known) {
            rollback();
            return known;
        }
        unwritten = Optional.of(String.valueOf(e.getMessage()));
        boolean doubtful = committing && !(e instanceof SQLException database && Sqlite.isFull(database));
        rollback();
        return doubtful && !overwriteTheLog()
                ? GroupCommitWriter.unknown(file, e)
                : GroupCommitWriter.unavailable(file, "cannot be written: " + e.getMessage(), e);
    }

    /**
     * Overwrites the remains of a failed commit in SQLite's write-ahead log: if the process died before another commit is written there, they would
     * be taken for a commit.
     *
     * @return whether another commit was written
     */
    private boolean overwriteTheLog() {
        try {
            session.execute("BEGIN IMMEDIATE");
            session.dialect().touch(session);
            session.execute("COMMIT");
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.warn("store {}: the remains of a failed commit cannot be overwritten: {}", file, e.getMessage());
            rollback();
            return false;
        }
    }
}
