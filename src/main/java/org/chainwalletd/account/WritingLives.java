package org.chainwalletd.account;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.keeper.Background;

/**
 * Writes of the journal by actors that begin anew with background work. A life that is over begins no write, and the next one reads the journal
 * only when those that were begun before are over: so it finds every row that there is. Safe for threads.
 */
final class WritingLives {
    private final Executor executor;
    private final Set<CompletableFuture<?>> underWay = new HashSet<>();

    /** @param executor for continuations; never blocks */
    WritingLives(Executor executor) {
        this.executor = executor;
    }

    Life begin() {
        return new Life();
    }

    /** Completes when the writes that are under way at this moment are over; never fails. */
    synchronized CompletionStage<Void> settled() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                .handleAsync((done, failure) -> null, executor);
    }

    private synchronized void over(CompletableFuture<?> write) {
        underWay.remove(write);
    }

    /** From the begin of an actor to its end. */
    final class Life {
        private boolean over;

        /** Begins a write; fails with {@link Background#stopped}, and writes nothing, when this life is over. */
        <T> CompletionStage<T> write(Supplier<CompletionStage<T>> begin) {
            CompletableFuture<T> write;
            synchronized (WritingLives.this) {
                if (over) {
                    return CompletableFuture.failedFuture(Background.stopped());
                }
                write = begin.get().toCompletableFuture();
                underWay.add(write);
            }
            write.whenCompleteAsync((done, failure) -> over(write), executor);
            return write;
        }

        void end() {
            synchronized (WritingLives.this) {
                over = true;
            }
        }
    }
}
