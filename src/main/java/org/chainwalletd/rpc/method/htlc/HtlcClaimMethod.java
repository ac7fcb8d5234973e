package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.rpc.method.spend.SpendOptions;
import org.chainwalletd.spend.TransferRequest;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code htlc_claim}: the receiver takes what is locked and reveals the preimage. */
final class HtlcClaimMethod extends NamedMethod<HtlcClaimMethod.Params, RedeemView> {
    record Params(
            @Doc("receiver's address, a key of this daemon; the funds land there")
            Address from,

            Hash256 lockTxId,
            @Doc("default 0") @U32 OptionalLong outputIndex,

            @Doc("hex, 1 to 1024 bytes; its SHA-256 is the hash lock. Public as soon as it is sent")
            Bytes preimage,

            @Doc("sender's public key") PublicKey sender,
            @Doc("the lock's timeout height") long timeout,

            @Doc(
                    "absolute fee in base units, not below the consensus minimum, which is the default; what it is above that counts against the spend"
                            + " allowance")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("8 to 128 printable ASCII characters; the same token never claims twice")
            Optional<String> clientToken) {}

    private final HtlcSpends htlcs;
    private final Executor executor;

    HtlcClaimMethod(HtlcSpends htlcs, Executor executor) {
        super(
                "htlc_claim",
                Scope.SPEND,
                "Claims an HTLC with its preimage. The output on the chain is compared byte for byte with the script that the"
                        + " parameters describe before anything is built.",
                Params.class,
                RedeemView.class);
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
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.HTLC_OUTPUT_AUTH,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<RedeemView> call(Params params, CallContext context) {
        int length = params.preimage().length();
        if (length < 1 || length > ClaimRequest.MAX_PREIMAGE_BYTES) {
            throw RpcException.invalidParams(
                    "`preimage` must have 1 to " + ClaimRequest.MAX_PREIMAGE_BYTES + " bytes, got " + length);
        }
        Outpoint lock = new Outpoint(params.lockTxId(), params.outputIndex().orElse(0));
        ClaimRequest request = new ClaimRequest(
                params.from(),
                lock,
                params.preimage(),
                params.sender(),
                params.timeout(),
                params.fee(),
                Optional.of(params.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE)),
                SpendOptions.token(params.clientToken()));
        return htlcs.claim(request).thenApplyAsync(receipt -> RedeemView.of("claim", lock, receipt), executor);
    }
}
