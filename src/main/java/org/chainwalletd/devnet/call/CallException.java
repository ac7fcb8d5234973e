package org.chainwalletd.devnet.call;

/** A call that ends in a JSON-RPC error, with a node's code and text (chain protocol, section 10.2). */
final class CallException extends RuntimeException {
    static final int PARSE = -32700;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL = -32603;

    private static final long serialVersionUID = 1L;

    private final int code;

    CallException(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    static CallException invalid(String message) {
        return new CallException(INVALID_PARAMS, message);
    }

    int code() {
        return code;
    }
}
