package org.chainwalletd.spend.plan;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;

/**
 * Describes what is to be spent and how it is unlocked: the part that differs between a transfer, an HTLC lock, a claim and a reclaim. Everything
 * else — token, reservation, intent, broadcast, outcome — is the same for all and done by the spender.
 */
public interface SpendPlan {
    /** The method's name. */
    String kind();

    /** Address whose key signs, and to which change goes. */
    Address from();

    Optional<TokenBinding> token();

    /**
     * Checks that need no node, after idempotency and before the allowance.
     *
     * @throws SpendException when it cannot be built
     */
    void check();

    /** Part of the fee that is known before coins are listed. */
    default Amount knownFee() {
        return Amount.ZERO;
    }

    /** Least amount that leaves {@link #from}, known before coins are listed; counted against the allowance. */
    Amount leaving();

    /** Lists the coins that can be spent; the first call to a node. Continuations run on {@code executor}. */
    CompletionStage<Candidates> gather(NodeClient node, Executor executor);

    /**
     * Picks inputs and builds the transaction. Pure.
     *
     * @throws SpendException when the candidates do not suffice
     */
    Draft choose(Candidates candidates, Holdings holdings);

    /**
     * Asked in the moment before an intent of it is written, when looking, signing and waiting for other spends are over; false: it is refused,
     * and nothing was broadcast.
     */
    default boolean mayBegin() {
        return true;
    }

    /** Total that leaves {@link #from} with this draft, the fee included. */
    Amount leaving(Draft draft);

    /**
     * Whether the operator's caps can refuse this spend. Spends by which the daemon gets money out of a swap or an expired lock count like all
     * others, but are not refused: the money would be lost if they had to wait for a window.
     */
    default boolean isCapped() {
        return true;
    }

    /**
     * Whether the same transaction made twice would be one payment instead of two. Taking a certain output back to its own key is the same act,
     * whoever does it, so it is no payout.
     */
    default boolean isPayout() {
        return true;
    }

    /**
     * Builds the plan of the same payment after {@code lost}, its earlier transaction, has lost a coin to another transaction. Empty when the payment
     * is not built again: it has no token, or only a certain coin will do.
     *
     * @param lostForGood whether no reorganisation is expected to bring the lost one into a block
     */
    default Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        return Optional.empty();
    }

    /** Whether other coins would do as well. */
    default boolean hasAlternatives() {
        return false;
    }

    /** Details for lists, which decide nothing; the fee is added when it is known. */
    default Intent.Details details() {
        return Intent.Details.NONE;
    }

    /** Numbers of the queued payouts that this draft of the plan pays, each in the output of its place in the list. */
    default List<Long> carries(Draft draft) {
        return List.of();
    }

    /** Addresses whose keys sign, each once, {@link #from} first. */
    default List<Address> signers(Draft draft) {
        return List.of(from());
    }

    /** Makes one witness per input, for a plan that {@link #from} alone signs: all inputs sign the same message. */
    default List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return Collections.nCopies(draft.inputs().size(), Witness.plain(signature.publicKey(), signature.bytes()));
    }

    /**
     * Makes one witness per input.
     *
     * @param signatures in the order of {@link #signers}
     */
    default List<Witness> witnesses(Draft draft, List<Signer.Signature> signatures) {
        if (signatures.size() != 1) {
            throw new IllegalStateException(
                    "signatures of " + signatures.size() + " keys for a plan that one key signs");
        }
        return witnesses(draft, signatures.get(0));
    }

    /**
     * Coins that may not be selected, and rules of the selection.
     *
     * @param reserved whether another spend of this daemon holds an outpoint, or a running sweep is going to spend it
     * @param excluded outpoints that a foreign transaction in a mempool spends, and others that must not be used
     * @param coinbaseMaturity confirmations that the network asks of a coinbase, 0 while it is not known
     * @param drawing choice between equally good transactions
     */
    record Holdings(Predicate<Outpoint> reserved, Set<Outpoint> excluded, int coinbaseMaturity, Drawing drawing) {
        Holdings withoutReservations() {
            return new Holdings(outpoint -> false, excluded, coinbaseMaturity, drawing);
        }
    }
}
