package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * The spends that have been decided on. A completed stage means durable (fsync) where it says so; a stage that fails with {@link
 * StoreException} means that nothing of the call was written, unless its reason is {@code UNKNOWN}.
 *
 * <p>A change of state names the state before, and takes only when the spend is still there. {@code PREPARED} and {@code ACCEPTED} are one
 * to that comparison ({@link IntentState#isStill}): what a mempool has taken is no durable news.
 */
public interface IntentStore {
    /**
     * Writes {@code intent}, the reservations of all its inputs, its token and its use of the allowance in one commit.
     *
     * <p>Two payments never share a transaction: when there is a spend with the same one, this is refused, however that one ended. Only one
     * that was {@code REFUSED} makes room, and its token is forgotten: its caller was never told that it paid.
     *
     * <p>A token stands for one payment. When a transfer that it stands for is {@code CONFLICTED}, the same payment may be opened with other
     * bytes under it, if each earlier spend of the payment is lost for good, or has a coin that the new one spends too: then no two of them can
     * be mined. What the earlier one took of the allowance is given back. Should it be mined all the same, the token stands for it again.
     *
     * <p>Fails with {@link StoreException.Reason#BUSY} while too many writes wait, as {@link #reopen} does.
     *
     * @param intent in {@link IntentState#PREPARED}
     * @param closedBefore a token whose spend is closed and has not changed since then has expired and may be bound anew; a confirmed spend
     *     is not closed before it is buried, one that was sent without success not before what spends its coin instead is, and none while it
     *     holds a reservation
     * @param capped whether the operator's caps can refuse it; it counts in any case
     * @param now asked in the moment of writing, milliseconds since 1970: since then its use of the allowance counts, however long before the
     *     intent was made, and wherever the clock has jumped to between
     * @return never {@link Opening.Moved}
     */
    CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now);

    /**
     * As {@link #open}, of a batch of the payout queue, which carries these payouts from then on, in the same commit: each in the output of its
     * place in the list. Only while each of them is queued, for a token that has not ended, and the queue is not paused.
     *
     * @param payouts their numbers
     * @return {@link Opening.PayoutsMoved} as well
     */
    CompletionStage<Opening> openBatch(Intent intent, List<Long> payouts, long closedBefore, LongSupplier now);

    /** The same in the moment in which the intent is made. */
    default CompletionStage<Opening> open(Intent intent, long closedBefore) {
        return open(intent, closedBefore, true, intent::createdAt);
    }

    /**
     * Puts a spend that was closed without success back to {@link IntentState#PREPARED}, with its reservations and its allowance, in one
     * commit.
     *
     * @param intent as it was read: in another state by now, or without its token, it is left alone
     * @param capped whether the operator's caps can refuse it; it counts in any case
     * @param now asked in the moment of writing, milliseconds since 1970: since then it counts
     * @return {@link Opening.SameTransaction} when the transaction belongs to another token by now; never {@link Opening.TokenTaken}
     */
    CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier now);

    /** The same at a known moment. */
    default CompletionStage<Opening> reopen(Intent intent, long now) {
        return reopen(intent, true, () -> now);
    }

    /**
     * Records that a node has taken the spend. Not urgent: when it is lost the nodes are asked for the transaction once more.
     *
     * @param before takes from any of these: in flight, or closed without success when a node has it all the same
     */
    CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now);

    /**
     * Closes a spend whose bytes nodes have seen: ends its reservations, in one commit. What it takes of the allowance it keeps, whatever they
     * say, because whoever was shown the bytes can still have them mined.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> failSent(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend whose bytes never left: ends its reservations and gives its allowance back, in one commit.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> fail(Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend that only the chain closes ({@link StandIns#onlyChainCloses}) because it can never be mined: another spender of one of its
     * inputs is final. Ends its reservations; payouts that it carried are queued again, or held, in the same commit.
     */
    CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now);

    /** Whether a spend was closed without success, and no reorganisation is expected to let a block have it. */
    CompletionStage<Boolean> isLostForGood(Hash256 txId);

    /** Closes a spend in flight for good because nobody can tell whose payment it is: ends its reservations, its allowance stays taken. */
    CompletionStage<Transition> contest(Hash256 txId, String reason, long now);

    /** What was given up at {@code since} or later, and not opened again. */
    CompletionStage<List<Intent>> abandonedSince(long since);

    /** Gives a spend in flight up on the operator's word. Its reservations stay, see {@link ReservationStore#abandon}. */
    CompletionStage<Transition> abandon(Hash256 txId, String reason, long now);

    /**
     * Records that the spend is in this block and ends its reservations.
     *
     * @param before {@code CONFIRMED} when it is found in another block
     */
    CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now);

    /**
     * Puts a spend that a reorganisation took off the chain back to {@link IntentState#ACCEPTED} and reserves its inputs again, as far as
     * nothing else has reserved them.
     */
    CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now);

    /**
     * Records that these spends, or what spends their coins instead, are so deep that no reorganisation is expected to reach them; leaves alone
     * what is in flight.
     */
    CompletionStage<Void> bury(List<Hash256> txIds);

    /**
     * The spends that were sent and closed without success, that nobody watches, and that are not buried.
     *
     * @param after only those with a greater number
     * @param most no more than so many, the lowest numbers first
     */
    CompletionStage<List<LostSpend>> lost(long after, int most);

    /** Every confirmed spend that is not buried, oldest first. */
    CompletionStage<List<ConfirmedSpend>> unburied();

    CompletionStage<Optional<Intent>> find(Hash256 txId);

    /**
     * As {@link #find}, after a commit of its own: what it does not find of a call that failed with {@code UNKNOWN} before cannot appear any
     * more, not after a crash either.
     */
    CompletionStage<Optional<Intent>> findForCertain(Hash256 txId);

    /** Everything that is in flight or still holds a reservation (abandoned in part), oldest first. */
    CompletionStage<List<Intent>> inFlight();

    /** A spend in flight that spends from {@code address} or pays to it; costs what is in flight, not what was ever spent. */
    CompletionStage<Optional<Hash256>> openSpendOf(Address address);

    /**
     * Forgets closed spends and their tokens that did not change since {@code before}, the oldest first: no more is left of them than what {@link
     * SpendHistory} tells. A confirmed one is not closed before it is buried, one that was sent without success not before what spends its coin
     * instead is, and none while it holds a reservation.
     *
     * @param most so many in this commit
     * @param answers what is kept of a spend to tell of it, without any secret; empty: its sums. Runs on the store's writer
     * @return how many were forgotten; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers);

    /** The same, of spends of which nothing is told. */
    default CompletionStage<Integer> forget(long before, int most) {
        return forget(before, most, spend -> Optional.empty());
    }

    /**
     * Spends of a kind whose bytes are not sealed, the oldest first. Looks at every row.
     *
     * @param tokensBegin what their tokens begin with
     * @param most no more than so many
     */
    CompletionStage<List<Intent>> inClear(String kind, String tokensBegin, int most);

    /** Puts sealed bytes in the place of those that stood there in clear, which are overwritten. */
    CompletionStage<Void> seal(Hash256 txId, Bytes sealed);

    /** What became of a change that was asked for on the condition that a spend is in a certain state. */
    sealed interface Transition {
        /** It was, and the change is durable. */
        record Made() implements Transition {}

        /**
         * It was not, and nothing was written.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record Stale(Optional<IntentState> found) implements Transition {}
    }

    /** What became of a spend that a reorganisation has removed. */
    sealed interface Unconfirmation {
        /** It is in flight again, durably. */
        record BackInFlight(Intent intent) implements Unconfirmation {}

        /**
         * It was not confirmed, and nothing was written.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record NotConfirmed(Optional<IntentState> found) implements Unconfirmation {}
    }

    /**
     * A spend that was sent and closed without success, which a block may have all the same, or get by a reorganisation.
     *
     * @param number in the order in which spends were decided on
     * @param spend with what it would have spent
     * @param state how it was closed
     */
    record LostSpend(long number, PackedSpend spend, IntentState state) {}

    /**
     * A spend that is in a block, which a reorganisation may still take away.
     *
     * @param spend with what it has spent
     * @param place its block; empty when an older release confirmed it, which kept no blocks
     */
    record ConfirmedSpend(PackedSpend spend, Optional<BlockPlace> place) {
        public ConfirmedSpend(Hash256 txId, List<Coin> inputs, Optional<BlockPlace> place) {
            this(PackedSpend.of(txId, inputs), place);
        }

        public static ConfirmedSpend of(Intent intent, BlockPlace place) {
            return new ConfirmedSpend(intent.txId(), intent.inputs(), Optional.of(place));
        }

        public Hash256 txId() {
            return spend.txId();
        }

        public ConfirmedSpend at(BlockPlace other) {
            return new ConfirmedSpend(spend, Optional.of(other));
        }
    }
}
