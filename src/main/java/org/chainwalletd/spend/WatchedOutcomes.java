package org.chainwalletd.spend;

import java.time.Clock;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.ConfirmedSpend;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the {@link Rebroadcaster} has found out about a watched spend: it is written down first, then the neighbours hear of it, then the
 * spend is let go or sleeps until its next look. Used on that actor's thread; what the store answers comes back to it as a {@link Step}.
 */
final class WatchedOutcomes {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedOutcomes.class);
    /** Nothing of these is watched any more. */
    private static final Set<IntentState> CLOSED_FOR_GOOD =
            EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED, IntentState.CONTESTED);

    /** What a block has, or a caller was told, outweighs these, which were written down before. */
    static final Set<IntentState> LOST = EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED);

    /** The store has answered. A step of an earlier watch still counts for the neighbours, but moves no spend. */
    sealed interface Step {
        void in(WatchedOutcomes outcomes);
    }

    private record Recorded(Hash256 txId, long turn, IntentState state, String reason, Outcome<Transition> transition)
            implements Step {
        @Override
        public void in(WatchedOutcomes outcomes) {
            outcomes.recorded(this);
        }
    }

    private record InBlock(ConfirmedSpend spend, String kind, long turn, Outcome<Transition> transition)
            implements Step {
        @Override
        public void in(WatchedOutcomes outcomes) {
            outcomes.inBlock(this);
        }
    }

    private record ReservedAgain(Intent intent, long turn, Outcome<Transition> transition) implements Step {
        @Override
        public void in(WatchedOutcomes outcomes) {
            outcomes.reservedAgain(this);
        }
    }

    private record ReservationsEnded(Hash256 txId, long turn, Outcome<Transition> transition) implements Step {
        @Override
        public void in(WatchedOutcomes outcomes) {
            outcomes.reservationsEnded(this);
        }
    }

    private final ActorContext<Rebroadcaster.Command> context;
    private final SpendEnvironment env;
    private final Clock clock;
    private final Pace pace;
    private final WatchedSpends spends;
    private final ActorRef<Reservations.Command> reservations;
    private final ActorRef<BurialWatch.Command> burials;

    WatchedOutcomes(
            ActorContext<Rebroadcaster.Command> context,
            SpendEnvironment env,
            WatchedSpends spends,
            Rebroadcaster.Attach neighbours) {
        this.context = context;
        this.env = env;
        this.clock = env.clock();
        this.pace = env.pace();
        this.spends = spends;
        this.reservations = neighbours.reservations();
        this.burials = neighbours.burials();
    }

    private <T> void whenWritten(CompletionStage<T> write, Function<Outcome<T>, Step> step) {
        context.pipeToSelf(write, (done, failure) -> new Rebroadcaster.Written(step.apply(Outcome.of(done, failure))));
    }

    /** A mempool has it. */
    void accepted(WatchedSpend spend) {
        if (spend.needsReservations()) {
            reserveAgain(spend);
        } else {
            acceptedWithCoins(spend);
        }
    }

    /** A mempool has taken it after its coins' time was over: nobody else may choose them now. */
    private void reserveAgain(WatchedSpend spend) {
        Intent intent = spend.intent();
        long turn = spend.turn();
        whenWritten(
                env.reservations().reserveAgain(intent.txId()),
                transition -> new ReservedAgain(intent, turn, transition));
    }

    private void acceptedWithCoins(WatchedSpend spend) {
        if (spend.state() == IntentState.PREPARED) {
            record(
                    spend,
                    IntentState.ACCEPTED,
                    "",
                    env.intents().accept(spend.txId(), Set.of(spend.state()), clock.millis()));
        } else {
            rest(spend);
        }
    }

    void conflicted(WatchedSpend spend, String text) {
        LOG.warn("spend {} can never confirm: {}", spend.txId(), text);
        record(
                spend,
                IntentState.CONFLICTED,
                text,
                new OutcomeWrites(env).failed(spend.intent(), IntentState.CONFLICTED, text, true));
    }

    /** A block has somebody else's spend of this coin. */
    void spentElsewhere(Outpoint coin) {
        reservations.tell(new Reservations.SpentElsewhere(coin));
    }

    void forked() {
        reservations.tell(new Reservations.Forked());
    }

    /** In the store already. Its bytes are not sent again; coins of its that are still reserved are watched until they are free. */
    void abandoned(WatchedSpend spend, String reason) {
        spends.abandon(spend, reason, clock.millis());
        env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.ABANDONED);
        if (!spend.isReserved()) {
            spends.remove(spend.txId());
        }
    }

    private void record(WatchedSpend spend, IntentState state, String reason, CompletionStage<Transition> write) {
        Hash256 txId = spend.txId();
        long turn = spend.turn();
        whenWritten(write, transition -> new Recorded(txId, turn, state, reason, transition));
    }

    void confirmed(WatchedSpend spend, BlockPlace place) {
        Intent intent = spend.intent();
        confirm(ConfirmedSpend.of(intent, place), place, intent.kind(), spend.turn(), intent.state());
    }

    private void confirm(ConfirmedSpend spend, BlockPlace place, String kind, long turn, IntentState before) {
        whenWritten(
                env.intents().confirm(spend.txId(), before, place, clock.millis()),
                transition -> new InBlock(spend, kind, turn, transition));
    }

    /** Nothing new; when its coins' time is over they are free. Only for a spend about which the nodes were heard. */
    void rest(WatchedSpend spend) {
        if (!spend.reservationsExpire(clock.millis(), pace.reservationTtl().toMillis())) {
            pause(spend);
            return;
        }
        Hash256 txId = spend.txId();
        long turn = spend.turn();
        LOG.info("reservations of spend {} end: their time is over and no mempool has it", txId);
        whenWritten(
                env.reservations().end(txId, spend.state()),
                transition -> new ReservationsEnded(txId, turn, transition));
    }

    /** Nothing could be found out or written: only that it is looked at again later. */
    void pause(WatchedSpend spend) {
        spends.sleep(spend, clock.millis(), pace);
    }

    void written(Step step) {
        step.in(this);
    }

    /** Whether it was written; a spend that is still watched is looked at again when not. */
    private boolean succeeded(Hash256 txId, WatchedSpend spend, Outcome<Transition> transition) {
        if (isMade(transition)) {
            return true;
        }
        complain(txId, transition);
        Optional<Transition.Stale> stale = stale(transition);
        if (spend != null && stale.isPresent()) {
            adopt(spend, stale.get().found());
        } else if (spend != null) {
            pause(spend);
        }
        return false;
    }

    private static boolean isMade(Outcome<Transition> transition) {
        return transition.value().filter(Transition.Made.class::isInstance).isPresent();
    }

    private static Optional<Transition.Stale> stale(Outcome<Transition> transition) {
        return transition.value().filter(Transition.Stale.class::isInstance).map(Transition.Stale.class::cast);
    }

    private static void complain(Hash256 txId, Outcome<Transition> transition) {
        transition.failure().ifPresent(failure -> LOG.error("spend {}: {}", txId, Broadcast.words(failure)));
    }

    /**
     * The spend was watched in a state that it has left, as after a spender has handed it back with what it knew before, or after a write of
     * ours whose answer was lost. What the store has is true. Nobody may have told the others, or the spender something older since: they hear
     * it now.
     */
    private void adopt(WatchedSpend spend, Optional<IntentState> found) {
        LOG.info("spend {} has moved on meanwhile: {}", spend.txId(), found);
        if (found.isEmpty() || CLOSED_FOR_GOOD.contains(found.get())) {
            reservations.tell(new Reservations.End(spend.txId()));
            spends.parentSettled(spend.txId(), clock.millis());
            spends.remove(spend.txId());
        } else if (found.get() == IntentState.CONFIRMED) {
            PackedSpend confirmed = PackedSpend.of(spend.txId(), spend.intent().inputs());
            reservations.tell(new Reservations.Confirmed(confirmed));
            burials.tell(new BurialWatch.Watch(new ConfirmedSpend(confirmed, Optional.empty())));
            spends.parentSettled(spend.txId(), clock.millis());
            spends.remove(spend.txId());
        } else {
            if (found.get() == IntentState.ABANDONED && spend.isInFlight()) {
                spends.abandon(spend, "given up meanwhile", clock.millis());
            }
            pause(spend);
        }
    }

    private void recorded(Recorded step) {
        WatchedSpend spend = spends.current(step.txId(), step.turn());
        switch (step.state()) {
            case ACCEPTED -> {
                if (succeeded(step.txId(), spend, step.transition()) && spend != null) {
                    if (spend.isInFlight()) {
                        spend.enter(IntentState.ACCEPTED, "", clock.millis());
                    }
                    rest(spend);
                }
            }
            default -> {
                if (succeeded(step.txId(), spend, step.transition())) {
                    closed(step, spend);
                }
            }
        }
    }

    private void closed(Recorded step, WatchedSpend spend) {
        LOG.info("spend {} is {}", step.txId(), step.state());
        reservations.tell(new Reservations.End(step.txId()));
        spends.parentSettled(step.txId(), clock.millis());
        if (spend != null) {
            env.metrics().ended(spend.intent().kind(), SpendMetrics.Outcome.CONFLICTED);
            spends.remove(step.txId());
        }
    }

    private void inBlock(InBlock step) {
        Hash256 txId = step.spend().txId();
        WatchedSpend spend = spends.current(txId, step.turn());
        Optional<IntentState> lost =
                stale(step.transition()).flatMap(Transition.Stale::found).filter(LOST::contains);
        if (spend != null && lost.isPresent()) {
            confirm(step.spend(), step.spend().place().orElseThrow(), step.kind(), step.turn(), lost.get());
            return;
        }
        if (!succeeded(txId, spend, step.transition())) {
            return;
        }
        LOG.info("spend {} is CONFIRMED", txId);
        env.metrics().ended(step.kind(), SpendMetrics.Outcome.CONFIRMED);
        reservations.tell(new Reservations.Confirmed(step.spend().spend()));
        burials.tell(new BurialWatch.Watch(step.spend()));
        spends.parentSettled(txId, clock.millis());
        if (spend != null) {
            spends.remove(txId);
        }
    }

    /**
     * When a spender has taken it back meanwhile, it may have ended since without success: coins that were held after that would be
     * held for nobody until the next start. A next watch reserves them once more.
     */
    private void reservedAgain(ReservedAgain step) {
        Hash256 txId = step.intent().txId();
        complain(txId, step.transition());
        WatchedSpend spend = spends.current(txId, step.turn());
        if (spend == null) {
            return;
        }
        if (isMade(step.transition())) {
            reservations.tell(new Reservations.ReservedAgain(step.intent()));
            spend.reservedAgain();
        }
        acceptedWithCoins(spend);
    }

    /** When a spender has taken it back meanwhile, it may have reserved its coins again: then only the next watch can say. */
    private void reservationsEnded(ReservationsEnded step) {
        WatchedSpend spend = spends.current(step.txId(), step.turn());
        boolean gone = stale(step.transition())
                .filter(stale -> stale.found().isEmpty())
                .isPresent();
        if (spend == null || !gone && !succeeded(step.txId(), spend, step.transition())) {
            return;
        }
        spend.reservationsEnded();
        if (spend.state() == IntentState.ABANDONED) {
            reservations.tell(new Reservations.End(step.txId()));
            spends.remove(step.txId());
        } else {
            reservations.tell(new Reservations.Lapsed(spend.intent()));
            pause(spend);
        }
    }
}
