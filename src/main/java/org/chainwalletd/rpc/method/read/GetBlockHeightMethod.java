package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;

/** {@code get_block_height}: the tip of the node that was asked. */
final class GetBlockHeightMethod extends ReadMethod<NoParams, GetBlockHeightMethod.Result> {
    /**
     * @param genesisBlockId null when the node does not report it
     */
    public record Result(
            long height,
            Hash256 blockId,

            @Doc("Genesis id that the node reports; absent with old nodes") @MaybeAbsent
            Hash256 genesisBlockId) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetBlockHeightMethod(NodeClient nodes, Executor executor) {
        super("get_block_height", "Height and id of the best block.", NoParams.class, Result.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return nodes.tip()
                .thenApplyAsync(tip -> new Result(tip.height(), tip.blockId(), tip.genesisBlockId()), executor);
    }
}
