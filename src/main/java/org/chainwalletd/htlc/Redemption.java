package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.spend.plan.TransferRequest;

/**
 * Spend of an HTLC output by one of its parties, into one plain output of its own. Since input, output and fee follow from the parameters,
 * the same redemption is always the same transaction.
 */
public sealed interface Redemption permits ClaimRequest, ReclaimRequest {
    /** The method's name. */
    String kind();

    /** The party that signs and is paid. */
    Address from();

    Outpoint lock();

    /** Empty: the consensus minimum. */
    Optional<Amount> fee();

    /** Fee that is paid; a default counts as given. */
    default Amount effectiveFee() {
        return fee().orElseGet(shape()::minimumFee);
    }

    /**
     * Highest fee that the caller allows. Empty for what the daemon does by itself, for a swap or for a lock past its timeout: whoever makes the
     * request bounds its fee, which is counted against the spend allowance and never refused by it.
     */
    Optional<Amount> maxFee();

    Optional<String> clientToken();

    /**
     * The HTLC that must be there.
     *
     * @param own the public key of {@link #from}
     */
    HtlcParams params(PublicKey own);

    /** Shape of the spending transaction, which its fee follows from. */
    TxShape shape();

    /** @param signature 64 bytes over the signing message of the spending transaction */
    Witness witness(byte[] signature);

    /** Over what the parameters mean. */
    Hash256 digest();

    /** A default counts as given, and tokens of releases without {@code max_fee} mean the default. */
    default Hash256 finish(ParameterDigest digest) {
        digest.putNumber(effectiveFee().bits());
        maxFee().filter(most -> !most.equals(TransferRequest.DEFAULT_MAX_FEE))
                .ifPresent(most -> digest.putNumber(most.bits()));
        return digest.finish();
    }
}
