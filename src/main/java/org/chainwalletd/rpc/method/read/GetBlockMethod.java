package org.chainwalletd.rpc.method.read;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;

/** {@code get_block}: the name that older clients use for both block reads (decisions.md, section 2). */
final class GetBlockMethod extends ReadMethod<GetBlockMethod.Params, BlockView> {
    public record Params(
            @Doc("Block id; wins when both are given") Optional<Hash256> hash,
            @Doc("Height on the best chain") OptionalLong height) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetBlockMethod(NodeClient nodes, Executor executor) {
        super(
                "get_block",
                "A block by its id or height; use get_block_by_id or get_block_by_height.",
                Params.class,
                BlockView.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public boolean deprecated() {
        return true;
    }

    @Override
    public CompletionStage<BlockView> call(Params params, CallContext context) {
        if (params.hash().isPresent()) {
            return nodes.block(params.hash().get()).thenApplyAsync(BlockView::byId, executor);
        }
        long height = params.height().orElseThrow(() -> RpcException.invalidParams("give either `hash` or `height`"));
        return nodes.blockAt(height).thenApplyAsync(found -> BlockView.at(height, found), executor);
    }
}
