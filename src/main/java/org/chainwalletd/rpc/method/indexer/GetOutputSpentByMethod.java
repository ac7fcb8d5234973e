package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.indexer.OutputSpend;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

/**
 * {@code get_output_spent_by}: from the indexer, and without one, or when it fails, from the node. A node that lacks the method makes the
 * source {@code fallback-unknown-method}, which says that nothing is known.
 */
final class GetOutputSpentByMethod extends IndexerMethod<OutpointParams, GetOutputSpentByMethod.Result> {
    public record Result(
            @Doc("false: nobody has, in the view of who answered")
            boolean spent,

            @MaybeAbsent Hash256 spendingTxId,
            @MaybeAbsent @U32 Long inputIndex,
            @MaybeAbsent Long blockHeight,

            @Doc("`indexer-cache`, `node` or `fallback-unknown-method`")
            String source) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetOutputSpentByMethod(IndexerAccess indexer, NodeClient nodes, Executor executor) {
        super(
                "get_output_spent_by",
                "The confirmed transaction that has spent an output.",
                OutpointParams.class,
                Result.class,
                indexer);
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
        return Fallback.to(() -> atNode(outpoint), indexer.client().map(client -> client.spentBy(outpoint)), executor)
                .thenApplyAsync(GetOutputSpentByMethod::result, executor);
    }

    private CompletionStage<OutputSpend> atNode(Outpoint outpoint) {
        return nodes.knownSpentBy(outpoint).handleAsync(GetOutputSpentByMethod::known, executor);
    }

    private static OutputSpend known(Optional<NodeClient.SpentBy> found, Throwable failure) {
        if (failure == null) {
            return new OutputSpend(
                    OutputSpend.Source.NODE,
                    found.map(by -> new OutputSpend.Spend(by.txId(), by.inputIndex(), by.blockHeight()))
                            .orElse(null));
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == ErrorCode.METHOD_NOT_FOUND.code()) {
            return new OutputSpend(OutputSpend.Source.FALLBACK_UNKNOWN_METHOD, null);
        }
        throw Causes.passedOn(cause);
    }

    private static Result result(OutputSpend found) {
        String source = found.source().name().toLowerCase(Locale.ROOT).replace('_', '-');
        OutputSpend.Spend spend = found.spend();
        return spend == null
                ? new Result(false, null, null, null, source)
                : new Result(true, spend.txId(), spend.inputIndex(), spend.blockHeight(), source);
    }
}
