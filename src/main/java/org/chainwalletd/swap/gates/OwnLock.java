package org.chainwalletd.swap.gates;

import java.util.OptionalLong;

/** State of our own lock on its chain. Final means at 60 blocks on the chain, or in a final block of the account chain. */
public sealed interface OwnLock {
    /** In no block; it may come. */
    record Absent() implements OwnLock {}

    /** Final: it reverted, its input or nonce went elsewhere, or it was given up before any was made. A foreign lock in its slot changes that not. */
    record Lost() implements OwnLock {}

    /**
     * With our sender, recipient, amount and deadline.
     *
     * @param reference the outpoint of the HTLC, or the hash lock of the slot
     * @param settledAt time of the block with which it reached its depth
     */
    record Locked(String reference, OptionalLong settledAt) implements OwnLock {}

    /** Somebody else's lock has the slot of our hash lock. */
    record Foreign() implements OwnLock {}

    /** Claimed by the pool, which published the secret. */
    record Claimed(String reference, String tx, boolean isFinal) implements OwnLock {}

    /** Taken back by us. */
    record TakenBack(String reference, String tx, boolean isFinal) implements OwnLock {}
}
