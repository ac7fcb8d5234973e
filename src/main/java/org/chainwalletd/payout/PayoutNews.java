package org.chainwalletd.payout;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listener of payouts that another daemon changed, as {@link PayoutQueue} does at the one with the background work,
 * and whether the queue is paused. Begins with the next change after {@link #begin}. Safe for threads.
 */
final class PayoutNews {
    private static final Logger LOG = LoggerFactory.getLogger(PayoutNews.class);

    private final PayoutStore store;
    private final Consumer<List<Payout>> listener;
    private final Consumer<Boolean> paused;
    private final Executor executor;
    private Optional<Position> position = Optional.empty();
    private boolean reading;
    private boolean stale;
    /** Number of times that the pause was asked for, and of the newest answer. */
    private long asked;

    private long answered;

    PayoutNews(PayoutStore store, Consumer<List<Payout>> listener, Consumer<Boolean> paused, Executor executor) {
        this.store = store;
        this.listener = listener;
        this.paused = paused;
        this.executor = executor;
    }

    /** Passes over the changes so far, which the queue has told. */
    void begin() {
        lookAtPause();
        store.end()
                .whenCompleteAsync(
                        (end, failure) -> {
                            synchronized (this) {
                                position = Optional.ofNullable(end);
                            }
                        },
                        executor);
    }

    /** An answer that is overtaken by one to a later question is not told. */
    private synchronized void lookAtPause() {
        long number = ++asked;
        store.isPaused()
                .whenCompleteAsync(
                        (now, failure) -> {
                            synchronized (this) {
                                if (failure == null && number > answered) {
                                    answered = number;
                                    paused.accept(now);
                                }
                            }
                        },
                        executor);
    }

    void changed() {
        synchronized (this) {
            stale = true;
            if (reading) {
                return;
            }
            reading = true;
        }
        read();
    }

    private void read() {
        Optional<Position> after;
        synchronized (this) {
            after = position;
            stale = false;
        }
        if (after.isEmpty()) {
            begin();
            ended(false);
            return;
        }
        lookAtPause();
        store.changes(after.get(), PayoutStore.MOST_AT_ONCE)
                .whenCompleteAsync(
                        (changes, failure) -> {
                            if (failure != null) {
                                LOG.debug("payouts of other daemons are not seen: {}", failure.toString());
                                ended(false);
                                return;
                            }
                            tell(changes.payouts());
                            synchronized (this) {
                                position = Optional.of(changes.next());
                            }
                            ended(changes.more());
                        },
                        executor);
    }

    /** A listener that fails must not end the reading. */
    private void tell(List<Payout> payouts) {
        try {
            listener.accept(payouts);
        } catch (RuntimeException e) {
            LOG.error("payouts that another daemon has changed are not told", e);
        }
    }

    private void ended(boolean more) {
        synchronized (this) {
            if (!more && !stale) {
                reading = false;
                return;
            }
        }
        read();
    }
}
