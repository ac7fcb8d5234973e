package org.chainwalletd.spend;

import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.ReservationStore;

/**
 * Owns the outpoints in flight: which coin is held by which spend. Selection happens here, one after the other, so no coin is chosen twice.
 * Talks to the running spenders, to the rebroadcaster (which decides when a reservation ends) and to the store (only to abandon). After a
 * restart it reads the durable reservations; holds of spends that had no intent yet are gone, as those spends are.
 */
final class Reservations extends AbstractBehavior<Reservations.Command> {
    /** More addresses than this are not remembered as clean; they merely cost one more question. */
    private static final int MOST_CLEAN_ADDRESSES = 100_000;

    sealed interface Command {}

    /** Picks coins for {@code plan} and holds them for {@code spend}. */
    record Choose(
            SpendId spend, SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, ActorRef<ChooseReply> replyTo)
            implements Command {}

    /** As {@link Choose}, but holds nothing. */
    record Preview(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, CompletableFuture<Draft> answer)
            implements Command {}

    /** Holds exactly these coins for a spend that is sent again, unless another one has them. */
    record Reacquire(SpendId spend, Hash256 txId, List<Coin> coins, ActorRef<ReacquireReply> replyTo)
            implements Command {}

    /** The intent of {@code spend} is durable: its coins now belong to {@code txId}. */
    record Settled(SpendId spend, Hash256 txId) implements Command {}

    /** The spend ended without an intent. */
    record Drop(SpendId spend) implements Command {}

    /** The spender of {@code txId} has ended; from now on its coins may be abandoned. */
    record Landed(Hash256 txId) implements Command {}

    /** The reservations of {@code txId} have ended, in the store already; or it is buried. */
    record Ended(Hash256 txId) implements Command {}

    /**
     * {@code txId} is in a block: its coins are spent. Until it is buried they are not selected even when a node that lags, or a
     * reorganisation, lists them once more.
     */
    record Confirmed(Hash256 txId, List<Coin> coins) implements Command {}

    /** A reorganisation has removed {@code txId}, or a mempool has it late: its coins are reserved again, in the store already. */
    record ReservedAgain(Hash256 txId, List<Coin> coins) implements Command {}

    /** Gives outpoints up on the operator's word. */
    record Abandon(List<Outpoint> outpoints, CompletableFuture<Abandoned> answer) implements Command {}

    /** The node's mempool had no foreign spend of this address. */
    record Clean(Address address) implements Command {}

    /** Somebody else may be spending from this address, or from any when null. */
    record Suspect(Address address) implements Command {}

    private record AbandonRecorded(Abandon question, List<ReservationStore.Reservation> ended, Throwable failure)
            implements Command {}

    /** Answer to {@link Choose}. */
    sealed interface ChooseReply {}

    /**
     * @param lookAtMempool whether the node's mempool should be asked before these coins are spent
     */
    record Chosen(Draft draft, boolean lookAtMempool) implements ChooseReply {}

    /**
     * @param reason a {@link SpendException}, or a fault of the plan
     */
    record NotChosen(RuntimeException reason) implements ChooseReply {}

    /** Answer to {@link Reacquire}. */
    sealed interface ReacquireReply {}

    record Reacquired() implements ReacquireReply {}

    /**
     * @param coins those that other spends have
     * @param spent one of them that is spent in a block; empty when all are only in flight
     */
    record Taken(List<Coin> coins, Optional<Outpoint> spent) implements ReacquireReply {}

    private enum Stage {
        /** Chosen; nothing durable yet. */
        HELD,
        /** Durable; its spender is still at work. */
        SENDING,
        /** Durable; only the rebroadcaster looks after it. */
        IN_FLIGHT,
        /** Spent in a block that is not buried yet: not selected, and not counted as in flight. */
        SPENT
    }

    /** The owner is a {@link SpendId} while held, a {@link Hash256} afterwards. */
    private record Hold(Object owner, Stage stage) {}

    private final ReservationStore store;
    private final Clock clock;
    private final Supplier<Optional<Network>> network;
    private final ActorRef<Rebroadcaster.Command> rebroadcaster;
    private final AtomicInteger count;
    private final Map<Outpoint, Hold> holds = new HashMap<>();
    private final Map<Object, Set<Outpoint>> byOwner = new HashMap<>();
    private final Set<Address> clean = new HashSet<>();
    private int spent;

