package org.chainwalletd.store;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * Journal of transactions that were signed elsewhere and that this daemon only relays. Each has a number among the spends and appears in {@link
 * SpendHistory}. It holds no coins, binds no token and uses no allowance; the daemon neither rebroadcasts nor follows it. Stages fail with {@link
 * StoreException}.
 */
public interface RawSendStore {
    /** Kind of these transactions in the history. */
    String KIND = "raw";

    /**
     * A transaction that is about to be sent.
     *
     * @param from signer of its first plain input
     * @param told content for the history, in the format of the caller
     * @param tokenName name of the access token that requested it
     */
    record RawSend(Hash256 txId, Optional<Address> from, Bytes told, String tokenName) {}

    /**
     * Attempt to send a transaction.
     *
     * @param at time stamp of the row; another value means that the row has changed since
     * @param alone whether no other attempt can have reached a node, so that a refusal of this one is conclusive
     */
    record Sending(long number, long at, boolean alone) {}

    /**
     * Records that a transaction is about to be sent: durable when the stage completes. A transaction that is already recorded keeps its row.
     *
     * @param now milliseconds since 1970
     * @return empty when it is one of the daemon's own spends, which has its own record
     */
    CompletionStage<Optional<Sending>> begin(RawSend send, long now);

    /**
     * Records the outcome of an attempt. A refusal counts only if no other attempt may have sent the same transaction.
     *
     * @param outcome {@code ACCEPTED}, {@code REFUSED} or {@code CONFLICTED}
     * @param now milliseconds since 1970
     */
    CompletionStage<Void> end(Sending sending, IntentState outcome, long now);
}
