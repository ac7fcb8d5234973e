package org.chainwalletd.spend;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.ReservationStore.Reservation;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which spends the operator abandons, and which of the named coins that frees. A spend is abandoned only while nothing sends it and
 * every node answers that it lacks it. A freed coin is not freed again for a while, since a repeated call would hit the payment that has
 * chosen the coin since. Belongs to {@link Reservations} and runs on its thread; answers of nodes and of the store come back to it in
 * {@link Reservations.AbandonStep}.
 */
final class Abandonments {
    private static final Logger LOG = LoggerFactory.getLogger(Abandonments.class);
    private static final String BY_THE_OPERATOR = "abandoned by the operator";
    private static final String REPLACED = "another spend of its coins takes its place";

    /**
     * Spends and coins named by one call, as far as they can be abandoned.
     *
     * @param held named coins of each spend in flight that nothing sends, by transaction id
     * @param free named coins that nothing holds: a spend whose reservations have ended is abandoned without freeing any
     * @param replaced whether the spend is abandoned regardless of which nodes have it, since its owner replaces it with another spend of
     *     the same coins and knows that a block may contain either
     * @param keeping whether the coins stay held for the replacing spend
     * @param recall replacing spend, when it becomes durable in the same commit
     */
    record Question(
            Map<Hash256, Set<Outpoint>> held,
            Set<Outpoint> free,
            boolean replaced,
            boolean keeping,
            Optional<Intent> recall,
            CompletableFuture<Abandoned> answer) {
        boolean concerns(Hash256 txId, Collection<Outpoint> inputs) {
            return held.containsKey(txId) || inputs.stream().anyMatch(free::contains);
        }
    }

    /**
     * Result of the writes to the store.
     *
     * @param spends ids of the spends that are now abandoned
     * @param inDoubt ids of the spends of which it is unknown whether they are abandoned
     * @param ended reservations that have ended; none while a spend is in doubt
     * @param failure empty when everything was written
     */
    record WriteResult(
            Set<Hash256> spends, Set<Hash256> inDoubt, List<Reservation> ended, Optional<Throwable> failure) {}

    private final ActorContext<Reservations.Command> context;
    private final SpendEnvironment env;
    private final Broadcast broadcast;
    private final CoinHolds coins;
    private final CoinChoice choice;
    private final ActorRef<SpendMonitor.Command> monitor;
    private final Clock clock;
    private final long memoryMillis;
    private final Map<Owner.Running, Hash256> sending = new HashMap<>();
    private final Set<Hash256> inProgress = new HashSet<>();
    private final List<Reservations.Command> waiting = new ArrayList<>();
    /** Questions that are not settled. Those whose spends are certainly no longer being sent are in {@link #quiet} too. */
    private final Set<Question> open = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Set<Question> quiet = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Hash256, Long> abandonedAt = new HashMap<>();
    private final Map<Outpoint, Long> freed = new HashMap<>();

    /**
     * @param earlier spends that were abandoned recently, before this process started
     */
    Abandonments(
            ActorContext<Reservations.Command> context,
            SpendEnvironment env,
            Broadcast broadcast,
            CoinHolds coins,
            CoinChoice choice,
            ActorRef<SpendMonitor.Command> monitor,
            List<Intent> earlier) {
        this.context = context;
        this.env = env;
        this.broadcast = broadcast;
        this.coins = coins;
        this.choice = choice;
        this.monitor = monitor;
        this.clock = env.clock();
        this.memoryMillis = env.pace().reservationTtl().toMillis();
        remember(earlier);
    }

    /** Remembers spends that another process, or an earlier one, has abandoned recently: their coins are not freed again. */
    void remember(List<Intent> earlier) {
        for (Intent intent : earlier) {
            intent.inputs().stream()
                    .map(Coin::outpoint)
                    .filter(outpoint -> coins.holder(outpoint)
                            .filter(new Owner.Payment(intent.txId())::equals)
                            .isEmpty())
                    .forEach(outpoint -> freed.put(outpoint, intent.changedAt()));
        }
    }

    /** Records that a running spend has taken over this spend until {@link #ended}, so that its coins are not freed. */
    void begun(Owner.Running spender, Hash256 txId) {
        sending.put(spender, txId);
        abandonedAt.remove(txId);
    }

