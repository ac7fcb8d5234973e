package org.chainwalletd.wait;

import org.chainwalletd.store.BlockPlace;

/** Outcome of a wait for a transaction. */
public sealed interface TxOutcome {
    /** @param confirmations at least the requested number; 1 means that the block is the tip */
    record Confirmed(BlockPlace block, long confirmations) implements TxOutcome {}

    /** @param elapsedSeconds whole seconds since the wait began */
    record TimedOut(long elapsedSeconds) implements TxOutcome {}
}
