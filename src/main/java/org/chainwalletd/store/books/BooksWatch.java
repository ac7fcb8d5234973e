package org.chainwalletd.store.books;

import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.chainwalletd.store.BlockPlace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the head of books that another daemon writes. Looks at it every tenth of a second while somebody waits for news, otherwise once a
 * second. Thread-safe.
 */
public final class BooksWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BooksWatch.class);
    private static final long TICK_MILLIS = 100;
    private static final int IDLE_TICKS = 10;

    private final Books books;
    private final Consumer<Books.Head> changed;
    private final AtomicInteger waiting = new AtomicInteger();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "books-watch");
        thread.setDaemon(true);
        return thread;
    });
    private volatile Books.Head head = Books.Head.NONE;
    /** State of the timer's thread. */
    private int ticks = IDLE_TICKS;

    private boolean looking;
    private boolean failing;

    private BooksWatch(Books books, Consumer<Books.Head> changed) {
        this.books = books;
        this.changed = changed;
    }

    /**
     * Begins to watch.
     *
     * @param changed told each head that was seen, in order, on a thread of the watch; must not block
     */
    public static BooksWatch start(Books books, Consumer<Books.Head> changed) {
        BooksWatch watch = new BooksWatch(books, changed);
        watch.timer.scheduleWithFixedDelay(watch::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
        return watch;
    }

    /** Returns the height up to which others may be told, as {@link CreditFeed} asks for it; empty before the first block was seen. */
    public OptionalLong height() {
        return head.told().map(BlockPlace::height).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    /** Tells that somebody waits for news, until the returned action is run. */
    public Runnable await() {
        waiting.incrementAndGet();
        return waiting::decrementAndGet;
    }

    private void tick() {
        ticks++;
        if (!looking && (waiting.get() > 0 || ticks >= IDLE_TICKS)) {
            looking = true;
            ticks = 0;
            books.head(head).whenCompleteAsync(this::seen, timer);
        }
    }

    private void seen(Books.Head now, Throwable failure) {
        looking = false;
        if (failure != null) {
            if (!failing) {
                LOG.warn("the head of the books is not seen at this moment: {}", failure.toString());
            }
            failing = true;
            return;
        }
        failing = false;
        if (!now.equals(head)) {
            head = now;
            changed.accept(now);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
