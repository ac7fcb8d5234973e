package org.chainwalletd.swap.legs;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.PoolLock;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.pool.Pool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our lock on the chain, in a sell, of which the pool is told: it could find it by itself, but need not look. Told again with each look until
 * the pool has locked too, since it may have been down or have forgotten. Nothing waits for it and nothing depends on it.
 */
public final class AnnouncedLeg implements OwnLeg {
    private static final Logger LOG = LoggerFactory.getLogger(AnnouncedLeg.class);

    private final OwnLeg leg;
    private final Pool pool;
    private final Executor executor;

    /** @param executor for continuations; never blocks */
    public AnnouncedLeg(OwnLeg leg, Pool pool, Executor executor) {
        this.leg = leg;
        this.pool = pool;
        this.executor = executor;
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        return leg.look(row)
                .thenApplyAsync(
                        view -> {
                            boolean waits = row.poolLock() instanceof PoolLock.Absent
                                    && view.lock() instanceof OwnLock.Locked
                                    && !view.refundDue();
                            if (waits) {
                                row.acts().lockTx().ifPresent(tx -> tell(row, tx));
                            }
                            return view;
                        },
                        executor);
    }

    @Override
    public CompletionStage<Optional<String>> obstacle(SwapRow row) {
        return leg.obstacle(row);
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row) {
        return leg.sendLock(row)
                .thenApplyAsync(
                        tx -> {
                            tell(row, tx);
                            return tx;
                        },
                        executor);
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        return leg.abandonLock(row);
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        return leg.takeBack(row);
    }

    private void tell(SwapRow row, String tx) {
        pool.notifyChainLock(row.poolSwapId(), Hash256.parse(tx))
                .exceptionallyAsync(
                        failure -> {
                            LOG.info("swap {}: the pool was not told of our lock: {}", row.id(), failure.toString());
                            return null;
                        },
                        executor);
    }
}
