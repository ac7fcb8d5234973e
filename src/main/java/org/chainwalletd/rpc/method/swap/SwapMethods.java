package org.chainwalletd.rpc.method.swap;

import java.util.List;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** The family of methods about swaps and the account chain (interface.md, section 4.13). */
public final class SwapMethods {
    private static final String OFF = " Refused as long as no swap engine is configured.";

    private SwapMethods() {}

    /** For a daemon without a swap engine. */
    public static List<RpcMethod<?, ?>> unconfigured() {
        return List.of(
                spend(
                        "swap_get_quote",
                        "Asks the pool for a quote.",
                        SwapParams.Quote.class,
                        SwapResults.SwapRecord.class),
                spend(
                        "swap_execute",
                        "Locks and claims both legs of a quote.",
                        SwapParams.Swap.class,
                        SwapResults.SwapRecord.class),
                spend(
                        "swap_refund",
                        "Takes the own lock back when it is due.",
                        SwapParams.Swap.class,
                        SwapResults.SwapRecord.class),
                read("swap_status", "One swap of the journal.", SwapParams.Swap.class, SwapResults.SwapRecord.class),
                read(
                        "swap_list",
                        "Swaps of the journal, newest first.",
                        SwapParams.SwapList.class,
                        SwapResults.Swaps.class));
    }

    private static <P extends Record, R> RpcMethod<P, R> read(
            String name, String what, Class<P> params, Class<R> result) {
        return new UnconfiguredMethod<>(name, Scope.READ, what + OFF, params, result);
    }

    private static <P extends Record, R> RpcMethod<P, R> spend(
            String name, String what, Class<P> params, Class<R> result) {
        return new UnconfiguredMethod<>(name, Scope.SPEND, what + OFF, params, result);
    }
}
