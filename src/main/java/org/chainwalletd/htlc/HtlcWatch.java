package org.chainwalletd.htlc;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.HtlcRow;
import org.chainwalletd.store.books.HtlcRows;

/**
 * Dependencies and settings of {@link HtlcIndex}.
 *
 * @param subscribe makes an actor hear of the chain
 * @param parties is told the addresses of the parties of open HTLCs when they change: claims show there first
 * @param autoReclaim whether own locks past their timeout are taken back without being asked
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
    /** The same request for the same lock, whenever it is made. */
    ReclaimRequest reclaimOf(HtlcRow lock) {
        return new ReclaimRequest(
                profile.addressOf(lock.params().sender()),
                lock.outpoint(),
                lock.params().receiver(),
                lock.params().hashLock(),
                lock.params().timeoutHeight(),
                Optional.empty(),
                Optional.of(ReclaimRequest.tokenOfWatchdog(lock.outpoint())));
    }

    /** The figures of the HTLC index for operators. Safe for threads. */
    public static final class HtlcMetrics {
        private final AtomicLong records = new AtomicLong();
        private final AtomicLong overdue = new AtomicLong();

        public HtlcMetrics(MeterRegistry registry) {
            Gauge.builder("walletd.htlc.records", records, AtomicLong::get)
                    .description("HTLCs in the local index")
                    .register(registry);
            Gauge.builder("walletd.htlc.overdue", overdue, AtomicLong::get)
                    .description("Own locks past their timeout that nobody has claimed or taken back")
                    .register(registry);
        }

        void counted(List<HtlcRows.Count> counts, int overdueLocks) {
            records.set(counts.stream().mapToLong(HtlcRows.Count::rows).sum());
            overdue.set(overdueLocks);
        }
    }
}
