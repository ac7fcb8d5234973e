package org.chainwalletd.spend;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;

/**
 * What was spent of the operator's allowance: a cap per transaction and one per sliding period. A spend holds its amount together with its
 * coins; the hold becomes durable with the intent and is given back when the spend fails. What is spent for good is one sum for each minute;
 * without limits nothing is kept. What has left the period is remembered for a while: a clock that was ahead is set back some time, and then
 * it counts again. What was used before the start leaves the period by no clock alone, see {@link #startOfWindow}. Belongs to {@link
 * Reservations}.
 */
public final class Allowance {
    /** The operator's limits; empty means none. */
    public record Limits(Optional<Amount> perTransaction, Optional<Amount> perPeriod, Duration period) {
        boolean none() {
            return perTransaction.isEmpty() && perPeriod.isEmpty();
        }
    }

    private record Use(BigInteger amount, long at) {
        Use notAfter(long last) {
            return at > last ? new Use(amount, last) : this;
        }
    }

    /**
     * How long a use is remembered after its period. No clock alone erases one: as many minutes as this and the period have are kept, whatever
     * the time is, so that what a clock that is ahead takes for old counts again when it is right.
     */
    private static final Duration REMEMBERED = Duration.ofDays(31);

    /** Clocks are corrected by less than this all the time. */
    private static final long SET_BACK_MILLIS = 60_000;

    /** A clock that has lost its battery begins in 1970; a block that is later than this is no evidence. */
    private static final long LONGEST_BEHIND = Duration.ofDays(100 * 365).toMillis();

    /** Later than any clock or block, and far enough from the end of all numbers to be added to. */
    private static final long NO_TIME = Long.MAX_VALUE - SET_BACK_MILLIS;

    private final Limits limits;
    private final Clock clock;
    private final Supplier<OptionalLong> chainMillis;
    private final SpendMetrics metrics;
    /** Of spends that may still give it back, oldest first. */
    private final Map<Owner, Use> uses = new LinkedHashMap<>();
    /** What all others have used, by the last millisecond in which it may have been; also what has left the window. */
    private final NavigableMap<Long, BigInteger> settled = new TreeMap<>();

    /** Of all that lies in the window. */
    private BigInteger sum = BigInteger.ZERO;

    private long windowStart;
    /** When this process began to count, by its clock; what it has used itself is not older. */
    private long begun;
    /** Of all uses the last one. */
    private long newest = Long.MIN_VALUE;

    /**
     * @param durable uses of the current window, and of as long before as they are remembered, that the store knows
     * @param clock runs no faster than time; may be wrong from the beginning
     * @param chainMillis when the newest block of the followed chain was made; empty until one is known
     */
    Allowance(
            AllowanceStore.Spent durable,
            Limits limits,
            Clock clock,
            Supplier<OptionalLong> chainMillis,
            SpendMetrics metrics) {
        this.limits = limits;
        this.clock = clock;
        this.chainMillis = chainMillis;
        this.metrics = metrics;
        this.begun = clock.millis();
        this.windowStart = startOfWindow(begun);
        if (!limits.none()) {
            durable.minutes().forEach(minute -> settle(new Use(minute.amount(), minute.last())));
            durable.open().stream()
                    .sorted(Comparator.comparingLong(AllowanceStore.Use::at))
                    .forEach(use -> put(
                            new Owner.Payment(use.txId()), new Use(use.amount().toBigInteger(), use.at())));
            dropOld();
        }
    }

    /**
     * Since when uses count. Were a clock believed that is ahead at a start, the period of all that was used before would be over. So until this
     * process has run for a whole period itself, the window ends no later than the followed chain has come. What this process has used cannot
     * have left the window before that anyway.
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
        return now - begun >= limits.period().toMillis();
    }

    /** No use can be later, unless a clock was ahead when it was made. One that is behind now says nothing of what the chain has seen since. */
    private long lastPossible(long now) {
        OptionalLong chain = chainMillis.get();
        if (chain.isPresent()) {
            return Math.max(now, Math.min(chain.getAsLong(), NO_TIME));
        }
        return hasRunForAPeriod(now) ? now : NO_TIME;
    }