    void ended(Owner.Running spender) {
        sending.remove(spender);
    }

    /** Whether the spend was abandoned after the running spend had read it as in flight. */
    boolean wasAbandoned(Hash256 txId) {
        return isRecent(abandonedAt.get(txId));
    }

    /** Whether {@code command}, which concerns this spend, must wait; if so, it is queued. */
    boolean keeps(Hash256 txId, Reservations.Command command) {
        return inProgress.contains(txId) && waiting.add(command);
    }

    private boolean isRecent(Long at) {
        long now = clock.millis();
        return at != null && at <= now && now - at < memoryMillis;
    }

    Question begin(Reservations.Abandon command) {
        freed.values().removeIf(at -> !isRecent(at));
        abandonedAt.values().removeIf(at -> !isRecent(at));
        Map<Hash256, Set<Outpoint>> held = new HashMap<>();
        Set<Outpoint> free = new HashSet<>();
        for (Outpoint outpoint : new HashSet<>(command.outpoints())) {
            Optional<Hash256> spend = inFlight(outpoint);
            if (freed.containsKey(outpoint)) {
                LOG.info("coin {} was freed recently: a further call that names it changes nothing", outpoint);
            } else if (coins.is(outpoint, CoinHolds.Stage.ABANDONED)) {
                LOG.warn("coin {} is kept for the stand-in of an abandoned spend", outpoint);
            } else if (spend.isPresent()) {
                held.computeIfAbsent(spend.get(), none -> new HashSet<>()).add(outpoint);
            } else if (!coins.isHeld(outpoint)) {
                free.add(outpoint);
            }
        }
        held.keySet().removeIf(this::isBusy);
        inProgress.addAll(held.keySet());
        return opened(new Question(held, free, false, false, Optional.empty(), command.answer()));
    }

    /** Opens a question about one spend with all its coins; the question is empty while the spend is being sent. */
    Question begin(Reservations.AbandonOne command) {
        Hash256 txId = command.txId();
        Map<Hash256, Set<Outpoint>> held = new HashMap<>();
        if (!isBusy(txId)) {
            held.put(txId, coins.inFlightOf(new Owner.Payment(txId)));
            inProgress.add(txId);
        }
        return opened(new Question(held, Set.of(), true, command.keepsCoins(), command.recall(), command.answer()));
    }

    private Question opened(Question question) {
        open.add(question);
        return question;
    }

    /** Questions whose spends a restarting spend monitor must not send. */
    Collection<Question> open() {
        return List.copyOf(open);
    }

    /** Fails a question that has not started, because no spend monitor is running. */
    void refuse(Question question) {
        if (open.contains(question) && !quiet.contains(question)) {
            settle(question, failed(Background.stopped()));
        }
    }

    private Optional<Hash256> inFlight(Outpoint outpoint) {
        return coins.is(outpoint, CoinHolds.Stage.IN_FLIGHT)
                ? coins.holder(outpoint)
                        .filter(Owner.Payment.class::isInstance)
                        .map(owner -> ((Owner.Payment) owner).txId())
                : Optional.empty();
    }

    private boolean isBusy(Hash256 txId) {
        return sending.containsValue(txId) || inProgress.contains(txId);
    }

    /**
     * Continues with a question, now that nothing sends the spends that it concerns.
     *
     * @param unreserved spends in flight that no longer hold any of their coins
     */
    void locate(Question question, Set<Hash256> unreserved) {
        if (!open.contains(question) || !quiet.add(question)) {
            return;
        }
        ask(
                lacking(question, unreserved),
                // A node without an answer may have a spend, and its coins must not pay a second time.
                lacking -> lacking.match(
                        spends -> ask(abandonUnlessFound(question, spends), given -> ended(question, given)),
                        failure -> settle(question, failed(failure))));
    }

    private <T> void ask(CompletionStage<T> answer, Consumer<Outcome<T>> then) {
        Outcome.pipe(context, answer, outcome -> new Reservations.AbandonStep(() -> then.accept(outcome)));
    }

