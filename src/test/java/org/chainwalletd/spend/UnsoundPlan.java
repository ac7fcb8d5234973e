package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.store.TokenBinding;

/** A plan with a mistake: it fails where coins are chosen. */
record UnsoundPlan(SpendPlan sound) implements SpendPlan {
    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        throw new IllegalStateException("unsound");
    }

    @Override
    public String kind() {
        return sound.kind();
    }

    @Override
    public Address from() {
        return sound.from();
    }

    @Override
    public Optional<TokenBinding> token() {
        return sound.token();
    }

    @Override
    public void check() {
        sound.check();
    }

    @Override
    public Amount leaving() {
        return sound.leaving();
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return sound.gather(node, executor);
    }

    @Override
    public Amount leaving(Draft draft) {
        return sound.leaving(draft);
    }

    @Override
    public List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return sound.witnesses(draft, signature);
    }
}
