package org.chainwalletd.spend;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one running spend and takes its steps: allowance, list, choose, sign, intent, broadcast, outcome. Talks to the nodes, the signer, the
 * store, the reservations, the allowance and the rebroadcaster; tells its parent the result and ends. It is never restarted: what it had
 * made durable is gone on with by the rebroadcaster, or by a new spender when the same token comes again.
 */
final class Spender {
    private static final Logger LOG = LoggerFactory.getLogger(Spender.class);
    private static final int MOST_CHOICES = 4;

    /** For a few steps after a stage of our own: whoever completes it goes on, and no thread has to be woken. */
    static final Executor SAME_THREAD = Runnable::run;

    static final CompletionStage<Void> NOTHING_LEFT = CompletableFuture.completedFuture(null);

    sealed interface Command {}

    private record AllowanceReply(Allowance.Reply reply) implements Command {}

    private record Listed(Candidates candidates, Hash256 genesis) implements Command {}

    private record Choice(Reservations.ChooseReply reply) implements Command {}

    private record Reacquisition(Reservations.ReacquireReply reply) implements Command {}

    /** Outpoints of our address that somebody else's transaction in the mempool spends; null when the node cannot say. */
    private record MempoolSeen(Set<Outpoint> foreign) implements Command {}

    private record Signed(Signature signature) implements Command {}

    private record Written() implements Command {}

    private record Located(Broadcast.Whereabouts where) implements Command {}

    private record Sent(BroadcastOutcome outcome) implements Command {}

    private record Recorded(Throwable failure) implements Command {}

    private record Failed(Throwable failure) implements Command {}

    /**
     * How it ended.
     *
     * @param receipt null exactly when there is a failure
     * @param recorded complete when the store knows it too
     */
    record Result(SpendId spend, Receipt receipt, Throwable failure, CompletionStage<Void> recorded) {}

    /** The neighbours of a spender. */
    record Neighbours(
            ActorRef<Reservations.Command> reservations,
            ActorRef<Allowance.Command> allowance,
            ActorRef<Rebroadcaster.Command> rebroadcaster) {}

    private final ActorContext<Command> context;
    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Neighbours neighbours;
    private final SpendId id;
    private final ActorRef<Result> parent;
    private final Set<Outpoint> excluded = new HashSet<>();

