package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.swap.pool.Pool;

/** {@code swap_pool_info}: what the pool says of itself, null where it says nothing. */
final class SwapPoolInfoMethod extends PoolMethod<NoParams, SwapResults.PoolInfo> {
    SwapPoolInfoMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "swap_pool_info",
                Scope.READ,
                "The pool's price, fee and reserves.",
                NoParams.class,
                SwapResults.PoolInfo.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolInfo> ask(NoParams params, Pool pool) {
        return told(pool.info(), SwapResults.PoolInfo::of);
    }
}
