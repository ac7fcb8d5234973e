package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.SpendService;

/** {@code send_raw_transaction}: hands a signed transaction to the nodes. */
final class SendRawTransactionMethod
        extends NamedMethod<SendRawTransactionMethod.Params, SendRawTransactionMethod.Result> {
    record Params(@Doc("complete signed transaction") Bytes txHex) {}

    record Result(Hash256 txId) {}

    private final SpendService spending;
    private final Executor executor;

    SendRawTransactionMethod(SpendService spending, Executor executor) {
        super(
                "send_raw_transaction",
                Scope.SPEND,
                "Broadcasts a transaction that was signed elsewhere. One that the node knows already counts as sent.",
                Params.class,
                Result.class);
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM, ErrorCode.DOUBLE_SPEND, ErrorCode.TX_BUILD);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return spending.sendRaw(params.txHex()).thenApplyAsync(Result::new, executor);
    }
}
