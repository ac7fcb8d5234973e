package org.chainwalletd.api;

import java.util.Optional;

/**
 * Refusal of a request, which becomes the JSON-RPC error object of the answer unchanged. Every package that may use {@code api} throws it, or
 * fails a stage with it, where the reason is known, so no translator is needed. An actor whose reply is data replies with the
 * {@link Refusal}, and the caller throws. Code that depends on a refusal checks its code, or the type of its data.
 *
 * <p>It has no stack trace, because it does not indicate a fault of the daemon.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    /**
     * Error object (interface.md, section 7.3).
     *
     * @param message for the caller: says what to do, never contains a secret
     * @param data structured payload as a record, serialized like a result; null for none
     */
    public record Refusal(ErrorCode code, String message, Record data) {
        /** Creates a refusal without data. */
        public Refusal(ErrorCode code, String message) {
            this(code, message, null);
        }
    }

    public RefusedException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    /** Creates a refusal without data. */
    public RefusedException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /** Creates a refusal of these components. */
    public RefusedException(ErrorCode code, String message, Record data) {
        this(new Refusal(code, message, data));
    }

    /** {@code data} of error -32042 (decisions.md, section 2). */
    public record RetryLater(boolean retryable, long retryAfterSecs) {}

    /**
     * {@code data} of error -32044.
     *
     * @param keeper URL of the daemon that runs the background work; empty if unknown
     */
    public record AtKeeper(boolean retryable, long retryAfterSecs, Optional<String> keeper) {}

    /** Creates error -32044: nothing was started, because another daemon runs the background work. */
    public static RefusedException notKeeper(String message, Optional<String> keeper) {
        return new RefusedException(ErrorCode.NOT_KEEPER, message, new AtKeeper(true, 1, keeper));
    }

    /** Creates error -32042: the same request can be sent again after {@code seconds}. */
    public static RefusedException tooManyRequests(String message, long seconds) {
        return new RefusedException(ErrorCode.TOO_MANY_REQUESTS, message, new RetryLater(true, seconds));
    }

    /** Creates error -32602. */
    public static RefusedException invalidParams(String message) {
        return new RefusedException(ErrorCode.INVALID_PARAMS, message);
    }

    public Refusal refusal() {
        return refusal;
    }

    public ErrorCode code() {
        return refusal.code();
    }

    /** Structured payload, or null. */
    public Record data() {
        return refusal.data();
    }
}
