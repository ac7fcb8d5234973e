package org.chainwalletd.swap.gates;

import java.util.OptionalLong;

/** State of the pool's lock on its chain. */
public sealed interface PoolLock {
    /** Whether nothing is there for us any more, for good. */
    default boolean isGone() {
        return false;
    }

    /**
     * No lock that fits the terms.
     *
     * @param since height of the followed tip at which it was first missed although our own lock was claimed, unsigned; empty before that, and
     *     on the account chain, whose final block says it at once
     * @param isFinal whether our own lock was claimed for good and no reorganisation is expected to bring one
     */
    record Absent(OptionalLong since, boolean isFinal) implements PoolLock {
        public Absent() {
            this(OptionalLong.empty(), false);
        }

        @Override
        public boolean isGone() {
            return isFinal;
        }
    }

    /**
     * @param reference the outpoint of the HTLC, or the hash lock of the slot
     * @param end its timeout height or deadline in Unix seconds, unsigned: from then on the pool can take it back; empty in rows of earlier
     *     releases
     */
    record Locked(String reference, OptionalLong end) implements PoolLock {
        public Locked(String reference) {
            this(reference, OptionalLong.empty());
        }
    }

    /** Somebody's lock with other terms has the slot of our hash lock. */
    record Foreign() implements PoolLock {}

    /** Claimed, and so paid to us, whoever sent the claim. */
    record Claimed(String reference, String tx, boolean isFinal) implements PoolLock {}

    /** Taken back by the pool. */
    record TakenBack(String reference, boolean isFinal) implements PoolLock {
        @Override
        public boolean isGone() {
            return isFinal;
        }
    }
}
