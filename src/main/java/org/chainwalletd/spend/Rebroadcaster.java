package org.chainwalletd.spend;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
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
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.books.Spending;
import org.chainwalletd.store.books.SpendingBooks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the spends in flight whose spender has ended, until each is confirmed, conflicted or abandoned. The first two only the followed chain
 * can tell; what it does not, the nodes are asked: when they have forgotten a spend the same bytes are sent again, and when none has it for long
 * its reservations end. What is found out is a {@link WatchedOutcomes} matter. Confirmed ones go to the burial watch, which hands them back
 * when a reorganisation removes them. Hears the follower; talks to the books, the nodes, the store and the reservations. After a restart it goes on with everything that the store has in flight.
 */
public final class Rebroadcaster extends AbstractBehavior<Rebroadcaster.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Rebroadcaster.class);
    private static final String BY_THE_OPERATOR = "abandoned by the operator";

    sealed interface Command {}

    /** Who to tell; sent once, before anything else. */
    record Attach(ActorRef<Reservations.Command> reservations, ActorRef<BurialWatch.Command> burials)
            implements Command {}

    /** From now on this spend is looked after here; a node has just been asked about it. */
    record Watch(Intent intent, boolean holdsCoins) implements Command {}

    /** A reorganisation has removed this spend: it is looked after here and looked at at once. */
    record TakeUp(Intent intent) implements Command {}

    /** A spender takes this spend back; it will be watched again afterwards. */
    record TakeBack(Hash256 txId) implements Command {}

    /** The operator is about to give these coins up: nothing that spends them is sent until {@link Release}. */
    record Withhold(Abandonments.Question question) implements Command {}

    /** The question of {@link Withhold} is settled. */
    record Release(Abandonments.Question question) implements Command {}

    /** The operator gave these up, in the store already. */
    record Abandoned(Set<Hash256> spends) implements Command {}

    /** Looks at everything that is due. */
    record Tick() implements Command {}

    /** The daemon stops: nothing new is begun. */
    record Rest() implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    /** @param chain the followed chain, with the fate of the one spend; empty when it cannot be told now */
    private record Judged(Hash256 txId, long turn, Optional<SpendChain.Fates> chain) implements Command {}

    /** @param read the end of the followed chain when it did not have the spend; empty when there was none */
    private record Located(Hash256 txId, long turn, Optional<BlockPlace> read, Outcome<Lookup.Sighting> sighting)
            implements Command {}

    /** Whether the followed chain has the spend in the block of the sighting, which no book tells. */
    private record Proven(Hash256 txId, long turn, Lookup.Sighting sighting, boolean proven) implements Command {}

    private record Resent(WatchedSpend sent, BroadcastOutcome outcome) implements Command {}

    private record ParentKnown(Hash256 txId, long turn, Outcome<Optional<Intent>> parent) implements Command {}

    /** The store has written down what was found out, or has not. */
    record Written(WatchedOutcomes.Step step) implements Command {}

    /** Nobody but the parent knows this before it is attached. */
    private static final int MOST_EARLY = 100;

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Clock clock;
    private final Pace pace;
    private final WatchedSpends spends;
    private final WatchedOutcomes outcomes;
    private final Resends resends;
    private Optional<Hash256> nodesTip = Optional.empty();
    private boolean resting;

    private Rebroadcaster(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            Broadcast broadcast,
            WatchedSpends spends,
            Attach neighbours) {
        super(context);
        this.env = env;
        this.broadcast = broadcast;
        this.clock = env.clock();
        this.pace = env.pace();
        this.spends = spends;
        this.outcomes = new WatchedOutcomes(context, env, spends, neighbours);
        this.resends = new Resends(
                question -> neighbours.reservations().tell(new Reservations.Withheld(question, unreserved(question))));
        timers.startTimerWithFixedDelay(new Tick(), pace.tick());
        env.chain().subscribe(context.messageAdapter(FollowEvent.class, Followed::new));
    }

    /**
     * @param inFlight what the store has in flight
     * @param count kept equal to the number of spends that are broadcast and not yet settled
     */
    static Behavior<Command> create(
            SpendEnvironment env, List<Intent> inFlight, Broadcast broadcast, AtomicInteger count) {
        count.set((int)
                inFlight.stream().filter(intent -> intent.state().inFlight()).count());
        return Behaviors.withStash(
                MOST_EARLY,
                stash -> Behaviors.receive(Command.class)
                        .onMessage(
                                Attach.class,
                                neighbours -> stash.unstashAll(watching(env, inFlight, broadcast, count, neighbours)))
                        .onAnyMessage(early -> kept(stash, early))
                        .build());
    }

    private static Behavior<Command> kept(StashBuffer<Command> stash, Command early) {
        stash.stash(early);
        return Behaviors.same();
    }

    private static Behavior<Command> watching(
            SpendEnvironment env, List<Intent> inFlight, Broadcast broadcast, AtomicInteger count, Attach neighbours) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new Rebroadcaster(
                        context,
                        timers,
                        env,
                        broadcast,
                        new WatchedSpends(count, inFlight, env.clock().millis()),
                        neighbours)
                .tick()));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::watch)
                .onMessage(TakeUp.class, this::takeUp)
                .onMessage(TakeBack.class, command -> letGo(command.txId()))
                .onMessage(Withhold.class, this::withhold)
                .onMessage(Release.class, this::release)
                .onMessage(Abandoned.class, this::abandoned)
                .onMessage(Tick.class, command -> tick())
                .onMessage(Followed.class, this::followed)
                .onMessage(Rest.class, command -> rest())
                .onMessage(Judged.class, this::judged)
                .onMessage(Located.class, this::located)
                .onMessage(Proven.class, this::proven)
                .onMessage(Resent.class, this::resent)
                .onMessage(ParentKnown.class, this::parentKnown)
                .onMessage(Written.class, this::written)
                .build();
    }

    private Behavior<Command> watch(Watch command) {
        spends.add(
                command.intent(),
                command.holdsCoins(),
                clock.millis(),
                pace.firstLook().toMillis());
        return this;
    }

    private Behavior<Command> takeUp(TakeUp command) {
        spends.add(command.intent(), true, clock.millis(), 0);
        return tick();
    }

    private Behavior<Command> letGo(Hash256 txId) {
        spends.remove(txId);
        return next();
    }

    private Behavior<Command> withhold(Withhold command) {
        resends.withhold(command.question());
        return this;
    }

    private Set<Hash256> unreserved(Abandonments.Question question) {
        return spends.all().stream()
                .filter(WatchedSpend::isInFlight)
                .filter(spend -> spend.outpoints().stream().anyMatch(question.free()::contains))
                .map(WatchedSpend::txId)
                .collect(Collectors.toSet());
    }

    private Behavior<Command> release(Release command) {
        resends.release(command.question());
        return this;
    }

    private Behavior<Command> abandoned(Abandoned command) {
        for (WatchedSpend spend : spends.all()) {
            if (spend.isInFlight() && command.spends().contains(spend.txId())) {
                LOG.info("spend {} was abandoned", spend.txId());
                outcomes.abandoned(spend, BY_THE_OPERATOR);
            }
        }
        return this;
    }

    private Behavior<Command> rest() {
        resting = true;
        return this;
    }

    /** A block that goes tells nothing of what is in flight: its spends come from the burial watch. */
    private Behavior<Command> followed(Followed command) {
        if (command.event() instanceof FollowEvent.Disconnected) {
            outcomes.forked();
        } else {
            spends.makeAllDue(clock.millis());
        }
        return next();
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
            spends.makeAllDue(clock.millis());
        }
        return next();
    }

    private boolean isAhead(NodeClient.Tip tip) {
        return env.chain()
                .tip()
                .filter(followed -> Long.compareUnsigned(followed.height(), tip.height()) >= 0)
                .isEmpty();
    }

    /** Whenever one was looked at there is room for another: many spends do not wait for the tick. */
    private Behavior<Command> next() {
        if (!resting) {
            spends.beginDue(clock.millis(), pace.longest().toMillis()).forEach(this::look);
        }
        return this;
    }

    private void look(WatchedSpend spend) {
        Hash256 txId = spend.txId();
        long turn = spend.turn();
        getContext()
                .pipeToSelf(
                        env.chain().fates(List.of(spend.question())),
                        (chain, failure) -> new Judged(
                                txId, turn, Outcome.of(chain, failure).value().flatMap(Function.identity())));
    }

    private Behavior<Command> judged(Judged command) {
        WatchedSpend spend = spends.current(command.txId(), command.turn());
        if (spend == null) {
            return this;
        }
        Optional<SpendingBooks.Fate> fate =
                command.chain().map(chain -> chain.fates().get(0));
        if (fate.isPresent() && fate.get() instanceof SpendingBooks.Fate.InBlock mined) {
            outcomes.confirmed(spend, mined.place());
        } else if (fate.isPresent() && fate.get() instanceof SpendingBooks.Fate.Lost lost) {
            if (keepsCoins(spend, lost.to(), command.chain().get().tip())) {
                outcomes.pause(spend);
                return next();
            }
            Spending other = lost.to();
            outcomes.spentElsewhere(other.outpoint());
            outcomes.conflicted(
                    spend,
                    "its input " + other.outpoint() + " was spent by " + other.by() + " in block "
                            + other.place().blockId());
        } else {
            locate(spend, command.chain().map(SpendChain.Fates::tip));
        }
        return this;
    }

    /**
     * Whether it was given up, and what took its place can still go: by a reorganisation, or because it is in flight and another input was
     * spent. Until that is over all its coins are held.
     */
    private boolean keepsCoins(WatchedSpend spend, Spending other, BlockPlace tip) {
        boolean buried = tip.height() - other.place().height() + 1 >= pace.burialDepth();
        return StandIns.keepsCoins(spend.intent()) && (!buried || spends.hasRivalInFlight(spend));
    }

    private void locate(WatchedSpend spend, Optional<BlockPlace> read) {
        Hash256 txId = spend.txId();
        long turn = spend.turn();
        getContext()
                .pipeToSelf(
                        broadcast.lookup().sight(txId),
                        (sighting, failure) -> new Located(txId, turn, read, Outcome.of(sighting, failure)));
    }

    private Behavior<Command> located(Located command) {
        WatchedSpend spend = spends.current(command.txId(), command.turn());
        if (spend == null) {
            return this;
        }
        return command.sighting()
                .fold(sighting -> located(spend, sighting, command.read()), failure -> notLocated(spend, failure));
    }

    private Behavior<Command> notLocated(WatchedSpend spend, Throwable failure) {
        LOG.debug("spend {}: the nodes cannot be asked: {}", spend.txId(), Broadcast.words(failure));
        outcomes.pause(spend);
        return next();
    }

    private Behavior<Command> located(WatchedSpend spend, Lookup.Sighting sighting, Optional<BlockPlace> read) {
        if (sighting.waiting()) {
            return waiting(spend, sighting);
        }
        return sighting.block().isPresent() ? mined(spend, sighting, read) : forgotten(spend, sighting);
    }

    /** A node's word confirms nothing. What is above the followed tip comes to be read; what is not is to be proven. */
    private Behavior<Command> mined(WatchedSpend spend, Lookup.Sighting sighting, Optional<BlockPlace> read) {
        BlockPlace place = sighting.block().orElseThrow();
        boolean wasRead = read.filter(tip -> Long.compareUnsigned(place.height(), tip.height()) <= 0)
                .isPresent();
        if (!wasRead) {
            return waiting(spend, sighting);
        }
        Hash256 txId = spend.txId();
        long turn = spend.turn();
        getContext()
                .pipeToSelf(
                        env.chain().proves(txId, place),
                        (proven, failure) -> new Proven(
                                txId,
                                turn,
                                sighting,
                                Outcome.of(proven, failure).value().orElse(false)));
        return this;
    }

    private Behavior<Command> proven(Proven command) {
        WatchedSpend spend = spends.current(command.txId(), command.turn());
        if (spend == null) {
            return this;
        }
        BlockPlace place = command.sighting().block().orElseThrow();
        if (command.proven()) {
            outcomes.confirmed(spend, place);
            return this;
        }
        LOG.warn(
                "a node says that spend {} is in block {}, which the followed chain does not show",
                command.txId(),
                place.blockId());
        return forgotten(spend, command.sighting());
    }

    /** Some node has it, as it says. One that has not is shown it too: the payment must not hang on the word of the other. */
    private Behavior<Command> waiting(WatchedSpend spend, Lookup.Sighting sighting) {
        spend.seenInMempool();
        if (sighting.lacking().isEmpty() || !spend.isInFlight() || !maySend(spend)) {
            return inMempool(spend);
        }
        LOG.info("spend {} is not known to every node: sending the same bytes to one that has it not", spend.txId());
        send(spend, sighting);
        return this;
    }

    /** A node has it, in its mempool or, as it says, in a block that is not followed yet. */
    private Behavior<Command> inMempool(WatchedSpend spend) {
        spend.seenInMempool();
        outcomes.accepted(spend);
        return next();
    }

    private Behavior<Command> rest(WatchedSpend spend) {
        outcomes.rest(spend);
        return next();
    }

    /** A transaction whose parent is not mined cannot enter a mempool: the parent is sent first, this one when the parent is in a block. */
    private Behavior<Command> forgotten(WatchedSpend spend, Lookup.Sighting sighting) {
        spend.seenNowhere();
        if (spend.state() == IntentState.ABANDONED) {
            return rest(spend);
        }
        if (spends.hasParentInFlight(spend)) {
            spend.waitsForParent();
            return rest(spend);
        }
        if (!maySend(spend)) {
            return rest(spend);
        }
        LOG.info("spend {} is not known to the nodes: sending the same bytes again", spend.txId());
        send(spend, sighting);
        return this;
    }

    private boolean maySend(WatchedSpend spend) {
        return !OwnerPushes.isPushedByOwner(spend.intent().kind())
                && resends.maySend(spend)
                && spend.maySend(clock.millis(), pace.longestBetweenSends().toMillis());
    }

    /** To each node that lacks it in turn. */
    private void send(WatchedSpend spend, Lookup.Sighting sighting) {
        env.metrics().sentAgain();
        resends.began(spend);
        int before = spend.beginSend(
                clock.millis(),
                pace.firstLook().toMillis(),
                pace.longestBetweenSends().toMillis());
        List<Integer> lacking = sighting.lacking();
        int first = lacking.isEmpty() ? before : lacking.get(before % lacking.size());
        getContext()
                .pipeToSelf(
                        broadcast.sendAgain(spend.txId(), spend.intent().transaction(), first),
                        (outcome, failure) -> new Resent(
                                spend,
                                Outcome.of(outcome, failure)
                                        .fold(
                                                Function.identity(),
                                                cause -> new BroadcastOutcome.Unknown(Broadcast.words(cause)))));
    }

    private Behavior<Command> resent(Resent command) {
        resends.ended(command.sent());
        WatchedSpend spend =
                spends.current(command.sent().txId(), command.sent().turn());
        if (spend == null) {
            return this;
        }
        if (command.outcome() instanceof BroadcastOutcome.Accepted || spend.isInMempool()) {
            return inMempool(spend);
        }
        LOG.info("spend {} is still not taken: {}", spend.txId(), command.outcome());
        Optional<Hash256> parent = command.outcome() instanceof BroadcastOutcome.Unknown unknown
                ? Broadcast.missingOutput(unknown.text()).map(Outpoint::txId)
                : Optional.empty();
        if (parent.isEmpty() || !spend.spendsOutputOf(parent.get())) {
            return rest(spend);
        }
        getContext()
                .pipeToSelf(
                        env.intents().find(parent.get()),
                        (found, failure) -> new ParentKnown(spend.txId(), spend.turn(), Outcome.of(found, failure)));
        return this;
    }

    /** The change of a spend that lost against another transaction does not exist: what spends it can never confirm. */
    private Behavior<Command> parentKnown(ParentKnown command) {
        WatchedSpend spend = spends.current(command.txId(), command.turn());
        if (spend == null) {
            return this;
        }
        Optional<Intent> lost = command.parent()
                .value()
                .flatMap(Function.identity())
                .filter(parent -> parent.state() == IntentState.CONFLICTED);
        if (lost.isEmpty()) {
            return rest(spend);
        }
        outcomes.conflicted(
                spend,
                "it spends an output of " + lost.get().txId() + ", which lost: "
                        + lost.get().reason());
        return this;
    }

    private Behavior<Command> written(Written command) {
        outcomes.written(command.step());
        return next();
    }
}
