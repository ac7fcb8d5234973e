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
 * Swaps as owners of locks and keys at one of several daemons on a store: only the one that does the background work knows them.
 *
 * @param isRunning whether this daemon does it
 * @param isConfigured whether this daemon makes swaps; another one may all the same
 */
record SwapOwners(SwapBook book, BooleanSupplier isRunning, boolean isConfigured, SwapStore rows, Executor executor)
        implements HtlcOwners {
    @Override
    public Optional<String> of(Hash256 hashLock) {
        return book.of(hashLock);
    }

    /** Reads the journal too: a daemon that was paused may not know yet that another one does the background work and has begun a swap. */
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

    /** Completes when the book may be asked; fails where only another daemon, or nobody at this moment, knows the open swaps. */
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
