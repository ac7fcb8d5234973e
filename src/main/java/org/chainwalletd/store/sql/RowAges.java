package org.chainwalletd.store.sql;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Stamps rows with the time of their last change and compares their ages, so that a wrong clock never makes a token expire early, which would allow
 * it to pay again. A row is stamped no earlier than the newest block of the followed chain, because a clock may be years behind until it is set. If
 * several daemons share a database, the database's clock, read under the store lock, replaces theirs.
 */
public final class RowAges {
    /**
     * Longest accepted lead, in milliseconds, of a block's time over the clock. A clock without a battery starts in 1970, so the lead may be decades;
     * a block with an even later time is ignored.
     */
    private static final long LONGEST_BEHIND = Duration.ofDays(100 * 365).toMillis();

    private static final long MINUTE = Duration.ofMinutes(1).toMillis();

    /** The daemon's own clock, and the time of the newest block of the followed chain in milliseconds since 1970. */
    private record Clocks(Clock own, Supplier<OptionalLong> chainMillis) {}

    private final Supplier<Optional<Clock>> shared;
    private volatile Clocks clocks = new Clocks(Clock.systemUTC(), OptionalLong::empty);

    /**
     * @param shared clock of the database, when several daemons write to it
     */
    RowAges(Supplier<Optional<Clock>> shared) {
        this.shared = shared;
    }

    void govern(Clock own, Supplier<OptionalLong> chainMillis) {
        clocks = new Clocks(own, chainMillis);
    }

    /** Returns the later of {@code now} and the time of the newest block, unless the block's time is implausibly far ahead. */
    public static long noEarlierThan(OptionalLong chainMillis, long now) {
        long chain = chainMillis.orElse(now);
        return chain > now && chain - now < LONGEST_BEHIND ? chain : now;
    }

    /** Returns the stamp of a change made at {@code now} by the daemon's clock, milliseconds since 1970. */
    long stamp(long now) {
        return noEarlierThan(
                clocks.chainMillis().get(), shared.get().map(Clock::millis).orElse(now));
    }

    /** Returns whether a row was stamped less than {@code millis} ago; a stamp that is further than that ahead of the clock is ignored. */
    public boolean isWithin(long at, long millis) {
        long now = shared.get().map(Clock::millis).orElseGet(() -> clocks.own().millis());
        return Math.abs(now - at) < millis;
    }

    /**
     * Returns the time before which rows have ended, for a caller that computed {@code before} by the daemon's clock: earlier by the amount by which
     * that clock is ahead of the shared one, in whole minutes.
     */
    long ended(long before) {
        Optional<Clock> database = shared.get();
        if (database.isEmpty()) {
            return before;
        }
        long ahead = clocks.own().millis() - database.get().millis();
        long less = ahead < MINUTE ? 0 : (ahead / MINUTE + 1) * MINUTE;
        return before < Long.MIN_VALUE + less ? Long.MIN_VALUE : before - less;
    }
}
