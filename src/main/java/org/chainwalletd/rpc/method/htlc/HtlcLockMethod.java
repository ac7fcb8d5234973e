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
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.U32;

/** {@code htlc_lock}: locks coins for a receiver who knows a preimage. */
final class HtlcLockMethod extends NamedMethod<HtlcLockMethod.Params, HtlcLockMethod.Result> {
    record Params(
            @Inline LockParams lock,

            @Doc("8 to 128 printable ASCII characters; the same token never locks twice")
            Optional<String> clientToken) {}

    record Result(
            Hash256 txId,

            @Doc("always 0; change, if any, is output 1") @U32
            long htlcOutputIndex,

            Amount amount,
            Hash256 hashLock,
            long timeout,
            PublicKey receiver,
            long size,
            @Doc("effective, with folded sub-dust change") Amount fee,
            @Doc("fee * 100 / cost") long feeRate,
            @Doc("tip when the coins were listed") long builtAtHeight,

            @Doc("base units that returned to `from`; absent when none did")
            Optional<Amount> change) {}

    private final HtlcSpends htlcs;
    private final Executor executor;

    HtlcLockMethod(HtlcSpends htlcs, Executor executor) {
        super(
                "htlc_lock",
                Scope.SPEND,
                "Locks coins in an HTLC that the receiver can claim with the preimage and the sender can reclaim above the timeout"
                        + " height. With a client_token a repeated call settles the same lock and never makes a second one.",
                Params.class,
                Result.class);
        this.htlcs = htlcs;
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
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        LockRequest request = params.lock().request(params.clientToken());
        return htlcs.lock(request).thenApplyAsync(receipt -> result(request, receipt), executor);
    }

    private static Result result(LockRequest request, Receipt receipt) {
        Optional<Amount> change = receipt.outputs().stream()
                .filter(Receipt.PaidOutput::change)
                .map(paid -> paid.output().value())
                .findFirst();
        return new Result(
                receipt.txId(),
                LockRequest.OUTPUT_INDEX,
                request.amount(),
                request.hashLock(),
                request.timeout(),
                request.receiver(),
                receipt.size(),
                receipt.fee(),
                receipt.feeRate(),
                receipt.builtAtHeight(),
                change);
    }
}
