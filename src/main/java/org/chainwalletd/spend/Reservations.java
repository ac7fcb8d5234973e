package org.chainwalletd.spend;

import java.math.BigInteger;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.japi.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.CoinHolds.Stage;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.Store;

/**
 * Owns the outpoints in flight: a spend takes all its coins in one message, and messages are handled one at a time, so no coin is chosen
 * twice. Talks to the running spends, to the spend monitor (which decides when a reservation ends) and to the store (to abandon, and to
 * resolve intents in doubt). After a restart it reads the durable reservations; coins held by spends without an intent are free again,
 * because those spends ended with the process.
 */
final class Reservations extends AbstractBehavior<Reservations.Command> {
    sealed interface Command {}

    /**
     * Chooses coins for {@code plan} and holds them for {@code spend}; releases coins that the spend held before.
     *
     * @param replaces whether the spend replaces an earlier one of the same payment. The caps are then not checked here, because the
     *     replaced spend returns its share only when the new one is opened.
     */
    record Choose(
            Owner.Running spend,
            SpendPlan plan,
            Candidates candidates,
            Set<Outpoint> excluded,
            boolean replaces,
            CompletableFuture<Choice> answer)
            implements Command {}

    /** Reports that a foreign transaction, proven by its bytes, spends this coin. */
    record SpentElsewhere(Outpoint coin) implements Command {}

    /** Reports that blocks were disconnected: coins that they had spent may be unspent again. */
    record Forked() implements Command {}

    /** Drafts like {@link Choose}, but holds nothing. */
    record Preview(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, CompletableFuture<Draft> answer)
            implements Command {}

    /** Holds exactly the coins of a spend that is sent again, unless another spend has them. */
    record Reacquire(Owner.Running spend, Intent intent, CompletableFuture<Reacquisition> answer) implements Command {}

    /** Answer to {@link Reacquire}: whether a spend that is sent again got its former coins. */
    sealed interface Reacquisition {
        record Reacquired() implements Reacquisition {}

        /**
         * @param coins coins that other spends hold
         * @param spent first of these that is spent in a block; empty when all are only in flight
         */
        record Taken(List<Coin> coins, Optional<Outpoint> spent) implements Reacquisition {}
    }

    /** Releases the coins of a running spend that ended without an intent. */
    record Drop(Owner.Running spend) implements Command {}

    /**
     * Moves the coins of a finished running spend to its durable intent, which is watched from now on.
     *
     * @param holdsCoins whether the coins are certainly reserved in the store
     */
    record HandOver(Owner.Running spend, Intent intent, boolean holdsCoins) implements Command {}

    /**
     * Keeps the coins of a finished running spend, because it is unknown whether the store has the intent. Lasts until this is known.
     *
     * @param settled completed when the store has answered
     */
    record Doubt(Owner.Running spend, Intent intent, CompletableFuture<Void> settled) implements Command {}

    /**
     * Takes a spend known to be in flight back from the spend monitor, for a running spend.
     *
     * @param answer false when it was abandoned meanwhile, so that it must not be sent
     */
    record TakeBack(Owner.Running spend, Hash256 txId, CompletableFuture<Boolean> answer) implements Command {}

    /** Transfers to a running spend a spend that is not in flight, or not known to be. */
    record TakeOver(Owner.Running spend, Hash256 txId) implements Command {}

    /**
     * Forwards a command to the spend monitor, in order with the other messages here, so that a spend that was just handed over is not
     * taken back before it is watched.
     */
    record PassOn(SpendMonitor.Command command) implements Command {}

    /** Frees the coins of a running spend that failed or is contested; the store already records that. */
    record FailRunning(Owner.Running spend, Hash256 txId) implements Command {}

    /** Frees the coins of {@code txId}: its reservations have ended, already recorded in the store, or it is buried. */
    record End(Hash256 txId) implements Command {}

