package org.chainwalletd.rpc.method.htlc;

import java.util.Optional;
import org.chainwalletd.htlc.HtlcException;
import org.chainwalletd.htlc.HtlcRefusal;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/** Refusals of HTLC operations as errors of the catalogue (interface.md, section 7.3). */
public final class HtlcErrors implements ErrorTranslator {
    @Override
    public Optional<RpcException> translate(Throwable failure) {
        return failure instanceof HtlcException refused
                ? Optional.of(new RpcException(
                        code(refused.refusal()), refused.refusal().message()))
                : Optional.empty();
    }

    private static ErrorCode code(HtlcRefusal refusal) {
        if (refusal instanceof HtlcRefusal.OutputMismatch) {
            return ErrorCode.HTLC_OUTPUT_AUTH;
        }
        return refusal instanceof HtlcRefusal.TimeoutNotReached
                ? ErrorCode.TIMEOUT_NOT_REACHED
                : ErrorCode.INVALID_PARAMS;
    }
}
