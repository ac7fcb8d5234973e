package org.chainwalletd.rpc;

import org.chainwalletd.api.ErrorCode;

/** A refusal that is answered to the caller as a JSON-RPC error object. */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final transient Record data;

    public RpcException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /**
     * @param message for the caller: says what to do, never holds a secret
     * @param data the error's structured payload as a record (serialised like a result), or null for none
     */
    public RpcException(ErrorCode code, String message, Record data) {
        super(message, null, false, false);
        this.code = code;
        this.data = data;
    }

    /** Data of -32042 (decisions.md, section 2). */
    record RetryLater(boolean retryable, long retryAfterSecs) {}

    /** -32042: the same request can be sent again after {@code seconds}. */
    public static RpcException tooManyRequests(String message, long seconds) {
        return new RpcException(ErrorCode.TOO_MANY_REQUESTS, message, new RetryLater(true, seconds));
    }

    public static RpcException invalidParams(String message) {
        return new RpcException(ErrorCode.INVALID_PARAMS, message);
    }

    public ErrorCode code() {
        return code;
    }

    /** The structured payload, or null. */
    public Record data() {
        return data;
    }
}
