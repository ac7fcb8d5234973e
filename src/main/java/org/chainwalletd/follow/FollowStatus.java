package org.chainwalletd.follow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Network;

/**
 * State of the follower at one moment.
 *
 * @param tip the newest published block; empty before the first block
 * @param network the followed network; empty before the first block
 * @param nodesHeight height of the chain as far as nodes have proven it; with a single node, or while no node shows a valid next block, the reported
 *     height; -1 before the first
 * @param namedHeight height last reported by a node whose chain extends ours, proven or not; -1 before the first
 * @param complaints reasons why it cannot follow, and nodes that differ from the followed chain
 */
public record FollowStatus(
        Optional<FollowedTip> tip,
        Optional<Network> network,
        long nodesHeight,
        long namedHeight,
        Instant startedAt,
        List<String> complaints) {
    /** A block is due every ten seconds; a pause this long is no coincidence. */
    private static final Duration AGED = Duration.ofMinutes(30);

    public FollowStatus {
        complaints = List.copyOf(complaints);
    }

    /** Returns how many blocks the nodes' height is above the followed tip, as far as is known; 0 before the first block. */
    public long lag() {
        return tip.map(known -> Math.max(0, nodesHeight - known.height())).orElse(0L);
    }

    /** Returns the higher of the proven and the last reported height, for uses where a height that is too high only delays; -1 before the first. */
    public long highest() {
        return Math.max(nodesHeight, namedHeight);
    }

    /** Returns whether the newest block is too old for a live chain. False on a development chain, which mines on request. */
    public boolean isAged(Instant now) {
        return network.filter(known -> known != Network.DEVNET).isPresent()
                && tip.filter(known -> now.getEpochSecond() - known.timestamp() > AGED.toSeconds())
                        .isPresent();
    }
}
