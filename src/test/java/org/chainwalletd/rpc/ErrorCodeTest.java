package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.chainwalletd.api.ErrorCode;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
    /** Catalogue of interface.md, section 7.3, with the rows added by decisions.md, section 2. */
    private static final String CATALOGUE = """
            -32700 | 400 | Parse error
            -32600 | 400 | Invalid Request
            -32601 | 200 | Method not found
            -32602 | 200 | Invalid params
            -32603 | 200 | Internal error
            -32001 | 401 | Unauthorized
            -32010 | 200 | Wallet not found
            -32011 | 200 | Wallet exists
            -32012 | 200 | Keystore locked
            -32013 | 200 | No EVM key
            -32020 | 200 | Upstream
            -32021 | 200 | Double-spend reject
            -32030 | 200 | Tx build
            -32031 | 200 | Insufficient balance
            -32032 | 200 | Fee too high
            -32033 | 200 | Dust output
            -32034 | 200 | Too many outputs
            -32035 | 200 | Idempotency conflict
            -32036 | 200 | HTLC output auth
            -32037 | 200 | Timeout not reached
            -32038 | 200 | Spend allowance exceeded
            -32039 | 200 | In-flight exhausted
            -32040 | 200 | Wait timeout
            -32041 | 200 | Indexer not configured
            -32042 | 200 | Too many requests
            -32043 | 200 | Policy refused
            -32044 | 503 | Not the keeper
            """;

    @Test
    void the_catalogue_is_that_of_the_specification() {
        assertThat(Arrays.stream(ErrorCode.values())
                        .map(code -> code.code() + " | " + code.httpStatus() + " | " + code.title()))
                .containsExactlyElementsOf(CATALOGUE.lines().toList());
    }

    @Test
    void the_retryable_ones_are_those_that_time_alone_can_cure() {
        assertThat(Arrays.stream(ErrorCode.values()).filter(ErrorCode::retryable))
                .containsExactly(
                        ErrorCode.TIMEOUT_NOT_REACHED,
                        ErrorCode.IN_FLIGHT_EXHAUSTED,
                        ErrorCode.WAIT_TIMEOUT,
                        ErrorCode.TOO_MANY_REQUESTS,
                        ErrorCode.NOT_KEEPER);
    }

    @Test
    void every_error_says_what_it_means() {
        assertThat(ErrorCode.values())
                .allSatisfy(code -> assertThat(code.meaning()).isNotBlank());
    }
}
