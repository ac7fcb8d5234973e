package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;

/**
 * The two arms of the HTLC, evaluated in the order in which the program reads its witness, so that every failure has the reason a node
 * gives (chain protocol, sections 6.3 to 6.5).
 */
final class HtlcProgram {
    private HtlcProgram() {}

    /** Checks a signature over the signing message of the spending transaction. */
    @FunctionalInterface
    interface SignatureCheck {
        boolean verify(byte[] publicKey, byte[] signature);
    }

    /**
     * @param height of the block that would contain the spend
     * @throws ScriptFailure when the spend is not valid
     */
    static void run(HtlcParams params, TxOutput spent, Witness witness, long height, SignatureCheck signatures)
            throws ScriptFailure {
        resolveDatum(spent, witness);
        WitnessValues values = new WitnessValues(witness.data());
        boolean result =
                values.selector() ? reclaim(params, values, height, signatures) : claim(params, values, signatures);
        values.end();
        if (!result) {
            throw ScriptFailure.returnedFalse();
        }
    }

    private static boolean claim(HtlcParams params, WitnessValues values, SignatureCheck signatures)
            throws ScriptFailure {
        if (!Hash256.sha256(values.bytes()).equals(params.hashLock())) {
            return false;
        }
        return signatures.verify(params.receiver().toArray(), values.bytes());
    }

    private static boolean reclaim(HtlcParams params, WitnessValues values, long height, SignatureCheck signatures)
            throws ScriptFailure {
        if (!params.reclaimableInBlock(height)) {
            return false;
        }
        return signatures.verify(params.sender().toArray(), values.bytes());
    }

    /** An output that carries only the hash of its datum must be given the datum as redeemer. */
    private static void resolveDatum(TxOutput spent, Witness witness) throws ScriptFailure {
        if (spent.datumHash() == null || spent.datum() != null) {
            return;
        }
        if (witness.redeemer() == null) {
            throw ScriptFailure.datum("datum required: output has datum_hash but no datum provided");
        }
        if (witness.redeemer().length() > ChainProfile.MAX_DATUM_BYTES) {
            throw ScriptFailure.datum("hash-committed datum exceeds MAX_DATUM_SIZE ("
                    + witness.redeemer().length() + " > " + ChainProfile.MAX_DATUM_BYTES + ")");
        }
        if (!Hash256.sha256(witness.redeemer().toArray()).equals(spent.datumHash())) {
            throw ScriptFailure.datum("datum hash mismatch");
        }
    }
}
