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
 * Looks ten times a second whether any daemon has written the books that several share, as long as somebody listens, and tells of their head when
 * it has changed. Stops the books when a commit that was seen is missing, because the daemon that made it may be gone. Each look is one query of
 * one row on a connection of its own, so that neither long reads nor long writes delay it. A database that does not answer is looked for again
 * and again. Thread-safe.
 */
public final class BooksWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BooksWatch.class);
    private static final long TICK_MILLIS = 100;
    /** Pause after a look that has failed. */
    private static final long PAUSE_MILLIS = 500;

    private static final long CLOSING_SECONDS = 10;

    /**
     * Head of the books at one commit.
     *
     * @param commit number of the commit, which is the last one
     * @param told the block up to which others may be told; empty before the first one
     * @param credit number of the last entry in the log of credits
     */
    public record Head(long commit, Optional<BlockPlace> told, long credit) {
        /** The head before anything was seen. */
        static final Head NONE = new Head(-1, Optional.empty(), 0);
    }

    private final String name;
    private final BooksEngine.Watching database;
    private final boolean credited;
    private Optional<ScheduledExecutorService> timer = Optional.empty();
    private boolean closed;
    private volatile long seenNanos = System.nanoTime();
    /** State of the timer's thread. */
    private final List<Consumer<Head>> listeners = new ArrayList<>();

    private Head head = Head.NONE;

    private boolean failing;
    private final AtomicBoolean hinted = new AtomicBoolean();

    BooksWatch(String name, BooksEngine.Watching database, List<? extends BookTable<?, ?>> tables) {
        this.name = name;
        this.database = database;
        this.credited = tables.stream().anyMatch(CreditTable.class::isInstance);
    }

    /** Listens, see {@code Books.whenChanged}. */
    synchronized Runnable listen(Consumer<Head> listener) {
        Consumer<Head> one = listener::accept;
        if (closed) {
            return () -> {};
        }
        boolean first = timer.isEmpty();
        if (first) {
            seenNanos = System.nanoTime();
            timer = Optional.of(Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "books-watch");
                thread.setDaemon(true);
                return thread;
            }));
        }
        timer.get().execute(() -> begin(one));
        if (first) {
            timer.get().execute(this::look);
        }
        return () -> end(one);
    }

    private synchronized void end(Consumer<Head> listener) {
        if (!closed) {
            timer.orElseThrow().execute(() -> listeners.remove(listener));
        }
    }

    private void begin(Consumer<Head> listener) {
        listeners.add(listener);
        if (head != Head.NONE) {
            listener.accept(head);
        }
    }

    /** Returns for how long nothing was seen, see {@code Books.unseenMillis}. */
    long unseenMillis() {
        long unseen = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seenNanos);
        return unseen <= 2 * PAUSE_MILLIS ? 0 : unseen;
    }

    /** Looks at once, because there may be something new; one look waits at a time. */
    void hint() {
        synchronized (this) {
            if (closed || timer.isEmpty() || hinted.getAndSet(true)) {
                return;
            }
            timer.get().execute(() -> {
                hinted.set(false);
                see();
            });
        }
    }

    private void look() {
        again(see());
    }

    /** @return milliseconds until the next look */
    private long see() {
        long pause = TICK_MILLIS;
        try {
            Head now = listeners.isEmpty() ? head : read();
            seenNanos = System.nanoTime();
            if (failing) {
                LOG.info("{}: the head of the books is seen again", name);
            }
            failing = false;
            if (!now.equals(head)) {
                head = now;
                listeners.forEach(listener -> tell(listener, now));
            }
        } catch (SQLException | RuntimeException e) {
            database.close();
            pause = PAUSE_MILLIS;
            if (!failing) {
                LOG.warn("{}: the head of the books is not seen now: {}", name, e.getMessage());
            }
            failing = true;
        }
        return pause;
    }

    /** Tells one listener, whose failure must not keep the head from the others. It is told once. */
    private void tell(Consumer<Head> listener, Head now) {
        try {
            listener.accept(now);
        } catch (RuntimeException e) {
            LOG.error("{}: a new head of the books could not be told", name, e);
        }
    }

    private synchronized void again(long pause) {
        if (!closed) {
            timer.orElseThrow().schedule(this::look, pause, TimeUnit.MILLISECONDS);
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
        // The snapshot may be of a later commit than the number: then the next look reads it once more.
        Head now = new Head(commit, told(page, head.told()), credited ? CreditTable.lastNumber(page) : 0);
        database.end();
        return now;
    }

    /** As long as the block that was told before is on the chain, none below it is told instead. */
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
                    LOG.warn("{}: a look at the head did not end in time", name);
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
