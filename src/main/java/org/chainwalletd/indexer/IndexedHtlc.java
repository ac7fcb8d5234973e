package org.chainwalletd.indexer;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.wire.U32;

/**
 * An HTLC as an indexer has seen it; its role there is always that of an observer.
 *
 * @param lockHeight null while the lock is in the mempool
 * @param claim null unless it was claimed
 * @param reclaim null unless it was reclaimed
 * @param lastIndexedHeight of the last change of this record
 */
public record IndexedHtlc(
        Outpoint outpoint,
        HtlcParams params,
        Amount amount,
        Long lockHeight,
        State state,
        Claim claim,
        Reclaim reclaim,
        long lastIndexedHeight) {
    public enum State {
        LOCKED,
        LOCKED_EXPIRED,
        CLAIMED,
        RECLAIMED,
        UNKNOWN
    }

    public record Claim(
            Hash256 txId,
            Bytes preimage,
            long blockHeight,
            @U32 long inputIndex) {}

    public record Reclaim(
            Hash256 txId, long blockHeight, @U32 long inputIndex) {}
}
