package org.chainwalletd.wait;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Outcome;

/**
 * Looks up mempools for nudged addresses without an open wait for a payment: parties of HTLCs, addresses of feeds, new addresses. Owner of the
 * queue of these look-ups, and of the ids fetched since the last tip. Reports to a {@link MempoolListener}. No caller waits for a result, so a
 * failed look-up is repeated only with the next nudge, and only a share of the scans is used. On restart the queue is lost: blocks bring the same
 * transactions.
 */
final class MempoolWatch extends AbstractBehavior<MempoolWatch.Command> {
    /** Delay during which nudges are collected for a shared look-up. */
    private static final long GATHERING_MILLIS = 200;
    /** Delay of look-ups after a new tip, whose block usually explains the nudges. */
    private static final long BLOCK_MILLIS = 2_000;

    private static final int MOST_QUEUED = 10_000;
    private static final int MOST_KNOWN = 10_000;

    sealed interface Command {}

    /** These addresses have changed. */
    record Changed(Collection<Address> addresses) implements Command {}

    /** A node has a new tip. Its block explains recent nudges, and transactions fetched so far may leave the mempool and return. */
    record Tip() implements Command {}

    private record Looked(List<Address> addresses, Outcome<MempoolLook.Found> look) implements Command {}

    private record Fetched(Outcome<MempoolLook.Found> bodies) implements Command {}

    private enum Timer implements Command {
        LOOK,
        FETCH
    }

    private final TimerScheduler<Command> timers;
    private final MempoolLook mempools;
    private final ScanBudget budget;
    private final MempoolListener listener;
    private final LongSupplier clock;
    private final LookQueue queue = new LookQueue();
    private final Set<Hash256> known = new HashSet<>();
    private long tipAt;
    private boolean looking;

    static Behavior<Command> create(WaitSetup setup, ScanBudget budget, MempoolListener listener) {
        return Behaviors.supervise(Behaviors.<Command>setup(context ->
                        Behaviors.withTimers(timers -> new MempoolWatch(context, timers, setup, budget, listener))))
                .onFailure(SupervisorStrategy.restart());
    }

    private MempoolWatch(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            ScanBudget budget,
            MempoolListener listener) {
        super(context);
        this.timers = timers;
        this.mempools = new MempoolLook(setup.profile(), setup.nodes(), setup.executor(), setup.clock());
        this.budget = budget;
        this.listener = listener;
        this.clock = setup.clock();
        this.tipAt = clock.getAsLong() - BLOCK_MILLIS;
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Changed.class, this::onChanged)
                .onMessage(Tip.class, this::onTip)
                .onMessage(Looked.class, this::onLooked)
                .onMessage(Fetched.class, this::onFetched)
                .onMessageEquals(Timer.LOOK, this::lookWhenDue)
                .onMessageEquals(Timer.FETCH, this::onFetch)
                .build();
    }

    private Behavior<Command> onChanged(Changed changed) {
        nudged(changed.addresses(), Math.max(clock.getAsLong() + GATHERING_MILLIS, tipAt + BLOCK_MILLIS));
        return lookWhenDue();
    }

    private void nudged(Collection<Address> addresses, long readyAt) {
        for (Address address : addresses) {
            if (queue.size() < MOST_QUEUED) {
                queue.nudged(address, readyAt);
            }
        }
    }

    private Behavior<Command> onTip(Tip tip) {
        tipAt = clock.getAsLong();
        known.clear();
        return this;
    }

    private Behavior<Command> lookWhenDue() {
        if (looking || queue.readyAt() == Long.MAX_VALUE) {
            return this;
        }
        long now = clock.getAsLong();
        long pause = Math.max(queue.readyAt() - now, budget.lowPriorityDelay(now));
        if (pause > 0) {
            timers.startSingleTimer(Timer.LOOK, Timer.LOOK, Duration.ofMillis(pause));
            return this;
        }
        List<Address> batch = queue.take(now);
        budget.spent(now);
        looking = true;
        Set<Hash256> fetched = Set.copyOf(known);
        Outcome.pipe(getContext(), mempools.allAt(batch, fetched::contains), found -> new Looked(batch, found));
        return this;
    }

    private Behavior<Command> onLooked(Looked looked) {
        looking = false;
        looked.look().value().ifPresent(found -> {
            found(found);
            if (!mempools.keepMissing(found) && !found.unrequested().isEmpty()) {
                nudged(looked.addresses(), clock.getAsLong() + BLOCK_MILLIS);
            }
        });
        mempools.fetchLater(timers, Timer.FETCH);
        return lookWhenDue();
    }

    private Behavior<Command> onFetch() {
        Outcome.pipe(getContext(), mempools.fetchMissing(), Fetched::new);
        return this;
    }

    private Behavior<Command> onFetched(Fetched fetched) {
        mempools.fetched(fetched.bodies());
        fetched.bodies().value().ifPresent(this::found);
        mempools.fetchLater(timers, Timer.FETCH);
        return this;
    }

    private void found(MempoolLook.Found found) {
        found.transactions().forEach(listener::seen);
        if (known.size() < MOST_KNOWN) {
            known.addAll(found.transactions().keySet());
        }
    }
}
