package org.chainwalletd.swap.legs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.Pushed;
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the spend of a lock into a block. It is shown to every node that lacks it, whenever it is asked for. A mempool replaces nothing, so
 * only when no node has it, and one at least has said that it does not want it for what it is, a version with a higher fee takes its place. Each version is
 * an intent of its own before it leaves, and any of them may be mined. Remembers nothing: what was sent is in the store.
 */
public final class Redeeming {
    private static final Logger LOG = LoggerFactory.getLogger(Redeeming.class);
    private static final int MOST_VERSIONS = 6;
    /** A refusal may pass by itself: the node is busy, or has not seen the block of the lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ChainSide chain;

    Redeeming(ChainSide chain) {
        this.chain = chain;
    }

    /** Makes one version durable and sends it. */
    interface Sending {
        CompletionStage<Receipt> send(String token, Amount fee);
    }

    /**
     * @param earlier token of a spend that was begun for another reason and does as well
     * @param tokens of the versions, from 1
     * @param minimum fee of the consensus
     * @param value of what is spent
     */
    record Spending(
            Optional<String> earlier, IntFunction<String> tokens, Amount minimum, Amount value, Sending sending) {}

    /**
     * @param number of the newest version; 0 for what was begun for another reason, or when there is none
     */
    private record Version(int number, Optional<Intent> intent) {}

    /** Completes with the id of the newest version. */
    CompletionStage<Hash256> push(Spending spending) {
        return earlier(spending)
                .thenComposeAsync(intent -> newest(spending, new Version(0, intent)), chain.executor())
                .thenComposeAsync(version -> goOn(spending, version), chain.executor());
    }

    private CompletionStage<Optional<Intent>> earlier(Spending spending) {
        return spending.earlier()
                .map(chain.spending()::ofToken)
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private CompletionStage<Version> newest(Spending spending, Version known) {
        if (known.number() == MOST_VERSIONS) {
            return CompletableFuture.completedFuture(known);
        }
        int next = known.number() + 1;
        return chain.spending()
                .ofToken(spending.tokens().apply(next))
                .thenComposeAsync(
                        found -> found.isPresent()
                                ? newest(spending, new Version(next, found))
                                : CompletableFuture.completedFuture(known),
                        chain.executor());
    }

    private CompletionStage<Hash256> goOn(Spending spending, Version newest) {
        if (newest.intent().isEmpty()) {
            return send(spending, 1);
        }
        Intent intent = newest.intent().get();
        if (intent.state() == IntentState.CONFIRMED) {
            return everywhere(intent.txId());
        }
        if (intent.state().inFlight()) {
            return chain.spending()
                    .push(intent.txId())
                    .thenComposeAsync(pushed -> after(spending, newest.number(), intent, pushed), chain.executor());
        }
        return send(spending, isPricedOut(intent) ? above(newest.number()) : Math.max(1, newest.number()));
    }

    /** What waits in a mempool keeps every other spend of its input out, whatever that pays: only a block decides between the two. */
    private boolean isPricedOut(Intent closed) {
        return closed.state() == IntentState.ABANDONED || closed.state() != IntentState.CONFLICTED && isOld(closed);
    }

    private CompletionStage<Hash256> after(Spending spending, int number, Intent intent, Pushed pushed) {
        if (!pushed.isRefused() || !isOld(intent) || number == MOST_VERSIONS) {
            return CompletableFuture.completedFuture(intent.txId());
        }
        LOG.warn(
                "no node wants {} of a swap, it is sent with a higher fee: {}",
                intent.txId(),
                pushed.refusals().get(0));
        return chain.spending()
                .giveUp(intent.txId())
                .thenComposeAsync(
                        given -> given
                                ? send(spending, above(number))
                                : CompletableFuture.completedFuture(intent.txId()),
                        chain.executor());
    }

    private static int above(int number) {
        return Math.min(MOST_VERSIONS, number + 1);
    }

    private boolean isOld(Intent intent) {
        return chain.clock().millis() - intent.createdAt() >= PATIENCE.toMillis();
    }

    /** To one node by the way of every spend, then to all others. */
    private CompletionStage<Hash256> send(Spending spending, int number) {
        Amount fee = ChainFee.of(spending.minimum(), spending.value(), number);
        return spending.sending()
                .send(spending.tokens().apply(number), fee)
                .thenComposeAsync(receipt -> everywhere(receipt.txId()), chain.executor());
    }

    /** It is durable and sent already: what the other nodes make of it is found out at the next look too. */
    private CompletionStage<Hash256> everywhere(Hash256 txId) {
        return chain.spending()
                .push(txId)
                .handleAsync(
                        (pushed, failure) -> {
                            if (failure != null) {
                                LOG.debug("{} is not shown to all nodes: {}", txId, failure.toString());
                            }
                            return txId;
                        },
                        chain.executor());
    }
}
