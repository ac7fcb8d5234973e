package org.chainwalletd.spend;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;

/**
 * What was spent of the operator's allowance: a cap per transaction and one per sliding period. A spend holds its amount together with its
 * coins; the hold becomes durable with the intent and is given back when the spend fails. Belongs to {@link Reservations}.
 */
public final class Allowance {
    /** The operator's limits; empty means none. */
    public record Limits(Optional<Amount> perTransaction, Optional<Amount> perPeriod, Duration period) {
        boolean none() {
            return perTransaction.isEmpty() && perPeriod.isEmpty();
        }
    }

    private record Use(BigInteger amount, long at) {
        Use notAfter(long now) {
            return at > now ? new Use(amount, now) : this;
        }
    }

    /** Clocks are corrected by less than this all the time. */
    private static final long SET_BACK_MILLIS = 60_000;

    private final Limits limits;
    private final Clock clock;
    private final SpendMetrics metrics;
    /** Oldest first. */
    private final Map<Owner, Use> uses = new LinkedHashMap<>();

    private BigInteger sum = BigInteger.ZERO;
    private long latest;

    /**
     * @param durable uses of the current window that the store knows
     */
    Allowance(AllowanceStore.Spent durable, Limits limits, Clock clock, SpendMetrics metrics) {
        this.limits = limits;
        this.clock = clock;
        this.metrics = metrics;
        this.latest = clock.millis();
        takeUp(durable);
    }

    /** Oldest first, whichever kind it is. */
    private void takeUp(AllowanceStore.Spent durable) {
        Map<Owner, Use> all = new HashMap<>();
        durable.minutes()
                .forEach(minute ->
                        all.put(new Owner.PastMinute(minute.start()), new Use(minute.amount(), minute.last())));
        durable.open()
                .forEach(use -> all.put(
                        new Owner.Payment(use.txId()), new Use(use.amount().toBigInteger(), use.at())));
        all.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getValue().at()))
                .forEach(entry -> put(entry.getKey(), entry.getValue().notAfter(latest)));
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

    /** Takes the amount out of the allowance until it is moved or released. */
    void hold(Owner owner, Amount amount) {
        put(owner, new Use(amount.toBigInteger(), clock.millis()));
    }

    /** What {@code from} holds, if anything, is another one's from now on. */
    void move(Owner from, Owner to) {
        Use use = uses.get(from);
        if (use != null) {
            release(from);
            put(to, use);
        }
    }

    void release(Owner owner) {
        Use use = uses.remove(owner);
        if (use != null) {
            total(sum.subtract(use.amount()));
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

    private static Amount saturated(BigInteger sum) {
        return sum.compareTo(Amount.MAX.toBigInteger()) > 0 ? Amount.MAX : Amount.of(sum);
    }

    /** What was spent while the clock was ahead counts from the moment when that is noticed, and not until the clock is there again. */
    private void noticeSetBack(long now) {
        if (now < latest - SET_BACK_MILLIS) {
            uses.replaceAll((owner, use) -> use.notAfter(now));
            latest = now;
        }
        latest = Math.max(latest, now);
    }

    /** Time has passed: old uses leave the window. */
    void dropOld() {
        long now = clock.millis();
        noticeSetBack(now);
        long start = now - limits.period().toMillis();
        Iterator<Use> oldest = uses.values().iterator();
        while (oldest.hasNext()) {
            Use use = oldest.next();
            if (use.at() >= start) {
                return;
            }
            total(sum.subtract(use.amount()));
            oldest.remove();
        }
    }

    private void total(BigInteger newSum) {
        sum = newSum;
        metrics.allowanceUsed(saturated(newSum));
    }

    private void put(Owner owner, Use use) {
        release(owner);
        uses.put(owner, use);
        total(sum.add(use.amount()));
    }
}
