package org.chainwalletd.spend;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TransactionCodec;

/** Transactions that somebody else signed: passed through, but a lost answer or a repeated send is not an error. */
final class RawBroadcast {
    private final SpendEnvironment env;
    private final Broadcast broadcast;

    RawBroadcast(SpendEnvironment env, Broadcast broadcast) {
        this.env = env;
        this.broadcast = broadcast;
    }

    /** Bytes that are no transaction go to the node as they are: its words are the answer. */
    CompletionStage<Hash256> send(Bytes transaction) {
        Optional<Hash256> txId = idOf(transaction);
        if (txId.isEmpty()) {
            return env.node().sendRawTransaction(transaction);
        }
        return broadcast
                .send(txId.get(), transaction, false)
                .thenComposeAsync(outcome -> answer(txId.get(), outcome), env.executor());
    }

    private Optional<Hash256> idOf(Bytes transaction) {
        try {
            return Optional.of(TransactionCodec.txId(env.profile(), TransactionCodec.decode(transaction.toArray())));
        } catch (DecodeException e) {
            return Optional.empty();
        }
    }

    private static CompletionStage<Hash256> answer(Hash256 txId, BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted) {
            return CompletableFuture.completedFuture(txId);
        }
        if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
            return CompletableFuture.failedFuture(
                    new SpendException(new SpendRefusal.DoubleSpend(txId, conflict.text())));
        }
        if (outcome instanceof BroadcastOutcome.NotYet early) {
            return CompletableFuture.failedFuture(new SpendException(new SpendRefusal.UpstreamFailed(early.text())));
        }
        String text = outcome instanceof BroadcastOutcome.Refused refused
                ? refused.text()
                : "whether transaction " + txId + " was taken is unknown, look it up with get_transaction: "
                        + ((BroadcastOutcome.Unknown) outcome).text();
        return CompletableFuture.failedFuture(new SpendException(new SpendRefusal.UpstreamFailed(text)));
    }
}
