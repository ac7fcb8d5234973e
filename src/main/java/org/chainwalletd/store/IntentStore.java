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
     * exception is a {@code REFUSED} spend, which is replaced and whose token is unbound: its caller never received a success.
     *
     * <p>A token identifies one payment. When its transfer is {@code CONFLICTED}, the same payment may be opened under the token with other bytes,
     * provided that each earlier spend of the payment is either lost for good or shares an input with the new one, so that no two of them can be
     * mined. The allowance used by the earlier spend is released. If the earlier spend is mined after all, the token is bound to it again.
     *
     * <p>Fails with {@link StoreException.Reason#BUSY} while too many writes wait, as {@link #reopen} does.
     *
     * @param intent in {@link IntentState#PREPARED}
     * @param closedBefore milliseconds since 1970; a token whose spend is closed and has not changed since then has expired and may be bound again.
     *     A confirmed spend counts as closed only once it is buried, an unsuccessful spend that was sent only once the transaction that spends its
     *     coin instead is buried, and no spend while it holds a reservation
     * @param capped whether the operator's caps may refuse the spend; its amount counts against them in any case
     * @param now called when the row is written, milliseconds since 1970; the use of the allowance counts from that time, not from the creation of
     *     the intent, even if the clock has jumped in between
     * @return never {@link Opening.Moved}
     */
    CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now);

    /**
     * Opens a batch of the payout queue as {@link #open} does, and in the same commit assigns {@code payouts} to it: the payout at index i of the
     * list is paid by output i. Succeeds only while every payout is queued, no payout belongs to a token that has ended, and the queue is not
     * paused.
     *
     * @param payouts numbers of the payouts ({@link PayoutStore.Payout#number})
     * @return the results of {@link #open}, or {@link Opening.PayoutsMoved} when one of these conditions does not hold
     */
    CompletionStage<Opening> openBatch(Intent intent, List<Long> payouts, long closedBefore, LongSupplier now);

    /** Opens a spend under the operator's caps; its use of the allowance counts from the creation time of the intent. */
    default CompletionStage<Opening> open(Intent intent, long closedBefore) {
        return open(intent, closedBefore, true, intent::createdAt);
    }

    /**
     * Puts a spend that was closed without success back to {@link IntentState#PREPARED}, with its reservations and its use of the allowance, in one
     * commit.
     *
     * @param intent as the caller read it; nothing is written when the spend has since changed state or lost its token
     * @param capped whether the operator's caps may refuse the spend; its amount counts against them in any case
     * @param now called when the row is written, milliseconds since 1970; the use of the allowance counts from that time
     * @return {@link Opening.SameTransaction} when the transaction now belongs to another token; never {@link Opening.TokenTaken}
     */
    CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier now);

    /** Reopens a spend under the operator's caps; its use of the allowance counts from {@code now}, milliseconds since 1970. */
    default CompletionStage<Opening> reopen(Intent intent, long now) {
        return reopen(intent, true, () -> now);
    }

    /**
     * Takes over a spend in flight. From this commit on, this process may send its bytes, and no other process claims that the bytes never left.
     * Called before sending bytes that another process has sent, or may be about to send. Writes nothing when only one process uses the store.
     */
    CompletionStage<Adoption> adopt(Hash256 txId);

    /**
     * Records that this process will not send these spends again unless it adopts them again. Called once nothing in this process is sending them;
     * from then on other processes may free their coins. Afterwards nobody can tell whether the bytes ever left. Writes nothing when only one
     * process uses the store.
     */
    CompletionStage<Void> signOff(Set<Hash256> txIds);

    /**
     * Returns the spends that other processes have changed since the last call; the first call starts the collection. For a single caller, on any
     * thread; answered from memory. Empty when only one process uses the store.
     */
    Changes changedByOthers();

    /**
     * Records that a node has accepted the spend. Not urgent: if a crash loses the record, the nodes are asked for the transaction again.
     *
     * @param before expected states: in flight, or closed without success when a node turns out to have the transaction
     * @param signsOff whether the same commit also does what {@link #signOff} does; it does so even if the state does not change
     */
    CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now, boolean signsOff);

    /** Records an acceptance without signing off: this process may still send the spend. */
    default CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now) {
        return accept(txId, before, now, false);
    }

    /**
     * Closes a spend whose bytes were sent to nodes and ends its reservations, in one commit. Its use of the allowance stays counted whatever the
     * nodes answered, because anyone who has seen the bytes can still get them mined.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> failSent(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend whose bytes never left the daemon: ends its reservations and releases its use of the allowance, in one commit.
     *
     * @param outcome {@code REFUSED} or {@code CONFLICTED}
     */
    CompletionStage<Transition> fail(Hash256 txId, IntentState before, IntentState outcome, String reason, long now);

    /**
     * Closes a spend of a kind that only the chain closes ({@link StandIns#onlyChainCloses}) because it can never be mined: another spender of one
     * of its inputs is final. Ends its reservations; its payouts are queued again, or held, in the same commit.
     */
    CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now);

    /**
     * Finds a transaction among these that is a spend closed without success which can no longer be mined: no reorganisation is expected to let a
     * block contain it. Its row may already have been removed because its token has expired. A refused spend is not one, because it may only never
     * have been sent, and the same transaction may be made elsewhere or again.
     */
    CompletionStage<Optional<Hash256>> lostForGood(Set<Hash256> txIds);

    /** Lists the spends among these transactions that are {@link IntentState#REFUSED}. */
    CompletionStage<List<PackedSpend>> refused(Set<Hash256> txIds);

    /**
     * Closes a spend in flight for good as {@link IntentState#CONTESTED}, because it cannot be determined whose payment the transaction is. Ends its
     * reservations; its use of the allowance stays counted.
     */
    CompletionStage<Transition> contest(Hash256 txId, String reason, long now);

    /** Lists the spends that were abandoned at {@code since} (milliseconds since 1970) or later and have not been opened again. */
    CompletionStage<List<Intent>> abandonedSince(long since);

    /** Abandons a spend in flight at the operator's request. Its reservations stay, see {@link ReservationStore#abandon}. */
    CompletionStage<Transition> abandon(Hash256 txId, String reason, long now);

    /**
     * Recalls a batch of payouts: in one commit the batch is abandoned and {@code recall}, which spends one of its coins, is opened. From then on
     * the batch is not sent again, and after a crash the recall continues with the same bytes. A batch that already has a recall keeps it ({@link
     * Transition.Stale}). Fails and changes nothing when the recall cannot be opened for another reason.
     *
     * @param recall in {@link IntentState#PREPARED}, bound to {@link StandIns#recallToken}
     * @param now called when the rows are written, milliseconds since 1970
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
     * Records that these spends, or the transactions that spend their coins instead, are buried. Skips spends that are in flight or hold a
     * reservation.
     */
    CompletionStage<Void> bury(List<Hash256> txIds);

    /**
     * Lists spends that were sent, closed without success, hold no reservation and are not buried. Recalled batches are left out, see {@link
     * #inFlight}.
     *
     * @param after number ({@link LostSpend#number}) above which the listing starts
     * @param most upper limit of the listing; the lowest numbers come first
     */
    CompletionStage<List<LostSpend>> lost(long after, int most);

    /** Lists every confirmed spend that is not buried, oldest first. */
    CompletionStage<List<ConfirmedSpend>> unburied();

    CompletionStage<Optional<Intent>> find(Hash256 txId);

    /**
     * Finds a spend after making a commit of its own. If the spend of an earlier call that failed with {@code UNKNOWN} is not found, it cannot
     * appear later, not even after a crash.
     */
    CompletionStage<Optional<Intent>> findForCertain(Hash256 txId);

    /**
     * Lists every spend that is in flight or still holds a reservation (for example one that was abandoned in part), and every recalled batch of
     * payouts that the chain has not decided yet, oldest first.
     */
    CompletionStage<List<Intent>> inFlight();

    /**
     * Finds a spend in flight that spends from {@code address} or pays to it. The cost grows with the number of spends in flight, not with the
     * length of the history.
     */
    CompletionStage<Optional<Hash256>> openSpendOf(Address address);

    /**
     * Removes closed spends that have not changed since {@code before} (milliseconds since 1970) and unbinds their tokens, oldest first. Only the
     * data reported by {@link SpendHistory} is kept. A confirmed spend counts as closed only once it is buried, an unsuccessful spend that was sent
     * only once the transaction that spends its coin instead is buried, and no spend while it holds a reservation.
     *
     * @param most upper limit of spends in this commit
     * @param answers returns the answer of a spend to keep for the history, without secrets; empty to keep none. Runs on the store's writer
     * @return number of spends removed; fewer than {@code most} when none is left
     */
    CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers);

    /** Removes closed spends as {@link #forget(long, int, Function)} does, without keeping answers. */
    default CompletionStage<Integer> forget(long before, int most) {
        return forget(before, most, spend -> Optional.empty());
    }

    /**
     * Lists spends of a kind whose transaction bytes are not sealed (encrypted), oldest first. Scans every row.
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

        /** Another live process runs the spend; nothing was written. */
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
     * @param incomplete whether other spends may have changed as well, so that all must be read again
     */
    record Changes(boolean incomplete, List<Changed> spends) {}

    /**
     * A spend after a change by another process.
     *
     * @param holdsCoins whether it holds any of its coins
     * @param buried see {@link #bury}
     */
    record Changed(Intent spend, boolean holdsCoins, boolean buried) {}

    /** Result of {@link #unconfirm}: what happened to a spend whose block a reorganisation has removed. */
    sealed interface Unconfirmation {
        /** The confirmation is durably withdrawn; {@code intent} is the spend as it is now. */
        record BackInFlight(Intent intent) implements Unconfirmation {}

        /**
         * The spend was not confirmed, and nothing was written.
         *
         * @param found the state it is in; empty when there is no such spend
         */
        record NotConfirmed(Optional<IntentState> found) implements Unconfirmation {}
    }

    /**
     * A spend that was sent and closed without success, and that a block may still contain, now or after a reorganisation.
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
