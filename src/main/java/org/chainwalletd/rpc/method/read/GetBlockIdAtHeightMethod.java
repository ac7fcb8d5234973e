package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;

/** {@code get_block_id_at_height}: the whole block is fetched, its id is answered. */
final class GetBlockIdAtHeightMethod extends ReadMethod<HeightParam, GetBlockIdAtHeightMethod.Result> {
    public record Result(long height, Hash256 blockId) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetBlockIdAtHeightMethod(NodeClient nodes, Executor executor) {
        super(
                "get_block_id_at_height",
                "Id of the block of the best chain at a height; costs as much as get_block_by_height.",
                HeightParam.class,
                Result.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(HeightParam params, CallContext context) {
        return nodes.blockAt(params.height())
                .thenApplyAsync(found -> BlockView.at(params.height(), found), executor)
                .thenApplyAsync(block -> new Result(block.height(), block.blockId()), executor);
    }
}
