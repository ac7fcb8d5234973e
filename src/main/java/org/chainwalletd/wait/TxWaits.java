package org.chainwalletd.wait;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;

/**
 * Owner of the waits for transactions, grouped by transaction (interface.md, section 4.6). Receives blocks from the follower. A node is asked for a
 * transaction once, when its first wait begins, and again only when the followed chain lags behind a node's tip or has jumped, when a node that did
 * not answer does so again, or when no node answered or none could prove its answer ({@link TxSearch}). On restart all waits end with their time-out
 * answer: waiting again is safe.
 */
final class TxWaits extends AbstractBehavior<TxWaits.Command> {
    /** Maximum number of concurrent look-ups. */
    private static final int LOOKS = 8;
    /** Interval of the check whether the followed chain lags behind the nodes. */
    private static final Duration LAG = Duration.ofSeconds(1);
    /** Time limit for a call that only asks for the present state, when no node answers. */
    private static final long POLL_MILLIS = 2_000;

    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 15_000;

    sealed interface Command {}

    record Enter(TxWait waiter) implements Command {}

    /** The caller has disconnected: the answer is not needed. */
    record Leave(TxWait waiter) implements Command {}

    /** Ends all open and later waits at once with their time-out answer. */
    record EndAll(CompletableFuture<Void> ended) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Looked(Hash256 txId, Outcome<TxSearch.Found> look) implements Command {}

    private record LookAgain(Group group) implements Command {}

    private enum Timer implements Command {
        TICK,
        LAG
    }

    /** Waits for one transaction. */
    private static final class Group {
        final Hash256 txId;
        final Set<TxWait> waits = new LinkedHashSet<>();
        /** Nodes that the last look-up asked, without those that have stopped answering since. */
        final Set<NodeClient> asked = new HashSet<>();

        BlockPlace place;
        boolean looking;
        /** The chain has changed since the current look-up began: if that finds nothing, another one follows. */
        boolean outdated;

        boolean looked;
        /** Whether a retry is scheduled, however many look-ups have failed meanwhile. */
        boolean retryPlanned;

        int failures;

        Group(Hash256 txId) {
            this.txId = txId;
        }
    }

    private final TimerScheduler<Command> timers;
    private final TxSearch search;
    private final Supplier<Optional<NodeClient.Tip>> nodesTip;
    private final LongSupplier clock;
    private final WaitMetrics metrics;
    private final TimerWheel<TxWait> deadlines;
    private final RecentBlocks recent = new RecentBlocks();
    private final Map<Hash256, Group> groups = new HashMap<>();
    private final Set<Group> toLook = new LinkedHashSet<>();
    private int looking;
    private long nodeTip;
    private final AtomicBoolean ending;

    /** @param ending set permanently by {@link EndAll}, so that a restarted actor knows of it */
    static Behavior<Command> create(WaitSetup setup, WaitMetrics metrics, AtomicBoolean ending) {
        return Behaviors.supervise(Behaviors.<Command>setup(context ->
                        Behaviors.withTimers(timers -> new TxWaits(context, timers, setup, metrics, ending))))
                .onFailure(SupervisorStrategy.restart());
    }

    private TxWaits(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WaitSetup setup,
            WaitMetrics metrics,
            AtomicBoolean ending) {
        super(context);
        this.ending = ending;
        this.timers = timers;
        this.search = new TxSearch(setup);
        this.nodesTip = setup.nodesTip();
        this.clock = setup.clock();
        this.metrics = metrics;
        this.deadlines = new TimerWheel<>(clock);
        setup.follow().accept(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Enter.class, this::onEnter)
                .onMessage(Leave.class, this::onLeave)
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(EndAll.class, this::onEndAll)
                .onMessage(Looked.class, this::onLooked)
                .onMessage(LookAgain.class, this::onLookAgain)
                .onMessageEquals(Timer.TICK, this::onTick)
                .onMessageEquals(Timer.LAG, this::onLag)
                .onSignal(PreRestart.class, signal -> endAll())
                .onSignal(PostStop.class, signal -> endAll())
                .build();
    }

