package org.chainwalletd.rpc.method.swap;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.swap.pool.Pool;

/** {@code lp_deposit_start}: nothing moves; the answer says what to send where. */
final class LpDepositStartMethod extends PoolMethod<SwapParams.DepositStart, SwapResults.PoolAnswer> {
    LpDepositStartMethod(Pool pool, SwapWords words, Executor executor) {
        super(
                "lp_deposit_start",
                Scope.READ,
                "Begins a deposit; answers how to fund it.",
                SwapParams.DepositStart.class,
                SwapResults.PoolAnswer.class,
                pool,
                words,
                executor);
    }

    @Override
    CompletionStage<SwapResults.PoolAnswer> ask(SwapParams.DepositStart params, Pool pool) {
        return told(
                pool.lpDepositStart(params.chainAddress(), PoolParams.evmAddress(params.evmAddress())),
                SwapResults.PoolAnswer::of);
    }
}
