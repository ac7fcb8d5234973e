package org.chainwalletd.spend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.store.Intent;

/** How a running spend has ended, for {@link Receipts}. */
record SpendResult(Owner.Running spend, Outcome outcome) {
    sealed interface Outcome {
        void answer(CompletableFuture<Receipt> caller);
    }

    /**
     * @param recorded complete when the store knows it too
     */
    record Paid(Receipt receipt, CompletionStage<?> recorded) implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {
            caller.complete(receipt);
        }
    }

    record Failed(Throwable failure) implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {
            caller.completeExceptionally(failure);
        }
    }

    /**
     * @param settled complete when it is known whether the store has the intent
     */
    record InDoubt(Intent intent, Throwable failure, CompletionStage<?> settled) implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {
            caller.completeExceptionally(failure);
        }
    }

    /** Another spend has its token already, and nothing of this one was written: what its callers are answered follows from that one. */
    record TokenTaken() implements Outcome {
        @Override
        public void answer(CompletableFuture<Receipt> caller) {}
    }

    void answer(CompletableFuture<Receipt> caller) {
        outcome.answer(caller);
    }
}
