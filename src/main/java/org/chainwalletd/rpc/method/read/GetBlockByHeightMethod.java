package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;

/** {@code get_block_by_height}: a block of the best chain. */
final class GetBlockByHeightMethod extends ReadMethod<HeightParam, BlockView> {
    private final NodeClient nodes;
    private final Executor executor;

    GetBlockByHeightMethod(NodeClient nodes, Executor executor) {
        super("get_block_by_height", "The block of the best chain at a height.", HeightParam.class, BlockView.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<BlockView> call(HeightParam params, CallContext context) {
        return nodes.blockAt(params.height()).thenApplyAsync(found -> BlockView.at(params.height(), found), executor);
    }
}
