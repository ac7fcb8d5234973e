package org.chainwalletd.swap.legs;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;

/**
 * Whether the nodes follow the chain that we follow: each that answers must have our block at its height, and two must answer where two are
 * configured.
 */
public final class BlockAgreement {
    private static final int AT_ONCE = 8;
    private static final int ENOUGH = 2;

    private final ChainSide chain;

    BlockAgreement(ChainSide chain) {
        this.chain = chain;
    }

    private enum Answer {
        SAME,
        OTHER,
        SILENT
    }

    CompletionStage<Boolean> on(BlockPlace place) {
        List<NodeClient> nodes = chain.node().each();
        return Bounded.each(nodes, AT_ONCE, one -> ask(one, place), chain.executor())
                .thenApplyAsync(
                        answers -> answers.stream().noneMatch(Answer.OTHER::equals)
                                && answers.stream().filter(Answer.SAME::equals).count()
                                        >= Math.min(ENOUGH, nodes.size()),
                        chain.executor());
    }

    private CompletionStage<Answer> ask(NodeClient one, BlockPlace place) {
        return one.blockAt(place.height())
                .handleAsync(
                        (block, failure) -> failure == null ? judge(block, place) : Answer.SILENT, chain.executor());
    }

    private static Answer judge(Optional<NodeClient.BlockSummary> block, BlockPlace place) {
        return block.filter(there -> there.blockId().equals(place.blockId())).isPresent() ? Answer.SAME : Answer.OTHER;
    }
}
