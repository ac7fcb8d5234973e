package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Database that keeps the books: begins and ends the transactions of their writer and of their reader, each on a thread of its own, and counts
 * the runs of background work.
 */
interface BooksEngine {
    /** Returns the place of the books, for messages. */
    String name();

    /** Begins a transaction of the writer; its session is another one than before when the connection was lost. */
    SqlSession begin() throws SQLException;

    /** Tells whether anybody else has written since the writer's last commit, so that what it has cached of rows may be wrong. */
    boolean othersWrote() throws SQLException;

    /**
     * Commits the writer's transaction; returns when it is durable.
     *
     * @throws StoreException {@code UNKNOWN} when it may have been committed
     */
    void commit() throws SQLException;

    /** Rolls the writer's transaction back, whatever state it is in. */
    void rollback();

    /** Tells whether the writer's connection was lost with certainly nothing written, so that the same work may be done on another one. */
    boolean isCutOff(Exception e);

    /** Returns the failure of the writer's transaction for its caller. */
    StoreException failure(Exception e);

    /** Begins a transaction that reads, whose queries all see the same moment. */
    SqlSession beginReading() throws SQLException;

    void endReading() throws SQLException;

    /** Tells whether the reader's connection was lost; the next transaction has another one. */
    boolean isReadingCutOff(Exception e);

    /** Returns what tells of the commits of all daemons; empty where one daemon has the books for itself. */
    Optional<Watching> watching();

    /** Connection of its own on which one thread looks whether somebody has written. */
    interface Watching extends AutoCloseable {
        /** Returns the number of the last commit; connects when there is no connection. */
        long lastCommit() throws SQLException;

        /** Stops the books for every daemon, because a commit that was seen is missing. */
        void stop(long missing) throws SQLException;

        /** Begins a transaction that reads, see {@link #beginReading}. */
        SqlSession begin() throws SQLException;

        void end() throws SQLException;

        /** Closes the connection, whatever state it is in. */
        @Override
        void close();
    }

    /** Returns the number of this daemon's last run of background work. */
    long run();

    /** Tells whether the run of this number is the current one; inside a transaction of the writer. */
    boolean isCurrent(long run);

    /**
     * Ends the current run, and begins another one of this daemon; inside a transaction of the writer.
     *
     * @param own whether only a run of this daemon ends, and nothing begins when the current one is another daemon's
     * @return false when nothing begins because the lease on background work is another daemon's
     */
    boolean nextRun(boolean own) throws SQLException;

    /**
     * Returns the generation of numbers in feeds to which a run belongs. Empty where nothing but a new file forgets numbers. Inside a transaction of
     * the writer.
     */
    Optional<Generation> generation() throws SQLException;

    /**
     * Generation of numbers, see {@link BookTable#beginGeneration}.
     *
     * @param start number of the last start of a daemon: higher than that of any earlier one, also of one that the database has forgotten
     * @param timeline of the server: higher after each fail-over, whichever daemons run
     */
    record Generation(long start, long timeline) {}

    void close() throws SQLException;
}
