package org.chainwalletd.devnet.call;

/** A call that ends in a JSON-RPC error, with the code and text of a node or an indexer (chain protocol, section 10.2). */
public final class CallException extends RuntimeException {
    public static final int PARSE = -32700;
    public static final int METHOD_NOT_FOUND = -32601;
    public static final int INVALID_PARAMS = -32602;
    public static final int INTERNAL = -32603;

    private static final long serialVersionUID = 1L;

    private final int code;

    public CallException(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    public static CallException invalid(String message) {
        return new CallException(INVALID_PARAMS, message);
    }

    public int code() {
        return code;
    }
}
