package org.chainwalletd.wait;

import java.util.List;
import java.util.function.LongSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.node.NodeException;

/**
 * When which addresses are looked at next, for {@link PaymentWaits} alone: one look at a time, within the budget of scans, later after a
 * failure, and by balances where nodes have no look-ups of mempools.
 */
final class LookPlan {
    /** A pause that only news or the end of a look ends. */
    static final long NEVER = Long.MAX_VALUE;

    /** Nudges that come together are looked at together. */
    private static final long GATHERING_MILLIS = 100;
    /** Nudges about a tip are answered by its block. */
    private static final long BLOCK_MILLIS = 2_000;
    /** Nodes are upgraded. */
    private static final long WITHOUT_MEMPOOL_MILLIS = 600_000;

    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 15_000;
    private static final int METHOD_NOT_FOUND = -32601;

    private final ScanBudget budget;
    private final LongSupplier clock;
    private final LookQueue queue = new LookQueue();
    private boolean looking;
    private long tipAt;
    private long withoutMempoolUntil;
    private int failures;
    private long retryAt;

    /** @param clock milliseconds that never go back */
    LookPlan(ScanBudget budget, LongSupplier clock) {
        this.budget = budget;
        this.clock = clock;
        this.tipAt = clock.getAsLong() - BLOCK_MILLIS;
        this.retryAt = clock.getAsLong();
        this.withoutMempoolUntil = clock.getAsLong();
    }

    /** Somebody needs to know what is pending now. */
    void urgent(Address address) {
        queue.urgent(address, clock.getAsLong());
    }

    /** Something may have changed. */
    void later(Address address) {
        queue.nudged(address, Math.max(clock.getAsLong() + GATHERING_MILLIS, tipAt + BLOCK_MILLIS));
    }

    void drop(Address address) {
        queue.drop(address);
    }

    /** A node has told of a new tip. */
    void tipTold() {
        tipAt = clock.getAsLong();
    }

    /** Whether the nodes look nothing up in mempools, as far as is known: then balances have to do. */
    boolean byBalances() {
        return clock.getAsLong() < withoutMempoolUntil;
    }

    /** Milliseconds until the next look; zero or less: now. What is nudged during a look comes with the next one. */
    long pause() {
        long readyAt = looking ? Long.MAX_VALUE : queue.readyAt();
        if (readyAt == Long.MAX_VALUE) {
            return NEVER;
        }
        long now = clock.getAsLong();
        long allowed = Math.max(retryAt - now, budget.pause(now));
        return readyAt == Long.MIN_VALUE ? allowed : Math.max(readyAt - now, allowed);
    }

    /** Begins a look, which {@link #succeeded} or {@link #failed} ends. */
    List<Address> take() {
        long now = clock.getAsLong();
        List<Address> batch = queue.take(now);
        budget.spent(now);
        looking = true;
        return batch;
    }

    void succeeded() {
        looking = false;
        failures = 0;
    }

    void failed(Throwable failure) {
        looking = false;
        long now = clock.getAsLong();
        if (failure instanceof NodeException.Rejected rejected && rejected.code() == METHOD_NOT_FOUND) {
            withoutMempoolUntil = now + WITHOUT_MEMPOOL_MILLIS;
        } else {
            retryAt = now + Math.min(FIRST_RETRY_MILLIS << Math.min(failures++, 10), LAST_RETRY_MILLIS);
        }
    }
}
