package org.chainwalletd.payout;

import static org.chainwalletd.stage.Blocking.await;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Changes;
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
    private final Executor threads;
    /** Whether a read is to begin, which will find all changes so far. */
    private final AtomicBoolean due = new AtomicBoolean();
    /** Whether the position is from an earlier time as a listener, so that the next read begins at the end. */
    private final AtomicBoolean forgotten = new AtomicBoolean();

    private Optional<Position> position = Optional.empty();

    /**
     * @param threads threads that wait for the store
     */
    PayoutNews(PayoutStore store, Consumer<List<Payout>> listener, Consumer<Boolean> paused, Executor threads) {
        this.store = store;
        this.listener = listener;
        this.paused = paused;
        this.threads = threads;
    }

    /** Skips the changes so far, which the queue has reported. */
    void begin() {
        CompletionStage<Position> end = store.end();
        Work.on(threads, () -> read(Optional.of(end)), () -> forgotten.set(true));
    }

    void changed() {
        if (!due.getAndSet(true)) {
            Work.on(threads, () -> read(Optional.empty()), () -> due.set(false));
        }
    }

    /** @param anew the end of the changes to be skipped, which must not include later ones; empty to continue from the last position */
    private synchronized Void read(Optional<CompletionStage<Position>> anew) {
        if (anew.isEmpty()) {
            due.set(false);
        }
        if (forgotten.getAndSet(false) || anew.isPresent()) {
            position = Optional.empty();
        }
        try {
            if (position.isEmpty()) {
                position = Optional.of(await(anew.orElseGet(store::end)));
                return null;
            }
            boolean more = true;
            while (more) {
                Changes changes = await(store.changes(position.get(), PayoutStore.MOST_AT_ONCE));
                tell(changes.payouts());
                position = Optional.of(changes.next());
                more = changes.more();
            }
        } catch (RuntimeException e) {
            LOG.debug("changes of payouts by other daemons cannot be read: {}", e.toString());
        } finally {
            lookAtPause();
        }
        return null;
    }

    private void lookAtPause() {
        try {
            paused.accept(await(store.isPaused()));
        } catch (RuntimeException e) {
            LOG.debug("whether payouts are paused cannot be read: {}", e.toString());
        }
    }

    /** An exception of the listener must not end the reading. */
    private void tell(List<Payout> payouts) {
        try {
            listener.accept(payouts);
        } catch (RuntimeException e) {
            LOG.error("changes of payouts by another daemon were not reported", e);
        }
    }
}
