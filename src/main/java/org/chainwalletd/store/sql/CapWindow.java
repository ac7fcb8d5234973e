package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Opening;

/**
 * Sliding window of the operator's caps: the rows of {@code allowance_minutes} in memory, so that checking a cap reads no table. Changes belong to
 * the writer's transaction: they are pending until it is committed, and dropped when it is rolled back. Without limits nothing is kept. The writer
 * checks caps; any thread may read the window.
 *
 * <p>Two clocks are used, the daemon's and the followed chain's: a use from before the start leaves the window only when both have advanced far
 * enough, or when this process has run for a whole period, see {@link #startOfWindow}. If several daemons count against the same caps, the database's
 * clock replaces the daemon's, a use is stamped with the later of both, and leaves the window only when both are one period past that stamp. A clock
 * that jumps, or a chain whose times are ahead, can only make the window longer.
 */
final class CapWindow implements GroupCommitWriter.InMemory {
    /** Tolerance in milliseconds: clocks are often corrected by less than this. */
    private static final long SET_BACK_MILLIS = 60_000;

    /** Time in milliseconds later than any clock or block, and small enough to add the tolerance. */
    private static final long NO_TIME = Long.MAX_VALUE - SET_BACK_MILLIS;

    /**
     * Pending change of the sum of one minute.
     *
     * @param counts the last millisecond of the minute
     */
    private record Change(long counts, BigInteger amount) {}

    private final AllowanceStore.Limits limits;
    private final Clock clock;
    private final Supplier<OptionalLong> chainMillis;
    private final boolean shared;
    /** Committed sums by the last millisecond of their minute. */
    private final NavigableMap<Long, BigInteger> minutes = new TreeMap<>();

    private final List<Change> pending = new ArrayList<>();
    /** Sum of all committed uses in the window. */
    private BigInteger sum = BigInteger.ZERO;

    private long windowStart;
    /** Time of this process's clock at which it began to count, milliseconds since 1970; its own uses are not older. */
    private long begun;

    CapWindow(AllowanceStore.Limits limits, Clock clock, Supplier<OptionalLong> chainMillis) {
        this(limits, clock, chainMillis, false);
    }

    private CapWindow(AllowanceStore.Limits limits, Clock clock, Supplier<OptionalLong> chainMillis, boolean shared) {
        this.shared = shared;
        this.limits = limits;
        this.clock = clock;
        this.chainMillis = chainMillis;
        this.begun = clock.millis();
        this.windowStart = startOfWindow(begun);
    }

    /**
     * Creates the window of caps shared by several daemons.
     *
     * @param clock of the database
     */
    static CapWindow shared(AllowanceStore.Limits limits, Clock clock, Supplier<OptionalLong> chainMillis) {
        return new CapWindow(limits, clock, chainMillis, true);
    }

    /** Returns the stamp of a use made at {@code at} by the daemon's clock. */
    long stamp(long at) {
        if (!shared) {
            return at;
        }
        long now = clock.millis();
        return Math.max(now, Math.min(chainMillis.get().orElse(now), NO_TIME));
    }

    /** Loads a row of the table. */
    synchronized void load(AllowanceStore.Minute minute) {
        change(minute.start(), minute.amount());
        settle();
    }

    /** Adds {@code by} to the sum of the minute that contains {@code at}. */
    synchronized void change(long at, BigInteger by) {
        if (!limits.none() && by.signum() != 0) {
            pending.add(new Change(countsAt(at), by));
        }
    }

    /** Returns the time as of which a use counts: the end of its minute. */
    static long countsAt(long at) {
        return new AllowanceStore.Minute(AllowanceStore.Minute.startOf(at), BigInteger.ZERO).last();
    }

    @Override
    public synchronized int mark() {
        return pending.size();
    }

    @Override
    public synchronized void undoTo(int mark) {
        pending.subList(mark, pending.size()).clear();
    }

    @Override
    public synchronized void settle() {
        for (Change change : pending) {
            BigInteger amount =
                    minutes.getOrDefault(change.counts(), BigInteger.ZERO).add(change.amount());
            if (amount.signum() == 0) {
                minutes.remove(change.counts());
            } else {
                minutes.put(change.counts(), amount);
            }
            if (change.counts() >= windowStart) {
                sum = sum.add(change.amount());
            }
        }
        pending.clear();
    }

    /**
     * Adopts sums that other processes have committed: all of them, or those of some minutes.
     *
     * @param asked whether {@code rows} is complete for the minute with this start
     */
    synchronized void follow(List<AllowanceStore.Minute> rows, Predicate<Long> asked) {
        Map<Long, BigInteger> differences = new TreeMap<>();
        minutes.forEach((counts, amount) -> {
            if (asked.test(AllowanceStore.Minute.startOf(counts))) {
                differences.put(counts, amount.negate());
            }
        });
        rows.forEach(row -> differences.merge(row.last(), row.amount(), BigInteger::add));
        differences.forEach(this::change);
        settle();
    }

    /** Returns the start of the window; uses from then on count now. */
    synchronized long start() {
        slide();
        return windowStart;
    }

