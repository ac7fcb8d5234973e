package org.chainwalletd.follow;

import java.time.Clock;
import java.util.concurrent.ThreadLocalRandom;
import org.chainwalletd.chain.BlockHeader;

/**
 * Which blocks have their work checked. All of them, but for a chain that is being caught up with: there one in 50, chosen so that nobody can
 * know which. A height that a node claims does not make a block old; a block counts as old when its own time, which must lie after that of
 * the blocks below, says so as well.
 *
 * @param on false: nothing is checked
 * @param tip the height that the node claims
 */
record WorkPolicy(boolean on, long tip, Clock clock) {
    /** Blocks below the tip that are all checked, and that must lie above an unchecked one before it is told. */
    static final int DEPTH = 100;

    private static final int ONE_IN = 50;
    /** Time that {@link #DEPTH} blocks take at the chain's pace of one in ten seconds. */
    private static final long OLD_SECONDS = 10 * DEPTH;

    boolean demands(BlockHeader header) {
        return on && (!isOld(header) || ThreadLocalRandom.current().nextInt(ONE_IN) == 0);
    }

    private boolean isOld(BlockHeader header) {
        long now = clock.instant().getEpochSecond();
        return tip - header.height() > DEPTH && header.timestamp() >= 0 && header.timestamp() < now - OLD_SECONDS;
    }
}
