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

/** Step of a swap: the acts that have to be durable before it, the action itself, and the row's record of it afterwards. */
public sealed interface Step {
    /** Opens the secret for one use, and overwrites it when the stage of that use is complete. */
    @FunctionalInterface
    interface Secret {
        CompletionStage<String> lend(Function<SecretBytes, CompletionStage<String>> use);
    }

    /** Returns the acts with this step's mark, which must be durable before {@link #perform}. */
    Acts begun(Acts acts);

    /** Returns the reason, from then on in the row, why the swap deviates from its normal course. */
    default Optional<String> error(SwapRow row) {
        return row.error();
    }

    /**
     * Performs the step; completes with the id of its transaction if the row records it.
     *
     * @param mayBegin evaluated immediately before a lock or a first claim becomes durable or is opened again; if false, none is made and the
     *     stage fails
     */
    CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin);

    /** Records the transaction id that {@link #perform} returned. */
    default Acts named(Acts acts, String tx) {
        return acts;
    }

    /** Step that only writes its acts. */
    sealed interface Note extends Step {
        @Override
        default CompletionStage<Optional<String>> perform(
                Legs legs, SwapRow row, Secret secret, BooleanSupplier mayBegin) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    /** Marks the quote as no longer executable. */
    record Expire() implements Note {
        @Override
        public Acts begun(Acts acts) {
            return acts.expire();
        }
    }

    /** Journals our lock, unless it is no longer wanted by then, and sends it; sends the same bytes when it is repeated. */
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

    /** Abandons our lock, which is in no block and no longer wanted: one of its inputs, or its nonce, is spent to ourselves instead. */
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

    /** Claim by us, which contains the secret. */
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

    /** Journals our first claim, unless the gate has closed by then, and sends it. */
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

    /** Asks the pool to send our claim. The row, with the secret sealed in it, is the journal of that request. */
    record RevealByRelay() implements Claim {
        @Override
        public Acts begun(Acts acts) {
            return acts.permitClaim().journalClaim();
        }
    }

    /** Repeats a journalled claim. */
    record PushClaim() implements Claim {
        @Override
        public Acts begun(Acts acts) {
            return acts.journalClaim();
        }
    }

    /**
     * Withdraws the permission to claim, because the gate closed before a claim was journalled; the secret stays here until the gate opens again.
     */
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
