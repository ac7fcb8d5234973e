package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.swap.pool.Pool;

/** The methods that the pool answers: what it says of itself, and its liquidity (swap.md, section 4). */
public final class PoolMethods {
    private static final String OFF = " Refused as long as no pool is configured.";

    private PoolMethods() {}

    /** @param pool empty: each method refuses */
    public static List<RpcMethod<?, ?>> all(Optional<Pool> pool, SwapWords words, Executor executor) {
        return pool.map(known -> asking(known, words, executor)).orElseGet(() -> unconfigured(words));
    }

    private static List<RpcMethod<?, ?>> asking(Pool pool, SwapWords words, Executor executor) {
        return List.of(
                new SwapPoolInfoMethod(pool, words, executor),
                new SwapPriceKlinesMethod(pool, words, executor),
                new LpPoolInfoMethod(pool, words, executor),
                new LpPositionMethod(pool, words, executor),
                new LpDepositStartMethod(pool, words, executor),
                new LpDepositStatusMethod(pool, words, executor),
                new LpWithdrawSelfMethod(pool, words, executor));
    }

    private static List<RpcMethod<?, ?>> unconfigured(SwapWords words) {
        return List.of(
                read(
                        "swap_pool_info",
                        "The pool's price, fee and reserves.",
                        NoParams.class,
                        SwapResults.PoolInfo.class,
                        words),
                read(
                        "swap_price_klines",
                        "The pool's price over time.",
                        SwapParams.Klines.class,
                        SwapResults.Klines.class,
                        words),
                read("lp_pool_info", "The liquidity pool.", NoParams.class, SwapResults.PoolAnswer.class, words),
                read(
                        "lp_position",
                        "The shares of an address.",
                        SwapParams.Position.class,
                        SwapResults.PoolAnswer.class,
                        words),
                read(
                        "lp_deposit_start",
                        "Begins a deposit; answers how to fund it.",
                        SwapParams.DepositStart.class,
                        SwapResults.PoolAnswer.class,
                        words),
                read(
                        "lp_deposit_status",
                        "How far a deposit has come.",
                        SwapParams.DepositStatus.class,
                        SwapResults.PoolAnswer.class,
                        words),
                spend(
                        "lp_withdraw_self",
                        "Cashes shares out.",
                        SwapParams.Withdraw.class,
                        SwapResults.PoolAnswer.class,
                        words));
    }

    private static <P extends Record, R> RpcMethod<P, R> read(
            String name, String what, Class<P> params, Class<R> result, SwapWords words) {
        return new UnconfiguredMethod<>(name, Scope.READ, what + OFF, params, result, words.spelling());
    }

    private static <P extends Record, R> RpcMethod<P, R> spend(
            String name, String what, Class<P> params, Class<R> result, SwapWords words) {
        return new UnconfiguredMethod<>(name, Scope.SPEND, what + OFF, params, result, words.spelling());
    }
}
