package org.chainwalletd.api;

/**
 * The error catalogue (interface.md, sections 7.3 and 7.4; decisions.md, section 2). The code is the contract; the title is for people.
 */
public enum ErrorCode {
    PARSE_ERROR(-32700, 400, false, "Parse error", "the body is not valid JSON", ""),
    INVALID_REQUEST(
            -32600,
            400,
            false,
            "Invalid Request",
            "the envelope's shape is wrong, or the batch is empty or too long",
            ""),
    METHOD_NOT_FOUND(-32601, 200, false, "Method not found", "there is no such method", ""),
    INVALID_PARAMS(
            -32602, 200, false, "Invalid params", "a parameter is missing, unknown, of a wrong shape or refused", ""),
    INTERNAL_ERROR(-32603, 200, false, "Internal error", "unexpected; the daemon's log tells more", ""),
    UNAUTHORIZED(-32001, 401, false, "Unauthorized", "no token, a wrong token, or one whose scope is too low", ""),
    WALLET_NOT_FOUND(
            -32010, 200, false, "Wallet not found", "the keyring has no such address, or the index no such record", ""),
    WALLET_EXISTS(-32011, 200, false, "Wallet exists", "the keyring has that address already", ""),
    KEYSTORE_LOCKED(-32012, 200, false, "Keystore locked", "wrong passphrase, or a sealed file that is damaged", ""),
    NO_EVM_KEY(-32013, 200, false, "No EVM key", "the account-chain key has not been made yet", ""),
    UPSTREAM(
            -32020,
            200,
            false,
            "Upstream",
            "no node can be reached, or the node refused; its own words are in the message",
            ""),
    DOUBLE_SPEND(
            -32021,
            200,
            false,
            "Double-spend reject",
            "another transaction spent an input; reconcile before any retry",
            "{input_conflict: true, retryable: false}"),
    TX_BUILD(
            -32030,
            200,
            false,
            "Tx build",
            "the transaction cannot be built, or a node's data is not what was asked for",
            ""),
    INSUFFICIENT_BALANCE(
            -32031,
            200,
            false,
            "Insufficient balance",
            "the spendable coins do not cover amount and fee",
            "{in_flight_reserved, needed, available, utxo_count, in_flight_value, in_flight_count}"),
    FEE_TOO_HIGH(-32032, 200, false, "Fee too high", "the fee is above max_fee", "{fee, max_fee}"),
    DUST_OUTPUT(-32033, 200, false, "Dust output", "an amount is below the dust threshold", "{amount, dust_threshold}"),
    TOO_MANY_OUTPUTS(-32034, 200, false, "Too many outputs", "more than 16 outputs", "{count, max}"),
    IDEMPOTENCY_CONFLICT(
            -32035,
            200,
            false,
            "Idempotency conflict",
            "the client_token was used with other parameters",
            "{client_token}"),
    HTLC_OUTPUT_AUTH(
            -32036,
            200,
            false,
            "HTLC output auth",
            "the output on the chain is not the one that the parameters describe; nothing was broadcast",
            ""),
    TIMEOUT_NOT_REACHED(
            -32037, 200, true, "Timeout not reached", "the chain has not passed the timeout height yet", ""),
    ALLOWANCE_EXCEEDED(
            -32038,
            200,
            false,
            "Spend allowance exceeded",
            "the operator's spend cap does not allow it",
            "{scope, limit, spent, requested, remaining, period_secs}"),
    IN_FLIGHT_EXHAUSTED(
            -32039,
            200,
            true,
            "In-flight exhausted",
            "the coins are there but reserved by pending spends; retry after the next block",
            "{retryable: true, retry_after: 'next_block', needed, available, in_flight_value, in_flight_count}"),
    WAIT_TIMEOUT(
            -32040,
            200,
            true,
            "Wait timeout",
            "the wait's time is over; waiting again is safe",
            "{tx_id, min_confirmations, elapsed_secs}"),
    INDEXER_NOT_CONFIGURED(-32041, 200, false, "Indexer not configured", "the method needs --indexer-rpc", ""),
    TOO_MANY_REQUESTS(
            -32042,
            200,
            true,
            "Too many requests",
            "too many requests, waits or passphrase attempts",
            "{retryable: true, retry_after_secs}");

    private final int code;
    private final int httpStatus;
    private final boolean retryable;
    private final String title;
    private final String meaning;
    private final String dataShape;

    ErrorCode(int code, int httpStatus, boolean retryable, String title, String meaning, String dataShape) {
        this.code = code;
        this.httpStatus = httpStatus;
        this.retryable = retryable;
        this.title = title;
        this.meaning = meaning;
        this.dataShape = dataShape;
    }

    public int code() {
        return code;
    }

    /** Status of a single (not batched) answer that carries this error. */
    public int httpStatus() {
        return httpStatus;
    }

    /** Whether the very same request can succeed later, without anything else being done. */
    public boolean retryable() {
        return retryable;
    }

    public String title() {
        return title;
    }

    /** What it means to the caller, a clause. */
    public String meaning() {
        return meaning;
    }

    /** The members of {@code data}; empty when the error carries none. */
    public String dataShape() {
        return dataShape;
    }
}
