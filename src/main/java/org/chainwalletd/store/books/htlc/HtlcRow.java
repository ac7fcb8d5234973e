package org.chainwalletd.store.books.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * A stored HTLC.
 *
 * @param role {@link HtlcTable#SENDER}, {@link HtlcTable#RECEIVER} or both
 * @param lockHeight empty while the lock is unconfirmed
 * @param claim confirmed or unconfirmed; either way its preimage is public
 * @param seen whether the lock was known before it was confirmed
 * @param inputs of the lock transaction, if the lock was seen unconfirmed
 * @param lost whether, as far as the nodes know, another transaction has replaced the lock
 * @param forgotten whether the operator has removed it from listings
 */
public record HtlcRow(
        Outpoint outpoint,
        HtlcParams params,
        Amount amount,
        int role,
        OptionalLong lockHeight,
        Optional<Spend> claim,
        Optional<Spend> reclaim,
        boolean seen,
        List<Outpoint> inputs,
        boolean lost,
        boolean forgotten) {
    /**
     * The input that spends the HTLC.
     *
     * @param preimage empty for a reclaim
     * @param height empty while unconfirmed
     */
    public record Spend(Hash256 txId, int input, Optional<Bytes> preimage, OptionalLong height) {
        private boolean isIn(long tip) {
            return height.isPresent() && height.getAsLong() <= tip;
        }

        private boolean isAbove(long tip) {
            return height.isPresent() && height.getAsLong() > tip;
        }
    }

    public HtlcRow {
        inputs = List.copyOf(inputs);
    }

    /** Returns the row as of the block {@code tip}, the highest that may be reported; empty when up to it there is nothing to report. */
    public Optional<HtlcRow> asOf(long tip) {
        boolean lockAbove = lockHeight.isPresent() && lockHeight.getAsLong() > tip;
        if (lockAbove && !seen) {
            return Optional.empty();
        }
        return Optional.of(new HtlcRow(
                outpoint,
                params,
                amount,
                role,
                lockAbove ? OptionalLong.empty() : lockHeight,
                claim.filter(spend -> !spend.isAbove(tip)),
                reclaim.filter(spend -> !spend.isAbove(tip)),
                seen,
                inputs,
                lost,
                forgotten));
    }

    /** Returns the state, one of those in {@link HtlcTable}, when {@code tip} is the height of the newest block (-1 before the first one). */
    public int state(long tip) {
        if (reclaim.filter(spend -> spend.isIn(tip)).isPresent()) {
            return HtlcTable.RECLAIMED;
        }
        if (claim.filter(spend -> spend.isIn(tip)).isPresent()) {
            return HtlcTable.CLAIMED;
        }
        if (lost) {
            return HtlcTable.UNKNOWN;
        }
        return tip >= 0 && params.reclaimableInBlock(tip) ? HtlcTable.EXPIRED : HtlcTable.LOCKED;
    }
}