    private SpendPlan plan;
    private Candidates candidates;
    private Hash256 genesis;
    private Draft draft;
    private Intent intent;
    private boolean holdsCoins;
    private int choices;
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
        return Behaviors.setup(context -> new Spender(context, env, broadcast, neighbours, id, parent).begin(plan));
    }

    /** A spend that has an intent but no success: the same bytes again. */
    static Behavior<Command> resume(
            SpendEnvironment env,
            Broadcast broadcast,
            Neighbours neighbours,
            SpendId id,
            Intent intent,
            ActorRef<Result> parent) {
        return Behaviors.setup(context -> new Spender(context, env, broadcast, neighbours, id, parent).goOn(intent));
    }

    private Behavior<Command> begin(SpendPlan newPlan) {
        plan = newPlan;
        try {
            plan.check();
        } catch (SpendException e) {
            return end(null, e);
        }
        if (env.limits().none()) {
            return list();
        }
        neighbours.allowance().tell(new Allowance.Check(plan.leaving(), allowanceReplies()));
        return checkingAllowance();
    }

    private Behavior<Command> checkingAllowance() {
        return Behaviors.receive(Command.class)
                .onMessage(AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded) {
                        return end(null, new SpendException(exceeded.refusal()));
                    }
                    return list();
                })
                .build();
    }

    private Behavior<Command> list() {
        CompletionStage<Listed> listing = env.identity()
                .genesisForSigning()
                .thenComposeAsync(
                        id -> plan.gather(env.node(), SAME_THREAD)
                                .thenApplyAsync(found -> new Listed(found, id), SAME_THREAD),
                        SAME_THREAD);
        context.pipeToSelf(listing, (listed, failure) -> failure == null ? listed : new Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Failed.class, message -> end(null, message.failure()))
                .onMessage(Listed.class, message -> {
                    candidates = message.candidates();
                    genesis = message.genesis();
                    return choose();
                })
                .build();
    }

    private Behavior<Command> choose() {
        choices++;
        neighbours
                .reservations()
                .tell(new Reservations.Choose(
                        id,
                        plan,
                        candidates,
                        Set.copyOf(excluded),
                        context.messageAdapter(Reservations.ChooseReply.class, Choice::new)));
        return Behaviors.receive(Command.class)
                .onMessage(Choice.class, message -> {
                    if (message.reply() instanceof Reservations.NotChosen refused) {
                        return end(null, refused.reason());
                    }
                    Reservations.Chosen chosen = (Reservations.Chosen) message.reply();
                    draft = chosen.draft();
                    return chosen.lookAtMempool() && choices == 1 ? lookAtMempool() : holdAllowance();
                })
                .build();
    }

    /**
     * A node lists outputs that its mempool already spends. Our own spends are known from the reservations, so this question is asked only
     * while somebody else may be spending from the address: at its first spend after a start, and after a conflict.
     */
    private Behavior<Command> lookAtMempool() {
        context.pipeToSelf(
                env.node().addressMempool(plan.from()),
                (mempool, failure) -> new MempoolSeen(failure == null ? foreignSpends(mempool) : null));
        return Behaviors.receive(Command.class)
                .onMessage(MempoolSeen.class, message -> {
                    if (message.foreign() == null) {
                        return holdAllowance();
                    }
                    excluded.addAll(message.foreign());
                    boolean hit = draft.inputs().stream().map(Coin::outpoint).anyMatch(excluded::contains);
                    if (!hit) {
                        neighbours.reservations().tell(new Reservations.Clean(plan.from()));
                    }
                    return hit ? choose() : holdAllowance();
                })
                .build();
    }

    private static Set<Outpoint> foreignSpends(NodeClient.AddressMempool mempool) {
        return mempool.entries().stream()
                .flatMap(entry -> entry.spent().stream())
                .map(NodeClient.Spent::outpoint)
                .collect(Collectors.toSet());
    }

    private Behavior<Command> holdAllowance() {
        neighbours.allowance().tell(new Allowance.Hold(id, null, plan.leaving(draft), allowanceReplies()));
        return Behaviors.receive(Command.class)
                .onMessage(AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded) {
                        return end(null, new SpendException(exceeded.refusal()));
                    }
                    return sign();
                })
                .build();
    }

    private ActorRef<Allowance.Reply> allowanceReplies() {
        return context.messageAdapter(Allowance.Reply.class, AllowanceReply::new);
    }

    private Behavior<Command> sign() {
        byte[] message = TransactionCodec.signingMessage(env.profile(), genesis, draft.unsigned());
        context.pipeToSelf(
                env.signer().sign(plan.from(), message),
                (signature, failure) -> failure == null ? new Signed(signature) : new Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Failed.class, failed -> end(null, failed.failure()))
                .onMessage(Signed.class, signed -> writeIntent(signed.signature()))
                .build();
    }

    private Behavior<Command> writeIntent(Signature signature) {
        intent = intentOf(signature);
        CrashPoint.SPEND_BEFORE_INTENT.reached();
        long closedBefore = intent.createdAt() - env.pace().receiptTtl().toMillis();
        context.pipeToSelf(
                env.intents().open(intent, closedBefore),
                (done, failure) -> failure == null ? new Written() : new Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Failed.class, failed -> notWritten(failed.failure()))
                .onMessage(Written.class, written -> {
                    settle();
                    return send(false);
                })
                .build();
    }

    private Intent intentOf(Signature signature) {
        Transaction signed = draft.unsigned().withWitnesses(plan.witnesses(draft, signature));
        long now = env.clock().millis();
        Amount leaving = plan.leaving(draft);
        return new Intent(
                TransactionCodec.txId(env.profile(), signed),
                plan.kind(),
                plan.from(),
                Bytes.wrap(TransactionCodec.encode(signed)),
                draft.inputs(),
                draft.builtAtHeight(),
                draft.changeIndex(),
                plan.token(),
                leaving,
                now,
                now,
                IntentState.PREPARED,
                "");
    }

    /**
     * The very same transaction can be in flight already when its reservations have run out: it belongs to another payment, so this one
     * takes other coins. Nothing was written or sent.
     */
    private Behavior<Command> notWritten(Throwable failure) {
        boolean conflict =
                unwrapped(failure) instanceof StoreException store && store.reason() == StoreException.Reason.CONFLICT;
        neighbours.allowance().tell(new Allowance.Drop(id));
        if (conflict && choices < MOST_CHOICES) {
            draft.inputs().forEach(coin -> excluded.add(coin.outpoint()));
            intent = null;
            return choose();
        }
        return end(null, failure);
    }

    private void settle() {
        holdsCoins = true;
        settled = true;
        neighbours.reservations().tell(new Reservations.Settled(id, intent.txId()));
        neighbours.allowance().tell(new Allowance.Settled(id, intent.txId()));
    }

    private Behavior<Command> send(boolean ambiguous) {
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

    private Behavior<Command> record(BroadcastOutcome outcome) {
        if (outcome instanceof BroadcastOutcome.Accepted) {
            return accepted();
        }
        LOG.warn("spend {} was not taken: {}", intent.txId(), outcome);
        if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
            neighbours.reservations().tell(new Reservations.Suspect(plan == null ? intent.from() : plan.from()));
            SpendException failure = new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), conflict.text()));
            return conflict.certain()
                    ? record(IntentState.CONFLICTED, conflict.text(), failure)
                    : leaveInFlight(failure);
        }
        if (outcome instanceof BroadcastOutcome.Refused refused) {
            return record(
                    IntentState.REFUSED,
                    refused.text(),
                    new SpendException(new SpendRefusal.UpstreamFailed(refused.text())));
        }
        String cause = ((BroadcastOutcome.Unknown) outcome).text();
        return leaveInFlight(new SpendException(
                new SpendRefusal.OutcomeUnknown(intent.txId(), intent.token().isPresent(), cause)));
    }

    /** The intent is durable, so the answer need not wait until its outcome is: that is found out again when it is lost. */
    private Behavior<Command> accepted() {
        long now = env.clock().millis();
        CompletionStage<Void> recorded = env.intents().accept(intent.txId(), now);
        intent = intent.in(IntentState.ACCEPTED, "", now);
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.of(IntentState.ACCEPTED));
        land();
        return end(Receipt.of(intent), null, recorded);
    }

    /** When this cannot be written the intent still says "prepared": it will be asked for and found out again. */
    private Behavior<Command> record(IntentState state, String reason, SpendException failure) {
        context.pipeToSelf(
                env.intents().change(intent.txId(), state, reason, env.clock().millis()),
                (done, notRecorded) -> new Recorded(notRecorded));
        return Behaviors.receive(Command.class)
                .onMessage(Recorded.class, recorded -> {
                    CrashPoint.SPEND_AFTER_OUTCOME.reached();
                    if (recorded.failure() != null) {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.words(recorded.failure()));
                        land();
                    } else {
                        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.of(state));
                        neighbours.reservations().tell(new Reservations.Ended(intent.txId()));
                        neighbours.allowance().tell(new Allowance.GiveBack(intent.txId()));
                    }
                    return end(null, failure);
                })
                .build();
    }

    /** From now on the rebroadcaster looks after it. */
    private void land() {
        neighbours.rebroadcaster().tell(new Rebroadcaster.Watch(intent, holdsCoins));
        neighbours.reservations().tell(new Reservations.Landed(intent.txId()));
    }

    private Behavior<Command> leaveInFlight(SpendException failure) {
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.UNKNOWN);
        land();
        return end(null, failure);
    }

    private Behavior<Command> goOn(Intent found) {
        intent = found;
        neighbours.rebroadcaster().tell(new Rebroadcaster.TakeBack(intent.txId()));
        context.pipeToSelf(
                broadcast.locateAnywhere(intent.txId()),
                (where, failure) -> failure == null ? new Located(where) : new Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Failed.class, failed -> stillUnknown(failed.failure()))
                .onMessage(Located.class, this::located)
                .build();
    }

    private Behavior<Command> stillUnknown(Throwable failure) {
        if (intent.state().inFlight()) {
            return leaveInFlight(new SpendException(new SpendRefusal.OutcomeUnknown(
                    intent.txId(), intent.token().isPresent(), Broadcast.words(failure))));
        }
        return end(null, failure);
    }

    private Behavior<Command> located(Located message) {
        boolean known = message.where() != Broadcast.Whereabouts.NOWHERE;
        if (intent.state().inFlight()) {
            return known ? record(new BroadcastOutcome.Accepted()) : send(true);
        }
        if (intent.state() == IntentState.CONFLICTED && !known) {
            return end(null, new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), intent.reason())));
        }
        return reacquire(known);
    }

    /** It was closed without success and is needed again: its own coins, or none. */
    private Behavior<Command> reacquire(boolean known) {
        neighbours
                .reservations()
                .tell(new Reservations.Reacquire(
                        id,
                        intent.txId(),
                        intent.inputs(),
                        context.messageAdapter(Reservations.ReacquireReply.class, Reacquisition::new)));
        return Behaviors.receive(Command.class)
                .onMessage(Reacquisition.class, message -> {
                    if (message.reply() instanceof Reservations.Taken) {
                        return known ? end(Receipt.of(intent), null) : end(null, storedRefusal());
                    }
                    return holdAgain(known);
                })
                .build();
    }

    private SpendException storedRefusal() {
        return new SpendException(new SpendRefusal.UpstreamFailed(intent.reason()));
    }

    private Behavior<Command> holdAgain(boolean known) {
        neighbours.allowance().tell(new Allowance.Hold(id, intent.txId(), intent.allowance(), allowanceReplies()));
        return Behaviors.receive(Command.class)
                .onMessage(AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded && !known) {
                        return end(null, new SpendException(exceeded.refusal()));
                    }
                    return reopen(known);
                })
                .build();
    }

    private Behavior<Command> reopen(boolean known) {
        context.pipeToSelf(
                env.intents().reopen(intent, env.clock().millis()),
                (done, failure) -> failure == null ? new Written() : new Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Failed.class, failed -> {
                    LOG.warn("spend {} cannot be opened again: {}", intent.txId(), Broadcast.words(failed.failure()));
                    return known ? end(Receipt.of(intent), null) : end(null, storedRefusal());
                })
                .onMessage(Written.class, written -> {
                    intent = intent.in(IntentState.PREPARED, "", env.clock().millis());
                    settle();
                    return known ? record(new BroadcastOutcome.Accepted()) : send(false);
                })
                .build();
    }

    private Behavior<Command> end(Receipt receipt, Throwable failure) {
        return end(receipt, failure, NOTHING_LEFT);
    }

    private Behavior<Command> end(Receipt receipt, Throwable failure, CompletionStage<Void> recorded) {
        if (!settled) {
            neighbours.reservations().tell(new Reservations.Drop(id));
            neighbours.allowance().tell(new Allowance.Drop(id));
        }
        parent.tell(new Result(id, receipt, failure == null ? null : unwrapped(failure), recorded));
        return Behaviors.stopped();
    }

    private static Throwable unwrapped(Throwable failure) {
        return Optional.of(failure)
                .filter(CompletionException.class::isInstance)
                .map(Throwable::getCause)
                .orElse(failure);
    }
}
