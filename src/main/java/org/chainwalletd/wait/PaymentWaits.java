package org.chainwalletd.wait;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
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
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.store.BlockPlace;

/**
 * Owns the waits for payments, grouped by address, and what was seen of these addresses while somebody waits (interface.md, section 4.6;
 * following.md, section 6). It hears of blocks from the follower and of changes from the push streams, and looks at mempools for many
 * addresses with one scan, ten scans a minute and node. On restart all waits end with their time-out answer.
 */
final class PaymentWaits extends AbstractBehavior<PaymentWaits.Command> {
    /** After that long without a look, whatever is seen first counts as new: a repeat beats a miss. */
    private static final long BASELINE_MILLIS = 5_000;
    /** A look that begins later after the call than this is no baseline: what it sees may have come after the call. */
    private static final long PROMPT_MILLIS = 1_000;
    /** How often it is looked whether the followed chain lags behind the nodes. */
    private static final Duration LAG = Duration.ofSeconds(1);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(10);

    sealed interface Command {}

    record Enter(PaymentWait waiter) implements Command {}

    /** The caller has gone: nobody reads the answer. */
    record Leave(PaymentWait waiter) implements Command {}

    record Pushed(PushNews news) implements Command {}

    /** Ends all waits, and those that come later at once, with their time-out answer. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Looked(List<Address> addresses, Set<PaymentWait> since, MempoolLook.Found found, Throwable failure)
            implements Command {}

    private record Balances(List<Address> addresses, List<Amount> amounts, Throwable failure) implements Command {}

    private record BaselineOver(PaymentWait waiter) implements Command {}

    private enum Timer implements Command {
        TICK,
        LOOK,
        LAG,
        HOUSEKEEPING
    }

    private final TimerScheduler<Command> timers;
    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Supplier<Optional<NodeClient.Tip>> nodesTip;
    private final MempoolLook mempools;
    private final ActorRef<MempoolWatch.Command> background;
    private final MempoolListener listener;
    private final LongSupplier clock;
    private final WaitMetrics metrics;
    private final TimerWheel<PaymentWait> deadlines;
    private final LookPlan looks;
    private final AddressGroups groups;
    private BlockPlace followed;
    private long nodeTip;
    private boolean ending;

    /**
     * @param watch is told which addresses to watch
     * @param mempools shared with those who look in the background
     */
    static Behavior<Command> create(WaitSetup setup, AddressWatch watch, Mempools mempools, WaitMetrics metrics) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new PaymentWaits(context, timers, setup, watch, mempools, metrics))))
                .onFailure(SupervisorStrategy.restart());
    }

    /**
     * @param background is told of changes of addresses that nobody waits for
     * @param listener hears of what is found in mempools
     */
    record Mempools(ScanBudget budget, ActorRef<MempoolWatch.Command> background, MempoolListener listener) {}

    private PaymentWaits(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            AddressWatch watch,
            Mempools shared,
            WaitMetrics metrics) {
        super(context);
        this.timers = timers;
        this.profile = setup.profile();
        this.nodes = setup.nodes();
        this.nodesTip = setup.nodesTip();
        this.mempools = new MempoolLook(setup.profile(), setup.nodes(), setup.executor());
        this.background = shared.background();
        this.listener = shared.listener();
        this.clock = setup.clock();
        this.metrics = metrics;
        this.deadlines = new TimerWheel<>(clock.getAsLong());
        this.looks = new LookPlan(shared.budget(), clock);
        this.groups = new AddressGroups(watch, clock);
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
                .onMessage(Balances.class, this::onBalances)
                .onMessage(BaselineOver.class, this::onBaselineOver)
                .onMessageEquals(Timer.TICK, this::onTick)
                .onMessageEquals(Timer.LOOK, this::onLook)
                .onMessageEquals(Timer.LAG, this::onLag)
                .onMessageEquals(Timer.HOUSEKEEPING, this::onHousekeeping)
                .onSignal(PreRestart.class, signal -> endAll())
                .onSignal(PostStop.class, signal -> endAll())
                .build();
    }

    private Behavior<Command> onEnter(Enter enter) {
        PaymentWait wait = enter.waiter();
        metrics.began();
        if (ending || wait.asksOnly()) {
            timeOut(wait);
            return this;
        }
        AddressGroup group = groups.of(wait.address);
        group.waits.add(wait);
        wait.since = group.nextNumber();
        wait.settled = group.isCurrent();
        deadlines.add(wait, wait.due);
        tickWhileNeeded();
        if (!wait.settled) {
            getContext()
                    .scheduleOnce(
                            Duration.ofMillis(BASELINE_MILLIS), getContext().getSelf(), new BaselineOver(wait));
            looks.urgent(wait.address);
            lookWhenDue();
        }
        return this;
    }

    private Behavior<Command> onLeave(Leave leave) {
        if (remove(leave.waiter())) {
            metrics.gone(clock.getAsLong() - leave.waiter().began);
        }
        return this;
    }

    /** Returns whether it was still waiting. */
    private boolean remove(PaymentWait wait) {
        if (!groups.remove(wait)) {
            return false;
        }
        deadlines.remove(wait);
        if (!groups.isWaitedFor(wait.address)) {
            looks.drop(wait.address);
        }
        return true;
    }

    private Behavior<Command> onFollowed(Followed heard) {
        if (heard.event() instanceof FollowEvent.Connected connected) {
            followed = connected.block().place();
            connected.block().transactions().forEach(mined -> mined(mined, followed));
            groups.unwatched().forEach(this::lookLater);
        } else if (heard.event() instanceof FollowEvent.Disconnected disconnected) {
            groups.all().forEach(group -> group.disconnected(disconnected.block()));
        } else if (heard.event() instanceof FollowEvent.Standing standing) {
            jumped(standing.tip());
        } else if (heard.event() instanceof FollowEvent.Advanced advanced) {
            jumped(advanced.to());
        }
        lookWhenDue();
        return this;
    }

    /** What happened in between was not told. */
    private void jumped(FollowedTip tip) {
        followed = tip.place();
        groups.all().forEach(this::lookLater);
    }

    private void mined(ChainTransaction mined, BlockPlace block) {
        if (mined.decoded().isEmpty() || groups.isEmpty()) {
            return;
        }
        Payments.of(profile, mined.decoded().get(), groups::has)
                .forEach((address, amount) -> groups.with(address, group -> {
                    group.confirmed(mined.id(), amount, block);
                    answer(group);
                }));
    }

    /**
     * While the followed chain lags, each new tip of a node is a reason to look; then balances tell what a node without mempool look-ups knows
     * of confirmed payments.
     */
    private Behavior<Command> onLag() {
        long told = nodesTip.get().map(NodeClient.Tip::height).orElse(0L);
        boolean news = told != nodeTip;
        nodeTip = told;
        if (news && isLagging()) {
            (looks.byBalances() ? groups.all() : groups.unwatched()).forEach(this::lookLater);
            lookWhenDue();
        }
        return this;
    }

    private boolean isLagging() {
        return followed == null || Long.compareUnsigned(followed.height(), nodeTip) < 0;
    }

    private Behavior<Command> onPushed(Pushed pushed) {
        PushNews news = pushed.news();
        if (news instanceof PushNews.Changed changed) {
            changed.addresses().forEach(this::changed);
            background.tell(new MempoolWatch.Changed(changed.addresses().stream()
                    .filter(address -> !groups.isWaitedFor(address))
                    .toList()));
        } else if (news instanceof PushNews.Watching watching) {
            groups.each(watching.addresses(), group -> group.watchedBy.add(watching.node()));
        } else if (news instanceof PushNews.Lost lost) {
            groups.each(lost.addresses(), group -> group.watchedBy.remove(lost.node()));
        } else if (news instanceof PushNews.Tip) {
            looks.tipTold();
            background.tell(new MempoolWatch.Tip());
        }
        lookWhenDue();
        return this;
    }

    private void changed(Address address) {
        groups.with(address, group -> {
            group.outdated();
            lookLater(group);
        });
    }

    private void lookLater(AddressGroup group) {
        if (!group.waits.isEmpty()) {
            looks.later(group.address);
        }
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
        if (looks.byBalances()) {
            getContext().pipeToSelf(nodes.balances(batch), (amounts, failure) -> new Balances(batch, amounts, failure));
        } else {
            lookAtMempool(batch);
        }
    }

    private void lookAtMempool(List<Address> batch) {
        long now = clock.getAsLong();
        Set<PaymentWait> before = new HashSet<>();
        Set<Map.Entry<Address, Hash256>> known = new HashSet<>();
        groups.each(batch, group -> {
            group.looked();
            group.waits.stream()
                    .filter(wait -> now - wait.began <= PROMPT_MILLIS)
                    .forEach(before::add);
            group.waits.stream()
                    .filter(wait -> !wait.settled && !before.contains(wait))
                    .forEach(wait -> settle(wait, wait.since));
            group.transactions().forEach(txId -> known.add(Map.entry(group.address, txId)));
        });
        getContext()
                .pipeToSelf(
                        mempools.at(batch, (address, txId) -> known.contains(Map.entry(address, txId))),
                        (found, failure) -> new Looked(batch, before, found, failure));
    }

    private Behavior<Command> onLooked(Looked looked) {
        if (looked.failure() != null) {
            lookFailed(looked.addresses(), looked.failure());
        } else {
            looks.succeeded();
            looked.found().transactions().forEach(listener::seen);
            groups.each(looked.addresses(), group -> found(group, looked));
            metrics.looked();
        }
        lookWhenDue();
        return this;
    }

    private void found(AddressGroup group, Looked looked) {
        looked.found().paid().forEach((txId, amounts) -> {
            if (amounts.containsKey(group.address)) {
                group.seen(txId, amounts.get(group.address));
            }
        });
        group.waits.stream()
                .filter(wait -> !wait.settled && looked.since().contains(wait))
                .toList()
                .forEach(wait -> settle(wait, group.nextNumber()));
        answer(group);
    }

    /** From now on the wait takes what has this number or a later one. */
    private static void settle(PaymentWait wait, long since) {
        wait.settled = true;
        wait.since = since;
    }

    private void lookFailed(List<Address> addresses, Throwable failure) {
        looks.failed(failure);
        groups.each(addresses, AddressGroup::outdated);
        groups.each(addresses, this::lookAgain);
    }

    private void lookAgain(AddressGroup group) {
        if (!group.waits.isEmpty()) {
            looks.urgent(group.address);
        }
    }

    private Behavior<Command> onBalances(Balances balances) {
        if (balances.failure() != null) {
            lookFailed(balances.addresses(), balances.failure());
        } else {
            looks.succeeded();
            for (int i = 0; i < balances.addresses().size(); i++) {
                Amount amount = balances.amounts().get(i);
                groups.with(balances.addresses().get(i), group -> balance(group, amount));
            }
        }
        lookWhenDue();
        return this;
    }

    /** A larger balance is a payment whose transaction nobody names; told only while no block can tell better. */
    private void balance(AddressGroup group, Amount now) {
        Amount before = group.balance;
        group.balance = now;
        for (PaymentWait wait : List.copyOf(group.waits)) {
            boolean grown = wait.settled && before != null && now.compareTo(before) > 0;
            Amount gained = grown ? Amount.ofUnsigned(now.bits() - before.bits()) : Amount.ofUnsigned(0);
            if (grown && isLagging() && gained.compareTo(wait.minAmount) >= 0) {
                received(wait, Optional.empty(), gained, 1);
            } else if (!wait.settled) {
                settle(wait, wait.since);
            }
        }
    }

    private Behavior<Command> onBaselineOver(BaselineOver over) {
        PaymentWait wait = over.waiter();
        groups.with(wait.address, group -> {
            if (!wait.settled && group.waits.contains(wait)) {
                settle(wait, wait.since);
                answer(group);
            }
        });
        return this;
    }

    private void answer(AddressGroup group) {
        for (PaymentWait wait : List.copyOf(group.waits)) {
            group.newFor(wait)
                    .ifPresent(entry -> received(
                            wait,
                            Optional.of(entry.getKey()),
                            entry.getValue().amount(),
                            confirmations(entry.getValue())));
        }
    }

    private long confirmations(Credit credit) {
        return credit.block() == null || followed == null
                ? 0
                : followed.height() - credit.block().height() + 1;
    }

    private void received(PaymentWait wait, Optional<Hash256> txId, Amount amount, long confirmations) {
        remove(wait);
        long now = clock.getAsLong();
        metrics.answered(now - wait.began);
        wait.reply.complete(new PaymentOutcome.Received(txId, amount, confirmations, tipHeight(), wait.seconds(now)));
    }

    private long tipHeight() {
        return isLagging() ? nodeTip : followed.height();
    }

    private Behavior<Command> onTick() {
        for (PaymentWait wait : deadlines.advance(clock.getAsLong())) {
            giveUp(wait);
        }
        tickWhileNeeded();
        return this;
    }

    private void giveUp(PaymentWait wait) {
        if (remove(wait)) {
            timeOut(wait);
        }
    }

    private void timeOut(PaymentWait wait) {
        long now = clock.getAsLong();
        metrics.timedOut(now - wait.began);
        wait.reply.complete(new PaymentOutcome.TimedOut(wait.seconds(now)));
    }

    private void tickWhileNeeded() {
        if (deadlines.size() == 0) {
            timers.cancel(Timer.TICK);
            timers.cancel(Timer.LAG);
        } else if (!timers.isTimerActive(Timer.TICK)) {
            timers.startTimerWithFixedDelay(Timer.TICK, Timer.TICK, Duration.ofMillis(TimerWheel.SLOT_MILLIS));
            timers.startTimerWithFixedDelay(Timer.LAG, Timer.LAG, LAG);
        }
    }

    private Behavior<Command> onHousekeeping() {
        groups.forgetOld();
        return this;
    }

    private Behavior<Command> onEndAll(EndAll end) {
        ending = true;
        endAll();
        end.ended().complete(null);
        return this;
    }

    private Behavior<Command> endAll() {
        groups.waits().forEach(this::giveUp);
        groups.forgetAll();
        return this;
    }
}
