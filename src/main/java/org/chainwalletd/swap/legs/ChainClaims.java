package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.ClaimTrial;
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.store.books.HtlcRow;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/** Our claims of the pool's HTLCs: tried here as a node would try them before any is made durable, then pushed. */
public final class ChainClaims {
    private static final int SECRET_BYTES = 32;

    private final ChainSide chain;
    private final Redeeming redeeming;

    ChainClaims(ChainSide chain) {
        this.chain = chain;
        this.redeeming = new Redeeming(chain);
    }

    private static Amount minimumFee() {
        return TxShape.EMPTY.plusPlainOutputs(1).plusClaim(SECRET_BYTES).minimumFee();
    }

    /**
     * Whether a claim of {@code output} that has the secret would be valid. It is tried with a preimage that everybody knows, against the same
     * HTLC with that one's hash lock: all but the digest of the secret is the same, and that is compared when the secret is at hand.
     *
     * @param output the HTLC of {@code row}, from bytes
     */
    boolean isClaimable(SwapTerms terms, HtlcRow row, TxOutput output) {
        Bytes known = Bytes.wrap(new byte[SECRET_BYTES]);
        HtlcParams params = row.params();
        HtlcParams trial = new HtlcParams(
                params.sender(), params.receiver(), HtlcWitness.hashLockOf(known.toArray()), params.timeoutHeight());
        TxOutput alike = new TxOutput(output.value(), HtlcScript.build(trial), output.datum(), output.datumHash());
        boolean isThere = output.script().equals(HtlcScript.build(params));
        Amount fee = ChainFee.of(minimumFee(), output.value(), 1);
        return isThere && isValid(request(terms, row, known, fee, Optional.empty()), trial, alike);
    }

    private boolean isValid(ClaimRequest request, HtlcParams params, TxOutput output) {
        Hash256 genesis = await(chain.identity().genesisForSigning());
        ClaimTrial trial = new ClaimTrial(chain.profile(), genesis, request, output);
        return trial.isValid(
                params,
                await(chain.signer().sign(request.from(), trial.message())).bytes());
    }

    private static ClaimRequest request(
            SwapTerms terms, HtlcRow row, Bytes preimage, Amount fee, Optional<String> token) {
        return new ClaimRequest(
                terms.ours().address(),
                row.outpoint(),
                preimage,
                row.params().sender(),
                row.params().timeoutHeight(),
                Optional.of(fee),
                token);
    }

    /**
     * Whether a claim of this HTLC is durable, sent or not. What a call has left in doubt is decided first, so that none which is not found can
     * appear any more.
     */
    boolean isJournalled(SwapRow swap, Outpoint lock) {
        return await(chain.spending().ofTokenForCertain(ChainOwnLeg.SwapTokens.claim(swap.id(), lock, 1)))
                .isPresent();
    }

    /** @param output the HTLC of {@code row}, from bytes */
    Hash256 push(SwapRow swap, HtlcRow row, TxOutput output, Bytes preimage, long tip, BooleanSupplier mayBegin) {
        Outpoint lock = row.outpoint();
        return redeeming.push(new Redeeming.Spending(
                Optional.empty(),
                version -> ChainOwnLeg.SwapTokens.claim(swap.id(), lock, version),
                minimumFee(),
                output.value(),
                (token, fee) -> send(
                        request(swap.terms(), row, preimage, fee, Optional.of(token)),
                        row.params(),
                        output,
                        tip,
                        mayBegin)));
    }

    /** Nothing is durable, and nothing leaves, before the claim has passed here. */
    private Receipt send(ClaimRequest request, HtlcParams params, TxOutput output, long tip, BooleanSupplier mayBegin) {
        if (!isValid(request, params, output)) {
            throw new IllegalStateException("our claim of " + request.lock() + " is not valid here; nothing was sent");
        }
        return await(chain.htlcs().claimProven(request, output, tip, mayBegin));
    }
}
