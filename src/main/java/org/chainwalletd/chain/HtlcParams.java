package org.chainwalletd.chain;

import java.util.Objects;

/**
 * Parameters of an HTLC script (chain protocol, section 6.3).
 *
 * @param sender may reclaim in every block above {@code timeoutHeight}
 * @param receiver may claim with the preimage, before and after the timeout
 * @param hashLock SHA-256 of the preimage
 * @param timeoutHeight unsigned 64-bit block height
 */
public record HtlcParams(PublicKey sender, PublicKey receiver, Hash256 hashLock, long timeoutHeight) {
    public HtlcParams {
        Objects.requireNonNull(sender, "sender");
        Objects.requireNonNull(receiver, "receiver");
        Objects.requireNonNull(hashLock, "hashLock");
    }

    /** Tests whether a reclaim is valid in a block of this height, which must be strictly above the timeout. */
    public boolean reclaimableInBlock(long height) {
        return Long.compareUnsigned(height, timeoutHeight) > 0;
    }
}
