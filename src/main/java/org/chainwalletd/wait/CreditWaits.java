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
 * Owner of the waits for the next event of the credit feed and for the next payment after a cursor. Waits with the same question form a group, and
 * each group reads the feed once when it starts and once after each change of the followed chain or a mempool, a few groups at a time. Readers that
 * are up to date have the same cursor, so that they form one group per address and depth. On restart all waits end as by time-out: nothing is lost,
 * since their callers keep their cursors.
 */
final class CreditWaits extends AbstractBehavior<CreditWaits.Command> {
    private static final int READS = 4;

    sealed interface Command {}

    record Enter(FeedWait<?> waiter) implements Command {}

    /** The caller has disconnected: the answer is not needed. */
    record Leave(FeedWait<?> waiter) implements Command {}

    /** The feed has new events that do not come from a block. */
    record Changed() implements Command {}

    /** Ends all open and later waits at once, as by time-out. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Answered(Answer<?> answer) implements Command {}

    private record Answer<A>(FeedGroup<A> group, Outcome<A> result) {}

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
     * @param watch registers the addresses of open waits
     * @param mempools looks up mempools
     * @param ending set permanently by {@link EndAll}, so that a restarted actor knows of it
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
                .onMessage(Answered.class, result -> onAnswered(result.answer()))
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
            requestLook(group);
        }
        group.add(wait);
        if (ending.get()) {
            endByTimeOut(wait);
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

    /** Returns the group of a question. The cast is safe: one key holds only equal questions, which have the same type. */
    @SuppressWarnings("unchecked")
    private <A> FeedGroup<A> groupOf(FeedQuestion<A> question) {
        return (FeedGroup<A>) groups.computeIfAbsent(question, FeedGroup::new);
    }

    /** Requests one mempool look-up of the group's address: nodes push only what arrives after they began to watch it. */
    private void requestLook(FeedGroup<?> group) {
        group.question.address().ifPresent(address -> mempools.tell(new MempoolWatch.Changed(List.of(address))));
    }

    private Behavior<Command> onLeave(Leave leave) {
        FeedWait<?> wait = leave.waiter();
        if (remove(wait)) {
            wait.metrics.left(clock.getAsLong() - wait.began);
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
                .forEach(this::requestLook);
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
        Outcome.pipe(getContext(), group.question.ask(feed), result -> new Answered(new Answer<>(group, result)));
    }

    private <A> Behavior<Command> onAnswered(Answer<A> answer) {
        FeedGroup<A> group = answer.group();
        reading.remove(group);
        answer.result().match(result -> answered(group, result), failure -> failed(group, failure));
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

    private <A> void answered(FeedGroup<A> group, A result) {
        group.last = result;
        if (group.question.isAnswered(result)) {
            for (FeedWait<A> wait : List.copyOf(group.waits)) {
                remove(wait);
                wait.metrics.answered(clock.getAsLong() - wait.began);
                wait.reply.complete(result);
            }
            return;
        }
        if (!group.waits.isEmpty()) {
            moveToQuestion(group, group.question.after(result));
        }
    }

    /** Moves a group to its next question, and merges it with a group that has the same one. */
    private <A> void moveToQuestion(FeedGroup<A> group, FeedQuestion<A> next) {
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
        deadlines.advance().forEach(this::endByTimeOut);
        tickWhileNeeded();
        return this;
    }

    private <A> void endByTimeOut(FeedWait<A> wait) {
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
        all.forEach(this::endByTimeOut);
        return this;
    }

    /** Waits with the same question to the credit feed, which is read once for all of them. Used only by {@link CreditWaits}. */
    static final class FeedGroup<A> {
        final Set<FeedWait<A>> waits = new LinkedHashSet<>();
        FeedQuestion<A> question;
        /** Latest answer of the feed. */
        A last;
        /** Whether the feed was asked since the books last changed. */
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

    /** Wait for an answer of the credit feed. Used only by {@link CreditWaits}. */
    static final class FeedWait<A> extends Wait<A> {
        final FeedQuestion<A> question;
        final WaitMetrics metrics;
        /** Group with the same question; null before and after. */
        CreditWaits.FeedGroup<A> group;
        /** Whether this wait has registered its address to be watched. */
        boolean watches;

        FeedWait(FeedQuestion<A> question, WaitMetrics metrics, long began, long due) {
            super(began, due);
            this.question = question;
            this.metrics = metrics;
        }
    }
}
