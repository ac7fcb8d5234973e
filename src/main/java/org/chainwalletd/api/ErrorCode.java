package org.chainwalletd.api;

import java.util.Arrays;
import java.util.Optional;

/** Error catalogue (interface.md, sections 7.3 and 7.4; decisions.md, section 2). The code is the contract; the title is for humans. */
public enum ErrorCode {
    PARSE_ERROR(-32700, 400, Retry.NO, "Parse error", "the body is not valid JSON"),
    INVALID_REQUEST(
            -32600,
            400,
            Retry.NO,
            "Invalid Request",
            "the envelope's shape is wrong, or the batch is empty or too long"),
    METHOD_NOT_FOUND(-32601, Retry.NO, "Method not found", "there is no such method"),
    INVALID_PARAMS(-32602, Retry.NO, "Invalid params", "a parameter is missing, unknown, of a wrong shape or refused"),
    INTERNAL_ERROR(-32603, Retry.WITH_TOKEN, "Internal error", "unexpected; the daemon's log tells more"),
    UNAUTHORIZED(-32001, 401, Retry.NO, "Unauthorized", "no token, a wrong token, or one whose scope is too low"),
    WALLET_NOT_FOUND(
            -32010, Retry.NO, "Wallet not found", "the keyring has no such address, or the index no such record"),
    WALLET_EXISTS(-32011, Retry.NO, "Wallet exists", "the keyring has that address already"),
    KEYSTORE_LOCKED(-32012, Retry.NO, "Keystore locked", "wrong passphrase, or a sealed file that is damaged"),
    NO_EVM_KEY(-32013, Retry.NO, "No EVM key", "the account-chain key has not been made yet"),
    UPSTREAM(
            -32020,
            Retry.WITH_TOKEN,
            "Upstream",
            "no node can be reached, or the node refused; its own words are in the message, and data.tx_id is a transaction"
                    + " that a node may have",
            "{tx_id?, retryable?}"),
    DOUBLE_SPEND(
            -32021,
            Retry.NO,
            "Double-spend reject",
            "another transaction spent an input; reconcile before any retry",
            "{input_conflict: true, retryable: false}"),
    TX_BUILD(
            -32030,
            Retry.NO,
            "Tx build",
            "the transaction cannot be built, or a node's data is not what was asked for"),
    INSUFFICIENT_BALANCE(
            -32031,
            Retry.IF_IN_FLIGHT,
            "Insufficient balance",
            "the spendable coins do not cover amount and fee",
            "{in_flight_reserved, needed, available, utxo_count, in_flight_value, in_flight_count}"),
    FEE_TOO_HIGH(-32032, Retry.NO, "Fee too high", "the fee is above max_fee", "{fee, max_fee}"),
    DUST_OUTPUT(-32033, Retry.NO, "Dust output", "an amount is below the dust threshold", "{amount, dust_threshold}"),
    TOO_MANY_OUTPUTS(-32034, Retry.NO, "Too many outputs", "more than 16 outputs", "{count, max}"),
    IDEMPOTENCY_CONFLICT(
            -32035,
            Retry.NO,
            "Idempotency conflict",
            "the client_token was used with other parameters, or by another named token",
            "{client_token, bound_to?, tx_id?}"),
    HTLC_OUTPUT_AUTH(
            -32036,
            Retry.NO,
            "HTLC output auth",
            "the output on the chain is not the one that the parameters describe; nothing was broadcast"),
    TIMEOUT_NOT_REACHED(
            -32037, Retry.WHEN_DUE, "Timeout not reached", "the chain has not passed the timeout height yet"),
    ALLOWANCE_EXCEEDED(
            -32038,
            Retry.NO,
            "Spend allowance exceeded",
            "the operator's spend cap does not allow it",
            "{scope, limit, spent, requested, remaining, period_secs}"),
    IN_FLIGHT_EXHAUSTED(
            -32039,
            Retry.LATER,
            "In-flight exhausted",
            "the coins are there but reserved by pending spends; retry after the next block",
            "{retryable: true, retry_after: 'next_block', needed, available, in_flight_value, in_flight_count}"),
    WAIT_TIMEOUT(
            -32040,
            Retry.WHEN_DUE,
            "Wait timeout",
            "the wait's time is over; waiting again is safe",
            "{tx_id, min_confirmations, elapsed_secs}"),
    INDEXER_NOT_CONFIGURED(-32041, Retry.NO, "Indexer not configured", "the method needs --indexer-rpc"),
    TOO_MANY_REQUESTS(
            -32042,
            Retry.LATER,
            "Too many requests",
            "too many requests, waits or passphrase attempts",
            "{retryable: true, retry_after_secs}"),
    POLICY_REFUSED(
            -32043,
            Retry.NO,
            "Policy refused",
            "the policy of the token, or a switch of the operator, does not allow the call; another token may",
            "{token, rule, value, limit}"),
    NOT_KEEPER(
            -32044,
            503,
            Retry.LATER,
            "Not the keeper",
            "of several daemons with one database another one does the background work, which the call needs: call that one",
            "{retryable: true, retry_after_secs, keeper}");

    private final int code;
    private final int httpStatus;
    private final Retry retry;
    private final String title;
    private final String meaning;
    private final String dataShape;

    ErrorCode(int code, Retry retry, String title, String meaning) {
        this(code, retry, title, meaning, "");
    }

    ErrorCode(int code, Retry retry, String title, String meaning, String dataShape) {
        this(code, 200, retry, title, meaning, dataShape);
    }

    ErrorCode(int code, int httpStatus, Retry retry, String title, String meaning) {
        this(code, httpStatus, retry, title, meaning, "");
    }

    ErrorCode(int code, int httpStatus, Retry retry, String title, String meaning, String dataShape) {
        this.code = code;
        this.httpStatus = httpStatus;
        this.retry = retry;
        this.title = title;
        this.meaning = meaning;
        this.dataShape = dataShape;
    }

    /** Returns the entry of a code; empty if the catalogue does not contain it. */
    public static Optional<ErrorCode> of(int code) {
        return Arrays.stream(values()).filter(row -> row.code == code).findFirst();
    }

    public int code() {
        return code;
    }

    /** HTTP status of a single (not batched) answer with this error. */
    public int httpStatus() {
        return httpStatus;
    }

    /** Whether the same request can succeed later without any other action. */
    public boolean retryable() {
        return retry == Retry.LATER || retry == Retry.WHEN_DUE;
    }

    /** Returns whether and when the same call may be repeated. */
    public Retry retry() {
        return retry;
    }

    public String title() {
        return title;
    }

    /** Meaning for the caller, as a clause. */
    public String meaning() {
        return meaning;
    }

    /** Members of {@code data}; empty if the error has no data. */
    public String dataShape() {
        return dataShape;
    }

    /** Condition under which the same call may be repeated. The manual, the Java client and the exit codes of the command line use it. */
    public enum Retry {
        /** Not unless something else changes. */
        NO("no"),
        /** After a pause; nothing was done. */
        LATER("yes"),
        /** Whenever the caller still wants it: the error means that it is too early. */
        WHEN_DUE("yes"),
        /** A call without effects after a pause; one that may have paid only with its {@code client_token}. */
        WITH_TOKEN("reads; a spend with its `client_token`"),
        /** After the next block, if {@code in_flight_reserved} in the error's data is true. */
        IF_IN_FLIGHT("when `in_flight_reserved` is true");

        private final String words;

        Retry(String words) {
            this.words = words;
        }

        /** Entry in the reference's column. */
        public String words() {
            return words;
        }
    }
}
