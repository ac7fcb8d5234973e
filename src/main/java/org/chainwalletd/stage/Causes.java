package org.chainwalletd.stage;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Why a stage failed, without what stages and futures wrap around it on its way. */
public final class Causes {
    private Causes() {}

    /** The failure itself when nothing is wrapped around it; null for null, as stages tell of success. */
    public static Throwable of(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
