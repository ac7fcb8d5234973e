package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.indexer.OutputDatum;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code find_settlements_by_quote_id}. */
final class FindSettlementsByQuoteIdMethod
        extends IndexerMethod<FindSettlementsByQuoteIdMethod.Params, FindSettlementsByQuoteIdMethod.Result> {
    public record Params(
            @Doc("16 bytes as 32 hex characters") Bytes quoteId) {}

    public record Result(
            @Doc("Several when the quote was settled more than once")
            List<Place> settlements) {}

    public record Place(Hash256 txId, @U32 long outputIndex) {}

    private final Executor executor;

    FindSettlementsByQuoteIdMethod(IndexerAccess indexer, Executor executor) {
        super(
                "find_settlements_by_quote_id",
                "Outputs that refer to a quote by their datum.",
                Params.class,
                Result.class,
                indexer);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        if (params.quoteId().length() != OutputDatum.QUOTE_ID_BYTES) {
            throw RpcException.invalidParams("`quote_id` must be 32 hex characters");
        }
        return indexer.ask(client -> client.settlementsOfQuote(params.quoteId()))
                .thenApplyAsync(
                        found -> new Result(found.stream()
                                .map(FindSettlementsByQuoteIdMethod::place)
                                .toList()),
                        executor);
    }

    private static Place place(Outpoint outpoint) {
        return new Place(outpoint.txId(), outpoint.index());
    }
}
