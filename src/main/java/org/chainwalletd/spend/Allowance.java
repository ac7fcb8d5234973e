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
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AllowanceStore;

/**
 * Owns what was spent of the operator's allowance: a cap per transaction and one per sliding period. A spend holds its amount before it is
 * signed; the hold becomes durable together with the intent and is given back when the spend fails. Talks to the running spenders. After a
 * restart it reads the durable uses.
 */
public final class Allowance extends AbstractBehavior<Allowance.Command> {
    private static final Duration SLIDE_EVERY = Duration.ofSeconds(10);

    sealed interface Command {}

    /** Would this amount be granted now? Holds nothing. */
    record Check(Amount amount, ActorRef<Reply> replyTo) implements Command {}

    /** As {@link Check}, for a caller outside of the actors. */
    record Ask(Amount amount, CompletableFuture<Reply> answer) implements Command {}

    /**
     * Takes the amount out of the allowance until it is dropped, settled or given back.
     *
     * @param earlier the transaction when it was made before: what it counts already is not counted twice; null for a new one
     */
    record Hold(SpendId spend, Hash256 earlier, Amount amount, ActorRef<Reply> replyTo) implements Command {}

    record Settled(SpendId spend, Hash256 txId) implements Command {}

    /** The spend ended without an intent. */
    record Drop(SpendId spend) implements Command {}

    /** The spend of {@code txId} failed, in the store already. */
    record GiveBack(Hash256 txId) implements Command {}

    record Status(CompletableFuture<AllowanceStatus> answer) implements Command {}

    /** Time has passed: old uses leave the window. */
    private record Slide() implements Command {}

    /** Answer to {@link Check} and {@link Hold}. */
    sealed interface Reply {}

    record Granted() implements Reply {}

    record Exceeded(SpendRefusal.AllowanceExceeded refusal) implements Reply {}

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
    /** By {@link SpendId} while held, by {@link Hash256} afterwards, those of before the start by minute as well; oldest first. */
    private final Map<Object, Use> uses = new LinkedHashMap<>();

    private BigInteger sum = BigInteger.ZERO;
    private long latest;

    private Allowance(
            ActorContext<Command> context,
            AllowanceStore.Spent durable,
            Limits limits,
            Clock clock,
            SpendMetrics metrics) {
        super(context);
        this.limits = limits;
        this.clock = clock;
        this.metrics = metrics;
        this.latest = clock.millis();
        takeUp(durable);
    }

    /**
     * @param durable uses of the current window that the store knows
     */
    static Behavior<Command> create(AllowanceStore.Spent durable, Limits limits, Clock clock, SpendMetrics metrics) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Slide(), SLIDE_EVERY);
            return Behaviors.setup(context -> new Allowance(context, durable, limits, clock, metrics));
        });
    }

    /** Oldest first, whichever kind it is. */
    private void takeUp(AllowanceStore.Spent durable) {
        Map<Object, Use> all = new HashMap<>();
        durable.minutes().forEach(minute -> all.put(minute, new Use(minute.amount(), minute.last())));
        durable.open().forEach(use -> all.put(use.txId(), new Use(use.amount().toBigInteger(), use.at())));
        all.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getValue().at()))
                .forEach(entry -> put(entry.getKey(), entry.getValue().notAfter(latest)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Check.class, this::check)
                .onMessage(Ask.class, this::ask)
                .onMessage(Hold.class, this::hold)
                .onMessage(Settled.class, this::settled)
                .onMessage(Drop.class, command -> remove(command.spend()))
                .onMessage(GiveBack.class, command -> remove(command.txId()))
                .onMessage(Status.class, this::status)
                .onMessage(Slide.class, command -> slide())
                .build();
    }

    private Behavior<Command> check(Check command) {
        command.replyTo().tell(judge(command.amount(), null));
        return this;
    }

    private Behavior<Command> ask(Ask command) {
        command.answer().complete(judge(command.amount(), null));
        return this;
    }

    private Behavior<Command> hold(Hold command) {
        Reply reply = judge(command.amount(), command.earlier());
        if (reply instanceof Granted) {
            put(command.spend(), new Use(command.amount().toBigInteger(), clock.millis()));
        }
        command.replyTo().tell(reply);
        return this;
    }

    private Behavior<Command> settled(Settled command) {
        Use use = uses.get(command.spend());
        if (use != null) {
            remove(command.spend());
            put(command.txId(), use);
        }
        return this;
    }

    private Behavior<Command> status(Status command) {
        dropOld();
        Amount spent = saturated(sum);
        command.answer()
                .complete(new AllowanceStatus(
                        limits.perTransaction(),
                        limits.perPeriod(),
                        limits.period().toSeconds(),
                        spent,
                        limits.perPeriod().map(limit -> remaining(limit, spent))));
        return this;
    }

    private Behavior<Command> slide() {
        dropOld();
        return this;
    }

    /** What takes nothing is never refused, however much was spent under an earlier, higher limit: a claim cannot wait for a window. */
    private Reply judge(Amount amount, Hash256 earlier) {
        dropOld();
        if (amount.isZero()) {
            return new Granted();
        }
        Use counted = uses.get(earlier);
        BigInteger others = counted == null ? sum : sum.subtract(counted.amount());
        if (limits.perTransaction().isPresent() && limits.perTransaction().get().isLessThan(amount)) {
            Amount limit = limits.perTransaction().get();
            return exceeded("per_tx", limit, Amount.ZERO, amount);
        }
        if (limits.perPeriod().isPresent()) {
            Amount limit = limits.perPeriod().get();
            if (others.add(amount.toBigInteger()).compareTo(limit.toBigInteger()) > 0) {
                return exceeded("per_period", limit, saturated(others), amount);
            }
        }
        return new Granted();
    }

    private Reply exceeded(String scope, Amount limit, Amount spent, Amount requested) {
        return new Exceeded(new SpendRefusal.AllowanceExceeded(
                scope,
                limit,
                spent,
                requested,
                remaining(limit, spent),
                limits.period().toSeconds()));
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

    private void dropOld() {
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

    private void put(Object owner, Use use) {
        remove(owner);
        uses.put(owner, use);
        total(sum.add(use.amount()));
    }

    private Behavior<Command> remove(Object owner) {
        Use use = uses.remove(owner);
        if (use != null) {
            total(sum.subtract(use.amount()));
        }
        return this;
    }
}
