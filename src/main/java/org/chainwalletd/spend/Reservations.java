package org.chainwalletd.spend;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.ReservationStore;

/**
 * Owns the outpoints in flight and what is left of the allowance: a spend takes its coins and its part of the allowance in one message, one
 * spend after the other, so no coin is chosen twice and no cap is passed. Talks to the running spends, to the spend monitor (which decides
 * when a reservation ends) and to the store (only to abandon). After a restart it reads the durable reservations and uses; what was held by
 * spends that had no intent yet is gone, as those spends are.
 */
final class Reservations extends AbstractBehavior<Reservations.Command> {
    private static final Duration SLIDE_EVERY = Duration.ofSeconds(10);

    sealed interface Command {}

    /** Would this amount be granted now? Holds nothing; answers why not. */
    record Afford(Amount amount, CompletableFuture<Optional<SpendRefusal.AllowanceExceeded>> answer)
            implements Command {}

    /**
     * Picks coins for {@code plan} and holds them, with what leaves, for {@code spend}; what it held before is free.
     *
     * @param insteadOf a spend that it takes the place of: what that one counts is not counted twice
     */
    record Choose(
            Owner.Running spend,
            SpendPlan plan,
            Candidates candidates,
            Set<Outpoint> excluded,
            Optional<Hash256> insteadOf,
            CompletableFuture<Choice> answer)
            implements Command {}

    /** Gives back what this spend took of the allowance, as the store has done already: another one of the same payment has taken its place. */
    record Replaced(Hash256 txId) implements Command {}

    /** Somebody else's spend of this coin was shown by its bytes. */
    record SpentElsewhere(Outpoint coin) implements Command {}

    /** Blocks have gone: what they had spent may be there again. */
    record Forked() implements Command {}

    /** As {@link Choose}, but holds nothing. */
    record Preview(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, CompletableFuture<Draft> answer)
            implements Command {}

    /**
     * Holds exactly the coins of a spend that is sent again, and what leaves, unless another one has them or the allowance does not suffice.
     *
     * @param capped whether the allowance can refuse it; it counts in any case
     */
    record Reacquire(Owner.Running spend, Intent intent, boolean capped, CompletableFuture<Reacquisition> answer)
            implements Command {}

    /** The running spend is durable, and counts from {@code at} in the store and not from when it was made: the clock has jumped, or it was made long ago. */
    record Counts(Owner.Running spend, long at) implements Command {}

    /** The spend ended without an intent. */
    record Drop(Owner.Running spend) implements Command {}

    /** The running spend has ended with a durable intent: what it held is the intent's, which is watched from now on. */
    record Land(Owner.Running spend, Intent intent, boolean holdsCoins) implements Command {}

    /**
     * The running spend has ended, and the store cannot say whether it has the intent: what was held stays so until the store can.
     *
     * @param settled to be completed then
     */
    record Doubt(Owner.Running spend, Intent intent, CompletableFuture<Void> settled) implements Command {}

    /**
     * The running spend takes one back from the spend monitor that it knows to be in flight.
     *
     * @param answer false when it was given up meanwhile: it is not to be sent
     */
    record TakeBack(Owner.Running spend, Hash256 txId, CompletableFuture<Boolean> answer) implements Command {}

    /** The running spend takes over one that is not in flight, or not known to be. */
    record TakeOver(Owner.Running spend, Hash256 txId) implements Command {}

    /** For the spend monitor, in the order of what is told here: a spend that has just landed is not taken back before it is watched. */
    record PassOn(SpendMonitor.Command command) implements Command {}

    /**
     * The running spend failed, in the store already: its coins are free.
     *
     * @param left whether a node has seen its bytes: then it keeps what it took of the allowance
     */
    record FailRunning(Owner.Running spend, Hash256 txId, boolean left) implements Command {}

    /** The running spend is contested, in the store already: its coins are free, and what it took of the allowance stays taken. */
    record Contested(Owner.Running spend, Hash256 txId) implements Command {}

    /** The reservations of {@code txId} have ended, in the store already; or it is buried. */
    record End(Hash256 txId) implements Command {}

    /** The reservations of a spend have ended by time, in the store already, and it is still sent. */
    record Lapsed(Intent intent) implements Command {}

