package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the only thread that writes to the store. Units of work that queue up while the disk is busy share the next transaction and its fsync, so
 * durability costs one fsync per batch instead of one per spend. A unit is applied completely or not at all; its future completes only after the
 * commit.
 */
public final class GroupCommitWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitWriter.class);
    private static final int LARGEST_BATCH = 512;
    /** Maximum number of queued units, which a working disk writes in a few seconds. Each unit may contain a transaction of many kilobytes. */
    private static final int LONGEST_QUEUE = 4_096;

    private static final long LEAST_APPLYING_NANOS = 1_000_000;

    /** Unit of work inside a transaction begun by the writer. It may be run again after a rollback. */
    @FunctionalInterface
    public interface Work<T> {
        T apply(SqlSession session) throws SQLException;

        /** Returns lookups that the unit will probably make, so that the lookups of many units can be fetched at once. */
        default List<SqlSession.Lookup<?>> lookups() {
            return List.of();
        }

        /** Returns a unit of work with these lookups. */
        static <T> Work<T> of(Supplier<List<SqlSession.Lookup<?>>> lookups, Work<T> work) {
            return new Work<>() {
                @Override
                public T apply(SqlSession session) throws SQLException {
                    return work.apply(session);
                }

                @Override
                public List<SqlSession.Lookup<?>> lookups() {
                    return lookups.get();
                }
            };
        }
    }

    /** In-memory state derived from the rows, which rolls back together with the transaction that has changed both. */
    interface InMemory {
        /** Returns the number of changes so far, for {@link #undoTo}. */
        int mark();

        void undoTo(int mark);

        /** Called when all changes are committed and can no longer be undone. */
        void settle();
    }

    /** Begins and ends the writer's transactions on a database engine. Used on the writer thread. */
    public interface Transactions {
        SqlSession session();

        /** Returns the unit of work to be queued for {@code work}. Called by the submitting thread. */
        default <T> Work<T> queued(Work<T> work) {
            return work;
        }

        void begin() throws SQLException;

        /** Prefetches the lookups of these units of work if that is faster than single lookups. */
        default void prefetch(Supplier<Stream<Work<?>>> units) throws SQLException {}

        /**
         * Returns whether another unit may join the transaction.
         *
         * @param applying nanoseconds spent on applying units in it so far
         * @param committing duration of the last commit in nanoseconds
         */
        default boolean mayGrow(long applying, long committing) {
            return applying < Math.max(LEAST_APPLYING_NANOS, 2 * committing);
        }

        /**
         * Commits the transaction; returns when it is durable.
         *
         * @param settle run as soon as the transaction is committed
         * @throws RuntimeException (also a {@link StoreException}) when the transaction was committed or may have been
         */
        void commit(Runnable settle) throws SQLException;

        /** Rolls the transaction back, whatever state it is in. */
        void rollback();

        /**
         * Returns whether the connection was lost and certainly nothing was written, so that the same units may be tried once more on a new
         * connection.
         */
        default boolean isCutOff(SQLException e) {
            return false;
        }

        /** Ends the failed transaction and returns the exception for the callers of its units. */
        StoreException failure(Exception e);
    }

    private final Transactions transactions;
    private final String file;
    private final List<InMemory> memory;
    private final BlockingQueue<Unit<?>> queue = new LinkedBlockingQueue<>();
    private final Unit<Void> end = new Unit<>(ignored -> null);
    private final Thread thread;
    private final CompletableFuture<Void> died = new CompletableFuture<>();
    private boolean closed;
    private long commitNanos;
    /**
     * Creates the writer; {@link #start} starts its thread.
     *
     * @param memory in-memory state that units of work change together with the rows
     */
    GroupCommitWriter(Transactions transactions, String file, List<InMemory> memory) {
        this.transactions = transactions;
        this.file = file;
        this.memory = memory;
        this.thread = new Thread(this::run, "store-writer");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Queues a unit of work. The future fails with {@link StoreException}; it is completed on the writer thread. */
    <T> CompletableFuture<T> submit(Work<T> work) {
        Unit<T> unit = new Unit<>(transactions.queued(work));
        synchronized (this) {
            if (!closed) {
                queue.add(unit);
                return unit.future;
            }
        }
        unit.fail(unavailable(file, "is closed", null));
        return unit.future;
    }

    /**
     * Queues a unit of work that begins something new: rejected with {@link StoreException.Reason#BUSY} while {@link #LONGEST_QUEUE} units are
     * queued. Work for something already begun goes through {@link #submit} and is never rejected; its amount is bounded by what was begun.
     */
    <T> CompletableFuture<T> submitNew(Work<T> work) {
        return queue.size() < LONGEST_QUEUE
                ? submit(work)
                : CompletableFuture.failedFuture(
                        StoreException.busy("the disk is slow: " + LONGEST_QUEUE + " writes wait for store " + file));
    }

    int queued() {
        return queue.size();
    }

    /** Completes when the thread has ended unexpectedly. By then the futures of all queued units have failed, and nothing is written any more. */
    CompletableFuture<Void> died() {
        return died;
    }

    private void run() {
        Deque<Unit<?>> waiting = new ArrayDeque<>();
        try {
            writeUntilClosed(waiting);
            end.future.complete(null);
        } catch (RuntimeException | Error e) {
            try {
                failAll(waiting, e);
            } finally {
                died.complete(null);
            }
        }
    }

    private void failAll(Deque<Unit<?>> waiting, Throwable e) {
        synchronized (this) {
            closed = true;
            queue.drainTo(waiting);
        }
        StoreException failure = unavailable(file, "has lost its writer: " + e, e);
        waiting.forEach(unit -> unit.fail(failure));
        LOG.error("store {}: the writer thread has died, nothing can be written until a restart", file, e);
    }

    private void writeUntilClosed(Deque<Unit<?>> waiting) {
        boolean ended = false;
        while (!ended || !waiting.isEmpty()) {
            try {
                collect(waiting);
            } catch (InterruptedException e) {
                LOG.warn("the store writer ignores an interrupt: it ends when the store is closed");
            }
            ended |= waiting.remove(end);
            if (!waiting.isEmpty()) {
                commitSome(waiting);
            }
        }
    }

    private void collect(Deque<Unit<?>> waiting) throws InterruptedException {
        if (waiting.isEmpty()) {
            waiting.add(queue.take());
        }
        queue.drainTo(waiting, LARGEST_BATCH - waiting.size());
    }

    /** Takes units from the head of {@code waiting}, writes them, and completes their futures. */
    private void commitSome(Deque<Unit<?>> waiting) {
        List<Unit<?>> batch = new ArrayList<>();
        try {
            commitOnce(waiting, batch);
        } catch (SQLException | RuntimeException e) {
            // Whatever the driver throws, the thread continues and every future is completed.
            memory.forEach(state -> state.undoTo(0));
            StoreException failure = transactions.failure(e);
            LOG.error("store {}: {} units of work failed: {}", file, batch.size(), failure.getMessage());
            batch.forEach(unit -> unit.fail(failure));
            return;
        } catch (Error e) {
            StoreException failure = unknown(file, e);
            batch.forEach(unit -> unit.fail(failure));
            throw e;
        }
        batch.forEach(Unit::complete);
    }

    private void commitOnce(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        boolean together = false;
        try {
            together = commitTogether(waiting, batch);
        } catch (SQLException e) {
            if (!transactions.isCutOff(e)) {
                throw e;
            }
            memory.forEach(state -> state.undoTo(0));
            LOG.warn("store {}: retries a transaction after {}", file, e.getMessage());
        }
        if (!together) {
            commitEachAlone(batch);
        }
    }

    public static StoreException unknown(String store, Throwable cause) {
        return new StoreException(
                StoreException.Reason.UNKNOWN,
                "store " + store + " may or may not have been written: " + cause.getMessage(),
                cause);
    }

    public static StoreException unavailable(String store, String what, Throwable cause) {
        return StoreException.unavailable("store " + store + " " + what, cause);
    }

    /**
     * Moves units to {@code batch} and writes them in one transaction. On a disk, stops adding units once applying has taken twice as long as the
     * last commit (at least one millisecond): a second commit then costs less than the first units would wait for the rest, and callers of written
     * units proceed while the next units are applied. Uses no savepoints, which are almost never needed. Returns false, with nothing written, when a
     * unit is rejected.
     */
    private boolean commitTogether(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        batch.add(waiting.remove());
        transactions.begin();
        long began = System.nanoTime();
        boolean written = prefetched(waiting, batch) && batch.get(0).apply();
        while (written && !waiting.isEmpty() && transactions.mayGrow(System.nanoTime() - began, commitNanos)) {
            Unit<?> unit = waiting.remove();
            batch.add(unit);
            written = unit.apply();
        }
        if (!written || !flushed()) {
            transactions.rollback();
            memory.forEach(state -> state.undoTo(0));
            return false;
        }
        long applied = System.nanoTime();
        transactions.commit(this::settle);
        commitNanos = System.nanoTime() - applied;
        return true;
    }

    /** Prefetches the lookups of the units. Returns false when one of their values is rejected; all units are in {@code batch} then. */
    private boolean prefetched(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        try {
            transactions.prefetch(() -> Stream.concat(batch.stream(), waiting.stream())
                    .filter(unit -> unit != end)
                    .map(unit -> unit.work));
            return true;
        } catch (SQLException e) {
            requireRejection(e);
            batch.addAll(waiting);
            waiting.clear();
            return false;
        }
    }

    /** Sends deferred writes. Returns false when a row is rejected. */
    private boolean flushed() throws SQLException {
        try {
            transactions.session().flush();
            return true;
        } catch (SQLException e) {
            requireRejection(e);
            return false;
        }
    }

    /** Rethrows any exception that is not a rejected row; a rejection that can only be caused by a bug in this program becomes an error. */
    private void requireRejection(SQLException e) throws SQLException {
        SqlSession.Dialect dialect = transactions.session().dialect();
        if (!dialect.isConstraint(e)) {
            throw e;
        }
        if (dialect.isImpossible(e)) {
            throw new AssertionError("memory and rows differ: " + e.getMessage(), e);
        }
    }

    /** Writes the batch with a savepoint for each unit: a rejected unit leaves nothing behind, and the other units are written. */
    private void commitEachAlone(List<Unit<?>> batch) throws SQLException {
        transactions.begin();
        SqlSession session = transactions.session();
        for (Unit<?> unit : batch) {
            session.update("SAVEPOINT unit");
            int[] marks = memory.stream().mapToInt(InMemory::mark).toArray();
            if (!unit.apply() || !unit.flushed()) {
                session.forget();
                session.update("ROLLBACK TO unit");
                for (int i = 0; i < marks.length; i++) {
                    memory.get(i).undoTo(marks[i]);
                }
            }
            session.update("RELEASE unit");
        }
        transactions.commit(this::settle);
    }

    private void settle() {
        memory.forEach(InMemory::settle);
    }

    /** Writes everything that is queued, then ends the thread. Blocks. */
    void finish() throws InterruptedException {
        synchronized (this) {
            if (!closed) {
                closed = true;
                queue.add(end);
            }
        }
        thread.join();
    }

    private final class Unit<T> {
        private final Work<T> work;
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private T result;
        private StoreException refusal;

        private Unit(Work<T> work) {
            this.work = work;
        }

        /** Applies the unit. Returns false when only this unit is rejected; throws exceptions that invalidate the whole transaction. */
        private boolean apply() throws SQLException {
            refusal = null;
            try {
                result = work.apply(transactions.session());
                return true;
            } catch (SQLException e) {
                refuse(e);
            } catch (RuntimeException e) {
                refusal = e instanceof StoreException known
                        ? known
                        : StoreException.unavailable("store " + file + ": " + e, e);
            }
            return false;
        }

        /** Sends the unit's deferred writes. Returns false when a row is rejected. */
        private boolean flushed() throws SQLException {
            try {
                transactions.session().flush();
                return true;
            } catch (SQLException e) {
                refuse(e);
                return false;
            }
        }

        /** Collisions are checked before anything is written, so a rejected row is a bug in the unit's code. */
        private void refuse(SQLException e) throws SQLException {
            requireRejection(e);
            refusal = unavailable(file, "refuses a row: " + e.getMessage(), e);
        }

        private void complete() {
            if (refusal != null) {
                future.completeExceptionally(refusal);
            } else {
                future.complete(result);
            }
        }

        private void fail(StoreException failure) {
            future.completeExceptionally(failure);
        }
    }
}
