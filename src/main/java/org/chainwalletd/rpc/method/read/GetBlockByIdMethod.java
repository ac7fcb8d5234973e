package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;

/** {@code get_block_by_id}: any block that the node has stored, also of a stale fork. */
final class GetBlockByIdMethod extends ReadMethod<GetBlockByIdMethod.Params, BlockView> {
    public record Params(Hash256 blockId) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetBlockByIdMethod(NodeClient nodes, Executor executor) {
        super("get_block_by_id", "A block by its id; it may be one of a stale fork.", Params.class, BlockView.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<BlockView> call(Params params, CallContext context) {
        return nodes.block(params.blockId()).thenApplyAsync(BlockView::byId, executor);
    }
}
