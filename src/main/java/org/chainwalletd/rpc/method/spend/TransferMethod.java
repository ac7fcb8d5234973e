package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.wire.Inline;

/** {@code transfer}: builds, signs and broadcasts a payment. */
final class TransferMethod extends NamedMethod<TransferMethod.Params, TransferMethod.Result> {
    record Params(
            @Inline PaymentParams payment,

            @Doc("8 to 128 printable ASCII characters; the same token never pays twice")
            Optional<String> clientToken) {}

    record Result(
            Hash256 txId,
            long size,
            @Doc("effective, with folded sub-dust change") Amount fee,
            @Doc("fee * 100 / cost") long feeRate,
            List<InputView> inputs,
            List<OutputView> outputs,
            @Doc("tip when the coins were listed") long builtAtHeight) {}

    private final SpendService spending;
    private final Executor executor;

    TransferMethod(SpendService spending, Executor executor) {
        super(
                "transfer",
                Scope.SPEND,
                "Builds, signs and broadcasts a payment to up to 16 recipients; change returns to the sender. With a client_token a"
                        + " repeated call settles the same payment and never makes a second one.",
                Params.class,
                Result.class);
        this.spending = spending;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.TOO_MANY_OUTPUTS,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return spending.transfer(TransferChecks.request(params.payment(), params.clientToken()))
                .thenApplyAsync(TransferMethod::result, executor);
    }

    private static Result result(Receipt receipt) {
        return new Result(
                receipt.txId(),
                receipt.size(),
                receipt.fee(),
                receipt.feeRate(),
                InputView.of(receipt.inputs()),
                OutputView.of(receipt.outputs()),
                receipt.builtAtHeight());
    }
}
