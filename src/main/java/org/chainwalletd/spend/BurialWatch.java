package org.chainwalletd.spend;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.UnburiedSpends.Entry;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Transition;
import org.chainwalletd.store.Unconfirmation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the confirmed spends until they are buried: too deep for any reorganisation that is expected. Follows the ids of the last blocks, one
 * question for each new block while there is something to watch, and asks for a spend itself only when its block is no longer one of them.
 * A spend that is gone is put back in flight, in the store first, and handed to the rebroadcaster. Talks to the nodes, the store, the
 * reservations and the rebroadcaster. After a restart it goes on with every confirmed spend that the store has not as buried.
 */
final class BurialWatch extends AbstractBehavior<BurialWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(BurialWatch.class);
    private static final int AT_ONCE = 8;

    sealed interface Command {}

    /** From now on this spend is looked after here; it is recorded as confirmed. */
    record Watch(ConfirmedSpend spend) implements Command {}

    /** Compares with the newest tip that is known. */
    record Tick() implements Command {}

    /** The daemon stops: nothing new is begun. */
    record Rest() implements Command {}

    /** Who hears what is found out. */
    record Neighbours(ActorRef<Reservations.Command> reservations, ActorRef<Rebroadcaster.Command> rebroadcaster) {}

    private record BlockRead(BlockPlace asked, Optional<NodeClient.BlockSummary> block, Throwable failure)
            implements Command {}

    private record Found(Hash256 txId, Optional<NodeClient.NodeTransaction> found, Throwable failure)
            implements Command {}

    private record Moved(Hash256 txId, BlockPlace place, Transition transition, Throwable failure) implements Command {}

    private record PutBack(Hash256 txId, Unconfirmation outcome, Throwable failure) implements Command {}

    private record Buried(List<Hash256> txIds, Throwable failure) implements Command {}

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Clock clock;
    private final long pauseMillis;
    private final int depth;
    private final UnburiedSpends spends;
    private final RecentChain chain = new RecentChain();
    private final ActorRef<Reservations.Command> reservations;
    private final ActorRef<Rebroadcaster.Command> rebroadcaster;
    private boolean resting;
    private Hash256 lastTip;
    private boolean reading;
    private long readAt = Long.MIN_VALUE;
    private int asking;

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
                timers -> new BurialWatch(context, timers, env, unburied, broadcast, neighbours, count).tick()));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Watch.class, this::watch)
                .onMessage(Tick.class, command -> tick())
                .onMessage(Rest.class, command -> rest())
                .onMessage(BlockRead.class, this::blockRead)
                .onMessage(Found.class, this::found)
                .onMessage(Moved.class, this::moved)
                .onMessage(PutBack.class, this::putBack)
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

    private Behavior<Command> tick() {
        if (spends.isEmpty()) {
            chain.forget();
        } else if (!resting) {
            tip().ifPresent(this::compare);
        }
        return this;
    }

    /** No chain has 2^63 blocks: a node that says so is not believed. */
    private Optional<BlockPlace> tip() {
        return env.tip().get().filter(tip -> tip.height() >= 0).map(tip -> new BlockPlace(tip.height(), tip.blockId()));
    }

    /** After a question in vain there is a pause, which a new tip ends. */
    private void compare(BlockPlace tip) {
        if (!tip.blockId().equals(lastTip)) {
            lastTip = tip.blockId();
            readAt = Long.MIN_VALUE;
            spends.makeAllDue();
        }
        Optional<BlockPlace> missing = chain.missing(tip, floor(tip));
        if (missing.isEmpty()) {
            judge(tip);
        } else if (!reading && isDue(readAt)) {
            read(missing.get());
        }
    }

    /** A clock that was set back must not stop the watch. */
    private boolean isDue(long at) {
        long now = clock.millis();
        return at <= now || at > now + pauseMillis;
    }

    /** Down to the lowest block that matters, and no deeper than a burial. */
    private long floor(BlockPlace tip) {
        return Math.max(spends.lowest().orElse(tip.height()), deepest(tip));
    }

    private long deepest(BlockPlace tip) {
        return Math.max(0, tip.height() - depth + 1);
    }

    private void read(BlockPlace wanted) {
        reading = true;
        getContext()
                .pipeToSelf(
                        env.node().block(wanted.blockId()), (block, failure) -> new BlockRead(wanted, block, failure));
    }

    private Behavior<Command> blockRead(BlockRead command) {
        reading = false;
        BlockPlace asked = command.asked();
        Optional<NodeClient.BlockSummary> block = Optional.ofNullable(command.block())
                .flatMap(found -> found)
                .filter(found -> new BlockPlace(found.height(), found.blockId()).equals(asked));
        if (block.isEmpty()) {
            // Another node than the one that named the tip may not have the block yet; or one of them lies.
            readAt = clock.millis() + pauseMillis;
            return this;
        }
        chain.add(asked, block.get().previousBlockId());
        return tick();
    }

    /** Costs what has changed: what a new block leaves where it was is not looked at. */
    private void judge(BlockPlace tip) {
        OptionalLong changed = chain.takeChange();
        changed.ifPresent(spends::doubtFrom);
        List<Entry> deep = new ArrayList<>();
        for (Entry entry : spends.inDoubt()) {
            if (entry.isBusy()) {
                continue;
            }
            if (isInItsBlock(entry)) {
                spends.proven(entry);
                if (isDeep(entry, tip)) {
                    deep.add(entry);
                }
            } else if (mayBeGone(entry, tip) && asking < AT_ONCE && isDue(entry.dueAt())) {
                ask(entry);
            }
        }
        bury(changed.isPresent() ? spends.provenUpTo(deepest(tip)) : deep);
    }

    private boolean isDeep(Entry entry, BlockPlace tip) {
        return entry.spend()
                .place()
                .filter(place -> place.height() <= deepest(tip))
                .isPresent();
    }

    private boolean isInItsBlock(Entry entry) {
        return entry.spend()
                .place()
                .map(place -> chain.at(place.height()).equals(Optional.of(place.blockId())))
                .orElse(false);
    }

    /** A tip below its block proves nothing: a node that lags is not a reorganisation. */
    private static boolean mayBeGone(Entry entry, BlockPlace tip) {
        return entry.spend()
                .place()
                .map(place -> place.height() <= tip.height())
                .orElse(true);
    }

    private void ask(Entry entry) {
        entry.begin();
        asking++;
        Hash256 txId = entry.txId();
        getContext().pipeToSelf(broadcast.find(txId), (found, failure) -> new Found(txId, found, failure));
    }

    private Behavior<Command> found(Found command) {
        asking--;
        Entry entry = spends.get(command.txId());
        if (command.failure() != null) {
            LOG.debug("spend {}: the nodes cannot be asked: {}", command.txId(), Broadcast.words(command.failure()));
            later(entry);
            return tick();
        }
        Optional<BlockPlace> place = command.found()
                .filter(found -> found.blockHeight() != null)
                .map(found -> new BlockPlace(found.blockHeight(), found.blockId()));
        if (place.isEmpty()) {
            unconfirm(entry);
        } else if (isBelowTheChain(place.get())) {
            bury(List.of(entry));
        } else if (place.equals(entry.spend().place())) {
            later(entry);
        } else {
            move(entry, place.get());
        }
        return tick();
    }

    /** Below everything that is followed: the node's word is the proof. */
    private boolean isBelowTheChain(BlockPlace place) {
        return tip().filter(tip -> place.height() < deepest(tip)).isPresent();
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
                        (transition, failure) -> new Moved(txId, place, transition, failure));
    }

    /** What is not confirmed any more is somebody else's to watch. */
    private Behavior<Command> moved(Moved command) {
        Entry entry = spends.get(command.txId());
        if (command.failure() != null) {
            return notWritten(entry, command.failure());
        }
        if (command.transition() instanceof Transition.Stale) {
            return leave(List.of(command.txId()));
        }
        spends.move(entry, command.place());
        return this;
    }

    private void unconfirm(Entry entry) {
        Hash256 txId = entry.txId();
        LOG.warn("spend {} was confirmed and is no longer on the chain: it is in flight again", txId);
        getContext()
                .pipeToSelf(
                        env.intents().unconfirm(txId, clock.millis()),
                        (outcome, failure) -> new PutBack(txId, outcome, failure));
    }

    /** One that was not confirmed was taken back by a call with its token meanwhile, and is watched by the rebroadcaster already. */
    private Behavior<Command> putBack(PutBack command) {
        if (command.failure() != null) {
            return notWritten(spends.get(command.txId()), command.failure());
        }
        CrashPoint.SPEND_AFTER_REORGANISATION.reached();
        if (command.outcome() instanceof Unconfirmation.BackInFlight back) {
            Intent intent = back.intent();
            env.metrics().reorganised();
            env.metrics().ended(intent.kind(), SpendMetrics.Outcome.REORGANISED);
            reservations.tell(new Reservations.ReservedAgain(intent.txId(), intent.inputs()));
            rebroadcaster.tell(new Rebroadcaster.TakeUp(intent));
        }
        return leave(List.of(command.txId()));
    }

    private void bury(List<Entry> deep) {
        deep.forEach(Entry::begin);
        List<Hash256> txIds = deep.stream().map(Entry::txId).toList();
        if (!txIds.isEmpty()) {
            getContext().pipeToSelf(env.intents().bury(txIds), (done, failure) -> new Buried(txIds, failure));
        }
    }

    private Behavior<Command> buried(Buried command) {
        if (command.failure() != null) {
            command.txIds().forEach(txId -> notWritten(spends.get(txId), command.failure()));
            return this;
        }
        command.txIds().forEach(txId -> reservations.tell(new Reservations.End(txId)));
        return leave(command.txIds());
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
