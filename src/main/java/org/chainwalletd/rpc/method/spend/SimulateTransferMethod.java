package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.spend.SpendService;

/** {@code simulate_transfer}: what a transfer would look like now. */
final class SimulateTransferMethod extends NamedMethod<PaymentParams, SimulateTransferMethod.Result> {
    record Result(
            long size,
            @Doc("effective, with folded sub-dust change") Amount fee,
            @Doc("fee * 100 / cost") long feeRate,
            List<InputView> inputs,
            List<OutputView> outputs,
            @Doc("total_out + fee") Amount totalIn,
            Amount totalOut,
            @Doc("0 if none") Amount change,
            @Doc("tip when the coins were listed") long builtAtHeight) {}

    private final SpendService spending;
    private final Executor executor;

    SimulateTransferMethod(SpendService spending, Executor executor) {
        super(
                "simulate_transfer",
                Scope.READ,
                "Selects and prices a transfer as it would be made now. Broadcasts and reserves nothing; takes no client_token.",
                PaymentParams.class,
                Result.class);
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.UPSTREAM,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.TOO_MANY_OUTPUTS,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<Result> call(PaymentParams params, CallContext context) {
        return spending.simulate(TransferChecks.request(params, Optional.empty()))
                .thenApplyAsync(SimulateTransferMethod::result, executor);
    }

    private static Result result(Simulation simulation) {
        return new Result(
                simulation.size(),
                simulation.fee(),
                simulation.feeRate(),
                InputView.of(simulation.inputs()),
                OutputView.of(simulation.outputs()),
                simulation.totalIn(),
                simulation.totalOut(),
                simulation.change(),
                simulation.builtAtHeight());
    }
}
