package org.chainwalletd.client;

import java.util.concurrent.CompletionException;

/** Why a call failed, without what stages wrap around it. The daemon has the same in a package that is not in the client's jar. */
final class Reason {
    private Reason() {}

    static Throwable of(Throwable failure) {
        Throwable reason = failure;
        while (reason instanceof CompletionException && reason.getCause() != null) {
            reason = reason.getCause();
        }
        return reason;
    }
}
