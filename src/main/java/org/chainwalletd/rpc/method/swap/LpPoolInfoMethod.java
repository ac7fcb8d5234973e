package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.swap.pool.Pool;

/** {@code lp_pool_info}. */
final class LpPoolInfoMethod extends PoolMethod<NoParams, SwapResults.PoolAnswer> {
    LpPoolInfoMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "lp_pool_info",
                Scope.READ,
                "The liquidity pool.",
                NoParams.class,
                SwapResults.PoolAnswer.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolAnswer> ask(NoParams params, Pool pool) {
        return told(pool.lpPool(), SwapResults.PoolAnswer::of);
    }
}