    /** How many minutes are remembered at least, the last ones in which something was used. */
    static int minutesKept(Duration period) {
        return (int) Math.min(Integer.MAX_VALUE, period.plus(REMEMBERED).toMinutes() + 1);
    }

    /** Since when uses are worth knowing. */
    static long rememberedSince(Duration period, long now) {
        return now - period.plus(REMEMBERED).toMillis();
    }

    /** Why this amount would not be granted now; empty when it would. Holds nothing. */
    Optional<SpendRefusal.AllowanceExceeded> refusal(Amount amount) {
        return judge(amount, BigInteger.ZERO);
    }

    /** The same for a spend that was made before: what it counts already is not counted twice. */
    Optional<SpendRefusal.AllowanceExceeded> refusal(Amount amount, Owner earlier) {
        dropOld();
        Use counted = uses.get(earlier);
        return judge(amount, counted == null ? BigInteger.ZERO : counted.amount());
    }

    /**
     * Since when something counts that leaves now. A clock that is behind must not make it look older than the newest block: when the clock is
     * set right it would have left the window.
     *
     * @param chainMillis when the newest block of the followed chain was made; empty until one is known
     */
    static long countsFrom(Clock clock, OptionalLong chainMillis) {
        long now = clock.millis();
        long chain = chainMillis.orElse(now);
        return chain > now && chain - now < LONGEST_BEHIND ? chain : now;
    }

    private long countsFrom() {
        return countsFrom(clock, chainMillis.get());
    }

    /** Takes the amount out of the allowance until it is moved or released. */
    void hold(Owner owner, Amount amount) {
        if (!limits.none()) {
            put(owner, new Use(amount.toBigInteger(), countsFrom()));
        }
    }

    /** What {@code from} holds, if anything, is another one's from now on. */
    void move(Owner from, Owner to) {
        Use use = uses.get(from);
        if (use != null) {
            release(from);
            put(to, use);
        }
    }

    /** What {@code owner} holds counts from {@code at} when that is later than it was held: so the store has it, and the clock may have jumped between. */
    void countsSince(Owner owner, long at) {
        Use use = uses.get(owner);
        if (use != null && use.at() < at) {
            put(owner, new Use(use.amount(), at));
        }
    }

    void countsNow(Owner owner) {
        countsSince(owner, countsFrom());
    }

    void release(Owner owner) {
        Use use = uses.remove(owner);
        if (use != null) {
            total(sum.subtract(use.amount()));
        }
    }

    /** It is in a block: from now on it is part of its minute's sum, and costs nothing of its own. */
    void settle(Owner owner) {
        Use use = uses.get(owner);
        if (use != null) {
            release(owner);
            settle(new Use(use.amount(), minuteOf(use.at()).last()));
        }
    }

    private static AllowanceStore.Minute minuteOf(long at) {
        long start = Math.floorDiv(at, AllowanceStore.MINUTE_MILLIS) * AllowanceStore.MINUTE_MILLIS;
        return new AllowanceStore.Minute(start, BigInteger.ZERO);
    }

    /** It is in no block any more, so it may be given back: as far as its minute's sum still has it. */
    void unsettle(Owner owner, Amount amount, long at) {
        long minute = minuteOf(at).last();
        BigInteger counted = settled.getOrDefault(minute, BigInteger.ZERO);
        boolean inWindow = minute >= windowStart;
        if (inWindow && !uses.containsKey(owner) && counted.compareTo(amount.toBigInteger()) >= 0) {
            settled.put(minute, counted.subtract(amount.toBigInteger()));
            total(sum.subtract(amount.toBigInteger()));
            put(owner, new Use(amount.toBigInteger(), at));
        }
    }

    private void settle(Use use) {
        settled.merge(use.at(), use.amount(), BigInteger::add);
        newest = Math.max(newest, use.at());
        if (use.at() >= windowStart) {
            total(sum.add(use.amount()));
        }
    }

