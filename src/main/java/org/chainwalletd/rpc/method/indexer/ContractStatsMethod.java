package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.indexer.ContractStats;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;

/** {@code contract_stats}: clients unwrap the list. */
final class ContractStatsMethod extends IndexerMethod<ContractParams, ContractStatsMethod.Result> {
    public record Result(
            @Doc("One row for each kind of contract") List<Row> stats) {}

    public record Row(
            Hash256 contractHash,
            long total,
            long succeeded,
            long refunded,
            @OrNull Long avgSettleBlocks,
            @OrNull Long lastSettledAtHeight) {}

    private final Executor executor;

    ContractStatsMethod(IndexerAccess indexer, Executor executor) {
        super("contract_stats", "How the contracts of an address went.", ContractParams.class, Result.class, indexer);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(ContractParams params, CallContext context) {
        return indexer.ask(client -> client.stats(params.address(), params.contractHash()))
                .thenApplyAsync(
                        stats -> new Result(
                                stats.stream().map(ContractStatsMethod::row).toList()),
                        executor);
    }

    private static Row row(ContractStats stats) {
        return new Row(
                stats.contractHash(),
                stats.total(),
                stats.succeeded(),
                stats.refunded(),
                stats.avgSettleBlocks(),
                stats.lastSettledAtHeight());
    }
}
