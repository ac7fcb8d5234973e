package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.swap.pool.Pool;

/** {@code lp_deposit_status}. */
final class LpDepositStatusMethod extends PoolMethod<SwapParams.DepositStatus, SwapResults.PoolAnswer> {
    LpDepositStatusMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "lp_deposit_status",
                Scope.READ,
                "How far a deposit has come.",
                SwapParams.DepositStatus.class,
                SwapResults.PoolAnswer.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolAnswer> ask(SwapParams.DepositStatus params, Pool pool) {
        return told(pool.lpDeposit(PoolParams.id(params.id())), SwapResults.PoolAnswer::of);
    }
}