    private void ended(Question question, Outcome<WriteResult> written) {
        WriteResult given = written.fold(Function.identity(), Abandonments::failed);
        if (given.inDoubt().isEmpty()) {
            settle(question, given);
            return;
        }
        if (given.failure().filter(question.answer()::completeExceptionally).isPresent()) {
            LOG.warn(
                    "it is unknown whether {} are abandoned: they are not sent until the store has answered",
                    given.inDoubt());
        }
        context.scheduleOnce(
                env.pace().firstLook(),
                context.getSelf(),
                new Reservations.AbandonStep(() -> askAgain(question, given)));
    }

    /**
     * Asks the store again, after a commit of this request's own. Until it answers for every spend in doubt, the question stays open and
     * nothing sends the spends.
     */
    private void askAgain(Question question, WriteResult before) {
        Map<Hash256, CompletionStage<Boolean>> writes = new HashMap<>();
        before.spends().forEach(txId -> writes.put(txId, CompletableFuture.completedFuture(true)));
        before.inDoubt().forEach(txId -> writes.put(txId, certain(question, txId)));
        ask(freed(question, writes), given -> ended(question, given));
    }

    private CompletionStage<Boolean> certain(Question question, Hash256 txId) {
        CompletionStage<Boolean> found = question.recall().isPresent()
                ? env.intents()
                        .findForCertain(question.recall().get().txId())
                        .thenApplyAsync(Optional::isPresent, env.executor())
                : env.intents()
                        .findForCertain(txId)
                        .thenApplyAsync(
                                spend -> spend.filter(intent -> intent.state() == IntentState.ABANDONED)
                                        .isPresent(),
                                env.executor());
        return found.exceptionallyAsync(
                failure -> {
                    throw new StoreException(StoreException.Reason.UNKNOWN, "still in doubt", failure);
                },
                env.executor());
    }

    private static WriteResult failed(Throwable failure) {
        return new WriteResult(Set.of(), Set.of(), List.of(), Optional.of(failure));
    }

    /** Asks the nodes about each spend of a question: whether every one of them lacks it. */
    private CompletionStage<Map<Hash256, Boolean>> lacking(Question question, Set<Hash256> unreserved) {
        for (Hash256 txId : unreserved) {
            if (!isBusy(txId)) {
                question.held().put(txId, Set.of());
                inProgress.add(txId);
            }
        }
        Map<Hash256, CompletionStage<Boolean>> asked = new HashMap<>();
        if (!question.replaced()) {
            question.held()
                    .keySet()
                    .forEach(txId -> asked.put(txId, broadcast.lookup().lacking(txId)));
        }
        return all(asked);
    }

    private <T> CompletionStage<Map<Hash256, T>> all(Map<Hash256, CompletionStage<T>> stages) {
        CompletionStage<Map<Hash256, T>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (Map.Entry<Hash256, CompletionStage<T>> stage : stages.entrySet()) {
            all = all.thenCombineAsync(
                    stage.getValue(),
                    (values, value) -> {
                        values.put(stage.getKey(), value);
                        return values;
                    },
                    env.executor());
        }
        return all;
    }

    /** Abandons the spends that every node lacks, in the store first, so that a failure leaves everything unchanged. */
    private CompletionStage<WriteResult> abandonUnlessFound(Question question, Map<Hash256, Boolean> lacking) {
        Map<Hash256, CompletionStage<Boolean>> writes = new HashMap<>();
        question.held().keySet().forEach(txId -> {
            if (question.replaced()) {
                writes.put(
                        txId,
                        question.recall()
                                .map(recall -> recalled(txId, recall))
                                .orElseGet(() -> written(txId, REPLACED)));
            } else if (lacking.get(txId)) {
                writes.put(txId, unlessOnlyTheChainCloses(txId));
            } else {
                LOG.warn("spend {} is not abandoned: a node has it", txId);
            }
        });
        return freed(question, writes);
    }

    /** Abandons a spend in the store, unless only the chain may close its kind: a batch of payouts is abandoned only by its recall. */
    private CompletionStage<Boolean> unlessOnlyTheChainCloses(Hash256 txId) {
        return env.intents()
                .find(txId)
                .thenComposeAsync(
                        found -> found.filter(intent -> StandIns.onlyChainCloses(intent.kind()))
                                        .isPresent()
                                ? CompletableFuture.completedFuture(false)
                                : written(txId, BY_THE_OPERATOR),
                        env.executor());
    }

