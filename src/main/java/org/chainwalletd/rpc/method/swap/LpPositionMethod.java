package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.swap.pool.Pool;

/** {@code lp_position}. */
final class LpPositionMethod extends PoolMethod<SwapParams.Position, SwapResults.PoolAnswer> {
    LpPositionMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "lp_position",
                Scope.READ,
                "The shares of an address.",
                SwapParams.Position.class,
                SwapResults.PoolAnswer.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolAnswer> ask(SwapParams.Position params, Pool pool) {
        return told(pool.lpPosition(params.address()), SwapResults.PoolAnswer::of);
    }
}
