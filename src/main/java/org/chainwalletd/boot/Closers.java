package org.chainwalletd.boot;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was started, to be stopped in the opposite order. One failure does not keep the rest from being stopped. */
final class Closers {
    private static final Logger LOG = LoggerFactory.getLogger(Closers.class);

    private final Deque<Entry> started = new ArrayDeque<>();

    /** A stop that may fail. */
    @FunctionalInterface
    interface Stop {
        void run() throws Exception;
    }

    private record Entry(String what, Stop stop) {}

    void add(String what, Stop stop) {
        started.push(new Entry(what, stop));
    }

    /**
     * Keeps the place of something that is started later than those that use it, and has to be stopped after them.
     *
     * @return told how it is stopped, once it is there; before that nothing is
     */
    Consumer<Stop> place(String what) {
        AtomicReference<Stop> later = new AtomicReference<>(() -> {});
        add(what, () -> later.get().run());
        return later::set;
    }

    /** Idempotent. */
    void closeAll() {
        while (!started.isEmpty()) {
            Entry entry = started.pop();
            LOG.debug("stopping {}", entry.what());
            try {
                entry.stop().run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception | Error e) {
                LOG.warn("stopping {} failed: {}", entry.what(), e.toString());
            }
        }
    }
}
