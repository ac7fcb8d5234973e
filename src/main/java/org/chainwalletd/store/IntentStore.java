package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;

/**
 * The spends that have been decided on. A completed stage means durable (fsync); a stage that fails with {@link StoreException} means
 * that nothing of the call was written.
 */
public interface IntentStore {
    /**
     * Writes {@code intent}, the reservations of all its inputs, its token and its use of the allowance in one commit. Fails with {@link
     * StoreException.Reason#CONFLICT} when the transaction, its token or one of its inputs is already there. The same transaction from a
     * spend that was closed without success is replaced, and its token forgotten: two tokens never share one payment.
     *
     * @param closedBefore a token whose spend is closed and has not changed since then has expired and may be bound anew; a confirmed spend
     *     is not closed before it is buried, and none while it holds a reservation
     */
    CompletionStage<Void> open(Intent intent, long closedBefore);

    /**
     * Puts a spend that was closed without success back to {@link IntentState#PREPARED}, with its reservations and its allowance, in one
     * commit. Conflicts like {@link #open}, and when the transaction belongs to another token by now.
     */
    CompletionStage<Void> reopen(Intent intent, long now);

    /**
     * Records that a node has taken the spend. Not urgent, and written in its order a moment later: when it is lost the nodes are asked for
     * the transaction once more.
     */
    CompletionStage<Void> accept(Hash256 txId, long now);

    /**
     * Records an outcome other than a confirmation. {@code REFUSED} and {@code CONFLICTED} also end the reservations of the spend and give
     * its allowance back, in the same commit. {@code ACCEPTED} is news only of a spend that is {@code PREPARED}: what the operator has given
     * up meanwhile stays given up.
     */
    CompletionStage<Void> change(Hash256 txId, IntentState state, String reason, long now);

    /** Records that the spend is in this block and ends its reservations. Again when it is found in another block. */
    CompletionStage<Void> confirm(Hash256 txId, BlockPlace place, long now);

    /**
     * Puts a spend that a reorganisation took off the chain back to {@link IntentState#ACCEPTED} and reserves its inputs again, as far as
     * nothing else has reserved them. Answers the spend, or nothing when it was not confirmed.
     */
    CompletionStage<Optional<Intent>> unconfirm(Hash256 txId, long now);

    /** Records that these confirmed spends are so deep that no reorganisation is expected to reach them. */
    CompletionStage<Void> bury(List<Hash256> txIds);

    /** Every confirmed spend that is not buried, oldest first. Blocks; for the start. */
    List<ConfirmedSpend> unburied();

    CompletionStage<Optional<Intent>> find(Hash256 txId);

    /** Everything that is in flight or still holds a reservation (abandoned in part), oldest first. Blocks; for the start. */
    List<Intent> inFlight();

    /**
     * Removes closed spends and their tokens that did not change since {@code before}. A confirmed one is not closed before it is buried, and
     * none while it holds a reservation.
     */
    CompletionStage<Integer> forget(long before);
}
