package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.indexer.OutputDatum;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/**
 * {@code get_output_datum}: from the indexer, and without one, or when it fails, from the bytes of the transaction, whose id is recomputed.
 */
final class GetOutputDatumMethod extends IndexerMethod<OutpointParams, GetOutputDatumMethod.Result> {
    public record Result(
            @Doc("16 bytes, or null when the output carries no such datum") @OrNull
            Bytes quoteId,

            @Doc("The output has only the hash of a datum") boolean unhonorable) {}

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;

    GetOutputDatumMethod(ChainProfile profile, IndexerAccess indexer, NodeClient nodes, Executor executor) {
        super(
                "get_output_datum",
                "The quote that an output refers to by its datum.",
                OutpointParams.class,
                Result.class,
                indexer);
        this.profile = profile;
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<Result> call(OutpointParams params, CallContext context) {
        Outpoint outpoint = params.outpoint();
        return Fallback.to(() -> atNode(outpoint), indexer.client().map(client -> client.datum(outpoint)), executor)
                .thenApplyAsync(datum -> new Result(datum.quoteId(), datum.unhonorable()), executor);
    }

    private CompletionStage<OutputDatum> atNode(Outpoint outpoint) {
        return nodes.transaction(outpoint.txId()).thenApplyAsync(found -> read(found, outpoint), executor);
    }

    /** An unknown output has no datum, as with an indexer. */
    private OutputDatum read(Optional<NodeClient.NodeTransaction> found, Outpoint outpoint) {
        if (found.isEmpty()) {
            return OutputDatum.NONE;
        }
        List<TxOutput> outputs = found.get().decode(profile).outputs();
        return outpoint.index() < outputs.size()
                ? OutputDatum.of(outputs.get((int) outpoint.index()))
                : OutputDatum.NONE;
    }
}
