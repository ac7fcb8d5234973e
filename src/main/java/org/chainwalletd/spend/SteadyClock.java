package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * System clock that does not run ahead of the time that has passed since it was created: if a jump ahead were believed, the period of the spend
 * allowance would be over and client tokens would be forgotten. A jump is believed only when the followed chain is as late too: then the clock was
 * behind before, as on a machine that sets it some moments after its start. If that were not believed, everything paid from then on would look old
 * after the next start. A clock that is set back is followed; users of this clock tolerate that, and a jump that is believed.
 */
final class SteadyClock extends Clock {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);
    /** Largest correction of a clock in milliseconds that is believed; a drift of a hundredth is allowed besides. */
    private static final long CORRECTION_MILLIS = 60_000;

    private static final long DRIFT = 100;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock wall;
    private final LongSupplier nanos;
    private final Supplier<OptionalLong> chainMillis;
    private final AtomicReference<Known> known;
    private final AtomicBoolean complained = new AtomicBoolean();

    /** Moment in both times: milliseconds since 1970, and nanoseconds of the steady source. */
    private record Known(long millis, long nanos) {
        /** Latest believable time now, milliseconds since 1970. */
        long latest(long nanosNow) {
            long passed = (nanosNow - nanos) / NANOS_PER_MILLI;
            return millis + passed + passed / DRIFT + CORRECTION_MILLIS;
        }
    }

    /**
     * @param nanos source of elapsed time that no change of the clock affects, as {@link System#nanoTime}
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

    /** @return latest believable time now in milliseconds since 1970, moved on by the chain if that is later */
    private long jumped(Known before, long now, long nanosNow) {
        long latest = before.latest(nanosNow);
        OptionalLong chain = chainMillis.get();
        if (chain.isPresent() && chain.getAsLong() > latest) {
            Known newer = new Known(Math.min(now, chain.getAsLong()), nanosNow);
            if (known.compareAndSet(before, newer)) {
                LOG.warn("the system's clock was behind by {} s, as the followed chain says", (now - latest) / 1_000);
            }
            return newer.latest(nanosNow);
        }
        if (complained.compareAndSet(false, true)) {
            LOG.warn(
                    "the system's clock has jumped ahead by more than {} s, which spending does not believe before the followed chain is as late:"
                            + " restart when it is right",
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
