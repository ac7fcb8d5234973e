package org.chainwalletd.spend;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Network;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodesSeen;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ObservedIntentStore;
import org.chainwalletd.store.ObservedIntentStore.IntentListener;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.sql.RowAges;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dependencies and settings of spending.
 *
 * @param executor runs continuations; never blocks
 */
public record SpendEnvironment(
        ChainProfile profile,
        NodeClient node,
        VerifiedOutputs outputs,
        ChainView chainView,
        Signer signer,
        Stores stores,
        AllowanceStore.Limits limits,
        Pace pace,
        Drawing drawing,
        SpendMetrics metrics,
        Clock clock,
        Executor executor) {
    /**
     * Knowledge about the chain.
     *
     * @param network network that the nodes name; empty as long as none has
     * @param chain followed chain
     * @param tip newest tip that a node of our chain has named; sends no request
     */
    public record ChainView(
            ChainIdentity identity,
            Supplier<Optional<Network>> network,
            SpendChain chain,
            Supplier<Optional<NodeClient.Tip>> tip) {}

    /**
     * Store that spending reads and writes.
     *
     * @param intents its intents, behind an observer
     * @param historyKept how long spends are listed after their last change; empty: indefinitely
     */
    public record Stores(Store store, IntentStore intents, Optional<Duration> historyKept) {}

    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(3);
    private static final Duration RESEND_PAUSE = Duration.ofMillis(200);

    /**
     * Confirmations after which a spend counts as buried. The chain has no finality rule and no limit to the depth of a reorganisation
     * (chain protocol, section 8.2). 360 confirmations, an hour at the target block time, is the depth of reorganisation that its own
     * coinbase rule on the main network allows for; it is used for every network.
     */
    private static final int BURIAL_DEPTH = Network.MAINNET.coinbaseMaturity();

    /**
     * Creates the environment of the running daemon: limits and paces from the settings.
     *
     * @param listener receives each change of a spend
     */
    public static SpendEnvironment of(
            Settings settings,
            NodeClient node,
            VerifiedOutputs outputs,
            ChainIdentity identity,
            Supplier<NodesSeen> nodes,
            SpendChain chain,
            Signer signer,
            Store store,
            IntentListener listener,
            MeterRegistry meters,
            Clock clock,
            Executor executor) {
        SpendMetrics metrics = new SpendMetrics(meters);
        settings.node().urls().forEach(url -> metrics.contradictions(url.toString()));
        metrics.storeQueue(store::queued);
        metrics.allowanceUsed(store.allowance()::spent);
        Settings.Spend spend = settings.spend();
        AllowanceStore.Limits limits =
                new AllowanceStore.Limits(spend.capPerTx(), spend.capPerPeriod(), spend.capPeriod());
        if (limits.perPeriod().isPresent()) {
            metrics.allowanceLeft(
                    () -> new AllowanceStore.Status(limits, store.allowance().spent())
                            .remaining()
                            .orElseThrow());
        }
        return new SpendEnvironment(
                settings.chain(),
                node,
                outputs,
                new ChainView(
                        identity,
                        () -> nodes.get().network().flatMap(Network::ofWord),
                        chain,
                        () -> nodes.get().tip(chain.setAside())),
                signer,
                new Stores(store, new ObservedIntentStore(store.intents(), listener, executor), spend.historyKept()),
                limits,
                new Pace(
                        TICK,
                        FIRST_LOOK,
                        spend.rebroadcastInterval(),
                        spend.reservationTtl(),
                        spend.receiptTtl(),
                        RESEND_PAUSE,
                        BURIAL_DEPTH),
                drawing(spend, store),
                metrics,
                new SteadyClock(store.clock(clock), System::nanoTime, chain::tipMillis),
                executor);
    }

    /**
     * Marks change when other daemons share the keys, and also when the store may lack payments after a restore: payments that this daemon
     * has forgotten then look to it like those of another daemon.
     */
    private static Drawing drawing(Settings.Spend spend, Store store) {
        return spend.sharedKeys() || store.isForgetful() ? Drawing.RANDOM.marking() : Drawing.RANDOM;
    }

    public ChainIdentity identity() {
        return chainView.identity();
    }

    public SpendChain chain() {
        return chainView.chain();
    }

    /**
     * Time in milliseconds since 1970: tokens of payments that were closed before it have expired. The clock alone is not enough, since it
     * may be ahead at a start: the time of the followed tip must have advanced as far. Nothing expires before the first followed block.
     */
    long tokensExpiredBefore() {
        return cutoff(pace.receiptTtl());
    }

    /**
     * Time in milliseconds since 1970: payments that last changed before it may be shortened or removed from the history. Never later than
     * {@link #tokensExpiredBefore}, so that a payment stays complete while its token is answered.
     */
    long historyCutoff(Duration age) {
        return Math.min(tokensExpiredBefore(), cutoff(age));
    }

    private long cutoff(Duration age) {
        OptionalLong tip = chain().tipMillis();
        return tip.isEmpty() ? Long.MIN_VALUE : Math.min(clock.millis(), tip.getAsLong()) - age.toMillis();
    }

    /** Whether several daemons may write the store. */
    boolean isShared() {
        return stores.store().isShared();
    }

    Optional<String> stopped() {
        return stores.store().stopped();
    }

    /**
     * Time in milliseconds since 1970 from which a use of the allowance that becomes durable now counts. A slow clock must not make the use
     * look older than the newest block: once the clock is corrected, the use would have left the window.
     */
    long countsFrom() {
        return RowAges.noEarlierThan(chain().tipMillis(), clock.millis());
    }

    /**
     * Checks that the operator's caps allow a spend of this amount now; the final decision is made by the store when the spend is opened.
     *
     * @throws SpendException when they do not
     */
    void requireAllowed(SpendPlan plan, Amount leaving) {
        if (plan.isCapped()) {
            allowanceStore().refusal(leaving).ifPresent(exceeded -> {
                throw new SpendException(SpendRefusal.of(exceeded));
            });
        }
    }

    IntentStore intents() {
        return stores.intents();
    }

    ReservationStore reservations() {
        return stores.store().reservations();
    }

    ReceiptStore receipts() {
        return stores.store().receipts();
    }

    SpendHistory history() {
        return stores.store().history();
    }

    RawSendStore rawSends() {
        return stores.store().rawSends();
    }

    AllowanceStore allowanceStore() {
        return stores.store().allowance();
    }

    /**
     * Intervals and periods for following spends.
     *
     * @param tick interval at which due spends are looked for
     * @param firstLook time from the broadcast to the first look at a spend; the intervals between later looks grow
     * @param longest maximum time between two looks at one spend
     * @param reservationTtl how long the coins stay reserved when no mempool has the spend
     * @param receiptTtl how long a closed spend is remembered, or at least the answer of its token
     * @param resendPause delay before a send is repeated after a transient refusal
     * @param burialDepth confirmations after which a spend is no longer watched
     */
    public record Pace(
            Duration tick,
            Duration firstLook,
            Duration longest,
            Duration reservationTtl,
            Duration receiptTtl,
            Duration resendPause,
            int burialDepth) {
        private static final int LOOKS_BETWEEN_SENDS = 20;
        private static final Duration BYTES_KEPT = Duration.ofDays(1);

        /**
         * Time for which a payment is kept complete after its last change, although it is buried and its bytes are not needed any more: if
         * the chain is replaced from deeper than expected, an operator still has them.
         */
        Duration wholeFor() {
            Duration half = receiptTtl.dividedBy(2);
            return half.compareTo(BYTES_KEPT) < 0 ? half : BYTES_KEPT;
        }

        /** Whether a block is so deep below a tip that no reorganisation is expected to remove it. */
        boolean isBuried(BlockPlace block, BlockPlace tip) {
            return tip.height() - block.height() + 1 >= burialDepth;
        }

        /** Maximum time between two sends of the same bytes by the spend monitor, while nodes lack them. */
        Duration longestBetweenSends() {
            return longest.multipliedBy(LOOKS_BETWEEN_SENDS);
        }
    }

    /**
     * System clock limited to the time that has elapsed since its creation: if it followed a forward jump, the period of the spend
     * allowance would end and client tokens would be forgotten. A forward jump is accepted only when the time of the followed chain
     * confirms it: then the clock was slow before, as on a machine that sets it some moments after its start. If such a jump were rejected,
     * everything paid from then on would look old after the next start. Follows the system clock when it is set back; users of this clock
     * tolerate that, as well as an accepted jump.
     */
    static final class SteadyClock extends Clock {
        private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);
        /** Largest correction of a clock, in milliseconds, that is accepted without confirmation; a drift of 1% is allowed in addition. */
        private static final long CORRECTION_MILLIS = 60_000;

        private static final long DRIFT = 100;
        private static final long NANOS_PER_MILLI = 1_000_000;

        private final Clock wall;
        private final LongSupplier nanos;
        private final Supplier<OptionalLong> chainMillis;
        private final AtomicReference<Known> known;
        private final AtomicBoolean warned = new AtomicBoolean();

        /** Instant in both time scales: milliseconds since 1970, and nanoseconds of the monotonic source. */
        private record Known(long millis, long nanos) {
            /** Latest plausible time now, milliseconds since 1970. */
            long latest(long nanosNow) {
                long passed = (nanosNow - nanos) / NANOS_PER_MILLI;
                return millis + passed + passed / DRIFT + CORRECTION_MILLIS;
            }
        }

        /**
         * @param nanos monotonic source of elapsed time that clock changes do not affect, like {@link System#nanoTime}
         * @param chainMillis time of the newest block of the followed chain, milliseconds since 1970; empty until one is known
         */
        SteadyClock(Clock wall, LongSupplier nanos, Supplier<OptionalLong> chainMillis) {
            this.wall = wall;
            this.nanos = nanos;
            this.chainMillis = chainMillis;
            this.known = new AtomicReference<>(new Known(wall.millis(), nanos.getAsLong()));
        }

        @Override
        public long millis() {
            Known before = known.get();
            long nanosNow = nanos.getAsLong();
            long now = wall.millis();
            long latest = before.latest(nanosNow);
            return now <= latest ? now : Math.min(now, jumped(before, now, nanosNow));
        }

        /**
         * @return latest plausible time now in milliseconds since 1970, advanced to the chain's time if that is later
         */
        private long jumped(Known before, long now, long nanosNow) {
            long latest = before.latest(nanosNow);
            OptionalLong chain = chainMillis.get();
            if (chain.isPresent() && chain.getAsLong() > latest) {
                Known newer = new Known(Math.min(now, chain.getAsLong()), nanosNow);
                if (known.compareAndSet(before, newer)) {
                    LOG.warn(
                            "the system clock was behind by {} s, according to the followed chain",
                            (now - latest) / 1_000);
                }
                return newer.latest(nanosNow);
            }
            if (warned.compareAndSet(false, true)) {
                LOG.warn(
                        "the system clock has jumped ahead by more than {} s; spending ignores this until the followed chain confirms it."
                                + " Restart the daemon if the clock is correct",
                        (now - latest + CORRECTION_MILLIS) / 1_000);
            }
            return latest;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return wall.getZone();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return new SteadyClock(wall.withZone(zone), nanos, chainMillis);
        }
    }
}
