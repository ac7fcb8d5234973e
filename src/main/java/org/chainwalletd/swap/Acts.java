package org.chainwalletd.swap;

import java.util.Optional;

/**
 * What this daemon has decided for a swap, each durable before its side effect. Nothing here is ever taken back: what was sent once may turn
 * up at any time.
 *
 * @param expired the quote cannot be executed any more
 * @param locking our lock may have left
 * @param abandoning our lock is not wanted any more while it is in no block; it may confirm all the same
 * @param revealed the secret may have left, by our claim or by the pool's
 * @param refunding our lock is being taken back
 * @param lockTx id of the transaction that locks, once it is known
 * @param claimTx the newest of ours that claims
 * @param refundTx the newest of ours that takes back
 */
public record Acts(
        boolean expired,
        boolean locking,
        boolean abandoning,
        boolean revealed,
        boolean refunding,
        Optional<String> lockTx,
        Optional<String> claimTx,
        Optional<String> refundTx) {
    public static final Acts NONE =
            new Acts(false, false, false, false, false, Optional.empty(), Optional.empty(), Optional.empty());

    public Acts expire() {
        return new Acts(true, locking, abandoning, revealed, refunding, lockTx, claimTx, refundTx);
    }

    public Acts lock() {
        return new Acts(expired, true, abandoning, revealed, refunding, lockTx, claimTx, refundTx);
    }

    public Acts lockedBy(String tx) {
        return new Acts(expired, locking, abandoning, revealed, refunding, Optional.of(tx), claimTx, refundTx);
    }

    public Acts abandon() {
        return new Acts(expired, locking, true, revealed, refunding, lockTx, claimTx, refundTx);
    }

    public Acts reveal() {
        return new Acts(expired, locking, abandoning, true, refunding, lockTx, claimTx, refundTx);
    }

    public Acts claimedBy(String tx) {
        return new Acts(expired, locking, abandoning, revealed, refunding, lockTx, Optional.of(tx), refundTx);
    }

    public Acts refund() {
        return new Acts(expired, locking, abandoning, revealed, true, lockTx, claimTx, refundTx);
    }

    public Acts refundedBy(String tx) {
        return new Acts(expired, locking, abandoning, revealed, refunding, lockTx, claimTx, Optional.of(tx));
    }
}
