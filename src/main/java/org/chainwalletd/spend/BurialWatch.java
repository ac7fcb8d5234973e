package org.chainwalletd.spend;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.UnburiedSpends.Entry;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Transition;
import org.chainwalletd.store.Unconfirmation;
import org.chainwalletd.store.books.SpendingBooks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the confirmed spends until they are buried: too deep for any reorganisation that is expected. Hears of the followed chain what goes and
 * what comes, and reads in the books where a spend is when its block has gone. A spend that is in no block any more is put back in flight, in
 * the store first, and handed to the rebroadcaster. Hears the follower; talks to the books, the store, the reservations and the rebroadcaster;
 * to the nodes only about spends that are older than the books. After a restart it goes on with every confirmed spend that the store has not
 * as buried.
 */
final class BurialWatch extends AbstractBehavior<BurialWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(BurialWatch.class);
    /** Spends that are looked up in the books together. */
    private static final int TOGETHER = 500;

    sealed interface Command {}

    /** From now on this spend is looked after here; it is recorded as confirmed. */
    record Watch(ConfirmedSpend spend) implements Command {}

    /** Looks at what is due. */
    record Tick() implements Command {}

    /** The daemon stops: nothing new is begun. */
    record Rest() implements Command {}

    /** Who hears what is found out. */
    record Neighbours(ActorRef<Reservations.Command> reservations, ActorRef<Rebroadcaster.Command> rebroadcaster) {}

    private record Followed(FollowEvent event) implements Command {}

    /**
     * What the books say.
     *
     * @param turn how often blocks had gone when they were asked
     */
    private record Read(List<Hash256> txIds, long turn, Outcome<Optional<SpendChain.Fates>> chain) implements Command {}

    /**
     * What the nodes could show of a spend that is older than the books.
     *
     * @param place a block of the followed chain that has it
     * @param isUnknown whether no node that was asked knows it in a block
     */
    private record Searched(Hash256 txId, Optional<BlockPlace> place, boolean isUnknown) implements Command {}

    private record Moved(Hash256 txId, BlockPlace place, Outcome<Transition> transition) implements Command {}

    private record PutBack(Hash256 txId, Outcome<Unconfirmation> outcome) implements Command {}

    /** What the store has of a spend that was taken for confirmed. */
    private record Found(Hash256 txId, Outcome<Optional<Intent>> intent) implements Command {}

    private record Buried(List<Hash256> txIds, Outcome<Void> done) implements Command {}

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Clock clock;
    private final long pauseMillis;
    private final int depth;
    private final UnburiedSpends spends;
    private final ActorRef<Reservations.Command> reservations;
    private final ActorRef<Rebroadcaster.Command> rebroadcaster;
    private boolean resting;
    private boolean reading;
    private long height = -1;
    private long turn;

    private BurialWatch(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            List<ConfirmedSpend> unburied,
            Broadcast broadcast,
            Neighbours neighbours,
            AtomicInteger count) {
        super(context);
        this.reservations = neighbours.reservations();
        this.rebroadcaster = neighbours.rebroadcaster();
        this.env = env;
        this.broadcast = broadcast;
        this.clock = env.clock();
        this.pauseMillis = env.pace().firstLook().toMillis();
        this.depth = env.pace().burialDepth();
        this.spends = new UnburiedSpends(unburied, count);
        timers.startTimerWithFixedDelay(new Tick(), env.pace().tick());
        env.chain().subscribe(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    /**
     * @param unburied what the store has confirmed and not buried
     * @param count kept equal to the number of spends that are watched here
     */
    static Behavior<Command> create(
            SpendEnvironment env,
            List<ConfirmedSpend> unburied,
            Broadcast broadcast,
            Neighbours neighbours,
            AtomicInteger count) {
        count.set(unburied.size());
        return Behaviors.setup(context -> Behaviors.withTimers(
                timers -> new BurialWatch(context, timers, env, unburied, broadcast, neighbours, count)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::watch)
                .onMessage(Tick.class, command -> tick())
                .onMessage(Rest.class, command -> rest())
                .onMessage(Followed.class, this::followed)
                .onMessage(Read.class, this::read)
                .onMessage(Searched.class, this::searched)
                .onMessage(Moved.class, this::moved)
                .onMessage(PutBack.class, this::putBack)
                .onMessage(Found.class, this::found)
                .onMessage(Buried.class, this::buried)
                .build();
    }

    private Behavior<Command> watch(Watch command) {
        spends.add(command.spend());
        return this;
    }

    private Behavior<Command> rest() {
        resting = true;
        return this;
    }

    private Behavior<Command> followed(Followed command) {
        if (command.event() instanceof FollowEvent.Standing standing) {
            // What happened before was not told.
            height = standing.tip().height();
            doubtFrom(0);
        } else if (command.event() instanceof FollowEvent.Disconnected gone) {
            height = gone.block().height() - 1;
            doubtFrom(gone.block().height());
        } else if (command.event() instanceof FollowEvent.Connected connected) {
            height = connected.block().height();
        } else if (command.event() instanceof FollowEvent.Advanced advanced) {
            height = advanced.to().height();
        } else if (command.event() instanceof FollowEvent.Joined joined) {
            height = joined.tip().height();
        }
        spends.makeAllDue();
        if (!resting) {
            bury(spends.provenUpTo(deepest()));
        }
        return tick();
    }

    private void doubtFrom(long first) {
        turn++;
        spends.doubtFrom(first);
    }

    private long deepest() {
        return height - depth + 1;
    }

    /** Reads in the books about those in doubt, some at a time. */
    private Behavior<Command> tick() {
        if (resting || reading || height < 0) {
            return this;
        }
        List<Entry> due = spends.inDoubt().stream()
                .filter(entry -> !entry.isBusy() && isDue(spends.dueAt(entry)) && isReached(entry))
                .limit(TOGETHER)
                .toList();
        if (!due.isEmpty()) {
            reading = true;
            due.forEach(Entry::begin);
            List<Hash256> txIds = due.stream().map(Entry::txId).toList();
            long asked = turn;
            getContext()
                    .pipeToSelf(
                            env.chain().fates(due.stream().map(Entry::question).toList()),
                            (chain, failure) -> new Read(txIds, asked, Outcome.of(chain, failure)));
        }
        return this;
    }

    /** A clock that was set back must not stop the watch. */
    private boolean isDue(long at) {
        long now = clock.millis();
        return at <= now || at > now + pauseMillis;
    }

    /** A chain that ends below its block proves nothing yet: the branch that takes the place of another comes block by block. */
    private boolean isReached(Entry entry) {
        return entry.spend().place().filter(place -> place.height() > height).isEmpty();
    }

    private Behavior<Command> read(Read command) {
        reading = false;
        command.chain()
                .failure()
                .ifPresent(failure -> LOG.error("the books cannot be asked: {}", Broadcast.words(failure)));
        Optional<SpendChain.Fates> chain =
                command.turn() == turn ? command.chain().value().flatMap(Function.identity()) : Optional.empty();
        List<Entry> deep = new ArrayList<>();
        for (int i = 0; i < command.txIds().size(); i++) {
            Entry entry = spends.get(command.txIds().get(i));
            if (chain.isEmpty()) {
                later(entry);
            } else {
                judge(entry, chain.get().tip(), chain.get().fates().get(i), deep);
            }
        }
        bury(deep);
        return chain.isEmpty() ? this : tick();
    }

    private void judge(Entry entry, BlockPlace tip, SpendingBooks.Fate fate, List<Entry> deep) {
        Optional<BlockPlace> last = entry.spend().place();
        if (fate instanceof SpendingBooks.Fate.InBlock mined) {
            inBlock(entry, mined.place(), deep);
        } else if (last.filter(place -> place.height() > tip.height()).isPresent()) {
            later(entry);
        } else if (fate instanceof SpendingBooks.Fate.TooDeep) {
            prove(entry.txId(), last.orElseThrow());
        } else if (last.isEmpty() && fate instanceof SpendingBooks.Fate.Open) {
            search(entry.txId());
        } else {
            unconfirm(entry);
        }
    }

    private void inBlock(Entry entry, BlockPlace place, List<Entry> deep) {
        if (entry.mayBePutBack() || !entry.spend().place().equals(Optional.of(place))) {
            move(entry, place);
            return;
        }
        spends.proven(entry);
        if (place.height() <= deepest()) {
            deep.add(entry);
        }
    }

    /** The books begin above its block. */
    private void prove(Hash256 txId, BlockPlace place) {
        getContext()
                .pipeToSelf(
                        env.chain().proves(txId, place),
                        (proven, failure) -> new Searched(
                                txId,
                                Outcome.of(proven, failure)
                                        .value()
                                        .filter(Boolean::booleanValue)
                                        .map(shown -> place),
                                false));
    }

    /** An older release has not kept its block. */
    private void search(Hash256 txId) {
        getContext()
                .pipeToSelf(
                        broadcast.lookup().find(txId).thenComposeAsync(found -> search(txId, found), env.executor()),
                        (result, failure) -> Outcome.of(result, failure)
                                .value()
                                .orElseGet(() -> new Searched(txId, Optional.empty(), false)));
    }

    private CompletionStage<Searched> search(Hash256 txId, Optional<NodeClient.NodeTransaction> found) {
        if (found.filter(tx -> tx.blockHeight() != null).isEmpty()) {
            return CompletableFuture.completedFuture(new Searched(txId, Optional.empty(), true));
        }
        BlockPlace place = new BlockPlace(found.get().blockHeight(), found.get().blockId());
        return env.chain()
                .proves(txId, place)
                .thenApplyAsync(
                        proven -> new Searched(txId, proven ? Optional.of(place) : Optional.empty(), false),
                        env.executor());
    }

    /** One that nobody knows to be mined is sent again: the same bytes, so that nothing is lost when that was not true. */
    private Behavior<Command> searched(Searched command) {
        Entry entry = spends.get(command.txId());
        if (command.isUnknown()) {
            unconfirm(entry);
        } else if (command.place().isEmpty()) {
            later(entry);
        } else {
            List<Entry> deep = new ArrayList<>();
            inBlock(entry, command.place().get(), deep);
            bury(deep);
        }
        return tick();
    }

    private Behavior<Command> later(Entry entry) {
        spends.later(entry, clock.millis() + pauseMillis);
        return this;
    }

    private void move(Entry entry, BlockPlace place) {
        Hash256 txId = entry.txId();
        LOG.info("spend {} is now in block {} at height {}", txId, place.blockId(), place.height());
        getContext()
                .pipeToSelf(
                        env.intents().confirm(txId, IntentState.CONFIRMED, place, clock.millis()),
                        (transition, failure) -> new Moved(txId, place, Outcome.of(transition, failure)));
    }

    private Behavior<Command> moved(Moved command) {
        Entry entry = spends.get(command.txId());
        return command.transition()
                .fold(transition -> moved(entry, command.place(), transition), failure -> notWritten(entry, failure));
    }

    private Behavior<Command> moved(Entry entry, BlockPlace place, Transition transition) {
        if (transition instanceof Transition.Stale stale) {
            return notConfirmed(entry.txId(), stale.found());
        }
        spends.move(entry, place);
        return tick();
    }

    private void unconfirm(Entry entry) {
        Hash256 txId = entry.txId();
        LOG.warn("spend {} was confirmed and is no longer on the chain: it is in flight again", txId);
        getContext()
                .pipeToSelf(
                        env.intents().unconfirm(txId, clock.millis()),
                        (outcome, failure) -> new PutBack(txId, Outcome.of(outcome, failure)));
    }

    private Behavior<Command> putBack(PutBack command) {
        Hash256 txId = command.txId();
        return command.outcome()
                .fold(outcome -> putBack(txId, outcome), failure -> putBackPerhaps(spends.get(txId), failure));
    }

    /** Whether it was written is not known when the disk fails in the middle of it. */
    private Behavior<Command> putBackPerhaps(Entry entry, Throwable failure) {
        entry.putBackPerhaps();
        return notWritten(entry, failure);
    }

    private Behavior<Command> putBack(Hash256 txId, Unconfirmation outcome) {
        CrashPoint.SPEND_AFTER_REORGANISATION.reached();
        if (outcome instanceof Unconfirmation.NotConfirmed not) {
            return notConfirmed(txId, not.found());
        }
        return inFlightAgain(((Unconfirmation.BackInFlight) outcome).intent());
    }

    /** One in flight may be so by a write of ours whose answer was lost: then nobody else watches it yet. */
    private Behavior<Command> notConfirmed(Hash256 txId, Optional<IntentState> found) {
        if (found.filter(IntentState::inFlight).isEmpty()) {
            return leave(List.of(txId));
        }
        getContext()
                .pipeToSelf(
                        env.intents().find(txId), (intent, failure) -> new Found(txId, Outcome.of(intent, failure)));
        return this;
    }

    private Behavior<Command> found(Found command) {
        Entry entry = spends.get(command.txId());
        return command.intent().fold(intent -> found(entry, intent), failure -> notWritten(entry, failure));
    }

    private Behavior<Command> found(Entry entry, Optional<Intent> intent) {
        Optional<IntentState> state = intent.map(Intent::state);
        if (state.equals(Optional.of(IntentState.CONFIRMED))) {
            return later(entry);
        }
        return state.filter(IntentState::inFlight).isPresent()
                ? inFlightAgain(intent.orElseThrow())
                : leave(List.of(entry.txId()));
    }

    /** Who watches it already begins anew. */
    private Behavior<Command> inFlightAgain(Intent intent) {
        env.metrics().reorganised();
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.REORGANISED);
        reservations.tell(new Reservations.ReservedAgain(intent));
        rebroadcaster.tell(new Rebroadcaster.TakeUp(intent));
        return leave(List.of(intent.txId()));
    }

    private void bury(List<Entry> deep) {
        deep.forEach(Entry::begin);
        List<Hash256> txIds = deep.stream().map(Entry::txId).toList();
        if (!txIds.isEmpty()) {
            getContext()
                    .pipeToSelf(
                            env.intents().bury(txIds), (done, failure) -> new Buried(txIds, Outcome.of(done, failure)));
        }
    }

    private Behavior<Command> buried(Buried command) {
        command.done()
                .match(
                        done -> buried(command.txIds()),
                        failure -> command.txIds().forEach(txId -> notWritten(spends.get(txId), failure)));
        return this;
    }

    private void buried(List<Hash256> txIds) {
        txIds.forEach(txId -> reservations.tell(new Reservations.End(txId)));
        leave(txIds);
    }

    private Behavior<Command> leave(List<Hash256> txIds) {
        txIds.forEach(spends::remove);
        return this;
    }

    private Behavior<Command> notWritten(Entry entry, Throwable failure) {
        LOG.error("spend {}: {}", entry.txId(), Broadcast.words(failure));
        return later(entry);
    }
}
