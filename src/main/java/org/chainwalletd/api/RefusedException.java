package org.chainwalletd.api;

import java.util.Optional;

/**
 * Refuses what a caller asked for, and becomes the JSON-RPC error object of the answer as it is. Every package that may use {@code api} throws it, or
 * fails a stage with it, from the place that knows the reason; no translator is needed. An actor whose reply is data replies with the {@link Refusal},
 * and whoever asked it throws. Whoever has to decide by a refusal looks at its code, or at the record of its data.
 *
 * <p>It has no stack trace: it tells of nothing that is wrong in the daemon.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    /**
     * An error object (interface.md, section 7.3).
     *
     * @param message for the caller: says what to do, never holds a secret
     * @param data the structured payload as a record, written as a result is; null for none
     */
    public record Refusal(ErrorCode code, String message, Record data) {
        /** Carries no data. */
        public Refusal(ErrorCode code, String message) {
            this(code, message, null);
        }
    }

    public RefusedException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    /** Carries no data. */
    public RefusedException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /** Carries a {@link Refusal} of these components. */
    public RefusedException(ErrorCode code, String message, Record data) {
        this(new Refusal(code, message, data));
    }

    /** Data of -32042 (decisions.md, section 2). */
    public record RetryLater(boolean retryable, long retryAfterSecs) {}

    /**
     * Data of -32044.
     *
     * @param keeper URL of the daemon that does the background work; empty while that is not known
     */
    public record AtKeeper(boolean retryable, long retryAfterSecs, Optional<String> keeper) {}

    /** -32044: nothing was begun, because background work is done elsewhere. */
    public static RefusedException notKeeper(String message, Optional<String> keeper) {
        return new RefusedException(ErrorCode.NOT_KEEPER, message, new AtKeeper(true, 1, keeper));
    }

    /** -32042: the same request can be sent again after {@code seconds}. */
    public static RefusedException tooManyRequests(String message, long seconds) {
        return new RefusedException(ErrorCode.TOO_MANY_REQUESTS, message, new RetryLater(true, seconds));
    }

    /** -32602. */
    public static RefusedException invalidParams(String message) {
        return new RefusedException(ErrorCode.INVALID_PARAMS, message);
    }

    public Refusal refusal() {
        return refusal;
    }

    public ErrorCode code() {
        return refusal.code();
    }

    /** The structured payload, or null. */
    public Record data() {
        return refusal.data();
    }
}
