package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.indexer.PageQuery;
import org.chainwalletd.indexer.Settlement;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

/** {@code list_settlements}. */
final class ListSettlementsMethod extends IndexerMethod<ListSettlementsMethod.Params, ListSettlementsMethod.Result> {
    public record Params(
            Address address,
            @Doc("Only this kind of contract") Optional<Hash256> contractHash,
            @Doc("Only blocks of this height and above") OptionalLong sinceHeight,

            @Doc("Rows of a page, 100 by default, at most 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor) {}

    public record Result(
            List<Row> settlements,
            @Doc("There is another page") @MaybeAbsent String nextCursor) {}

    public record Row(
            @Doc("The lock once more; the transaction that settled it is in `htlc_status`")
            Hash256 txId,

            long blockHeight,
            Hash256 contractHash,
            Settlement.Outcome outcome,
            Address observerAddress,
            Address counterparty,
            Amount amount,
            Hash256 lockTxId,
            @U32 long lockOutputIndex) {}

    private final Executor executor;

    ListSettlementsMethod(IndexerAccess indexer, Executor executor) {
        super(
                "list_settlements",
                "Contracts of an address that have been settled, in ascending order of height.",
                Params.class,
                Result.class,
                indexer);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        PageQuery query = new PageQuery(
                params.address(),
                params.contractHash(),
                params.sinceHeight(),
                IndexerAccess.limit(params.limit()),
                params.cursor());
        return indexer.ask(client -> client.settlements(query))
                .thenApplyAsync(
                        page -> new Result(
                                page.items().stream()
                                        .map(ListSettlementsMethod::row)
                                        .toList(),
                                page.next()),
                        executor);
    }

    private static Row row(Settlement settled) {
        return new Row(
                settled.txId(),
                settled.blockHeight(),
                settled.contractHash(),
                settled.outcome(),
                settled.observerAddress(),
                settled.counterparty(),
                settled.amount(),
                settled.lockTxId(),
                settled.lockOutputIndex());
    }
}
