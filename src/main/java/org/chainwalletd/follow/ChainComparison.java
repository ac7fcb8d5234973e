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
 * Compares a node's chain with the followed one. All requests go to the same node. Finding the fork takes a number of requests logarithmic in its
 * depth; then the headers of the branch are read once.
 */
final class ChainComparison {
    private final NodeClient node;
    private final HeaderChain ours;
    private final HeaderCheck check;
    private final Executor executor;

    /** @param ours a copy that no one changes; not empty */
    ChainComparison(NodeClient node, HeaderChain ours, HeaderCheck check, Executor executor) {
        this.node = node;
        this.ours = ours;
        this.check = check;
        this.executor = executor;
    }

    /** Relation of the node's chain to the followed one ("ours"). */
    sealed interface Finding {
        /** The node's tip is ours. */
        record Same() implements Finding {}

        /**
         * The node's chain extends our tip.
         *
         * @param to height of the highest block that the node shows
         * @param shown whether that is the tip that the node reports
         */
        record Longer(long to, boolean shown) implements Finding {}

        /** The node's tip is a block below our tip: the node lags. */
        record Behind(NodeClient.Tip tip) implements Finding {}

        /** The node's chain forks from ours and has no more work. */
        record LighterBranch(long height, long fork) implements Finding {}

        /**
         * The node's chain forks from ours above {@code fork} and has more work, by checked headers.
         *
         * @param to the node's height
         */
        record HeavierBranch(long fork, long to) implements Finding {}

        /** The node's chain has none of our kept blocks. */
        record NoCommonBlock(long height) implements Finding {}

        /** The node reports a tip above ours, but shows no block above ours. */
        record TipNotShown(NodeClient.Tip tip) implements Finding {}

        /** The node contradicts itself, or its chain changed during the requests. */
        record Unclear(Optional<Fault> fault) implements Finding {}
    }

    CompletionStage<Finding> begin() {
        return node.tip().thenComposeAsync(this::compare, executor);
    }

    /**
     * Compares from the node's tip. A reported height counts only if the node shows its block: a false height must not hide the blocks that it has.
     */
    private CompletionStage<Finding> compare(NodeClient.Tip tip) {
        BlockRow top = ours.top();
        if (tip.blockId().equals(top.blockId())) {
            return done(new Finding.Same());
        }
        if (ours.has(tip.height(), tip.blockId())) {
            return done(new Finding.Behind(tip));
        }
        if (Long.compareUnsigned(tip.height(), top.height()) > 0) {
            return node.blockAt(top.height() + 1).thenComposeAsync(above -> higher(tip, above), executor);
        }
        return fork(tip.height());
    }

    private CompletionStage<Finding> higher(NodeClient.Tip tip, Optional<NodeClient.BlockSummary> above) {
        long next = ours.height() + 1;
        if (above.isEmpty()) {
            return done(new Finding.TipNotShown(tip));
        }
        if (tip.height() == next) {
            return extensionOrFork(above.get(), next, isTip(above, tip));
        }
        return node.blockAt(tip.height())
                .thenComposeAsync(
                        named -> isTip(named, tip)
                                ? extensionOrFork(above.get(), tip.height(), true)
                                : extensionOrFork(above.get(), next, false),
                        executor);
    }

    private static boolean isTip(Optional<NodeClient.BlockSummary> shown, NodeClient.Tip tip) {
        return shown.filter(block -> block.blockId().equals(tip.blockId())
                        && BlockReader.judge(block, tip.height()).isEmpty())
                .isPresent();
    }

    private CompletionStage<Finding> extensionOrFork(NodeClient.BlockSummary above, long to, boolean shown) {
        return above.previousBlockId().equals(ours.top().blockId()) ? done(new Finding.Longer(to, shown)) : fork(to);
    }

    /** Handles a node whose chain differs from ours at our tip, or ends below it: finds the highest kept block that both have. */
    private CompletionStage<Finding> fork(long height) {
        return common(height, ours.size(), 1)
                .thenComposeAsync(
                        index -> index < 0
                                ? done(new Finding.NoCommonBlock(height))
                                : compareWork(height, ours.get(index).height()),
                        executor);
    }

    /**
     * Returns the index of the highest kept block, below index {@code differs}, that the node also has; -1 without one. Searches downwards in
     * strides that double, then by bisection.
     */
    private CompletionStage<Integer> common(long height, int differs, int stride) {
        int index = Math.max(0, differs - stride);
        return isShared(height, index)
                .thenComposeAsync(
                        shared -> {
                            if (shared) {
                                return between(height, index, differs);
                            }
                            return index == 0
                                    ? CompletableFuture.completedFuture(-1)
                                    : common(height, index, 2 * stride);
                        },
                        executor);
    }

    private CompletionStage<Integer> between(long height, int shared, int differs) {
        if (differs - shared == 1) {
            return CompletableFuture.completedFuture(shared);
        }
        int middle = (shared + differs) >>> 1;
        return isShared(height, middle)
                .thenComposeAsync(
                        both -> both ? between(height, middle, differs) : between(height, shared, middle), executor);
    }

    private CompletionStage<Boolean> isShared(long height, int index) {
        BlockRow row = ours.get(index);
        if (row.height() > height) {
            return CompletableFuture.completedFuture(false);
        }
        return node.blockAt(row.height())
                .thenApplyAsync(
                        block -> block.filter(summary -> summary.blockId().equals(row.blockId()))
                                .isPresent(),
                        executor);
    }

    private CompletionStage<Finding> compareWork(long height, long fork) {
        HeaderChain branch = ours.copy();
        branch.truncateTo(fork);
        return climb(new Branch(height, fork, ours.workAbove(fork), branch));
    }

    /** The branch: the followed chain up to the fork, then the headers read and checked so far. */
    private record Branch(long height, long fork, BigInteger ours, HeaderChain chain) {
        long next() {
            return chain.height() + 1;
        }

        boolean isHeavier() {
            return chain.workAbove(fork).compareTo(ours) > 0;
        }
    }

    private CompletionStage<Finding> climb(Branch branch) {
        if (branch.isHeavier()) {
            return done(new Finding.HeavierBranch(branch.fork(), branch.height()));
        }
        if (branch.next() > branch.height()) {
            return done(new Finding.LighterBranch(branch.height(), branch.fork()));
        }
        return node.blockAt(branch.next()).thenComposeAsync(summary -> climbOn(branch, summary), executor);
    }

    private CompletionStage<Finding> climbOn(Branch branch, Optional<NodeClient.BlockSummary> summary) {
        // A node that denied one of our blocks and now shows it contradicts itself. Checking the work of our own
        // chain again would keep the follower busy for hours.
        if (summary.isEmpty() || ours.has(branch.next(), summary.get().blockId())) {
            return done(new Finding.Unclear(Optional.empty()));
        }
        Optional<Fault> fault = BlockReader.judge(summary.get(), branch.next());
        if (fault.isPresent()) {
            return done(new Finding.Unclear(fault));
        }
        BlockHeader header = summary.get().header();
        return check.judge(branch.chain(), header, summary.get().blockId())
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
