package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The system's clock, which does not run ahead of the time that has passed since it was made: were a jump believed, the period of the spend
 * allowance would be over and client tokens would be forgotten. A clock that is set back is followed; whoever uses this copes with that.
 */
final class SteadyClock extends Clock {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);
    /** Clocks are corrected by less than this, and drift by less than a hundredth. */
    private static final long CORRECTION_MILLIS = 60_000;

    private static final long DRIFT = 100;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock wall;
    private final LongSupplier nanos;
    private final long begunMillis;
    private final long begunNanos;
    private final AtomicBoolean complained = new AtomicBoolean();

    /** @param nanos time that passes whatever becomes of the clock, as {@link System#nanoTime} */
    SteadyClock(Clock wall, LongSupplier nanos) {
        this.wall = wall;
        this.nanos = nanos;
        this.begunMillis = wall.millis();
        this.begunNanos = nanos.getAsLong();
    }

    @Override
    public long millis() {
        long passed = (nanos.getAsLong() - begunNanos) / NANOS_PER_MILLI;
        long latest = begunMillis + passed + passed / DRIFT + CORRECTION_MILLIS;
        long now = wall.millis();
        if (now > latest && complained.compareAndSet(false, true)) {
            LOG.warn(
                    "the system's clock has jumped ahead by more than {} s, which spending does not believe: restart when it is right",
                    (now - latest + CORRECTION_MILLIS) / 1_000);
        }
        return Math.min(now, latest);
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
        return new SteadyClock(wall.withZone(zone), nanos);
    }
}
