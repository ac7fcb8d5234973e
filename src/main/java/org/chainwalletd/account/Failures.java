package org.chainwalletd.account;

import org.chainwalletd.stage.Causes;

/** What a stage failed with, without what stages wrap around it. */
final class Failures {
    private Failures() {}

    /** For a person, in one line. */
    static String words(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
