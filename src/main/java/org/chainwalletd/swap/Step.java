package org.chainwalletd.swap;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.crypto.SecretBytes;

/** What a swap does next: what has to be durable before it, how it is done, and what the row says of it afterwards. */
public sealed interface Step {
    /** Opens the secret for one use, and overwrites it when the stage of that is complete. */
    @FunctionalInterface
    interface Secret {
        CompletionStage<String> lend(Function<SecretBytes, CompletionStage<String>> use);
    }

    /** What is durable before it. */
    Acts begun(Acts acts);

    /** Why the swap does not go on as hoped, from then on. */
    default Optional<String> error(SwapRow row) {
        return row.error();
    }

    /** Does it; completes with the id of its transaction, where the row names that. */
    CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret);

    /** With the id that {@link #perform} gave. */
    default Acts named(Acts acts, String tx) {
        return acts;
    }

    /** The quote cannot be executed any more. */
    record Expire() implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.expire();
        }

        @Override
        public CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    /** Our lock leaves, or leaves again, as the same bytes. */
    record SendLock() implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.lock();
        }

        @Override
        public CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret) {
            return legs.sendLock(row).thenApplyAsync(Optional::of, Runnable::run);
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
        public CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret) {
            return legs.abandonLock(row).thenApplyAsync(done -> Optional.empty(), Runnable::run);
        }
    }

    /** Our claim leaves, with the secret in it: that it may have left is durable before. */
    sealed interface Claim extends Step {
        @Override
        default Acts begun(Acts acts) {
            return acts.reveal();
        }

        @Override
        default CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret) {
            return secret.lend(bytes -> legs.pushClaim(row, bytes)).thenApplyAsync(Optional::of, Runnable::run);
        }

        @Override
        default Acts named(Acts acts, String tx) {
            return acts.claimedBy(tx);
        }
    }

    /** For the first time: what was in the way until now is over. */
    record Reveal() implements Claim {
        @Override
        public Optional<String> error(SwapRow row) {
            return Optional.empty();
        }
    }

    /** Once more. */
    record PushClaim() implements Claim {}

    /** Our lock is taken back. */
    record TakeBack() implements Step {
        @Override
        public Acts begun(Acts acts) {
            return acts.refund();
        }

        @Override
        public CompletionStage<Optional<String>> perform(Legs legs, SwapRow row, Secret secret) {
            return legs.takeBack(row).thenApplyAsync(Optional::of, Runnable::run);
        }

        @Override
        public Acts named(Acts acts, String tx) {
            return acts.refundedBy(tx);
        }
    }
}
