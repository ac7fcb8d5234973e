package org.chainwalletd.boot;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.swap.engine.SwapBook;

/**
 * Swaps as owners of locks and keys, at one of several daemons on a store: only the daemon that runs the background work knows them.
 *
 * @param isRunning whether this daemon runs it
 * @param isConfigured whether this daemon makes swaps; another daemon may make them regardless
 */
record SwapOwners(SwapBook book, BooleanSupplier isRunning, boolean isConfigured, SwapStore rows, Executor executor)
        implements HtlcOwners {
    @Override
    public Optional<String> of(Hash256 hashLock) {
        return book.of(hashLock);
    }

    /** Also reads the journal: a daemon that was paused may not know yet that another one runs the background work and has started a swap. */
    @Override
    public CompletionStage<Void> known(Hash256 hashLock) {
        return known().thenComposeAsync(yes -> rows.ofHashLock(hashLock), executor)
                .thenAcceptAsync(
                        found -> {
                            if (isConfigured
                                    && found.filter(SwapStore.SwapEntry::watched)
                                            .isPresent()
                                    && book.of(hashLock).isEmpty()) {
                                throw Background.stopped();
                            }
                        },
                        executor);
    }

    /** Completes when the book may be queried; fails if only another daemon, or currently no daemon, knows the open swaps. */
    CompletionStage<Void> known() {
        if (isRunning.getAsBoolean()) {
            return book.isKnown()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new StoreException(
                            StoreException.Reason.BUSY, "the journal of swaps is being read; try again", null));
        }
        return isConfigured
                ? CompletableFuture.failedFuture(Background.stopped())
                : rows.newest().thenAcceptAsync(SwapOwners::requireNone, executor);
    }

    private static void requireNone(Optional<SwapStore.SwapEntry> newest) {
        if (newest.isPresent()) {
            throw Background.stopped();
        }
    }
}
