package org.chainwalletd.spend;

import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.Broadcast.BroadcastOutcome;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.SpendsInFlight.InFlight;
import org.chainwalletd.spend.UnburiedSpends.Entry;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.Adoption;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.Spending;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows each spend from the end of its running call until it is buried, conflicted or abandoned. There is no actor per spend, because
 * there can be many spends per hour: the states of a spend are methods here, and its data are in {@link SpendsInFlight} and
 * {@link UnburiedSpends}.
 *
 * <p>Spend in flight: looking (in the followed chain) → locating (at the nodes) → accepted, or resending the same bytes when nodes have
 * forgotten it → resting until the next look. Only the followed chain confirms a spend or shows that it has lost; when no node has had it
 * for a long time, its reservations end. Confirmed spend: in doubt → proven by the followed chain → buried, too deep for any expected
 * reorganisation; or in flight again when a reorganisation has removed it.
 *
 * <p>Each finding is written to the store first, then reported to the reservations, then applied in memory. Receives events of the
 * follower; talks to the books, the nodes, the store and the reservations. The actor may stop and start again while the daemon runs. As
 * after a restart of the daemon, it then continues with everything that the store has in flight or not yet buried.
 */
final class SpendMonitor extends AbstractBehavior<SpendMonitor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SpendMonitor.class);

    sealed interface Command {}

    /** Starts loading the spends: the reservations have now sent every open abandonment question. Other messages are stashed until then. */
    record Begin() implements Command {}

    private record Attached(Outcome<ActorRef<Reservations.Command>> reservations) implements Command {}

    private record Loaded(Outcome<Known> known) implements Command {}

    /**
     * Starts watching a spend in flight. A node has just been asked about it, so the first look comes after {@link Pace#firstLook}.
     *
     * @param holdsCoins whether the coins are certainly reserved; otherwise they are reserved again when a mempool has the spend
     */
    record Watch(Intent intent, boolean holdsCoins) implements Command {}

    /** Starts watching a spend that the store records as confirmed, until it is buried. */
    record WatchConfirmed(ConfirmedSpend spend) implements Command {}

    /** Stops watching a spend because a running spend takes it over; {@link Watch} returns it afterwards if it is still in flight. */
    record TakeBack(Hash256 txId) implements Command {}

    /**
     * Prepares to abandon coins: no spend that the question concerns is sent until {@link Release}. {@link Reservations.Withheld} is the
     * answer, sent as soon as none of them is being sent.
     */
    record Withhold(Abandonments.Question question) implements Command {}

    /**
     * Ends {@link Withhold}: the question is settled.
     *
     * @param abandoned transaction ids of the abandoned spends; the store already records them as abandoned
     */
    record Release(Abandonments.Question question, Set<Hash256> abandoned) implements Command {}

    record OthersChanged(IntentStore.Changes changes) implements Command {}

    /** Starts nothing new from now on, because the daemon stops; work in progress continues. */
    record Drain() implements Command {}

    private record Tick() implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    /** Carries the continuation of a request to the chain, a node or the store onto the actor's thread. */
    private record Answered(Runnable next) implements Command {}

    /**
     * Capacity of the stash while the spends are loaded. Each stashed message concerns one spend that a running spend hands over or takes
     * back.
     */
    private static final int STASH_CAPACITY = 100_000;

    /** Maximum number of confirmed spends in one request to the books. */
    private static final int MAX_PER_REQUEST = 500;

    private static final String BY_THE_OPERATOR = "abandoned by the operator";

    /** States in which a spend is no longer watched. */
    private static final Set<IntentState> FINALLY_CLOSED =
            EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED, IntentState.CONTESTED);

    private final Setup setup;
    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final LostParents lostParents;
    private final Clock clock;
    private final Pace pace;
    private final ActorRef<Reservations.Command> reservations;
    private final SpendsInFlight inFlight;
    private final UnburiedSpends unburied;
    private final List<InFlight> sending = new ArrayList<>();
    /** Questions of {@link #withheld} that are not answered yet, because one of their spends is still being sent. */
    private final List<Abandonments.Question> unanswered = new ArrayList<>();

    private final List<Abandonments.Question> withheld = new ArrayList<>();
    private Optional<Hash256> nodesTip = Optional.empty();
    private boolean draining;
    /** Requests to the chain, the nodes and the store that are not answered yet. */
    private final Set<Pending<?>> pending = new LinkedHashSet<>();

    private boolean ended;
    /** Whether the books are being asked about confirmed spends. */
    private boolean reading;

    private long height = -1;
    /**
     * Number of events that put confirmed spends in doubt: disconnected blocks and new starts of following. An answer of the books counts
     * only if this has not changed since the request.
     */
    private long forks;

    private SpendMonitor(ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup, Loaded loaded) {
        super(context);
        this.setup = setup;
        this.env = setup.env();
        this.broadcast = setup.broadcast();
        this.lostParents = new LostParents(env);
        Counts counts = setup.counts();
        this.clock = env.clock();
        this.pace = env.pace();
        this.reservations = setup.reservations().join();
        Known known = loaded.known().value().orElseThrow();
        long now = clock.millis();
        this.inFlight = new SpendsInFlight(known.inFlight(), now, counts.inFlight(), counts.oldest());
        this.unburied = new UnburiedSpends(known.unburied(), counts.unburied());
        this.draining = env.stopped().isPresent();
        timers.startTimerWithFixedDelay(new Tick(), pace.tick());
        env.chain().subscribe(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    /**
     * Watched spends as the store has them.
     *
     * @param inFlight spends in flight, and abandoned ones whose coins are still reserved
     * @param unburied spends that are confirmed and not buried
     */
    record Known(List<Intent> inFlight, List<ConfirmedSpend> unburied) {}

    /**
     * Gauges that the monitor keeps up to date for readers on other threads.
     *
     * @param inFlight number of spends that are broadcast and not yet settled
     * @param unburied number of spends that are confirmed and not yet buried
     * @param oldest creation time of the oldest spend in flight, milliseconds since 1970; 0 when there is none
     */
    record Counts(AtomicInteger inFlight, AtomicInteger unburied, AtomicLong oldest) {
        Counts() {
            this(new AtomicInteger(), new AtomicInteger(), new AtomicLong());
        }

        private void reset() {
            inFlight.set(0);
            unburied.set(0);
            oldest.set(0);
        }
    }

    /**
     * State that outlives a restart of the actor, which may stop and start again while the daemon runs.
     *
     * @param reservations complete when the reservations actor has been started
     * @param known spends as read from the store; null when they may have changed since, so that they must be read again
     */
    record Setup(
            SpendEnvironment env,
            Broadcast broadcast,
            Counts counts,
            CompletableFuture<ActorRef<Reservations.Command>> reservations,
            AtomicReference<Known> known) {
        /** Lets the actor start for the first time, with the spends read from the store. Sets the gauges before that. */
        void begin(ActorRef<Reservations.Command> there, Known first) {
            if (env.isShared()) {
                // Other daemons may change them long before this daemon takes over the background work.
                reservations.complete(there);
                return;
            }
            counts.inFlight().set((int) first.inFlight().stream()
                    .filter(intent -> intent.state().inFlight())
                    .count());
            counts.unburied().set(first.unburied().size());
            known.set(first);
            reservations.complete(there);
        }

        /**
         * Handles a command while the actor is down. The command is dropped, because the next start reads the store again; a request to abandon is
         * refused.
         */
        void whileStopped(Command command) {
            known.set(null);
            if (command instanceof Withhold withhold) {
                reservations.join().tell(new Reservations.NotWithheld(withhold.question()));
            }
        }

        private CompletionStage<Known> read() {
            CompletableFuture<List<ConfirmedSpend>> unburied =
                    env.intents().unburied().toCompletableFuture();
            return env.intents().inFlight().thenCombineAsync(unburied, Known::new, env.executor());
        }
    }

    static Behavior<Command> create(Setup setup) {
        return Behaviors.withStash(
                STASH_CAPACITY,
                stash -> Behaviors.setup(context -> {
                    Outcome.pipe(context, setup.reservations(), Attached::new);
                    return starting(context, stash, setup);
                }));
    }

    /** Stashes commands until the reservations actor exists and the spends are loaded. */
    private static Behavior<Command> starting(ActorContext<Command> context, StashBuffer<Command> stash, Setup setup) {
        return Behaviors.receive(Command.class)
                .onMessage(Attached.class, attached -> {
                    attached.reservations().value().orElseThrow().tell(new Reservations.MonitorStarts());
                    return Behaviors.same();
                })
                .onMessage(Begin.class, begin -> load(context, setup))
                .onMessage(Loaded.class, loaded -> loaded(context, stash, setup, loaded))
                .onAnyMessage(early -> {
                    stash.stash(early);
                    return Behaviors.same();
                })
                .build();
    }

    private static Behavior<Command> load(ActorContext<Command> context, Setup setup) {
        Known first = setup.known().getAndSet(null);
        Outcome.pipe(context, first == null ? setup.read() : CompletableFuture.completedFuture(first), Loaded::new);
        return Behaviors.same();
    }

    private static Behavior<Command> loaded(
            ActorContext<Command> context, StashBuffer<Command> stash, Setup setup, Loaded loaded) {
        if (loaded.known().failure().isPresent()) {
            LOG.error(
                    "the spends in flight cannot be read yet: {}",
                    Broadcast.messageOf(loaded.known().failure().get()));
            context.scheduleOnce(setup.env().pace().firstLook(), context.getSelf(), new Begin());
            return Behaviors.same();
        }
        return stash.unstashAll(
                Behaviors.withTimers(timers -> new SpendMonitor(context, timers, setup, loaded).tick()));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::watch)
                .onMessage(WatchConfirmed.class, this::watchConfirmed)
                .onMessage(TakeBack.class, this::takeBack)
                .onMessage(Withhold.class, this::withhold)
                .onMessage(Release.class, this::release)
                .onMessage(OthersChanged.class, this::othersChanged)
                .onMessage(Drain.class, command -> drain())
                .onMessage(Tick.class, command -> tick())
                .onMessage(Followed.class, this::followed)
                .onMessage(Answered.class, this::answered)
                .onSignal(PostStop.class, signal -> ended())
                .build();
    }

    private Behavior<Command> watch(Watch command) {
        inFlight.add(
                command.intent(),
                command.holdsCoins(),
                clock.millis(),
                pace.firstLook().toMillis());
        return this;
    }

    private Behavior<Command> watchConfirmed(WatchConfirmed command) {
        command.spend()
                .place()
                .ifPresent(place -> reservations.tell(
                        new Reservations.Confirmed(command.spend().spend())));
        unburied.add(command.spend());
        return this;
    }

    private Behavior<Command> takeBack(TakeBack command) {
        inFlight.remove(command.txId());
        return lookAtDue();
    }

    private Behavior<Command> othersChanged(OthersChanged command) {
        if (command.changes().incomplete()) {
            ask(
                    setup::read,
                    known -> known.match(this::compare, failure -> {
                        LOG.error("the spends of other daemons cannot be read yet: {}", Broadcast.messageOf(failure));
                        getContext().scheduleOnce(pace.firstLook(), getContext().getSelf(), command);
                    }));
        }
        command.changes().spends().forEach(this::follow);
        return lookAtDue();
    }

    /** Adopts everything that the store has, and asks it about the watched spends that it does not list. */
    private void compare(Known known) {
        Set<Hash256> listed = known.inFlight().stream().map(Intent::txId).collect(Collectors.toSet());
        known.inFlight().forEach(spend -> follow(new IntentStore.Changed(spend, true, false)));
        known.unburied().stream()
                .filter(spend -> unburied.get(spend.txId()) == null
                        && inFlight.find(spend.txId()).isEmpty())
                .forEach(spend -> watchConfirmed(new WatchConfirmed(spend)));
        inFlight.all().stream()
                .filter(spend -> !listed.contains(spend.txId()))
                .forEach(spend -> ask(
                        spend,
                        () -> env.intents().find(spend.txId()),
                        found -> found.value()
                                .ifPresent(there -> there.ifPresentOrElse(
                                        now -> follow(new IntentStore.Changed(now, false, false)),
                                        () -> adopt(spend, Optional.empty())))));
    }

    /** Follows a spend that another daemon has changed: starts watching it, or adopts its new state. */
    private void follow(IntentStore.Changed changed) {
        Intent now = changed.spend();
        Optional<InFlight> watched = inFlight.find(now.txId());
        boolean open = now.state().inFlight();
        if (open && watched.filter(InFlight::isInFlight).isPresent()) {
            if (now.state() == IntentState.ACCEPTED && watched.get().state() == IntentState.PREPARED) {
                watched.get().accepted(clock.millis());
            }
        } else if (open || now.state() == IntentState.ABANDONED && watched.isEmpty() && changed.holdsCoins()) {
            unburied.remove(now.txId());
            if (changed.holdsCoins()) {
                reservations.tell(new Reservations.ReservedAgain(now));
            }
            inFlight.add(now, false, clock.millis(), pace.firstLook().toMillis());
        } else if (now.state() == IntentState.ABANDONED) {
            watched.filter(InFlight::isInFlight)
                    .ifPresent(spend -> inFlight.abandon(spend, "abandoned by another daemon", clock.millis()));
        } else if (watched.isPresent()) {
            adopt(watched.get(), Optional.of(now.state()));
        } else if (now.state() != IntentState.CONFIRMED) {
            reservations.tell(new Reservations.End(now.txId()));
        } else if (!changed.buried() && unburied.get(now.txId()) == null) {
            watchConfirmed(
                    new WatchConfirmed(new ConfirmedSpend(PackedSpend.of(now.txId(), now.inputs()), Optional.empty())));
        }
    }

    private Behavior<Command> drain() {
        draining = true;
        return this;
    }

    /** Makes all spends in flight due when a node names a new tip ahead of the followed chain, so that the nodes are asked about them. */
    private Behavior<Command> tick() {
        Optional<Hash256> newest = env.chainView()
                .tip()
                .get()
                .filter(this::isAhead)
                .map(NodeClient.Tip::blockId)
                .or(() -> nodesTip);
        if (!newest.equals(nodesTip)) {
            nodesTip = newest;
            inFlight.makeAllDue(clock.millis());
        }
        readDoubts();
        return lookAtDue();
    }

    private boolean isAhead(NodeClient.Tip tip) {
        return env.chain()
                .tip()
                .filter(followed -> Long.compareUnsigned(followed.height(), tip.height()) >= 0)
                .isEmpty();
    }

    /**
     * Handles an event of the followed chain. A disconnected block makes no spend in flight due, but puts spends confirmed at its height or
     * above in doubt.
     */
    private Behavior<Command> followed(Followed command) {
        if (command.event() instanceof FollowEvent.Disconnected gone) {
            height = gone.block().height() - 1;
            reservations.tell(new Reservations.Forked());
            doubtFrom(gone.block().height());
        } else if (command.event() instanceof FollowEvent.Positioned positioned) {
            // Events before this one were not reported.
            height = positioned.tip().height();
            doubtFrom(0);
        } else if (command.event() instanceof FollowEvent.Connected connected) {
            height = connected.block().height();
        } else if (command.event() instanceof FollowEvent.Advanced advanced) {
            height = advanced.to().height();
        } else if (command.event() instanceof FollowEvent.Joined joined) {
            height = joined.tip().height();
        }
        if (!(command.event() instanceof FollowEvent.Disconnected)) {
            inFlight.makeAllDue(clock.millis());
        }
        unburied.makeAllDue();
        if (!draining) {
            bury(unburied.provenUpTo(deepest()));
        }
        readDoubts();
        return lookAtDue();
    }

    /**
     * Runs the continuation, then starts further looks at once: an ended look makes room for another, so that many spends need not wait for
     * the tick.
     */
    private Behavior<Command> answered(Answered command) {
        command.next().run();
        return lookAtDue();
    }

    /** Open request with the continuation that handles its answer. */
    private record Pending<T>(CompletableFuture<T> asked, Consumer<Outcome<T>> then) {}

    private <T> void ask(Supplier<CompletionStage<T>> question, Consumer<Outcome<T>> then) {
        if (ended) {
            return;
        }
        Pending<T> request = new Pending<>(question.get().toCompletableFuture(), then);
        pending.add(request);
        Outcome.pipe(
                getContext(),
                request.asked(),
                answer -> new Answered(() -> {
                    pending.remove(request);
                    request.then().accept(answer);
                }));
    }

    /** Sends a request about a spend. The answer is dropped when the spend is no longer watched, or has been added anew since. */
    private <T> void ask(InFlight spend, Supplier<CompletionStage<T>> question, Consumer<Outcome<T>> then) {
        ask(question, answer -> {
            if (inFlight.has(spend)) {
                then.accept(answer);
            }
        });
    }

    /**
     * Handles the stop of this actor. Open answers are still handled, one at a time, so that the reservations learn of each write; nothing
     * more is asked. The next start of the actor reads the rest from the store.
     */
    private Behavior<Command> ended() {
        ended = true;
        if (env.isShared()) {
            reservations.tell(new Reservations.MonitorStopped());
        }
        inFlight.retire();
        unburied.retire();
        if (env.isShared()) {
            // Another daemon counts them now.
            setup.counts().reset();
        }
        unanswered.forEach(question -> reservations.tell(new Reservations.NotWithheld(question)));
        unanswered.clear();
        List.copyOf(pending).forEach(this::readAfterEnd);
        return this;
    }

    private <T> void readAfterEnd(Pending<T> request) {
        request.asked()
                .whenCompleteAsync(
                        (answer, failure) -> {
                            synchronized (pending) {
                                request.then().accept(Outcome.of(answer, failure));
                            }
                        },
                        env.executor());
    }

    /** Stops sending the spends that the question concerns, so that no spend reaches a node just after it was abandoned. */
    private Behavior<Command> withhold(Withhold command) {
        withheld.add(command.question());
        unanswered.add(command.question());
        answerWithheld();
        return this;
    }

    /** Answers each question once, as soon as none of its spends is being sent. */
    private void answerWithheld() {
        unanswered.removeIf(question -> {
            boolean idle = sending.stream().noneMatch(spend -> concerns(question, spend));
            if (idle) {
                reservations.tell(new Reservations.Withheld(question, unreserved(question)));
            }
            return idle;
        });
    }

    private static boolean concerns(Abandonments.Question question, InFlight spend) {
        return question.concerns(spend.txId(), spend.outpoints());
    }

    private Set<Hash256> unreserved(Abandonments.Question question) {
        return inFlight.all().stream()
                .filter(spend -> spend.isInFlight() && spend.spendsAnyOf(question.free()))
                .map(InFlight::txId)
                .collect(Collectors.toSet());
    }

    private Behavior<Command> release(Release command) {
        for (InFlight spend : inFlight.all()) {
            if (spend.isInFlight() && command.abandoned().contains(spend.txId())) {
                LOG.info("spend {} was abandoned", spend.txId());
                abandoned(spend);
            }
        }
        withheld.remove(command.question());
        return this;
    }

    /**
     * Stops sending an abandoned spend. It is still watched while its coins are reserved, or, if only the chain closes it, until the chain
     * does.
     */
    private void abandoned(InFlight spend) {
        inFlight.abandon(spend, BY_THE_OPERATOR, clock.millis());
        env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.ABANDONED);
        if (!spend.isReserved() && !StandIns.onlyChainCloses(spend.intent().kind())) {
            inFlight.remove(spend.txId());
        }
    }

    private Behavior<Command> lookAtDue() {
        if (!draining) {
            inFlight.beginDue(clock.millis(), pace.longest().toMillis()).forEach(this::look);
        }
        return this;
    }

    /**
     * Asks the followed chain about a spend. When the chain cannot answer, or has neither the spend nor a conflicting one, the nodes are
     * asked. A spend that is still running is left to its call, however long that takes: a resend from here would make the call find, at
     * its first send, that a node already has the bytes, and would hide that a node has them from another party.
     */
    private void look(InFlight spend) {
        if (broadcast.running().isRunning(spend.txId())) {
            pause(spend);
            return;
        }
        ask(
                spend,
                () -> env.chain().fates(List.of(spend.question())),
                chain -> judge(spend, chain.value().flatMap(Function.identity())));
    }

    private void judge(InFlight spend, Optional<SpendChain.Fates> chain) {
        Optional<SpendingBooks.Fate> fate = chain.map(read -> read.fates().get(0));
        if (fate.isPresent() && fate.get() instanceof SpendingBooks.Fate.InBlock mined) {
            confirm(spend, mined.place(), spend.state());
        } else if (fate.isPresent() && fate.get() instanceof SpendingBooks.Fate.Lost lost) {
            lost(spend, lost.to(), chain.get().tip());
        } else {
            locate(spend, chain.map(SpendChain.Fates::tip));
        }
    }

    private void lost(InFlight spend, Spending other, BlockPlace tip) {
        if (keepsCoins(spend, other, tip) || mayComeBack(spend, other, tip)) {
            pause(spend);
            return;
        }
        reservations.tell(new Reservations.SpentElsewhere(other.outpoint()));
        conflicted(
                spend,
                "its input " + other.outpoint() + " was spent by " + other.by() + " in block "
                        + other.place().blockId());
    }

    /**
     * Whether an abandoned spend must still hold all its coins. It must while its rival can still disappear: because the rival's block is
     * not buried, or because another spend of its coins is in flight, so that the block spent only a different input.
     */
    private boolean keepsCoins(InFlight spend, Spending other, BlockPlace tip) {
        return StandIns.keepsCoins(spend.intent())
                && (!pace.isBuried(other.place(), tip) || inFlight.hasRivalInFlight(spend));
    }

    /** Whether only the chain may close this kind of spend and it may still be mined, if a reorganisation removes the rival's block. */
    private boolean mayComeBack(InFlight spend, Spending other, BlockPlace tip) {
        return StandIns.onlyChainCloses(spend.intent().kind()) && !pace.isBuried(other.place(), tip);
    }

    /**
     * @param read tip of the followed chain, which did not contain the spend; empty when the chain gave no answer
     */
    private void locate(InFlight spend, Optional<BlockPlace> read) {
        ask(
                spend,
                () -> broadcast.lookup().sight(spend.txId()),
                sighting -> sighting.match(seen -> located(spend, seen, read), failure -> {
                    LOG.debug("spend {}: the nodes cannot be asked: {}", spend.txId(), Broadcast.messageOf(failure));
                    pause(spend);
                }));
    }

    /**
     * Decides how to continue after the nodes have answered. A node's claim confirms nothing: a block above the followed tip has still to
     * be followed, and one at or below it must be proven.
     */
    private void located(InFlight spend, Lookup.Sighting sighting, Optional<BlockPlace> read) {
        if (sighting.waiting()) {
            seenAtNode(spend, sighting);
        } else if (sighting.block().isEmpty()) {
            forgotten(spend, sighting);
        } else if (read.filter(
                        tip -> Long.compareUnsigned(sighting.block().get().height(), tip.height()) <= 0)
                .isEmpty()) {
            seenAtNode(spend, sighting);
        } else {
            prove(spend, sighting);
        }
    }

    /** Checks whether the followed chain has the spend in the block that a node names, although the books do not show it. */
    private void prove(InFlight spend, Lookup.Sighting sighting) {
        BlockPlace place = sighting.block().orElseThrow();
        ask(spend, () -> env.chain().proves(spend.txId(), place), proven -> {
            if (proven.value().orElse(false)) {
                confirm(spend, place, spend.state());
                return;
            }
            LOG.warn(
                    "a node claims that spend {} is in block {}, which the followed chain does not confirm",
                    spend.txId(),
                    place.blockId());
            forgotten(spend, sighting);
        });
    }

    /**
     * Handles the claim of some node to have the spend. The bytes are also sent to a node that lacks them, so that the payment does not
     * depend on that claim.
     */
    private void seenAtNode(InFlight spend, Lookup.Sighting sighting) {
        spend.seenInMempool();
        if (sighting.lacking().isEmpty() || !spend.isInFlight() || !maySend(spend)) {
            accepted(spend);
            return;
        }
        LOG.info("spend {} is not known to every node: sending the same bytes to one that lacks it", spend.txId());
        send(spend, sighting);
    }

    /**
     * Handles that no node has the spend. It is lost when a spend of ours that was to create one of its coins is lost for good. For kinds
     * that only the chain closes, this is checked even when the spend is no longer sent, as for an abandoned batch.
     */
    private void forgotten(InFlight spend, Lookup.Sighting sighting) {
        spend.seenNowhere();
        if (!StandIns.onlyChainCloses(spend.intent().kind()) && !spend.isInFlight()) {
            forgottenWithParents(spend, sighting);
            return;
        }
        ask(spend, () -> lostParents.among(spend.parents()), lost -> {
            Optional<Hash256> parent = lost.value().flatMap(Function.identity());
            if (parent.isEmpty()) {
                forgottenWithParents(spend, sighting);
            } else if (StandIns.keepsCoins(spend.intent()) && inFlight.hasRivalInFlight(spend)) {
                rest(spend);
            } else {
                lostWith(spend, parent.get());
            }
        });
    }

    /**
     * Resends the spend, unless its parent is in flight: a transaction whose parent is not mined cannot enter a mempool, so only the parent
     * is sent now, and this spend once the parent is in a block.
     */
    private void forgottenWithParents(InFlight spend, Lookup.Sighting sighting) {
        if (spend.state() == IntentState.ABANDONED) {
            rest(spend);
        } else if (inFlight.hasParentInFlight(spend)) {
            spend.waitsForParent();
            rest(spend);
        } else if (!maySend(spend)) {
            rest(spend);
        } else {
            LOG.info("spend {} is not known to the nodes: sending the same bytes again", spend.txId());
            send(spend, sighting);
        }
    }

    private boolean maySend(InFlight spend) {
        return !OwnerRebroadcasts.areFor(spend.intent().kind())
                && withheld.stream().noneMatch(question -> concerns(question, spend))
                && spend.maySend(clock.millis(), pace.longestBetweenSends().toMillis());
    }

    /** Takes the spend over in the store, then resends the same bytes. While another live daemon runs the spend, that daemon sends it. */
    private void send(InFlight spend, Lookup.Sighting sighting) {
        if (ended) {
            return;
        }
        broadcast.running().begin(spend.txId());
        ask(() -> adoption(spend), answer -> {
            boolean ours =
                    answer.value().filter(Adoption.Ours.class::isInstance).isPresent();
            if (ours && !ended && inFlight.has(spend) && maySend(spend)) {
                sendAdopted(spend, sighting);
                return;
            }
            broadcast.running().end(spend.txId());
            logFailure(spend.txId(), answer);
            if (inFlight.has(spend)) {
                notAdopted(spend, ours, answer.value());
            }
        });
    }

    /**
     * Takes the spend over in the store. A spend that was refused in its call while it was watched here must not be sent: its caller was
     * told that nothing is paid. A store of a single process has no takeover; only the state is read.
     */
    private CompletionStage<Adoption> adoption(InFlight spend) {
        return env.isShared()
                ? env.intents().adopt(spend.txId())
                : env.intents().find(spend.txId()).thenApplyAsync(SpendMonitor::adoption, env.executor());
    }

    private static Adoption adoption(Optional<Intent> found) {
        Optional<IntentState> state = found.map(Intent::state);
        return state.filter(IntentState::inFlight).isPresent() ? new Adoption.Ours() : new Adoption.Moved(state);
    }

    private void notAdopted(InFlight spend, boolean ours, Optional<Adoption> adoption) {
        if (ours) {
            rest(spend);
        } else if (adoption.isPresent() && adoption.get() instanceof Adoption.Moved moved) {
            adopt(spend, moved.found());
        } else {
            pause(spend);
        }
    }

    /** Sends to the next of the nodes that lack the bytes. */
    private void sendAdopted(InFlight spend, Lookup.Sighting sighting) {
        env.metrics().sentAgain();
        sending.add(spend);
        int before = spend.beginSend(
                clock.millis(),
                pace.firstLook().toMillis(),
                pace.longestBetweenSends().toMillis());
        List<Integer> lacking = sighting.lacking();
        int first = lacking.isEmpty() ? before : lacking.get(before % lacking.size());
        ask(() -> broadcast.sendAgain(spend.txId(), spend.intent().transaction(), first), answer -> {
            broadcast.running().end(spend.txId());
            sending.remove(spend);
            answerWithheld();
            if (inFlight.has(spend)) {
                sent(
                        spend,
                        answer.fold(
                                Function.identity(),
                                cause -> new BroadcastOutcome.Unknown(Broadcast.messageOf(cause))));
            }
        });
    }

    private void sent(InFlight spend, BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted || spend.isInMempool()) {
            spend.seenInMempool();
            accepted(spend);
            return;
        }
        LOG.info("spend {} is still not accepted: {}", spend.txId(), outcome);
        Optional<Hash256> parent = outcome instanceof BroadcastOutcome.Unknown unknown
                ? Broadcast.missingOutput(unknown.text()).map(Outpoint::txId)
                : Optional.empty();
        if (parent.isEmpty() || !spend.spendsOutputOf(parent.get())) {
            rest(spend);
        } else {
            ask(
                    spend,
                    () -> env.intents().find(parent.get()),
                    found -> parentFound(spend, found.value().flatMap(Function.identity())));
        }
    }

    /**
     * Marks the spend as conflicted when its parent lost against another transaction: the output that it spends does not exist, so it can
     * never confirm. A spend that only the chain may close waits until its parent is lost for good, see {@link #forgotten}.
     */
    private void parentFound(InFlight spend, Optional<Intent> parent) {
        parent.filter(found -> found.state() == IntentState.CONFLICTED)
                .filter(found -> !StandIns.onlyChainCloses(spend.intent().kind()))
                .ifPresentOrElse(lost -> lostWith(spend, lost.txId()), () -> rest(spend));
    }

    private void lostWith(InFlight spend, Hash256 parent) {
        conflicted(spend, "it spends an output of " + parent + ", which has lost against another transaction");
    }

    /**
     * Handles that a mempool has the spend. Its coins are reserved again if their reservations have ended or may have ended, so that no
     * other spend chooses them.
     */
    private void accepted(InFlight spend) {
        if (spend.needsReservations()) {
            ask(() -> env.reservations().reserveAgain(spend.txId()), written -> reservedAgain(spend, written));
        } else {
            acceptedWithCoins(spend);
        }
    }

    /**
     * Reports to the reservations that the coins are held again, unless a running spend has taken the spend over meanwhile. That running
     * spend may have failed since, and the coins would then be held for no spend until the next start. The next watch reserves them again.
     */
    private void reservedAgain(InFlight spend, Outcome<Transition> written) {
        logFailure(spend.txId(), written);
        if (!inFlight.has(spend)) {
            return;
        }
        if (isMade(written)) {
            reservations.tell(new Reservations.ReservedAgain(spend.intent()));
            spend.reservedAgain();
        }
        acceptedWithCoins(spend);
    }

    private void acceptedWithCoins(InFlight spend) {
        if (spend.state() != IntentState.PREPARED) {
            rest(spend);
            return;
        }
        ask(() -> env.intents().accept(spend.txId(), Set.of(spend.state()), clock.millis()), written -> {
            if (succeeded(spend, written) && inFlight.has(spend)) {
                if (spend.isInFlight()) {
                    spend.accepted(clock.millis());
                }
                rest(spend);
            }
        });
    }

    /**
     * Ends the reservations of the spend when their time is over; otherwise only schedules the next look. Called only after the nodes have
     * answered about the spend.
     */
    private void rest(InFlight spend) {
        if (!spend.reservationsExpire(clock.millis(), pace.reservationTtl().toMillis())) {
            pause(spend);
            return;
        }
        LOG.info("the reservations of spend {} have timed out and no mempool has it", spend.txId());
        ask(
                spend,
                () -> env.reservations().end(spend.txId(), spend.state()),
                written -> reservationsEnded(spend, written));
    }

    /**
     * Handles the end of the reservations in the store. Not called if a running spend has taken the spend over meanwhile: it may have
     * reserved the coins again, which only the next watch can find out.
     */
    private void reservationsEnded(InFlight spend, Outcome<Transition> written) {
        boolean gone = stale(written).filter(stale -> stale.found().isEmpty()).isPresent();
        if (!gone && !succeeded(spend, written)) {
            return;
        }
        spend.reservationsEnded();
        if (spend.state() == IntentState.ABANDONED) {
            reservations.tell(new Reservations.End(spend.txId()));
            inFlight.remove(spend.txId());
        } else {
            reservations.tell(new Reservations.Lapsed(spend.intent()));
            pause(spend);
        }
    }

    /** Schedules the next look; the only action when nothing could be determined or written. */
    private void pause(InFlight spend) {
        inFlight.sleep(spend, clock.millis(), pace);
    }

    /**
     * Records that the spend can never confirm. A write made for an earlier watch of the spend still frees the coins and wakes the spends
     * of its outputs, but does not by itself end the present watch.
     */
    private void conflicted(InFlight spend, String text) {
        LOG.warn("spend {} can never confirm: {}", spend.txId(), text);
        ask(() -> lose(spend, text), written -> {
            if (!succeeded(spend, written)) {
                return;
            }
            LOG.info("spend {} is {}", spend.txId(), IntentState.CONFLICTED);
            reservations.tell(new Reservations.End(spend.txId()));
            if (inFlight.has(spend)) {
                env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.CONFLICTED);
            }
            leave(spend);
        });
    }

    private CompletionStage<Transition> lose(InFlight spend, String text) {
        return StandIns.onlyChainCloses(spend.intent().kind())
                ? env.intents().loseForGood(spend.txId(), spend.state(), text, clock.millis())
                : new OutcomeWrites(env).failed(spend.intent(), IntentState.CONFLICTED, text, true);
    }

    /**
     * @param before state that the store has now. Confirming overrides even a state that closed the spend as lost, since a block is
     *     stronger evidence.
     */
    private void confirm(InFlight spend, BlockPlace place, IntentState before) {
        ask(() -> env.intents().confirm(spend.txId(), before, place, clock.millis()), written -> {
            Optional<IntentState> lost =
                    stale(written).flatMap(Transition.Stale::found).filter(OutcomeWrites.LOST::contains);
            if (lost.isPresent() && inFlight.has(spend)) {
                confirm(spend, place, lost.get());
            } else if (succeeded(spend, written)) {
                LOG.info("spend {} is CONFIRMED", spend.txId());
                env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.CONFIRMED);
                confirmed(spend, Optional.of(place));
            }
        });
    }

    private void confirmed(InFlight spend, Optional<BlockPlace> place) {
        PackedSpend packed = PackedSpend.of(spend.txId(), spend.intent().inputs());
        reservations.tell(new Reservations.Confirmed(packed));
        unburied.add(new ConfirmedSpend(packed, place));
        leave(spend);
    }

    private void leave(InFlight spend) {
        inFlight.parentSettled(spend.txId(), clock.millis());
        if (inFlight.has(spend)) {
            inFlight.remove(spend.txId());
        }
    }

    /** Whether the write was made. If not, a spend that is still watched adopts the state in the store, or is looked at again later. */
    private boolean succeeded(InFlight spend, Outcome<Transition> written) {
        if (isMade(written)) {
            return true;
        }
        logFailure(spend.txId(), written);
        if (inFlight.has(spend)) {
            stale(written).ifPresentOrElse(stale -> adopt(spend, stale.found()), () -> pause(spend));
        }
        return false;
    }

    private static boolean isMade(Outcome<Transition> written) {
        return written.value().filter(Transition.Made.class::isInstance).isPresent();
    }

    private static Optional<Transition.Stale> stale(Outcome<Transition> written) {
        return written.value().filter(Transition.Stale.class::isInstance).map(Transition.Stale.class::cast);
    }

    private static void logFailure(Hash256 txId, Outcome<?> written) {
        written.failure().ifPresent(failure -> {
            if (isForOtherDaemon(failure)) {
                LOG.info("spend {}: {}", txId, Broadcast.messageOf(failure));
            } else {
                LOG.error("spend {}: {}", txId, Broadcast.messageOf(failure));
            }
        });
    }

    /** Whether the failure means that another daemon must act first, or does the background work. */
    private static boolean isForOtherDaemon(Throwable failure) {
        return Causes.of(failure) instanceof StoreException store
                && (store.reason() == StoreException.Reason.BUSY || store.reason() == StoreException.Reason.NOT_KEEPER);
    }

    /**
     * Adopts the store's state for a spend that is no longer in the state in which it is watched. This happens after a running spend has
     * returned it with outdated knowledge, or after a write of ours whose answer was lost. The reservations may not know of the change, or
     * the running spend may have sent them an older state since, so they are told now.
     */
    private void adopt(InFlight spend, Optional<IntentState> found) {
        LOG.info("the state of spend {} has changed meanwhile: {}", spend.txId(), found);
        if (found.isEmpty() || FINALLY_CLOSED.contains(found.get())) {
            reservations.tell(new Reservations.End(spend.txId()));
            leave(spend);
        } else if (found.get() == IntentState.CONFIRMED) {
            confirmed(spend, Optional.empty());
        } else {
            if (found.get() == IntentState.ABANDONED && spend.isInFlight()) {
                inFlight.abandon(spend, "abandoned meanwhile", clock.millis());
            } else if (found.get().inFlight() && found.get() != spend.state()) {
                inFlight.follow(spend, found.get(), clock.millis());
            }
            pause(spend);
        }
    }

    private void doubtFrom(long first) {
        forks++;
        unburied.doubtFrom(first);
    }

    private long deepest() {
        return height - pace.burialDepth() + 1;
    }

    /** Asks the books about confirmed spends in doubt, at most {@link #MAX_PER_REQUEST} at a time. */
    private void readDoubts() {
        if (draining || reading || height < 0) {
            return;
        }
        List<Entry> due = unburied.inDoubt().stream()
                .filter(entry -> !entry.isBusy() && isDue(unburied.dueAt(entry)) && isReached(entry))
                .limit(MAX_PER_REQUEST)
                .toList();
        if (due.isEmpty()) {
            return;
        }
        reading = true;
        due.forEach(Entry::begin);
        long asked = forks;
        ask(() -> env.chain().fates(due.stream().map(Entry::question).toList()), chain -> read(due, asked, chain));
    }

    /**
     * Whether the time {@code at}, in milliseconds since 1970, has come. A time too far in the future counts as due, because a clock that
     * was set back must not stop the watch.
     */
    private boolean isDue(long at) {
        long now = clock.millis();
        return at <= now || at > now + pace.firstLook().toMillis();
    }

    /**
     * Whether the followed chain reaches the height of the block in which the spend was confirmed. A shorter chain proves nothing yet:
     * after a reorganisation the new branch arrives block by block.
     */
    private boolean isReached(Entry entry) {
        return entry.spend().place().filter(place -> place.height() > height).isEmpty();
    }

    /**
     * @param asked value of {@link #forks} when the request to the books was sent
     */
    private void read(List<Entry> due, long asked, Outcome<Optional<SpendChain.Fates>> answer) {
        reading = false;
        answer.failure().ifPresent(failure -> LOG.error("the books cannot be asked: {}", Broadcast.messageOf(failure)));
        Optional<SpendChain.Fates> chain =
                asked == forks ? answer.value().flatMap(Function.identity()) : Optional.empty();
        if (chain.isEmpty()) {
            due.forEach(this::later);
            return;
        }
        List<Entry> deep = new ArrayList<>();
        for (int i = 0; i < due.size(); i++) {
            judge(due.get(i), chain.get().tip(), chain.get().fates().get(i), deep);
        }
        bury(deep);
        readDoubts();
    }

    private void judge(Entry entry, BlockPlace tip, SpendingBooks.Fate fate, List<Entry> deep) {
        Optional<BlockPlace> last = entry.spend().place();
        if (fate instanceof SpendingBooks.Fate.InBlock mined) {
            inBlock(entry, mined.place(), deep);
        } else if (last.filter(place -> place.height() > tip.height()).isPresent()) {
            later(entry);
        } else if (fate instanceof SpendingBooks.Fate.TooDeep) {
            prove(entry, last.orElseThrow());
        } else if (last.isEmpty() && fate instanceof SpendingBooks.Fate.Open) {
            search(entry);
        } else {
            unconfirm(entry);
        }
    }

    /**
     * @param deep receives the entry if its block is deep enough to be buried
     */
    private void inBlock(Entry entry, BlockPlace place, List<Entry> deep) {
        if (entry.mayBePutBack() || !entry.spend().place().equals(Optional.of(place))) {
            move(entry, place);
            return;
        }
        unburied.proven(entry);
        if (place.height() <= deepest()) {
            deep.add(entry);
        }
    }

    /** Asks the followed chain itself about a confirmed spend, because the books do not cover its block. */
    private void prove(Entry entry, BlockPlace place) {
        ask(() -> env.chain().proves(entry.txId(), place), proven -> {
            if (proven.value().orElse(false)) {
                found(entry, place);
            } else {
                later(entry);
            }
            readDoubts();
        });
    }

    private void found(Entry entry, BlockPlace place) {
        List<Entry> deep = new ArrayList<>();
        inBlock(entry, place, deep);
        bury(deep);
    }

    /**
     * Asks the nodes for the block of a confirmed spend, which an older release did not record. A spend that no node reports as mined is
     * put back in flight. It is then resent with the same bytes, so nothing is lost if it was mined after all.
     */
    private void search(Entry entry) {
        ask(() -> broadcast.lookup().find(entry.txId()), found -> {
            Optional<BlockPlace> place = found.value()
                    .flatMap(Function.identity())
                    .filter(tx -> tx.blockHeight() != null)
                    .map(tx -> new BlockPlace(tx.blockHeight(), tx.blockId()));
            if (place.isPresent()) {
                prove(entry, place.get());
                return;
            }
            if (found.failure().isPresent()) {
                later(entry);
            } else {
                unconfirm(entry);
            }
            readDoubts();
        });
    }

    private void later(Entry entry) {
        unburied.later(entry, clock.millis() + pace.firstLook().toMillis());
    }

    private void notWritten(Entry entry, Throwable failure) {
        LOG.error("spend {}: {}", entry.txId(), Broadcast.messageOf(failure));
        later(entry);
    }

    private void move(Entry entry, BlockPlace place) {
        LOG.info("spend {} is now in block {} at height {}", entry.txId(), place.blockId(), place.height());
        ask(
                () -> env.intents().confirm(entry.txId(), IntentState.CONFIRMED, place, clock.millis()),
                written -> written.match(
                        transition -> moved(entry, place, transition), failure -> notWritten(entry, failure)));
    }

    private void moved(Entry entry, BlockPlace place, Transition transition) {
        if (transition instanceof Transition.Stale stale) {
            notConfirmed(entry, stale.found());
        } else {
            unburied.move(entry, place);
            readDoubts();
        }
    }

    /**
     * Puts a confirmed spend that is no longer on the chain back in flight. If the write fails, for example because the disk fails in the
     * middle of it, its outcome is unknown and the entry is marked accordingly.
     */
    private void unconfirm(Entry entry) {
        LOG.warn("spend {} was confirmed and is no longer on the chain: it is in flight again", entry.txId());
        ask(
                () -> env.intents().unconfirm(entry.txId(), clock.millis()),
                written -> written.match(outcome -> unconfirmed(entry, outcome), failure -> {
                    entry.putBackPerhaps();
                    notWritten(entry, failure);
                }));
    }

    private void unconfirmed(Entry entry, Unconfirmation outcome) {
        CrashPoint.SPEND_AFTER_REORGANISATION.reached();
        if (outcome instanceof Unconfirmation.NotConfirmed not) {
            notConfirmed(entry, not.found());
        } else if (outcome instanceof Unconfirmation.BackInFlight back) {
            inFlightAgain(back.intent());
        }
    }

    /**
     * Handles that the store no longer has the spend as confirmed. If it is in flight, the reason may be a write of ours whose answer was
     * lost; it is then not watched yet, and watching starts here.
     */
    private void notConfirmed(Entry entry, Optional<IntentState> found) {
        if (found.filter(IntentState::inFlight).isEmpty()) {
            unburied.remove(entry.txId());
            return;
        }
        ask(
                () -> env.intents().find(entry.txId()),
                intent -> intent.match(there -> reread(entry, there), failure -> notWritten(entry, failure)));
    }

    private void reread(Entry entry, Optional<Intent> intent) {
        Optional<IntentState> state = intent.map(Intent::state);
        if (state.equals(Optional.of(IntentState.CONFIRMED))) {
            later(entry);
        } else if (state.filter(IntentState::inFlight).isPresent()) {
            inFlightAgain(intent.orElseThrow());
        } else {
            unburied.remove(entry.txId());
        }
    }

    private void inFlightAgain(Intent intent) {
        env.metrics().reorganised();
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.REORGANISED);
        reservations.tell(new Reservations.ReservedAgain(intent));
        inFlight.add(intent, true, clock.millis(), 0);
        unburied.remove(intent.txId());
    }

    private void bury(List<Entry> deep) {
        if (deep.isEmpty()) {
            return;
        }
        deep.forEach(Entry::begin);
        ask(
                () -> env.intents().bury(deep.stream().map(Entry::txId).toList()),
                written -> written.match(
                        done -> deep.forEach(entry -> {
                            reservations.tell(new Reservations.End(entry.txId()));
                            unburied.remove(entry.txId());
                        }),
                        failure -> deep.forEach(entry -> notWritten(entry, failure))));
    }
}
