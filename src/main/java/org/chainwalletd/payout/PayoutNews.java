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
 * Notifies the listener of payouts changed by another daemon, like {@link PayoutQueue} in the daemon with the background work, and of
 * whether the queue is paused. Starts with the first change after {@link #begin}. Thread-safe.
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
    /** Number of requests for the pause state, and number of the request with the newest answer. */
    private long asked;

    private long answered;

    PayoutNews(PayoutStore store, Consumer<List<Payout>> listener, Consumer<Boolean> paused, Executor executor) {
        this.store = store;
        this.listener = listener;
        this.paused = paused;
        this.executor = executor;
    }

    /** Skips the changes so far, which the queue has reported. */
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

    /** Reports the pause state, unless a later request was answered first. */
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
                                LOG.debug("changes of payouts by other daemons cannot be read: {}", failure.toString());
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

    /** An exception of the listener must not end the reading. */
    private void tell(List<Payout> payouts) {
        try {
            listener.accept(payouts);
        } catch (RuntimeException e) {
            LOG.error("changes of payouts by another daemon were not reported", e);
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
