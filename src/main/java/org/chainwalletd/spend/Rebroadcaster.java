package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the spends whose spender has ended: asks the nodes for each until it is confirmed, conflicted or abandoned, sends the same bytes
 * again when the nodes have forgotten it, and decides when its reservations end. Talks to the nodes, the store, the reservations and the
 * allowance. After a restart it goes on with everything that the store has in flight.
 */
public final class Rebroadcaster extends AbstractBehavior<Rebroadcaster.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Rebroadcaster.class);
    private static final String BY_THE_OPERATOR = "abandoned by the operator";
    private static final int AT_ONCE = 8;
    private static final long FORGET_EVERY_MILLIS = 60_000;

    sealed interface Command {}

    /** Who to tell; sent once, before anything else. */
    record Attach(ActorRef<Reservations.Command> reservations, ActorRef<Allowance.Command> allowance)
            implements Command {}

    /** From now on this spend is looked after here. */
    record Watch(Intent intent) implements Command {}

    /** A spender takes this spend back; it will be watched again afterwards. */
    record TakeBack(Hash256 txId) implements Command {}

    /** The operator gave up what spends these outpoints, reserved or not. */
    record Abandoned(Set<Outpoint> outpoints) implements Command {}

    /** Looks at everything that is due. */
    record Tick() implements Command {}

    /** A new block: looks at everything now. */
    record TipAdvanced() implements Command {}

    /** The daemon stops: nothing new is begun. */
    record Rest() implements Command {}

    private record Located(Hash256 txId, long turn, Broadcast.Whereabouts where, Throwable failure)
            implements Command {}

    private record Resent(Hash256 txId, long turn, BroadcastOutcome outcome) implements Command {}

    private record Recorded(Hash256 txId, long turn, IntentState state, String reason, Throwable failure)
            implements Command {}

    private record ReservationsEnded(Hash256 txId, long turn, Throwable failure) implements Command {}

    private record Forgotten() implements Command {}

    /**
     * @param tick how often due spends are looked for
     * @param firstLook how long after its broadcast a spend is looked at first; then ever more seldom
     * @param longest time between two looks at one spend
     * @param reservationTtl how long its coins stay reserved when no mempool has it
     * @param receiptTtl how long a closed spend is remembered
     * @param allowancePeriod how long a use of the allowance counts
     * @param resendPause before a refusal that passes by itself is tried again
     */
    public record Pace(
            Duration tick,
            Duration firstLook,
            Duration longest,
            Duration reservationTtl,
            Duration receiptTtl,
            Duration allowancePeriod,
            Duration resendPause) {}

    /** One spend under watch. {@code turn} tells answers to this watch from late ones to an earlier one. */
    private static final class Entry {
        private Intent intent;
        private final long turn;
        private boolean inMempool;
        private boolean reserved = true;
        private boolean busy;
        private long waitMillis;
        private long dueAt;

        private Entry(Intent intent, long turn, long now, long firstWait) {
            this.intent = intent;
            this.turn = turn;
            this.inMempool = intent.state() == IntentState.ACCEPTED;
            this.waitMillis = firstWait;
            this.dueAt = now + firstWait;
        }
    }

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Clock clock;
    private final Pace pace;
    private final AtomicInteger count;
    private final Map<Hash256, Entry> entries = new HashMap<>();
    private ActorRef<Reservations.Command> reservations;
    private ActorRef<Allowance.Command> allowance;
    private boolean resting;
    private long turns;
    private int busy;
    private long forgetAt;

    private Rebroadcaster(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            List<Intent> inFlight,
            Broadcast broadcast,
            AtomicInteger count) {
        super(context);
        this.env = env;
        this.broadcast = broadcast;
        this.clock = env.clock();
        this.pace = env.pace();
        this.count = count;
        for (Intent intent : inFlight) {
            entries.put(intent.txId(), new Entry(intent, ++turns, clock.millis(), 0));
        }
        timers.startTimerWithFixedDelay(new Tick(), pace.tick());
    }

    /**
     * @param inFlight what the store has in flight
     * @param count kept equal to the number of spends that are broadcast and not yet settled
     */
    static Behavior<Command> create(
            SpendEnvironment env, List<Intent> inFlight, Broadcast broadcast, AtomicInteger count) {
        count.set((int)
                inFlight.stream().filter(intent -> intent.state().inFlight()).count());
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new Rebroadcaster(context, timers, env, inFlight, broadcast, count)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Attach.class, this::attach)
                .onMessage(Watch.class, this::watch)
                .onMessage(TakeBack.class, this::takeBack)
                .onMessage(Abandoned.class, this::abandoned)
                .onMessage(Tick.class, command -> tick())
                .onMessage(TipAdvanced.class, command -> tipAdvanced())
                .onMessage(Rest.class, command -> rest())
                .onMessage(Located.class, this::located)
                .onMessage(Resent.class, this::resent)
                .onMessage(Recorded.class, this::recorded)
                .onMessage(ReservationsEnded.class, this::reservationsEnded)
                .onMessage(Forgotten.class, command -> this)
                .build();
    }

    private Behavior<Command> attach(Attach command) {
        reservations = command.reservations();
        allowance = command.allowance();
        return tick();
    }

    private Behavior<Command> watch(Watch command) {
        takeBack(new TakeBack(command.intent().txId()));
        Entry entry = new Entry(
                command.intent(), ++turns, clock.millis(), pace.firstLook().toMillis());
        entries.put(command.intent().txId(), entry);
        if (entry.intent.state().inFlight()) {
            count.incrementAndGet();
        }
        return this;
    }

    private Behavior<Command> takeBack(TakeBack command) {
        Entry entry = entries.remove(command.txId());
        if (entry != null && entry.busy) {
            busy--;
        }
        if (entry != null && entry.intent.state().inFlight()) {
            count.decrementAndGet();
        }
        return this;
    }

    /** Their bytes are not sent again; coins of theirs that are still reserved are watched until they are free. */
    private Behavior<Command> abandoned(Abandoned command) {
        for (Entry entry : entries.values()) {
            boolean meant = entry.intent.inputs().stream().map(Coin::outpoint).anyMatch(command.outpoints()::contains);
            if (meant && entry.intent.state().inFlight()) {
                LOG.info("spend {} was abandoned by the operator", entry.intent.txId());
                entry.intent = entry.intent.in(IntentState.ABANDONED, BY_THE_OPERATOR, clock.millis());
                count.decrementAndGet();
                record(entry, IntentState.ABANDONED, BY_THE_OPERATOR);
            }
        }
        return this;
    }

    private Behavior<Command> rest() {
        resting = true;
        return this;
    }

    private Behavior<Command> tipAdvanced() {
        long now = clock.millis();
        entries.values().forEach(entry -> entry.dueAt = now);
        return tick();
    }

    private Behavior<Command> tick() {
        if (reservations == null || resting) {
            return this;
        }
        long now = clock.millis();
        for (Entry entry : entries.values()) {
            if (busy >= AT_ONCE) {
                break;
            }
            // A clock that was set back must not put a spend to sleep.
            if (!entry.busy
                    && (entry.dueAt <= now || entry.dueAt > now + pace.longest().toMillis())) {
                look(entry);
            }
        }
        if (forgetAt <= now || forgetAt > now + FORGET_EVERY_MILLIS) {
            forgetAt = now + FORGET_EVERY_MILLIS;
            forgetOld(now);
        }
        return this;
    }

    private void forgetOld(long now) {
        getContext()
                .pipeToSelf(
                        env.intents()
                                .forget(now - pace.receiptTtl().toMillis())
                                .thenCombineAsync(
                                        env.allowanceStore()
                                                .forgetUses(now
                                                        - pace.allowancePeriod().toMillis()),
                                        (forgotten, done) -> forgotten,
                                        env.executor()),
                        (forgotten, failure) -> {
                            if (failure != null) {
                                LOG.warn("old receipts could not be removed: {}", Broadcast.words(failure));
                            }
                            return new Forgotten();
                        });
    }

    private void look(Entry entry) {
        entry.busy = true;
        busy++;
        Hash256 txId = entry.intent.txId();
        long turn = entry.turn;
        getContext().pipeToSelf(broadcast.locate(txId), (where, failure) -> new Located(txId, turn, where, failure));
    }

    private Behavior<Command> located(Located command) {
        Entry entry = current(command.txId(), command.turn());
        if (entry == null) {
            return this;
        }
        if (command.failure() != null) {
            LOG.debug("spend {}: the nodes cannot be asked: {}", command.txId(), Broadcast.words(command.failure()));
            return rest(entry);
        }
        switch (command.where()) {
            case CONFIRMED -> record(entry, IntentState.CONFIRMED, "");
            case MEMPOOL -> {
                entry.inMempool = true;
                accepted(entry);
            }
            case NOWHERE -> {
                entry.inMempool = false;
                forgotten(entry);
            }
            default -> throw new IllegalStateException("unknown whereabouts " + command.where());
        }
        return this;
    }

    private void forgotten(Entry entry) {
        if (entry.intent.state() == IntentState.ABANDONED) {
            rest(entry);
            return;
        }
        LOG.info("spend {} is not known to the node: sending the same bytes again", entry.intent.txId());
        Hash256 txId = entry.intent.txId();
        long turn = entry.turn;
        getContext()
                .pipeToSelf(
                        broadcast.send(txId, entry.intent.transaction(), true),
                        (outcome, failure) -> new Resent(
                                txId,
                                turn,
                                failure == null ? outcome : new BroadcastOutcome.Unknown(Broadcast.words(failure))));
    }

    private Behavior<Command> resent(Resent command) {
        Entry entry = current(command.txId(), command.turn());
        if (entry == null) {
            return this;
        }
        if (command.outcome() instanceof BroadcastOutcome.Accepted) {
            entry.inMempool = true;
            accepted(entry);
        } else if (command.outcome() instanceof BroadcastOutcome.Conflicted conflict && conflict.certain()) {
            LOG.warn("spend {} can never confirm: {}", command.txId(), conflict.text());
            record(entry, IntentState.CONFLICTED, conflict.text());
        } else {
            LOG.info("spend {} is still not taken: {}", command.txId(), command.outcome());
            rest(entry);
        }
        return this;
    }

    private void accepted(Entry entry) {
        if (entry.intent.state() == IntentState.PREPARED) {
            record(entry, IntentState.ACCEPTED, "");
        } else {
            rest(entry);
        }
    }

    private void record(Entry entry, IntentState state, String reason) {
        Hash256 txId = entry.intent.txId();
        long turn = entry.turn;
        getContext()
                .pipeToSelf(
                        env.intents().change(txId, state, reason, clock.millis()),
                        (done, failure) -> new Recorded(txId, turn, state, reason, failure));
    }

    private Behavior<Command> recorded(Recorded command) {
        Entry entry = current(command.txId(), command.turn());
        if (command.state() == IntentState.ABANDONED) {
            return entry == null || entry.reserved ? this : takeBack(new TakeBack(command.txId()));
        }
        if (command.failure() != null) {
            LOG.error("spend {}: {}", command.txId(), Broadcast.words(command.failure()));
            return entry == null ? this : rest(entry);
        }
        if (command.state() == IntentState.ACCEPTED) {
            if (entry != null && entry.intent.state().inFlight()) {
                entry.intent = entry.intent.in(IntentState.ACCEPTED, "", clock.millis());
            }
            return entry == null ? this : rest(entry);
        }
        reservations.tell(new Reservations.Ended(command.txId()));
        if (command.state() == IntentState.CONFLICTED) {
            allowance.tell(new Allowance.GiveBack(command.txId()));
        }
        LOG.info("spend {} is {}", command.txId(), command.state());
        return entry == null ? this : takeBack(new TakeBack(command.txId()));
    }

    /**
     * Ends its reservations when their time is over and no mempool was seen to have it; while one has it they go on, however long it
     * takes.
     */
    private Behavior<Command> rest(Entry entry) {
        long now = clock.millis();
        boolean expired =
                now - entry.intent.createdAt() >= pace.reservationTtl().toMillis();
        if (expired && !entry.inMempool && entry.reserved) {
            Hash256 txId = entry.intent.txId();
            long turn = entry.turn;
            LOG.info("reservations of spend {} end: their time is over and no mempool has it", txId);
            getContext()
                    .pipeToSelf(
                            env.reservations()
                                    .end(entry.intent.inputs().stream()
                                            .map(Coin::outpoint)
                                            .toList()),
                            (done, failure) -> new ReservationsEnded(txId, turn, failure));
            return this;
        }
        sleep(entry);
        return this;
    }

    private Behavior<Command> reservationsEnded(ReservationsEnded command) {
        if (command.failure() == null) {
            reservations.tell(new Reservations.Ended(command.txId()));
        }
        Entry entry = current(command.txId(), command.turn());
        if (entry == null) {
            return this;
        }
        if (command.failure() != null) {
            LOG.error("spend {}: {}", command.txId(), Broadcast.words(command.failure()));
        } else {
            entry.reserved = false;
            if (entry.intent.state() == IntentState.ABANDONED) {
                return takeBack(new TakeBack(command.txId()));
            }
        }
        sleep(entry);
        return this;
    }

    private void sleep(Entry entry) {
        entry.busy = false;
        busy--;
        entry.waitMillis = Math.min(
                Math.max(2 * entry.waitMillis, pace.tick().toMillis()),
                pace.longest().toMillis());
        entry.dueAt = clock.millis() + entry.waitMillis;
    }

    private Entry current(Hash256 txId, long turn) {
        Entry entry = entries.get(txId);
        return entry != null && entry.turn == turn ? entry : null;
    }
}