    /** Frees the coins of a spend whose reservations timed out, already recorded in the store, although the spend is still sent. */
    record Lapsed(Intent intent) implements Command {}

    /**
     * Marks the coins of {@code spend}, which is in a block, as spent. Until it is buried they are not selected, even when a lagging node
     * or a reorganisation lists them again.
     */
    record Confirmed(PackedSpend spend) implements Command {}

    /**
     * Holds the coins of a spend again, as the store already does: a reorganisation has removed the spend from the chain, or it appeared
     * late in a mempool.
     */
    record ReservedAgain(Intent intent) implements Command {}

    record Abandon(List<Outpoint> outpoints, CompletableFuture<Abandoned> answer) implements Command {}

    /**
     * Abandons one spend on its owner's request, regardless of which nodes have it.
     *
     * @param keepsCoins whether only its stand-in may spend its coins until the chain has decided
     * @param recall intent that becomes durable in the same commit and is watched from then on; empty for none
     */
    record AbandonOne(Hash256 txId, boolean keepsCoins, Optional<Intent> recall, CompletableFuture<Abandoned> answer)
            implements Command {}

    /** Reports that a node's mempool showed no foreign spend of the chosen coins of this address. */
    record Clean(Address address) implements Command {}

    /** Reports that another party may be spending from this address; from any address when it is empty. */
    record Suspect(Optional<Address> address) implements Command {}

    /** Asks for the sum, in base units, of the intents of which it is unknown whether the store has them. */
    record LeavingInDoubt(CompletableFuture<BigInteger> answer) implements Command {}

    /**
     * Reports that no spend which the question concerns is being sent, or will be before the question is settled.
     *
     * @param unreserved ids of spends in flight that the question concerns through coins that nothing holds
     */
    record Withheld(Abandonments.Question question, Set<Hash256> unreserved) implements Command {}

    /** Reports that the spend monitor starts, for the first time or again, and waits for the open questions whose spends it must not send. */
    record MonitorStarts() implements Command {}

    /** Reports that the spend monitor has stopped, because another daemon does the background work. */
    record MonitorStopped() implements Command {}

    private record OthersChanged() implements Command {}

    /** Carries the state of a store that other daemons also change. */
    private record Reread(Outcome<Durable> state) implements Command {}

    private record ReadAgain() implements Command {}

    /** Reports that no spend monitor is running that could withhold the spends which the question concerns. */
    record NotWithheld(Abandonments.Question question) implements Command {}

    /** Carries the continuation of an {@link Abandonments} request to the nodes or the store onto the actor's thread. */
    record AbandonStep(Runnable next) implements Command {}

    /** Asks the store about the oldest intent in doubt. */
    private record Settle() implements Command {}

    private record Settled(Doubt doubt, Outcome<Optional<Intent>> found) implements Command {}

    /**
     * Answer to {@link Choose}, which fails with a {@link SpendException} or a fault of the plan.
     *
     * @param suspect whether another party may be spending from the address
     */
    record Choice(Draft draft, boolean suspect) {}

    private final ActorRef<SpendMonitor.Command> monitor;
    private final SpendEnvironment env;
    private final CoinHolds coins;
    private final CoinChoice choice;
    private final Abandonments abandonments;
    private final TimerScheduler<Command> timers;
    private final Duration settleEvery;
    private final IntentStore intents;
    /** Intents of which it is unknown whether the store has them, by transaction id, the oldest first. */
    private final Map<Hash256, Doubt> doubts = new LinkedHashMap<>();
    /**
     * Whether reservations are kept in memory until the spend monitor ends them. With a store shared by several daemons, only the daemon
     * that does the background work keeps them; the others learn from the store which coins are reserved.
     */
    private boolean keeping;
    /** Whether the store is being read. */
    private boolean reading;
    /** Whether the store must be read again after the read in progress, which may have begun too early. */
    private boolean readAgain;
    /** Spends whose known state is newer than the one being read. */
    private final Set<Hash256> changedMeanwhile = new HashSet<>();

