package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.spend.SpendService;

/** {@code simulate_transfer}: what a transfer would look like now. */
final class SimulateTransferMethod implements RpcMethod<SimulateTransferMethod.Params, SimulateTransferMethod.Result> {
    record Params(
            @Doc("sender's address, a key of this daemon") Address from,
            @Doc("1 to 16 recipients") List<OutputParam> outputs,

            @Doc("base units per 100 cost units; 1 is the consensus minimum and the default")
            OptionalLong feeRate,

            @Doc("absolute fee in base units; raised to the consensus minimum")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("hex, at most 4096 bytes, attached to the first output")
            Optional<String> datum) {}

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
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "simulate_transfer";
    }

    @Override
    public Scope scope() {
        return Scope.READ;
    }

    @Override
    public String summary() {
        return "Selects and prices a transfer as it would be made now. Broadcasts and reserves nothing; takes no client_token.";
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
    public Class<Params> params() {
        return Params.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return spending.simulate(TransferChecks.request(
                        params.from(),
                        params.outputs(),
                        params.feeRate(),
                        params.fee(),
                        params.maxFee(),
                        Optional.empty(),
                        params.datum()))
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
