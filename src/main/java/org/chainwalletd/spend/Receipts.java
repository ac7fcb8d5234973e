package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.TokenBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the idempotency tokens, each in one {@link TokenState} while something is going on with it; of all others the store knows what they
 * stand for. Every spend starts here, so that one token has one spend at a time and all who call with it get the same answer. Keeps a receipt
 * until the store has it, for who asks in between. After a restart nothing runs; the store knows the tokens.
 */
final class Receipts extends AbstractBehavior<Receipts.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Receipts.class);

    sealed interface Command {}

    /** Spends, or answers what the plan's token stands for. */
    record Begin(SpendPlan plan, CompletableFuture<Receipt> answer) implements Command {}

    /** Takes no new spends and answers when none is running. */
    record Drain(CompletableFuture<Void> answer) implements Command {}

    private record Looked(String token, Outcome<Optional<Bound>> found) implements Command {}

    private record Ended(SpendResult result) implements Command {}

    private record Recorded(String token) implements Command {}

    private record Settled(String token) implements Command {}

    private record Loaded(Outcome<List<Long>> fingerprints) implements Command {}

    /** Somebody who waits for the outcome of a token. */
    private record Caller(SpendPlan plan, CompletableFuture<Receipt> answer) {
        Hash256 digest() {
            return plan.token().orElseThrow().digest();
        }
    }

    /** What is going on with a token. */
    private sealed interface TokenState {}

    /** The store is asked what it stands for; callers with any parameters wait. */
    private record LookedUp(List<Caller> callers) implements TokenState {}

    /**
     * It is being spent.
     *
     * @param first those with whom the spend has begun, which answers them itself
     * @param later those who came afterwards
     */
    private record Spending(List<Caller> first, List<Caller> later) implements TokenState {
        Hash256 digest() {
            return first.get(0).digest();
        }
    }

    /** It has made a payment, which the store does not know yet. */
    private record Paid(Hash256 digest, Receipt receipt) implements TokenState {}

    /** It was to make this payment, and whether the store has the intent is not known. */
    private record InDoubt(Hash256 digest, Intent intent) implements TokenState {}

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final ActorRef<Reservations.Command> reservations;
    private final KnownTokens known;
    private final Map<String, TokenState> states = new HashMap<>();
    /** The running spends with their tokens. */
    private final Map<Owner.Running, Optional<String>> running = new HashMap<>();

    private final List<CompletableFuture<Void>> drains = new ArrayList<>();
    private long lastSpend;

    private Receipts(
            ActorContext<Command> context,
            SpendEnvironment env,
            Broadcast broadcast,
            ActorRef<Reservations.Command> reservations,
            KnownTokens known) {
        super(context);
        this.env = env;
        this.broadcast = broadcast;
        this.reservations = reservations;
        this.known = known;
    }

    /** Loads what tokens there are beside its work; until it has them every token is looked up. */
    static Behavior<Command> create(
            SpendEnvironment env, Broadcast broadcast, ActorRef<Reservations.Command> reservations) {
        return Behaviors.setup(context -> {
            int most = KnownTokens.mostThatFit();
            context.pipeToSelf(
                    env.receipts().fingerprints(most + 1), (found, failure) -> new Loaded(Outcome.of(found, failure)));
            return new Receipts(context, env, broadcast, reservations, new KnownTokens(most));
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Begin.class, this::begin)
                .onMessage(Drain.class, this::drain)
                .onMessage(Looked.class, this::looked)
                .onMessage(Ended.class, this::ended)
                .onMessage(Recorded.class, this::recorded)
                .onMessage(Settled.class, this::settled)
                .onMessage(Loaded.class, this::loaded)
                .build();
    }

    private Behavior<Command> loaded(Loaded command) {
        command.fingerprints()
                .match(
                        found -> known.load(
                                found.stream().mapToLong(Long::longValue).toArray()),
                        failure -> LOG.warn("every token is looked up in the store: {}", Broadcast.words(failure)));
        return this;
    }

    private boolean isDraining() {
        return !drains.isEmpty();
    }

    private Behavior<Command> begin(Begin command) {
        if (isDraining()) {
            refuseWhileDraining(command.answer());
            return this;
        }
        SpendPlan plan = command.plan();
        Optional<TokenBinding> token = plan.token();
        if (token.isEmpty() && isStopped()) {
            refuseWhileStopped(command.answer());
        } else if (token.isEmpty()) {
            start(Optional.empty(), runner -> Spend.begin(runner, plan), List.of(command.answer()));
        } else {
            beginWithToken(token.get(), new Caller(plan, command.answer()));
        }
        return this;
    }

    private void beginWithToken(TokenBinding token, Caller caller) {
        TokenState state = states.get(token.token());
        if (state == null) {
            unknown(token, caller);
        } else if (state instanceof LookedUp lookedUp) {
            lookedUp.callers().add(caller);
        } else if (state instanceof Spending spending) {
            ifEqual(
                    spending.digest(),
                    token,
                    caller.answer(),
                    () -> spending.later().add(caller));
        } else if (state instanceof Paid paid) {
            ifEqual(paid.digest(), token, caller.answer(), () -> caller.answer().complete(paid.receipt()));
        } else if (state instanceof InDoubt doubt) {
            ifEqual(
                    doubt.digest(),
                    token,
                    caller.answer(),
                    () -> spend(
                            token.token(),
                            List.of(caller),
                            runner -> ResumedSpend.retry(runner, caller.plan(), doubt.intent())));
        }
    }

    private static void ifEqual(
            Hash256 digest, TokenBinding token, CompletableFuture<Receipt> answer, Runnable otherwise) {
        if (digest.equals(token.digest())) {
            otherwise.run();
        } else {
            refuse(answer, token.token());
        }
    }

    /** A token that the store cannot know is spent at once. */
    private void unknown(TokenBinding token, Caller caller) {
        if (known.isNew(token.token()) && !env.receipts().mayBeOtherThanSpends()) {
            spend(token.token(), List.of(caller), runner -> Spend.begin(runner, caller.plan()));
            return;
        }
        lookUp(token.token(), List.of(caller));
    }

    private void lookUp(String token, List<Caller> callers) {
        states.put(token, new LookedUp(new ArrayList<>(callers)));
        getContext()
                .pipeToSelf(
                        env.receipts().bound(token, env.tokensExpiredBefore()),
                        (found, failure) -> new Looked(token, Outcome.of(found, failure)));
    }

    private Behavior<Command> looked(Looked command) {
        String token = command.token();
        if (!(states.remove(token) instanceof LookedUp lookedUp)) {
            throw new IllegalStateException("a token that nobody looked up was found");
        }
        List<Caller> all = lookedUp.callers();
        command.found()
                .match(
                        found -> lookedUp(token, all, found),
                        failure -> all.forEach(caller -> caller.answer().completeExceptionally(failure)));
        return this;
    }

    private void lookedUp(String token, List<Caller> all, Optional<Bound> found) {
        List<Caller> callers = withValidParameters(all, found, token);
        if (!callers.isEmpty()) {
            answerOrSpend(token, callers, found);
        }
    }

    /** {@link Bound.ToPayout} and {@link Bound.ToSweep} have the digest of no parameters, so that whoever calls with these was refused. */
    private void answerOrSpend(String token, List<Caller> callers, Optional<Bound> found) {
        if (found.isEmpty()) {
            SpendPlan plan = callers.get(0).plan();
            spendUnlessDraining(token, callers, runner -> Spend.begin(runner, plan));
        } else if (found.get() instanceof Bound.ToReceipt kept) {
            answer(callers, () -> KeptAnswer.read(kept));
        } else if (found.get() instanceof Bound.ToSpend bound) {
            Intent intent = bound.spend();
            if (intent.state().succeeded()) {
                answer(callers, () -> Receipt.of(intent));
            } else {
                SpendPlan plan = callers.get(0).plan();
                spendUnlessDraining(
                        token,
                        callers,
                        bound.lostForGood()
                                ? runner -> ResumedSpend.resumeLostForGood(runner, plan, intent)
                                : runner -> ResumedSpend.resume(runner, plan, intent));
            }
        }
    }

    /** One receipt that is damaged must not end the spends of all others. */
    private static void answer(List<Caller> callers, Supplier<Receipt> receipt) {
        try {
            Receipt read = receipt.get();
            callers.forEach(caller -> caller.answer().complete(read));
        } catch (RuntimeException e) {
            LOG.error("a receipt cannot be read", e);
            callers.forEach(caller -> caller.answer().completeExceptionally(e));
        }
    }

    private void spendUnlessDraining(String token, List<Caller> callers, Consumer<SpendRunner> begin) {
        if (isDraining()) {
            callers.forEach(caller -> refuseWhileDraining(caller.answer()));
        } else {
            spend(token, callers, begin);
        }
    }

    /** The parameters that the token stands for; those of the first caller when it stands for nothing yet. All others are refused. */
    private static List<Caller> withValidParameters(List<Caller> all, Optional<Bound> found, String token) {
        Hash256 valid = found.map(Bound::digest).orElseGet(() -> all.get(0).digest());
        List<Caller> callers = new ArrayList<>();
        for (Caller caller : all) {
            if (caller.digest().equals(valid)) {
                callers.add(caller);
            } else {
                refuse(caller.answer(), token);
            }
        }
        return callers;
    }

    private boolean isStopped() {
        return env.stopped().isPresent();
    }

    private void refuseWhileStopped(CompletableFuture<Receipt> answer) {
        answer.completeExceptionally(StoreException.stopped(env.stopped().orElseThrow()));
    }

    /** Payments that the store knows are answered while it is stopped; nothing is sent, not even what it has in flight. */
    private void spend(String token, List<Caller> callers, Consumer<SpendRunner> begin) {
        if (isStopped()) {
            callers.forEach(caller -> refuseWhileStopped(caller.answer()));
            return;
        }
        known.add(token);
        states.put(token, new Spending(callers, new ArrayList<>()));
        start(Optional.of(token), begin, callers.stream().map(Caller::answer).toList());
    }

    /** Those who are there from the beginning are answered by the spend itself: one message less for almost everybody. */
    private void start(Optional<String> token, Consumer<SpendRunner> begin, List<CompletableFuture<Receipt>> callers) {
        Owner.Running id = new Owner.Running(++lastSpend);
        running.put(id, token);
        var self = getContext().getSelf();
        new SpendRunner(env, broadcast, reservations, id, result -> {
                    self.tell(new Ended(result));
                    callers.forEach(result::answer);
                })
                .run(begin);
    }

    private static void refuseWhileDraining(CompletableFuture<Receipt> answer) {
        answer.completeExceptionally(new SpendException(new SpendRefusal.ShuttingDown()));
    }

    private static void refuse(CompletableFuture<Receipt> answer, String token) {
        answer.completeExceptionally(new SpendException(new SpendRefusal.TokenConflict(token)));
    }

    private Behavior<Command> ended(Ended command) {
        SpendResult result = command.result();
        running.remove(result.spend()).ifPresent(token -> ended(token, result));
        return answerDrains();
    }

    private void ended(String token, SpendResult result) {
        if (!(states.remove(token) instanceof Spending spending)) {
            throw new IllegalStateException("a spend ended that was not running");
        }
        spending.later().forEach(caller -> result.answer(caller.answer()));
        if (result.outcome() instanceof SpendResult.Paid paid) {
            paid(token, new Paid(spending.digest(), paid.receipt()), paid.recorded());
        } else if (result.outcome() instanceof SpendResult.InDoubt doubt) {
            states.put(token, new InDoubt(spending.digest(), doubt.intent()));
            getContext().pipeToSelf(doubt.settled(), (done, failure) -> new Settled(token));
        } else if (result.outcome() instanceof SpendResult.TokenTaken) {
            List<Caller> all = new ArrayList<>(spending.first());
            all.addAll(spending.later());
            lookUp(token, all);
        }
    }

    /** The store is often as quick as the message that brought this. */
    private void paid(String token, Paid state, CompletionStage<?> recorded) {
        if (recorded.toCompletableFuture().isDone()) {
            CrashPoint.SPEND_AFTER_OUTCOME.reached();
        } else {
            states.put(token, state);
            getContext().pipeToSelf(recorded, (done, failure) -> new Recorded(token));
        }
    }

    /** From now on the store knows what it stands for. */
    private Behavior<Command> settled(Settled command) {
        states.computeIfPresent(command.token(), (token, state) -> state instanceof InDoubt ? null : state);
        return this;
    }

    /** From now on the store has the answer; when it could not be written the nodes are asked for the transaction once more. */
    private Behavior<Command> recorded(Recorded command) {
        CrashPoint.SPEND_AFTER_OUTCOME.reached();
        states.remove(command.token());
        return this;
    }

    private Behavior<Command> drain(Drain command) {
        drains.add(command.answer());
        return answerDrains();
    }

    private Behavior<Command> answerDrains() {
        if (running.isEmpty()) {
            drains.forEach(answer -> answer.complete(null));
        }
        return this;
    }
}
