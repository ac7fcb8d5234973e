package org.chainwalletd.wait;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
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
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.CreditFeed;

/**
 * Owner of the waits for payments ({@link OpenPaymentWaits}), grouped by address, and of the payments seen while there were waits (interface.md,
 * section 4.6; following.md, section 6). Receives blocks from the follower and changes from the push streams, and looks up mempools for many
 * addresses with one scan, up to ten scans per minute and node. On restart all waits end with their time-out answer.
 */
final class PaymentWaits extends AbstractBehavior<PaymentWaits.Command> {
    /** Time without a look-up after which everything first seen counts as new: a repeated notice is better than a missed one. */
    private static final long BASELINE_MILLIS = 5_000;
    /** Interval of the check whether the followed chain lags behind the nodes. */
    private static final Duration LAG = Duration.ofSeconds(1);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(10);
    /** Pause after the books could not be read. */
    private static final Duration REPEAT = Duration.ofSeconds(1);
    /** Number of addresses whose payments are read from the books in one query. */
    private static final int PART = 200;

    sealed interface Command {}

    record Enter(PaymentWait waiter) implements Command {}

    /** The caller has disconnected: the answer is not needed. */
    record Leave(PaymentWait waiter) implements Command {}

    record Pushed(PushNews news) implements Command {}

    /** Ends all open and later waits at once with their time-out answer. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Looked(List<Address> addresses, OpenPaymentWaits.BeforeLook before, Outcome<MempoolLook.Found> look)
            implements Command {}

    private record Fetched(Outcome<MempoolLook.Found> bodies) implements Command {}

    private record Balances(List<Address> addresses, List<Address> asked, Outcome<List<Optional<List<Amount>>>> byNode)
            implements Command {}

    private record Read(OpenPaymentWaits.SkippedBlocks skipped, Outcome<List<CreditFeed.Confirmed>> paid)
            implements Command {}

    private record BaselineOver(PaymentWait waiter) implements Command {}

    private enum Timer implements Command {
        TICK,
        LOOK,
        FETCH,
        LAG,
        READ,
        HOUSEKEEPING
    }

    private final TimerScheduler<Command> timers;
    private final List<NodeClient> each;
    private final Predicate<Address> booked;
    private final Executor executor;
    private final Supplier<Optional<NodeClient.Tip>> nodesTip;
    private final MempoolLook mempools;
    private final ActorRef<MempoolWatch.Command> background;
    private final MempoolListener listener;
    private final CreditFeed feed;
    /** Skipped blocks still to be looked up in the books, oldest first. */
    private final Deque<OpenPaymentWaits.SkippedBlocks> skipped = new ArrayDeque<>();

    /**
     * Lowest skipped block not yet in {@code skipped}, or {@code Long.MAX_VALUE}. It waits for the round before, so that only one round is in
     * memory.
     */
    private long unread = Long.MAX_VALUE;

    private boolean reading;
    private final OpenPaymentWaits waits;
    private final LookPlan looks;
    private final AtomicBoolean ending;

