package org.chainwalletd.devnet.indexer;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * A hash time-locked output.
 *
 * @param settlement null while it is unspent
 */
record Htlc(Outpoint outpoint, HtlcParams params, Amount amount, long lockHeight, Settlement settlement) {
    /**
     * Spend of the HTLC.
     *
     * @param preimage null for a reclaim
     */
    record Settlement(Hash256 txId, long inputIndex, long height, Bytes preimage) {
        boolean isClaim() {
            return preimage != null;
        }
    }

    Htlc settled(Settlement how) {
        return new Htlc(outpoint, params, amount, lockHeight, how);
    }

    /** State as in the recorded indexer: set when the record changes, not derived from the present height. */
    String state() {
        if (settlement != null) {
            return settlement.isClaim() ? "claimed" : "reclaimed";
        }
        return params.reclaimableInBlock(lockHeight) ? "locked_expired" : "locked";
    }

    /** Height of the last change of this record. */
    long lastIndexedHeight() {
        return settlement == null ? lockHeight : settlement.height();
    }
}