    /**
     * {@code spend} is in a block: its coins are spent, and what it took of the allowance stays taken. Until it is buried they are not selected even when a node that lags, or a
     * reorganisation, lists them once more.
     */
    record Confirmed(PackedSpend spend) implements Command {}

    /** A reorganisation has removed the spend, or a mempool has it late: its coins are reserved again, in the store already. */
    record ReservedAgain(Intent intent) implements Command {}

    /** Gives outpoints up on the operator's word. */
    record Abandon(List<Outpoint> outpoints, CompletableFuture<Abandoned> answer) implements Command {}

    /**
     * Gives one spend up on its owner's word, wherever it is.
     *
     * @param keepsCoins whether nobody but its stand-in may spend its coins before the chain has decided
     */
    record GiveUp(Hash256 txId, boolean keepsCoins, CompletableFuture<Abandoned> answer) implements Command {}

    /** The node's mempool had no foreign spend of this address. */
    record Clean(Address address) implements Command {}

    /** Somebody else may be spending from this address; from any when there is none. */
    record Suspect(Optional<Address> address) implements Command {}

    record Status(CompletableFuture<AllowanceStatus> answer) implements Command {}

    /**
     * Nothing that the question concerns is being sent, nor will it be before the question is settled.
     *
     * @param unreserved spends in flight that it names by coins which nothing holds
     */
    record Withheld(Abandonments.Question question, Set<Hash256> unreserved) implements Command {}

    /** What was found out or written down about spends that are given up. */
    record GivingUp(Abandonments.Step step) implements Command {}

    /** Asks the store about the oldest doubt. */
    private record Settle() implements Command {}

    private record Settled(Doubt doubt, Outcome<Optional<Intent>> found) implements Command {}

    /** Time has passed: old uses leave the allowance's window. */
    private record Slide() implements Command {}

    /**
     * Answer to {@link Choose}, which fails with a {@link SpendException} or a fault of the plan.
     *
     * @param suspect whether somebody else may be spending from the address
     */
    record Choice(Draft draft, boolean suspect) {}

    private final ActorRef<SpendMonitor.Command> monitor;
    private final Stakes stakes;
    private final CoinChoice choice;
    private final Abandonments abandonments;
    private final TimerScheduler<Command> timers;
    private final Duration settleEvery;
    private final IntentStore intents;
    /** Oldest first. */
    private final Map<Hash256, Doubt> doubts = new LinkedHashMap<>();

    private Reservations(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            Durable durable,
            Broadcast broadcast,
            ActorRef<SpendMonitor.Command> monitor,
            AtomicInteger count) {
        super(context);
        this.timers = timers;
        this.settleEvery = env.pace().firstLook();
        this.intents = env.intents();
        this.monitor = monitor;
        CoinHolds coins = new CoinHolds(count);
        this.stakes = new Stakes(
                coins,
                new Allowance(durable.spent(), env.limits(), env.clock(), env.chain()::tipMillis, env.metrics()));
        this.choice = new CoinChoice(env, coins);
        coins.takeUp(durable.reserved(), durable.keeping());
        durable.unburied().forEach(spend -> coins.spent(spend.spend()));
        durable.lapsed().forEach(choice::lapsed);
        Abandonments.Neighbours neighbours = new Abandonments.Neighbours(coins, choice, monitor);
        this.abandonments = new Abandonments(context, env, broadcast, neighbours, durable.abandoned());
    }

    /**
     * What the store knows: reservations, confirmed spends that are not buried, what was given up lately, uses of the current window.
     *
     * @param keeping spends that were given up and keep their coins
     * @param lapsed spends in flight that hold none of theirs any more
     */
    record Durable(
            List<ReservationStore.Reservation> reserved,
            Set<Hash256> keeping,
            List<Intent> lapsed,
            List<ConfirmedSpend> unburied,
            List<Intent> abandoned,
            AllowanceStore.Spent spent) {}

