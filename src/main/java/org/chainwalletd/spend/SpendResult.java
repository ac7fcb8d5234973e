package org.chainwalletd.spend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Intent;

/** Result of a finished spend, sent to {@link Receipts}. */
sealed interface SpendResult {
    void answer(CompletableFuture<Receipt> caller);

    /** Result reported to the callers as a failure. */
    sealed interface NotPaid extends SpendResult {
        Throwable failure();

        @Override
        default void answer(CompletableFuture<Receipt> caller) {
            caller.completeExceptionally(failure());
        }
    }

    /**
     * @param recorded complete when the store has recorded the outcome, or has failed to
     */
    record Paid(Receipt receipt, CompletionStage<?> recorded) implements SpendResult {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {
            caller.complete(receipt);
        }
    }

    record Failed(Throwable failure) implements NotPaid {}

    /** Nothing was decided or written. */
    record Refused(Throwable failure) implements NotPaid {}

    /**
     * @param settled complete when it is known whether the store has the intent
     */
    record InDoubt(Intent intent, Throwable failure, CompletionStage<?> settled) implements NotPaid {}

    /** Another spend already has the token, and nothing of this spend was written; its callers get the outcome of that other spend. */
    record TokenTaken() implements SpendResult {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {}
    }
}
