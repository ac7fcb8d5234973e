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
 * Runs the only thread that writes to the store. Units of work that queue up while the disk is busy share the next transaction and its one fsync,
 * so durability costs one fsync per batch instead of one per spend. A unit is applied whole or not at all; its future completes only after the
 * commit.
 */
public final class GroupCommitWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitWriter.class);
    private static final int LARGEST_BATCH = 512;
    /** Upper limit of queued units: what a working disk writes in some seconds. Each unit may carry a transaction of many kilobytes. */
    private static final int LONGEST_QUEUE = 4_096;

    private static final long LEAST_APPLYING_NANOS = 1_000_000;

    /** Unit of work inside a transaction that the writer began. It may be run again after a rollback. */
    @FunctionalInterface
    public interface Work<T> {
        T apply(SqlSession session) throws SQLException;

        /** Returns lookups that the unit will probably make, for fetching those of many units at once. */
        default List<SqlSession.Lookup<?>> lookups() {
            return List.of();
        }

        /** Returns a unit of work that tells its lookups. */
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

    /** State in memory that is derived from the rows, and rolls back together with the transaction that has changed both. */
    interface InMemory {
        /** Returns the number of changes so far, for {@link #undoTo}. */
        int mark();

        void undoTo(int mark);

        /** Called when all changes are committed: they can no longer be undone. */
        void settle();
    }

    /** Begins and ends the writer's transactions on a database engine. Used on the writer's thread. */
    public interface Transactions {
        SqlSession session();

        /** Returns the unit of work to be queued for {@code work}. Called by the thread that submits it. */
        default <T> Work<T> queued(Work<T> work) {
            return work;
        }

        void begin() throws SQLException;

        /** Fetches what these units of work look up, where that is quicker than one lookup after the other. */
        default void foresee(Supplier<Stream<Work<?>>> units) throws SQLException {}

        /**
         * Returns whether another unit may join the transaction.
         *
         * @param applying nanoseconds for which units have been applied in it
         * @param committing nanoseconds that the last commit has taken
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
         * Returns whether the connection was lost with certainly nothing written, so that the same units may be tried once more on another
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
     * @param memory state that units of work change together with the rows
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

    /** Queues a unit of work. The future fails with {@link StoreException}; it is completed on the writer's thread. */
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
     * Queues a unit of work that begins something new: refused with {@link StoreException.Reason#BUSY} while {@link #LONGEST_QUEUE} units wait.
     * Work that belongs to something already begun goes through {@link #submit} and is never refused; its amount is bounded by what was begun.
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

    /** Completes when the thread has ended without being told to. By then every waiting caller has its failure, and nothing is written any more. */
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
                giveUp(waiting, e);
            } finally {
                died.complete(null);
            }
        }
    }

    private void giveUp(Deque<Unit<?>> waiting, Throwable e) {
        synchronized (this) {
            closed = true;
            queue.drainTo(waiting);
        }
        StoreException failure = unavailable(file, "has lost its writer: " + e, e);
        waiting.forEach(unit -> unit.fail(failure));
        LOG.error("store {}: its writer has died, nothing can be written any more", file, e);
    }

    private void writeUntilClosed(Deque<Unit<?>> waiting) {
        boolean ended = false;
        while (!ended || !waiting.isEmpty()) {
            try {
                collect(waiting);
            } catch (InterruptedException e) {
                LOG.warn("the store's writer ignores an interrupt: it ends when the store is closed");
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
            // Whatever the driver throws, the thread goes on and every caller gets an answer.
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
            LOG.warn("store {}: begins anew after {}", file, e.getMessage());
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
     * Moves units to {@code batch} and writes them in one transaction. On a disk, stops taking more once applying has lasted twice as long as the
     * last commit took (at least one millisecond): then a second commit costs less than what the first units would wait for the rest, and callers
     * of written units proceed while the next are applied. Uses no savepoints, which are almost never needed. Returns false, with nothing written,
     * when a unit is refused.
     */
    private boolean commitTogether(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        batch.add(waiting.remove());
        transactions.begin();
        long began = System.nanoTime();
        boolean written = foreseen(waiting, batch) && batch.get(0).apply();
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

    /** Fetches what the units look up. Returns false when a value of any of them is refused; then all are in {@code batch}. */
    private boolean foreseen(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        try {
            transactions.foresee(() -> Stream.concat(batch.stream(), waiting.stream())
                    .filter(unit -> unit != end)
                    .map(unit -> unit.work));
            return true;
        } catch (SQLException e) {
            requireRefusal(e);
            batch.addAll(waiting);
            waiting.clear();
            return false;
        }
    }

    /** Sends deferred writes. Returns false when a row is refused. */
    private boolean flushed() throws SQLException {
        try {
            transactions.session().flush();
            return true;
        } catch (SQLException e) {
            requireRefusal(e);
            return false;
        }
    }

    /** Throws everything that is not the refusal of a row, and the refusal of one that can only be due to a fault in this program. */
    private void requireRefusal(SQLException e) throws SQLException {
        SqlSession.Dialect dialect = transactions.session().dialect();
        if (!dialect.isConstraint(e)) {
            throw e;
        }
        if (dialect.isImpossible(e)) {
            throw new AssertionError("memory and rows differ: " + e.getMessage(), e);
        }
    }

    /** Writes the batch with a savepoint for each unit: one that is refused leaves nothing behind, and the others are written. */
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

        /** Applies the unit. Returns false when this unit alone is refused; throws an error that spoils the whole transaction. */
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

        /** Sends the unit's deferred writes. Returns false when a row is refused. */
        private boolean flushed() throws SQLException {
            try {
                transactions.session().flush();
                return true;
            } catch (SQLException e) {
                refuse(e);
                return false;
            }
        }

        /** Collisions are checked before anything is written, so a refused row is a fault in the unit's code. */
        private void refuse(SQLException e) throws SQLException {
            requireRefusal(e);
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