    private Reservations(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            Durable durable,
            Broadcast broadcast,
            ActorRef<SpendMonitor.Command> monitor,
            AtomicInteger count) {
        super(context);
        this.env = env;
        this.timers = timers;
        this.settleEvery = env.pace().firstLook();
        this.intents = env.intents();
        this.monitor = monitor;
        this.coins = new CoinHolds(count);
        this.choice = new CoinChoice(env, coins);
        this.keeping = !env.isShared();
        if (keeping) {
            coins.takeUp(durable.reserved(), durable.keeping());
        }
        durable.unburied().forEach(spend -> coins.spent(spend.spend()));
        durable.lapsed().forEach(choice::lapsed);
        List<Intent> abandoned = keeping ? durable.abandoned() : List.of();
        this.abandonments = new Abandonments(context, env, broadcast, coins, choice, monitor, abandoned);
        ActorRef<Command> self = context.getSelf();
        env.stores().store().whenOthersChange(Store.SharedRows.SPENDS, () -> self.tell(new OthersChanged()));
    }

    /**
     * State of the store.
     *
     * @param inFlight spends in flight, and abandoned ones whose coins are still reserved
     * @param reserved durable reservations
     * @param unburied confirmed spends that are not buried
     * @param abandoned spends that were abandoned within the last {@link Pace#reservationTtl}
     */
    record Durable(
            List<Intent> inFlight,
            List<ReservationStore.Reservation> reserved,
            List<ConfirmedSpend> unburied,
            List<Intent> abandoned) {
        static CompletionStage<Durable> read(SpendEnvironment env) {
            CompletableFuture<List<Intent>> inFlight = env.intents().inFlight().toCompletableFuture();
            CompletableFuture<List<ConfirmedSpend>> unburied =
                    env.intents().unburied().toCompletableFuture();
            CompletableFuture<List<ReservationStore.Reservation>> reserved =
                    env.reservations().all().toCompletableFuture();
            long lately = env.clock().millis() - env.pace().reservationTtl().toMillis();
            CompletableFuture<List<Intent>> abandoned =
                    env.intents().abandonedSince(lately).toCompletableFuture();
            return CompletableFuture.allOf(inFlight, unburied, reserved, abandoned)
                    .thenApplyAsync(
                            done -> new Durable(inFlight.join(), reserved.join(), unburied.join(), abandoned.join()),
                            env.executor());
        }

        /** Ids of abandoned spends that keep their coins. */
        Set<Hash256> keeping() {
            return inFlight.stream()
                    .filter(StandIns::keepsCoins)
                    .map(Intent::txId)
                    .collect(Collectors.toSet());
        }

        /** Spends in flight that no longer hold any of their coins. */
        List<Intent> lapsed() {
            Set<Hash256> holders =
                    reserved.stream().map(ReservationStore.Reservation::txId).collect(Collectors.toSet());
            return inFlight.stream()
                    .filter(intent -> intent.state().inFlight() && !holders.contains(intent.txId()))
                    .toList();
        }
    }

