package org.chainwalletd.spend;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.Finding;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one running spend. Its steps up to the durable intent are those of a {@link NewSpend} or a {@link ResumedSpend}; broadcast and outcome
 * are here. Talks to the nodes, the signer, the store, the reservations, the allowance and the rebroadcaster; tells its parent the result
 * and ends. It is never restarted: what it had made durable is gone on with by the rebroadcaster, or by a new spender when the same token
 * comes again.
 */
final class Spender {
    private static final Logger LOG = LoggerFactory.getLogger(Spender.class);

    /** For a few steps after a stage of our own: whoever completes it goes on, and no thread has to be woken. */
    static final Executor SAME_THREAD = Runnable::run;

    static final CompletionStage<?> NOTHING_LEFT = CompletableFuture.completedFuture(null);

    sealed interface Command {}

    record AllowanceReply(Allowance.Reply reply) implements Command {}

    record Listed(Candidates candidates, Hash256 genesis) implements Command {}

    record Choice(Reservations.ChooseReply reply) implements Command {}

    record Reacquisition(Reservations.ReacquireReply reply) implements Command {}

    /** Outpoints of our address that somebody else's transaction in the mempool spends; null when the node cannot say. */
    record MempoolSeen(Set<Outpoint> foreign) implements Command {}

    record Proof(Map<Outpoint, Finding> findings) implements Command {}

    record Signed(Signature signature) implements Command {}

    record Written(Opening opening) implements Command {}

    record Located(Broadcast.Whereabouts where) implements Command {}

    private record Sent(BroadcastOutcome outcome) implements Command {}

    private record Recorded(Transition transition, Throwable failure) implements Command {}

    record Failed(Throwable failure) implements Command {}

    /**
     * How it ended.
     *
     * @param receipt null exactly when there is a failure
     * @param recorded complete when the store knows it too
     */
    record Result(SpendId spend, Receipt receipt, Throwable failure, CompletionStage<?> recorded) {}

    /** The neighbours of a spender. */
    record Neighbours(
            ActorRef<Reservations.Command> reservations,
            ActorRef<Allowance.Command> allowance,
            ActorRef<Rebroadcaster.Command> rebroadcaster) {}

    final ActorContext<Command> context;
    final SpendEnvironment env;
    final Broadcast broadcast;
    final Neighbours neighbours;
    final SpendId id;
    private final ActorRef<Result> parent;

    private Intent intent;
    private IntentState whenRefused = IntentState.REFUSED;
    private boolean holdsCoins;
    private boolean settled;

    private Spender(
            ActorContext<Command> context,
            SpendEnvironment env,
            Broadcast broadcast,
            Neighbours neighbours,
            SpendId id,
            ActorRef<Result> parent) {
        this.context = context;
        this.env = env;
        this.broadcast = broadcast;
        this.neighbours = neighbours;
        this.id = id;
        this.parent = parent;
    }

    /** A new spend. */
    static Behavior<Command> create(
            SpendEnvironment env,
            Broadcast broadcast,
            Neighbours neighbours,
            SpendId id,
            SpendPlan plan,
            ActorRef<Result> parent) {
        return Behaviors.setup(
                context -> new NewSpend(new Spender(context, env, broadcast, neighbours, id, parent), plan).begin());
    }

    /** A spend that has an intent but no success: the same bytes again. */
    static Behavior<Command> resume(
            SpendEnvironment env,
            Broadcast broadcast,
            Neighbours neighbours,
            SpendId id,
            Intent intent,
            ActorRef<Result> parent) {
        return Behaviors.setup(context ->
                new ResumedSpend(new Spender(context, env, broadcast, neighbours, id, parent), intent).begin());
    }

    ActorRef<Allowance.Reply> allowanceReplies() {
        return context.messageAdapter(Allowance.Reply.class, AllowanceReply::new);
    }

    /**
     * This is about a spend that was decided on before; nothing is held for it yet. One that has lost against another may have been accepted
     * before: a refusal that says nothing of the other one leaves it lost.
     */
    void takeUp(Intent found) {
        intent = found;
        whenRefused = found.state() == IntentState.CONFLICTED ? IntentState.CONFLICTED : IntentState.REFUSED;
    }

    /** The intent is durable: what was held for this spend belongs to its transaction. */
    void settle(Intent durable) {
        intent = durable;
        holdsCoins = true;
        settled = true;
        neighbours.reservations().tell(new Reservations.Settled(id, intent.txId()));
        neighbours.allowance().tell(new Allowance.Settled(id, intent.txId()));
    }

    /**
     * Hands the bytes to the nodes and ends with what became of them.
     *
     * @param ambiguous whether an earlier send may have arrived
     */
    Behavior<Command> send(boolean ambiguous) {
        CrashPoint.SPEND_AFTER_INTENT.reached();
        context.pipeToSelf(
                broadcast.send(intent.txId(), intent.transaction(), ambiguous),
                (outcome, failure) ->
                        new Sent(failure == null ? outcome : new BroadcastOutcome.Unknown(Broadcast.words(failure))));
        return Behaviors.receive(Command.class)
                .onMessage(Sent.class, sent -> {
                    CrashPoint.SPEND_AFTER_BROADCAST.reached();
                    return record(sent.outcome());
                })
                .build();
    }

