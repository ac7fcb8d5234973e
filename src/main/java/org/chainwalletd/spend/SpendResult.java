package org.chainwalletd.spend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Intent;

/** Result of a running spend, for {@link Receipts}. */
record SpendResult(Owner.Running spend, Outcome outcome) {
    sealed interface Outcome {
        void answer(CompletableFuture<Receipt> caller);
    }

    /** Outcome that its callers are told as a failure. */
    sealed interface NotPaid extends Outcome {
        Throwable failure();

        @Override
        default void answer(CompletableFuture<Receipt> caller) {
            caller.completeExceptionally(failure());
        }
    }

    /** @param recorded complete when the store has the outcome too, or has failed to write it */
    record Paid(Receipt receipt, CompletionStage<?> recorded) implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {
            caller.complete(receipt);
        }
    }

    record Failed(Throwable failure) implements NotPaid {}

    /** Nothing was decided on and nothing written. */
    record Refused(Throwable failure) implements NotPaid {}

    /**
     * @param settled complete when it is known whether the store has the intent
     */
    record InDoubt(Intent intent, Throwable failure, CompletionStage<?> settled) implements NotPaid {}

    /** The token belongs to another spend already, and nothing of this one was written; the answer for its callers follows from the other one. */
    record TokenTaken() implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {}
    }

    void answer(CompletableFuture<Receipt> caller) {
        outcome.answer(caller);
    }
}