    /** @param count kept equal to the number of outpoints in flight, for readers on other threads */
    static Behavior<Command> create(
            SpendEnvironment env,
            Durable durable,
            Broadcast broadcast,
            ActorRef<SpendMonitor.Command> monitor,
            AtomicInteger count) {
        count.set(env.isShared() ? 0 : durable.reserved().size());
        return Behaviors.withTimers(timers ->
                Behaviors.setup(context -> new Reservations(context, timers, env, durable, broadcast, monitor, count)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Choose.class, then(this::choose))
                .onMessage(Preview.class, then(this::preview))
                .onMessage(Reacquire.class, then(this::reacquire))
                .onMessage(Drop.class, then(this::drop))
                .onMessage(HandOver.class, then(this::handOver))
                .onMessage(Doubt.class, then(this::doubt))
                .onMessage(TakeBack.class, then(this::takeBack))
                .onMessage(TakeOver.class, then(this::takeOver))
                .onMessage(PassOn.class, then(command -> monitor.tell(command.command())))
                .onMessage(FailRunning.class, then(this::failRunning))
                .onMessage(End.class, then(command -> end(command.txId())))
                .onMessage(Lapsed.class, then(this::lapsed))
                .onMessage(Confirmed.class, then(this::confirmed))
                .onMessage(ReservedAgain.class, then(this::reservedAgain))
                .onMessage(Abandon.class, then(command -> withhold(abandonments.begin(command))))
                .onMessage(AbandonOne.class, then(command -> withhold(abandonments.begin(command))))
                .onMessage(SpentElsewhere.class, then(command -> choice.spentElsewhere(command.coin())))
                .onMessage(Forked.class, then(command -> choice.forked()))
                .onMessage(Clean.class, then(command -> choice.markClean(command.address())))
                .onMessage(Suspect.class, then(command -> choice.suspect(command.address())))
                .onMessage(LeavingInDoubt.class, then(this::leavingInDoubt))
                .onMessage(
                        Withheld.class, then(command -> abandonments.locate(command.question(), command.unreserved())))
                .onMessage(MonitorStarts.class, then(command -> monitorStarts()))
                .onMessage(MonitorStopped.class, then(command -> monitorStopped()))
                .onMessage(OthersChanged.class, then(command -> othersChanged()))
                .onMessage(ReadAgain.class, then(command -> read()))
                .onMessage(Reread.class, then(this::reread))
                .onMessage(NotWithheld.class, then(command -> abandonments.refuse(command.question())))
                .onMessage(AbandonStep.class, then(command -> command.next().run()))
                .onMessage(Settle.class, then(command -> settle()))
                .onMessage(Settled.class, then(this::settled))
                .build();
    }

    /** Handles a message and keeps the behavior. */
    private <C> Function<C, Behavior<Command>> then(Consumer<C> handler) {
        return command -> {
            handler.accept(command);
            return this;
        };
    }

    /**
     * Asks the spend monitor to withhold the spends of a question first: a resend in progress could reach a node after the coins were
     * freed, and pay a second time.
     */
    private void withhold(Abandonments.Question question) {
        monitor.tell(new SpendMonitor.Withhold(question));
    }

    private void choose(Choose command) {
        coins.release(command.spend());
        try {
            Draft draft = choice.choose(command.plan(), command.candidates(), command.excluded());
            if (!command.replaces()) {
                env.requireAllowed(command.plan(), command.plan().leaving(draft));
            }
            coins.holdFree(command.spend(), Stage.HELD, draft.inputs());
            command.answer()
                    .complete(new Choice(draft, choice.isSuspect(command.plan().from())));
        } catch (RuntimeException e) {
            // A plan that fails must not stop this actor, which serves all spends.
            command.answer().completeExceptionally(e);
        }
    }

    private void preview(Preview command) {
        try {
            command.answer().complete(choice.draft(command.plan(), command.candidates(), command.excluded()));
        } catch (RuntimeException e) {
            command.answer().completeExceptionally(e);
        }
    }

    private void reacquire(Reacquire command) {
        Intent intent = command.intent();
        if (abandonments.keeps(intent.txId(), command)) {
            return;
        }
        Owner payment = paymentOf(intent);
        List<Coin> taken = coins.takenFrom(payment, intent.kind(), intent.inputs());
        if (!taken.isEmpty()) {
            command.answer().complete(new Reacquisition.Taken(taken, coins.firstSpent(taken)));
            return;
        }
        if (doubts.remove(intent.txId()) != null) {
            coins.move(payment, command.spend(), Stage.HELD);
        }
        coins.holdFree(command.spend(), Stage.HELD, intent.inputs());
        command.answer().complete(new Reacquisition.Reacquired());
    }

    private static Owner.Payment paymentOf(Intent intent) {
        return new Owner.Payment(intent.txId());
    }

    private void drop(Drop command) {
        abandonments.ended(command.spend());
        coins.release(command.spend());
    }

    private void handOver(HandOver command) {
        abandonments.ended(command.spend());
        if (keeping) {
            coins.move(command.spend(), paymentOf(command.intent()), Stage.IN_FLIGHT);
        } else {
            coins.release(command.spend());
            coins.release(paymentOf(command.intent()));
        }
        monitor.tell(new SpendMonitor.Watch(command.intent(), command.holdsCoins()));
    }

    private void doubt(Doubt command) {
        abandonments.ended(command.spend());
        coins.move(command.spend(), paymentOf(command.intent()), Stage.HELD);
        doubts.put(command.intent().txId(), command);
        if (doubts.size() == 1) {
            settleLater();
        }
    }

    /** Asks the store about the oldest doubt. Only one request is open at a time, since each fails while the disk fails. */
    private void settle() {
        doubts.values().stream()
                .findFirst()
                .ifPresent(oldest -> Outcome.pipe(
                        getContext(),
                        intents.findForCertain(oldest.intent().txId()),
                        found -> new Settled(oldest, found)));
    }

    private void settled(Settled command) {
        command.found().match(found -> settled(command.doubt(), found), failure -> settleLater());
    }

    private void settleLater() {
        timers.startSingleTimer(new Settle(), settleEvery);
    }

    private void settled(Doubt doubt, Optional<Intent> found) {
        if (doubts.remove(doubt.intent().txId(), doubt)) {
            decide(doubt, found);
        }
        settle();
    }

    private void decide(Doubt doubt, Optional<Intent> found) {
        Optional<Intent> open = found.filter(intent -> intent.state().inFlight());
        Owner payment = paymentOf(doubt.intent());
        if (open.isPresent()) {
            if (keeping) {
                coins.move(payment, payment, Stage.IN_FLIGHT);
            } else {
                coins.release(payment);
            }
            monitor.tell(new SpendMonitor.Watch(open.get(), true));
        } else {
            coins.release(payment);
        }
        doubt.settled().complete(null);
    }

    private void takeBack(TakeBack command) {
        if (abandonments.keeps(command.txId(), command)) {
            return;
        }
        boolean mayGoOn = !abandonments.wasAbandoned(command.txId());
        if (mayGoOn) {
            takeOver(new TakeOver(command.spend(), command.txId()));
        }
        command.answer().complete(mayGoOn);
    }

    private void takeOver(TakeOver command) {
        abandonments.begun(command.spend(), command.txId());
        monitor.tell(new SpendMonitor.TakeBack(command.txId()));
    }

    private void failRunning(FailRunning command) {
        abandonments.ended(command.spend());
        end(command.txId());
        coins.release(command.spend());
    }

    private void end(Hash256 txId) {
        noteChange(txId);
        coins.release(new Owner.Payment(txId));
        choice.settled(txId);
    }

    private void lapsed(Lapsed command) {
        noteChange(command.intent().txId());
        coins.release(paymentOf(command.intent()));
        choice.lapsed(command.intent());
    }

    private void confirmed(Confirmed command) {
        noteChange(command.spend().txId());
        choice.settled(command.spend().txId());
        coins.spent(command.spend());
    }

    private void reservedAgain(ReservedAgain command) {
        noteChange(command.intent().txId());
        Owner payment = paymentOf(command.intent());
        choice.settled(command.intent().txId());
        coins.release(payment);
        if (keeping) {
            coins.holdFree(payment, Stage.IN_FLIGHT, command.intent().inputs());
        }
    }

    private void monitorStarts() {
        if (env.isShared()) {
            keeping = true;
            read();
        } else {
            begin();
        }
    }

    private void monitorStopped() {
        keeping = false;
        coins.dropReserved();
    }

    /** Reads the store. One read runs at a time, so that each is newer than what was adopted before it. */
    private void read() {
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        timers.cancel(new ReadAgain());
        changedMeanwhile.clear();
        Outcome.pipe(getContext(), Durable.read(env), Reread::new);
    }

    private void noteChange(Hash256 txId) {
        if (reading) {
            changedMeanwhile.add(txId);
        }
    }

    /** Adopts the reservations and confirmations of other daemons. A starting spend monitor waits for this. */
    private void reread(Reread command) {
        reading = false;
        boolean tooEarly = readAgain;
        readAgain = false;
        Optional<Durable> read = command.state().value();
        if (read.isEmpty()) {
            timers.startSingleTimer(new ReadAgain(), settleEvery);
            return;
        }
        Durable durable = read.get();
        adoptConfirmations(durable);
        if (tooEarly) {
            read();
            return;
        }
        if (!keeping) {
            return;
        }
        Set<Hash256> abandoned = durable.keeping();
        durable.reserved().stream()
                .filter(held -> !changedMeanwhile.contains(held.txId()))
                .forEach(held -> coins.takeUpFree(held, abandoned.contains(held.txId())));
        abandonments.remember(durable.abandoned());
        begin();
    }

    /** Marks the coins of spends in blocks as spent, and those of spends without reservations as free; all others are neither any more. */
    private void adoptConfirmations(Durable durable) {
        Set<Hash256> confirmed =
                durable.unburied().stream().map(ConfirmedSpend::txId).collect(Collectors.toSet());
        coins.releaseSpentUnless(txId -> confirmed.contains(txId) || changedMeanwhile.contains(txId));
        durable.unburied().stream()
                .filter(spend -> !changedMeanwhile.contains(spend.txId()))
                .forEach(spend -> coins.spent(spend.spend()));
        Set<Hash256> lapsed = durable.lapsed().stream().map(Intent::txId).collect(Collectors.toSet());
        choice.settledUnless(txId -> lapsed.contains(txId) || changedMeanwhile.contains(txId));
        durable.lapsed().stream()
                .filter(spend -> !changedMeanwhile.contains(spend.txId()))
                .forEach(choice::lapsed);
    }

    /**
     * Follows other daemons: forwards changes to the spend monitor; without one, tracks the coins that blocks have spent and the spends whose
     * reservations have ended, and releases the coins of all others.
     */
    private void othersChanged() {
        IntentStore.Changes changes = intents.changedByOthers();
        changes.spends().forEach(this::follow);
        if (keeping && (changes.incomplete() || !changes.spends().isEmpty())) {
            monitor.tell(new SpendMonitor.OthersChanged(changes));
        } else if (!keeping && changes.incomplete()) {
            read();
        }
    }

    private void follow(IntentStore.Changed changed) {
        Intent spend = changed.spend();
        if (!keeping) {
            noteChange(spend.txId());
        }
        Owner payment = paymentOf(spend);
        boolean confirmed = spend.state() == IntentState.CONFIRMED;
        if (confirmed && changed.buried()) {
            coins.release(payment);
        } else if (!keeping && confirmed) {
            coins.spent(PackedSpend.of(spend.txId(), spend.inputs()));
        } else if (!keeping && !doubts.containsKey(spend.txId())) {
            coins.release(payment);
        }
        if (!keeping && spend.state().inFlight() && !changed.holdsCoins()) {
            choice.lapsed(spend);
        } else if (!keeping) {
            choice.settled(spend.txId());
        }
    }

    private void begin() {
        abandonments.open().forEach(this::withhold);
        monitor.tell(new SpendMonitor.Begin());
    }

    private void leavingInDoubt(LeavingInDoubt command) {
        command.answer()
                .complete(doubts.values().stream()
                        .map(doubt -> doubt.intent().allowance().toBigInteger())
                        .reduce(BigInteger.ZERO, BigInteger::add));
    }
}
