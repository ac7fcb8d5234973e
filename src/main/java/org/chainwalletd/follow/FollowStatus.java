package org.chainwalletd.follow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Network;

/**
 * Where the follower stands at one moment.
 *
 * @param tip up to where others are told; empty before the first block
 * @param network which one is followed; empty before the first block
 * @param nodesHeight the height that the node of the last round named; -1 before one did
 * @param complaints what keeps it from following, and which nodes differ from the followed chain
 */
public record FollowStatus(
        Optional<FollowedTip> tip,
        Optional<Network> network,
        long nodesHeight,
        Instant startedAt,
        List<String> complaints) {
    /** No block for so long, where one is due every ten seconds, is no accident. */
    private static final Duration AGED = Duration.ofMinutes(30);

    public FollowStatus {
        complaints = List.copyOf(complaints);
    }

    /** How many blocks there are above the followed tip, as far as is known; 0 before the first block. */
    public long lag() {
        return tip.map(known -> Math.max(0, nodesHeight - known.height())).orElse(0L);
    }

    /** Whether the newest block is too old for a chain that moves. A development chain mines when it is told to. */
    public boolean isAged(Instant now) {
        return network.filter(known -> known != Network.DEVNET).isPresent()
                && tip.filter(known -> now.getEpochSecond() - known.timestamp() > AGED.toSeconds())
                        .isPresent();
    }
}
