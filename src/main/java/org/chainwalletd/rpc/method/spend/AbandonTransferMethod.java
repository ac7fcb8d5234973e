package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.wire.U32;

/** {@code abandon_transfer}: frees reserved outpoints on the operator's word. */
final class AbandonTransferMethod extends NamedMethod<AbandonTransferMethod.Params, AbandonTransferMethod.Result> {
    record OutpointParam(Hash256 txId, @U32 long outputIndex) {}

    record Params(
            @Doc("inputs of the transfer that the network never accepted")
            List<OutpointParam> outpoints) {}

    record Result(
            @Doc("outpoints that were reserved and are free now") @U32
            long releasedCount,

            @Doc("outpoints that are still reserved") @U32 long remainingInFlight) {}

    private final SpendService spending;
    private final Executor executor;

    AbandonTransferMethod(SpendService spending, Executor executor) {
        super(
                "abandon_transfer",
                Scope.MANAGE,
                "Frees reserved outpoints of a transfer that the network never accepted, and stops sending it. Ask get_transaction first.",
                Params.class,
                Result.class);
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        List<Outpoint> outpoints = params.outpoints().stream()
                .map(outpoint -> new Outpoint(outpoint.txId(), outpoint.outputIndex()))
                .toList();
        return spending.abandon(outpoints)
                .thenApplyAsync(done -> new Result(done.released(), done.remaining()), executor);
    }
}
