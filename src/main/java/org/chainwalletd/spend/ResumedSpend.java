package org.chainwalletd.spend;

import java.util.List;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.spend.Spender.Command;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first steps of a {@link Spender} with a spend that has an intent but no success: what became of it, and the same bytes again, never
 * others. What was said about it before is not repeated but found out anew: coins that were taken then may be free now.
 */
final class ResumedSpend {
    private static final Logger LOG = LoggerFactory.getLogger(ResumedSpend.class);

    private final Spender spender;
    private final Intent intent;

    ResumedSpend(Spender spender, Intent intent) {
        this.spender = spender;
        this.intent = intent;
    }

    Behavior<Command> begin() {
        spender.takeUp(intent);
        if (intent.state().inFlight()) {
            takeBack();
        }
        spender.context.pipeToSelf(
                spender.broadcast.locateAnywhere(intent.txId()),
                (where, failure) -> failure == null ? new Spender.Located(where) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> stillUnknown(failed.failure()))
                .onMessage(Spender.Located.class, this::located)
                .build();
    }

    private void takeBack() {
        spender.neighbours.rebroadcaster().tell(new Rebroadcaster.TakeBack(intent.txId()));
    }

    private Behavior<Command> stillUnknown(Throwable failure) {
        if (intent.state().inFlight()) {
            return spender.leaveInFlight(new SpendException(new SpendRefusal.OutcomeUnknown(
                    intent.txId(), intent.token().isPresent(), Broadcast.words(failure))));
        }
        return spender.end(null, failure);
    }

    private Behavior<Command> located(Spender.Located message) {
        boolean known = message.where() != Broadcast.Whereabouts.NOWHERE;
        if (intent.state().inFlight()) {
            return known ? spender.record(new BroadcastOutcome.Accepted()) : spender.send(true);
        }
        return reacquire(known);
    }

    /** It was closed without success and is needed again: its own coins, or none. */
    private Behavior<Command> reacquire(boolean known) {
        spender.neighbours
                .reservations()
                .tell(new Reservations.Reacquire(
                        spender.id,
                        intent.txId(),
                        intent.inputs(),
                        spender.context.messageAdapter(Reservations.ReacquireReply.class, Spender.Reacquisition::new)));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Reacquisition.class, message -> {
                    if (message.reply() instanceof Reservations.Taken taken) {
                        return taken(taken, known);
                    }
                    return holdAgain(known);
                })
                .build();
    }

    /** Another payment of ours has its coins. When a node has this one all the same, it is looked after like any other. */
    private Behavior<Command> taken(Reservations.Taken taken, boolean known) {
        if (known) {
            return spender.record(new BroadcastOutcome.Accepted());
        }
        return spender.end(null, new SpendException(takenBy(taken)));
    }

    private SpendRefusal takenBy(Reservations.Taken taken) {
        return taken.spent()
                .<SpendRefusal>map(coin -> new SpendRefusal.DoubleSpend(
                        intent.txId(), "another payment of this daemon has spent its input " + coin + " in a block"))
                .orElseGet(() -> new SpendRefusal.InFlightExhausted(
                        SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken.coins())));
    }

    private Behavior<Command> holdAgain(boolean known) {
        spender.neighbours
                .allowance()
                .tell(new Allowance.Hold(spender.id, intent.txId(), intent.allowance(), spender.allowanceReplies()));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded && !known) {
                        return spender.end(null, new SpendException(exceeded.refusal()));
                    }
                    return reopen(known);
                })
                .build();
    }

    private Behavior<Command> reopen(boolean known) {
        takeBack();
        spender.context.pipeToSelf(
                spender.env.intents().reopen(intent, spender.env.clock().millis()),
                (opening, failure) -> failure == null ? new Spender.Written(opening) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> notWritten(failed.failure(), known))
                .onMessage(Spender.Written.class, written -> reopened(written.opening(), known))
                .build();
    }

    private Behavior<Command> reopened(Opening opening, boolean known) {
        if (opening instanceof Opening.Opened) {
            spender.settle(
                    intent.in(IntentState.PREPARED, "", spender.env.clock().millis()));
            return known ? spender.record(new BroadcastOutcome.Accepted()) : spender.send(mayBeSomewhere());
        }
        return notReopened(new SpendException(collision(opening)));
    }

    private SpendRefusal collision(Opening opening) {
        if (opening instanceof Opening.CoinTaken taken) {
            return new SpendRefusal.InFlightExhausted(
                    SpendRefusal.Shortage.ofTaken(Receipt.of(intent), List.of(taken.coin())));
        }
        if (opening instanceof Opening.SameTransaction) {
            return new SpendRefusal.DoubleSpend(
                    intent.txId(), "its transaction is the payment of another client_token by now");
        }
        return new SpendRefusal.OutcomeUnknown(
                intent.txId(), intent.token().isPresent(), "it has moved on meanwhile: " + opening);
    }

    /** What the operator gave up was in flight: a node that is silent now may have it. Of all others every answer was heard. */
    private boolean mayBeSomewhere() {
        return intent.state() == IntentState.ABANDONED;
    }

    /** When the store cannot be written but a node has the transaction, the payment is made, and that is written down later. */
    private Behavior<Command> notWritten(Throwable failure, boolean known) {
        LOG.warn("spend {} cannot be opened again: {}", intent.txId(), Broadcast.words(failure));
        return known ? spender.record(new BroadcastOutcome.Accepted()) : notReopened(failure);
    }

    /**
     * When another token has made the very same transaction its own meanwhile, that one is its payment and not this token's, even though a
     * node has it.
     */
    private Behavior<Command> notReopened(Throwable failure) {
        if (intent.state() == IntentState.ABANDONED) {
            // Coins that it still has are watched as before.
            spender.neighbours.rebroadcaster().tell(new Rebroadcaster.Watch(intent, false));
        }
        return spender.end(null, failure);
    }
}
