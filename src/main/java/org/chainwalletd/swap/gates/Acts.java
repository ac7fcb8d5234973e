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
        return new Acts(
                true, locking, abandoning, claimPermitted, claimJournalled, refunding, lockTx, claimTx, refundTx);
    }

    public Acts lock() {
        return new Acts(
                expired, true, abandoning, claimPermitted, claimJournalled, refunding, lockTx, claimTx, refundTx);
    }

    public Acts lockedBy(String tx) {
        return new Acts(
                expired,
                locking,
                abandoning,
                claimPermitted,
                claimJournalled,
                refunding,
                Optional.of(tx),
                claimTx,
                refundTx);
    }

    public Acts abandon() {
        return new Acts(expired, locking, true, claimPermitted, claimJournalled, refunding, lockTx, claimTx, refundTx);
    }

    public Acts permitClaim() {
        return permit(true);
    }

    /** The gate has closed again before a claim was journalled. */
    public Acts withdrawPermission() {
        return permit(false);
    }

    private Acts permit(boolean permitted) {
        return new Acts(expired, locking, abandoning, permitted, claimJournalled, refunding, lockTx, claimTx, refundTx);
    }

    public Acts journalClaim() {
        return new Acts(expired, locking, abandoning, claimPermitted, true, refunding, lockTx, claimTx, refundTx);
    }

    /** A claim that has an id was journalled before it was sent. */
    public Acts claimedBy(String tx) {
        return new Acts(
                expired, locking, abandoning, claimPermitted, true, refunding, lockTx, Optional.of(tx), refundTx);
    }

    public Acts refund() {
        return new Acts(expired, locking, abandoning, claimPermitted, claimJournalled, true, lockTx, claimTx, refundTx);
    }

    public Acts refundedBy(String tx) {
        return new Acts(
                expired,
                locking,
                abandoning,
                claimPermitted,
                claimJournalled,
                refunding,
                lockTx,
                claimTx,
                Optional.of(tx));
    }
}
