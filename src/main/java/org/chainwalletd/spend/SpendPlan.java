package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;

/**
 * What is to be spent and how it is unlocked: the part that differs between a transfer, an HTLC lock, a claim and a reclaim. Everything
 * else — token, reservation, intent, broadcast, outcome — is the same for all and done by the spender.
 */
public interface SpendPlan {
    /** The method's name. */
    String kind();

    /** Whose key signs, and where change goes. */
    Address from();

    Optional<TokenBinding> token();

    /**
     * Checks that need no node, after idempotency and before the allowance.
     *
     * @throws SpendException when it cannot be built
     */
    void check();

    /** What it costs, as far as that is known before anything is listed. */
    default Amount knownFee() {
        return Amount.ZERO;
    }

    /** What leaves {@link #from} at least, known before anything is listed; counted against the allowance. */
    Amount leaving();

    /** First upstream call: what can be spent. Continuations run on {@code executor}. */
    CompletionStage<Candidates> gather(NodeClient node, Executor executor);

    /**
     * Pure: picks inputs and builds the transaction.
     *
     * @throws SpendException when the candidates do not suffice
     */
    Draft choose(Candidates candidates, Holdings holdings);

    /** Everything that leaves {@link #from} with this draft, the fee included. */
    Amount leaving(Draft draft);

    /**
     * Whether the operator's caps can refuse it. What the daemon does by itself to get money out of a swap or an expired lock counts like
     * everything else, but would be lost if it had to wait for a window.
     */
    default boolean isCapped() {
        return true;
    }

    /**
     * Whether the same transaction made twice would be one payment instead of two. What takes a certain output back to its own key is the same
     * act, whoever does it.
     */
    default boolean isPayout() {
        return true;
    }

    /**
     * The same payment after {@code lost}, which it was sent as, and which another transaction has taken a coin of. Empty when it is not built
     * again: it has no token, or only a certain coin will do.
     *
     * @param lostForGood whether no reorganisation is expected to let a block have the lost one
     */
    default Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        return Optional.empty();
    }

    /** Whether other coins do as well. */
    default boolean hasAlternatives() {
        return false;
    }

    /** What is told of the spend and decides nothing; the fee is added when it is known. */
    default Intent.Details details() {
        return Intent.Details.NONE;
    }

    /** Payouts of the queue that this draft of the plan pays, by number, each in the output of its place in the list. */
    default List<Long> carries(Draft draft) {
        return List.of();
    }

    /** Addresses whose keys sign, each once, {@link #from} first. */
    default List<Address> signers(Draft draft) {
        return List.of(from());
    }

    /** One witness per input, of a plan that {@link #from} alone signs. */
    List<Witness> witnesses(Draft draft, Signer.Signature signature);

    /**
     * One witness per input.
     *
     * @param signatures in the order of {@link #signers}
     */
    default List<Witness> witnesses(Draft draft, List<Signer.Signature> signatures) {
        return witnesses(draft, signatures.get(0));
    }

    /**
     * What may not be selected.
     *
     * @param reserved outpoints of this daemon's spends in flight
     * @param excluded outpoints that a mempool transaction of somebody else spends
     * @param coinbaseMaturity of the network, 0 while it is not known
     * @param drawing between what does equally well
     */
    record Holdings(Set<Outpoint> reserved, Set<Outpoint> excluded, int coinbaseMaturity, Drawing drawing) {}
}
