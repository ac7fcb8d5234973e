package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.swap.pool.Pool;

/** {@code lp_withdraw_self}: the pool pays the address that the shares are of. */
final class LpWithdrawSelfMethod extends PoolMethod<SwapParams.Withdraw, SwapResults.PoolAnswer> {
    LpWithdrawSelfMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "lp_withdraw_self",
                Scope.SPEND,
                "Cashes shares out.",
                SwapParams.Withdraw.class,
                SwapResults.PoolAnswer.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolAnswer> ask(SwapParams.Withdraw params, Pool pool) {
        return told(
                pool.lpWithdraw(params.chainAddress(), PoolParams.shares(params.shares())), SwapResults.PoolAnswer::of);
    }
}
