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
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.method.spend.SpendOptions;
import org.chainwalletd.spend.TransferRequest;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code htlc_reclaim}: the sender takes back what nobody has claimed. */
final class HtlcReclaimMethod extends NamedMethod<HtlcReclaimMethod.Params, RedeemView> {
    record Params(
            @Doc("sender's address, a key of this daemon; the funds return there")
            Address from,

            Hash256 lockTxId,
            @Doc("default 0") @U32 OptionalLong outputIndex,
            @Doc("receiver's public key") PublicKey receiver,
            Hash256 hashLock,
            @Doc("the lock's timeout height") long timeout,

            @Doc(
                    "absolute fee in base units, not below the consensus minimum, which is the default; what it is above that counts against the spend"
                            + " allowance")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("8 to 128 printable ASCII characters; the same token never reclaims twice")
            Optional<String> clientToken) {}

    private final HtlcSpends htlcs;
    private final Executor executor;

    HtlcReclaimMethod(HtlcSpends htlcs, Executor executor) {
        super(
                "htlc_reclaim",
                Scope.SPEND,
                "Takes an HTLC back whose timeout height the chain has passed. The output on the chain is compared byte for byte"
                        + " with the script that the parameters describe before anything is built.",
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
                ErrorCode.TIMEOUT_NOT_REACHED,
                ErrorCode.IN_FLIGHT_EXHAUSTED);
    }

    @Override
    public CompletionStage<RedeemView> call(Params params, CallContext context) {
        Outpoint lock = new Outpoint(params.lockTxId(), params.outputIndex().orElse(0));
        ReclaimRequest request = new ReclaimRequest(
                params.from(),
                lock,
                params.receiver(),
                params.hashLock(),
                params.timeout(),
                params.fee(),
                Optional.of(params.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE)),
                SpendOptions.token(params.clientToken()));
        return htlcs.reclaim(request).thenApplyAsync(receipt -> RedeemView.of("reclaim", lock, receipt), executor);
    }
}
