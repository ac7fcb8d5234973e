package org.chainwalletd.htlc;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * HTLC as callers are told of it (interface.md, section 2.8; decisions.md, section 3).
 *
 * @param lockHeight empty while the lock is in no block
 * @param claim also one that is in no block yet; the state changes only with its block
 * @param lastIndexedHeight of the followed tip, 0 before the first block
 */
public record HtlcRecord(
        Outpoint lock,
        HtlcParams params,
        Amount amount,
        OptionalLong lockHeight,
        State state,
        Optional<Claim> claim,
        Optional<Reclaim> reclaim,
        Role role,
        long lastIndexedHeight) {
    /** Where an HTLC is in its life. */
    public enum State {
        LOCKED,
        /** The indexed height is above the timeout; a claim is still possible. */
        LOCKED_EXPIRED,
        CLAIMED,
        RECLAIMED,
        /** The lock was seen but lost its coins to another transaction. */
        UNKNOWN;

        /** Whether a key of its parties is still needed. */
        public boolean isOpen() {
            return this == LOCKED || this == LOCKED_EXPIRED;
        }
    }

    /** Which party the keys of this daemon are. */
    public enum Role {
        SENDER,
        RECEIVER,
        BOTH,
        /** None; only in records that came from an indexer. */
        OBSERVER
    }

    /** @param height empty while it is in no block */
    public record Claim(Hash256 txId, Bytes preimage, OptionalLong height, long input) {}

    /** @param height empty while it is in no block */
    public record Reclaim(Hash256 txId, OptionalLong height, long input) {}
}
