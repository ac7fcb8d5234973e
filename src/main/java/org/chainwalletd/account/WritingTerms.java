package org.chainwalletd.account;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.keeper.Background;

/**
 * Permits writes to the journal in terms: each start of an actor, with the daemon's background work, begins one. A term that has ended begins no
 * write, and the next one reads the journal only after all earlier writes have completed, so it finds every row. Safe for threads.
 */
final class WritingTerms {
    private final Executor executor;
    private final Set<CompletableFuture<?>> underWay = new HashSet<>();

    /** @param executor for continuations; never blocks */
    WritingTerms(Executor executor) {
        this.executor = executor;
    }

    Term begin() {
        return new Term();
    }

    /** Completes when the writes that are under way at this moment are over; never fails. */
    synchronized CompletionStage<Void> settled() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                .handleAsync((done, failure) -> null, executor);
    }

    private synchronized void over(CompletableFuture<?> write) {
        underWay.remove(write);
    }

    /** Time from the start of an actor to its stop, in which it may write. */
    final class Term {
        private boolean over;

        /** Begins a write; fails with {@link Background#stopped}, and writes nothing, when this term has ended. */
        <T> CompletionStage<T> write(Supplier<CompletionStage<T>> begin) {
            CompletableFuture<T> write;
            synchronized (WritingTerms.this) {
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
            synchronized (WritingTerms.this) {
                over = true;
            }
        }
    }
}
