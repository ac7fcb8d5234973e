package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.spend.plan.TransferRequest;

/**
 * Spend of an HTLC output by one of its parties, into one plain output of the same party. Input, output and fee follow from the parameters, so the
 * same redemption is always the same transaction.
 */
public sealed interface Redemption permits ClaimRequest, ReclaimRequest {
    /** Returns the method's name. */
    String kind();

    /** Returns the address of the party that signs and is paid. */
    Address from();

    Outpoint lock();

    /** Returns the requested fee; empty for the consensus minimum. */
    Optional<Amount> fee();

    /** Returns the fee to pay; a default is equivalent to an explicit value. */
    default Amount effectiveFee() {
        return fee().orElseGet(shape()::minimumFee);
    }

    /** Returns the lowest value of an HTLC that can be redeemed with this fee. */
    static Amount leastWorth(Amount fee) {
        return fee.plusOrMax(ChainProfile.DUST_THRESHOLD);
    }

    /**
     * Returns the highest fee that the caller allows. Empty for redemptions that the daemon makes by itself, for a swap or for a lock past its
     * timeout: the component that makes the request bounds its fee, which counts against the spend allowance but is never refused because of it.
     */
    Optional<Amount> maxFee();

    Optional<String> clientToken();

    /**
     * Returns the expected parameters of the HTLC.
     *
     * @param own public key of {@link #from}
     */
    HtlcParams params(PublicKey own);

    /** Returns the shape of the spending transaction, from which its fee follows. */
    TxShape shape();

    /** @param signature 64 bytes over the signing message of the spending transaction */
    Witness witness(byte[] signature);

    /** Returns the digest of the parameters' meaning. */
    Hash256 digest();

    /** Completes the digest. A default is equivalent to an explicit value, and tokens of releases without {@code max_fee} mean the default. */
    default Hash256 finish(ParameterDigest digest) {
        digest.putNumber(effectiveFee().bits());
        maxFee().filter(most -> !most.equals(TransferRequest.DEFAULT_MAX_FEE))
                .ifPresent(most -> digest.putNumber(most.bits()));
        return digest.finish();
    }
}