    Behavior<Command> record(BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted) {
            return accepted();
        }
        LOG.warn("spend {} was not taken: {}", intent.txId(), outcome);
        if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
            neighbours.reservations().tell(new Reservations.Suspect(intent.from()));
            SpendException failure = new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), conflict.text()));
            return conflict.certain()
                    ? record(IntentState.CONFLICTED, conflict.text(), failure)
                    : leaveInFlight(failure);
        }
        if (outcome instanceof BroadcastOutcome.NotYet early) {
            return whenRefused == IntentState.CONFLICTED
                    ? record(
                            whenRefused,
                            early.text(),
                            new SpendException(new SpendRefusal.UpstreamFailed(early.text())))
                    : keepTrying(early.text());
        }
        if (outcome instanceof BroadcastOutcome.Refused refused) {
            if (refused.passing() && intent.token().isPresent()) {
                return keepTrying(refused.text());
            }
            return record(
                    whenRefused, refused.text(), new SpendException(new SpendRefusal.UpstreamFailed(refused.text())));
        }
        return leaveInFlight(unknown(((BroadcastOutcome.Unknown) outcome).text()));
    }

    /**
     * Its token stands for these bytes and no others. Were its coins given back, another payment would choose them, and the token could never
     * pay. A caller without a token cannot ask for it again, so that one hears of a plain refusal when a node's reasons are good.
     */
    private Behavior<Command> keepTrying(String cause) {
        return leaveInFlight(unknown(cause));
    }

    private SpendException unknown(String cause) {
        return new SpendException(
                new SpendRefusal.OutcomeUnknown(intent.txId(), intent.token().isPresent(), cause));
    }

    /** The intent is durable, so the answer need not wait until its outcome is: that is found out again when it is lost. */
    private Behavior<Command> accepted() {
        long now = env.clock().millis();
        CompletionStage<?> recorded = env.intents().accept(intent.txId(), intent.state(), now);
        intent = intent.in(IntentState.ACCEPTED, "", now);
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.of(IntentState.ACCEPTED));
        land();
        return end(Receipt.of(intent), null, recorded);
    }

    /**
     * When this cannot be written the intent still says "prepared": it is in flight, will be sent again and may be taken then, which the
     * caller must hear instead of a refusal.
     */
    private Behavior<Command> record(IntentState state, String reason, SpendException failure) {
        context.pipeToSelf(
                env.intents()
                        .fail(
                                intent.txId(),
                                intent.state(),
                                state,
                                reason,
                                env.clock().millis()),
                (transition, notRecorded) -> new Recorded(transition, notRecorded));
        return Behaviors.receive(Command.class)
                .onMessage(Recorded.class, recorded -> {
                    CrashPoint.SPEND_AFTER_OUTCOME.reached();
                    if (recorded.failure() != null) {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.words(recorded.failure()));
                        return leaveInFlight(
                                failure.refusal() instanceof SpendRefusal.UpstreamFailed ? unknown(reason) : failure);
                    }
                    if (recorded.transition() instanceof Transition.Stale stale) {
                        return movedOn(stale, failure);
                    }
                    env.metrics().ended(intent.kind(), SpendMetrics.Outcome.of(state));
                    neighbours.reservations().tell(new Reservations.Ended(intent.txId()));
                    neighbours.allowance().tell(new Allowance.GiveBack(intent.txId()));
                    return end(null, failure);
                })
                .build();
    }

    /** What was found out about it in the meantime stands, and whoever did looks after it. */
    private Behavior<Command> movedOn(Transition.Stale stale, SpendException failure) {
        LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
        return stale.found().filter(IntentState::succeeded).isPresent()
                ? end(Receipt.of(intent), null)
                : end(null, failure);
    }

    /** From now on the rebroadcaster looks after it. */
    private void land() {
        neighbours.rebroadcaster().tell(new Rebroadcaster.Watch(intent, holdsCoins));
        neighbours.reservations().tell(new Reservations.Landed(intent.txId()));
    }

    Behavior<Command> leaveInFlight(SpendException failure) {
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.UNKNOWN);
        land();
        return end(null, failure);
    }

    Behavior<Command> end(Receipt receipt, Throwable failure) {
        return end(receipt, failure, NOTHING_LEFT);
    }

    private Behavior<Command> end(Receipt receipt, Throwable failure, CompletionStage<?> recorded) {
        if (!settled) {
            neighbours.reservations().tell(new Reservations.Drop(id));
            neighbours.allowance().tell(new Allowance.Drop(id));
        }
        parent.tell(new Result(id, receipt, failure == null ? null : unwrapped(failure), recorded));
        return Behaviors.stopped();
    }

    static Throwable unwrapped(Throwable failure) {
        return Optional.of(failure)
                .filter(CompletionException.class::isInstance)
                .map(Throwable::getCause)
                .orElse(failure);
    }
}
