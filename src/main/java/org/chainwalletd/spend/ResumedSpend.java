package org.chainwalletd.spend;

import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.spend.Spender.Command;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The first steps of a {@link Spender} with a spend that has an intent but no success: what became of it, and the same bytes again. */
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
        spender.neighbours.rebroadcaster().tell(new Rebroadcaster.TakeBack(intent.txId()));
        spender.context.pipeToSelf(
                spender.broadcast.locateAnywhere(intent.txId()),
                (where, failure) -> failure == null ? new Spender.Located(where) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> stillUnknown(failed.failure()))
                .onMessage(Spender.Located.class, this::located)
                .build();
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
        if (intent.state() == IntentState.CONFLICTED && !known) {
            return spender.end(null, new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), intent.reason())));
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
                    if (message.reply() instanceof Reservations.Taken) {
                        return known ? spender.end(Receipt.of(intent), null) : spender.end(null, storedRefusal());
                    }
                    return holdAgain(known);
                })
                .build();
    }

    private SpendException storedRefusal() {
        return new SpendException(new SpendRefusal.UpstreamFailed(intent.reason()));
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
        spender.context.pipeToSelf(
                spender.env.intents().reopen(intent, spender.env.clock().millis()),
                (done, failure) -> failure == null ? new Spender.Written() : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> {
                    LOG.warn("spend {} cannot be opened again: {}", intent.txId(), Broadcast.words(failed.failure()));
                    return known ? spender.end(Receipt.of(intent), null) : spender.end(null, storedRefusal());
                })
                .onMessage(Spender.Written.class, written -> {
                    spender.settle(intent.in(
                            IntentState.PREPARED, "", spender.env.clock().millis()));
                    return known ? spender.record(new BroadcastOutcome.Accepted()) : spender.send(false);
                })
                .build();
    }
}
