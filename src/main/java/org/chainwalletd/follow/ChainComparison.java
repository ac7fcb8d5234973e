package org.chainwalletd.follow;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.BlockRow;

/**
 * Compares a node's chain with the followed one. All requests go to the same node. Finding the fork takes a number of requests logarithmic in its
 * depth; then the headers of the branch are read once, and their work is computed. Only the work of headers that may be ours, because not all ids of
 * our chain are kept, is left until the branch claims more work than ours or has left our chain: a node that is far behind shows such headers. If all
 * may be ours, and so many can never have more work, they are not even read.
 *
 * <p>The height of a node's chain is proven by headers that extend our chain, each with its proof of work. Because of {@value #PROOF} such headers
 * above our tip, the height that the node reports counts until the followed chain has reached them: a node cannot make them up, but it could wait
 * until as many blocks were found.
 */
final class ChainComparison {
    /** More than {@code CoinLedger.MAX_LAG}: if exactly this many headers are proven, coins already do not count as covered. */
    static final int PROOF = 3;

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
        /** Returns the height that the node reports if its chain contains all of ours; {@code ours} is the height of our chain. */
        default OptionalLong agreed(long ours) {
            return OptionalLong.empty();
        }

        /** The node's tip is ours. */
        record Same() implements Finding {
            @Override
            public OptionalLong agreed(long ours) {
                return OptionalLong.of(ours);
            }
        }

        /**
         * The node's chain extends our tip.
         *
         * @param to height of the highest block that the node shows
         * @param shown whether that is the tip that the node reports
         */
        record Longer(long to, boolean shown, Proof proof) implements Finding {
            @Override
            public OptionalLong agreed(long ours) {
                return OptionalLong.of(to);
            }
        }

        /** The node's tip is a block below our tip: the node lags. */
        record Behind(NodeClient.Tip tip) implements Finding {}

        /** The node's chain forks from ours and has no more work. */
        record LighterBranch(long height, long fork) implements Finding {}

        /**
         * The node's chain forks from ours above {@code fork} and has more work, by checked headers.
         *
         * @param to the node's height
         */
        record HeavierBranch(long fork, long to, Proof proof) implements Finding {}

        /**
         * The node's chain does not contain our tip; where it forks was not looked for.
         *
         * @param shown whether the node shows the tip that it reports
         */
        record OtherBranch(long height, boolean shown) implements Finding {}

        /** The node's chain has none of our kept blocks. */
        record NoCommonBlock(long height) implements Finding {}

        /** The node reports a tip above ours, but shows no block above ours. */
        record TipNotShown(NodeClient.Tip tip) implements Finding {}

