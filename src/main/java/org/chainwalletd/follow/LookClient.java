package org.chainwalletd.follow;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.ForwardingNodeClient;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;

/**
 * Client of a node, or of all, for one look at a node, or for one walk up its chain. Its requests fail once the time is used up: at first
 * {@value #TIMEOUTS} timeouts of a request, then what answers earn, each a {@value #ANSWERS_PER_TIMEOUT}th of a timeout. Otherwise a node that sends
 * each of a thousand headers or transactions just before its timeout would keep the follower from the other nodes for hours. Only time in which a
 * request is open counts. Safe for threads.
 */
final class LookClient extends ForwardingNodeClient {
    private static final int TIMEOUTS = 6;
    private static final int ANSWERS_PER_TIMEOUT = 20;

    private final long most;
    private final long earned;
    private final Executor executor;
    private final LongSupplier clock;
    private long left;
    private int open;
    private long countedTo;
    private boolean usedUp;

    /**
     * @param timeout of one request
     * @param clock monotonic nanoseconds
     */
    LookClient(NodeClient node, Duration timeout, Executor executor, LongSupplier clock) {
        super(node);
        this.most = timeout.multipliedBy(TIMEOUTS).toNanos();
        this.earned = timeout.dividedBy(ANSWERS_PER_TIMEOUT).toNanos();
        this.executor = executor;
        this.clock = clock;
        this.left = most;
    }

    @Override
    public CompletionStage<Tip> tip() {
        return inTime(node()::tip, Integer.MAX_VALUE);
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> blockAt(long height) {
        return inTime(() -> node().blockAt(height), Integer.MAX_VALUE);
    }

    @Override
    public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
        return inTime(() -> node().transaction(txId), Walk.BODIES_AT_ONCE);
    }

    /** Returns whether a request has failed because the time was used up. */
    synchronized boolean isUsedUp() {
        return usedUp;
    }

    /** @param full number of open requests above which they share what an answer earns: late answers to many at once would earn all their time */
    private <T> CompletionStage<T> inTime(Supplier<CompletionStage<T>> request, int full) {
        return begins()
                ? request.get().whenCompleteAsync((answer, failure) -> ended(full), executor)
                : CompletableFuture.failedFuture(
                        new NodeException.Unreachable("the node takes too long for its answers"));
    }

    private synchronized boolean begins() {
        count();
        if (left < 0) {
            usedUp = true;
            return false;
        }
        open++;
        return true;
    }

    private synchronized void ended(int full) {
        count();
        left = Math.min(most, left + earned / Math.max(1, open / full));
        open--;
    }

    private void count() {
        long now = clock.getAsLong();
        left -= open > 0 ? now - countedTo : 0;
        countedTo = now;
    }
}