    private Behavior<Command> onEnter(Enter enter) {
        TxWait wait = enter.waiter();
        metrics.began();
        if (ending.get()) {
            timeOut(wait);
            return this;
        }
        Group group = groups.computeIfAbsent(wait.txId, Group::new);
        group.waits.add(wait);
        deadlines.add(wait, wait.isPoll() ? wait.due + POLL_MILLIS : wait.due);
        tickWhileNeeded();
        recent.find(wait.txId).ifPresent(place -> group.place = place);
        if (group.place != null) {
            answer(group);
        }
        // Blocks followed since the first look-up would have brought the transaction.
        boolean known = group.place != null || group.looked;
        if (known && wait.isPoll()) {
            endByTimeOut(wait);
        } else if (!known) {
            look(group);
        }
        return this;
    }

    private Behavior<Command> onLeave(Leave leave) {
        Group group = groups.get(leave.waiter().txId);
        if (group != null && group.waits.remove(leave.waiter())) {
            deadlines.remove(leave.waiter());
            metrics.left(clock.getAsLong() - leave.waiter().began);
            dropIfEmpty(group);
        }
        return this;
    }

    private Behavior<Command> onFollowed(Followed followed) {
        if (followed.event() instanceof FollowEvent.Connected connected) {
            ChainBlock block = connected.block();
            recent.connected(block);
            block.transactions().forEach(mined -> mined(mined.id(), block.place()));
            groups.values().stream().filter(this::isContradicted).forEach(this::lookAgain);
            List.copyOf(groups.values()).forEach(this::answer);
        } else if (followed.event() instanceof FollowEvent.Disconnected disconnected) {
            recent.disconnected(disconnected.block());
            groups.values().forEach(group -> forget(group, disconnected.block()));
        } else if (followed.event() instanceof FollowEvent.Positioned positioned) {
            jumped(positioned.tip());
        } else if (followed.event() instanceof FollowEvent.Advanced advanced) {
            jumped(advanced.to());
        }
        return this;
    }

    /** Handles a tip that jumped: there were no events for the blocks in between. */
    private void jumped(FollowedTip tip) {
        recent.resetTo(tip.place());
        groups.values().forEach(this::lookAgain);
    }

    private void mined(Hash256 txId, BlockPlace block) {
        Group group = groups.get(txId);
        if (group != null) {
            group.place = block;
        }
    }

    private static void forget(Group group, BlockPlace block) {
        if (block.equals(group.place)) {
            group.place = null;
        }
    }

    /**
     * Looks up again on each new tip of a node while the followed chain lags, and what has no place yet also when a node answers that the last
     * look-up had to do without.
     */
    private Behavior<Command> onLag() {
        long height = nodesTip.get().map(NodeClient.Tip::height).orElse(0L);
        boolean changed = height != nodeTip;
        nodeTip = height;
        if (changed && isLagging()) {
            groups.values().forEach(this::lookAgain);
        }
        List<NodeClient> answering = search.answering();
        for (Group group : groups.values()) {
            group.asked.retainAll(answering);
            if (group.place == null && !group.asked.containsAll(answering)) {
                lookAgain(group);
            }
        }
        return this;
    }

    /**
     * Returns whether a place that nodes reported above the followed tip turned out wrong: another block is followed there, or one without the
     * transaction.
     */
    private boolean isContradicted(Group group) {
        return group.place != null && !recent.allows(group.txId, group.place);
    }

    private boolean isLagging() {
        return recent.tip().isEmpty() || Long.compareUnsigned(recent.tip().get().height(), nodeTip) < 0;
    }

    private void lookAgain(Group group) {
        group.place = null;
        group.outdated = group.looking;
        look(group);
    }

    private void look(Group group) {
        if (!group.looking) {
            toLook.add(group);
        }
        lookAtNext();
    }

    private void lookAtNext() {
        while (looking < LOOKS && !toLook.isEmpty()) {
            Group group = toLook.iterator().next();
            toLook.remove(group);
            group.looking = true;
            looking++;
            List<NodeClient> nodes = search.nodes();
            group.asked.clear();
            group.asked.addAll(nodes);
            Outcome.pipe(getContext(), search.look(group.txId, nodes), found -> new Looked(group.txId, found));
        }
    }

    private Behavior<Command> onLooked(Looked looked) {
        looking--;
        Group group = groups.get(looked.txId());
        if (group != null) {
            group.looking = false;
            boolean outdated = group.outdated;
            group.outdated = false;
            looked(group, looked.look().value());
            if (outdated && group.place == null && groups.containsKey(group.txId)) {
                look(group);
            }
        }
        lookAtNext();
        return this;
    }

