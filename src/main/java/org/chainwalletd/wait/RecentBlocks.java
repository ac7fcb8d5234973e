package org.chainwalletd.wait;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.store.BlockPlace;

/**
 * The last followed blocks and the ids of their transactions, as far as they were heard of since the start: what a node says about these
 * heights needs no belief. Bounded by blocks and by ids. Not safe for threads.
 */
final class RecentBlocks {
    private static final int MOST_BLOCKS = 100;
    private static final int MOST_IDS = 100_000;

    private record Kept(BlockPlace place, Set<Hash256> transactions) {}

    private final Deque<Kept> blocks = new ArrayDeque<>();
    private final Map<Hash256, BlockPlace> places = new HashMap<>();
    private BlockPlace tip;

    Optional<BlockPlace> tip() {
        return Optional.ofNullable(tip);
    }

    void connected(ChainBlock block) {
        Set<Hash256> ids =
                block.transactions().stream().map(ChainTransaction::id).collect(Collectors.toUnmodifiableSet());
        blocks.addLast(new Kept(block.place(), ids));
        ids.forEach(id -> places.put(id, block.place()));
        tip = block.place();
        while (blocks.size() > MOST_BLOCKS || places.size() > MOST_IDS && blocks.size() > 1) {
            forget(blocks.removeFirst());
        }
    }

    /** The next event is a block on the parent, or another one that goes. */
    void disconnected(BlockPlace block) {
        if (!blocks.isEmpty() && blocks.getLast().place().equals(block)) {
            forget(blocks.removeLast());
        }
        tip = blocks.isEmpty() ? null : blocks.getLast().place();
    }

    void standing(BlockPlace place) {
        blocks.clear();
        places.clear();
        tip = place;
    }

    Optional<BlockPlace> find(Hash256 txId) {
        return Optional.ofNullable(places.get(txId));
    }

    /** False when the block at that height was followed and is another one, or without the transaction: it is of a stale fork, or a lie. */
    boolean allows(Hash256 txId, BlockPlace place) {
        return blocks.stream()
                .filter(kept -> kept.place().height() == place.height())
                .allMatch(kept ->
                        kept.place().equals(place) && kept.transactions().contains(txId));
    }

    private void forget(Kept kept) {
        kept.transactions().forEach(id -> places.remove(id, kept.place()));
    }
}
