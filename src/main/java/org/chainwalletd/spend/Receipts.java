package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.Arrays;
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
import org.chainwalletd.access.Grant;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the idempotency tokens. A token has a {@link TokenState} while an operation on it is in progress; for all others the store knows
 * what they are bound to. Every spend starts here, so that a token has one spend at a time and all callers with it get the same answer.
 * Keeps a receipt in memory until the store has it, for callers that ask in between. After a restart nothing runs; the store knows the
 * tokens.
 */
final class Receipts extends AbstractBehavior<Receipts.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Receipts.class);

    sealed interface Command {}

    /** Makes the spend of the plan, or answers with the receipt that the plan's token is bound to. */
    record Begin(SpendPlan plan, CompletableFuture<Receipt> answer) implements Command {}

    /** Refuses new spends from now on and answers when none is running. */
    record Drain(CompletableFuture<Void> answer) implements Command {}

    private record Looked(String token, Outcome<Optional<Bound>> found) implements Command {}

    private record Ended(Owner.Running spend, SpendResult result) implements Command {}

    private record Recorded(String token) implements Command {}

    private record Settled(String token) implements Command {}

    private record Loaded(Outcome<List<Long>> fingerprints) implements Command {}

    /** Caller waiting for the outcome of a token. */
    private record Caller(SpendPlan plan, CompletableFuture<Receipt> answer) {
        Hash256 digest() {
            return plan.token().orElseThrow().digest();
        }

        Optional<String> owner() {
            return ownerOf(plan.details().tokenName());
        }

        /**
         * Refuses the caller because the token is bound to another payment.
         *
         * @param owner owner of the access token that bound it
         */
        void refuse(Optional<String> owner, Optional<Hash256> txId) {
            String token = plan.token().orElseThrow().token();
            answer.completeExceptionally(new SpendException(
                    new SpendRefusal.TokenConflict(token, SpendRefusal.BoundBy.other(owner(), owner, txId))));
        }
    }

    private static Optional<String> ownerOf(Optional<String> tokenName) {
        return tokenName.flatMap(Grant::ownerOf);
    }

    /** State of a token while an operation on it is in progress. */
    private sealed interface TokenState {}

    /**
     * The store is being asked what the token is bound to; callers with any parameters wait.
     *
     * @param whenNew receives the callers whose parameters equal the first caller's, if the token is not bound
     */
    private record LookedUp(List<Caller> callers, Consumer<List<Caller>> whenNew) implements TokenState {}

    /**
     * A spend with the token is running.
     *
     * @param first callers present when the spend started, which the spend answers itself
     * @param later callers that arrived afterwards
     * @param fresh whether the token was unbound, as far as this daemon knew
     */
    private record Spending(List<Caller> first, List<Caller> later, boolean fresh) implements TokenState {
        Hash256 digest() {
            return first.get(0).digest();
        }

        Optional<String> owner() {
            return first.get(0).owner();
        }

        List<Caller> all() {
            List<Caller> all = new ArrayList<>(first);
            all.addAll(later);
            return all;
        }
    }

    /** The token has made a payment that is not yet recorded in the store. */
    private record Paid(Hash256 digest, Optional<String> owner, Receipt receipt) implements TokenState {}

    /** The token was to make this payment, and it is unknown whether the store has the intent. */
    private record InDoubt(Hash256 digest, Intent intent) implements TokenState {}

    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final ActorRef<Reservations.Command> reservations;
    private final KnownTokens known;
    private final Map<String, TokenState> states = new HashMap<>();
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

    /**
     * Creates the actor, which loads the fingerprints of the stored tokens in the background; until they are loaded, every token is looked
     * up in the store.
     */
    static Behavior<Command> create(
            SpendEnvironment env, Broadcast broadcast, ActorRef<Reservations.Command> reservations) {
        return Behaviors.setup(context -> {
            int most = KnownTokens.mostThatFit();
            Outcome.pipe(context, env.receipts().fingerprints(most + 1), Loaded::new);
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
                        failure -> LOG.warn("every token is looked up in the store: {}", Broadcast.messageOf(failure)));
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
            start(Optional.empty(), false, runner -> Spend.begin(runner, plan), List.of(command.answer()));
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
            if (spending.digest().equals(caller.digest())) {
                spending.later().add(caller);
            } else {
                caller.refuse(spending.owner(), Optional.empty());
            }
        } else if (state instanceof Paid paid) {
            if (paid.digest().equals(caller.digest())) {
                caller.answer().complete(paid.receipt());
            } else {
                caller.refuse(paid.owner(), Optional.of(paid.receipt().txId()));
            }
        } else if (state instanceof InDoubt doubt) {
            if (doubt.digest().equals(caller.digest())) {
                spend(
                        token.token(),
                        false,
                        List.of(caller),
                        runner -> ResumedSpend.retry(runner, caller.plan(), doubt.intent()));
            } else {
                caller.refuse(
                        ownerOf(doubt.intent().details().tokenName()),
                        Optional.of(doubt.intent().txId()));
            }
        }
    }

    /** Begins with a token without a state: spends at once when the store cannot know the token, otherwise looks it up. */
    private void unknown(TokenBinding token, Caller caller) {
        if (known.isNew(token.token()) && !env.receipts().mayBeOtherThanSpends()) {
            spend(token.token(), true, List.of(caller), runner -> Spend.begin(runner, caller.plan()));
            return;
        }
        lookUp(token.token(), List.of(caller));
    }

    private void lookUp(String token, List<Caller> callers) {
        lookUp(token, callers, fresh -> {
            SpendPlan plan = fresh.get(0).plan();
            spendUnlessDraining(token, true, fresh, runner -> Spend.begin(runner, plan));
        });
    }

    private void lookUp(String token, List<Caller> callers, Consumer<List<Caller>> whenNew) {
        states.put(token, new LookedUp(new ArrayList<>(callers), whenNew));
        Outcome.pipe(
                getContext(),
                env.receipts().bound(token, env.tokensExpiredBefore()),
                found -> new Looked(token, found));
    }

    private Behavior<Command> looked(Looked command) {
        String token = command.token();
        if (!(states.remove(token) instanceof LookedUp lookedUp)) {
            throw new IllegalStateException("received the result of a token lookup that was not requested");
        }
        List<Caller> all = lookedUp.callers();
        command.found()
                .match(
                        found -> lookedUp(token, lookedUp, found),
                        failure -> all.forEach(caller -> caller.answer().completeExceptionally(failure)));
        return this;
    }

    private void lookedUp(String token, LookedUp state, Optional<Bound> found) {
        List<Caller> callers = withValidParameters(state.callers(), found);
        if (callers.isEmpty()) {
            return;
        }
        if (found.isEmpty()) {
            state.whenNew().accept(callers);
        } else {
            answerOrResume(token, callers, found.get());
        }
    }

    /** A row that is neither a spend nor a receipt has a digest that matches no parameters, so that each caller with its token is refused. */
    private void answerOrResume(String token, List<Caller> callers, Bound found) {
        if (found instanceof Bound.ToReceipt kept) {
            answer(callers, () -> KeptAnswer.read(kept));
        } else if (found instanceof Bound.ToSpend bound) {
            Intent intent = bound.spend();
            if (intent.state().succeeded()) {
                answer(callers, () -> Receipt.of(intent));
            } else {
                SpendPlan plan = callers.get(0).plan();
                spendUnlessDraining(
                        token,
                        false,
                        callers,
                        bound.lostForGood()
                                ? runner -> ResumedSpend.resumeLostForGood(runner, plan, intent)
                                : runner -> ResumedSpend.resume(runner, plan, intent));
            }
        }
    }

    /** Answers all callers with a receipt. A damaged receipt fails only these calls and must not stop the actor with all other spends. */
    private static void answer(List<Caller> callers, Supplier<Receipt> receipt) {
        try {
            Receipt read = receipt.get();
            callers.forEach(caller -> caller.answer().complete(read));
        } catch (RuntimeException e) {
            LOG.error("a receipt cannot be decoded", e);
            callers.forEach(caller -> caller.answer().completeExceptionally(e));
        }
    }

    private void spendUnlessDraining(String token, boolean fresh, List<Caller> callers, Consumer<SpendRunner> begin) {
        if (isDraining()) {
            callers.forEach(caller -> refuseWhileDraining(caller.answer()));
        } else {
            spend(token, fresh, callers, begin);
        }
    }

    /**
     * Selects the callers whose parameters are those the token is bound to, or the first caller's when it is not bound yet. All others are
     * refused.
     */
    private static List<Caller> withValidParameters(List<Caller> all, Optional<Bound> found) {
        Hash256 valid = found.map(Bound::digest).orElseGet(() -> all.get(0).digest());
        List<Caller> callers = new ArrayList<>();
        for (Caller caller : all) {
            if (caller.digest().equals(valid)) {
                callers.add(caller);
            } else {
                refuse(caller, found, all.get(0));
            }
        }
        return callers;
    }

    private static void refuse(Caller caller, Optional<Bound> found, Caller first) {
        if (found.isEmpty()) {
            caller.refuse(first.owner(), Optional.empty());
        } else {
            caller.refuse(ownerOf(found.get().tokenName()), found.get().transaction());
        }
    }

    private boolean isStopped() {
        return env.stopped().isPresent();
    }

    private void refuseWhileStopped(CompletableFuture<Receipt> answer) {
        answer.completeExceptionally(StoreException.stopped(env.stopped().orElseThrow()));
    }

    /**
     * Starts a spend with a token. While the store is stopped the call is refused: payments that the store knows are still answered, but
     * nothing is sent, not even a spend in flight.
     *
     * @param fresh whether the token is unbound, as far as is known
     */
    private void spend(String token, boolean fresh, List<Caller> callers, Consumer<SpendRunner> begin) {
        if (isStopped()) {
            callers.forEach(caller -> refuseWhileStopped(caller.answer()));
            return;
        }
        known.add(token);
        states.put(token, new Spending(callers, new ArrayList<>(), fresh));
        start(
                Optional.of(token),
                fresh,
                begin,
                callers.stream().map(Caller::answer).toList());
    }

    /** Starts a spend. Callers present from the start are answered by the spend itself, which saves a message for almost all of them. */
    private void start(
            Optional<String> token,
            boolean fresh,
            Consumer<SpendRunner> begin,
            List<CompletableFuture<Receipt>> callers) {
        Owner.Running id = new Owner.Running(++lastSpend);
        running.put(id, token);
        var self = getContext().getSelf();
        new SpendRunner(env, broadcast, reservations, id, result -> {
                    self.tell(new Ended(id, result));
                    if (!isOpen(fresh, result)) {
                        callers.forEach(result::answer);
                    }
                })
                .run(begin);
    }

    /**
     * Whether a refusal may be wrong: another daemon may have paid with the token meanwhile, and so have used the coins or the allowance
     * whose lack caused the refusal here. A caller that is told that nothing was paid may pay again with another token.
     */
    private boolean isOpen(boolean fresh, SpendResult result) {
        return fresh && env.isShared() && result instanceof SpendResult.Refused;
    }

    private static void refuseWhileDraining(CompletableFuture<Receipt> answer) {
        answer.completeExceptionally(new SpendException(new SpendRefusal.ShuttingDown()));
    }

    private Behavior<Command> ended(Ended command) {
        running.remove(command.spend()).ifPresent(token -> ended(token, command.result()));
        return answerDrains();
    }

    private void ended(String token, SpendResult result) {
        if (!(states.remove(token) instanceof Spending spending)) {
            throw new IllegalStateException("a spend ended that was not running");
        }
        if (isOpen(spending.fresh(), result)) {
            lookUp(token, spending.all(), refused -> refused.forEach(caller -> result.answer(caller.answer())));
            return;
        }
        spending.later().forEach(caller -> result.answer(caller.answer()));
        if (result instanceof SpendResult.Paid paid) {
            paid(token, new Paid(spending.digest(), spending.owner(), paid.receipt()), paid.recorded());
        } else if (result instanceof SpendResult.InDoubt doubt) {
            states.put(token, new InDoubt(spending.digest(), doubt.intent()));
            getContext().pipeToSelf(doubt.settled(), (done, failure) -> new Settled(token));
        } else if (result instanceof SpendResult.TokenTaken) {
            lookUp(token, spending.all());
        }
    }

    /** Keeps the receipt until the store has recorded it; often the store has done so before this message arrives. */
    private void paid(String token, Paid state, CompletionStage<?> recorded) {
        if (recorded.toCompletableFuture().isDone()) {
            CrashPoint.SPEND_AFTER_OUTCOME.reached();
        } else {
            states.put(token, state);
            getContext().pipeToSelf(recorded, (done, failure) -> new Recorded(token));
        }
    }

    /** Ends the doubt about a token, because the store now knows what it is bound to. */
    private Behavior<Command> settled(Settled command) {
        states.computeIfPresent(command.token(), (token, state) -> state instanceof InDoubt ? null : state);
        return this;
    }

    /**
     * Forgets a receipt, because the store now has the answer; if it could not be written, the nodes are asked for the transaction when the
     * token is used again.
     */
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

    /**
     * Fingerprints of the idempotency tokens that the store may know: a token whose fingerprint is not in the set is certainly new and need
     * not be looked up. The converse is not certain: a fingerprint shared by two tokens, or one whose token has expired, only costs a
     * lookup. Belongs to {@link Receipts}.
     */
    static final class KnownTokens {
        private static final int FIRST_SIZE = 1 << 10;
        private static final int PART_OF_HEAP = 64;
        private static final int LARGEST_SIZE = 1 << 21;

        private final int most;
        private long[] slots = new long[FIRST_SIZE];
        private int count;
        private boolean complete;

        /** Creates a set with a capacity that fits into a small part of the heap. */
        KnownTokens() {
            this(mostThatFit());
        }

        /**
         * @param most maximum number of fingerprints kept; when there are more, every token is looked up
         */
        KnownTokens(int most) {
            this.most = most;
        }

        static int mostThatFit() {
            long slots = Runtime.getRuntime().maxMemory() / PART_OF_HEAP / Long.BYTES;
            return (int) Math.min(LARGEST_SIZE, slots) / 4;
        }

        /** Adds the fingerprints that the store had at some moment; later tokens are added one by one. */
        void load(long[] fingerprints) {
            complete = true;
            for (long fingerprint : fingerprints) {
                add(fingerprint);
            }
        }

        void add(String token) {
            add(TokenBinding.fingerprint(token));
        }

        boolean isNew(String token) {
            return complete && slots[slotOf(marked(TokenBinding.fingerprint(token)))] == 0;
        }

        private void add(long any) {
            long fingerprint = marked(any);
            int slot = slotOf(fingerprint);
            if (slots[slot] != 0) {
                return;
            }
            if (count == most) {
                complete = false;
                return;
            }
            slots[slot] = fingerprint;
            count++;
            if (2 * count > slots.length) {
                grow();
            }
        }

        private void grow() {
            long[] old = slots;
            slots = new long[2 * old.length];
            Arrays.stream(old)
                    .filter(fingerprint -> fingerprint != 0)
                    .forEach(fingerprint -> slots[slotOf(fingerprint)] = fingerprint);
        }

        /** Slot of a fingerprint, or the free slot where it would go. */
        private int slotOf(long fingerprint) {
            int mask = slots.length - 1;
            int slot = (int) (fingerprint ^ fingerprint >>> 32) & mask;
            while (slots[slot] != 0 && slots[slot] != fingerprint) {
                slot = slot + 1 & mask;
            }
            return slot;
        }

        /** Replaces the fingerprint 0, which marks a free slot, with another value. */
        private static long marked(long fingerprint) {
            return fingerprint == 0 ? 1 : fingerprint;
        }
    }
}
