package org.chainwalletd.rpc.method.spend;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.SpendService;

/** {@code allowance_status}: the operator's spend caps and what is left of them. */
final class AllowanceStatusMethod extends NamedMethod<NoParams, AllowanceStatusMethod.Result> {
    record Result(
            @Doc("absent without a cap") Optional<Amount> perTxLimit,
            @Doc("absent without a cap") Optional<Amount> perPeriodLimit,
            @Doc("length of the sliding window") long periodSecs,
            @Doc("within the window, fees included") Amount spent,
            @Doc("absent without a cap per period") Optional<Amount> remaining) {}

    private final SpendService spending;
    private final Executor executor;

    AllowanceStatusMethod(SpendService spending, Executor executor) {
        super(
                "allowance_status",
                Scope.READ,
                "The spend caps that the operator has set, what was spent in the current window, and what remains.",
                NoParams.class,
                Result.class);
        this.spending = spending;
        this.executor = executor;
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
