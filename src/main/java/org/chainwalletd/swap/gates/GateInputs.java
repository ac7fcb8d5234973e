package org.chainwalletd.swap.gates;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Inputs of both gates in addition to the pool's lock.
 *
 * @param wallSeconds Unix seconds
 * @param refundDue whether our own lock can be refunded now
 * @param hindrance reason why the claim could not be pushed: the daemon is stopping, or the store cannot be written
 * @param ownLockSettledAt time of the block at which our lock reached its depth; empty before that
 */
public record GateInputs(
        long wallSeconds, boolean refundDue, Optional<String> hindrance, OptionalLong ownLockSettledAt) {

    /** Returns the reason that closes every gate, regardless of the pool's lock. */
    Optional<GateVerdict> closed() {
        if (hindrance.isPresent()) {
            return hindrance.map(GateVerdict::closed);
        }
        if (refundDue) {
            return Optional.of(GateVerdict.closedForGood("our own lock can be taken back already"));
        }
        if (ownLockSettledAt.isEmpty()) {
            return Optional.of(GateVerdict.closed("our own lock is not settled yet"));
        }
        return Optional.empty();
    }

    /** @param minedAt time of the block of the pool's lock */
    Optional<GateVerdict> closedAsLate(long minedAt) {
        long after = Math.subtractExact(minedAt, ownLockSettledAt.orElseThrow());
        return after > SwapLimits.POOL_WINDOW_SECONDS
                ? Optional.of(GateVerdict.closedForGood("the pool's lock was mined " + after
                        + " s after ours was settled; " + SwapLimits.POOL_WINDOW_SECONDS + " are allowed"))
                : Optional.empty();
    }
}