    /**
     * @param watch registers addresses to be watched
     * @param feed source of payments in blocks that the tip jumped over
     * @param mempools shared with background look-ups
     * @param ending set permanently by {@link EndAll}, so that a restarted actor knows of it
     */
    static Behavior<Command> create(
            WaitSetup setup,
            AddressWatch watch,
            CreditFeed feed,
            Mempools mempools,
            WaitMetrics metrics,
            AtomicBoolean ending) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new PaymentWaits(context, timers, setup, watch, feed, mempools, metrics, ending))))
                .onFailure(SupervisorStrategy.restart());
    }

    /**
     * @param background receives changes of addresses without open waits
     * @param listener receives transactions found in mempools
     */
    record Mempools(ScanBudget budget, ActorRef<MempoolWatch.Command> background, MempoolListener listener) {}

    private PaymentWaits(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            AddressWatch watch,
            CreditFeed feed,
            Mempools shared,
            WaitMetrics metrics,
            AtomicBoolean ending) {
        super(context);
        this.ending = ending;
        this.timers = timers;
        this.each = setup.each();
        this.booked = setup.booked();
        this.executor = setup.executor();
        this.nodesTip = setup.nodesTip();
        this.mempools = new MempoolLook(setup.profile(), setup.nodes(), setup.executor(), setup.clock());
        this.background = shared.background();
        this.listener = shared.listener();
        this.feed = feed;
        this.looks = new LookPlan(shared.budget(), setup.clock());
        this.waits = new OpenPaymentWaits(setup, watch, looks::drop, metrics);
        timers.startTimerWithFixedDelay(Timer.HOUSEKEEPING, Timer.HOUSEKEEPING, HOUSEKEEPING);
        setup.follow().accept(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Enter.class, this::onEnter)
                .onMessage(Leave.class, this::onLeave)
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(Pushed.class, this::onPushed)
                .onMessage(EndAll.class, this::onEndAll)
                .onMessage(Looked.class, this::onLooked)
                .onMessage(Fetched.class, this::onFetched)
                .onMessage(Balances.class, this::onBalances)
                .onMessage(BaselineOver.class, this::onBaselineOver)
                .onMessage(Read.class, this::onRead)
                .onMessageEquals(Timer.READ, this::onReadAgain)
                .onMessageEquals(Timer.TICK, this::onTick)
                .onMessageEquals(Timer.LOOK, this::onLook)
                .onMessageEquals(Timer.FETCH, this::onFetch)
                .onMessageEquals(Timer.LAG, this::onLag)
                .onMessageEquals(Timer.HOUSEKEEPING, this::onHousekeeping)
                .onSignal(PreRestart.class, signal -> endAll())
                .onSignal(PostStop.class, signal -> endAll())
                .build();
    }

    private Behavior<Command> onEnter(Enter enter) {
        PaymentWait wait = enter.waiter();
        if (ending.get() || wait.isPoll()) {
            waits.endAtOnce(wait);
            return this;
        }
        boolean needsBaseline = waits.begin(wait);
        tickWhileNeeded();
        if (needsBaseline) {
            getContext()
                    .scheduleOnce(
                            Duration.ofMillis(BASELINE_MILLIS), getContext().getSelf(), new BaselineOver(wait));
            looks.urgent(wait.address);
            lookWhenDue();
        }
        return this;
    }

    private Behavior<Command> onLeave(Leave leave) {
        waits.leave(leave.waiter());
        return this;
    }

    private Behavior<Command> onFollowed(Followed followed) {
        if (followed.event() instanceof FollowEvent.Connected connected) {
            waits.connected(connected.block().transactions(), connected.block().place());
            waits.unwatched().forEach(looks::later);
        } else if (followed.event() instanceof FollowEvent.Disconnected disconnected) {
            waits.disconnected(disconnected.block());
        } else if (followed.event() instanceof FollowEvent.Positioned positioned) {
            jumped(positioned.tip());
        } else if (followed.event() instanceof FollowEvent.Advanced advanced) {
            jumped(advanced.to());
        }
        lookWhenDue();
        return this;
    }

    /** Handles a tip that jumped: payments in between are read from the books for own addresses, and looked up at the nodes for others. */
    private void jumped(FollowedTip tip) {
        waits.jumpTo(tip.height()).ifPresent(from -> unread = Math.min(unread, from));
        readNext();
        waits.awaited().forEach(looks::later);
    }

    private void readNext() {
        if (!reading && skipped.isEmpty() && unread < Long.MAX_VALUE) {
            skipped.addAll(waits.skipped(unread, PART));
            unread = Long.MAX_VALUE;
        }
        if (!reading && !skipped.isEmpty()) {
            reading = true;
            OpenPaymentWaits.SkippedBlocks next = skipped.remove();
            Outcome.pipe(
                    getContext(),
                    feed.confirmed(next.addresses(), next.from(), next.to()),
                    paid -> new Read(next, paid));
        }
    }

    private Behavior<Command> onRead(Read read) {
        read.paid().match(paid -> paid(read.skipped(), paid), failure -> readFailed(read.skipped(), failure));
        return this;
    }

    private void paid(OpenPaymentWaits.SkippedBlocks blocks, List<CreditFeed.Confirmed> paid) {
        waits.paid(blocks, paid);
        reading = false;
        readNext();
    }

    private void readFailed(OpenPaymentWaits.SkippedBlocks blocks, Throwable failure) {
        getContext().getLog().warn("cannot read the payments of open waits: {}", failure.getMessage());
        if (!waits.awaited(blocks.addresses()).isEmpty()) {
            skipped.addFirst(blocks);
        }
        timers.startSingleTimer(Timer.READ, Timer.READ, REPEAT);
    }

    private Behavior<Command> onReadAgain() {
        reading = false;
        readNext();
        return this;
    }

    /**
     * Looks up addresses on each new tip of a node while the followed chain lags. On nodes without mempool look-ups, balances show confirmed
     * payments then.
     */
    private Behavior<Command> onLag() {
        long height = nodesTip.get().map(NodeClient.Tip::height).orElse(0L);
        if (waits.nodesAreAt(height)) {
            (looks.withoutMempool() ? waits.awaited() : waits.unwatched()).forEach(looks::later);
            lookWhenDue();
        }
        return this;
    }

    private Behavior<Command> onPushed(Pushed pushed) {
        PushNews news = pushed.news();
        if (news instanceof PushNews.Changed changed) {
            waits.outdated(changed.addresses());
            waits.awaited(changed.addresses()).forEach(looks::later);
            background.tell(new MempoolWatch.Changed(changed.addresses().stream()
                    .filter(address -> !waits.isAwaited(address))
                    .toList()));
        } else if (news instanceof PushNews.Watching watching) {
            waits.watchedBy(watching.node(), watching.addresses());
        } else if (news instanceof PushNews.Lost lost) {
            waits.unwatchedBy(lost.node(), lost.addresses());
        } else if (news instanceof PushNews.Tip) {
            looks.tipReported();
            background.tell(new MempoolWatch.Tip());
        }
        lookWhenDue();
        return this;
    }

    private Behavior<Command> onLook() {
        lookWhenDue();
        return this;
    }

    private void lookWhenDue() {
        long pause = looks.pause();
        if (pause == LookPlan.NEVER) {
            return;
        }
        if (pause > 0) {
            timers.startSingleTimer(Timer.LOOK, Timer.LOOK, Duration.ofMillis(pause));
            return;
        }
        List<Address> batch = looks.take();
        OpenPaymentWaits.BeforeLook before = waits.beforeLook(batch);
        Outcome.pipe(getContext(), mempools.at(batch, before::knows), found -> new Looked(batch, before, found));
    }

    private Behavior<Command> onLooked(Looked looked) {
        looked.look().match(found -> found(looked, found), failure -> notFound(looked.addresses(), failure));
        lookWhenDue();
        return this;
    }

    private void found(Looked looked, MempoolLook.Found found) {
        looks.mempoolRead();
        found.transactions().forEach(listener::seen);
        waits.found(looked.before(), found);
        if (!found.missing().isEmpty()) {
            // The next wait needs its own look-up, because not everything pending is known.
            waits.outdated(looked.addresses());
            boolean isProgress = found.paid().values().stream().anyMatch(paid -> !paid.isEmpty())
                    || !found.unrequested().isEmpty();
            if (!mempools.keepMissing(found) && isProgress) {
                waits.incomplete(looked.addresses()).forEach(looks::later);
            }
            mempools.fetchLater(timers, Timer.FETCH);
        }
    }

    private Behavior<Command> onFetch() {
        Outcome.pipe(getContext(), mempools.fetchMissing(), Fetched::new);
        return this;
    }

    private Behavior<Command> onFetched(Fetched fetched) {
        mempools.fetched(fetched.bodies());
        fetched.bodies().value().ifPresent(found -> {
            found.transactions().forEach(listener::seen);
            waits.fetched(found);
        });
        mempools.fetchLater(timers, Timer.FETCH);
        return this;
    }

    private void notFound(List<Address> addresses, Throwable failure) {
        waits.outdated(addresses);
        if (!LookPlan.isMissingMethod(failure)) {
            looks.failed();
            repeat(addresses);
        } else if (((NodeException.Rejected) failure).isForeseen()) {
            readBalances(addresses);
        } else {
            // Only one node said so: the next look-up goes to the others.
            looks.ended();
            repeat(addresses);
        }
    }

    private void repeat(List<Address> addresses) {
        waits.awaited(addresses).forEach(looks::urgent);
    }

    private void readBalances(List<Address> addresses) {
        looks.readsBalances(each.size());
        List<Address> asked = addresses.stream().filter(booked.negate()).toList();
        Outcome.pipe(
                getContext(),
                NodeBalances.ask(each, asked, executor),
                byNode -> new Balances(addresses, asked, byNode));
    }

    private Behavior<Command> onBalances(Balances balances) {
        List<Optional<List<Amount>>> byNode = balances.byNode().value().orElse(List.of());
        if (byNode.stream().noneMatch(Optional::isPresent)) {
            looks.failed();
            repeat(balances.addresses());
        } else {
            looks.succeeded();
            waits.withoutBaseline(balances.addresses());
            for (int i = 0; i < balances.asked().size(); i++) {
                int index = i;
                waits.balances(
                        balances.asked().get(i),
                        byNode.stream()
                                .map(amounts -> amounts.map(read -> read.get(index)))
                                .toList());
            }
        }
        lookWhenDue();
        return this;
    }

    private Behavior<Command> onBaselineOver(BaselineOver over) {
        waits.baselineOver(over.waiter());
        return this;
    }

    private Behavior<Command> onTick() {
        waits.timePassed();
        tickWhileNeeded();
        return this;
    }

    private void tickWhileNeeded() {
        if (waits.isEmpty()) {
            timers.cancel(Timer.TICK);
            timers.cancel(Timer.LAG);
        } else if (!timers.isTimerActive(Timer.TICK)) {
            timers.startTimerWithFixedDelay(Timer.TICK, Timer.TICK, Duration.ofMillis(TimerWheel.SLOT_MILLIS));
            timers.startTimerWithFixedDelay(Timer.LAG, Timer.LAG, LAG);
        }
    }

    private Behavior<Command> onHousekeeping() {
        waits.forgetOld();
        return this;
    }

    private Behavior<Command> onEndAll(EndAll end) {
        ending.set(true);
        endAll();
        end.ended().complete(null);
        return this;
    }

    private Behavior<Command> endAll() {
        waits.endAll();
        return this;
    }

    /**
     * Schedule of the look-ups of {@link PaymentWaits}: one at a time, within the scan budget, with a delay after failures, and by balances where
     * nodes lack mempool look-ups.
     */
    static final class LookPlan {
        /** Pause that ends only with news or with the end of the current look-up. */
        static final long NEVER = Long.MAX_VALUE;

        /** Delay during which nudges are collected for a shared look-up. */
        private static final long GATHERING_MILLIS = 100;
        /** Delay of look-ups after a new tip, whose block usually explains the nudges. */
        private static final long BLOCK_MILLIS = 2_000;

        private static final long FIRST_RETRY_MILLIS = 500;
        private static final long LAST_RETRY_MILLIS = 15_000;
        private static final int METHOD_NOT_FOUND = -32601;

        private final ScanBudget budget;
        private final LongSupplier clock;
        private final LookQueue queue = new LookQueue();
        private boolean looking;
        private long tipAt;
        private boolean withoutMempool;
        private int failures;
        private long retryAt;

        /** @param clock monotonic milliseconds */
        LookPlan(ScanBudget budget, LongSupplier clock) {
            this.budget = budget;
            this.clock = clock;
            this.tipAt = clock.getAsLong() - BLOCK_MILLIS;
            this.retryAt = clock.getAsLong();
        }

        /** Queues an address whose pending payments a caller needs to know now. */
        void urgent(Address address) {
            queue.urgent(address, clock.getAsLong());
        }

        /** Queues an address that may have changed. */
        void later(Address address) {
            queue.nudged(address, Math.max(clock.getAsLong() + GATHERING_MILLIS, tipAt + BLOCK_MILLIS));
        }

        void drop(Address address) {
            queue.drop(address);
        }

        /** Records that a node has reported a new tip. */
        void tipReported() {
            tipAt = clock.getAsLong();
        }

        /** Returns whether all nodes lack mempool look-ups, as far as is known, so that balances are read instead. */
        boolean withoutMempool() {
            return withoutMempool;
        }

        static boolean isMissingMethod(Throwable failure) {
            return failure instanceof NodeException.Rejected rejected && rejected.code() == METHOD_NOT_FOUND;
        }

        /** Returns the milliseconds until the next look-up; zero or less for now. Addresses nudged during a look-up wait for the next one. */
        long pause() {
            long readyAt = looking ? Long.MAX_VALUE : queue.readyAt();
            if (readyAt == Long.MAX_VALUE) {
                return NEVER;
            }
            long now = clock.getAsLong();
            long allowed = Math.max(retryAt - now, budget.delay(now));
            return readyAt == Long.MIN_VALUE ? allowed : Math.max(readyAt - now, allowed);
        }

        /** Starts a look-up, which {@link #succeeded}, {@link #failed} or {@link #ended} ends. */
        List<Address> take() {
            long now = clock.getAsLong();
            List<Address> batch = queue.take(now);
            budget.spent(now);
            looking = true;
            return batch;
        }

        /** Continues the look-up at each of the nodes, because all lack mempool look-ups. */
        void readsBalances(int nodes) {
            withoutMempool = true;
            for (int i = 1; i < nodes; i++) {
                budget.spent(clock.getAsLong());
            }
        }

        void mempoolRead() {
            withoutMempool = false;
            succeeded();
        }

        void succeeded() {
            failures = 0;
            ended();
        }

        void failed() {
            retryAt = clock.getAsLong() + Math.min(FIRST_RETRY_MILLIS << Math.min(failures++, 10), LAST_RETRY_MILLIS);
            ended();
        }

        void ended() {
            looking = false;
        }
    }
}
