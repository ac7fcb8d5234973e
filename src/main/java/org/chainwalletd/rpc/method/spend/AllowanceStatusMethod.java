package org.chainwalletd.rpc.method.spend;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.SpendService;

/** {@code allowance_status}: the operator's spend caps and what is left of them. */
final class AllowanceStatusMethod implements RpcMethod<NoParams, AllowanceStatusMethod.Result> {
    record Result(
            @Doc("absent without a cap") Optional<Amount> perTxLimit,
            @Doc("absent without a cap") Optional<Amount> perPeriodLimit,
            @Doc("length of the sliding window") long periodSecs,
            @Doc("within the window, fees included") Amount spent,
            @Doc("absent without a cap per period") Optional<Amount> remaining) {}

    private final SpendService spending;
    private final Executor executor;

    AllowanceStatusMethod(SpendService spending, Executor executor) {
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "allowance_status";
    }

    @Override
    public Scope scope() {
        return Scope.READ;
    }

    @Override
    public String summary() {
        return "The spend caps that the operator has set, what was spent in the current window, and what remains.";
    }

    @Override
    public Class<NoParams> params() {
        return NoParams.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return spending.allowanceStatus()
                .thenApplyAsync(
                        status -> new Result(
                                status.perTransaction(),
                                status.perPeriod(),
                                status.periodSeconds(),
                                status.spent(),
                                status.remaining()),
                        executor);
    }
}
