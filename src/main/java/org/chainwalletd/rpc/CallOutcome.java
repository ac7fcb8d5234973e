package org.chainwalletd.rpc;

import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/**
 * How a call ended.
 *
 * @param method name in the registry; {@code "unknown"} when the registry has none such, so that callers cannot invent names
 * @param required scope that the method needs
 * @param error empty for success
 * @param nanos from the start of the call to its end
 * @param txId the {@code tx_id} of the result, if it has one
 */
public record CallOutcome(
        String method, Scope required, Optional<ErrorCode> error, long nanos, Optional<Hash256> txId) {
    static final String UNKNOWN_METHOD = "unknown";
}
