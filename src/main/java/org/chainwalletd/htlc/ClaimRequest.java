package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.store.TokenBinding;

/**
 * Claim as requested by the caller (interface.md, section 4.8): valid before and after the timeout, as long as the output is unspent.
 *
 * @param from the receiver, who is paid
 * @param preimage 1 to 1,024 bytes; public as soon as the claim is sent
 * @param sender party of the lock
 * @param timeout of the lock, unsigned
 */
public record ClaimRequest(
        Address from,
        Outpoint lock,
        Bytes preimage,
        PublicKey sender,
        long timeout,
        Optional<Amount> fee,
        Optional<Amount> maxFee,
        Optional<String> clientToken)
        implements Redemption {
    public static final String KIND = "htlc_claim";
    public static final int MAX_PREIMAGE_BYTES = 1024;

    /** Returns the token of the watchtower's claim of a lock, which is the same after a restart; no caller can use it. */
    public static String tokenOfWatchtower(Outpoint lock) {
        return TokenBinding.ofDaemon("watchtower-claim-" + lock);
    }

    /** Returns this claim with another client token. */
    public ClaimRequest under(String token) {
        return new ClaimRequest(from, lock, preimage, sender, timeout, fee, maxFee, Optional.of(token));
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public HtlcParams params(PublicKey own) {
        return new HtlcParams(sender, own, HtlcWitness.hashLockOf(preimage.toArray()), timeout);
    }

    @Override
    public TxShape shape() {
        return TxShape.EMPTY.plusPlainOutputs(1).plusClaim(preimage.length());
    }

    @Override
    public Witness witness(byte[] signature) {
        return HtlcWitness.claim(preimage.toArray(), signature);
    }

    @Override
    public Hash256 digest() {
        return finish(new ParameterDigest(KIND)
                .put(from.toArray())
                .put(lock.txId().toArray())
                .putNumber(lock.index())
                .put(preimage.toArray())
                .put(sender.toArray())
                .putNumber(timeout));
    }

    /** Omits the preimage, which is secret until the claim is sent. */
    @Override
    public String toString() {
        return "claim of " + lock + " by " + from;
    }
}
