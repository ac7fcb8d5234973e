package org.chainwalletd.spend;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;

/**
 * The ids of the last blocks below a tip, each found as its child's parent: whatever nodes the answers come from, and whatever moves
 * meanwhile, what is here is one chain. Costs one question for a new block and one more for each block that a reorganisation has replaced.
 * A node that makes up blocks costs no more than the way from its tip to the floor.
 */
final class RecentChain {
    /** Of branches that were never followed down to a known block; when there are more all are asked for anew. */
    private static final int MOST_LINKS = 4_096;

    private record Link(long height, Hash256 previous) {}

    private final Map<Hash256, Link> links = new HashMap<>();
    private NavigableMap<Long, Hash256> best = new TreeMap<>();
    private BlockPlace tip;
    private OptionalLong change = OptionalLong.empty();

    /**
     * The next block to ask for so that the chain below {@code newTip} is known down to {@code floor}; empty when it is. A block that is not
     * at the height that is named here belongs to no chain.
     */
    Optional<BlockPlace> missing(BlockPlace newTip, long floor) {
        if (newTip.equals(tip) && best.firstKey() <= floor) {
            return Optional.empty();
        }
        NavigableMap<Long, Hash256> found = new TreeMap<>();
        Hash256 id = newTip.blockId();
        long height = newTip.height();
        do {
            Link link = links.get(id);
            if (link == null || link.height() != height) {
                return Optional.of(new BlockPlace(height, id));
            }
            found.put(height, id);
            height--;
            id = link.previous();
        } while (height >= floor);
        replaceBest(found);
        tip = newTip;
        return Optional.empty();
    }

    private void replaceBest(NavigableMap<Long, Hash256> found) {
        long changed = found.descendingMap().entrySet().stream()
                .filter(block -> block.getValue().equals(best.get(block.getKey())))
                .findFirst()
                .map(common -> common.getKey() + 1)
                .orElse(Long.MIN_VALUE);
        change = OptionalLong.of(change.isPresent() ? Math.min(change.getAsLong(), changed) : changed);
        best = found;
        links.keySet().retainAll(new HashSet<>(found.values()));
    }

    void add(BlockPlace block, Hash256 previous) {
        if (links.size() >= MOST_LINKS) {
            links.clear();
        }
        links.put(block.blockId(), new Link(block.height(), previous));
    }

    /** The block at this height below the tip of the last complete search; empty above it and below its floor. */
    Optional<Hash256> at(long height) {
        return Optional.ofNullable(best.get(height));
    }

    /**
     * The lowest height at which there may be another block than at the last call; empty when all is as it was. Below it nothing has changed,
     * even where the chain is not held any more.
     */
    OptionalLong takeChange() {
        OptionalLong taken = change;
        change = OptionalLong.empty();
        return taken;
    }

    void forget() {
        links.clear();
        best.clear();
        tip = null;
    }
}
