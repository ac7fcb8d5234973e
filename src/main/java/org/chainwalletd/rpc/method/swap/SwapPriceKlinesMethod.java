package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.swap.pool.Pool;

/** {@code swap_price_klines}: the pool's items, checked. */
final class SwapPriceKlinesMethod extends PoolMethod<SwapParams.Klines, SwapResults.Klines> {
    SwapPriceKlinesMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "swap_price_klines",
                Scope.READ,
                "The pool's price over time.",
                SwapParams.Klines.class,
                SwapResults.Klines.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.Klines> ask(SwapParams.Klines params, Pool pool) {
        return told(
                pool.klines(PoolParams.interval(params.interval()), PoolParams.limit(params.limit())),
                SwapResults.Klines::of);
    }
}
