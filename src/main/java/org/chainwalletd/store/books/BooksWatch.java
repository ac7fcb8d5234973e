package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.SqlSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the shared books ten times a second for writes of any daemon while there are listeners, and reports each new head to them. Stops the books
 * when a commit that was seen is missing, because the daemon that made it may no longer run. Each poll is a query of one row on a separate
 * connection, so that long reads and writes do not delay it. Retries as long as the database does not answer. Thread-safe.
 */
public final class BooksWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BooksWatch.class);
    private static final long TICK_MILLIS = 100;
    private static final long RETRY_MILLIS = 500;

    private static final long CLOSING_SECONDS = 10;

    /**
     * Head of the books as of a commit.
     *
     * @param commit number of the last commit
     * @param told the highest block that may be reported; empty before the first one
     * @param credit number of the last entry in the log of credits
     */
    public record Head(long commit, Optional<BlockPlace> told, long credit) {
        static final Head NONE = new Head(-1, Optional.empty(), 0);
    }

    private final String name;
    private final BooksEngine.Watching database;
    private final boolean hasCredits;
    private Optional<ScheduledExecutorService> timer = Optional.empty();
    private boolean closed;
    private volatile long readNanos = System.nanoTime();
    /** State confined to the timer's thread. */
    private final List<Consumer<Head>> listeners = new ArrayList<>();

    private Head head = Head.NONE;

    private boolean failing;
    private final AtomicBoolean hinted = new AtomicBoolean();

    BooksWatch(String name, BooksEngine.Watching database, List<? extends BookTable<?, ?>> tables) {
        this.name = name;
        this.database = database;
        this.hasCredits = tables.stream().anyMatch(CreditTable.class::isInstance);
    }

    /** Adds a listener, see {@code Books.whenChanged}. */
    synchronized Runnable listen(Consumer<Head> listener) {
        Consumer<Head> added = listener::accept;
        if (closed) {
            return () -> {};
        }
        boolean first = timer.isEmpty();
        if (first) {
            readNanos = System.nanoTime();
            timer = Optional.of(Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "books-watch");
                thread.setDaemon(true);
                return thread;
            }));
        }
        timer.get().execute(() -> add(added));
        if (first) {
            timer.get().execute(this::poll);
        }
        return () -> remove(added);
    }

    private synchronized void remove(Consumer<Head> listener) {
        if (!closed) {
            timer.orElseThrow().execute(() -> listeners.remove(listener));
        }
    }

    private void add(Consumer<Head> listener) {
        listeners.add(listener);
        if (head != Head.NONE) {
            listener.accept(head);
        }
    }

    /** Returns for how long polling has failed, see {@code Books.unseenMillis}. */
    long unseenMillis() {
        long unseen = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readNanos);
        return unseen <= 2 * RETRY_MILLIS ? 0 : unseen;
    }

    /** Polls immediately; hints that arrive before that poll runs are merged. */
    void hint() {
        synchronized (this) {
            if (closed || timer.isEmpty() || hinted.getAndSet(true)) {
                return;
            }
            timer.get().execute(() -> {
                hinted.set(false);
                readHead();
            });
        }
    }

    private void poll() {
        schedule(readHead());
    }

    /**
     * Polls once.
     *
     * @return milliseconds until the next poll
     */
    private long readHead() {
        long pause = TICK_MILLIS;
        try {
            Head now = listeners.isEmpty() ? head : read();
            readNanos = System.nanoTime();
            if (failing) {
                LOG.info("{}: the books can be read again", name);
            }
            failing = false;
            if (!now.equals(head)) {
                head = now;
                listeners.forEach(listener -> report(listener, now));
            }
        } catch (SQLException | RuntimeException e) {
            database.close();
            pause = RETRY_MILLIS;
            if (!failing) {
                LOG.warn("{}: cannot poll the books: {}", name, e.getMessage());
            }
            failing = true;
        }
        return pause;
    }

    /** Calls one listener, once; its failure must not keep the head from the other listeners. */
    private void report(Consumer<Head> listener, Head now) {
        try {
            listener.accept(now);
        } catch (RuntimeException e) {
            LOG.error("{}: a listener for the head of the books failed", name, e);
        }
    }

    private synchronized void schedule(long pause) {
        if (!closed) {
            timer.orElseThrow().schedule(this::poll, pause, TimeUnit.MILLISECONDS);
        }
    }

    private Head read() throws SQLException {
        long commit = database.lastCommit();
        if (commit == head.commit()) {
            return head;
        }
        if (commit < head.commit()) {
            database.stop(head.commit());
        }
        SqlSession session = database.begin();
        Page page = BooksSession.ofReader(session).head();
        // The snapshot may be of a later commit than this number; the next poll then reads it again.
        Head now = new Head(commit, told(page, head.told()), hasCredits ? CreditTable.lastNumber(page) : 0);
        database.end();
        return now;
    }

    /** Returns the block to report: never a lower one than before while the block reported before is on the chain. */
    private static Optional<BlockPlace> told(Page page, Optional<BlockPlace> before) {
        Optional<BlockPlace> now = BlockRows.told(page).map(BlockRow::place);
        long height = now.map(BlockPlace::height).orElse(-1L);
        return before.filter(last -> last.height() > height && BlockRows.has(page, last))
                .or(() -> now);
    }

    @Override
    public void close() {
        Optional<ScheduledExecutorService> ending;
        synchronized (this) {
            closed = true;
            ending = timer;
        }
        ending.ifPresent(thread -> {
            thread.shutdownNow();
            try {
                if (!thread.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn("{}: a poll of the books did not end in time", name);
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            database.close();
        });
    }
}
