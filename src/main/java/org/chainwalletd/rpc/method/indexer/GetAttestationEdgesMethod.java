package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.indexer.AttestationEdge;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/** {@code get_attestation_edges}. */
final class GetAttestationEdgesMethod extends IndexerMethod<ContractParams, GetAttestationEdgesMethod.Result> {
    public record Result(List<Edge> edges) {}

    public record Edge(
            Address counterparty,
            Hash256 contractHash,

            @Doc("null unless it is a known template") @OrNull
            String contractName,

            long total,
            long succeeded,
            long refunded,
            @OrNull Long lastSeenHeight) {}

    private final Executor executor;

    GetAttestationEdgesMethod(IndexerAccess indexer, Executor executor) {
        super(
                "get_attestation_edges",
                "How the contracts of an address went, by counterparty.",
                ContractParams.class,
                Result.class,
                indexer);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(ContractParams params, CallContext context) {
        return indexer.ask(client -> client.edges(params.address(), params.contractHash()))
                .thenApplyAsync(
                        edges -> new Result(edges.stream()
                                .map(GetAttestationEdgesMethod::edge)
                                .toList()),
                        executor);
    }

    private static Edge edge(AttestationEdge edge) {
        return new Edge(
                edge.counterparty(),
                edge.contractHash(),
                edge.contractName(),
                edge.total(),
                edge.succeeded(),
                edge.refunded(),
                edge.lastSeenHeight());
    }
}
