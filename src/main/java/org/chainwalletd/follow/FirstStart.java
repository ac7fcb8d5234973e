package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderChain.WorkPolicy;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;

/**
 * Choice of the block at which following starts on empty books: the tip minus twice the coinbase maturity. Headers are read down to the last
 * multiple of 4,320 below it, which gives the start time of the difficulty window and the median time. All nodes that answer must name the same
 * block a hundred below the tip, unless the operator names a checkpoint; the headers are linked to that block, so that no single node can choose
 * them. (A checkpoint far below the headers is only compared with the node's block: linking to it would need all headers between.)
 */
final class FirstStart {
    private static final int AT_ONCE = 8;

    private final List<FollowedNode> nodes;
    private final Optional<BlockPlace> checkpoint;
    private final ChainRules rules;
    private final Executor executor;

    FirstStart(List<FollowedNode> nodes, Optional<BlockPlace> checkpoint, ChainRules rules, Executor executor) {
        this.nodes = nodes;
        this.checkpoint = checkpoint;
        this.rules = rules;
        this.executor = executor;
    }

    /** Reason why nothing can be followed yet, as text for the operator. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Reads the headers to start with, lowest first; the last one is the block from which following starts.
     *
     * @return fails with {@link Refused}, or as the node's calls fail
     */
    CompletionStage<List<BlockRow>> read(NodeClient node) {
        return node.tip().thenComposeAsync(tip -> agreed(node, tip), executor);
    }

    private CompletionStage<List<BlockRow>> agreed(NodeClient node, NodeClient.Tip tip) {
        if (tip.height() < 0) {
            return CompletableFuture.failedFuture(new Refused("a node names a height that no chain has"));
        }
        long deep = checkpoint.map(BlockPlace::height).orElse(Math.max(0, tip.height() - WorkPolicy.DEPTH));
        return Bounded.each(nodes, AT_ONCE, one -> idAt(one.client(), deep), executor)
                .thenComposeAsync(
                        ids -> {
                            BlockPlace common = new BlockPlace(deep, agreement(ids, deep));
                            return headers(node, tip.height(), common);
                        },
                        executor);
    }

    /** Returns empty when the node does not answer or has no such block yet. */
    private CompletionStage<Optional<Hash256>> idAt(NodeClient node, long height) {
        return node.blockAt(height)
                .handleAsync(
                        (block, failure) ->
                                failure != null ? Optional.empty() : block.map(NodeClient.BlockSummary::blockId),
                        executor);
    }

    private Hash256 agreement(List<Optional<Hash256>> ids, long height) {
        List<Hash256> named = ids.stream().flatMap(Optional::stream).distinct().toList();
        if (checkpoint.isPresent()) {
            return checkpoint.get().blockId();
        }
        if (named.size() != 1) {
            throw new Refused(
                    named.isEmpty()
                            ? "no node shows the block at height " + U64.toString(height)
                            : "the nodes have different blocks at height " + U64.toString(height)
                                    + ": nothing is followed until they agree, or --checkpoint=height:id names the right one");
        }
        return named.get(0);
    }

    /** Reads the headers to start with, and all between them and the common block unless it is too far below. */
    private CompletionStage<List<BlockRow>> headers(NodeClient node, long tip, BlockPlace common) {
        if (common.height() > tip) {
            throw new Refused("the node's chain ends below the block that the checkpoint names");
        }
        long start = Math.max(0, tip - 2L * rules.network().coinbaseMaturity());
        long lowest = start - start % Difficulty.WINDOW;
        boolean near = isNear(lowest, common);
        List<Long> heights = LongStream.rangeClosed(
                        near ? Math.min(lowest, common.height()) : lowest, Math.max(start, common.height()))
                .boxed()
                .toList();
        return Bounded.each(heights, AT_ONCE, node::blockAt, executor)
                .thenApplyAsync(found -> linked(found, heights), executor)
                .thenComposeAsync(
                        rows -> near
                                ? CompletableFuture.completedFuture(agreed(rows, common))
                                : node.blockAt(common.height())
                                        .thenApplyAsync(
                                                block -> {
                                                    require(block.map(NodeClient.BlockSummary::blockId), common);
                                                    return rows;
                                                },
                                                executor),
                        executor)
                .thenApplyAsync(rows -> select(rows, lowest, start), executor)
                .thenApplyAsync(this::requireWork, executor);
    }

    /** Rejects a chain whose difficulty is below that of its genesis block, unless the operator names a checkpoint. */
    private List<BlockRow> requireWork(List<BlockRow> rows) {
        boolean easier = rows.stream().anyMatch(row -> row.target().compareTo(rules.easiest()) > 0);
        if (easier && checkpoint.isEmpty()) {
            throw new Refused("a node's blocks demand less work than the genesis block of the "
                    + rules.network().word() + ": nothing is followed unless --checkpoint=height:id names one of them");
        }
        return rows;
    }

    /** Returns the lowest block to which headers read here are linked: a checkpoint below them counts if they were linked to it. */
    static BlockPlace ancestor(List<BlockRow> rows, Optional<BlockPlace> checkpoint) {
        BlockRow lowest = rows.get(0);
        return checkpoint
                .filter(named -> lowest.height() > 0 && isNear(lowest.height(), named))
                .filter(named -> named.height() < lowest.height()
                        || rows.stream().anyMatch(row -> row.place().equals(named)))
                .orElse(lowest.place());
    }

    private static boolean isNear(long lowest, BlockPlace common) {
        return lowest - common.height() <= Difficulty.WINDOW;
    }

    private static List<BlockRow> agreed(List<BlockRow> rows, BlockPlace common) {
        long lowest = rows.get(0).height();
        require(Optional.of(rows.get((int) (common.height() - lowest)).blockId()), common);
        return rows;
    }

    private static List<BlockRow> select(List<BlockRow> rows, long lowest, long start) {
        return rows.stream()
                .filter(row -> row.height() >= lowest && row.height() <= start)
                .toList();
    }

    private static List<BlockRow> linked(List<Optional<NodeClient.BlockSummary>> found, List<Long> heights) {
        List<BlockRow> rows = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            NodeClient.BlockSummary summary =
                    found.get(i).orElseThrow(() -> new Refused("the node's chain changes while its headers are read"));
            BlockHeader header = summary.header();
            boolean follows =
                    i == 0 || header.previousId().equals(rows.get(i - 1).blockId());
            if (BlockReader.judge(summary, heights.get(i)).isPresent() || !follows) {
                throw new Refused("the headers of the node's chain do not make one chain at height "
                        + U64.toString(heights.get(i)));
            }
            rows.add(HeaderCheck.row(header, true));
        }
        return rows;
    }

    private static void require(Optional<Hash256> id, BlockPlace common) {
        if (!id.equals(Optional.of(common.blockId()))) {
            throw new Refused("a node's block at height " + U64.toString(common.height()) + " is not "
                    + common.blockId() + ", which the checkpoint or the other nodes name");
        }
    }
}
