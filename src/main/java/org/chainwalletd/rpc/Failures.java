package org.chainwalletd.rpc;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Translator of any failure of a method into an error of the catalogue. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final long RETRY_AFTER_SECONDS = 1;

    private final List<ErrorTranslator> translators;

    Failures(List<ErrorTranslator> translators) {
        this.translators = List.copyOf(translators);
    }

    RefusedException translate(Throwable failure, String method, CallContext context) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof RefusedException refusal) {
            return refusal;
        }
        if (cause instanceof WireException refusal) {
            return RefusedException.invalidParams(refusal.getMessage());
        }
        for (ErrorTranslator translator : translators) {
            Optional<RefusedException> translated = translator.translate(cause);
            if (translated.isPresent()) {
                return translated.get();
            }
        }
        if (cause instanceof RejectedExecutionException) {
            return busy();
        }
        return internal(cause, method, context);
    }

    /** Creates the refusal of an overloaded daemon: nothing was started, the same call can be sent again. */
    static RefusedException busy() {
        return RefusedException.tooManyRequests("the daemon is busy, try again in a second", RETRY_AFTER_SECONDS);
    }

    /** Creates an internal error. Details go to the log only: the text of an exception may quote data that the caller must not see. */
    static RefusedException internal(Throwable cause, String method, CallContext context) {
        LOG.error("{} failed unexpectedly, request {}", method, context.requestId(), cause);
        return new RefusedException(
                ErrorCode.INTERNAL_ERROR,
                "internal error in " + method + "; the daemon's log has details under request " + context.requestId());
    }
}
