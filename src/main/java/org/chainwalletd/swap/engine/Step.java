package org.chainwalletd.swap.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;

/** Step of a swap: what has to be durable before it, how it is done, and what the row says of it afterwards. */
public sealed interface Step {
    /** Opens the secret for one use, and overwrites it when the stage of that is complete. */
    @FunctionalInterface
    interface Secret {
        CompletionStage<String> lend(Function<SecretBytes, CompletionStage<String>> use);
    }

    /** Acts that are durable before it. */
    Acts begun(Acts acts);

    /** Why the swap does not go on as hoped, from then on. */
    default Optional<String> error(SwapRow row) {
        return row.error();
    }

    /**
     * Does it; completes with the id of its transaction, where the row names that.
     *
     * @param mayBegin asked in the moment before a lock or a first claim becomes durable; false: none is made, and the stage fails
     */
    CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin);

    /** Records the transaction id that {@link #perform} returned. */
    default Acts named(Acts acts, String tx) {
        return acts;
    }

    /** Only writes its acts. */
    sealed interface Note extends Step {
        @Override
        default CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    /** The quote cannot be executed any more. */
    record Expire() implements Note {
        @Override
        public Acts begun(Acts acts) {
            return acts.expire();
        }
    }

    /** Our lock is journalled, unless it is not wanted any more by then, and leaves, or leaves again, as the same bytes. */
    record SendLock() implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.lock();
        }

        @Override
        public CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return legs.sendLock(row, mayBegin).thenApplyAsync(Optional::of, Runnable::run);
        }

        @Override
        public Acts named(Acts acts, String tx) {
            return acts.lockedBy(tx);
        }
    }

    /** Our lock is in no block and not wanted any more: what it spends goes back to ourselves. */
    record AbandonLock(String why) implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.abandon();
        }

        @Override
        public Optional<String> error(SwapRow row) {
            return Optional.of(why);
        }

        @Override
        public CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return legs.abandonLock(row).thenApplyAsync(done -> Optional.empty(), Runnable::run);
        }
    }

    /** Our claim, with the secret in it. */
    sealed interface Claim extends Step {
        @Override
        default CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return secret.lend(bytes -> legs.pushClaim(row, bytes, () -> true))
                    .thenApplyAsync(Optional::of, Runnable::run);
        }

        @Override
        default Acts named(Acts acts, String tx) {
            return acts.claimedBy(tx);
        }
    }

    /** Our first claim is journalled, unless the gate that was open counts no more by then, and leaves. */
    record Reveal() implements Claim {
        @Override
        public Acts begun(Acts acts) {
            return acts.permitClaim();
        }

        @Override
        public CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return secret.lend(bytes -> legs.pushClaim(row, bytes, mayBegin))
                    .thenApplyAsync(Optional::of, Runnable::run);
        }
    }

    /** The pool is asked to send our claim: the row, with the secret sealed in it, is the journal of that request. */
    record RevealByRelay() implements Claim {
        @Override
        public Acts begun(Acts acts) {
            return acts.permitClaim().journalClaim();
        }
    }

    /** Once more. */
    record PushClaim() implements Claim {
        @Override
        public Acts begun(Acts acts) {
            return acts.journalClaim();
        }
    }

    /** The gate was open, and has closed before a claim was journalled: the secret stays until it opens again. */
    record WithdrawPermission(String why) implements Note {
        @Override
        public Acts begun(Acts acts) {
            return acts.withdrawPermission();
        }

        @Override
        public Optional<String> error(SwapRow row) {
            return Optional.of(SwapRow.PERMISSION_UNUSED + why);
        }
    }

    record TakeBack() implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.refund();
        }

        @Override
        public CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return legs.takeBack(row).thenApplyAsync(Optional::of, Runnable::run);
        }

        @Override
        public Acts named(Acts acts, String tx) {
            return acts.refundedBy(tx);
        }
    }
}
