package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.swap.SwapService;

/** The methods of the engine (interface.md, section 4.13; swap.md, section 4). */
public final class SwapMethods {
    private static final String OFF = " Refused as long as no swap engine is configured.";

    private SwapMethods() {}

    /**
     * @param swaps empty in a daemon without an engine: then each call is refused
     * @param unverified why it is not known that the chain is the one that the operator means: then nothing is locked
     */
    public static List<RpcMethod<?, ?>> all(
            Optional<SwapService> swaps, Supplier<Optional<String>> unverified, SwapWords words, Executor executor) {
        return swaps.map(known -> asking(new SwapMethod.Parts(known, unverified, words, executor)))
                .orElseGet(() -> unconfigured(words));
    }

    private static List<RpcMethod<?, ?>> asking(SwapMethod.Parts parts) {
        return List.of(
                new SwapGetQuoteMethod(parts),
                new SwapExecuteMethod(parts),
                new SwapRefundMethod(parts),
                new SwapStatusMethod(parts),
                new SwapListMethod(parts));
    }

    private static List<RpcMethod<?, ?>> unconfigured(SwapWords words) {
        return List.of(
                off(
                        "swap_get_quote",
                        Scope.SPEND,
                        SwapGetQuoteMethod.SUMMARY,
                        SwapParams.Quote.class,
                        SwapRecord.class,
                        words),
                off(
                        "swap_execute",
                        Scope.SPEND,
                        SwapExecuteMethod.SUMMARY,
                        SwapParams.Execute.class,
                        SwapRecord.class,
                        words),
                off(
                        "swap_refund",
                        Scope.SPEND,
                        SwapRefundMethod.SUMMARY,
                        SwapParams.Swap.class,
                        SwapRecord.class,
                        words),
                off(
                        "swap_status",
                        Scope.READ,
                        SwapStatusMethod.SUMMARY,
                        SwapParams.Swap.class,
                        SwapRecord.class,
                        words),
                off(
                        "swap_list",
                        Scope.READ,
                        SwapListMethod.SUMMARY,
                        SwapParams.SwapList.class,
                        SwapResults.Swaps.class,
                        words));
    }

    private static <P extends Record, R> RpcMethod<P, R> off(
            String name, Scope scope, String summary, Class<P> params, Class<R> result, SwapWords words) {
        return new UnconfiguredMethod<>(name, scope, summary + OFF, params, result, words.spelling());
    }
}
