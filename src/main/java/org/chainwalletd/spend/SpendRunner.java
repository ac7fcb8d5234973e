package org.chainwalletd.spend;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.Finding;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what one running {@link Spend} says, and tells the neighbours how it ended. A plain object and no actor: every message to an actor
 * wakes a thread, and a spend that was one went from thread to thread 28 times. This one does so 12 times at most, seven of them before its
 * answer, and twice more to the thread of the sockets ({@code -Dbench=transfer} counts them; two more when its coins are proven from the
 * books). What replaces the mailbox is that exactly one question is under
 * way at any time, and its answer carries everything to the next thread. It is never restarted: what was durable is gone on with by the
 * spend monitor, or when the same token comes again.
 */
final class SpendRunner {
    private static final Logger LOG = LoggerFactory.getLogger(SpendRunner.class);

    /** Whoever completes a stage of our own goes on: only where that is a thread for such work. */
    private static final Executor AT_HAND = Runnable::run;

    private static final String UNEXPECTED = "the spend failed unexpectedly; see the log";

    static final CompletionStage<?> NOTHING_LEFT = CompletableFuture.completedFuture(null);

    private final SpendEnvironment env;
    private final OutcomeWrites outcomes;
    private final Broadcast broadcast;
    private final ActorRef<Reservations.Command> reservations;
    private final Owner.Running id;
    private final Consumer<SpendResult> ended;
    /** Not empty from the moment when the store has it. */
    private Optional<Intent> durable = Optional.empty();
    /** Not empty while the store may have it. */
    private Optional<Intent> doubtful = Optional.empty();

    /**
     * @param reservations the only neighbour that is told anything, so that all it hears is in order
     * @param ended told once, whatever happens
     */
    SpendRunner(
            SpendEnvironment env,
            Broadcast broadcast,
            ActorRef<Reservations.Command> reservations,
            Owner.Running id,
            Consumer<SpendResult> ended) {
        this.env = env;
        this.outcomes = new OutcomeWrites(env);
        this.broadcast = broadcast;
        this.reservations = reservations;
        this.id = id;
        this.ended = ended;
    }

    /** Begins; the rest happens wherever answers arrive. */
    void run(Supplier<Step> first) {
        proceed(first);
    }

    /** A fault of ours ends this spend and no other; a durable intent is looked after like every one whose outcome is open. */
    private void proceed(Supplier<Step> next) {
        Step step;
        try {
            step = next.get();
        } catch (RuntimeException | Error e) {
            LOG.error("a spend failed unexpectedly", e);
            step = Step.end(durable.<Ending>map(
                            intent -> new Ending.InFlight(intent, false, Spend.unknown(intent, UNEXPECTED)))
                    .or(() -> doubtful.map(intent -> new Ending.Doubtful(intent, Spend.unknown(intent, UNEXPECTED))))
                    .orElseGet(() -> new Ending.Refused(new IllegalStateException(UNEXPECTED))));
        }
        if (step instanceof Step.Ask<?> ask) {
            perform(ask);
        } else if (step instanceof Step.End end) {
            end(end.ending());
        }
    }

    private <A> void perform(Step.Ask<A> ask) {
        CompletionStage<A> answer;
        try {
            answer = ask.act().by(this);
        } catch (RuntimeException | Error e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.handleAsync(
                (value, failure) -> {
                    proceed(() -> failure == null
                            ? ask.then().apply(value)
                            : ask.otherwise().apply(Causes.of(failure)));
                    return null;
                },
                AT_HAND);
    }

    /** What an actor's or the store's thread completes goes on elsewhere. */
    private <A> CompletionStage<A> elsewhere(CompletionStage<A> answer) {
        return answer.thenApplyAsync(Function.identity(), env.executor());
    }

    private <A> CompletionStage<A> ask(Function<CompletableFuture<A>, Reservations.Command> question) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        reservations.tell(question.apply(answer));
        return elsewhere(answer);
    }

    CompletionStage<Act.Gathered> gather(Act.Gather act) {
        return env.identity()
                .genesisForSigning()
                .thenComposeAsync(
                        genesis -> act.plan()
                                .gather(env.node(), AT_HAND)
                                .thenApplyAsync(found -> new Act.Gathered(found, genesis), AT_HAND),
                        AT_HAND);
    }

    CompletionStage<Reservations.Choice> choose(Act.Choose act) {
        return ask(answer -> new Reservations.Choose(
                id, act.plan(), act.candidates(), Set.copyOf(act.excluded()), act.replaces(), answer));
    }

