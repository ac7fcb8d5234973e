package org.chainwalletd.payout;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.payout.BatchPlan.Offer;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Changes;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes batches of queued payouts: at most one at a time from an address, each a regular spend, which the spend monitor follows afterwards.
 * The queue is read from the feed of changes, so the state in memory is only an estimate: the store decides, in the commit that opens the
 * batch, whether each payout is still queued.
 *
 * <p>Reads the store and the books, and passes plans to {@link SpendService}. The actor may stop and start again while the daemon runs; it
 * then reads the feed from the beginning, which shows whether a batch in preparation was opened meanwhile.
 */
final class PayoutQueue extends AbstractBehavior<PayoutQueue.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(PayoutQueue.class);

    sealed interface Command {}

    /** Reports that a payout may have changed. */
    record Changed() implements Command {}

    private record Tick() implements Command {}

    private record Read(Outcome<Changes> changes) implements Command {}

    private record PausedRead(Outcome<Boolean> paused) implements Command {}

    private record Ended(Batch batch, Outcome<Receipt> outcome) implements Command {}

    /** Checks what the feed does not report: ended tokens, interrupted recalls, batches whose inputs have vanished. */
    private record Check() implements Command {}

    private record Maintained(Outcome<Void> done) implements Command {}

    private static final int PAGE = 1_000;
    /** Number of blocks for which smaller payouts may overtake a payout that waits for coins. */
    private static final long MAX_OVERTAKING_BLOCKS = 30;
    /** Maximum number of payouts left out of an earlier batch that are offered again at once; the others are offered to later batches. */
    static final int MAX_LEFT_OUT = 500;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Minimum pause per address of a group, so that many addresses without coins do not keep the queue busy. */
    private static final Duration PAUSE_PER_ADDRESS = Duration.ofMillis(100);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Maximum number of batches per minute and node: half of the submissions that a node accepts from one caller in that time. */
    static final int BATCHES_PER_MINUTE = 30;

    /** Condition that payouts wait for after a batch was refused, by the refusal; after any other refusal the batch is tried again. */
    private static final Map<Class<? extends SpendRefusal>, WaitingFor> REASONS = Map.of(
            SpendRefusal.AllowanceExceeded.class, WaitingFor.ALLOWANCE,
            SpendRefusal.PolicyRefused.class, WaitingFor.ALLOWANCE,
            SpendRefusal.InsufficientBalance.class, WaitingFor.COINS,
            SpendRefusal.InFlightExhausted.class, WaitingFor.NEXT_BLOCK,
            SpendRefusal.UpstreamFailed.class, WaitingFor.NODE,
            SpendRefusal.CoinsOutOfReach.class, WaitingFor.NODE);

    /** Key of payouts that are paid together: those of one token, from the same addresses. */
    record Group(List<Address> from, Optional<String> owner) {}

    private static final class Queued {
        private final long number;
        private final Order order;
        private final long submittedAt;
        /** Height at which the payout first waited for coins; -1 when it does not. */
        private long shortSince = -1;
        /** Number of the last batch that left it out; 0 for none. */
        private long leftOutBy;

        private Optional<Address> leftOutAt = Optional.empty();
        /** Address that keeps its confirmed coins for this payout. */
        private Optional<Address> keptBy = Optional.empty();

        private Queued(Payout payout) {
            this.number = payout.number();
            this.order = payout.order();
            this.submittedAt = payout.submittedAt();
        }
    }

    /**
     * Refusal of a batch.
     *
     * @param at milliseconds since 1970
     * @param height height of the followed tip when the batch was started: the next block may bring coins
     */
    private record Refusal(long at, long height, Optional<WaitingFor> reason) {
        /** Whether it is too early for a retry. A clock that was set back causes no delay. */
        boolean holds(long now, long pause, long tip) {
            return height == tip && at <= now && now - at < pause;
        }
    }

    /** Payouts of a group, the oldest first, and the addresses whose last batch for them was refused. */
    private static final class GroupQueue {
        private final NavigableMap<Long, Queued> queued = new TreeMap<>();
        private final Map<Address, Refusal> refusals = new HashMap<>();
        /** Number of the last batch of each address. */
        private final Map<Address, Long> tried = new HashMap<>();

        private Optional<WaitingFor> waits = Optional.empty();

        /** Orders addresses by their last batch, so that payouts which one address cannot pay are offered to the others. */
        private List<Address> leastRecentlyTried(List<Address> addresses) {
            return addresses.stream()
                    .sorted(Comparator.comparing(address -> tried.getOrDefault(address, -1L)))
                    .toList();
        }

        /** Records a refusal. A lack of coins at one address is reported only when no other address waits for anything else. */
        private void refused(Address address, Refusal refusal) {
            refusals.put(address, refusal);
            waits = refusals.values().stream()
                    .flatMap(each -> each.reason().stream())
                    .filter(reason -> reason != WaitingFor.COINS)
                    .findFirst()
                    .or(refusal::reason);
        }

        private void opened(Address address) {
            refusals.remove(address);
            waits = Optional.empty();
        }
    }

    /**
     * Batch in preparation.
     *
     * @param number in the order in which batches were started
     * @param height height of the followed tip when it was started
     */
    private record Batch(long number, Group group, BatchPlan plan, Set<Long> numbers, long height) {}

    /** Conditions that queued payouts wait for, as last published by the queue; read by any thread. */
    static final class View {
        private final Map<Long, WaitingFor> single = new ConcurrentHashMap<>();
        private volatile Map<Group, WaitingFor> groups = Map.of();
        private volatile Map<WaitingFor, Long> counts = Map.of();
        private volatile long oldest;
        private volatile boolean paused;
        private volatile boolean running;

        /** Whether the queue runs in this daemon. If it does not, the reason why payouts wait is known only while the queue is paused. */
        boolean isRunning() {
            return running;
        }

        void begun() {
            single.clear();
            running = true;
        }

        void ended() {
            publish(Map.of(), Map.of(), 0);
            running = false;
        }

        void paused(boolean now) {
            paused = now;
        }

        /** Records the state of the store, in a daemon where the queue does not run. */
        void pausedElsewhere(boolean now) {
            if (!running) {
                paused = now;
            }
        }

        /** Whether this daemon knows which payouts wait for this reason. */
        boolean knows(WaitingFor reason) {
            return running || paused || reason == WaitingFor.PAUSED;
        }

        void waits(long number, WaitingFor reason) {
            single.put(number, reason);
        }

        void forget(long number) {
            single.remove(number);
        }

        void publish(Map<Group, WaitingFor> byGroup, Map<WaitingFor, Long> each, long oldestAt) {
            groups = Map.copyOf(byGroup);
            counts = Map.copyOf(each);
            oldest = oldestAt;
        }

        /** Whether a queued payout may wait for this; if not, {@link #of} returns it for none. */
        boolean hasAnyFor(WaitingFor reason) {
            return paused ? reason == WaitingFor.PAUSED : single.containsValue(reason) || groups.containsValue(reason);
        }

        long count(WaitingFor reason) {
            return counts.getOrDefault(reason, 0L);
        }

        /** Submission time of the oldest queued payout, milliseconds since 1970; 0 when there is none. */
        long oldest() {
            return oldest;
        }

        Optional<WaitingFor> of(Payout payout) {
            if (payout.state() != State.QUEUED) {
                return Optional.empty();
            }
            if (paused) {
                return Optional.of(WaitingFor.PAUSED);
            }
            if (!running) {
                return Optional.empty();
            }
            WaitingFor own = single.get(payout.number());
            return own != null
                    ? Optional.of(own)
                    : Optional.ofNullable(groups.get(new Group(payout.from(), payout.owner())));
        }
    }

    private final TimerScheduler<Command> timers;
    private final PayoutEnvironment env;
    private final BatchPlan.CoinSource coins;
    private final Function<Set<String>, CompletionStage<Void>> maintenance;
    private final View view;
    private final PayoutNews news;
    private final Map<Group, GroupQueue> queues = new LinkedHashMap<>();
    private final Map<Long, Group> groupOf = new HashMap<>();
    private final Map<Address, Batch> running = new HashMap<>();
    /** Addresses whose batch has ended since the feed was last read to its end. */
    private final List<Address> ended = new ArrayList<>();

    private final List<Address> justEnded = new ArrayList<>();

    /** Times of the batches that were sent within the last minute. */
    private final Deque<Long> submissions = new ArrayDeque<>();

    /** Batches of the last minute that an earlier process sent; read while the queue is loaded. */
    private final Set<Hash256> sentBefore = new HashSet<>();

    private Position position = PayoutStore.BEGINNING;
    private boolean reading;
    private boolean stale = true;
    private boolean loaded;
    private boolean paused = true;
    private boolean maintaining;
    private long begun;

    private PayoutQueue(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            PayoutEnvironment env,
            BatchPlan.CoinSource coins,
            Function<Set<String>, CompletionStage<Void>> maintenance,
            View view,
            PayoutNews news) {
        super(context);
        this.timers = timers;
        this.env = env;
        this.coins = coins;
        this.maintenance = maintenance;
        this.view = view;
        this.news = news;
        view.begun();
        timers.startTimerWithFixedDelay("check", new Check(), env.rules().checkEvery());
        read();
    }

    /**
     * @param maintenance handles tokens that have ended (it receives their names), recalls, and batches whose inputs have vanished
     */
    static Behavior<Command> create(
            PayoutEnvironment env,
            BatchPlan.CoinSource coins,
            Function<Set<String>, CompletionStage<Void>> maintenance,
            View view,
            PayoutNews news) {
        return Behaviors.withTimers(timers ->
                Behaviors.setup(context -> new PayoutQueue(context, timers, env, coins, maintenance, view, news)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Changed.class, changed -> changed())
                .onMessage(Tick.class, tick -> step())
                .onMessage(Read.class, this::read)
                .onMessage(PausedRead.class, this::paused)
                .onMessage(Ended.class, this::ended)
                .onMessage(Check.class, check -> check())
                .onMessage(Maintained.class, this::maintained)
                .onSignal(PostStop.class, signal -> stopped())
                .build();
    }

    private Behavior<Command> changed() {
        stale = true;
        return read();
    }

    /** Reads the feed, one page at a time; changes that arrive meanwhile are read afterwards. */
    private Behavior<Command> read() {
        if (!reading && stale && env.stopped().isEmpty()) {
            reading = true;
            stale = false;
            ended.addAll(justEnded);
            justEnded.clear();
            Outcome.pipe(getContext(), env.store().isPaused(), PausedRead::new);
        }
        return this;
    }

    private Behavior<Command> paused(PausedRead command) {
        return command.paused().fold(this::paused, this::notRead);
    }

    private Behavior<Command> paused(boolean found) {
        paused = found;
        view.paused(paused);
        return readPage();
    }

    /** Schedules another read: no further message would trigger it. */
    private Behavior<Command> notRead(Throwable failure) {
        LOG.warn("the payout queue cannot be read: {}", failure.toString());
        reading = false;
        stale = true;
        timers.startSingleTimer("again", new Changed(), PAUSE);
        return this;
    }

    private Behavior<Command> readPage() {
        Outcome.pipe(getContext(), env.store().changes(position, PAGE), Read::new);
        return this;
    }

    private Behavior<Command> read(Read command) {
        Optional<Throwable> failure = command.changes().failure();
        if (failure.isPresent()) {
            return notRead(failure.get());
        }
        Changes changes = command.changes().value().orElseThrow();
        changes.payouts().forEach(this::take);
        if (loaded) {
            env.listener().accept(changes.payouts());
        }
        position = changes.next();
        if (changes.more()) {
            return readPage();
        }
        reading = false;
        loaded = true;
        ended.forEach(running::remove);
        ended.clear();
        return stale ? read() : step();
    }

    private void take(Payout payout) {
        Group before = groupOf.remove(payout.number());
        if (before != null) {
            GroupQueue queue = queues.get(before);
            queue.queued.remove(payout.number());
            if (queue.queued.isEmpty()) {
                queues.remove(before);
            }
        }
        view.forget(payout.number());
        if (!loaded) {
            countEarlier(payout);
        }
        if (payout.state() == State.QUEUED) {
            Group group = new Group(payout.from(), payout.owner());
            groupOf.put(payout.number(), group);
            queues.computeIfAbsent(group, none -> new GroupQueue()).queued.put(payout.number(), new Queued(payout));
        }
    }

    /** Counts the batch of a payout that has changed within the last minute: the nodes' quota is not reset by a restart of this process. */
    private void countEarlier(Payout payout) {
        boolean sent = payout.state() == State.IN_FLIGHT || payout.state() == State.CONFIRMED;
        if (sent && env.clock().millis() - payout.changedAt() < MINUTE.toMillis()) {
            List<Hash256> attempts = payout.attempts();
            if (sentBefore.add(attempts.get(attempts.size() - 1))) {
                submissions.add(payout.changedAt());
            }
        }
    }

    /** Starts the batches that can start now, and sets the timer for the next one that is due. */
    private Behavior<Command> step() {
        if (!loaded) {
            return this;
        }
        long now = env.clock().millis();
        submissions.removeIf(at -> at > now || now - at >= MINUTE.toMillis());
        long next = Long.MAX_VALUE;
        List<Map.Entry<Group, GroupQueue>> oldestFirst = new ArrayList<>(queues.entrySet());
        oldestFirst.sort(Comparator.comparing(entry -> entry.getValue().queued.firstKey()));
        for (Map.Entry<Group, GroupQueue> entry : oldestFirst) {
            next = Math.min(next, begin(entry.getKey(), entry.getValue(), now));
        }
        if (next != Long.MAX_VALUE) {
            timers.startSingleTimer("tick", new Tick(), Duration.ofMillis(Math.max(1, next - now)));
        }
        publishView();
        return this;
    }

    /**
     * @return time of the next look at the group; {@link Long#MAX_VALUE} when a message will trigger it
     */
    private long begin(Group group, GroupQueue queue, long now) {
        if (paused) {
            queue.waits = Optional.empty();
            return Long.MAX_VALUE;
        }
        long due = due(queue, now);
        if (due > now) {
            return due;
        }
        long pause = Math.max(PAUSE.toMillis(), group.from().size() * PAUSE_PER_ADDRESS.toMillis());
        long next = Long.MAX_VALUE;
        Deque<Address> idle = new ArrayDeque<>();
        int pausedAddresses = 0;
        for (Address address : queue.leastRecentlyTried(group.from())) {
            Refusal refusal = queue.refusals.get(address);
            if (refusal != null && refusal.holds(now, pause, env.height())) {
                next = Math.min(next, refusal.at() + pause);
                pausedAddresses++;
            } else if (!running.containsKey(address)) {
                idle.add(address);
            }
        }
        if (idle.isEmpty()) {
            return next;
        }
        Free free = free(queue);
        while (!idle.isEmpty() && free.count() > 0) {
            int left = BATCHES_PER_MINUTE * Math.max(1, env.nodes().getAsInt()) - submissions.size() - running.size();
            if (left <= 0) {
                queue.waits = Optional.of(WaitingFor.NODE_QUOTA);
                return now + PAUSE.toMillis();
            }
            int batches = Math.min(idle.size(), left);
            int share = Math.max(BatchPlan.USUAL_OUTPUTS, (free.fresh().size() + batches - 1) / batches);
            Address address = idle.remove();
            boolean alone = group.from().size() - pausedAddresses == 1;
            List<Queued> offered = free.take(address, alone, share);
            if (!offered.isEmpty()) {
                begin(group, queue, address, offered, left);
            }
        }
        return next;
    }

    /**
     * Payouts of a group that are in no batch in preparation.
     *
     * @param leftOut left out by an earlier batch, the longest ago first
     * @param fresh all others, the oldest first
     */
    private record Free(List<Queued> leftOut, Deque<Queued> fresh) {
        int count() {
            return leftOut.size() + fresh.size();
        }

        /**
         * Takes the payouts to offer to a batch: first those left out before, and of these first those that its address keeps coins for.
         *
         * @param alone whether no other address may pay now; otherwise payouts that this address left out last are left to the other
         *     addresses
         */
        List<Queued> take(Address address, boolean alone, int share) {
            Optional<Address> own = Optional.of(address);
            Comparator<Queued> keptFirst = Comparator.comparing(queued -> !queued.keptBy.equals(own));
            List<Queued> taken = new ArrayList<>(leftOut.stream()
                    .filter(queued -> alone || queued.keptBy.equals(own) || !queued.leftOutAt.equals(own))
                    .sorted(keptFirst)
                    .limit(MAX_LEFT_OUT)
                    .toList());
            leftOut.removeAll(new HashSet<>(taken));
            taken.sort(keptFirst.thenComparing(queued -> queued.number));
            int most = Math.min(taken.size() + share, BatchPlan.MAX_OUTPUTS);
            while (taken.size() < most && !fresh.isEmpty()) {
                taken.add(fresh.remove());
            }
            return taken;
        }
    }

    private Free free(GroupQueue queue) {
        Set<Long> inBatches = new HashSet<>();
        running.values().forEach(batch -> inBatches.addAll(batch.numbers()));
        Free free = new Free(new ArrayList<>(), new ArrayDeque<>());
        for (Queued queued : queue.queued.values()) {
            if (!inBatches.contains(queued.number)) {
                (queued.leftOutBy > 0 ? free.leftOut() : free.fresh()).add(queued);
            }
        }
        // The sort is stable: payouts that one batch left out stay in the order of submission.
        free.leftOut().sort(Comparator.comparing(queued -> queued.leftOutBy));
        return free;
    }

    /**
     * Time at which the batch of a group closes: when it is full, or its oldest payout is old enough. A clock that was set back causes no
     * delay.
     */
    private long due(GroupQueue queue, long now) {
        if (queue.queued.size() >= BatchPlan.USUAL_OUTPUTS) {
            return now;
        }
        long oldest = queue.queued.firstEntry().getValue().submittedAt;
        long due = oldest + env.rules().delay().toMillis();
        return oldest > now ? now : due;
    }

    private void begin(Group group, GroupQueue queue, Address address, List<Queued> offered, int submissionsLeft) {
        long height = env.height();
        List<Offer> offers = offered.stream()
                .map(queued -> new Offer(
                        queued.number,
                        queued.order,
                        queued.shortSince >= 0 && height - queued.shortSince >= MAX_OVERTAKING_BLOCKS))
                .toList();
        BatchPlan plan = new BatchPlan(
                address,
                offers,
                coins,
                new BatchPlan.Rules(
                        env.rules().fee(),
                        env.capOf(group.owner()),
                        env.rules().usableCoins(),
                        queue.queued.size(),
                        submissionsLeft,
                        group.owner()));
        Batch batch = new Batch(
                ++begun, group, plan, offers.stream().map(Offer::number).collect(Collectors.toSet()), height);
        running.put(address, batch);
        queue.tried.put(address, begun);
        Outcome.pipe(getContext(), spend(plan), receipt -> new Ended(batch, receipt));
    }

    private CompletionStage<Receipt> spend(BatchPlan plan) {
        try {
            CompletionStage<Optional<Amount>> ofToken = plan.details()
                    .tokenName()
                    .map(env.spending()::remainingOf)
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
            return env.spending()
                    .allowanceStatus()
                    .thenCombineAsync(
                            ofToken,
                            (status, left) -> {
                                plan.cap(capOf(status));
                                plan.cap(left);
                                return plan;
                            },
                            env.executor())
                    .thenComposeAsync(env.spending()::spend, env.executor());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Optional<Amount> capOf(AllowanceStore.Status status) {
        Optional<Amount> perTx = status.limits().perTransaction();
        return status.remaining()
                .filter(left -> perTx.isEmpty() || left.isLessThan(perTx.get()))
                .or(() -> perTx);
    }

    /** Handles the end of a batch. The feed shows which payouts it carries; until that has been read, its address makes no other batch. */
    private Behavior<Command> ended(Ended command) {
        Batch batch = command.batch();
        long now = env.clock().millis();
        Optional<WaitingFor> reason = command.outcome().fold(receipt -> Optional.empty(), PayoutQueue::reason);
        boolean opened = command.outcome().fold(receipt -> true, PayoutQueue::mayBeOpen);
        if (opened) {
            submissions.add(now);
        }
        GroupQueue queue = queues.get(batch.group());
        if (queue != null) {
            noteSkipped(queue, batch);
            if (opened) {
                queue.opened(batch.plan().from());
            } else {
                queue.refused(batch.plan().from(), new Refusal(now, batch.height(), reason));
            }
        }
        command.outcome().failure().ifPresent(failure -> LOG.debug("a batch was not made: {}", failure.toString()));
        justEnded.add(batch.plan().from());
        return changed();
    }

    private void noteSkipped(GroupQueue queue, Batch batch) {
        long height = env.height();
        Map<Long, BatchPlan.Skipped> skipped = batch.plan().skipped();
        for (long number : batch.numbers()) {
            Queued queued = queue.queued.get(number);
            BatchPlan.Skipped why = skipped.get(number);
            if (queued != null) {
                noteKept(queued, batch.plan());
            }
            if (queued == null || why == null) {
                view.forget(number);
                continue;
            }
            queued.leftOutBy = batch.number();
            queued.leftOutAt = Optional.of(batch.plan().from());
            view.waits(number, why == BatchPlan.Skipped.COINS ? WaitingFor.COINS : WaitingFor.ALLOWANCE);
            if (why == BatchPlan.Skipped.COINS && queued.shortSince < 0) {
                queued.shortSince = height;
            }
        }
    }

    private static void noteKept(Queued queued, BatchPlan plan) {
        Optional<Address> address = Optional.of(plan.from());
        if (plan.keepsFor().equals(OptionalLong.of(queued.number))) {
            queued.keptBy = address;
        } else if (queued.keptBy.equals(address)) {
            queued.keptBy = Optional.empty();
        }
    }

    /** Whether the intent of the batch is durable, or may be. */
    private static boolean mayBeOpen(Throwable failure) {
        return failure instanceof SpendException refused && refused.refusal() instanceof SpendRefusal.OutcomeUnknown;
    }

    private static Optional<WaitingFor> reason(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException) {
            return Optional.of(WaitingFor.NODE);
        }
        if (cause instanceof BatchPlan.NotCoveredException) {
            return Optional.of(WaitingFor.COINS);
        }
        if (!(cause instanceof SpendException refused)) {
            return Optional.empty();
        }
        return Optional.ofNullable(REASONS.get(refused.refusal().getClass()));
    }

    private void publishView() {
        Map<WaitingFor, Long> counts = new EnumMap<>(WaitingFor.class);
        Map<Group, WaitingFor> groups = new HashMap<>();
        Map<Group, Long> apart = new HashMap<>();
        if (!paused) {
            view.single.forEach((number, waits) -> {
                counts.merge(waits, 1L, Long::sum);
                apart.merge(groupOf.get(number), 1L, Long::sum);
            });
        }
        long oldest = Long.MAX_VALUE;
        for (Map.Entry<Group, GroupQueue> entry : queues.entrySet()) {
            GroupQueue queue = entry.getValue();
            oldest = Math.min(oldest, queue.queued.firstEntry().getValue().submittedAt);
            Optional<WaitingFor> reason = paused ? Optional.of(WaitingFor.PAUSED) : queue.waits;
            reason.ifPresent(waits -> {
                groups.put(entry.getKey(), waits);
                counts.merge(waits, queue.queued.size() - apart.getOrDefault(entry.getKey(), 0L), Long::sum);
            });
        }
        view.publish(groups, counts, queues.isEmpty() ? 0 : oldest);
    }

    private Behavior<Command> check() {
        if (loaded && !maintaining && env.stopped().isEmpty()) {
            maintaining = true;
            Set<String> owners = queues.keySet().stream()
                    .map(group -> group.owner().orElse(PayoutStore.CLASSIC))
                    .filter(env.tokens()::hasEnded)
                    .collect(Collectors.toSet());
            Outcome.pipe(getContext(), maintenance.apply(owners), Maintained::new);
        }
        return this;
    }

    private Behavior<Command> maintained(Maintained command) {
        maintaining = false;
        command.done()
                .failure()
                .ifPresent(failure -> LOG.atLevel(Background.levelOf(failure)).log("payouts: {}", failure.toString()));
        return this;
    }

    private Behavior<Command> stopped() {
        view.ended();
        news.begin();
        return this;
    }
}
