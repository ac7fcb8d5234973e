package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code htlc_status}: one HTLC of the index. */
final class HtlcStatusMethod extends NamedMethod<HtlcStatusMethod.Params, RecordView> {
    record Params(Hash256 lockTxId, @Doc("default 0") @U32 OptionalLong outputIndex) {}

    private final HtlcRecords records;
    private final Executor executor;

    HtlcStatusMethod(HtlcRecords records, Executor executor) {
        super(
                "htlc_status",
                Scope.READ,
                "One HTLC: from the local index when a key of this daemon is a party, else from an indexer, as `observer`.",
                Params.class,
                RecordView.class);
        this.records = records;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<RecordView> call(Params params, CallContext context) {
        Outpoint lock = new Outpoint(params.lockTxId(), params.outputIndex().orElse(0));
        return records.status(lock)
                .thenApplyAsync(
                        found -> found.map(RecordView::of)
                                .orElseThrow(() -> new RpcException(
                                        ErrorCode.WALLET_NOT_FOUND, "the index has no HTLC at " + lock)),
                        executor);
    }
}
