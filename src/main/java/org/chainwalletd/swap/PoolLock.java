package org.chainwalletd.swap;

/** What the chain of the pool's lock says of it. */
public sealed interface PoolLock {
    /** No lock that fits the terms. */
    record Absent() implements PoolLock {}

    /** @param reference the outpoint of the HTLC, or the hash lock of the slot */
    record Locked(String reference) implements PoolLock {}

    /** Somebody's lock with other terms has the slot of our hash lock. */
    record Foreign() implements PoolLock {}

    /** Claimed, and so paid to us, whoever sent the claim. */
    record Claimed(String reference, String tx, boolean isFinal) implements PoolLock {}

    /** Taken back by the pool. */
    record TakenBack(String reference, boolean isFinal) implements PoolLock {}
}
