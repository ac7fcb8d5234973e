package org.chainwalletd.follow;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;

/** Recognizes blocks that come faster than blocks are found. All times are monotonic, in nanoseconds, and given by the caller. */
final class SupplyRate {
    private SupplyRate() {}

    private static long foundIn(long nanos) {
        return nanos / Rounds.FASTEST_BLOCKS.toNanos();
    }

    /**
     * Blocks that a node supplied in walks that follow each other directly.
     *
     * @param since start of the look before the first of these walks
     */
    record Supply(FollowedNode node, long since, long count) {
        /** Time within which walks of one node count together. */
        private static final Duration COUNTED = Duration.ofMinutes(1);

        /** Returns the supply with one more walk, or with this walk alone if it does not continue the walks before. */
        static Supply after(Optional<Supply> before, FollowedNode node, long lookBegan, long count) {
            return before.filter(supply -> supply.continuesAt(node, lookBegan))
                    .map(supply -> new Supply(node, supply.since, supply.count + count))
                    .orElseGet(() -> new Supply(node, lookBegan, count));
        }

        private boolean continuesAt(FollowedNode other, long lookBegan) {
            long time = lookBegan - since;
            return node.equals(other) && time < COUNTED.toNanos() && count >= foundIn(time);
        }
    }

    /** Growth of a chain that another daemon writes. Not thread-safe. */
    static final class Growth {
        /** Time for which the growth is watched at once, and for which it counts. */
        private static final Duration WATCHED = Duration.ofSeconds(30);

        /** Height at {@link #since}; negative before the first. */
        private long from = -1;
        /** Time from which the growth is watched. */
        private long since;
        /** Time at which the other daemon was last seen to catch up. */
        private OptionalLong catchingUpAt = OptionalLong.empty();

        /** Returns whether the other daemon writes blocks faster than they are found: then it catches up. */
        boolean watch(long height, long now) {
            long found = foundIn(now - since);
            boolean isFast = from >= 0 && height - from > ChainComparison.PROOF + found;
            if (isFast) {
                catchingUpAt = OptionalLong.of(now);
            } else if (from >= 0 && height - from > found && now - since < WATCHED.toNanos()) {
                return false;
            }
            from = height;
            since = now;
            return isFast;
        }

        boolean isCatchingUp(long now) {
            return catchingUpAt.isPresent() && now - catchingUpAt.getAsLong() < WATCHED.toNanos();
        }
    }
}
