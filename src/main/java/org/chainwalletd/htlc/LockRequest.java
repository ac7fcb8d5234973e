package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.spend.plan.PaymentPlan;
import org.chainwalletd.store.TokenBinding;

/**
 * Lock as requested by the caller (interface.md, section 4.8).
 *
 * @param from funds the lock, and may reclaim it above {@code timeout}
 * @param receiver may claim the lock with the preimage of {@code hashLock}
 * @param timeout absolute block height, unsigned; any value, including one that has passed
 */
public record LockRequest(
        Address from,
        PublicKey receiver,
        Hash256 hashLock,
        long timeout,
        Amount amount,
        FeeChoice fee,
        Amount maxFee,
        Optional<String> clientToken) {
    /** Method name, also the kind of its intents. */
    public static final String KIND = "htlc_lock";

    /** Output index of the HTLC in our lock transactions; change, if any, follows. */
    public static final int OUTPUT_INDEX = 0;

    /** @param sender public key of {@link #from} */
    PaymentPlan plan(PublicKey sender) {
        HtlcParams params = new HtlcParams(sender, receiver, hashLock, timeout);
        return new PaymentPlan(
                KIND,
                from,
                List.of(TxOutput.toScript(HtlcScript.build(params), amount)),
                fee,
                maxFee,
                clientToken.map(token -> new TokenBinding(token, digest())));
    }

    private Hash256 digest() {
        return new ParameterDigest(KIND)
                .put(from.toArray())
                .put(receiver.toArray())
                .put(hashLock.toArray())
                .putNumber(timeout)
                .putNumber(amount.bits())
                .put(fee)
                .putNumber(maxFee.bits())
                .finish();
    }
}
