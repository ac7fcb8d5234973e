package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;

/**
 * Reads some blocks of the followed chain once more, for somebody who was not interested in them before. The highest of them is known by its
 * id, and proves those below by their links.
 *
 * @param <T> what is picked from a block
 */
final class SecondReading<T> {
    /** Blocks that are read at a time. */
    private static final int AT_ONCE = 4;

    private final BlockReader reader;
    private final long from;
    private final BlockRow top;
    private final Function<ChainBlock, List<T>> pick;
    private final Executor executor;

    SecondReading(BlockReader reader, long from, BlockRow top, Function<ChainBlock, List<T>> pick, Executor executor) {
        this.reader = reader;
        this.from = from;
        this.top = top;
        this.pick = pick;
        this.executor = executor;
    }

    /** What was picked of one block; the block itself is not kept. */
    private record Read<T>(Hash256 id, Hash256 parent, List<T> picked) {}

    /** What was picked, from one of the nodes; empty when none shows these blocks. Never fails. */
    CompletionStage<Optional<Follower.Picked<T>>> by(Iterator<FollowedNode> nodes) {
        if (!nodes.hasNext()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        NodeClient node = nodes.next().client().background();
        List<Long> heights = LongStream.rangeClosed(from, top.height()).boxed().toList();
        return Bounded.each(heights, AT_ONCE, height -> read(node, height), executor)
                .thenApplyAsync(this::linked, executor)
                .exceptionallyAsync(silent -> Optional.empty(), executor)
                .thenComposeAsync(
                        found -> found.isPresent() ? CompletableFuture.completedFuture(found) : by(nodes), executor);
    }

    private CompletionStage<Optional<Read<T>>> read(NodeClient node, long height) {
        return reader.read(node, height)
                .thenApplyAsync(
                        fetched -> fetched instanceof Fetched.Whole whole
                                ? Optional.of(new Read<>(
                                        whole.block().id(), whole.block().parentId(), pick.apply(whole.block())))
                                : Optional.empty(),
                        executor);
    }

    private Optional<Follower.Picked<T>> linked(List<Optional<Read<T>>> blocks) {
        List<T> picked = new ArrayList<>();
        Hash256 wanted = top.blockId();
        for (int i = blocks.size() - 1; i >= 0; i--) {
            Hash256 id = wanted;
            Optional<Read<T>> block = blocks.get(i).filter(read -> read.id().equals(id));
            if (block.isEmpty()) {
                return Optional.empty();
            }
            picked.addAll(block.get().picked());
            wanted = block.get().parent();
        }
        return Optional.of(new Follower.Picked<>(new BlockPlace(top.height(), top.blockId()), picked));
    }
}
