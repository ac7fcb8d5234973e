package org.chainwalletd.store;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. Units of work that wait while the disk is busy share the next transaction and its one fsync: the price of
 * durability is paid per batch, not per spend. A unit is applied whole or not at all; its future completes only after the commit.
 */
final class GroupCommitWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitWriter.class);
    private static final int LARGEST_BATCH = 512;
    /** Some seconds of a disk that works; each may carry a transaction of many kilobytes. */
    private static final int LONGEST_QUEUE = 4_096;

    private static final long LEAST_APPLYING_NANOS = 1_000_000;

    /** One unit of work inside a transaction that the writer began. It may be run again after a rollback. */
    @FunctionalInterface
    interface Work<T> {
        T apply(SqlSession session) throws SQLException;
    }

    /** State in memory that follows from the rows, and goes back together with the transaction that has changed both. */
    interface InMemory {
        /** Number of changes so far, to go back to with {@link #undoTo}. */
        int mark();

        void undoTo(int mark);

        /** All changes are committed. */
        void settle();
    }

    private final SqlSession session;
    private final String file;
    private final List<InMemory> memory;
    private final SentLog log;
    private final SentLog.Lines lines;
    private final BlockingQueue<Unit<?>> queue = new LinkedBlockingQueue<>();
    private final Unit<Void> end = new Unit<>(ignored -> null);
    private final Thread thread;
    private final CompletableFuture<Void> died = new CompletableFuture<>();
    private boolean closed;
    private boolean committing;
    private long commitNanos;
    private final long opening = randomOpening();
    private boolean opened;
    /** The newest commit of the store, and the one that is being prepared. */
    private CommitMark last;

    private CommitMark next;
    private volatile CommitMark confirmed;
    private final LongConsumer pruner;
    private final AtomicReference<SentLog.Successor> successor = new AtomicReference<>();
    private boolean pruning;

    /**
     * @param memory what the units of a commit change beside the rows
     * @param log has every commit before it is made
     * @param lines what the units of a commit say there
     * @param last commit of the store
     * @param pruner makes a successor of the log, elsewhere, and hands it to {@link #succeed}; is given where the log ends now
     */
    GroupCommitWriter(
            SqlSession session,
            String file,
            List<InMemory> memory,
            SentLog log,
            SentLog.Lines lines,
            CommitMark last,
            LongConsumer pruner) {
        this.pruner = pruner;
        this.session = session;
        this.file = file;
        this.memory = memory;
        this.log = log;
        this.lines = lines;
        this.last = last;
        this.confirmed = last;
        this.thread = new Thread(this::run, "store-writer");
        thread.setDaemon(true);
    }

    private static long randomOpening() {
        long random = new SecureRandom().nextLong();
        return random == CommitMark.BEFORE_OPENINGS ? 1 : random;
    }

    void start() {
        thread.start();
    }

    /** The newest commit that is on the disk, in the store and in the log. */
    CommitMark confirmed() {
        return confirmed;
    }

    /** The future fails with {@link StoreException}; it is completed on the writer's thread. */
    <T> CompletableFuture<T> submit(Work<T> work) {
        Unit<T> unit = new Unit<>(work);
        synchronized (this) {
            if (!closed) {
                queue.add(unit);
                return unit.future;
            }
        }
        unit.fail(unavailable("is closed", null));
        return unit.future;
    }

    /**
     * As {@link #submit}, for what nobody has been promised yet: refused with {@link StoreException.Reason#BUSY} while too much waits. What
     * belongs to something that was begun is never refused; it is bounded by what was begun.
     */
    <T> CompletableFuture<T> submitNew(Work<T> work) {
        return queue.size() < LONGEST_QUEUE
                ? submit(work)
                : CompletableFuture.failedFuture(new StoreException(
                        StoreException.Reason.BUSY,
                        "the disk is slow: " + LONGEST_QUEUE + " writes wait for store " + file,
                        null));
    }

    int queued() {
        return queue.size();
    }

    /** Complete when the thread has ended although it was not told to; whoever waited has been answered, and nothing is written any more. */
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
        StoreException failure = unavailable("has lost its writer: " + e, e);
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

    /** Takes units from the head of {@code waiting}, writes them, and answers them. */
    private void commitSome(Deque<Unit<?>> waiting) {
        List<Unit<?>> batch = new ArrayList<>();
        try {
            if (!commitTogether(waiting, batch)) {
                commitEachAlone(batch);
            }
        } catch (UnloggedException e) {
            StoreException failure = unknown(e);
            LOG.error("store {}: {} units of work are in doubt: {}", file, batch.size(), failure.getMessage());
            batch.forEach(unit -> unit.fail(failure));
            return;
        } catch (SQLException | RuntimeException e) {
            // Whatever the driver throws, the thread lives and everybody gets an answer.
            StoreException failure = failure(e);
            LOG.error("store {}: {} units of work failed: {}", file, batch.size(), failure.getMessage());
            batch.forEach(unit -> unit.fail(failure));
            return;
        } catch (Error e) {
            StoreException failure = unknown(e);
            batch.forEach(unit -> unit.fail(failure));
            throw e;
        }
        batch.forEach(Unit::complete);
    }

    private StoreException failure(Exception e) {
        boolean doubtful = committing && !(e instanceof SQLException database && Sqlite.isFull(database));
        rollback();
        return doubtful && !overwriteTheLog() ? unknown(e) : unavailable("cannot be written: " + e.getMessage(), e);
    }

    /**
     * What a commit that failed has left in the log is taken for a commit if the process dies before another one has been written over it.
     *
     * @return whether one has
     */
    private boolean overwriteTheLog() {
        try {
            session.execute("BEGIN IMMEDIATE");
            Sqlite.touch(session);
            session.execute("COMMIT");
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.warn("store {}: the failed commit cannot be written over: {}", file, e.getMessage());
            rollback();
            return false;
        }
    }

    private StoreException unknown(Throwable cause) {
        return new StoreException(
                StoreException.Reason.UNKNOWN,
                "store " + file + " may or may not have been written: " + cause.getMessage(),
                cause);
    }

    /**
     * Moves units to {@code batch} and writes them, until a second commit costs less than what the first ones would wait for the rest: so
     * those that are written go on while the next are applied. Without savepoints, which nearly never are of use; false, with nothing
     * written, when a unit is refused.
     */
    private boolean commitTogether(Deque<Unit<?>> waiting, List<Unit<?>> batch) throws SQLException {
        long began = System.nanoTime();
        long longest = Math.max(LEAST_APPLYING_NANOS, 2 * commitNanos);
        batch.add(waiting.remove());
        begin();
        boolean written = batch.get(0).apply(session);
        while (written && !waiting.isEmpty() && System.nanoTime() - began < longest) {
            Unit<?> unit = waiting.remove();
            batch.add(unit);
            written = unit.apply(session);
        }
        if (!written) {
            session.update("ROLLBACK");
            undoAll();
            return false;
        }
        long applied = System.nanoTime();
        commit();
        commitNanos = System.nanoTime() - applied;
        return true;
    }

    /** A unit that is refused leaves nothing behind, and the others are written. */
    private void commitEachAlone(List<Unit<?>> batch) throws SQLException {
        begin();
        for (Unit<?> unit : batch) {
            session.update("SAVEPOINT unit");
            int[] marks = memory.stream().mapToInt(InMemory::mark).toArray();
            int line = lines.mark();
            if (!unit.apply(session)) {
                session.update("ROLLBACK TO unit");
                for (int i = 0; i < marks.length; i++) {
                    memory.get(i).undoTo(marks[i]);
                }
                lines.undoTo(line);
            }
            session.update("RELEASE unit");
        }
        commit();
    }

    /** The commit is made, and the log of it cannot be forced to the disk: what it has decided must not leave before it is. */
    private static final class UnloggedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnloggedException(IOException cause) {
            super(SentLog.FILE_NAME + " cannot be written: " + cause.getMessage(), cause);
        }
    }

    /**
     * The log is forced to the disk while the store is, and before it when a line must be there first. Nothing is committed that the log does
     * not take.
     */
    private void commit() throws SQLException {
        announce();
        CrashPoint.STORE_BEFORE_COMMIT.reached();
        committing = true;
        session.update("COMMIT");
        committing = false;
        opened = true;
        last = next;
        memory.forEach(InMemory::settle);
        CrashPoint.STORE_AFTER_COMMIT.reached();
        try {
            log.made();
        } catch (IOException e) {
            throw new UnloggedException(e);
        }
        confirmed = next;
    }

    private void announce() throws SQLException {
        try {
            log.announce(next, lines);
            CrashPoint.STORE_LOGGED.reached();
            if (lines.goFirst()) {
                log.force();
            } else {
                log.beginForce();
            }
        } catch (IOException e) {
            throw new SQLException(SentLog.FILE_NAME + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** The log is exchanged between two commits for one that tells only of what the store still knows. */
    private void prune() {
        try {
            SentLog.Successor ready = successor.getAndSet(null);
            if (ready != null) {
                pruning = false;
                log.exchange(ready);
            } else if (!pruning && log.isWorthPruning()) {
                pruning = true;
                pruner.accept(log.end());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("store {}: {} cannot be pruned: {}", file, SentLog.FILE_NAME, e.getMessage());
        }
    }

    /** Takes the successor at the next commit. */
    void succeed(SentLog.Successor ready) {
        successor.set(ready);
    }

    /** What no commit came for is not needed any more. */
    void dropSuccessor() throws IOException {
        SentLog.Successor ready = successor.getAndSet(null);
        if (ready != null) {
            ready.log().discard();
        }
    }

    private void begin() throws SQLException {
        prune();
        session.update("BEGIN IMMEDIATE");
        lines.undoTo(0);
        next = new CommitMark(last.store(), opening, last.number() + 1);
        Commits.count(session, next.number());
        if (!opened) {
            Commits.open(session, next.number(), opening);
        }
    }

    private void undoAll() {
        memory.forEach(state -> state.undoTo(0));
        lines.undoTo(0);
    }

    private void rollback() {
        committing = false;
        undoAll();
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
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private T result;
        private StoreException refusal;

        private Unit(Work<T> work) {
            this.work = work;
        }

        /** False when this unit alone is refused; an error that spoils the whole transaction is thrown. */
        private boolean apply(SqlSession on) throws SQLException {
            refusal = null;
            try {
                result = work.apply(on);
                return true;
            } catch (SQLException e) {
                if (!Sqlite.isConstraint(e)) {
                    throw e;
                }
                // Collisions are looked for before anything is written, so this is a fault of the unit.
                refusal = unavailable("refuses a row: " + e.getMessage(), e);
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
