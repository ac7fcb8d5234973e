package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code htlc_lookup_by_hashlock}: every HTLC of the index that commits to a hash lock. */
final class HtlcLookupByHashlockMethod
        extends NamedMethod<HtlcLookupByHashlockMethod.Params, HtlcLookupByHashlockMethod.Result> {
    record Params(Hash256 hashLock) {}

    record Result(List<RecordView> htlcs) {}

    private final HtlcRecords records;
    private final Executor executor;

    HtlcLookupByHashlockMethod(HtlcRecords records, Executor executor) {
        super(
                "htlc_lookup_by_hashlock",
                Scope.READ,
                "Every HTLC of the local index that commits to a hash lock, and as `observer` those of which only an indexer knows."
                        + " Anybody may lock with a hash that is known: compare amount, parties and timeout.",
                Params.class,
                Result.class);
        this.records = records;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return records.ofHashLock(params.hashLock())
                .thenApplyAsync(
                        found -> new Result(found.stream().map(RecordView::of).toList()), executor);
    }
}
