package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.indexer.AddressHistory;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.RpcMethod;

/** The family of methods that an indexer answers. */
public final class IndexerMethods {
    private IndexerMethods() {}

    /**
     * Who answers beside the node.
     *
     * @param client empty when no indexer is configured
     * @param own answers for the addresses that the daemon keeps books of, before the indexer is asked
     */
    public record Sources(Optional<IndexerClient> client, AddressHistory own) {
        public static final Sources NONE = new Sources(Optional.empty(), AddressHistory.NONE);
    }

    public static List<RpcMethod<?, ?>> all(
            ChainProfile profile, Sources sources, NodeClient nodes, Executor executor) {
        IndexerAccess indexer = new IndexerAccess(sources.client());
        return List.of(
                new GetAddressHistoryMethod(indexer, sources.own(), executor),
                new ListSettlementsMethod(indexer, executor),
                new ContractStatsMethod(indexer, executor),
                new GetAttestationEdgesMethod(indexer, executor),
                new DetectInChainSwapsMethod(indexer, executor),
                new GetOutputSpentByMethod(indexer, nodes, executor),
                new GetOutputDatumMethod(profile, indexer, nodes, executor),
                new FindSettlementsByQuoteIdMethod(indexer, executor));
    }
}
