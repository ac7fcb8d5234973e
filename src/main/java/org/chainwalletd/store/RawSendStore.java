package org.chainwalletd.store;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * Journal of transactions that were signed elsewhere and that this daemon only passes on. Each has a number among the spends, and {@link SpendHistory}
 * tells of it. It holds no coin, binds no token and uses no allowance; nobody sends it again or follows it. Stages fail with {@link StoreException}.
 */
public interface RawSendStore {
    /** Kind under which the history tells of it. */
    String KIND = "raw";

    /**
     * A transaction that is about to be sent.
     *
     * @param from who has signed its first plain input
     * @param told content for the history, in the format of the caller
     * @param tokenName name of the access token that asked for it
     */
    record RawSend(Hash256 txId, Optional<Address> from, Bytes told, String tokenName) {}

    /**
     * Send of a transaction.
     *
     * @param at stamp that the row has until its next change
     * @param alone whether no other send of the transaction may have reached a node, so that a refusal of this one decides
     */
    record Sending(long number, long at, boolean alone) {}

    /**
     * Records that a transaction is about to be sent: durable when the stage completes. One that is recorded already keeps its row.
     *
     * @param now milliseconds since 1970
     * @return empty when it is a spend of the daemon's own, whose record tells of it
     */
    CompletionStage<Optional<Sending>> begin(RawSend send, long now);

    /**
     * Records how a send has ended. A refusal counts only while nobody else may have sent the same transaction.
     *
     * @param outcome {@code ACCEPTED}, {@code REFUSED} or {@code CONFLICTED}
     * @param now milliseconds since 1970
     */
    CompletionStage<Void> end(Sending sending, IntentState outcome, long now);
}
