package org.chainwalletd.wait;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.CreditFeed;

/**
 * Owns the waits for the next event of the feed of credits and for the next payment after a cursor. Those who ask the same stand in one group,
 * and each group reads the feed once when it begins and once when the followed chain or a mempool has changed it, a few groups at a time;
 * readers who have heard everything come to stand at the same place, so that they are one group for each address and depth. On restart all
 * waits end as with a time-out: their cursors lose nothing.
 */
final class CreditWaits extends AbstractBehavior<CreditWaits.Command> {
    private static final int READS = 4;

    sealed interface Command {}

    record Enter(FeedWait<?> waiter) implements Command {}

    /** The caller has gone: nobody reads the answer. */
    record Leave(FeedWait<?> waiter) implements Command {}

    /** The feed has something new that is of no block. */
    record Changed() implements Command {}

    /** Ends all waits, and those that come later at once, as with a time-out. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Answered(Answer<?> answer) implements Command {}

    private record Answer<A>(FeedGroup<A> group, Outcome<A> said) {}

    private enum Timer implements Command {
        TICK
    }

    private final TimerScheduler<Command> timers;
    private final CreditFeed feed;
    private final AddressWatch watch;
    private final ActorRef<MempoolWatch.Command> mempools;
    private final LongSupplier clock;
    private final TimerWheel<FeedWait<?>> deadlines;
    private final Map<FeedQuestion<?>, FeedGroup<?>> groups = new HashMap<>();
    private final Set<FeedGroup<?>> toRead = new LinkedHashSet<>();
    private final Set<FeedGroup<?>> reading = new LinkedHashSet<>();
    private final AtomicBoolean ending;

    /**
     * @param watch is told the addresses of those who wait
     * @param mempools looks at them
     * @param ending set by {@link EndAll} for good, whatever restarts after it
     */
    static Behavior<Command> create(
            WaitSetup setup,
            CreditFeed feed,
            AddressWatch watch,
            ActorRef<MempoolWatch.Command> mempools,
            AtomicBoolean ending) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new CreditWaits(context, timers, setup, feed, watch, mempools, ending))))
                .onFailure(SupervisorStrategy.restart());
    }

    private CreditWaits(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            CreditFeed feed,
            AddressWatch watch,
            ActorRef<MempoolWatch.Command> mempools,
            AtomicBoolean ending) {
        super(context);
        this.ending = ending;
        this.timers = timers;
        this.feed = feed;
        this.watch = watch;
        this.mempools = mempools;
        this.clock = setup.clock();
        this.deadlines = new TimerWheel<>(clock);
        setup.follow().accept(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Enter.class, enter -> enter(enter.waiter()))
                .onMessage(Leave.class, this::onLeave)
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(Changed.class, changed -> readAll())
                .onMessage(Answered.class, said -> onSaid(said.answer()))
                .onMessage(EndAll.class, this::onEndAll)
                .onMessageEquals(Timer.TICK, this::onTick)
                .onSignal(PreRestart.class, signal -> endAll())
                .onSignal(PostStop.class, signal -> endAll())
                .build();
    }

    private <A> Behavior<Command> enter(FeedWait<A> wait) {
        wait.metrics.began();
        FeedGroup<A> group = groupOf(wait.question);
        if (group.waits.isEmpty()) {
            lookAt(group);
        }
        group.add(wait);
        if (ending.get()) {
            giveUp(wait);
            return this;
        }
        deadlines.add(wait, wait.due);
        tickWhileNeeded();
        watch(wait);
        if (!group.settled) {
            read(group);
        }
        return this;
    }

    private void watch(FeedWait<?> wait) {
        wait.question.address().ifPresent(address -> {
            wait.watches = true;
            watch.want(wait.question.reason(), address);
        });
    }

    /** The cast is safe because one key holds only equal questions, which are of one type. */
    @SuppressWarnings("unchecked")
    private <A> FeedGroup<A> groupOf(FeedQuestion<A> question) {
        return (FeedGroup<A>) groups.computeIfAbsent(question, FeedGroup::new);
    }

    /** Looks once by itself: what came before a node watches the address is not pushed. */
    private void lookAt(FeedGroup<?> group) {
        group.question.address().ifPresent(address -> mempools.tell(new MempoolWatch.Changed(List.of(address))));
    }

    private Behavior<Command> onLeave(Leave leave) {
        FeedWait<?> wait = leave.waiter();
        if (remove(wait)) {
            wait.metrics.gone(clock.getAsLong() - wait.began);
        }
        return this;
    }

    private <A> boolean remove(FeedWait<A> wait) {
        FeedGroup<A> group = wait.group;
        if (group == null) {
            return false;
        }
        wait.group = null;
        group.waits.remove(wait);
        deadlines.remove(wait);
        if (wait.watches) {
            wait.watches = false;
            watch.unwant(wait.question.reason(), wait.question.address().orElseThrow());
        }
        if (group.waits.isEmpty()) {
            groups.remove(group.question, group);
            toRead.remove(group);
        }
        return true;
    }

    private Behavior<Command> onFollowed(Followed followed) {
        groups.values().stream()
                .filter(group -> group.question instanceof FeedQuestion.NextPayment)
                .forEach(this::lookAt);
        return readAll();
    }

    private Behavior<Command> readAll() {
        groups.values().forEach(group -> {
            group.settled = false;
            toRead.add(group);
        });
        readNext();
        return this;
    }

    private void read(FeedGroup<?> group) {
        toRead.add(group);
        readNext();
    }

    private void readNext() {
        List<FeedGroup<?>> next = new ArrayList<>();
        for (FeedGroup<?> group : toRead) {
            if (reading.size() + next.size() == READS) {
                break;
            }
            if (!reading.contains(group)) {
                next.add(group);
            }
        }
        next.forEach(this::ask);
    }

    private <A> void ask(FeedGroup<A> group) {
        toRead.remove(group);
        reading.add(group);
        group.settled = true;
        Outcome.pipe(getContext(), group.question.ask(feed), said -> new Answered(new Answer<>(group, said)));
    }

    private <A> Behavior<Command> onSaid(Answer<A> answer) {
        FeedGroup<A> group = answer.group();
        reading.remove(group);
        answer.said().match(said -> heard(group, said), failure -> failed(group, failure));
        readNext();
        return this;
    }

    private <A> void failed(FeedGroup<A> group, Throwable failure) {
        for (FeedWait<A> wait : List.copyOf(group.waits)) {
            remove(wait);
            wait.metrics.timedOut(clock.getAsLong() - wait.began);
            wait.reply.completeExceptionally(failure);
        }
    }

    private <A> void heard(FeedGroup<A> group, A said) {
        group.last = said;
        if (group.question.isAnswered(said)) {
            for (FeedWait<A> wait : List.copyOf(group.waits)) {
                remove(wait);
                wait.metrics.answered(clock.getAsLong() - wait.began);
                wait.reply.complete(said);
            }
            return;
        }
        if (!group.waits.isEmpty()) {
            moveOn(group, group.question.after(said));
        }
    }

    /** Joins waits that have come to the same place into one group. */
    private <A> void moveOn(FeedGroup<A> group, FeedQuestion<A> next) {
        if (next.equals(group.question)) {
            return;
        }
        groups.remove(group.question, group);
        group.question = next;
        FeedGroup<A> there = groupOf(next);
        if (there.waits.isEmpty()) {
            groups.put(next, group);
            return;
        }
        group.waits.forEach(there::add);
        group.waits.clear();
        if (toRead.remove(group) || !there.settled) {
            there.settled = false;
            read(there);
        }
    }

    private Behavior<Command> onTick() {
        deadlines.advance().forEach(this::giveUp);
        tickWhileNeeded();
        return this;
    }

    private <A> void giveUp(FeedWait<A> wait) {
        FeedGroup<A> group = wait.group;
        if (remove(wait)) {
            wait.metrics.timedOut(clock.getAsLong() - wait.began);
            wait.reply.complete(group.last);
        }
    }

    private void tickWhileNeeded() {
        if (deadlines.size() == 0) {
            timers.cancel(Timer.TICK);
        } else if (!timers.isTimerActive(Timer.TICK)) {
            timers.startTimerWithFixedDelay(Timer.TICK, Timer.TICK, Duration.ofMillis(TimerWheel.SLOT_MILLIS));
        }
    }

    private Behavior<Command> onEndAll(EndAll end) {
        ending.set(true);
        endAll();
        end.ended().complete(null);
        return this;
    }

    private Behavior<Command> endAll() {
        List<FeedWait<?>> all = new ArrayList<>();
        groups.values().forEach(group -> all.addAll(group.waits));
        all.forEach(this::giveUp);
        return this;
    }

    /** Group of waits with the same question to the feed of credits: it is read once for all of them. Touched by {@link CreditWaits} alone. */
    static final class FeedGroup<A> {
        final Set<FeedWait<A>> waits = new LinkedHashSet<>();
        FeedQuestion<A> question;
        /** Last answer of the feed. */
        A last;
        /** Whether the feed has said it of what the books hold now. */
        boolean settled;

        FeedGroup(FeedQuestion<A> question) {
            this.question = question;
            this.last = question.nothing();
        }

        void add(FeedWait<A> wait) {
            waits.add(wait);
            wait.group = this;
        }
    }

    /** Wait for the feed of credits to have an answer. Touched by {@link CreditWaits} alone. */
    static final class FeedWait<A> extends Wait<A> {
        final FeedQuestion<A> question;
        final WaitMetrics metrics;
        /** Group with the same question; null before and after. */
        CreditWaits.FeedGroup<A> group;
        /** Whether its address is watched because of it. */
        boolean watches;

        FeedWait(FeedQuestion<A> question, WaitMetrics metrics, long began, long due) {
            super(began, due);
            this.question = question;
            this.metrics = metrics;
        }
    }
}
