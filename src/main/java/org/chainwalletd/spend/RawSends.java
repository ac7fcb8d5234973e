package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.spend.Broadcast.BroadcastOutcome;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.RawSendStore.RawSend;
import org.chainwalletd.store.RawSendStore.Sending;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.SpendHistory.Told;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender of externally signed transactions: they are recorded and passed on, but a lost answer or a repeated send is not an error. They are
 * not followed: whether a block contains one is read from the books on request.
 */
public final class RawSends {
    private static final Logger LOG = LoggerFactory.getLogger(RawSends.class);

    private final SpendEnvironment env;
    private final Broadcast broadcast;

    RawSends(SpendEnvironment env, Broadcast broadcast) {
        this.env = env;
        this.broadcast = broadcast;
    }

    /** Finds the heights of the blocks that contain some transactions; an element is empty when the books do not know. */
    @FunctionalInterface
    public interface Heights {
        CompletionStage<List<OptionalLong>> of(List<LedgerBooks.Sought> transactions);
    }

    /**
     * Sends a transaction once its record is durable. Bytes that cannot be decoded go to the node unchanged and unrecorded, and the node's
     * answer is returned.
     */
    CompletionStage<Hash256> send(Bytes transaction, String tokenName) {
        Optional<Transaction> decoded = decoded(transaction);
        if (decoded.isEmpty()) {
            return env.node().sendRawTransaction(transaction);
        }
        Transaction tx = decoded.get();
        Hash256 txId = TransactionCodec.txId(env.profile(), tx);
        Optional<Address> sender = RawContent.sender(env.profile(), tx);
        RawSend send = new RawSend(txId, sender, RawContent.of(tx, sender).encode(), tokenName);
        return env.rawSends()
                .begin(send, env.clock().millis())
                .thenComposeAsync(sending -> send(txId, transaction, sending), env.executor());
    }

    private CompletionStage<Hash256> send(Hash256 txId, Bytes transaction, Optional<Sending> sending) {
        CrashPoint.SPEND_AFTER_INTENT.reached();
        return broadcast
                .send(txId, transaction, Broadcast.Earlier.NOWHERE)
                .thenComposeAsync(
                        outcome -> {
                            CrashPoint.SPEND_AFTER_BROADCAST.reached();
                            return record(txId, sending, stateAfter(outcome))
                                    .thenApplyAsync(done -> answer(txId, outcome), env.executor());
                        },
                        env.executor());
    }

    private static Optional<Transaction> decoded(Bytes transaction) {
        try {
            return Optional.of(TransactionCodec.decode(transaction.toArray()));
        } catch (DecodeException e) {
            return Optional.empty();
        }
    }

    /** Returns the state that follows from an outcome; empty when the outcome decides nothing. */
    private static Optional<IntentState> stateAfter(BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted) {
            return Optional.of(IntentState.ACCEPTED);
        }
        if (outcome instanceof BroadcastOutcome.Conflicted) {
            return Optional.of(IntentState.CONFLICTED);
        }
        return outcome instanceof BroadcastOutcome.Refused || outcome instanceof BroadcastOutcome.NotYet
                ? Optional.of(IntentState.REFUSED)
                : Optional.empty();
    }

    /** Records the outcome of a send. Never fails: the transaction has been sent, and the caller is told the outcome. */
    private CompletionStage<Void> record(Hash256 txId, Optional<Sending> sending, Optional<IntentState> state) {
        if (sending.isEmpty() || state.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return env.rawSends()
                .end(sending.get(), state.get(), env.clock().millis())
                .exceptionallyAsync(
                        failure -> {
                            LOG.warn(
                                    "raw transaction {} is {}, which could not be recorded: {}",
                                    txId,
                                    state.get(),
                                    Broadcast.messageOf(failure));
                            return null;
                        },
                        env.executor());
    }

    private static Hash256 answer(Hash256 txId, BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted) {
            return txId;
        }
        if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
            throw new SpendException(new SpendRefusal.DoubleSpend(txId, conflict.text()));
        }
        if (outcome instanceof BroadcastOutcome.NotYet early) {
            throw new SpendException(SpendRefusal.UpstreamFailed.afterSending(txId, false, early.text()));
        }
        if (outcome instanceof BroadcastOutcome.Refused refused) {
            throw new SpendException(
                    refused.left()
                            ? SpendRefusal.UpstreamFailed.afterSending(txId, false, refused.text())
                            : new SpendRefusal.UpstreamFailed(refused.text()));
        }
        throw new SpendException(new SpendRefusal.UpstreamFailed(
                "whether transaction " + txId + " was taken is unknown, look it up with get_transaction: "
                        + ((BroadcastOutcome.Unknown) outcome).text(),
                Optional.of(txId)));
    }

    /**
     * Returns the payments with those that are not watched updated from the books, if a block contains them: raw ones are confirmed, and
     * contested ones stay contested, with the height of the block.
     */
    public static CompletionStage<List<PastSpend>> placed(List<PastSpend> spends, Heights heights, Executor executor) {
        List<LedgerBooks.Sought> sought =
                spends.stream().filter(RawSends::isPlaced).map(RawSends::sought).toList();
        return sought.isEmpty()
                ? CompletableFuture.completedFuture(spends)
                : heights.of(sought).thenApplyAsync(found -> placed(spends, found), executor);
    }

    private static boolean isRaw(PastSpend spend) {
        return spend.kind().equals(RawSendStore.KIND);
    }

    private static boolean isPlaced(PastSpend spend) {
        return isRaw(spend) || spend.state() == IntentState.CONTESTED;
    }

    private static LedgerBooks.Sought sought(PastSpend spend) {
        return new LedgerBooks.Sought(
                spend.txId(),
                isRaw(spend) ? content(spend).map(RawContent::inputs).orElse(List.of()) : inputs(spend.told()));
    }

    private static List<Outpoint> inputs(Told told) {
        return told instanceof Told.Whole whole
                ? whole.intent().inputs().stream().map(Coin::outpoint).toList()
                : List.of();
    }

    /** Returns the kept content of a raw transaction; empty when it cannot be decoded. */
    static Optional<RawContent> content(PastSpend spend) {
        try {
            return spend.told() instanceof Told.Answer kept
                    ? Optional.of(RawContent.read(kept.answer()))
                    : Optional.empty();
        } catch (RuntimeException e) {
            LOG.warn("raw transaction {} cannot be decoded, and is listed without its outputs", spend.txId(), e);
            return Optional.empty();
        }
    }

    private static List<PastSpend> placed(List<PastSpend> spends, List<OptionalLong> heights) {
        List<PastSpend> placed = new ArrayList<>();
        int next = 0;
        for (PastSpend spend : spends) {
            placed.add(isPlaced(spend) ? placed(spend, heights.get(next++)) : spend);
        }
        return placed;
    }

    private static PastSpend placed(PastSpend spend, OptionalLong height) {
        return height.isEmpty()
                ? spend
                : new PastSpend(
                        spend.number(),
                        spend.txId(),
                        spend.kind(),
                        isRaw(spend) ? IntentState.CONFIRMED : spend.state(),
                        spend.from(),
                        spend.clientToken(),
                        spend.createdAt(),
                        spend.changedAt(),
                        height,
                        spend.details(),
                        spend.told());
    }
}
