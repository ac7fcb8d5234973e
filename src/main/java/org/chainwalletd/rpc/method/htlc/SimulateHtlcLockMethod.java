package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code simulate_htlc_lock}: what a lock would look like now. */
final class SimulateHtlcLockMethod extends NamedMethod<LockParams, SimulateHtlcLockMethod.Result> {
    record Result(
            long size,
            @Doc("effective, with folded sub-dust change") Amount fee,
            @Doc("fee * 100 / cost") long feeRate,

            @Doc("always 0; change, if any, is output 1") @U32
            long htlcOutputIndex,

            Amount amount,
            Hash256 hashLock,
            long timeout,
            PublicKey receiver,
            @Doc("amount + change + fee") Amount totalIn,
            @Doc("0 if none") Amount change,
            @Doc("tip when the coins were listed") long builtAtHeight) {}

    private final HtlcSpends htlcs;
    private final Executor executor;

    SimulateHtlcLockMethod(HtlcSpends htlcs, Executor executor) {
        super(
                "simulate_htlc_lock",
                Scope.READ,
                "Selects and prices a lock as it would be made now. Broadcasts and reserves nothing; takes no client_token.",
                LockParams.class,
                Result.class);
        this.htlcs = htlcs;
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
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<Result> call(LockParams params, CallContext context) {
        LockRequest request = params.request(Optional.empty());
        return htlcs.simulateLock(request).thenApplyAsync(simulation -> result(request, simulation), executor);
    }

    private static Result result(LockRequest request, Simulation simulation) {
        return new Result(
                simulation.size(),
                simulation.fee(),
                simulation.feeRate(),
                LockRequest.OUTPUT_INDEX,
                request.amount(),
                request.hashLock(),
                request.timeout(),
                request.receiver(),
                simulation.totalIn(),
                simulation.change(),
                simulation.builtAtHeight());
    }
}