    private CompletionStage<Boolean> recalled(Hash256 batch, Intent recall) {
        return env.intents()
                .recall(batch, recall, REPLACED, env::countsFrom)
                .thenApplyAsync(Transition.Made.class::isInstance, env.executor());
    }

    /** Records that the spend is abandoned; true if it now is. */
    private CompletionStage<Boolean> written(Hash256 txId, String reason) {
        return env.intents()
                .abandon(txId, reason, clock.millis())
                .thenApplyAsync(
                        transition -> transition instanceof Transition.Made
                                || transition instanceof Transition.Stale stale
                                        && stale.found().equals(Optional.of(IntentState.ABANDONED)),
                        env.executor());
    }

    private CompletionStage<WriteResult> freed(Question question, Map<Hash256, CompletionStage<Boolean>> writes) {
        Map<Hash256, CompletionStage<Outcome<Boolean>>> outcomes = new HashMap<>();
        writes.forEach((txId, write) -> outcomes.put(txId, write.handleAsync(Outcome::of, env.executor())));
        return all(outcomes).thenComposeAsync(known -> freedBy(question, known), env.executor());
    }

    private CompletionStage<WriteResult> freedBy(Question question, Map<Hash256, Outcome<Boolean>> outcomes) {
        Set<Hash256> abandoned = new HashSet<>();
        Set<Hash256> inDoubt = new HashSet<>();
        List<Throwable> failures = new ArrayList<>();
        Map<Hash256, Set<Outpoint>> named = new HashMap<>();
        outcomes.forEach((txId, outcome) -> outcome.match(
                done -> {
                    if (done) {
                        abandoned.add(txId);
                        named.put(
                                txId,
                                question.keeping() ? Set.of() : question.held().get(txId));
                    }
                },
                failure -> {
                    failures.add(Causes.of(failure));
                    if (OutcomeWrites.isDoubtful(Causes.of(failure))) {
                        inDoubt.add(txId);
                    }
                }));
        Optional<Throwable> failure = failures.stream().findFirst();
        if (!inDoubt.isEmpty()) {
            return CompletableFuture.completedFuture(new WriteResult(abandoned, inDoubt, List.of(), failure));
        }
        // Meanwhile reservations may have timed out, so another spend may have taken a coin since it was named.
        return env.reservations()
                .abandon(named)
                .handleAsync(
                        (ended, notFreed) -> new WriteResult(
                                abandoned,
                                Set.of(),
                                notFreed == null ? ended : List.of(),
                                failure.or(() -> Optional.ofNullable(notFreed).map(Causes::of))),
                        env.executor());
    }

    /** Applies the result of a question in memory and answers its caller. */
    private void settle(Question question, WriteResult given) {
        open.remove(question);
        quiet.remove(question);
        int released = taken(question, given);
        given.spends().forEach(choice::settled);
        monitor.tell(new SpendMonitor.Release(question, given.spends()));
        question.recall()
                .filter(recall -> !given.spends().isEmpty())
                .ifPresent(recall -> monitor.tell(new SpendMonitor.Watch(recall, true)));
        List<Reservations.Command> kept = List.copyOf(waiting);
        waiting.clear();
        kept.forEach(context.getSelf()::tell);
        given.failure()
                .ifPresentOrElse(
                        question.answer()::completeExceptionally,
                        () -> question.answer().complete(new Abandoned(released, coins.inFlight())));
    }

    private int taken(Question question, WriteResult given) {
        long now = clock.millis();
        given.spends().forEach(txId -> abandonedAt.put(txId, now));
        if (question.keeping()) {
            given.spends().stream()
                    .map(Owner.Payment::new)
                    .forEach(owner -> coins.move(owner, owner, CoinHolds.Stage.ABANDONED));
        }
        int released = 0;
        for (Reservation reservation : given.ended()) {
            Outpoint outpoint = reservation.coin().outpoint();
            released += coins.releaseInFlight(new Owner.Payment(reservation.txId()), List.of(outpoint));
            freed.put(outpoint, now);
        }
        inProgress.removeAll(question.held().keySet());
        return released;
    }
}
