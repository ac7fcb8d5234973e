package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.Candidates;
import org.chainwalletd.spend.Draft;
import org.chainwalletd.spend.ReturningPlan;
import org.chainwalletd.spend.SpendException;
import org.chainwalletd.spend.SpendRefusal;
import org.chainwalletd.store.TokenBinding;

/**
 * As {@link RedeemPlan}, of an output that our own books show: what is spent and what it is worth is known before it begins.
 *
 * @param output from bytes whose transaction id was computed
 * @param tipHeight of the followed tip
 * @param mayBegin asked before it is signed and durable; false: it is refused
 */
record ProvenRedeemPlan(RedeemPlan plan, TxOutput output, long tipHeight, BooleanSupplier mayBegin)
        implements ReturningPlan {
    @Override
    public String kind() {
        return plan.kind();
    }

    @Override
    public Address from() {
        return plan.from();
    }

    @Override
    public Optional<TokenBinding> token() {
        return plan.token();
    }

    @Override
    public Amount fee() {
        return plan.fee();
    }

    @Override
    public Optional<Amount> maxFee() {
        return plan.maxFee();
    }

    @Override
    public TxShape shape() {
        return plan.shape();
    }

    /** What the output is must follow from the parameters: they are what is signed for. */
    @Override
    public void check() {
        plan.check();
        Bytes script = HtlcScript.build(plan.params());
        if (!output.script().equals(script) || output.datum() != null || output.datumHash() != null) {
            throw new SpendException(new SpendRefusal.BuildFailed(
                    "the output is not the HTLC of these parameters; nothing was broadcast"));
        }
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return CompletableFuture.completedFuture(plan.candidates(output, tipHeight));
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        if (!mayBegin.getAsBoolean()) {
            throw new SpendException(new SpendRefusal.BuildFailed(
                    "it waited so long for its turn that it may not be sent any more; nothing was broadcast"));
        }
        return plan.choose(candidates, holdings);
    }

    @Override
    public List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return plan.witnesses(draft, signature);
    }
}