    /** @param found empty when no node has answered */
    private void looked(Group group, Optional<TxSearch.Found> found) {
        group.looked = found.isPresent();
        if (found.isEmpty() || found.get() instanceof TxSearch.Found.Unproven) {
            planRetry(group);
        } else {
            group.failures = 0;
        }
        boolean unknown = group.place == null;
        if (unknown
                && found.isPresent()
                && found.get() instanceof TxSearch.Found.At at
                && recent.allows(group.txId, at.place())) {
            found(group, at.place());
        }
        List.copyOf(group.waits).stream().filter(Wait::isPoll).forEach(this::endByTimeOut);
    }

    private void planRetry(Group group) {
        if (group.retryPlanned) {
            return;
        }
        group.retryPlanned = true;
        group.failures++;
        long pause = Math.min(FIRST_RETRY_MILLIS << Math.min(group.failures - 1, 10), LAST_RETRY_MILLIS);
        getContext().scheduleOnce(Duration.ofMillis(pause), getContext().getSelf(), new LookAgain(group));
    }

    private Behavior<Command> onLookAgain(LookAgain again) {
        Group group = again.group();
        group.retryPlanned = false;
        if (groups.get(group.txId) == group && group.place == null) {
            look(group);
        }
        return this;
    }

    private void found(Group group, BlockPlace place) {
        group.place = place;
        answer(group);
    }

    /** Answers the waits of the group whose depth is reached. */
    private void answer(Group group) {
        if (group.place == null) {
            return;
        }
        long confirmations = tipAbove(group.place) - group.place.height() + 1;
        for (TxWait wait : List.copyOf(group.waits)) {
            if (confirmations >= Math.max(1, wait.minConfirmations)) {
                group.waits.remove(wait);
                deadlines.remove(wait);
                metrics.answered(clock.getAsLong() - wait.began);
                wait.reply.complete(new TxOutcome.Confirmed(group.place, confirmations));
            }
        }
        dropIfEmpty(group);
    }

    /**
     * Returns the followed tip, or the height of {@code place} while the chain lags and has not reached it. So a block that only nodes report
     * counts as one confirmation; more are counted only when the blocks above it are followed.
     */
    private long tipAbove(BlockPlace place) {
        long followed = recent.tip().map(BlockPlace::height).orElse(0L);
        return followed < place.height() && isLagging() ? place.height() : followed;
    }

    private Behavior<Command> onTick() {
        for (TxWait wait : deadlines.advance()) {
            endByTimeOut(wait);
        }
        tickWhileNeeded();
        return this;
    }

    private void endByTimeOut(TxWait wait) {
        Group group = groups.get(wait.txId);
        if (group != null && group.waits.remove(wait)) {
            deadlines.remove(wait);
            timeOut(wait);
            dropIfEmpty(group);
        }
    }

    private void timeOut(TxWait wait) {
        long now = clock.getAsLong();
        metrics.timedOut(now - wait.began);
        wait.reply.complete(new TxOutcome.TimedOut(wait.seconds(now)));
    }

    private void dropIfEmpty(Group group) {
        if (group.waits.isEmpty()) {
            groups.remove(group.txId);
            toLook.remove(group);
        }
    }

    private void tickWhileNeeded() {
        if (deadlines.size() == 0) {
            timers.cancelAll();
        } else if (!timers.isTimerActive(Timer.TICK)) {
            timers.startTimerWithFixedDelay(Timer.TICK, Timer.TICK, Duration.ofMillis(TimerWheel.SLOT_MILLIS));
            timers.startTimerWithFixedDelay(Timer.LAG, Timer.LAG, LAG);
        }
    }

    private Behavior<Command> onEndAll(EndAll end) {
        ending.set(true);
        endAll();
        end.ended().complete(null);
        return this;
    }

    private Behavior<Command> endAll() {
        List<TxWait> all = new ArrayList<>();
        groups.values().forEach(group -> all.addAll(group.waits));
        all.forEach(this::endByTimeOut);
        return this;
    }

    /** Wait for a transaction. */
    static final class TxWait extends Wait<TxOutcome> {
        final Hash256 txId;
        final long minConfirmations;

