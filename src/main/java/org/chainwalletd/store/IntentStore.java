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
 * Stores spends together with the signed transaction of each ("intents"). A completed stage means durable (fsync) where its method says so; a
 * stage that fails with {@link StoreException} means that nothing of the call was written, unless the reason is {@code UNKNOWN}.
 *
 * <p>A method that changes the state of a spend takes the expected state, and changes nothing when the spend is no longer in it. {@code PREPARED}
 * and {@code ACCEPTED} count as the same state in that comparison ({@link IntentState#isStill}), because acceptance into a mempool is not written
 * to disk.
 */
public interface IntentStore {
    /**
     * Writes {@code intent}, the reservations of all its inputs, the binding of its token and its use of the allowance in one commit.
     *
     * <p>Two payments never share a transaction: the call is refused when a spend with the same transaction exists, whatever its state. The only
     * exception is a {@code REFUSED} spend, which is replaced and whose token is unbound: its caller was never told that it paid.
     *
     * <p>A token stands for one payment. When its transfer is {@code CONFLICTED}, the same payment may be opened under the token with other
     * bytes, if each earlier spend of the payment either is lost for good or spends a coin that the new one spends too: then no two of them can
     * be mined. The allowance that the earlier spend used is given back. If the earlier spend is mined after all, the token stands for it again.
     *
     * <p>Fails with {@link StoreException.Reason#BUSY} while too many writes wait, as {@link #reopen} does.
     *
     * @param intent in {@link IntentState#PREPARED}
     * @param closedBefore milliseconds since 1970; a token whose spend is closed and has not changed since then has expired and may be bound
     *     anew. A confirmed spend counts as closed only once it is buried, one that was sent without success only once the transaction that
     *     spends its coin instead is buried, and none while it holds a reservation
     * @param capped whether the operator's caps may refuse the spend; its amount counts against them in any case
     * @param now asked when the row is written, milliseconds since 1970; the use of the allowance counts from that time, however long before the
     *     intent was made, and wherever the clock has jumped to between
     * @return never {@link Opening.Moved}
     */
    CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now);

    /**
     * Opens a batch of the payout queue as {@link #open} does, and in the same commit assigns {@code payouts} to it: the payout at index i of the
     * list is paid by output i. Takes only while each payout is queued, none belongs to a token that has ended, and the queue is not paused.
     *
     * @param payouts numbers of the payouts ({@link PayoutStore.Payout#number})
     * @return {@link Opening.PayoutsMoved}, beside the results of {@link #open}, when one of these conditions does not hold
     */
    CompletionStage<Opening> openBatch(Intent intent, List<Long> payouts, long closedBefore, LongSupplier now);

    /** Opens a spend under the operator's caps, with its allowance counted from the time at which the intent was made. */
    default CompletionStage<Opening> open(Intent intent, long closedBefore) {
        return open(intent, closedBefore, true, intent::createdAt);
    }

    /**
     * Puts a spend that was closed without success back to {@link IntentState#PREPARED}, with its reservations and its use of the allowance, in
     * one commit.
     *
     * @param intent as the caller read it; when the spend is in another state by now, or has lost its token, it is left alone
     * @param capped whether the operator's caps may refuse the spend; its amount counts against them in any case
     * @param now asked when the row is written, milliseconds since 1970; the use of the allowance counts from that time
     * @return {@link Opening.SameTransaction} when the transaction belongs to another token by now; never {@link Opening.TokenTaken}
     */
    CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier now);

    /** Reopens a spend under the operator's caps, with its allowance counted from {@code now}, milliseconds since 1970. */
    default CompletionStage<Opening> reopen(Intent intent, long now) {
        return reopen(intent, true, () -> now);
    }

    /**
     * Takes a spend in flight over: from this commit on this process may send its bytes, and no other process says any more that they never left.
     * Called before bytes are sent that another process may have sent, or may be about to send. Writes nothing where one process uses the store.
     */
    CompletionStage<Adoption> adopt(Hash256 txId);

    /**
     * Records that this process will not send these spends any more unless it adopts them again. Called once nothing of it is sending them: from then
     * on others may free their coins. Whether their bytes ever left can be told by nobody any more. Writes nothing where one process uses the store.
     */
    CompletionStage<Void> signOff(Set<Hash256> txIds);

    /**
     * Returns the spends that other processes have changed since the last call, and from the first call on collects them. For one caller, on any
     * thread; answered from memory. Empty where one process uses the store.
     */
    Changes changedByOthers();

    /**
     * Records that a node has accepted the spend. Not urgent: if the record is lost in a crash, the nodes are asked for the transaction once
     * more.
     *
     * @param before states from which the change takes: in flight, or closed without success when a node turns out to have the transaction
     * @param signsOff whether the same commit does what {@link #signOff} does, even if the state does not change
     */
    CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now, boolean signsOff);

    /** Records an acceptance as {@link #accept(Hash256, Set, long, boolean)} does, by a process that may still send the spend. */
    default CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now) {
        return accept(txId, before, now, false);
    }

    /**
     * Closes a spend whose bytes were sent to nodes and ends its reservations, in one commit. Its use of the allowance stays counted whatever the
     * nodes answered, because anyone who has seen the bytes can still have them mined.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> failSent(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend whose bytes never left the daemon: ends its reservations and gives its allowance back, in one commit.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> fail(Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend of a kind that only the chain closes ({@link StandIns#onlyChainCloses}) because it can never be mined: another spender of
     * one of its inputs is final. Ends its reservations; payouts that it carried are queued again, or held, in the same commit.
     */
    CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now);

    /**
     * Finds one of these transactions that is a spend which was closed without success and can no longer be mined: no reorganisation is expected to
     * let a block have it. Its row may have been removed since its token has expired.
     */
    CompletionStage<Optional<Hash256>> lostForGood(Set<Hash256> txIds);

    /**
     * Closes a spend in flight for good as {@link IntentState#CONTESTED}, because nobody can tell whose payment the transaction is: ends its
     * reservations; its use of the allowance stays counted.
     */
    CompletionStage<Transition> contest(Hash256 txId, String reason, long now);

    /** Lists the spends that were abandoned at {@code since} (milliseconds since 1970) or later and have not been opened again. */
    CompletionStage<List<Intent>> abandonedSince(long since);

    /** Abandons a spend in flight at the operator's request. Its reservations stay, see {@link ReservationStore#abandon}. */
    CompletionStage<Transition> abandon(Hash256 txId, String reason, long now);

    /**
     * Recalls a batch of payouts: in one commit the batch is abandoned and {@code recall}, which spends one of its coins, is opened with its bytes.
     * From then on the batch is not sent again, and after a kill the recall goes on with the same bytes. A batch that has a recall already keeps that
     * one ({@link Transition.Stale}). Fails and changes nothing when the recall cannot be opened for another reason.
     *
     * @param recall in {@link IntentState#PREPARED}, bound to {@link StandIns#recallToken}
     * @param now asked when the rows are written, milliseconds since 1970
     */
    CompletionStage<Transition> recall(Hash256 batch, Intent recall, String reason, LongSupplier now);

    /**
     * Records that the spend is in this block and ends its reservations.
     *
     * @param before the expected state; {@code CONFIRMED} when the spend is now found in another block
     */
    CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now);

    /**
     * Puts a confirmed spend whose block a reorganisation removed back to {@link IntentState#ACCEPTED} and reserves its inputs again, except
     * those that another spend has reserved. A batch that was recalled becomes {@link IntentState#ABANDONED} instead, and is not sent again.
     */
    CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now);

    /**
     * Records that these spends, or the transactions that spend their coins instead, are so deep that no reorganisation is expected to reach
     * them. Leaves alone those that are in flight or hold a reservation.
     */
    CompletionStage<Void> bury(List<Hash256> txIds);

    /**
     * Lists spends that were sent, closed without success, hold no reservation and are not buried; no recalled batch, see {@link #inFlight}.
     *
     * @param after number ({@link LostSpend#number}) above which the listing starts
     * @param most upper limit of the listing; the lowest numbers come first
     */
    CompletionStage<List<LostSpend>> lost(long after, int most);

    /** Lists every confirmed spend that is not buried, oldest first. */
    CompletionStage<List<ConfirmedSpend>> unburied();

    CompletionStage<Optional<Intent>> find(Hash256 txId);

    /**
     * Finds a spend after a commit of its own. If it does not find the spend of an earlier call that failed with {@code UNKNOWN}, that spend
     * cannot appear any more, not after a crash either.
     */
    CompletionStage<Optional<Intent>> findForCertain(Hash256 txId);

    /**
     * Lists every spend that is in flight or still holds a reservation (such as one that was abandoned in part), and every batch of payouts that was
     * recalled and that the chain has not decided about, oldest first.
     */
    CompletionStage<List<Intent>> inFlight();

    /**
     * Finds a spend in flight that spends from {@code address} or pays to it. The cost grows with the spends in flight, not with all that were
     * ever made.
     */
    CompletionStage<Optional<Hash256>> openSpendOf(Address address);

    /**
     * Removes closed spends that did not change since {@code before} (milliseconds since 1970), and unbinds their tokens, the oldest first. Only
     * what {@link SpendHistory} reports is kept of them. A confirmed spend counts as closed only once it is buried, one that was sent without
     * success only once the transaction that spends its coin instead is buried, and none while it holds a reservation.
     *
     * @param most upper limit of spends in this commit
     * @param answers the answer of a spend to keep for the history, without any secret; empty to keep none. Runs on the store's writer
     * @return how many were removed; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers);

    /** Removes closed spends as {@link #forget(long, int, Function)} does, keeping no answers. */
    default CompletionStage<Integer> forget(long before, int most) {
        return forget(before, most, spend -> Optional.empty());
    }

    /**
     * Lists spends of a kind whose transaction bytes are not sealed (encrypted), the oldest first. Scans every row.
     *
     * @param tokensBegin prefix of their tokens
     * @param most upper limit of the listing
     */
    CompletionStage<List<Intent>> inClear(String kind, String tokensBegin, int most);

    /** Replaces the transaction bytes of a spend by their sealed form, and overwrites the clear bytes in the file. */
    CompletionStage<Void> seal(Hash256 txId, Bytes sealed);

    /** Result of a change of state that was conditional on the spend's present state. */
    sealed interface Transition {
        /** The spend was in the expected state, and the change is durable. */
        record Made() implements Transition {}

        /**
         * The spend was not in the expected state, and nothing was written.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record Stale(Optional<IntentState> found) implements Transition {}
    }

    /** Result of {@link #adopt}. */
    sealed interface Adoption {
        /** This process may send the bytes of the spend. */
        record Ours() implements Adoption {}

        /** Another process that is alive runs the spend, and nothing was written. */
        record Elsewhere() implements Adoption {}

        /**
         * The spend is not in flight any more, and nothing was written: its bytes must not be sent.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record Moved(Optional<IntentState> found) implements Adoption {}
    }

    /**
     * Result of {@link #changedByOthers}.
     *
     * @param incomplete whether any others may have changed too, so that everything must be read again
     */
    record Changes(boolean incomplete, List<Changed> spends) {}

    /**
     * A spend as another process has left it.
     *
     * @param holdsCoins whether it holds any of its coins
     * @param buried see {@link #bury}
     */
    record Changed(Intent spend, boolean holdsCoins, boolean buried) {}

    /** Result of {@link #unconfirm}: what happened to a spend whose block a reorganisation has removed. */
    sealed interface Unconfirmation {
        /** The confirmation is withdrawn, durably; {@code intent} is the spend as it is now. */
        record BackInFlight(Intent intent) implements Unconfirmation {}

        /**
         * The spend was not confirmed, and nothing was written.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record NotConfirmed(Optional<IntentState> found) implements Unconfirmation {}
    }

    /**
     * A spend that was sent and closed without success, which a block may still contain, now or after a reorganisation.
     *
     * @param number row number; numbers ascend in the order in which spends were opened
     * @param spend its transaction id and the outpoints that it would have spent
     * @param state how it was closed
     */
    record LostSpend(long number, PackedSpend spend, IntentState state) {}

    /**
     * A confirmed spend that a reorganisation may still remove from the chain.
     *
     * @param spend its transaction id and the outpoints that it has spent
     * @param place its block; empty when a release that did not record blocks confirmed it
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
    }
}
