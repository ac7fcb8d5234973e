package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
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
 * Stores the queue of payouts. A payout's row says whether it is queued, held or cancelled, or which spend carries it. Everything else is derived
 * from the row of that spend, which {@link IntentStore#openBatch} assigns to its payouts in one commit. Completed stages are durable.
 */
public interface PayoutStore {
    /** Maximum number of payouts in one call. */
    int MOST_AT_ONCE = 1_000;

    /** Name that stands for the classic token, whose payouts have no owner; no named token can have this name. */
    String CLASSIC = "spend";

    /** Position at the beginning of the feed of changes. */
    Position BEGINNING = new Position(0, 0, 0);

    /**
     * A requested payment. The {@code memo} is for the operator and not among the parameters that the id is bound to.
     *
     * @param payoutId permanently bound to the payment; shares one namespace with client tokens
     */
    record Order(String payoutId, Address to, Amount amount, Optional<Bytes> datum, Optional<String> memo) {
        /** Returns the transaction output that pays it. */
        public TxOutput output() {
            TxOutput plain = TxOutput.toAddress(to, amount);
            return datum.map(plain::withDatum).orElse(plain);
        }

        public boolean paysAs(Order other) {
            return to.equals(other.to) && amount.equals(other.amount) && datum.equals(other.datum);
        }
    }

    /** State of a payout. */
    enum State {
        QUEUED,
        IN_FLIGHT,
        CONFIRMED,
        FINAL,
        CANCELLED,
        HELD
    }

    /**
     * A payout and its progress.
     *
     * @param number in the order of submission
     * @param owner name of the token that submitted it; empty for a classic one
     * @param from addresses that it may be paid from
     * @param attempts ids of the transactions that contained it, newest last
     * @param outputIndex of its output in the newest transaction, unless that is lost
     * @param height of the block of that transaction
     * @param feeShare its share of the fee of that transaction
     * @param submittedAt milliseconds since 1970
     * @param changedAt milliseconds since 1970
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
     * A position in the feed of changes.
     *
     * @param generation of the feed; a restored store begins a new one
     */
    record Position(long generation, long change, long number) {}

    /**
     * A page of changes.
     *
     * @param payouts each at its last change, in the order of the commits
     * @param next position after them
     * @param more whether further changes follow
     */
    record Changes(List<Payout> payouts, Position next, boolean more) {}

    /** Result of a submission. Only {@link Accepted} has written anything. */
    sealed interface Submission {
        /** The payouts are durable, in the order of the orders; payouts that already existed are returned in their present state. */
        record Accepted(List<Payout> payouts) implements Submission {}

        /**
         * An id is already bound.
         *
         * @param index of the order in the list, from 0
         * @param txId of the spend whose token it is; empty when it belongs to a payout with other parameters or of another access token
         * @param other the payout that has the id, if it is a payout
         */
        record Taken(int index, String payoutId, Optional<Hash256> txId, Optional<Payout> other) implements Submission {
            public Taken(int index, String payoutId, Optional<Hash256> txId) {
                this(index, payoutId, txId, Optional.empty());
            }
        }

        record Full(long unfinished, long most) implements Submission {}
    }

    /** Result of changing payouts. Only {@link Done} has written anything. */
    sealed interface Change {
        /** The payouts, in the order of the ids; payouts that could not be changed are returned unchanged. */
        record Done(List<Payout> payouts) implements Change {}

        record Unknown(String payoutId) implements Change {}

        /** The payout belongs to another token. */
        record Foreign(String payoutId) implements Change {}
    }

    /** Caller that changes payouts: an empty owner may change all payouts, a named owner only its own. */
    record Claimant(Optional<String> owner) {
        public static final Claimant ANYBODY = new Claimant(Optional.empty());

        public boolean mayChange(Optional<String> ownerOfPayout) {
            return owner.isEmpty() || owner.equals(ownerOfPayout);
        }
    }

    /**
     * Writes all of {@code orders} or none. An id that already exists with the same payment returns the existing record. An id is refused when it
     * was ever the token of a spend still in the history, or belongs to a payout with other parameters.
     *
     * @param from addresses to pay from; at least one, unless every id exists already
     * @param most upper limit of unfinished payouts in the queue
     */
    CompletionStage<Submission> submit(
            List<Order> orders, List<Address> from, Optional<String> owner, long most, long now);

    /** Finds the first id that belongs to no payout and was never bound to another payment. */
    CompletionStage<Optional<String>> firstUnbound(List<String> payoutIds);

    CompletionStage<Optional<Payout>> find(String payoutId);

    /**
     * Lists payouts in the order of submission.
     *
     * @param state only payouts in this state; empty for all
     * @param after number above which the listing starts
     * @param most upper limit of the listing
     */
    CompletionStage<List<Payout>> list(Optional<State> state, long after, int most);

    /** Lists payouts that have changed after a position, each once. A position that this feed has not issued counts as its beginning. */
    CompletionStage<Changes> changes(Position after, int most);

    /** Returns the position after the latest change. */
    CompletionStage<Position> end();

    /** Cancels the payouts that are queued or held; others are left unchanged. */
    CompletionStage<Change> cancel(List<String> payoutIds, Claimant claimant, long now);

    /** Queues the payouts that are held, even if their token has ended. */
    CompletionStage<Change> release(List<String> payoutIds, Claimant claimant, long now);

    /** Finds the id of a queued or held payout that may be paid from this address. */
    CompletionStage<Optional<String>> waitingFrom(Address address);

    /** Holds the queued payouts of tokens that have ended, including {@link #CLASSIC}; returns their number. */
    CompletionStage<Integer> holdEnded(Set<String> owners, long now);

    CompletionStage<Void> pause(boolean paused);

    CompletionStage<Boolean> isPaused();

    /** Lists the batches that were abandoned by a restore or an earlier recall and that have no recall in flight or in a block. */
    CompletionStage<List<Hash256>> unrecalled();

    /**
     * Returns the spends from this address among {@code txIds}, whose outputs to the address are its own change; each with the ids of the
     * transactions that created the coins it spends.
     */
    CompletionStage<Map<Hash256, Set<Hash256>>> spendsOf(Address address, Set<Hash256> txIds);

    /** Returns the number of payouts that are neither final nor cancelled. */
    CompletionStage<Long> unfinished();

    /** Sets the predicate that recognises tokens that have ended; their payouts are never sent. The writer calls it in the commit of an intent. */
    void endedTokens(Predicate<String> ended);

    /** Registers a listener that the writer runs after each commit that changed a payout; it must not block. */
    void whenChanged(Runnable listener);

    /**
     * Returns the share of a fee borne by the payout at {@code index}. The shares add up to the fee exactly: the remainder of the division is spread
     * over the first payouts, one base unit each.
     */
    static Amount feeShare(Amount fee, int payouts, int index) {
        long each = Long.divideUnsigned(fee.bits(), payouts);
        long rest = Long.remainderUnsigned(fee.bits(), payouts);
        return Amount.ofUnsigned(index < rest ? each + 1 : each);
    }
}
