package org.chainwalletd.follow;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.BlockRow;

/**
 * One look at one node: how its chain stands to the followed one. All questions go to the same node. Finding the place where both part takes
 * as many questions as the depth has binary digits, and the branch above is read once: headers only.
 */
final class Look {
    private final NodeClient node;
    private final HeaderChain ours;
    private final HeaderCheck check;
    private final Executor executor;

    /**
     * @param ours a copy that is not changed meanwhile; not empty
     */
    Look(NodeClient node, HeaderChain ours, HeaderCheck check, Executor executor) {
        this.node = node;
        this.ours = ours;
        this.check = check;
        this.executor = executor;
    }

    /** How the node's chain stands to ours. */
    sealed interface Finding {
        /** The node's tip is ours. */
        record Same() implements Finding {}

        /** The node's chain goes on from our tip. */
        record Longer(long to) implements Finding {}

        /** The node's tip is a block of ours: it lags. */
        record Behind(NodeClient.Tip tip) implements Finding {}

        /** The node's chain parts from ours and has no more work. */
        record Dissent(NodeClient.Tip tip, long fork) implements Finding {}

        /**
         * The node's chain parts from ours above {@code fork} and has more work, by headers that were checked.
         *
         * @param to the node's height
         */
        record Heavier(long fork, long to) implements Finding {}

        /** No kept block of ours is on the node's chain. */
        record Stranger(NodeClient.Tip tip) implements Finding {}

        /** The node contradicts itself, or has moved on while it was asked. */
        record Unclear(Optional<Fault> fault) implements Finding {}
    }

    CompletionStage<Finding> begin() {
        return node.tip().thenComposeAsync(this::compare, executor);
    }

    private CompletionStage<Finding> compare(NodeClient.Tip tip) {
        if (tip.height() < 0) {
            return done(new Finding.Unclear(Optional.of(new Fault(Fault.Rule.HEIGHT, tip.height(), tip.blockId()))));
        }
        BlockRow top = ours.top();
        if (tip.blockId().equals(top.blockId())) {
            return done(new Finding.Same());
        }
        if (ours.has(tip.height(), tip.blockId())) {
            return done(new Finding.Behind(tip));
        }
        if (tip.height() > top.height()) {
            return node.blockAt(top.height() + 1).thenComposeAsync(above -> goesOn(tip, above), executor);
        }
        return fork(tip);
    }

    private CompletionStage<Finding> goesOn(NodeClient.Tip tip, Optional<NodeClient.BlockSummary> above) {
        if (above.isEmpty()) {
            return done(new Finding.Unclear(Optional.empty()));
        }
        return above.get().previousBlockId().equals(ours.top().blockId())
                ? done(new Finding.Longer(tip.height()))
                : fork(tip);
    }

    /** The node's chain is not ours at our tip, or ends below it: the highest kept block that both have. */
    private CompletionStage<Finding> fork(NodeClient.Tip tip) {
        return common(tip, ours.size(), 1)
                .thenComposeAsync(
                        index -> index < 0
                                ? done(new Finding.Stranger(tip))
                                : weigh(tip, ours.get(index).height()),
                        executor);
    }

    /**
     * Index of the highest kept block below index {@code differs} that the node has too, -1 without one. In strides that double downwards,
     * then halving.
     */
    private CompletionStage<Integer> common(NodeClient.Tip tip, int differs, int stride) {
        int index = Math.max(0, differs - stride);
        return isShared(tip, index)
                .thenComposeAsync(
                        shared -> {
                            if (shared) {
                                return between(tip, index, differs);
                            }
                            return index == 0 ? CompletableFuture.completedFuture(-1) : common(tip, index, 2 * stride);
                        },
                        executor);
    }

    private CompletionStage<Integer> between(NodeClient.Tip tip, int shared, int differs) {
        if (differs - shared == 1) {
            return CompletableFuture.completedFuture(shared);
        }
        int middle = (shared + differs) >>> 1;
        return isShared(tip, middle)
                .thenComposeAsync(
                        both -> both ? between(tip, middle, differs) : between(tip, shared, middle), executor);
    }

    private CompletionStage<Boolean> isShared(NodeClient.Tip tip, int index) {
        BlockRow row = ours.get(index);
        if (row.height() > tip.height()) {
            return CompletableFuture.completedFuture(false);
        }
        return node.blockAt(row.height())
                .thenApplyAsync(
                        block -> block.filter(told -> told.blockId().equals(row.blockId()))
                                .isPresent(),
                        executor);
    }

    private CompletionStage<Finding> weigh(NodeClient.Tip tip, long fork) {
        HeaderChain branch = ours.copy();
        branch.cutTo(fork);
        return climb(new Branch(tip, fork, ours.workAbove(fork), branch));
    }

    /** The followed chain up to the fork, and the branch as far as it is read and believed. */
    private record Branch(NodeClient.Tip tip, long fork, BigInteger ours, HeaderChain chain) {
        long next() {
            return chain.height() + 1;
        }

        boolean isHeavier() {
            return chain.workAbove(fork).compareTo(ours) > 0;
        }
    }

    private CompletionStage<Finding> climb(Branch branch) {
        if (branch.isHeavier()) {
            return done(new Finding.Heavier(branch.fork(), branch.tip().height()));
        }
        if (branch.next() > branch.tip().height()) {
            return done(new Finding.Dissent(branch.tip(), branch.fork()));
        }
        return node.blockAt(branch.next()).thenComposeAsync(told -> climbOn(branch, told), executor);
    }

    private CompletionStage<Finding> climbOn(Branch branch, Optional<NodeClient.BlockSummary> told) {
        if (told.isEmpty()) {
            return done(new Finding.Unclear(Optional.empty()));
        }
        Optional<Fault> fault = BlockReader.judge(told.get(), branch.next());
        if (fault.isPresent()) {
            return done(new Finding.Unclear(fault));
        }
        BlockHeader header = BlockReader.header(told.get());
        return check.judge(
                        branch.chain(),
                        header,
                        told.get().blockId(),
                        branch.tip().height())
                .thenComposeAsync(judged -> grow(branch, header, judged), executor);
    }

    private CompletionStage<Finding> grow(Branch branch, BlockHeader header, HeaderCheck.Judged judged) {
        if (judged.fault().isPresent()) {
            return done(new Finding.Unclear(judged.fault()));
        }
        branch.chain().append(HeaderCheck.row(header, judged.workChecked()));
        return climb(branch);
    }

    private static CompletionStage<Finding> done(Finding finding) {
        return CompletableFuture.completedFuture(finding);
    }
}
