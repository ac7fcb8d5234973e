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
 * Describes what to spend and how to unlock it: the part that differs between a transfer, an HTLC lock, a claim and a reclaim. Everything
 * else (token, reservation, intent, broadcast, outcome) is the same for all and belongs to the package {@code spend}.
 */
public interface SpendPlan {
    /** Name of the method. */
    String kind();

    /** Address whose key signs, and to which change goes. */
    Address from();

    Optional<TokenBinding> token();

    /**
     * Checks without requests to a node, after idempotency and before the allowance.
     *
     * @throws SpendException when the spend cannot be built
     */
    void check();

    /** Part of the fee that is known before coins are listed. */
    default Amount knownFee() {
        return Amount.ZERO;
    }

    /** Minimum amount that leaves {@link #from}, known before coins are listed; counted against the allowance. */
    Amount leaving();

    /** Lists the spendable coins; the first request to a node. Continuations run on {@code executor}. */
    CompletionStage<Candidates> gather(NodeClient node, Executor executor);

    /**
     * Picks inputs and builds the transaction. Pure.
     *
     * @throws SpendException when the candidates do not suffice
     */
    Draft choose(Candidates candidates, Holdings holdings);

    /**
     * Asked immediately before its intent is written, or written as open again, after lookups, signing and waiting for other spends; if
     * false, the spend is not sent.
     */
    default boolean mayBegin() {
        return true;
    }

    /** Total that leaves {@link #from} with this draft, including the fee. */
    Amount leaving(Draft draft);

    /**
     * Whether the operator's caps can refuse this spend. Spends by which the daemon gets money out of a swap or an expired lock count like
     * all others, but are not refused: the money would be lost if they had to wait for a window.
     */
    default boolean isCapped() {
        return true;
    }

    /**
     * Whether two identical transactions would be one payment instead of two. Returning a specific output to its own key is the same act,
     * no matter which daemon does it, so it is no payout.
     */
    default boolean isPayout() {
        return true;
    }

    /**
     * Builds the plan of the same payment after {@code lost}, its earlier transaction, has lost a coin to another transaction. Empty when
     * the payment is not rebuilt: it has no token, or requires a specific coin.
     *
     * @param lostForGood whether no reorganisation is expected to bring the lost transaction into a block
     */
    default Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        return Optional.empty();
    }

    /** Whether other coins could be spent instead. */
    default boolean hasAlternatives() {
        return false;
    }

    /** Details for lists, without influence on the spend; the fee is added when it is known. */
    default Intent.Details details() {
        return Intent.Details.NONE;
    }

    /** Numbers of the queued payouts that this draft pays; the position in the list is the output index. */
    default List<Long> carries(Draft draft) {
        return List.of();
    }

    /** Addresses whose keys sign, each once, {@link #from} first. */
    default List<Address> signers(Draft draft) {
        return List.of(from());
    }

    /** Creates one witness per input, for a plan signed only by {@link #from}: all inputs sign the same message. */
    default List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return Collections.nCopies(draft.inputs().size(), Witness.plain(signature.publicKey(), signature.bytes()));
    }

    /**
     * Creates one witness per input.
     *
     * @param signatures in the order of {@link #signers}
     */
    default List<Witness> witnesses(Draft draft, List<Signer.Signature> signatures) {
        if (signatures.size() != 1) {
            throw new IllegalStateException(
                    "signatures of " + signatures.size() + " keys for a plan that is signed by one key");
        }
        return witnesses(draft, signatures.get(0));
    }

    /**
     * Coins that may not be selected, and rules of the selection.
     *
     * @param reserved whether another spend of this daemon holds an outpoint, or a running sweep is going to spend it
     * @param excluded outpoints that a foreign transaction in a mempool spends, and others that must not be used
     * @param coinbaseMaturity confirmations that the network requires of a coinbase, 0 while unknown
     * @param drawing choice between equally good transactions
     */
    record Holdings(Predicate<Outpoint> reserved, Set<Outpoint> excluded, int coinbaseMaturity, Drawing drawing) {
        public Holdings withoutReservations() {
            return new Holdings(outpoint -> false, excluded, coinbaseMaturity, drawing);
        }
    }

    /** Plan that changes parts of another one: what it does not define is answered by the other plan. */
    interface Changed extends SpendPlan {
        SpendPlan plan();

        @Override
        default String kind() {
            return plan().kind();
        }

        @Override
        default Address from() {
            return plan().from();
        }

        @Override
        default Optional<TokenBinding> token() {
            return plan().token();
        }

        @Override
        default void check() {
            plan().check();
        }

        @Override
        default Amount knownFee() {
            return plan().knownFee();
        }

        @Override
        default Amount leaving() {
            return plan().leaving();
        }

        @Override
        default boolean mayBegin() {
            return plan().mayBegin();
        }

        @Override
        default Amount leaving(Draft draft) {
            return plan().leaving(draft);
        }

        @Override
        default boolean isCapped() {
            return plan().isCapped();
        }

        @Override
        default boolean isPayout() {
            return plan().isPayout();
        }

        @Override
        default Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
            return plan().insteadOf(lost, lostForGood);
        }

        @Override
        default boolean hasAlternatives() {
            return plan().hasAlternatives();
        }

        @Override
        default Intent.Details details() {
            return plan().details();
        }

        @Override
        default List<Long> carries(Draft draft) {
            return plan().carries(draft);
        }

        @Override
        default List<Address> signers(Draft draft) {
            return plan().signers(draft);
        }

        @Override
        default List<Witness> witnesses(Draft draft, Signer.Signature signature) {
            return plan().witnesses(draft, signature);
        }

        @Override
        default List<Witness> witnesses(Draft draft, List<Signer.Signature> signatures) {
            return plan().witnesses(draft, signatures);
        }
    }
}
