package org.chainwalletd.htlc;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.HtlcRow;

/**
 * Finds locks that no block will have: the node does not know the lock transaction, and one of its inputs is spent by another one in a block
 * (decisions.md, section 3). A block that has the lock all the same makes it locked again.
 */
public final class LostLocks {
    private static final int AT_ONCE = 4;

    private final NodeClient node;
    private final Sightings sightings;
    private final Executor executor;

    /** @param executor for continuations; never blocks */
    public LostLocks(NodeClient node, Sightings sightings, Executor executor) {
        this.node = node;
        this.sightings = sightings;
        this.executor = executor;
    }

    CompletionStage<Void> check(List<HtlcRow> pending) {
        return Bounded.each(pending, AT_ONCE, this::check, executor).thenApplyAsync(done -> null, executor);
    }

    private CompletionStage<Boolean> check(HtlcRow lock) {
        Hash256 txId = lock.outpoint().txId();
        return node.transaction(txId)
                .thenComposeAsync(found -> found.isPresent() ? no() : conflict(txId, lock.inputs(), 0), executor)
                .thenComposeAsync(
                        lost -> lost ? sightings.lose(lock.outpoint()).thenApplyAsync(done -> true, executor) : no(),
                        executor);
    }

    private CompletionStage<Boolean> conflict(Hash256 txId, List<Outpoint> inputs, int next) {
        if (next == inputs.size()) {
            return no();
        }
        return node.spentBy(inputs.get(next))
                .thenComposeAsync(
                        spent -> spent.filter(by -> !by.txId().equals(txId)).isPresent()
                                ? CompletableFuture.completedFuture(true)
                                : conflict(txId, inputs, next + 1),
                        executor);
    }

    private static CompletionStage<Boolean> no() {
        return CompletableFuture.completedFuture(false);
    }
}
