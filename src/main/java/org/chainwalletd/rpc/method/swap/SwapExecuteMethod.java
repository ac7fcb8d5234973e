package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;

/** {@code swap_execute}: locks our side; what follows the engine does by itself. */
final class SwapExecuteMethod extends SwapMethod<SwapParams.Execute, SwapRecord> {
    static final String SUMMARY =
            "Locks our side of a quote; the daemon then claims the pool's, or takes ours back, without being asked again."
                    + " A repeated call answers the record as it stands and locks nothing more. A sell is metered by the spend allowance.";

    SwapExecuteMethod(Parts parts) {
        super("swap_execute", Scope.SPEND, SUMMARY, SwapParams.Execute.class, SwapRecord.class, parts);
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED,
                ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapRecord> call(SwapParams.Execute params, CallContext context) {
        requireVerified();
        return told(swaps().execute(id(params.swapId()), params.minAmountOut()));
    }
}
