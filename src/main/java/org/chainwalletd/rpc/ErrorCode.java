package org.chainwalletd.rpc;

/**
 * The error catalogue (interface.md, section 7.3; decisions.md, section 2). The code is the contract; the name is for people.
 */
public enum ErrorCode {
    PARSE_ERROR(-32700, 400, "Parse error"),
    INVALID_REQUEST(-32600, 400, "Invalid Request"),
    METHOD_NOT_FOUND(-32601, 200, "Method not found"),
    INVALID_PARAMS(-32602, 200, "Invalid params"),
    INTERNAL_ERROR(-32603, 200, "Internal error"),
    UNAUTHORIZED(-32001, 401, "Unauthorized"),
    WALLET_NOT_FOUND(-32010, 200, "Wallet not found"),
    WALLET_EXISTS(-32011, 200, "Wallet exists"),
    KEYSTORE_LOCKED(-32012, 200, "Keystore locked"),
    NO_EVM_KEY(-32013, 200, "No EVM key"),
    UPSTREAM(-32020, 200, "Upstream"),
    DOUBLE_SPEND(-32021, 200, "Double-spend reject"),
    TX_BUILD(-32030, 200, "Tx build"),
    INSUFFICIENT_BALANCE(-32031, 200, "Insufficient balance"),
    FEE_TOO_HIGH(-32032, 200, "Fee too high"),
    DUST_OUTPUT(-32033, 200, "Dust output"),
    TOO_MANY_OUTPUTS(-32034, 200, "Too many outputs"),
    IDEMPOTENCY_CONFLICT(-32035, 200, "Idempotency conflict"),
    HTLC_OUTPUT_AUTH(-32036, 200, "HTLC output auth"),
    TIMEOUT_NOT_REACHED(-32037, 200, "Timeout not reached"),
    ALLOWANCE_EXCEEDED(-32038, 200, "Spend allowance exceeded"),
    IN_FLIGHT_EXHAUSTED(-32039, 200, "In-flight exhausted"),
    WAIT_TIMEOUT(-32040, 200, "Wait timeout"),
    INDEXER_NOT_CONFIGURED(-32041, 200, "Indexer not configured"),
    TOO_MANY_REQUESTS(-32042, 200, "Too many requests");

    private final int code;
    private final int httpStatus;
    private final String title;

    ErrorCode(int code, int httpStatus, String title) {
        this.code = code;
        this.httpStatus = httpStatus;
        this.title = title;
    }

    public int code() {
        return code;
    }

    /** Status of a single (not batched) answer that carries this error. */
    public int httpStatus() {
        return httpStatus;
    }

    public String title() {
        return title;
    }
}
