package org.chainwalletd.chain;

/**
 * Run-time cost of the HTLC program in evaluation steps, by the closed forms of chain protocol, section 6.5. The same for every
 * parameter set, because nothing but the lengths that are hashed varies.
 */
public final class HtlcEvaluation {
    /** Steps of a claim apart from what depends on the signing message and the preimage. */
    static final int CLAIM_BASE_STEPS = 5_536;
    /** Steps of a reclaim apart from what depends on the signing message. */
    static final int RECLAIM_BASE_STEPS = 5_037;

    private HtlcEvaluation() {}

    /**
     * @param signingMessageLength {@code M}, in bytes
     * @param preimageLength {@code P}, in bytes
     */
    public static long claimSteps(long signingMessageLength, int preimageLength) {
        return claimFixedSteps(preimageLength) + messageSteps(signingMessageLength);
    }

    /**
     * @param signingMessageLength {@code M}, in bytes
     */
    public static long reclaimSteps(long signingMessageLength) {
        return RECLAIM_BASE_STEPS + messageSteps(signingMessageLength);
    }

    static long claimFixedSteps(int preimageLength) {
        return CLAIM_BASE_STEPS + 8L * (preimageLength / 64);
    }

    /** TxSigHash builds the message, Ed25519Verify hashes it. */
    static long messageSteps(long signingMessageLength) {
        return signingMessageLength / 64 + 8 * Fees.chunks(signingMessageLength);
    }
}
