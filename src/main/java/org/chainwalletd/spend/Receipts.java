package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the idempotency tokens: each is running, or stands for an intent in the store, or is new. Every spend starts here, so that one token
 * has one spender at a time and all who call with it get the same answer. Parent of the spenders. Keeps a receipt until the store has it,
 * for who asks in between. After a restart nothing runs; the store knows the tokens.
 */
final class Receipts extends AbstractBehavior<Receipts.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Receipts.class);

    sealed interface Command {}

    /** Spends, or answers what the plan's token stands for. */
    record Begin(SpendPlan plan, CompletableFuture<Receipt> answer) implements Command {}

    /** Takes no new spends and answers when none is running. */
    record Drain(CompletableFuture<Void> answer) implements Command {}

    private record Looked(String token, Optional<Intent> found, Throwable failure) implements Command {}

    private record Ended(Spender.Result result) implements Command {}

    private record Recorded(String token, Receipt receipt, Throwable failure) implements Command {}

    /** Somebody who waits for the outcome of a token. */
    private record Waiter(Hash256 digest, CompletableFuture<Receipt> answer) {}

    /** A token that is being looked up or spent. */
    private static final class Running {
        private final SpendPlan plan;
        private final List<Waiter> waiters = new ArrayList<>();
        private boolean decided;
        /** Known here before the store knows it. */
        private Receipt receipt;

        private Running(SpendPlan plan) {
            this.plan = plan;
        }
    }

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final Spender.Neighbours neighbours;
    private final ActorRef<Spender.Result> results;
    private final Map<String, Running> byToken = new HashMap<>();
    private final Map<SpendId, List<Waiter>> bySpend = new HashMap<>();
    private final Map<SpendId, String> tokens = new HashMap<>();
    private final Map<ActorRef<Spender.Command>, SpendId> children = new HashMap<>();
    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private boolean draining;
    private long lastSpend;

    private Receipts(
            ActorContext<Command> context, SpendEnvironment env, Broadcast broadcast, Spender.Neighbours neighbours) {
        super(context);
        this.env = env;
        this.broadcast = broadcast;
        this.neighbours = neighbours;
        this.results = context.messageAdapter(Spender.Result.class, Ended::new);
    }

    static Behavior<Command> create(SpendEnvironment env, Broadcast broadcast, Spender.Neighbours neighbours) {
        return Behaviors.setup(context -> new Receipts(context, env, broadcast, neighbours));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Begin.class, this::begin)
                .onMessage(Looked.class, this::looked)
                .onMessage(Ended.class, this::ended)
                .onMessage(Recorded.class, this::recorded)
                .onMessage(Drain.class, this::drain)
                .onSignal(Terminated.class, this::childGone)
                .build();
    }

    private Behavior<Command> begin(Begin command) {
        if (draining) {
            refuseWhileDraining(command.answer());
            return this;
        }
        Optional<TokenBinding> token = command.plan().token();
        if (token.isEmpty()) {
            Waiter waiter = new Waiter(null, command.answer());
            start(List.of(waiter), id -> create(id, command.plan()));
            return this;
        }
        Waiter waiter = new Waiter(token.get().digest(), command.answer());
        Running running = byToken.get(token.get().token());
        if (running == null) {
            lookUp(command.plan(), token.get().token(), waiter);
        } else if (running.decided && !waiter.digest().equals(digest(running))) {
            refuse(waiter, token.get().token());
        } else if (running.receipt != null) {
            waiter.answer().complete(running.receipt);
        } else {
            running.waiters.add(waiter);
        }
        return this;
    }

    private void lookUp(SpendPlan plan, String token, Waiter waiter) {
        Running running = new Running(plan);
        running.waiters.add(waiter);
        byToken.put(token, running);
        long closedBefore = env.clock().millis() - env.pace().receiptTtl().toMillis();
        getContext()
                .pipeToSelf(
                        env.receipts().find(token, closedBefore),
                        (found, failure) -> new Looked(token, found, failure));
    }

    private Behavior<Command> looked(Looked command) {
        Running running = byToken.get(command.token());
        if (command.failure() != null) {
            byToken.remove(command.token());
            running.waiters.forEach(waiter -> waiter.answer().completeExceptionally(command.failure()));
            return this;
        }
        Hash256 valid =
                command.found().flatMap(Intent::token).map(TokenBinding::digest).orElse(digest(running));
        running.waiters.removeIf(waiter -> {
            boolean conflict = !waiter.digest().equals(valid);
            if (conflict) {
                refuse(waiter, command.token());
            }
            return conflict;
        });
        if (running.waiters.isEmpty()) {
            byToken.remove(command.token());
            return this;
        }
        if (command.found().filter(intent -> intent.state().succeeded()).isPresent()) {
            byToken.remove(command.token());
            Receipt receipt = Receipt.of(command.found().get());
            running.waiters.forEach(waiter -> waiter.answer().complete(receipt));
        } else if (draining) {
            byToken.remove(command.token());
            running.waiters.forEach(waiter -> refuseWhileDraining(waiter.answer()));
        } else if (command.found().isEmpty()) {
            running.decided = true;
            tokens.put(start(running.waiters, id -> create(id, running.plan)), command.token());
        } else {
            running.decided = true;
            Intent intent = command.found().get();
            tokens.put(start(running.waiters, id -> resume(id, intent)), command.token());
        }
        return this;
    }

    /** All waiters of a decided token have the digest of its plan, whichever came first. */
    private static Hash256 digest(Running running) {
        return running.waiters.isEmpty()
                ? running.plan.token().orElseThrow().digest()
                : running.waiters.get(0).digest();
    }

    private static void refuseWhileDraining(CompletableFuture<Receipt> answer) {
        answer.completeExceptionally(new SpendException(new SpendRefusal.ShuttingDown()));
    }

    private static void refuse(Waiter waiter, String token) {
        waiter.answer().completeExceptionally(new SpendException(new SpendRefusal.TokenConflict(token)));
    }

    private Behavior<Spender.Command> create(SpendId id, SpendPlan plan) {
        return Spender.create(env, broadcast, neighbours, id, plan, results);
    }

    private Behavior<Spender.Command> resume(SpendId id, Intent intent) {
        return Spender.resume(env, broadcast, neighbours, id, intent, results);
    }

    private SpendId start(List<Waiter> waiters, Function<SpendId, Behavior<Spender.Command>> behavior) {
        SpendId id = new SpendId(++lastSpend);
        bySpend.put(id, waiters);
        ActorRef<Spender.Command> child = getContext().spawn(behavior.apply(id), "spend-" + id.number());
        children.put(child, id);
        getContext().watch(child);
        return id;
    }

    private Behavior<Command> ended(Ended command) {
        Spender.Result result = command.result();
        List<Waiter> waiters = bySpend.remove(result.spend());
        if (waiters == null) {
            return this;
        }
        String token = tokens.remove(result.spend());
        if (result.failure() == null) {
            keepUntilRecorded(token, result);
        } else if (token != null) {
            byToken.remove(token);
        }
        for (Waiter waiter : waiters) {
            if (result.failure() != null) {
                waiter.answer().completeExceptionally(result.failure());
            } else {
                waiter.answer().complete(result.receipt());
            }
        }
        return answerDrains();
    }

    private void keepUntilRecorded(String token, Spender.Result result) {
        if (token != null) {
            byToken.get(token).receipt = result.receipt();
        }
        getContext().pipeToSelf(result.recorded(), (done, failure) -> new Recorded(token, result.receipt(), failure));
    }

    /** From now on the store has the answer. When it could not be written the nodes are asked for the transaction once more. */
    private Behavior<Command> recorded(Recorded command) {
        CrashPoint.SPEND_AFTER_OUTCOME.reached();
        if (command.failure() != null) {
            LOG.error(
                    "the outcome of spend {} is not recorded: {}",
                    command.receipt().txId(),
                    Broadcast.words(command.failure()));
        }
        if (command.token() != null) {
            byToken.remove(command.token());
        }
        return this;
    }

    /** A spender that ended without a result has failed inside; its intent, if any, is gone on with after a restart. */
    private Behavior<Command> childGone(Terminated signal) {
        SpendId id = children.remove(signal.getRef().unsafeUpcast());
        if (id != null && bySpend.containsKey(id)) {
            neighbours.reservations().tell(new Reservations.Drop(id));
            neighbours.allowance().tell(new Allowance.Drop(id));
            return ended(new Ended(new Spender.Result(
                    id,
                    null,
                    new IllegalStateException("the spend failed unexpectedly; see the log"),
                    Spender.NOTHING_LEFT)));
        }
        return this;
    }

    private Behavior<Command> drain(Drain command) {
        draining = true;
        drains.add(command.answer());
        return answerDrains();
    }

    private Behavior<Command> answerDrains() {
        if (draining && bySpend.isEmpty()) {
            drains.forEach(answer -> answer.complete(null));
            drains.clear();
        }
        return this;
    }
}
