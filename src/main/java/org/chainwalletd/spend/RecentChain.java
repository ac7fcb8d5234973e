package org.chainwalletd.spend;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.chainwalletd.chain.Hash256;

/**
 * The ids of the last blocks below a tip, each found as its child's parent: whatever nodes the answers come from, and whatever moves
 * meanwhile, what is here is one chain. Costs one question for a new block and one more for each block that a reorganisation has replaced.
 */
final class RecentChain {
    private record Link(long height, Hash256 previous) {}

    private final Map<Hash256, Link> links = new HashMap<>();
    private NavigableMap<Long, Hash256> best = new TreeMap<>();
    private Hash256 tip;

    /** The next block to ask for so that the chain below {@code newTip} is known down to {@code floor}; empty when it is. */
    Optional<Hash256> missing(Hash256 newTip, long floor) {
        if (newTip.equals(tip) && best.firstKey() <= floor) {
            return Optional.empty();
        }
        NavigableMap<Long, Hash256> found = new TreeMap<>();
        Hash256 id = newTip;
        long height = Long.MAX_VALUE;
        while (height > floor) {
            Link link = links.get(id);
            if (link == null) {
                return Optional.of(id);
            }
            found.put(link.height(), id);
            height = link.height();
            id = link.previous();
        }
        best = found;
        tip = newTip;
        links.keySet().retainAll(new HashSet<>(found.values()));
        return Optional.empty();
    }

    void add(Hash256 id, long height, Hash256 previous) {
        links.put(id, new Link(height, previous));
    }

    /** The block at this height below the tip of the last complete search; empty above it and below its floor. */
    Optional<Hash256> at(long height) {
        return Optional.ofNullable(best.get(height));
    }

    void forget() {
        links.clear();
        best.clear();
        tip = null;
    }
}
