package org.chainwalletd.swap.gates;

import java.util.Optional;

/**
 * Decisions of this daemon about a swap, each durable before its side effect. Marks are only ever set, except the permission: a transaction that
 * was sent once may be mined at any time.
 *
 * @param expired the quote cannot be executed any more
 * @param locking our lock may have been sent
 * @param abandoning our lock is no longer wanted while it is in no block; it may be mined nevertheless
 * @param claimPermitted the gate was open, and nothing more: the secret has not been revealed unless a claim is journalled. Cleared when a later
 * observation finds the gate closed and no journalled claim
 * @param claimJournalled a claim with the secret is durable, or a chain shows one: the secret counts as public, and the claim is pushed until it is
 * final
 * @param refunding our lock is being refunded
 * @param lockTx id of the locking transaction, once known
 * @param claimTx id of our newest claim
 * @param refundTx id of our newest refund
 */
public record Acts(
        boolean expired,
        boolean locking,
        boolean abandoning,
        boolean claimPermitted,
        boolean claimJournalled,
        boolean refunding,
        Optional<String> lockTx,
        Optional<String> claimTx,
        Optional<String> refundTx) {
    public static final Acts NONE =
            new Acts(false, false, false, false, false, false, Optional.empty(), Optional.empty(), Optional.empty());

    public Acts expire() {
        return marked(true, locking, abandoning, claimPermitted, claimJournalled, refunding);
    }

    public Acts lock() {
        return marked(expired, true, abandoning, claimPermitted, claimJournalled, refunding);
    }

    public Acts lockedBy(String tx) {
        return named(Optional.of(tx), claimTx, refundTx);
    }

    public Acts abandon() {
        return marked(expired, locking, true, claimPermitted, claimJournalled, refunding);
    }

    public Acts permitClaim() {
        return marked(expired, locking, abandoning, true, claimJournalled, refunding);
    }

    /** Clears the permission, because the gate has closed again before a claim was journalled. */
    public Acts withdrawPermission() {
        return marked(expired, locking, abandoning, false, claimJournalled, refunding);
    }

    public Acts journalClaim() {
        return marked(expired, locking, abandoning, claimPermitted, true, refunding);
    }

    /** Records the id of a claim, which was journalled before it was sent. */
    public Acts claimedBy(String tx) {
        return journalClaim().named(lockTx, Optional.of(tx), refundTx);
    }

    public Acts refund() {
        return marked(expired, locking, abandoning, claimPermitted, claimJournalled, true);
    }

    public Acts refundedBy(String tx) {
        return named(lockTx, claimTx, Optional.of(tx));
    }

    private Acts marked(boolean over, boolean lock, boolean abandon, boolean permitted, boolean claim, boolean refund) {
        return new Acts(over, lock, abandon, permitted, claim, refund, lockTx, claimTx, refundTx);
    }

    private Acts named(Optional<String> lock, Optional<String> claim, Optional<String> refund) {
        return new Acts(expired, locking, abandoning, claimPermitted, claimJournalled, refunding, lock, claim, refund);
    }
}
