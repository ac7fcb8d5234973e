package org.chainwalletd.account;

import java.util.concurrent.CompletionException;

/** What a stage failed with, without what stages wrap around it. */
final class Failures {
    private Failures() {}

    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** For a person, in one line. */
    static String words(Throwable failure) {
        Throwable cause = unwrap(failure);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