        TxWait(Hash256 txId, long minConfirmations, long began, long due) {
            super(began, due);
            this.txId = txId;
            this.minConfirmations = minConfirmations;
        }
    }

    /**
     * Latest followed blocks with their transaction ids, since the start of this actor: at these heights nodes need not be trusted. Limited in
     * blocks and ids. Not thread-safe.
     */
    static final class RecentBlocks {
        private static final int MOST_BLOCKS = 100;
        private static final int MOST_IDS = 100_000;

        private record Kept(BlockPlace place, Set<Hash256> transactions) {}

        private final Deque<Kept> blocks = new ArrayDeque<>();
        private final Map<Hash256, BlockPlace> places = new HashMap<>();
        private BlockPlace tip;

        Optional<BlockPlace> tip() {
            return Optional.ofNullable(tip);
        }

        void connected(ChainBlock block) {
            Set<Hash256> ids =
                    block.transactions().stream().map(ChainTransaction::id).collect(Collectors.toUnmodifiableSet());
            blocks.addLast(new Kept(block.place(), ids));
            ids.forEach(id -> places.put(id, block.place()));
            tip = block.place();
            while (blocks.size() > MOST_BLOCKS || places.size() > MOST_IDS && blocks.size() > 1) {
                forget(blocks.removeFirst());
            }
        }

        /** Removes the tip. The next event is a block on its parent, or the removal of the parent. */
        void disconnected(BlockPlace block) {
            if (!blocks.isEmpty() && blocks.getLast().place().equals(block)) {
                forget(blocks.removeLast());
            }
            tip = blocks.isEmpty() ? null : blocks.getLast().place();
        }

        void resetTo(BlockPlace place) {
            blocks.clear();
            places.clear();
            tip = place;
        }

        Optional<BlockPlace> find(Hash256 txId) {
            return Optional.ofNullable(places.get(txId));
        }

        /**
         * Returns false if the followed block at that height is another one or lacks the transaction: then the place is on a stale fork, or false.
         */
        boolean allows(Hash256 txId, BlockPlace place) {
            return blocks.stream()
                    .filter(kept -> kept.place().height() == place.height())
                    .allMatch(kept ->
                            kept.place().equals(place) && kept.transactions().contains(txId));
        }

        private void forget(Kept kept) {
            kept.transactions().forEach(id -> places.remove(id, kept.place()));
        }
    }

    /**
     * Finds the place of a transaction by asking the nodes. No single node is trusted: two must name the same block, or the followed chain must
     * prove the transaction by its bytes. A place above the followed tip that only one node names is left to the follower.
     */
    static final class TxSearch {
        /** Result of a look-up. */
        sealed interface Found {
            /** No asked node has the transaction in a block of its best chain. */
            record NotInBlock() implements Found {}

            /** A node names a block, which is not proven yet. */
            record Unproven() implements Found {}

            record At(BlockPlace place) implements Found {}
        }

        /** Number of nodes that must agree. */
        private static final int QUORUM = 2;
        /** Time after the first answer with a place for which the other nodes are waited for without a proof. */
        private static final long EARLY_PROOF_MILLIS = 500;

        private final List<NodeClient> each;
        private final Supplier<List<NodeClient>> answering;
        private final BiFunction<Hash256, BlockPlace, CompletionStage<Boolean>> proves;
        private final Executor executor;
        /** Early proofs that may begin now: each runs to its end although its look-up may end before. */
        private final Semaphore earlyProofs = new Semaphore(LOOKS);

        TxSearch(WaitSetup setup) {
            this.each = setup.each();
            this.answering = setup.answering();
            this.proves = setup.proves();
            this.executor = setup.executor();
        }

        List<NodeClient> answering() {
            return answering.get();
        }

        /** Returns the nodes for a look-up: a node that gives no answers at present is not waited for. */
        List<NodeClient> nodes() {
            List<NodeClient> known = answering();
            return known.isEmpty() ? each : known;
        }

        /**
         * Looks up a transaction at each of the nodes, so that one that hides it or lags cannot hide it for all. Fails if no node answers.
         */
        CompletionStage<Found> look(Hash256 txId, List<NodeClient> asked) {
            Votes votes = new Votes(asked.size());
            votes.firstNamed.thenAcceptAsync(
                    place -> proveEarly(txId, place, votes),
                    CompletableFuture.delayedExecutor(EARLY_PROOF_MILLIS, TimeUnit.MILLISECONDS, executor));
            for (NodeClient node : asked) {
                placeOf(node, txId, votes).whenCompleteAsync(votes::add, executor);
            }
            return votes.counted.thenComposeAsync(named -> decide(txId, named), executor);
        }

