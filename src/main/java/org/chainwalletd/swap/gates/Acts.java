package org.chainwalletd.swap.gates;

import java.util.Optional;

/**
 * Decisions of this daemon about a swap, each durable before its side effect. All but the permission only grow: what was sent once may turn up
 * at any time.
 *
 * @param expired the quote cannot be executed any more
 * @param locking our lock may have left
 * @param abandoning our lock is not wanted any more while it is in no block; it may confirm all the same
 * @param claimPermitted the gate was open, and nothing else: no byte with the secret has left unless a claim is journalled. Ends when a later
 *     look finds the gate closed and no journalled claim
 * @param claimJournalled a claim with the secret is durable, or a chain shows one: it may be anywhere, and is pushed until it is final
 * @param refunding our lock is being taken back
 * @param lockTx id of the transaction that locks, once it is known
 * @param claimTx the newest of ours that claims
 * @param refundTx the newest of ours that takes back
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

    /** The gate has closed again before a claim was journalled. */
    public Acts withdrawPermission() {
        return marked(expired, locking, abandoning, false, claimJournalled, refunding);
    }

    public Acts journalClaim() {
        return marked(expired, locking, abandoning, claimPermitted, true, refunding);
    }

    /** A claim that has an id was journalled before it was sent. */
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