    CompletionStage<Set<Outpoint>> lookAtMempool(Act.LookAtMempool act) {
        return env.node()
                .addressMempool(act.address())
                .thenApplyAsync(
                        mempool -> {
                            Set<Outpoint> foreign = foreignSpends(mempool);
                            if (act.chosen().stream().noneMatch(foreign::contains)) {
                                reservations.tell(new Reservations.Clean(act.address()));
                            }
                            return foreign;
                        },
                        AT_HAND);
    }

    private static Set<Outpoint> foreignSpends(NodeClient.AddressMempool mempool) {
        return mempool.entries().stream()
                .flatMap(entry -> entry.spent().stream())
                .map(NodeClient.Spent::outpoint)
                .collect(Collectors.toSet());
    }

    CompletionStage<Map<Outpoint, Finding>> prove(Act.Prove act) {
        return env.outputs().find(act.coins());
    }

    /** A key that is unsealed signs here; only a sealed one costs a way to the keyring. */
    CompletionStage<Signature> sign(Act.Sign act) {
        return env.signer()
                .signAtHand(act.address(), act.message())
                .<CompletionStage<Signature>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> elsewhere(env.signer().sign(act.address(), act.message())));
    }

    /** A node cannot make this up: it was told nothing but an id, and would have to sign. */
    CompletionStage<Boolean> findTwin(Act.FindTwin act) {
        Intent intent = act.intent();
        return broadcast
                .lookup()
                .find(intent.txId())
                .handleAsync(
                        (found, failure) -> {
                            boolean there = failure == null
                                    && found.filter(twin -> twin.bytes().equals(intent.transaction()))
                                            .isPresent();
                            if (there) {
                                reservations.tell(new Reservations.Suspect(Optional.of(intent.from())));
                            }
                            return there;
                        },
                        AT_HAND);
    }

    CompletionStage<Opening> open(Act.Open act) {
        doubtful = Optional.of(act.intent());
        return env.intents()
                .open(act.intent(), env.tokensExpiredBefore(), act.capped(), env::countsFrom)
                .thenApplyAsync(opening -> noted(opening, act.intent()), env.executor());
    }

    private Opening noted(Opening opening, Intent intent) {
        doubtful = Optional.empty();
        if (opening.isThere(intent)) {
            durable = Optional.of(intent);
        }
        return opening;
    }

    CompletionStage<Boolean> takeBack(Act.TakeBack act) {
        return this.<Boolean>ask(
                        answer -> new Reservations.TakeBack(id, act.intent().txId(), answer))
                .thenApplyAsync(
                        ours -> {
                            durable = ours ? Optional.of(act.intent()) : Optional.empty();
                            return ours;
                        },
                        AT_HAND);
    }

    CompletionStage<Lookup.Whereabouts> locate(Act.Locate act) {
        return broadcast.lookup().anywhere(act.intent().txId());
    }

    private void takeOver(Intent intent) {
        reservations.tell(new Reservations.TakeOver(id, intent.txId()));
    }

    CompletionStage<Reacquisition> retake(Act.Retake act) {
        takeOver(act.intent());
        return ask((CompletableFuture<Reacquisition> answer) -> new Reservations.Reacquire(id, act.intent(), answer))
                .thenApplyAsync(
                        answer -> {
                            if (answer instanceof Reacquisition.Reacquired) {
                                doubtful = Optional.of(act.intent());
                            }
                            return answer;
                        },
                        AT_HAND);
    }

    CompletionStage<Reacquisition> reacquire(Act.Reacquire act) {
        return ask(answer -> new Reservations.Reacquire(id, act.intent(), answer));
    }

    CompletionStage<Opening> reopen(Act.Reopen act) {
        takeOver(act.intent());
        return env.intents()
                .reopen(act.intent(), act.capped(), env::countsFrom)
                .thenApplyAsync(
                        opening -> noted(
                                opening,
                                act.intent()
                                        .in(
                                                IntentState.PREPARED,
                                                "",
                                                env.clock().millis())),
                        env.executor());
    }

    CompletionStage<BroadcastOutcome> send(Act.Send act) {
        Intent intent = act.intent();
        CompletionStage<BroadcastOutcome> sent = act.earlier() == Act.Earlier.FRESH
                ? broadcast.sendFresh(intent.txId(), intent.transaction())
                : broadcast.send(intent.txId(), intent.transaction(), act.earlier() == Act.Earlier.PERHAPS_SENT);
        return sent.thenApplyAsync(
                outcome -> {
                    if (!(outcome instanceof BroadcastOutcome.Accepted)) {
                        reservations.tell(new Reservations.Suspect(Optional.of(intent.from())));
                    }
                    if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
                        reservations.tell(new Reservations.SpentElsewhere(conflict.coin()));
                    }
                    return outcome;
                },
                AT_HAND);
    }

    CompletionStage<Transition> recordFailure(Act.RecordFailure act) {
        return outcomes.failed(act.intent(), act.state(), act.reason(), act.left());
    }

    CompletionStage<Intent> letGo(Act.LetGo act) {
        Intent intent = act.intent();
        durable = Optional.empty();
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.CONFLICTED);
        reservations.tell(new Reservations.FailRunning(id, intent.txId()));
        return CompletableFuture.completedFuture(intent);
    }

    CompletionStage<Transition> recordContest(Act.RecordContest act) {
        return outcomes.contested(act.intent(), act.reason());
    }

    /** Whatever goes wrong here, the caller is answered and nothing stays held. */
    private void end(Ending ending) {
        SpendResult result;
        try {
            result = ending.by(this);
        } catch (RuntimeException | Error e) {
            LOG.error("the end of a spend failed unexpectedly", e);
            result = died();
        }
        ended.accept(result);
    }

    private SpendResult died() {
        if (durable.isEmpty()) {
            drop();
            return failed(new IllegalStateException(UNEXPECTED));
        }
        Intent intent = durable.get();
        reservations.tell(new Reservations.Land(id, intent, false));
        return failed(Spend.unknown(intent, UNEXPECTED));
    }

    SpendResult accepted(Ending.Accepted ending) {
        Intent intent = ending.intent();
        long now = env.clock().millis();
        // The intent is durable, so the answer need not wait until its outcome is: that is found out again when it is
        // lost.
        CompletionStage<?> recorded = outcomes.accepted(intent, now)
                .handleAsync((made, failure) -> failure == null ? made : notRecorded(intent, failure), AT_HAND);
        Intent accepted = intent.in(IntentState.ACCEPTED, "", now);
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.ACCEPTED);
        reservations.tell(new Reservations.Land(id, accepted, ending.holdsCoins()));
        return paid(Receipt.of(accepted), recorded);
    }

    private static Transition notRecorded(Intent intent, Throwable failure) {
        LOG.error("the outcome of spend {} is not recorded: {}", intent.txId(), Broadcast.words(failure));
        return new Transition.Stale(Optional.empty());
    }

    SpendResult inFlight(Ending.InFlight ending) {
        env.metrics().ended(ending.intent().kind(), SpendMetrics.Outcome.UNKNOWN);
        reservations.tell(new Reservations.Land(id, ending.intent(), ending.holdsCoins()));
        return failed(ending.failure());
    }

    SpendResult doubtful(Ending.Doubtful ending) {
        env.metrics().ended(ending.intent().kind(), SpendMetrics.Outcome.UNKNOWN);
        CompletableFuture<Void> settled = new CompletableFuture<>();
        reservations.tell(new Reservations.Doubt(id, ending.intent(), settled));
        return new SpendResult(id, new SpendResult.InDoubt(ending.intent(), ending.failure(), settled));
    }

    SpendResult failed(Ending.Failed ending) {
        env.metrics().ended(ending.intent().kind(), SpendMetrics.Outcome.of(ending.state()));
        reservations.tell(new Reservations.FailRunning(id, ending.intent().txId()));
        return failed(ending.failure());
    }

    SpendResult contested(Ending.Contested ending) {
        env.metrics().ended(ending.intent().kind(), SpendMetrics.Outcome.CONTESTED);
        reservations.tell(new Reservations.FailRunning(id, ending.intent().txId()));
        return failed(ending.failure());
    }

    SpendResult refused(Ending.Refused ending) {
        drop();
        return failed(ending.failure());
    }

    SpendResult tokenTaken() {
        drop();
        return new SpendResult(id, new SpendResult.TokenTaken());
    }

    SpendResult staysAbandoned(Ending.StaysAbandoned ending) {
        drop();
        reservations.tell(new Reservations.PassOn(new SpendMonitor.Watch(ending.intent(), false)));
        return failed(ending.failure());
    }

    SpendResult foundPaid(Ending.FoundPaid ending) {
        drop();
        return paid(Receipt.of(ending.intent()), NOTHING_LEFT);
    }

    private void drop() {
        reservations.tell(new Reservations.Drop(id));
    }

    private SpendResult failed(Throwable failure) {
        return new SpendResult(id, new SpendResult.Failed(failure));
    }

    private SpendResult paid(Receipt receipt, CompletionStage<?> recorded) {
        return new SpendResult(id, new SpendResult.Paid(receipt, recorded));
    }
}