        /** Does not wait for the other nodes if the followed chain proves the first place that a node has named. */
        private void proveEarly(Hash256 txId, BlockPlace place, Votes votes) {
            if (!votes.counted.isDone() && earlyProofs.tryAcquire()) {
                proves.apply(txId, place)
                        .whenCompleteAsync(
                                (shown, failure) -> {
                                    earlyProofs.release();
                                    if (failure == null && shown) {
                                        votes.proven(place);
                                    }
                                },
                                executor);
            }
        }

        /**
         * Answers of the nodes that are asked for a transaction: counted when enough of them name the same place or one is proven, at the latest when
         * all have come.
         */
        private static final class Votes {
            /** Number of nodes that name each place. Fails if no node answers. */
            final CompletableFuture<Map<BlockPlace, Integer>> counted = new CompletableFuture<>();

            /** Never completed if no node names a place. */
            final CompletableFuture<BlockPlace> firstNamed = new CompletableFuture<>();

            private final Map<BlockPlace, Integer> named = new HashMap<>();
            private int open;
            private boolean answered;

            Votes(int nodes) {
                this.open = nodes;
            }

            /**
             * @param place empty if the node has the transaction in no block
             * @param failure null if the node has answered
             */
            synchronized void add(Optional<BlockPlace> place, Throwable failure) {
                open--;
                answered |= failure == null;
                boolean agreed =
                        failure == null && place.isPresent() && named.merge(place.get(), 1, Integer::sum) >= QUORUM;
                if (agreed || open == 0 && answered) {
                    counted.complete(Map.copyOf(named));
                } else if (open == 0) {
                    counted.completeExceptionally(failure);
                } else if (failure == null) {
                    place.ifPresent(firstNamed::complete);
                }
            }

            /** Counts a place as if enough nodes had named it. */
            void proven(BlockPlace place) {
                counted.complete(Map.of(place, QUORUM));
            }
        }

        private CompletionStage<Found> decide(Hash256 txId, Map<BlockPlace, Integer> named) {
            if (named.isEmpty()) {
                return CompletableFuture.completedStage(new Found.NotInBlock());
            }
            Optional<BlockPlace> agreed = named.entrySet().stream()
                    .filter(place -> place.getValue() >= QUORUM)
                    .map(Map.Entry::getKey)
                    .findFirst();
            return agreed.isPresent()
                    ? CompletableFuture.completedStage(new Found.At(agreed.get()))
                    : proven(txId, named.keySet().iterator());
        }

        private CompletionStage<Found> proven(Hash256 txId, Iterator<BlockPlace> named) {
            if (!named.hasNext()) {
                return CompletableFuture.completedStage(new Found.Unproven());
            }
            BlockPlace place = named.next();
            return proves.apply(txId, place)
                    .thenComposeAsync(
                            shown ->
                                    shown ? CompletableFuture.completedStage(new Found.At(place)) : proven(txId, named),
                            executor);
        }

        /** Returns the place of a block that is on the asked node's best chain and lists the transaction. After the count it is not needed. */
        private CompletionStage<Optional<BlockPlace>> placeOf(NodeClient asked, Hash256 txId, Votes votes) {
            return asked.transaction(txId)
                    .thenComposeAsync(
                            found -> found.filter(tx -> !tx.inMempool() && !votes.counted.isDone())
                                    .map(tx ->
                                            confirmedPlace(asked, txId, new BlockPlace(tx.blockHeight(), tx.blockId())))
                                    .orElse(CompletableFuture.completedStage(Optional.empty())),
                            executor);
        }

        private CompletionStage<Optional<BlockPlace>> confirmedPlace(NodeClient asked, Hash256 txId, BlockPlace place) {
            return asked.blockAt(place.height())
                    .thenApplyAsync(
                            block -> block.filter(named -> named.blockId().equals(place.blockId())
                                            && named.transactions().contains(txId))
                                    .map(named -> place),
                            executor);
        }
    }
}
