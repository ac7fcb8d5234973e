package org.chainwalletd.swap;

import java.util.OptionalLong;

/** What the chain of the pool's lock says of it. */
public sealed interface PoolLock {
    /** No lock that fits the terms. */
    record Absent() implements PoolLock {}

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
    record TakenBack(String reference, boolean isFinal) implements PoolLock {}
}
