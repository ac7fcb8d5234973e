package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/**
 * The one thread that writes. Units of work that wait while the disk is busy share the next transaction and its one fsync: the price of
 * durability is paid per batch, not per spend. A unit is applied whole or not at all; its future completes only after the commit.
 */
final class GroupCommitWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitWriter.class);
    private static final int LARGEST_BATCH = 512;
    private static final long PATIENCE_NANOS = 20_000_000;

    /** One unit of work inside a transaction that the writer began. It may be run again after a rollback. */
    @FunctionalInterface
    interface Work<T> {
        T apply(SqlSession session) throws SQLException;
    }

    private final SqlSession session;
    private final String file;
    private final BlockingQueue<Unit<?>> queue = new LinkedBlockingQueue<>();
    private final Unit<Void> end = new Unit<>(ignored -> null, false);
    private final Thread thread;
    private boolean closed;

    GroupCommitWriter(SqlSession session, String file) {
        this.session = session;
        this.file = file;
        this.thread = new Thread(this::run, "store-writer");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** The future fails with {@link StoreException}; it is completed on the writer's thread. */
    <T> CompletableFuture<T> submit(Work<T> work) {
        return submit(new Unit<>(work, false));
    }

    /** As {@link #submit}, in the same order, for what nobody waits for: it is kept a moment to share the commit of something urgent. */
    <T> CompletableFuture<T> submitPatiently(Work<T> work) {
        return submit(new Unit<>(work, true));
    }

    private <T> CompletableFuture<T> submit(Unit<T> unit) {
        synchronized (this) {
            if (!closed) {
                queue.add(unit);
                return unit.future;
            }
        }
        unit.fail(unavailable("is closed", null));
        return unit.future;
    }

    int queued() {
        return queue.size();
    }

    private void run() {
        List<Unit<?>> batch = new ArrayList<>();
        boolean ended = false;
        while (!ended) {
            batch.clear();
            try {
                collect(batch);
            } catch (InterruptedException e) {
                LOG.warn("the store's writer ignores an interrupt: it ends when the store is closed");
            }
            ended = batch.remove(end);
            if (!batch.isEmpty()) {
                commit(batch);
            }
        }
        end.future.complete(null);
    }

    private void collect(List<Unit<?>> batch) throws InterruptedException {
        Unit<?> last = queue.take();
        batch.add(last);
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (last != null && last.patient && batch.size() < LARGEST_BATCH) {
            last = queue.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (last != null) {
                batch.add(last);
            }
        }
        queue.drainTo(batch, LARGEST_BATCH - batch.size());
    }

    private void commit(List<Unit<?>> batch) {
        try {
            if (!commitTogether(batch)) {
                commitEachAlone(batch);
            }
        } catch (SQLException | RuntimeException e) {
            // Whatever the driver throws, the thread lives and everybody gets an answer.
            rollback();
            LOG.error("store {}: {} units of work failed: {}", file, batch.size(), e.getMessage());
            StoreException failure = unavailable("cannot be written: " + e.getMessage(), e);
            batch.forEach(unit -> unit.fail(failure));
            return;
        }
        batch.forEach(Unit::complete);
    }

    /** Without savepoints, which nearly never are of use; false, with nothing written, when a unit is refused. */
    private boolean commitTogether(List<Unit<?>> batch) throws SQLException {
        session.update("BEGIN IMMEDIATE");
        for (Unit<?> unit : batch) {
            if (!unit.apply(session)) {
                session.update("ROLLBACK");
                return false;
            }
        }
        session.update("COMMIT");
        return true;
    }

    /** A unit that is refused leaves nothing behind, and the others are written. */
    private void commitEachAlone(List<Unit<?>> batch) throws SQLException {
        session.update("BEGIN IMMEDIATE");
        for (Unit<?> unit : batch) {
            session.update("SAVEPOINT unit");
            if (!unit.apply(session)) {
                session.update("ROLLBACK TO unit");
            }
            session.update("RELEASE unit");
        }
        session.update("COMMIT");
    }

    private void rollback() {
        try {
            session.execute("ROLLBACK");
        } catch (SQLException | RuntimeException e) {
            // SQLite has rolled back by itself after some errors; there is no transaction left then.
            LOG.debug("store {}: nothing to roll back: {}", file, e.getMessage());
        }
    }

    private StoreException unavailable(String what, Throwable cause) {
        return new StoreException(StoreException.Reason.UNAVAILABLE, "store " + file + " " + what, cause);
    }

    /** Writes what is queued, then ends. Blocks. */
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
        private final boolean patient;
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private T result;
        private StoreException refusal;

        private Unit(Work<T> work, boolean patient) {
            this.work = work;
            this.patient = patient;
        }

        /** False when this unit alone is refused; an error that spoils the whole transaction is thrown. */
        private boolean apply(SqlSession on) throws SQLException {
            refusal = null;
            try {
                result = work.apply(on);
                return true;
            } catch (SQLException e) {
                if ((e.getErrorCode() & 0xff) != SQLiteErrorCode.SQLITE_CONSTRAINT.code) {
                    throw e;
                }
                refusal = new StoreException(
                        StoreException.Reason.CONFLICT, "store " + file + ": already there: " + e.getMessage(), e);
            } catch (RuntimeException e) {
                refusal = e instanceof StoreException known
                        ? known
                        : new StoreException(StoreException.Reason.UNAVAILABLE, "store " + file + ": " + e, e);
            }
            return false;
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
