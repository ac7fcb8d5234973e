package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;

/** {@code swap_status}: one row of the journal, as of the last look at both chains. */
final class SwapStatusMethod extends SwapMethod<SwapParams.Swap, SwapRecord> {
    static final String SUMMARY = "One swap, as of the last look at both chains.";

    SwapStatusMethod(Parts parts) {
        super("swap_status", Scope.READ, SUMMARY, SwapParams.Swap.class, SwapRecord.class, parts);
    }

    @Override
    public CompletionStage<SwapRecord> call(SwapParams.Swap params, CallContext context) {
        return told(swaps().status(id(params.swapId())));
    }
}
