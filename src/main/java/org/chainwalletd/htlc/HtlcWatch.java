package org.chainwalletd.htlc;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;

/**
 * Dependencies and settings of {@link HtlcIndex}.
 *
 * @param subscribe subscribes an actor to chain events
 * @param parties receives the addresses of the parties of open HTLCs when they change: claims appear first in the mempools of these addresses
 * @param autoReclaim whether own locks past their timeout are reclaimed automatically
 */
public record HtlcWatch(
        ChainProfile profile,
        Books books,
        Supplier<Optional<FollowedTip>> tip,
        Sightings sightings,
        LostLocks lost,
        HtlcSpends spends,
        HtlcMetrics metrics,
        Consumer<ActorRef<FollowEvent>> subscribe,
        Consumer<List<Address>> parties,
        boolean autoReclaim) {
    /** Builds the reclaim of a lock; always the same request for the same lock. */
    ReclaimRequest reclaimOf(HtlcRow lock) {
        return new ReclaimRequest(
                profile.addressOf(lock.params().sender()),
                lock.outpoint(),
                lock.params().receiver(),
                lock.params().hashLock(),
                lock.params().timeoutHeight(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(ReclaimRequest.tokenOfWatchdog(lock.outpoint())));
    }

    /** Metrics of the HTLC index. Thread-safe. */
    public static final class HtlcMetrics {
        private final AtomicLong records = new AtomicLong();
        private final AtomicLong overdue = new AtomicLong();

        public HtlcMetrics(MeterRegistry registry) {
            Gauge.builder("walletd.htlc.records", records, AtomicLong::get)
                    .description("HTLCs in the local index")
                    .register(registry);
            Gauge.builder("walletd.htlc.overdue", overdue, AtomicLong::get)
                    .description(
                            "Own locks past their timeout, worth at least a reclaim, that nobody has claimed or taken back")
                    .register(registry);
        }

        void counted(List<HtlcRows.Count> counts, int overdueLocks) {
            records.set(counts.stream().mapToLong(HtlcRows.Count::rows).sum());
            overdue.set(overdueLocks);
        }
    }

    /**
     * Detects locks that will never be mined: the node does not know the lock transaction, and a block has another spend of one of its inputs
     * (decisions.md, section 3). If a block contains the lock nevertheless, it is locked again.
     *
     * @param executor for continuations; never blocks
     */
    public record LostLocks(NodeClient node, Sightings sightings, Executor executor) {
        private static final int AT_ONCE = 4;

        CompletionStage<Void> check(List<HtlcRow> pending) {
            return Bounded.each(pending, AT_ONCE, this::check, executor).thenApplyAsync(done -> null, executor);
        }

        private CompletionStage<Void> check(HtlcRow lock) {
            return rival(lock)
                    .thenComposeAsync(
                            rival -> rival.isPresent()
                                    ? sightings.lose(lock.outpoint())
                                    : CompletableFuture.completedFuture(null),
                            executor);
        }

        /** Returns the transaction that a block has instead of the lock's; empty while the node knows the lock's transaction. */
        private CompletionStage<Optional<Hash256>> rival(HtlcRow lock) {
            Hash256 txId = lock.outpoint().txId();
            return node.transaction(txId)
                    .thenComposeAsync(
                            found -> found.isPresent()
                                    ? CompletableFuture.completedFuture(Optional.empty())
                                    : Bounded.first(lock.inputs(), input -> otherSpender(input, txId), executor),
                            executor);
        }

        private CompletionStage<Optional<Hash256>> otherSpender(Outpoint input, Hash256 txId) {
            return node.spentBy(input)
                    .thenApplyAsync(spent -> spent.map(by -> by.txId()).filter(by -> !by.equals(txId)), executor);
        }
    }
}
