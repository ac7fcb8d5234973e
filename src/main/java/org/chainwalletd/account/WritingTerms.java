package org.chainwalletd.account;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.keeper.Background;

/**
 * Permits writes to the journal in terms: a term begins when an actor of the background work starts, and ends when it stops. No write begins in an
 * ended term, and the next term reads the journal only after all earlier writes have completed, so it finds every row. Thread-safe.
 */
final class WritingTerms {
    private final Executor executor;
    private final Set<CompletableFuture<?>> underWay = new HashSet<>();

    /** @param executor runs continuations; never blocks */
    WritingTerms(Executor executor) {
        this.executor = executor;
    }

    Term begin() {
        return new Term();
    }

    /** Completes when the writes that are now in progress have ended; never fails. */
    synchronized CompletionStage<Void> settled() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                .handleAsync((done, failure) -> null, executor);
    }

    private synchronized void over(CompletableFuture<?> write) {
        underWay.remove(write);
    }

    /** Time from the start of an actor to its stop, during which it may write. */
    final class Term {
        private boolean over;

        /** Begins a write; if this term has ended, writes nothing and fails with {@link Background#stopped}. */
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
