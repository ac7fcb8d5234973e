package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Database of the books: begins and ends the transactions of the writer and of the reader, each on its own thread, and numbers the runs of
 * background work.
 */
interface BooksEngine {
    /** Returns the location of the books, for messages. */
    String name();

    /** Begins a transaction of the writer; returns a new session when the connection was lost. */
    SqlSession begin() throws SQLException;

    /** Returns whether another process has written since the writer's last commit, so that the writer's row caches may be stale. */
    boolean othersWrote() throws SQLException;

    /**
     * Commits the writer's transaction; returns when it is durable.
     *
     * @throws StoreException {@code UNKNOWN} when it may have been committed
     */
    void commit() throws SQLException;

    /** Rolls back the writer's transaction, in any state. */
    void rollback();

    /** Returns whether the writer's connection was lost with certainly nothing written, so that the work may be repeated on a new one. */
    default boolean isCutOff(Exception e) {
        return false;
    }

    /** Converts a failure of the writer's transaction for its caller. */
    StoreException failure(Exception e);

    /** Begins a read transaction, whose queries all see the same snapshot. */
    SqlSession beginReading() throws SQLException;

    void endReading() throws SQLException;

    /** Returns whether the reader's connection was lost; the next transaction uses a new one. */
    default boolean isReadingCutOff(Exception e) {
        return false;
    }

    /** Returns the connection that polls for commits of all daemons; empty when one daemon uses the books alone. */
    default Optional<Watching> watching() {
        return Optional.empty();
    }

    /** Separate connection on which one thread polls for commits. */
    interface Watching extends AutoCloseable {
        /** Returns the number of the last commit; connects if necessary. */
        long lastCommit() throws SQLException;

        /** Stops the books for every daemon, because a commit that was seen is missing. */
        void stop(long missing) throws SQLException;

        /** Begins a read transaction, see {@link #beginReading}. */
        SqlSession begin() throws SQLException;

        void end() throws SQLException;

        @Override
        void close();
    }

    /** Returns the number of this daemon's last run of background work. */
    long run();

    /** Returns whether the run with this number is the current one; inside a transaction of the writer. */
    boolean isCurrent(long run);

    /**
     * Ends the current run and begins a new run of this daemon; inside a transaction of the writer.
     *
     * @param own whether only a run of this daemon is ended; nothing happens when the current run is another daemon's
     * @return false when no run begins because another daemon holds the lease on background work
     */
    boolean nextRun(boolean own) throws SQLException;

    /**
     * Returns the generation of feed numbers that a run belongs to; empty if numbers are never lost except with the file. Inside a transaction of
     * the writer.
     */
    default Optional<Generation> generation() throws SQLException {
        return Optional.empty();
    }

    /**
     * Generation of numbers, see {@link BookTable#beginGeneration}.
     *
     * @param start number of the last start of a daemon: higher than that of any earlier start, including starts that the database has lost
     * @param timeline of the server: increases with each fail-over, independently of the daemons
     */
    record Generation(long start, long timeline) {}

    void close() throws SQLException;
}
