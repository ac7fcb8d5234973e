package org.chainwalletd.spend.plan;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;

/**
 * Plan of a spend, restricted by the caller's token. The rights are checked when the spend begins, when a lost payment is rebuilt, and on
 * the draft: always after idempotency, and before anything of these bytes is durable.
 *
 * @param destinations every address that is paid, except change to {@code from}
 */
public record GrantedPlan(SpendPlan plan, Requester requester, List<Address> destinations)
        implements SpendPlan.Changed {
    private Grant grant() {
        return requester.grant();
    }

    @Override
    public Intent.Details details() {
        return new Intent.Details(Optional.of(grant().name()), requester.memo(), Optional.empty());
    }

    private void judge(Amount fee, Amount leaving) {
        objection(fee, leaving).ifPresent(refusal -> {
            throw new SpendException(new SpendRefusal.PolicyRefused(refusal));
        });
    }

    private Optional<Refusal> objection(Amount fee, Amount leaving) {
        return grant().objectionTo(plan.from(), destinations, fee).or(() -> grant().objectionTo(leaving));
    }

    /**
     * Binds the {@code client_token} to the name of the caller's access token: for another name, or a classic token, it is a different
     * binding. A binding made by a classic token, like all bindings made before tokens had names, has the digest of the parameters alone.
     */
    @Override
    public Optional<TokenBinding> token() {
        return plan.token().map(binding -> new TokenBinding(binding.token(), ofOwner(binding.digest())));
    }

    private Hash256 ofOwner(Hash256 parameters) {
        return grant().owner()
                .map(owner -> new ParameterDigest("token_name")
                        .put(owner.getBytes(StandardCharsets.US_ASCII))
                        .put(parameters.toArray())
                        .finish())
                .orElse(parameters);
    }

    @Override
    public void check() {
        judge(plan.knownFee(), Amount.ZERO);
        plan.check();
        judge(plan.knownFee(), plan.leaving());
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        Optional<Refusal> objection = objection(plan.knownFee(), plan.leaving());
        return objection.isPresent()
                ? CompletableFuture.failedFuture(new SpendException(new SpendRefusal.PolicyRefused(objection.get())))
                : plan.gather(node, executor);
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        Draft draft = plan.choose(candidates, holdings);
        judge(draft.fee(), plan.leaving(draft));
        return draft;
    }

    @Override
    public Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        return plan.insteadOf(lost, lostForGood).map(next -> new GrantedPlan(next, requester, destinations));
    }
}