        /** The node contradicts itself, or its chain changed during the requests. */
        record Unclear(Optional<Fault> fault) implements Finding {}
    }

    /**
     * Result of the check of a node's headers above our chain.
     *
     * @param height height up to which reading blocks from the node is worthwhile: the last proven header, or the reported height after {@link #PROOF}
     *     proven headers
     * @param fault fault of the first header that failed, if that ended the proof; never that its time is in the future
     */
    record Proof(long height, Extent extent, Optional<Fault> fault) {
        /** How far the headers prove the height that the node reports. */
        enum Extent {
            /** Not all requested headers are valid: they prove only their own height. */
            PARTIAL,
            /** The first {@link #PROOF} headers: the height counts until the followed chain has reached them. */
            FIRST,
            /** All headers up to that height. */
            COMPLETE
        }
    }

    /** Compares a node's branch that does not contain our tip. */
    private interface Fork {
        /**
         * @param height up to which the branch is compared
         * @param shown whether the node shows the tip that it reports
         */
        CompletionStage<Finding> from(long height, boolean shown);
    }

    CompletionStage<Finding> begin() {
        return node.tip().thenComposeAsync(tip -> compare(tip, true, (height, shown) -> fork(height)), executor);
    }

    /** Compares only above our tip: does not look for the fork of another branch, which takes a request and a proof of work for most of its blocks. */
    CompletionStage<Finding> beginAboveTip() {
        return node.tip()
                .thenComposeAsync(
                        tip -> compare(tip, true, (height, shown) -> done(new Finding.OtherBranch(height, shown))),
                        executor);
    }

    /**
     * Compares from the node's tip. A reported height counts only if the node shows its block: a false height must not hide the blocks that it has.
     *
     * @param first whether to begin again, once, if the node then reports another tip, because the first was replaced between two answers
     */
    private CompletionStage<Finding> compare(NodeClient.Tip tip, boolean first, Fork fork) {
        BlockRow top = ours.top();
        if (tip.blockId().equals(top.blockId())) {
            return done(new Finding.Same());
        }
        if (ours.has(tip.height(), tip.blockId())) {
            return done(new Finding.Behind(tip));
        }
        if (Long.compareUnsigned(tip.height(), top.height()) > 0) {
            return node.blockAt(top.height() + 1).thenComposeAsync(above -> higher(tip, above, first, fork), executor);
        }
        return fork.from(tip.height(), true);
    }

    private CompletionStage<Finding> higher(
            NodeClient.Tip tip, Optional<NodeClient.BlockSummary> above, boolean first, Fork fork) {
        long next = ours.height() + 1;
        if (above.isEmpty()) {
            return done(new Finding.TipNotShown(tip));
        }
        if (tip.height() == next) {
            return extensionOrFork(above.get(), next, isTip(above, tip), fork);
        }
        return node.blockAt(tip.height())
                .thenComposeAsync(
                        named -> tip.height() >= 0 && isTip(named, tip)
                                ? extensionOrFork(above.get(), tip.height(), true, fork)
                                : tipNotShown(tip, above.get(), first, fork),
                        executor);
    }

    private CompletionStage<Finding> tipNotShown(
            NodeClient.Tip tip, NodeClient.BlockSummary above, boolean first, Fork fork) {
        CompletionStage<NodeClient.Tip> again = first
                ? node.tip().exceptionallyAsync(failure -> tip, executor)
                : CompletableFuture.completedFuture(tip);
        return again.thenComposeAsync(
                now -> now.equals(tip) || Long.compareUnsigned(now.height(), tip.height()) < 0
                        ? extensionOrFork(above, ours.height() + 1, false, fork)
                        : compare(now, false, fork),
                executor);
    }

    private static boolean isTip(Optional<NodeClient.BlockSummary> shown, NodeClient.Tip tip) {
        return shown.filter(block -> block.blockId().equals(tip.blockId())
                        && BlockReader.judge(block, tip.height()).isEmpty())
                .isPresent();
    }

    private CompletionStage<Finding> extensionOrFork(NodeClient.BlockSummary above, long to, boolean shown, Fork fork) {
        return above.previousBlockId().equals(ours.top().blockId())
                ? prove(ours.copy(), to, List.of(Optional.of(above)))
                        .thenApplyAsync(proof -> new Finding.Longer(to, shown, proof), executor)
                : fork.from(to, shown);
    }

    /**
     * Proves the heights up to {@code to} by headers that extend {@code proven}: those already shown by the node, then requested ones. All are requested
     * before the first is checked.
     */
    private CompletionStage<Proof> prove(HeaderChain proven, long to, List<Optional<NodeClient.BlockSummary>> shown) {
        List<Long> others = LongStream.rangeClosed(
                        proven.height() + 1 + shown.size(), Math.min(to, ours.height() + PROOF))
                .boxed()
                .toList();
        return Bounded.each(others, PROOF, this::headerAt, executor)
                .thenComposeAsync(
                        requested -> proveBy(
                                Stream.concat(shown.stream(), requested.stream())
                                        .iterator(),
                                proven,
                                to),
                        executor);
    }

    /** Repeats a failed request once. A request that fails must not keep us from the blocks below. */
    private CompletionStage<Optional<NodeClient.BlockSummary>> headerAt(long height) {
        return node.blockAt(height)
                .exceptionallyComposeAsync(failure -> node.blockAt(height), executor)
                .exceptionallyAsync(failure -> Optional.empty(), executor);
    }

    private CompletionStage<Proof> proveBy(
            Iterator<Optional<NodeClient.BlockSummary>> headers, HeaderChain proven, long to) {
        if (!headers.hasNext()) {
            return CompletableFuture.completedFuture(new Proof(
                    to, proven.height() >= to ? Proof.Extent.COMPLETE : Proof.Extent.FIRST, Optional.empty()));
        }
        long next = proven.height() + 1;
        Optional<NodeClient.BlockSummary> above = headers.next();
        Optional<Fault> fault = above.flatMap(block -> BlockReader.judge(block, next));
        if (above.isEmpty() || fault.isPresent()) {
            return CompletableFuture.completedFuture(new Proof(proven.height(), Proof.Extent.PARTIAL, fault));
        }
        BlockHeader header = above.get().header();
        return check.prove(proven, header, above.get().blockId())
                .thenComposeAsync(
                        judged -> {
                            if (judged.fault().isPresent()) {
                                return CompletableFuture.completedFuture(
                                        new Proof(next - 1, Proof.Extent.PARTIAL, judged.fault()));
                            }
                            proven.append(HeaderCheck.row(header, judged.workChecked()));
                            return proveBy(headers, proven, to);
                        },
                        executor);
    }

    /** Handles a node whose chain differs from ours at our tip, or ends below it: finds the highest kept block that both have. */
    private CompletionStage<Finding> fork(long height) {
        return common(height, ours.size(), 1)
                .thenComposeAsync(
                        index -> index < 0 ? done(new Finding.NoCommonBlock(height)) : compareWork(height, index),
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

    private CompletionStage<Finding> compareWork(long height, int common) {
        long fork = ours.get(common).height();
        long other = common + 1 < ours.size() ? ours.get(common + 1).height() : fork + 1;
        BigInteger work = ours.workAbove(fork);
        if (height < other && check.limitsWork(ours.get(common), height, work)) {
            return done(new Finding.LighterBranch(height, fork));
        }
        HeaderChain branch = ours.copy();
        branch.truncateTo(fork);
        return climb(new Branch(height, fork, other, work, branch, new ArrayList<>()));
    }

    /**
     * A branch.
     *
     * @param other height from which no header is ours: that of the lowest block above the fork whose id we keep
     * @param lacks the work of our chain above the fork, less the work that the headers claim
     * @param chain the followed chain up to the fork, then the headers read so far
     * @param unworked those of them whose work was not computed, the highest first
     */
    private record Branch(
            long height, long fork, long other, BigInteger lacks, HeaderChain chain, List<BlockHeader> unworked) {
        long next() {
            return chain.height() + 1;
        }

        Branch with(BlockHeader header) {
            chain.append(HeaderCheck.row(header, false));
            unworked.add(0, header);
            return new Branch(height, fork, other, lacks.subtract(HeaderChain.work(header.target())), chain, unworked);
        }

        boolean claimsMoreWork() {
            return lacks.signum() < 0;
        }

        boolean hasUnworkedOther() {
            return chain.height() >= other && !unworked.isEmpty();
        }
    }

    private CompletionStage<Finding> climb(Branch branch) {
        if (branch.claimsMoreWork()) {
            return ifWorked(
                    branch,
                    () -> prove(branch.chain(), branch.height(), List.of())
                            .thenApplyAsync(
                                    proof -> new Finding.HeavierBranch(branch.fork(), branch.height(), proof),
                                    executor));
        }
        if (branch.hasUnworkedOther()) {
            return ifWorked(branch, () -> climb(branch));
        }
        return branch.next() > branch.height()
                ? done(new Finding.LighterBranch(branch.height(), branch.fork()))
                : readNext(branch);
    }

    /** Continues if the headers have the work that they claim. Begins with the highest: a made-up one may stand on many real ones. */
    private CompletionStage<Finding> ifWorked(Branch branch, Supplier<CompletionStage<Finding>> next) {
        List<BlockHeader> claimed = List.copyOf(branch.unworked());
        branch.unworked().clear();
        return Bounded.first(
                        claimed,
                        header -> check.judgeWork(header, header.id())
                                .thenApplyAsync(HeaderCheck.Judged::fault, executor),
                        executor)
                .thenComposeAsync(fault -> fault.isPresent() ? done(new Finding.Unclear(fault)) : next.get(), executor);
    }

    private CompletionStage<Finding> readNext(Branch branch) {
        return node.blockAt(branch.next()).thenComposeAsync(summary -> climbOn(branch, summary), executor);
    }

    private CompletionStage<Finding> climbOn(Branch branch, Optional<NodeClient.BlockSummary> summary) {
        // A node that denied one of our blocks and now shows it contradicts itself. Checking the work of our own
        // chain again would keep the follower busy for hours.
        if (summary.isEmpty() || ours.has(branch.next(), summary.get().blockId())) {
            return done(new Finding.Unclear(Optional.empty()));
        }
        BlockHeader header = summary.get().header();
        Optional<Fault> fault = BlockReader.judge(summary.get(), branch.next())
                .or(() -> check.judgePlace(branch.chain(), header, header.id()));
        if (fault.isPresent()) {
            return done(new Finding.Unclear(fault));
        }
        return climb(branch.with(header));
    }

    private static CompletionStage<Finding> done(Finding finding) {
        return CompletableFuture.completedFuture(finding);
    }
}