    private Reservations(
            ActorContext<Command> context,
            SpendEnvironment env,
            List<ReservationStore.Reservation> durable,
            List<ConfirmedSpend> unburied,
            ActorRef<Rebroadcaster.Command> rebroadcaster,
            AtomicInteger count) {
        super(context);
        this.store = env.reservations();
        this.clock = env.clock();
        this.network = env.network();
        this.rebroadcaster = rebroadcaster;
        this.count = count;
        for (ReservationStore.Reservation reservation : durable) {
            put(reservation.coin().outpoint(), new Hold(reservation.txId(), Stage.IN_FLIGHT));
        }
        unburied.forEach(spend -> keep(spend.txId(), spend.inputs(), Stage.SPENT));
        countInFlight();
    }

    /**
     * @param durable what the store has reserved
     * @param unburied what the store has confirmed and not buried
     * @param count kept equal to the number of outpoints in flight, for who only wants the number
     */
    static Behavior<Command> create(
            SpendEnvironment env,
            List<ReservationStore.Reservation> durable,
            List<ConfirmedSpend> unburied,
            ActorRef<Rebroadcaster.Command> rebroadcaster,
            AtomicInteger count) {
        count.set(durable.size());
        return Behaviors.setup(context -> new Reservations(context, env, durable, unburied, rebroadcaster, count));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Choose.class, this::choose)
                .onMessage(Preview.class, this::preview)
                .onMessage(Reacquire.class, this::reacquire)
                .onMessage(Settled.class, this::settled)
                .onMessage(Drop.class, command -> release(command.spend()))
                .onMessage(Landed.class, this::landed)
                .onMessage(Ended.class, command -> release(command.txId()))
                .onMessage(Confirmed.class, command -> keep(command.txId(), command.coins(), Stage.SPENT))
                .onMessage(ReservedAgain.class, command -> keep(command.txId(), command.coins(), Stage.IN_FLIGHT))
                .onMessage(Abandon.class, this::abandon)
                .onMessage(AbandonRecorded.class, this::abandonRecorded)
                .onMessage(Clean.class, this::markClean)
                .onMessage(Suspect.class, this::markSuspect)
                .build();
    }

    private Behavior<Command> choose(Choose command) {
        release(command.spend());
        try {
            Draft draft = command.plan()
                    .choose(
                            command.candidates(),
                            new SpendPlan.Holdings(holds.keySet(), command.excluded(), maturity()));
            for (Coin coin : draft.inputs()) {
                put(coin.outpoint(), new Hold(command.spend(), Stage.HELD));
            }
            countInFlight();
            boolean suspect = draft.spare() && !clean.contains(command.plan().from());
            command.replyTo().tell(new Chosen(draft, suspect));
        } catch (RuntimeException e) {
            // One plan that fails must not end the spends of all others.
            command.replyTo().tell(new NotChosen(e));
        }
        return this;
    }

    private Behavior<Command> preview(Preview command) {
        try {
            command.answer()
                    .complete(command.plan()
                            .choose(
                                    command.candidates(),
                                    new SpendPlan.Holdings(holds.keySet(), command.excluded(), maturity())));
        } catch (RuntimeException e) {
            command.answer().completeExceptionally(e);
        }
        return this;
    }

    /** What it still has itself stays its own, whatever becomes of this attempt. */
    private Behavior<Command> reacquire(Reacquire command) {
        List<Coin> taken = command.coins().stream()
                .filter(coin -> holds.containsKey(coin.outpoint()))
                .filter(coin -> !holds.get(coin.outpoint()).owner().equals(command.txId()))
                .toList();
        if (!taken.isEmpty()) {
            Optional<Outpoint> spentOne = taken.stream()
                    .map(Coin::outpoint)
                    .filter(outpoint -> holds.get(outpoint).stage() == Stage.SPENT)
                    .findFirst();
            command.replyTo().tell(new Taken(taken, spentOne));
            return this;
        }
        for (Coin coin : command.coins()) {
            if (!holds.containsKey(coin.outpoint())) {
                put(coin.outpoint(), new Hold(command.spend(), Stage.HELD));
            }
        }
        countInFlight();
        command.replyTo().tell(new Reacquired());
        return this;
    }

    private Behavior<Command> settled(Settled command) {
        Set<Outpoint> outpoints = new HashSet<>(byOwner.getOrDefault(command.txId(), Set.of()));
        outpoints.addAll(byOwner.getOrDefault(command.spend(), Set.of()));
        byOwner.remove(command.spend());
        outpoints.forEach(outpoint -> put(outpoint, new Hold(command.txId(), Stage.SENDING)));
        return this;
    }

    private Behavior<Command> landed(Landed command) {
        Set.copyOf(byOwner.getOrDefault(command.txId(), Set.of()))
                .forEach(outpoint -> put(outpoint, new Hold(command.txId(), Stage.IN_FLIGHT)));
        countInFlight();
        return this;
    }

    /** A coin that another spend of ours has taken meanwhile stays with that one. */
    private Behavior<Command> keep(Hash256 txId, List<Coin> coins, Stage stage) {
        release(txId);
        for (Coin coin : coins) {
            if (!holds.containsKey(coin.outpoint())) {
                put(coin.outpoint(), new Hold(txId, stage));
            }
        }
        countInFlight();
        return this;
    }

    private Behavior<Command> abandon(Abandon command) {
        List<Outpoint> released = command.outpoints().stream()
                .distinct()
                .filter(outpoint ->
                        holds.containsKey(outpoint) && holds.get(outpoint).stage() == Stage.IN_FLIGHT)
                .toList();
        getContext()
                .pipeToSelf(
                        store.abandon(released, clock.millis()),
                        (ended, failure) -> new AbandonRecorded(command, ended, failure));
        return this;
    }

    private Behavior<Command> abandonRecorded(AbandonRecorded command) {
        if (command.failure() != null) {
            command.question().answer().completeExceptionally(command.failure());
            return this;
        }
        int releasedCount = 0;
        for (ReservationStore.Reservation reservation : command.ended()) {
            Hold hold = holds.get(reservation.coin().outpoint());
            if (hold != null && hold.equals(new Hold(reservation.txId(), Stage.IN_FLIGHT))) {
                remove(reservation.coin().outpoint(), hold);
                releasedCount++;
            }
        }
        rebroadcaster.tell(
                new Rebroadcaster.Abandoned(Set.copyOf(command.question().outpoints())));
        countInFlight();
        command.question().answer().complete(new Abandoned(releasedCount, holds.size() - spent));
        return this;
    }

    private Behavior<Command> markClean(Clean command) {
        if (clean.size() >= MOST_CLEAN_ADDRESSES) {
            clean.clear();
        }
        clean.add(command.address());
        return this;
    }

    private Behavior<Command> markSuspect(Suspect command) {
        if (command.address() == null) {
            clean.clear();
        } else {
            clean.remove(command.address());
        }
        return this;
    }

    private Behavior<Command> release(Object owner) {
        Set<Outpoint> outpoints = byOwner.remove(owner);
        if (outpoints != null) {
            outpoints.forEach(this::take);
            countInFlight();
        }
        return this;
    }

    private void countInFlight() {
        count.set(holds.size() - spent);
    }

    /** 0, which checks nothing, until a node has said which network it is of: nodes list no immature coinbase anyway. */
    private int maturity() {
        return network.get().map(Network::coinbaseMaturity).orElse(0);
    }

    private void put(Outpoint outpoint, Hold hold) {
        take(outpoint);
        holds.put(outpoint, hold);
        spent += hold.stage() == Stage.SPENT ? 1 : 0;
        byOwner.computeIfAbsent(hold.owner(), owner -> new HashSet<>()).add(outpoint);
    }

    private void take(Outpoint outpoint) {
        Hold old = holds.remove(outpoint);
        spent -= old != null && old.stage() == Stage.SPENT ? 1 : 0;
    }

    private void remove(Outpoint outpoint, Hold hold) {
        take(outpoint);
        Set<Outpoint> siblings = byOwner.get(hold.owner());
        siblings.remove(outpoint);
        if (siblings.isEmpty()) {
            byOwner.remove(hold.owner());
        }
    }
}
