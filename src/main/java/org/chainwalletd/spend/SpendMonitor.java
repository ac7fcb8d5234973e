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
import org.chainwalletd.spend.SpendsInFlight.InFlight;
import org.chainwalletd.spend.UnburiedSpends.Entry;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.books.Spending;
import org.chainwalletd.store.books.SpendingBooks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows each spend from the end of its spender until it is buried, conflicted or abandoned. It does not have an actor per spend, because
 * there are as many as an hour brings: the states of a spend are methods here, its data are in {@link SpendsInFlight} and {@link
 * UnburiedSpends}.
 *
 * <p>In flight: looking (in the followed chain) → locating (at the nodes) → accepted, or sending the same bytes again when nodes have
 * forgotten it → resting until the next look. Only the followed chain confirms a spend or shows that it has lost; when no node has it for
 * long, its reservations end. Confirmed: in doubt → proven by the followed chain → buried, too deep for any reorganisation that is
 * expected; or in flight again when a reorganisation has removed it.
 *
 * <p>What was found out is written down first, then the reservations hear of it, then memory changes. Hears the follower; talks to the books,
 * the nodes, the store and the reservations. It ends and begins anew while the daemon serves, and goes on then, as after a restart, with
 * everything that the store has in flight or not yet buried.
 */
final class SpendMonitor extends AbstractBehavior<SpendMonitor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SpendMonitor.class);

    sealed interface Command {}

    /** The reservations have told what they know of questions that are open: everything that comes before is kept until this. */
    record Begin() implements Command {}

    private record Attached(Outcome<ActorRef<Reservations.Command>> reservations) implements Command {}

    private record Loaded(Outcome<Known> known, boolean again) implements Command {}

    /** From now on this spend is looked after here; a node has just been asked about it. */
    record Watch(Intent intent, boolean holdsCoins) implements Command {}

    /** From now on this spend, which is recorded as confirmed, is looked after here. */
    record WatchConfirmed(ConfirmedSpend spend) implements Command {}

    /** A spender takes this spend back; it will be watched again afterwards. */
    record TakeBack(Hash256 txId) implements Command {}

    /** These coins are about to be given up: nothing that spends them is sent until {@link Release}. */
    record Withhold(Abandonments.Question question) implements Command {}

    /**
     * The question of {@link Withhold} is settled.
     *
     * @param abandoned spends that were abandoned, in the store already
     */
    record Release(Abandonments.Question question, Set<Hash256> abandoned) implements Command {}

    /** The daemon stops: nothing new is begun. */
    record Rest() implements Command {}

    private record Tick() implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    /** What was asked of the chain, a node or the store is answered. */
    private record Answered(Runnable next) implements Command {}

    /** Bound of what is kept until the store has answered: each is a spend that lands or is taken back. */
    private static final int MOST_EARLY = 100_000;

    /** Confirmed spends that are looked up in the books together. */
    private static final int TOGETHER = 500;

    private static final String BY_THE_OPERATOR = "abandoned by the operator";

    /** Nothing of these is watched any more. */
    private static final Set<IntentState> CLOSED_FOR_GOOD =
            EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED, IntentState.CONTESTED);

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Clock clock;
    private final Pace pace;
    private final ActorRef<Reservations.Command> reservations;
    private final SpendsInFlight inFlight;
    private final UnburiedSpends unburied;
    private final List<InFlight> sending = new ArrayList<>();
    /** Those of {@link #withheld} whose spends are being sent still. */
    private final List<Abandonments.Question> unanswered = new ArrayList<>();

    private final List<Abandonments.Question> withheld = new ArrayList<>();
    private Optional<Hash256> nodesTip = Optional.empty();
    private boolean resting;
    /** Questions to the chain, the nodes and the store that are not answered yet. */
    private final Set<Pending<?>> pending = new LinkedHashSet<>();

    private boolean ended;
    /** Whether the books are being asked about confirmed spends. */
    private boolean reading;

    private long height = -1;
    /** How often blocks have gone. */
    private long forks;

    private SpendMonitor(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            Broadcast broadcast,
            Counts counts,
            ActorRef<Reservations.Command> reservations,
            Loaded loaded) {
        super(context);
        this.env = env;
        this.broadcast = broadcast;
        this.clock = env.clock();
        this.pace = env.pace();
        this.reservations = reservations;
        Known known = loaded.known().value().orElseThrow();
        long now = clock.millis();
        this.inFlight = new SpendsInFlight(known.inFlight(), loaded.again(), now, counts.inFlight(), counts.oldest());
        this.unburied = new UnburiedSpends(known.unburied(), counts.unburied());
        this.resting = env.stopped().isPresent();
        timers.startTimerWithFixedDelay(new Tick(), pace.tick());
        env.chain().subscribe(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    /**
     * What the store has.
     *
     * @param inFlight in flight, and abandoned with coins that are still reserved
     * @param unburied confirmed and not buried
     */
    record Known(List<Intent> inFlight, List<ConfirmedSpend> unburied) {}

    /**
     * Numbers that are kept up to date for who only wants these.
     *
     * @param inFlight spends that are broadcast and not yet settled
     * @param unburied spends that are confirmed and not yet buried
     * @param oldest when the oldest of those in flight was made, milliseconds since 1970; 0 without any
     */
    record Counts(AtomicInteger inFlight, AtomicInteger unburied, AtomicLong oldest) {
        Counts() {
            this(new AtomicInteger(), new AtomicInteger(), new AtomicLong());
        }
    }

    /**
     * What does not depend on the actor's life: it may end and begin anew while the daemon serves.
     *
     * @param reservations complete when they are there
     * @param known what the store has, as long as nothing has changed since it was read
     */
    record Setup(
            SpendEnvironment env,
            Broadcast broadcast,
            Counts counts,
            CompletableFuture<ActorRef<Reservations.Command>> reservations,
            AtomicReference<Known> known) {
        /** Gives what the store has to the first life, and shows the numbers before that begins. */
        void begin(ActorRef<Reservations.Command> there, Known first) {
            counts.inFlight().set((int) first.inFlight().stream()
                    .filter(intent -> intent.state().inFlight())
                    .count());
            counts.unburied().set(first.unburied().size());
            known.set(first);
            reservations.complete(there);
        }

        /** Takes what is told while there is no actor: the store knows it when there is one again, and nothing may be abandoned. */
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
                MOST_EARLY,
                stash -> Behaviors.setup(context -> {
                    context.pipeToSelf(
                            setup.reservations(), (there, failure) -> new Attached(Outcome.of(there, failure)));
                    return starting(context, stash, setup);
                }));
    }

    /** What is told meanwhile is kept. */
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
        context.pipeToSelf(
                first == null ? setup.read() : CompletableFuture.completedFuture(first),
                (known, failure) -> new Loaded(Outcome.of(known, failure), first == null));
        return Behaviors.same();
    }

    private static Behavior<Command> loaded(
            ActorContext<Command> context, StashBuffer<Command> stash, Setup setup, Loaded loaded) {
        if (loaded.known().failure().isPresent()) {
            LOG.error(
                    "the spends in flight cannot be read yet: {}",
                    Broadcast.words(loaded.known().failure().get()));
            context.scheduleOnce(setup.env().pace().firstLook(), context.getSelf(), new Begin());
            return Behaviors.same();
        }
        return stash.unstashAll(Behaviors.withTimers(timers -> new SpendMonitor(
                        context,
                        timers,
                        setup.env(),
                        setup.broadcast(),
                        setup.counts(),
                        setup.reservations().join(),
                        loaded)
                .tick()));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::watch)
                .onMessage(WatchConfirmed.class, this::watchConfirmed)
                .onMessage(TakeBack.class, this::takeBack)
                .onMessage(Withhold.class, this::withhold)
                .onMessage(Release.class, this::release)
                .onMessage(Rest.class, command -> rest())
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

    private Behavior<Command> rest() {
        resting = true;
        return this;
    }

    /** While the followed chain lags, a new tip of a node is a reason to ask the nodes. */
    private Behavior<Command> tick() {
        Optional<Hash256> newest = env.tip()
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

    /** A block that goes tells nothing of what is in flight, but puts the spends in it in doubt. */
    private Behavior<Command> followed(Followed command) {
        if (command.event() instanceof FollowEvent.Disconnected gone) {
            height = gone.block().height() - 1;
            reservations.tell(new Reservations.Forked());
            doubtFrom(gone.block().height());
        } else if (command.event() instanceof FollowEvent.Standing standing) {
            // What happened before was not told.
            height = standing.tip().height();
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
        if (!resting) {
            bury(unburied.provenUpTo(deepest()));
        }
        readDoubts();
        return lookAtDue();
    }

    /** Whenever a look has ended there is room for another: many spends do not wait for the tick. */
    private Behavior<Command> answered(Answered command) {
        command.next().run();
        return lookAtDue();
    }

    /** A question that was asked, and what is done with its answer. */
    private record Pending<T>(CompletableFuture<T> asked, Consumer<Outcome<T>> then) {}

    private <T> void ask(Supplier<CompletionStage<T>> question, Consumer<Outcome<T>> then) {
        if (ended) {
            return;
        }
        Pending<T> asking = new Pending<>(question.get().toCompletableFuture(), then);
        pending.add(asking);
        getContext()
                .pipeToSelf(
                        asking.asked(),
                        (answer, failure) -> new Answered(() -> {
                            pending.remove(asking);
                            asking.then().accept(Outcome.of(answer, failure));
                        }));
    }

    /** The answer counts only while the spend is still watched, and not watched anew. */
    private <T> void ask(InFlight spend, Supplier<CompletionStage<T>> question, Consumer<Outcome<T>> then) {
        ask(question, answer -> {
            if (inFlight.has(spend)) {
                then.accept(answer);
            }
        });
    }

    /**
     * What is written after the end of this actor is told to the reservations all the same, one answer at a time; nothing more is asked, and
     * the next life finds out the rest from the store.
     */
    private Behavior<Command> ended() {
        ended = true;
        inFlight.retire();
        unburied.retire();
        unanswered.forEach(question -> reservations.tell(new Reservations.NotWithheld(question)));
        unanswered.clear();
        List.copyOf(pending).forEach(this::readAfterEnd);
        return this;
    }

    private <T> void readAfterEnd(Pending<T> asking) {
        asking.asked()
                .whenCompleteAsync(
                        (answer, failure) -> {
                            synchronized (pending) {
                                asking.then().accept(Outcome.of(answer, failure));
                            }
                        },
                        env.executor());
    }

    /** What is abandoned must not reach a node a moment later. */
    private Behavior<Command> withhold(Withhold command) {
        withheld.add(command.question());
        unanswered.add(command.question());
        answerQuiet();
        return this;
    }

    /** Answers each question once, when nothing of it is being sent any more. */
    private void answerQuiet() {
        unanswered.removeIf(question -> {
            boolean quiet = sending.stream().noneMatch(spend -> concerns(question, spend));
            if (quiet) {
                reservations.tell(new Reservations.Withheld(question, unreserved(question)));
            }
            return quiet;
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

    /** Its bytes are not sent again; coins of its that are still reserved are watched until they are free. */
    private void abandoned(InFlight spend) {
        inFlight.abandon(spend, BY_THE_OPERATOR, clock.millis());
        env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.ABANDONED);
        if (!spend.isReserved()) {
            inFlight.remove(spend.txId());
        }
    }

    private Behavior<Command> lookAtDue() {
        if (!resting) {
            inFlight.beginDue(clock.millis(), pace.longest().toMillis()).forEach(this::look);
        }
        return this;
    }

    /** Whatever keeps the chain from answering, the nodes are asked then. */
    private void look(InFlight spend) {
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
     * Whether it was abandoned, and what took its place can still go: by a reorganisation, or because it is in flight and another input was
     * spent. Until that is over all its coins are held.
     */
    private boolean keepsCoins(InFlight spend, Spending other, BlockPlace tip) {
        return StandIns.keepsCoins(spend.intent()) && (!isBuried(other, tip) || inFlight.hasRivalInFlight(spend));
    }

    private boolean isBuried(Spending other, BlockPlace tip) {
        return tip.height() - other.place().height() + 1 >= pace.burialDepth();
    }

    /** Whether it is lost only until a reorganisation takes the other one away, and only the chain closes it. */
    private boolean mayComeBack(InFlight spend, Spending other, BlockPlace tip) {
        return StandIns.onlyChainCloses(spend.intent().kind()) && !isBuried(other, tip);
    }

    /** @param read the end of the followed chain when it did not have the spend; empty when there was none */
    private void locate(InFlight spend, Optional<BlockPlace> read) {
        ask(
                spend,
                () -> broadcast.lookup().sight(spend.txId()),
                sighting -> sighting.match(seen -> located(spend, seen, read), failure -> {
                    LOG.debug("spend {}: the nodes cannot be asked: {}", spend.txId(), Broadcast.words(failure));
                    pause(spend);
                }));
    }

    /** A node's word confirms nothing. What is above the followed tip comes to be read; what is not is to be proven. */
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

    /** The followed chain may have it in the block of the sighting, which no book tells. */
    private void prove(InFlight spend, Lookup.Sighting sighting) {
        BlockPlace place = sighting.block().orElseThrow();
        ask(spend, () -> env.chain().proves(spend.txId(), place), proven -> {
            if (proven.value().orElse(false)) {
                confirm(spend, place, spend.state());
                return;
            }
            LOG.warn(
                    "a node says that spend {} is in block {}, which the followed chain does not show",
                    spend.txId(),
                    place.blockId());
            forgotten(spend, sighting);
        });
    }

    /** Some node has it, as it says. One that has not is shown it too: the payment must not hang on the word of the other. */
    private void seenAtNode(InFlight spend, Lookup.Sighting sighting) {
        spend.seenInMempool();
        if (sighting.lacking().isEmpty() || !spend.isInFlight() || !maySend(spend)) {
            accepted(spend);
            return;
        }
        LOG.info("spend {} is not known to every node: sending the same bytes to one that has it not", spend.txId());
        send(spend, sighting);
    }

    /** A transaction whose parent is not mined cannot enter a mempool: the parent is sent first, this one when the parent is in a block. */
    private void forgotten(InFlight spend, Lookup.Sighting sighting) {
        spend.seenNowhere();
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

    /** To each node that lacks it in turn. */
    private void send(InFlight spend, Lookup.Sighting sighting) {
        if (ended) {
            return;
        }
        env.metrics().sentAgain();
        sending.add(spend);
        int before = spend.beginSend(
                clock.millis(),
                pace.firstLook().toMillis(),
                pace.longestBetweenSends().toMillis());
        List<Integer> lacking = sighting.lacking();
        int first = lacking.isEmpty() ? before : lacking.get(before % lacking.size());
        ask(() -> broadcast.sendAgain(spend.txId(), spend.intent().transaction(), first), answer -> {
            sending.remove(spend);
            answerQuiet();
            if (inFlight.has(spend)) {
                sent(
                        spend,
                        answer.fold(
                                Function.identity(), cause -> new BroadcastOutcome.Unknown(Broadcast.words(cause))));
            }
        });
    }

    private void sent(InFlight spend, BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted || spend.isInMempool()) {
            spend.seenInMempool();
            accepted(spend);
            return;
        }
        LOG.info("spend {} is still not taken: {}", spend.txId(), outcome);
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

    /** The change of a spend that lost against another transaction does not exist: what spends it can never confirm. */
    private void parentFound(InFlight spend, Optional<Intent> parent) {
        Optional<Intent> lost = parent.filter(found -> found.state() == IntentState.CONFLICTED);
        if (lost.isEmpty()) {
            rest(spend);
        } else if (StandIns.onlyChainCloses(spend.intent().kind())) {
            ask(spend, () -> env.intents().isLostForGood(lost.get().txId()), forGood -> {
                if (forGood.value().orElse(false)) {
                    lostWith(spend, lost.get());
                } else {
                    rest(spend);
                }
            });
        } else {
            lostWith(spend, lost.get());
        }
    }

    private void lostWith(InFlight spend, Intent parent) {
        conflicted(spend, "it spends an output of " + parent.txId() + ", which lost: " + parent.reason());
    }

    /** A mempool may have taken it after its coins' time was over: nobody else may choose them now. */
    private void accepted(InFlight spend) {
        if (spend.needsReservations()) {
            ask(() -> env.reservations().reserveAgain(spend.txId()), written -> reservedAgain(spend, written));
        } else {
            acceptedWithCoins(spend);
        }
    }

    /**
     * When a spender has taken it back meanwhile, it may have ended since without success: coins that were held after that would be
     * held for nobody until the next start. A next watch reserves them once more.
     */
    private void reservedAgain(InFlight spend, Outcome<Transition> written) {
        complain(spend.txId(), written);
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

    /** Nothing new; when its coins' time is over they are free. Only for a spend about which the nodes were heard. */
    private void rest(InFlight spend) {
        if (!spend.reservationsExpire(clock.millis(), pace.reservationTtl().toMillis())) {
            pause(spend);
            return;
        }
        LOG.info("reservations of spend {} end: their time is over and no mempool has it", spend.txId());
        ask(
                spend,
                () -> env.reservations().end(spend.txId(), spend.state()),
                written -> reservationsEnded(spend, written));
    }

    /** When a spender has taken it back meanwhile, it may have reserved its coins again: then only the next watch can say. */
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

    /** Nothing could be found out or written: only that it is looked at again later. */
    private void pause(InFlight spend) {
        inFlight.sleep(spend, clock.millis(), pace);
    }

    /** A write for an earlier watch still counts for the neighbours, but moves no spend. */
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

    /** @param before what the store has; a block outweighs that it was closed as lost */
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

    /** Whether it was written; a spend that is still watched is looked at again when not. */
    private boolean succeeded(InFlight spend, Outcome<Transition> written) {
        if (isMade(written)) {
            return true;
        }
        complain(spend.txId(), written);
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

    private static void complain(Hash256 txId, Outcome<?> written) {
        written.failure().ifPresent(failure -> LOG.error("spend {}: {}", txId, Broadcast.words(failure)));
    }

    /**
     * The spend was watched in a state that it has left, as after a spender has handed it back with what it knew before, or after a write of
     * ours whose answer was lost. What the store has is true. Nobody may have told the others, or the spender something older since: they hear
     * it now.
     */
    private void adopt(InFlight spend, Optional<IntentState> found) {
        LOG.info("spend {} has moved on meanwhile: {}", spend.txId(), found);
        if (found.isEmpty() || CLOSED_FOR_GOOD.contains(found.get())) {
            reservations.tell(new Reservations.End(spend.txId()));
            leave(spend);
        } else if (found.get() == IntentState.CONFIRMED) {
            confirmed(spend, Optional.empty());
        } else {
            if (found.get() == IntentState.ABANDONED && spend.isInFlight()) {
                inFlight.abandon(spend, "abandoned meanwhile", clock.millis());
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

    /** Reads in the books about those in doubt, some at a time. */
    private void readDoubts() {
        if (resting || reading || height < 0) {
            return;
        }
        List<Entry> due = unburied.inDoubt().stream()
                .filter(entry -> !entry.isBusy() && isDue(unburied.dueAt(entry)) && isReached(entry))
                .limit(TOGETHER)
                .toList();
        if (due.isEmpty()) {
            return;
        }
        reading = true;
        due.forEach(Entry::begin);
        long asked = forks;
        ask(() -> env.chain().fates(due.stream().map(Entry::question).toList()), chain -> read(due, asked, chain));
    }

    /** A clock that was set back must not stop the watch. */
    private boolean isDue(long at) {
        long now = clock.millis();
        return at <= now || at > now + pace.firstLook().toMillis();
    }

    /** A chain that ends below its block proves nothing yet: the branch that takes the place of another comes block by block. */
    private boolean isReached(Entry entry) {
        return entry.spend().place().filter(place -> place.height() > height).isEmpty();
    }

    /** @param asked how often blocks had gone when the books were asked */
    private void read(List<Entry> due, long asked, Outcome<Optional<SpendChain.Fates>> answer) {
        reading = false;
        answer.failure().ifPresent(failure -> LOG.error("the books cannot be asked: {}", Broadcast.words(failure)));
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

    /** @param deep takes what can be buried */
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

    /** The books begin above its block. */
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
     * An older release has not kept its block: the nodes are asked. One that nobody knows to be mined is sent again: the same bytes, so that
     * nothing is lost when that was not true.
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
        LOG.error("spend {}: {}", entry.txId(), Broadcast.words(failure));
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

    /** Whether it was written is not known when the disk fails in the middle of it. */
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

    /** One in flight may be so by a write of ours whose answer was lost: then nobody else watches it yet. */
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