    /**
     * @param count kept equal to the number of outpoints in flight, for who only wants the number
     */
    static Behavior<Command> create(
            SpendEnvironment env,
            Durable durable,
            Broadcast broadcast,
            ActorRef<SpendMonitor.Command> monitor,
            AtomicInteger count) {
        count.set(durable.reserved().size());
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Slide(), SLIDE_EVERY);
            return Behaviors.setup(
                    context -> new Reservations(context, timers, env, durable, broadcast, monitor, count));
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Afford.class, this::afford)
                .onMessage(Choose.class, this::choose)
                .onMessage(Preview.class, this::preview)
                .onMessage(Reacquire.class, this::reacquire)
                .onMessage(Counts.class, this::counts)
                .onMessage(Drop.class, this::drop)
                .onMessage(Land.class, this::land)
                .onMessage(Doubt.class, this::doubt)
                .onMessage(TakeBack.class, this::takeBack)
                .onMessage(TakeOver.class, this::takeOver)
                .onMessage(PassOn.class, this::passOn)
                .onMessage(FailRunning.class, this::failRunning)
                .onMessage(Contested.class, this::contested)
                .onMessage(End.class, this::end)
                .onMessage(Lapsed.class, this::lapsed)
                .onMessage(Confirmed.class, this::confirmed)
                .onMessage(ReservedAgain.class, this::reservedAgain)
                .onMessage(Abandon.class, this::abandon)
                .onMessage(GiveUp.class, this::giveUp)
                .onMessage(Replaced.class, this::replaced)
                .onMessage(SpentElsewhere.class, this::spentElsewhere)
                .onMessage(Forked.class, command -> forked())
                .onMessage(Clean.class, this::markClean)
                .onMessage(Suspect.class, this::markSuspect)
                .onMessage(Status.class, this::status)
                .onMessage(Withheld.class, this::withheld)
                .onMessage(GivingUp.class, this::givingUp)
                .onMessage(Settle.class, command -> settle())
                .onMessage(Settled.class, this::settled)
                .onMessage(Slide.class, command -> slide())
                .build();
    }

    private Behavior<Command> afford(Afford command) {
        command.answer().complete(stakes.refusal(command.amount()));
        return this;
    }

    private Behavior<Command> choose(Choose command) {
        stakes.free(command.spend());
        try {
            Draft draft = choice.choose(command.plan(), command.candidates(), command.excluded());
            stakes.hold(
                    command.spend(),
                    draft.inputs(),
                    command.plan().leaving(draft),
                    command.plan().isCapped(),
                    command.insteadOf());
            command.answer()
                    .complete(new Choice(draft, choice.isSuspect(command.plan().from())));
        } catch (RuntimeException e) {
            // One plan that fails must not end the spends of all others.
            command.answer().completeExceptionally(e);
        }
        return this;
    }

    private Behavior<Command> preview(Preview command) {
        try {
            command.answer().complete(choice.draft(command.plan(), command.candidates(), command.excluded()));
        } catch (RuntimeException e) {
            command.answer().completeExceptionally(e);
        }
        return this;
    }

    private Behavior<Command> reacquire(Reacquire command) {
        Intent intent = command.intent();
        if (abandonments.keeps(intent.txId(), command)) {
            return this;
        }
        Reacquisition answer = stakes.reacquisition(intent, command.capped());
        if (answer instanceof Reacquisition.Reacquired) {
            if (doubts.remove(intent.txId()) != null) {
                stakes.takeFromDoubt(command.spend(), intent);
            }
            stakes.holdAgain(command.spend(), intent);
        }
        command.answer().complete(answer);
        return this;
    }

    private Behavior<Command> counts(Counts command) {
        stakes.counts(command.spend(), command.at());
        return this;
    }

    private Behavior<Command> drop(Drop command) {
        abandonments.ended(command.spend());
        stakes.free(command.spend());
        return this;
    }

    private Behavior<Command> land(Land command) {
        abandonments.ended(command.spend());
        stakes.land(command.spend(), command.intent());
        monitor.tell(new SpendMonitor.Watch(command.intent(), command.holdsCoins()));
        return this;
    }

    private Behavior<Command> doubt(Doubt command) {
        abandonments.ended(command.spend());
        stakes.doubt(command.spend(), command.intent());
        doubts.put(command.intent().txId(), command);
        if (doubts.size() == 1) {
            timers.startSingleTimer(new Settle(), settleEvery);
        }
        return this;
    }

    /** One question at a time: while the disk fails, each fails. */
    private Behavior<Command> settle() {
        doubts.values().stream()
                .findFirst()
                .ifPresent(oldest -> getContext()
                        .pipeToSelf(
                                intents.findForCertain(oldest.intent().txId()),
                                (found, failure) -> new Settled(oldest, Outcome.of(found, failure))));
        return this;
    }

    private Behavior<Command> settled(Settled command) {
        return command.found().fold(found -> settled(command.doubt(), found), failure -> settleLater());
    }

    private Behavior<Command> settleLater() {
        timers.startSingleTimer(new Settle(), settleEvery);
        return this;
    }

    private Behavior<Command> settled(Doubt doubt, Optional<Intent> found) {
        if (doubts.remove(doubt.intent().txId(), doubt)) {
            decide(doubt, found);
        }
        return settle();
    }

    private void decide(Doubt doubt, Optional<Intent> found) {
        Optional<Intent> open = found.filter(intent -> intent.state().inFlight());
        if (open.isPresent()) {
            stakes.isDurable(doubt.intent());
            monitor.tell(new SpendMonitor.Watch(open.get(), true));
        } else {
            stakes.free(new Owner.Payment(doubt.intent().txId()));
        }
        doubt.settled().complete(null);
    }

    private Behavior<Command> takeBack(TakeBack command) {
        if (abandonments.keeps(command.txId(), command)) {
            return this;
        }
        boolean mayGoOn = !abandonments.wasGivenUp(command.txId());
        if (mayGoOn) {
            takeOver(new TakeOver(command.spend(), command.txId()));
        }
        command.answer().complete(mayGoOn);
        return this;
    }

    private Behavior<Command> takeOver(TakeOver command) {
        abandonments.begun(command.spend(), command.txId());
        monitor.tell(new SpendMonitor.TakeBack(command.txId()));
        return this;
    }

    private Behavior<Command> passOn(PassOn command) {
        monitor.tell(command.command());
        return this;
    }

    private Behavior<Command> failRunning(FailRunning command) {
        abandonments.ended(command.spend());
        choice.settled(command.txId());
        stakes.failed(command.spend(), command.txId(), command.left());
        return this;
    }

    private Behavior<Command> contested(Contested command) {
        choice.settled(command.txId());
        abandonments.ended(command.spend());
        stakes.contested(command.spend(), command.txId());
        return this;
    }

    private Behavior<Command> end(End command) {
        stakes.freeCoins(command.txId());
        choice.settled(command.txId());
        return this;
    }

    private Behavior<Command> lapsed(Lapsed command) {
        stakes.freeCoins(command.intent().txId());
        choice.lapsed(command.intent());
        return this;
    }

    private Behavior<Command> confirmed(Confirmed command) {
        choice.settled(command.spend().txId());
        stakes.confirmed(command.spend());
        return this;
    }

    private Behavior<Command> reservedAgain(ReservedAgain command) {
        choice.settled(command.intent().txId());
        stakes.unconfirmed(command.intent());
        return this;
    }

    /** A repetition that is under way could reach a node after the coins were given up, and pay a second time. */
    private Behavior<Command> abandon(Abandon command) {
        monitor.tell(new SpendMonitor.Withhold(abandonments.begin(command.outpoints(), command.answer())));
        return this;
    }

    private Behavior<Command> giveUp(GiveUp command) {
        monitor.tell(new SpendMonitor.Withhold(abandonments.begin(command)));
        return this;
    }

    private Behavior<Command> withheld(Withheld command) {
        abandonments.locate(command.question(), command.unreserved());
        return this;
    }

    private Behavior<Command> givingUp(GivingUp command) {
        command.step().in(abandonments);
        return this;
    }

    private Behavior<Command> replaced(Replaced command) {
        stakes.replaced(command.txId());
        return this;
    }

    private Behavior<Command> spentElsewhere(SpentElsewhere command) {
        choice.spentElsewhere(command.coin());
        return this;
    }

    private Behavior<Command> forked() {
        choice.forked();
        return this;
    }

    private Behavior<Command> markClean(Clean command) {
        choice.markClean(command.address());
        return this;
    }

    private Behavior<Command> markSuspect(Suspect command) {
        choice.suspect(command.address());
        return this;
    }

    private Behavior<Command> status(Status command) {
        command.answer().complete(stakes.status());
        return this;
    }

    private Behavior<Command> slide() {
        stakes.slide();
        return this;
    }
}
