package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;

/**
 * The queue of payouts. A row says whether its payout waits, is held or cancelled, or which spend carries it; everything else follows from the
 * row of that spend, which {@link IntentStore#openBatch} binds to its payouts in one commit. Completed stages are durable.
 */
public interface PayoutStore {
    /** Payouts of one call. */
    int MOST_AT_ONCE = 1_000;

    /** A cursor that no change lies before. */
    Position BEGINNING = new Position(0, 0, 0);

    /**
     * What is to be paid. {@code memo} is for the operator: it is no part of what an id is bound to.
     *
     * @param payoutId bound for ever, in one namespace with client tokens
     */
    record Order(String payoutId, Address to, Amount amount, Optional<Bytes> datum, Optional<String> memo) {
        /** The output that pays it. */
        public TxOutput output() {
            TxOutput plain = TxOutput.toAddress(to, amount);
            return datum.map(plain::withDatum).orElse(plain);
        }

        boolean paysAs(Order other) {
            return to.equals(other.to) && amount.equals(other.amount) && datum.equals(other.datum);
        }
    }

    /** How far a payout has come. */
    enum State {
        QUEUED,
        IN_FLIGHT,
        CONFIRMED,
        FINAL,
        CANCELLED,
        HELD
    }

    /**
     * A payout with what has become of it.
     *
     * @param number in the order of submission
     * @param owner name of the token that submitted it; empty: a classic one
     * @param from addresses that may pay it
     * @param attempts transactions that it was part of, the newest last
     * @param outputIndex in the newest one, while that is not lost
     * @param height of its block
     */
    record Payout(
            long number,
            Order order,
            State state,
            Optional<String> owner,
            List<Address> from,
            List<Hash256> attempts,
            OptionalInt outputIndex,
            OptionalLong height,
            Optional<Amount> feeShare,
            long submittedAt,
            long changedAt,
            Position position) {
        public Payout {
            from = List.copyOf(from);
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * A place in the feed of changes.
     *
     * @param generation of the feed, which a restored store begins anew
     */
    record Position(long generation, long change, long number) {}

    /**
     * Some changes.
     *
     * @param payouts each at its last change, in the order of the commits
     * @param next the place after them
     */
    record Changes(List<Payout> payouts, Position next, boolean more) {}

    /** What became of a submission. Whatever is not {@link Accepted} has written nothing. */
    sealed interface Submission {
        /** Durable, in the order of the orders; those that were there before are as they are now. */
        record Accepted(List<Payout> payouts) implements Submission {}

        /**
         * An id stands for something else.
         *
         * @param index of the order
         * @param txId of the spend whose token it is; empty: it is a payout with other parameters, or of another token
         */
        record Taken(int index, String payoutId, Optional<Hash256> txId) implements Submission {}

        record Full(long unfinished, long most) implements Submission {}
    }

    /** What became of a change of some payouts. Whatever is not {@link Done} has written nothing. */
    sealed interface Change {
        /** In the order of the ids; those that could not be changed are as they were. */
        record Done(List<Payout> payouts) implements Change {}

        record Unknown(String payoutId) implements Change {}

        /** It belongs to another token. */
        record Foreign(String payoutId) implements Change {}
    }

    /** Who may change a payout: everybody when it is empty, else only its owner. */
    record Claimant(Optional<String> owner) {
        public static final Claimant ANYBODY = new Claimant(Optional.empty());

        boolean mayChange(Optional<String> ownerOfPayout) {
            return owner.isEmpty() || owner.equals(ownerOfPayout);
        }
    }

    /**
     * Writes all of {@code orders} or none. An id that is there already with the same payment answers its record; an id that any kept spend ever
     * bore as its token, or a payout with other parameters, is refused.
     *
     * @param from addresses that may pay, at least one
     * @param most unfinished payouts
     */
    CompletionStage<Submission> submit(
            List<Order> orders, List<Address> from, Optional<String> owner, long most, long now);

    CompletionStage<Optional<Payout>> find(String payoutId);

    /**
     * Payouts in the order of submission.
     *
     * @param state only those; empty: all
     * @param after only those with a greater number
     */
    CompletionStage<List<Payout>> list(Optional<State> state, long after, int most);

    /** Payouts that have changed after a place, each once. A place of an earlier generation is the beginning. */
    CompletionStage<Changes> changes(Position after, int most);

    /** Cancels what is queued or held; everything else is left as it is. */
    CompletionStage<Change> cancel(List<String> payoutIds, Claimant claimant, long now);

    /** Queues what is held; whether its token has ended does not matter any more. */
    CompletionStage<Change> release(List<String> payoutIds, Claimant claimant, long now);

    /** Id of a payout that is queued or held and that this address may pay. */
    CompletionStage<Optional<String>> waitingFrom(Address address);

    /** Holds what is queued for tokens that have ended. */
    CompletionStage<Integer> holdEnded(Set<String> owners, long now);

    CompletionStage<Void> pause(boolean paused);

    CompletionStage<Boolean> isPaused();

    /** Transactions of batches that are abandoned and have no recall yet: a recall that was broken off. */
    CompletionStage<List<Hash256>> unrecalled();

    /** Those of {@code txIds} that are spends from this address: what they pay to it is its own change. */
    CompletionStage<Set<Hash256>> spendsOf(Address address, Set<Hash256> txIds);

    /** How many payouts are neither final nor cancelled. */
    CompletionStage<Long> unfinished();

    /** Names tokens that have ended: what they have submitted never leaves. Asked by the writer, in the commit of an intent. */
    void endedTokens(Predicate<String> ended);

    /** Is run by the writer after each commit that has changed a payout; must not block. */
    void whenChanged(Runnable listener);

    /** Splits a fee exactly: the first ones bear what cannot be divided. */
    static Amount feeShare(Amount fee, int payouts, int index) {
        long each = Long.divideUnsigned(fee.bits(), payouts);
        long rest = Long.remainderUnsigned(fee.bits(), payouts);
        return Amount.ofUnsigned(index < rest ? each + 1 : each);
    }
}
