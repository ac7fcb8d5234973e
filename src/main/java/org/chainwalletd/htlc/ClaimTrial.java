package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.TxShape.InputKind;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;

/**
 * Claim of one HTLC output as it would be sent, validated here as a node would validate it (chain protocol, sections 6.3 and 8.1), so that no
 * secret is revealed in a transaction that no block can include. Pure.
 *
 * @param output the spent output, from bytes whose transaction id was computed
 */
public record ClaimTrial(ChainProfile profile, Hash256 genesis, ClaimRequest request, TxOutput output) {
    /** Returns the message that the receiver signs. */
    public byte[] message() {
        return TransactionCodec.signingMessage(profile, genesis, unsigned());
    }

    /** Builds the transaction; its output has value zero when the fee is not covered. */
    private Transaction unsigned() {
        Amount fee = request.effectiveFee();
        Amount rest =
                output.value().isLessThan(fee) ? Amount.ZERO : output.value().minus(fee);
        return Transaction.unsigned(List.of(request.lock()), List.of(TxOutput.toAddress(request.from(), rest)));
    }

    /**
     * Tests whether a node would accept the claim with this signature. The HTLC's program requires a preimage of the hash lock and the receiver's
     * signature over this transaction.
     *
     * @param params expected parameters of the output's HTLC
     */
    public boolean isValid(HtlcParams params, byte[] signature) {
        Transaction signed = unsigned().withWitnesses(List.of(request.witness(signature)));
        Optional<HtlcParams> script = HtlcScript.recognise(output.script());
        return script.filter(params::equals).isPresent()
                && output.datum() == null
                && output.datumHash() == null
                && paysEnough(signed)
                && opens(signed.witnesses().get(0), params, signed);
    }

    private boolean paysEnough(Transaction signed) {
        Amount out = signed.outputs().get(0).value();
        boolean spendable = !output.value().isLessThan(out) && !out.isLessThan(ChainProfile.DUST_THRESHOLD);
        TxShape shape = TxShape.of(signed, List.of(InputKind.HTLC));
        return spendable && shape.fitsLimits() && !output.value().minus(out).isLessThan(shape.minimumFee());
    }

    private boolean opens(Witness witness, HtlcParams params, Transaction signed) {
        return HtlcWitness.classify(witness).orElseThrow() instanceof HtlcSpend.Claim claim
                && HtlcWitness.hashLockOf(claim.preimage().toArray()).equals(params.hashLock())
                && Ed25519.verify(
                        params.receiver().toArray(),
                        message(signed),
                        claim.signature().toArray());
    }

    private byte[] message(Transaction signed) {
        return TransactionCodec.signingMessage(
                profile, genesis, new Transaction(signed.inputs(), signed.outputs(), List.of()));
    }
}