    /** Returns the latest possible time of a use, unless a clock was ahead. */
    synchronized long lastPossible() {
        slide();
        return lastPossible(clock.millis());
    }

    /** Adds the tolerance: only uses stamped later than the result are attributed to a clock that was ahead. */
    static long withTolerance(long last) {
        return last + SET_BACK_MILLIS;
    }

    AllowanceStore.Limits limits() {
        return limits;
    }

    /** Returns the start of the last period by the daemon's clock alone. */
    long lastPeriod() {
        return clock.millis() - limits.period().toMillis();
    }

    synchronized AllowanceStore.Status status() {
        slide();
        return AllowanceStore.Status.of(limits, sum);
    }

    /** Returns the part of a committed use that currently counts. */
    synchronized BigInteger counted(Amount amount, long at) {
        slide();
        long counts = countsAt(at);
        return counts < windowStart
                ? BigInteger.ZERO
                : amount.toBigInteger().min(minutes.getOrDefault(counts, BigInteger.ZERO));
    }

    /**
     * Returns why this amount exceeds a cap; empty when it does not. An amount of zero is never rejected, no matter how much was spent under an
     * earlier, higher limit: a claim cannot wait for the window.
     *
     * @param givenBack part of the counted sum that this amount replaces
     */
    synchronized Optional<Opening.CapExceeded> judge(Amount amount, BigInteger givenBack) {
        if (amount.isZero() || limits.none()) {
            return Optional.empty();
        }
        slide();
        if (limits.perTransaction().isPresent() && limits.perTransaction().get().isLessThan(amount)) {
            return Optional.of(exceeded(
                    "per_tx", limits.perTransaction().get(), new AllowanceStore.Status(limits, Amount.ZERO), amount));
        }
        BigInteger others = sum.subtract(givenBack);
        for (Change change : pending) {
            others = change.counts() >= windowStart ? others.add(change.amount()) : others;
        }
        if (limits.perPeriod().isPresent()) {
            Amount limit = limits.perPeriod().get();
            if (others.add(amount.toBigInteger()).compareTo(limit.toBigInteger()) > 0) {
                return Optional.of(exceeded("per_period", limit, AllowanceStore.Status.of(limits, others), amount));
            }
        }
        return Optional.empty();
    }

    private Opening.CapExceeded exceeded(String scope, Amount limit, AllowanceStore.Status others, Amount requested) {
        Amount spent = others.spent();
        Amount remaining = limit.isLessThan(spent) ? Amount.ZERO : limit.minus(spent);
        return new Opening.CapExceeded(
                scope, limit, spent, requested, remaining, limits.period().toSeconds());
    }

    /**
     * Returns the time to which uses with a future stamp, caused by a clock that was ahead, must be moved; empty when there are none. Otherwise they
     * would stay in the window until the clock gets there again.
     */
    synchronized OptionalLong setBackTo() {
        if (limits.none()) {
            return OptionalLong.empty();
        }
        slide();
        long newest = minutes.isEmpty() ? Long.MIN_VALUE : minutes.lastKey();
        for (Change change : pending) {
            newest = Math.max(newest, change.counts());
        }
        long last = lastPossible(clock.millis());
        return newest > withTolerance(last) ? OptionalLong.of(last) : OptionalLong.empty();
    }

    /** Moves the window to the present: old uses leave it; if the clock was set back, some enter it again. */
    private void slide() {
        long now = clock.millis();
        begun = Math.min(begun, now);
        long start = startOfWindow(now);
        if (start < windowStart) {
            sum = sum.add(sumOf(minutes.subMap(start, windowStart)));
        } else if (start > windowStart) {
            sum = sum.subtract(sumOf(minutes.subMap(windowStart, start)));
        }
        windowStart = start;
    }

    private static BigInteger sumOf(Map<Long, BigInteger> some) {
        return some.values().stream().reduce(BigInteger.ZERO, BigInteger::add);
    }

    /**
     * Returns the start of the window. A clock that is ahead at a start would end the period of all earlier uses. Therefore, until this process
     * itself has run for a whole period, the window ends no later than the newest block of the followed chain. Until then the uses of this process
     * cannot have left the window anyway.
     */
    private long startOfWindow(long now) {
        long period = limits.period().toMillis();
        if (hasRunForAPeriod(now)) {
            return now - period;
        }
        OptionalLong chain = chainMillis.get();
        return chain.isEmpty() ? Long.MIN_VALUE : Math.min(now, chain.getAsLong()) - period;
    }

    private boolean hasRunForAPeriod(long now) {
        return !shared && now - begun >= limits.period().toMillis();
    }

    /**
     * Returns the latest possible time of a use, unless a clock was ahead when it was made. A clock that is behind now must not override the chain's
     * time.
     */
    private long lastPossible(long now) {
        OptionalLong chain = chainMillis.get();
        if (chain.isPresent()) {
            return Math.max(now, Math.min(chain.getAsLong(), NO_TIME));
        }
        return hasRunForAPeriod(now) ? now : NO_TIME;
    }
}
