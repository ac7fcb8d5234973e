package org.chainwalletd.rpc.method;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.htlc.HtlcException;
import org.chainwalletd.htlc.HtlcRefusal;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/** Refusals of HTLC operations as errors of the catalogue (interface.md, section 7.3). */
public final class HtlcErrors implements ErrorTranslator {
    /** One row for each refusal there is; a test compares them with the refusals. */
    private static final Map<Class<? extends HtlcRefusal>, ErrorCode> CODES = Map.of(
            HtlcRefusal.OutputMismatch.class, ErrorCode.HTLC_OUTPUT_AUTH,
            HtlcRefusal.TimeoutNotReached.class, ErrorCode.TIMEOUT_NOT_REACHED,
            HtlcRefusal.FeeBelowMinimum.class, ErrorCode.INVALID_PARAMS,
            HtlcRefusal.LookedAfter.class, ErrorCode.INVALID_PARAMS,
            HtlcRefusal.UnusableReceiver.class, ErrorCode.INVALID_PARAMS,
            HtlcRefusal.BadCursor.class, ErrorCode.INVALID_PARAMS,
            HtlcRefusal.NotSettled.class, ErrorCode.INVALID_PARAMS);

    @Override
    public Optional<RpcException> translate(Throwable failure) {
        return failure instanceof HtlcException refused
                ? Optional.of(new RpcException(
                        CODES.get(refused.refusal().getClass()),
                        refused.refusal().message()))
                : Optional.empty();
    }

    /** The refusals that have an error. */
    static Set<Class<? extends HtlcRefusal>> known() {
        return CODES.keySet();
    }
}
