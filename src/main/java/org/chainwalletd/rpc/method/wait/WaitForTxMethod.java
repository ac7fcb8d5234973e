package org.chainwalletd.rpc.method.wait;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wait.TxOutcome;
import org.chainwalletd.wait.Waits;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code wait_for_tx}: answers when a transaction is deep enough in the chain. */
final class WaitForTxMethod extends WaitMethod<WaitForTxMethod.Params, WaitForTxMethod.Result> {
    record Params(
            Hash256 txId,

            @Doc("default 1, which means in the tip's block; 0 is taken as 1") @U32
            OptionalLong minConfirmations,

            @Doc("default 60, at most 600; 0 tells what is so now")
            OptionalLong timeoutSecs) {}

    record Result(
            Hash256 txId,
            Hash256 blockId,
            long blockHeight,
            @Doc("at least min_confirmations") long confirmations) {}

    /** Data of -32040. */
    record Expired(Hash256 txId, long minConfirmations, long elapsedSecs) {}

    private final Waits waits;
    private final Executor executor;

    WaitForTxMethod(Waits waits, Executor executor) {
        super(
                "wait_for_tx",
                "Waits until a transaction has enough confirmations; one that is unknown or in the mempool is waited for.",
                Params.class,
                Result.class);
        this.waits = waits;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WAIT_TIMEOUT, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        long depth = Math.max(1, params.minConfirmations().orElse(1));
        return waits.forTransaction(params.txId(), depth, time(params.timeoutSecs()), context.gone())
                .thenApplyAsync(outcome -> result(params.txId(), depth, outcome), executor);
    }

    private static Result result(Hash256 txId, long depth, TxOutcome outcome) {
        if (outcome instanceof TxOutcome.Confirmed confirmed) {
            return new Result(
                    txId, confirmed.block().blockId(), confirmed.block().height(), confirmed.confirmations());
        }
        long elapsed = ((TxOutcome.TimedOut) outcome).elapsedSeconds();
        throw new RpcException(
                ErrorCode.WAIT_TIMEOUT,
                "the transaction has not got " + depth + " confirmations in " + elapsed + " s; waiting again is safe",
                new Expired(txId, depth, elapsed));
    }
}
