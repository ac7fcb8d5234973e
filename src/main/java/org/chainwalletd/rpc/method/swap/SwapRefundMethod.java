package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;

/** {@code swap_refund}: takes our one lock back, when its own chain's clock allows it. */
final class SwapRefundMethod extends SwapMethod<SwapParams.Swap, SwapRecord> {
    static final String SUMMARY =
            "Takes our own lock back when it is due; the daemon does so by itself too. Not due is -32037, nothing locked -32602.";

    SwapRefundMethod(Parts parts) {
        super("swap_refund", Scope.SPEND, SUMMARY, SwapParams.Swap.class, SwapRecord.class, parts);
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.KEYSTORE_LOCKED, ErrorCode.UPSTREAM, ErrorCode.TX_BUILD, ErrorCode.TIMEOUT_NOT_REACHED);
    }

    @Override
    public CompletionStage<SwapRecord> call(SwapParams.Swap params, CallContext context) {
        return told(swaps().refund(id(params.swapId())));
    }
}
