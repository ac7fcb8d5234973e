package org.chainwalletd.keyring.store;

import java.util.concurrent.CompletionStage;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;

/** Blocking waits for the result of another pool or an actor. */
public final class Flows {
    private Flows() {}

    /**
     * Blocks until {@code stage} has ended; throws its failure. Must not be called on a thread of the pool that does the work, nor on an
     * actor's thread.
     */
    public static <T> T join(CompletionStage<T> stage) {
        return Causes.join(
                stage.toCompletableFuture(),
                failure -> failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure));
    }

    /** Returns the value, or throws the failure. */
    public static <T> T valueOf(Outcome<T> outcome) {
        return outcome.fold(value -> value, failure -> {
            throw failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure);
        });
    }
}
