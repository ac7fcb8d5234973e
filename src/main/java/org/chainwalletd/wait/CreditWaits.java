package org.chainwalletd.wait;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
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
import org.chainwalletd.store.books.CreditFeed;

/**
 * Owns the waits for the next event of the feed of credits. Each reads the feed when it begins and again when the followed chain has
 * changed, a few at a time; what a read has passed is not passed again. On restart all waits end as with a time-out: their cursors lose
 * nothing.
 */
final class CreditWaits extends AbstractBehavior<CreditWaits.Command> {
    private static final int READS = 4;

    sealed interface Command {}

    record Enter(CreditWait waiter) implements Command {}

    /** The caller has gone: nobody reads the answer. */
    record Leave(CreditWait waiter) implements Command {}

    /** Ends all waits, and those that come later at once, as with a time-out. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Read(CreditWait waiter, CreditFeed.Batch batch, Throwable failure) implements Command {}

    private enum Timer implements Command {
        TICK
    }

    private final TimerScheduler<Command> timers;
    private final CreditFeed feed;
    private final LongSupplier clock;
    private final WaitMetrics metrics;
    private final TimerWheel<CreditWait> deadlines;
    private final Set<CreditWait> waits = new LinkedHashSet<>();
    private final Set<CreditWait> toRead = new LinkedHashSet<>();
    private int reading;
    private boolean ending;

    static Behavior<Command> create(WaitSetup setup, CreditFeed feed, WaitMetrics metrics) {
        return Behaviors.supervise(Behaviors.<Command>setup(context ->
                        Behaviors.withTimers(timers -> new CreditWaits(context, timers, setup, feed, metrics))))
                .onFailure(SupervisorStrategy.restart());
    }

    private CreditWaits(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            CreditFeed feed,
            WaitMetrics metrics) {
        super(context);
        this.timers = timers;
        this.feed = feed;
        this.clock = setup.clock();
        this.metrics = metrics;
        this.deadlines = new TimerWheel<>(clock.getAsLong());
        setup.follow().accept(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Enter.class, this::onEnter)
                .onMessage(Leave.class, this::onLeave)
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(Read.class, this::onRead)
                .onMessage(EndAll.class, this::onEndAll)
                .onMessageEquals(Timer.TICK, this::onTick)
                .onSignal(PreRestart.class, signal -> endAll())
                .onSignal(PostStop.class, signal -> endAll())
                .build();
    }

    private Behavior<Command> onEnter(Enter enter) {
        CreditWait wait = enter.waiter();
        metrics.began();
        waits.add(wait);
        if (!wait.asksOnly() && !ending) {
            deadlines.add(wait, wait.due);
            tickWhileNeeded();
        }
        read(wait);
        return this;
    }

    private Behavior<Command> onLeave(Leave leave) {
        CreditWait wait = leave.waiter();
        if (remove(wait)) {
            metrics.gone(clock.getAsLong() - wait.began);
        }
        return this;
    }

    private boolean remove(CreditWait wait) {
        deadlines.remove(wait);
        toRead.remove(wait);
        return waits.remove(wait);
    }

    private Behavior<Command> onFollowed(Followed followed) {
        waits.forEach(this::read);
        return this;
    }

    private void read(CreditWait wait) {
        toRead.add(wait);
        readNext();
    }

    private void readNext() {
        while (reading < READS && !toRead.isEmpty()) {
            CreditWait wait = toRead.iterator().next();
            toRead.remove(wait);
            reading++;
            getContext()
                    .pipeToSelf(
                            feed.read(wait.cursor, wait.change, wait.limit),
                            (batch, failure) -> new Read(wait, batch, failure));
        }
    }

    private Behavior<Command> onRead(Read read) {
        reading--;
        CreditWait wait = read.waiter();
        if (waits.contains(wait)) {
            if (read.failure() != null) {
                remove(wait);
                metrics.timedOut(clock.getAsLong() - wait.began);
                wait.reply.completeExceptionally(read.failure());
            } else {
                heard(wait, read.batch());
            }
        }
        readNext();
        return this;
    }

    private void heard(CreditWait wait, CreditFeed.Batch batch) {
        wait.cursor = batch.cursor();
        wait.last = batch;
        if (!batch.events().isEmpty()) {
            remove(wait);
            metrics.answered(clock.getAsLong() - wait.began);
            wait.reply.complete(batch);
        } else if (wait.asksOnly() || ending) {
            giveUp(wait);
        }
    }

    private Behavior<Command> onTick() {
        deadlines.advance(clock.getAsLong()).forEach(this::giveUp);
        tickWhileNeeded();
        return this;
    }

    private void giveUp(CreditWait wait) {
        if (remove(wait)) {
            metrics.timedOut(clock.getAsLong() - wait.began);
            wait.reply.complete(wait.last);
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
        ending = true;
        endAll();
        end.ended().complete(null);
        return this;
    }

    private Behavior<Command> endAll() {
        List.copyOf(waits).forEach(this::giveUp);
        return this;
    }
}
