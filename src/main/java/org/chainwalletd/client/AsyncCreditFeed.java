package org.chainwalletd.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Waiting.ListCredits;

/**
 * Non-blocking {@link CreditFeed}: one page at a time, requested when the previous one has arrived. Thread-safe.
 *
 * <p>The feed advances only when a stage completes with a page. After a stage that failed or was cancelled, the next one starts at the same place.
 */
public final class AsyncCreditFeed {
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final WalletdCalls daemon;
    private final ListCredits query;
    private Optional<String> cursor;
    private CompletableFuture<CreditFeed.CreditPage> asked;

    /**
     * @param query which credits; its {@code wait_secs} is not used
     * @param cursor stored by an earlier run; empty starts where the query says
     */
    public AsyncCreditFeed(WalletdCalls daemon, ListCredits query, Optional<String> cursor) {
        this.daemon = daemon;
        this.query = query;
        this.cursor = cursor;
    }

    /** Cursor of the next page; empty before the first answer of a feed that was given no cursor. */
    public synchronized Optional<String> cursor() {
        moveOn();
        return cursor;
    }

    /**
     * Requests the next page, which is empty when no event has arrived within {@code wait}. Fails with {@link WalletdException}; calling again is
     * safe. Cancelling the stage cancels the call.
     *
     * @param wait at most 600 s
     * @throws IllegalStateException while the previous page is still pending
     */
    public synchronized CompletableFuture<CreditFeed.CreditPage> poll(Duration wait) {
        moveOn();
        if (asked != null) {
            throw new IllegalStateException("the page before is still asked for");
        }
        CompletableFuture<ListCredits.Result> call = daemon.callAsync(CreditFeed.CreditPage.call(query, cursor, wait));
        CompletableFuture<CreditFeed.CreditPage> page = new CompletableFuture<>();
        call.whenCompleteAsync(
                (result, failure) -> {
                    if (failure == null) {
                        page.complete(CreditFeed.CreditPage.of(result));
                    } else {
                        page.completeExceptionally(Wire.Reason.of(failure));
                    }
                },
                ON_COMPLETING_THREAD);
        page.whenCompleteAsync(
                (given, failure) -> {
                    if (page.isCancelled()) {
                        call.cancel(true);
                    }
                },
                ON_COMPLETING_THREAD);
        asked = page;
        return page;
    }

    /** The stage's own completion decides whether the feed advances: a stage cancelled while its answer arrives has returned no page. */
    private void moveOn() {
        if (asked != null && asked.isDone()) {
            if (!asked.isCompletedExceptionally()) {
                cursor = Optional.of(asked.join().cursor());
            }
            asked = null;
        }
    }
}
