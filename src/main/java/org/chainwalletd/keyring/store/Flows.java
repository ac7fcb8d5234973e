package org.chainwalletd.keyring.store;

import java.util.concurrent.CompletionStage;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;

/** Waits for what another pool or an actor was asked. */
public final class Flows {
    private Flows() {}

    /** Blocks until {@code stage} has ended; throws what it failed with. Never on a thread of the pool that works on it, nor on an actor's. */
    public static <T> T join(CompletionStage<T> stage) {
        return Causes.join(
                stage.toCompletableFuture(),
                failure -> failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure));
    }

    /** The value, or the failure thrown. */
    public static <T> T valueOf(Outcome<T> outcome) {
        return outcome.fold(value -> value, failure -> {
            throw failure instanceof RuntimeException refusal ? refusal : Causes.passedOn(failure);
        });
    }
}
