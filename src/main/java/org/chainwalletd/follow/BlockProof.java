package org.chainwalletd.follow;

import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;

/**
 * Proves by bytes that a block, and a transaction in it, are on the followed chain where the books do not say so: the block is read whole,
 * and headers are linked from it up to a kept id. One proof.
 */
final class BlockProof {
    /** Links of one proof at most: below the last ids every 1,000th is kept. */
    private static final long MOST_LINKS = 1_000;

    private final BlockReader reader;
    private final BlockPlace place;
    private final Hash256 txId;
    private final BlockRow kept;
    private final Executor executor;

    /** @param kept the lowest block of the followed chain that is kept at the height or above */
    BlockProof(BlockReader reader, BlockPlace place, Hash256 txId, BlockRow kept, Executor executor) {
        this.reader = reader;
        this.place = place;
        this.txId = txId;
        this.kept = kept;
        this.executor = executor;
    }

    /** Whether one of the nodes can show it. Never fails: who does not answer shows nothing. */
    CompletionStage<Boolean> by(Iterator<FollowedNode> nodes) {
        boolean impossible = kept.height() - place.height() > MOST_LINKS
                || kept.height() == place.height() && !kept.blockId().equals(place.blockId());
        if (impossible || !nodes.hasNext()) {
            return CompletableFuture.completedFuture(false);
        }
        NodeClient node = nodes.next().client();
        return by(node).exceptionallyAsync(silent -> false, executor)
                .thenComposeAsync(shown -> shown ? CompletableFuture.completedFuture(true) : by(nodes), executor);
    }

    private CompletionStage<Boolean> by(NodeClient node) {
        return links(node, place.height() + 1, place.blockId())
                .thenComposeAsync(
                        linked -> linked
                                ? reader.read(node, place.height()).thenApplyAsync(this::hasTransaction, executor)
                                : CompletableFuture.completedFuture(false),
                        executor);
    }

    /** Whether the blocks from {@code height} on, the first one on top of {@code parent}, lead to the kept one. */
    private CompletionStage<Boolean> links(NodeClient node, long height, Hash256 parent) {
        if (height > kept.height()) {
            return CompletableFuture.completedFuture(parent.equals(kept.blockId()));
        }
        if (height == kept.height()) {
            return CompletableFuture.completedFuture(parent.equals(kept.parentId()));
        }
        return node.blockAt(height).thenComposeAsync(told -> link(node, height, parent, told), executor);
    }

    private CompletionStage<Boolean> link(
            NodeClient node, long height, Hash256 parent, Optional<NodeClient.BlockSummary> told) {
        boolean follows = told.filter(block -> BlockReader.judge(block, height).isEmpty()
                        && block.previousBlockId().equals(parent))
                .isPresent();
        return follows ? links(node, height + 1, told.get().blockId()) : CompletableFuture.completedFuture(false);
    }

    private boolean hasTransaction(Fetched fetched) {
        return fetched instanceof Fetched.Whole whole
                && whole.block().id().equals(place.blockId())
                && whole.block().transactions().stream()
                        .anyMatch(mined -> mined.id().equals(txId));
    }
}
