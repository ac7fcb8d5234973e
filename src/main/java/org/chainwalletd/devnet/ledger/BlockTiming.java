package org.chainwalletd.devnet.ledger;

/** Timestamps of mined blocks (chain protocol, section 9.6). Unix seconds. */
final class BlockTiming {
    private BlockTiming() {}

    /**
     * The wall clock as far as the rules let it through: above the median, and not more than seven days above the parent, so that the
     * first blocks walk the clock forward from genesis.
     */
    static long next(long parent, long median, long wallClock) {
        return Math.max(median + 1, Math.min(wallClock, parent + ChainState.MAX_STEP_SECONDS));
    }

    /** As {@link #next}, but spread evenly when {@code remaining} blocks are mined at one stroke up to the wall clock. */
    static long spread(long parent, long median, long wallClock, int remaining) {
        long step = Math.max(0, (wallClock - parent) / remaining);
        return next(parent, median, parent + step);
    }
}
