package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
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
 * Reclaim as requested by the caller (interface.md, section 4.8).
 *
 * @param from the sender of the lock, who is paid back
 * @param receiver party of the lock
 * @param timeout of the lock, unsigned
 */
public record ReclaimRequest(
        Address from,
        Outpoint lock,
        PublicKey receiver,
        Hash256 hashLock,
        long timeout,
        Optional<Amount> fee,
        Optional<Amount> maxFee,
        Optional<String> clientToken)
        implements Redemption {
    public static final String KIND = "htlc_reclaim";
    private static final TxShape SHAPE = TxShape.EMPTY.plusPlainOutputs(1).plusReclaim();
    /** Value below which a lock cannot be reclaimed at all. */
    static final Amount LEAST_WORTH = Redemption.leastWorth(SHAPE.minimumFee());

    /** Returns the token of the watchdog's reclaim of a lock, which is the same after a restart; no caller can use it. */
    public static String tokenOfWatchdog(Outpoint lock) {
        return TokenBinding.ofDaemon("auto-reclaim-" + lock);
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public HtlcParams params(PublicKey own) {
        return new HtlcParams(own, receiver, hashLock, timeout);
    }

    @Override
    public TxShape shape() {
        return SHAPE;
    }

    @Override
    public Witness witness(byte[] signature) {
        return HtlcWitness.reclaim(signature);
    }

    @Override
    public Hash256 digest() {
        return finish(new ParameterDigest(KIND)
                .put(from.toArray())
                .put(lock.txId().toArray())
                .putNumber(lock.index())
                .put(receiver.toArray())
                .put(hashLock.toArray())
                .putNumber(timeout));
    }
}