    AllowanceStatus status() {
        dropOld();
        Amount spent = saturated(sum);
        return new AllowanceStatus(
                limits.perTransaction(),
                limits.perPeriod(),
                limits.period().toSeconds(),
                spent,
                limits.perPeriod().map(limit -> remaining(limit, spent)));
    }

    /** What takes nothing is never refused, however much was spent under an earlier, higher limit: a claim cannot wait for a window. */
    private Optional<SpendRefusal.AllowanceExceeded> judge(Amount amount, BigInteger counted) {
        dropOld();
        if (amount.isZero()) {
            return Optional.empty();
        }
        BigInteger others = sum.subtract(counted);
        if (limits.perTransaction().isPresent() && limits.perTransaction().get().isLessThan(amount)) {
            return Optional.of(exceeded("per_tx", limits.perTransaction().get(), Amount.ZERO, amount));
        }
        if (limits.perPeriod().isPresent()) {
            Amount limit = limits.perPeriod().get();
            if (others.add(amount.toBigInteger()).compareTo(limit.toBigInteger()) > 0) {
                return Optional.of(exceeded("per_period", limit, saturated(others), amount));
            }
        }
        return Optional.empty();
    }

    private SpendRefusal.AllowanceExceeded exceeded(String scope, Amount limit, Amount spent, Amount requested) {
        return new SpendRefusal.AllowanceExceeded(
                scope,
                limit,
                spent,
                requested,
                remaining(limit, spent),
                limits.period().toSeconds());
    }

    private static Amount remaining(Amount limit, Amount spent) {
        return limit.isLessThan(spent) ? Amount.ZERO : limit.minus(spent);
    }

    static Amount saturated(BigInteger sum) {
        return sum.compareTo(Amount.MAX.toBigInteger()) > 0 ? Amount.MAX : Amount.of(sum);
    }

    /** What was spent while the clock was ahead counts from the moment when that is noticed, and not until the clock is there again. */
    private void noticeSetBack(long now) {
        begun = Math.min(begun, now);
        long last = lastPossible(now);
        if (newest > last + SET_BACK_MILLIS) {
            uses.replaceAll((owner, use) -> use.notAfter(last));
            SortedMap<Long, BigInteger> ahead = settled.tailMap(last, false);
            BigInteger moved = sumOf(ahead);
            ahead.clear();
            settled.merge(last, moved, BigInteger::add);
            newest = last;
        }
    }

    /** Time has passed: old uses leave the window. Or the clock was set back: then some are in it again. */
    void dropOld() {
        long now = clock.millis();
        noticeSetBack(now);
        long start = startOfWindow(now);
        if (start < windowStart) {
            total(sum.add(sumOf(settled.subMap(start, windowStart))));
        } else if (start > windowStart) {
            total(sum.subtract(sumOf(settled.subMap(windowStart, start))));
        }
        windowStart = start;
        leaveWindow(now);
        while (settled.size() > minutesKept(limits.period())
                && settled.firstKey() < rememberedSince(limits.period(), now)) {
            settled.pollFirstEntry();
        }
    }

    private static BigInteger sumOf(SortedMap<Long, BigInteger> some) {
        return some.values().stream().reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** What lies before the window can no longer be given back. But what is being spent counts, however far the clock has jumped meanwhile. */
    private void leaveWindow(long now) {
        while (!uses.isEmpty()) {
            Map.Entry<Owner, Use> oldest = uses.entrySet().iterator().next();
            Use use = oldest.getValue();
            if (use.at() >= windowStart) {
                return;
            }
            if (oldest.getKey() instanceof Owner.Running running) {
                put(running, new Use(use.amount(), now));
            } else {
                release(oldest.getKey());
                settle(use);
            }
        }
    }

    private void total(BigInteger newSum) {
        sum = newSum;
        metrics.allowanceUsed(saturated(newSum));
    }

    private void put(Owner owner, Use use) {
        release(owner);
        uses.put(owner, use);
        newest = Math.max(newest, use.at());
        total(sum.add(use.amount()));
    }
}
