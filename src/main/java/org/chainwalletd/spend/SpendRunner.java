package org.chainwalletd.spend;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.Broadcast.BroadcastOutcome;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Adoption;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the requests of one running {@link Spend} to the actors, the nodes and the store, and its possible endings. It is a plain object
 * and not an actor: every message to an actor wakes a thread, and as an actor a spend changed threads 28 times. Now it does so at most 12
 * times, seven of them before the answer, and twice more to the socket threads ({@code -Dbench=transfer} counts them; two more when its
 * coins are proven from the books). Instead of a mailbox, exactly one request is open at any time, and its answer carries all state to the
 * next thread. A runner is never restarted: the spend monitor continues with a durable intent, or the next call with the same token does.
 */
final class SpendRunner {
    private static final Logger LOG = LoggerFactory.getLogger(SpendRunner.class);

    /** Runs a continuation on the thread that completes the stage; used only where that thread may do such work. */
    private static final Executor SAME_THREAD = Runnable::run;

    private static final String UNEXPECTED = "the spend failed unexpectedly; see the log";

    private static final Duration PAUSE = Duration.ofMillis(100);

    static final CompletionStage<?> ALREADY_RECORDED = CompletableFuture.completedFuture(null);

    private final SpendEnvironment env;
    private final OutcomeWrites outcomes;
    private final Broadcast broadcast;
    private final ActorRef<Reservations.Command> reservations;
    private final Owner.Running id;
    private final Consumer<SpendResult> ended;
    private boolean over;
    /** Whether the spend monitor was told that this runner has taken over its spend. */
    private boolean takenOver;
    /** Transaction id of the spend that may be sent, see {@link RunningSends}. */
    private Optional<Hash256> sending = Optional.empty();
    /** Intent of the spend, from the moment the store has it. */
    private Optional<Intent> durable = Optional.empty();
    /** Intent of the spend while it is unknown whether the store has it. */
    private Optional<Intent> doubtful = Optional.empty();

    /**
     * @param reservations only actor that this runner sends messages to, so that all messages arrive in order
     * @param ended receives the result exactly once, in every case
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

    /** Spendable coins, with the id of the genesis block that the signature commits to. */
    record Gathered(Candidates candidates, Hash256 genesis) {}

    SpendEnvironment env() {
        return env;
    }

    static SpendException unknown(Intent intent, String cause) {
        return new SpendException(
                new SpendRefusal.OutcomeUnknown(intent.txId(), intent.token().isPresent(), cause));
    }

    /** Runs the first step; later steps run on the threads that deliver the answers. */
    void run(Consumer<SpendRunner> first) {
        guard(() -> first.accept(this));
    }

    /**
     * Sends one request. The caller must do nothing after this call, since only one request is open at a time.
     *
     * @param then receives the answer
     * @param otherwise receives the failure, unwrapped
     */
    <A> void ask(Supplier<CompletionStage<A>> question, Consumer<A> then, Consumer<Throwable> otherwise) {
        CompletionStage<A> answer;
        try {
            answer = question.get();
        } catch (RuntimeException | Error e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.handleAsync(
                (value, failure) -> {
                    guard(() -> {
                        if (failure == null) {
                            then.accept(value);
                        } else {
                            otherwise.accept(Causes.of(failure));
                        }
                    });
                    return null;
                },
                SAME_THREAD);
    }

    /** Runs a step. A fault in it ends only this spend; a durable intent is then followed like every intent with an open outcome. */
    private void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a spend failed unexpectedly", e);
            if (over) {
                return;
            }
            if (durable.isPresent()) {
                inFlight(durable.get(), false, unknown(durable.get(), UNEXPECTED));
            } else if (doubtful.isPresent()) {
                doubtful(doubtful.get(), unknown(doubtful.get(), UNEXPECTED));
            } else {
                refused(new IllegalStateException(UNEXPECTED));
            }
        }
    }

    /** Moves the continuation of a stage off the thread of the actor or the store that completes it. */
    private <A> CompletionStage<A> onExecutor(CompletionStage<A> answer) {
        return answer.thenApplyAsync(Function.identity(), env.executor());
    }

    private <A> CompletionStage<A> askReservations(Function<CompletableFuture<A>, Reservations.Command> question) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        reservations.tell(question.apply(answer));
        return onExecutor(answer);
    }

    CompletionStage<Gathered> gather(SpendPlan plan) {
        return env.identity()
                .genesisForSigning()
                .thenComposeAsync(
                        genesis -> plan.gather(env.node(), SAME_THREAD)
                                .thenApplyAsync(found -> new Gathered(found, genesis), SAME_THREAD),
                        SAME_THREAD);
    }

    /**
     * Chooses coins and holds them.
     *
     * @param replaces whether the spend replaces an earlier one of the same payment
     */
    CompletionStage<Reservations.Choice> choose(
            SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, boolean replaces) {
        return askReservations(
                answer -> new Reservations.Choose(id, plan, candidates, Set.copyOf(excluded), replaces, answer));
    }

    /** Finds the outpoints of the address that foreign transactions in a mempool spend; fails when no node answers. */
    CompletionStage<Set<Outpoint>> lookAtMempool(Address address, Set<Outpoint> chosen) {
        return env.node()
                .addressMempool(address)
                .thenApplyAsync(
                        mempool -> {
                            Set<Outpoint> foreign = foreignSpends(mempool);
                            if (chosen.stream().noneMatch(foreign::contains)) {
                                reservations.tell(new Reservations.Clean(address));
                            }
                            return foreign;
                        },
                        SAME_THREAD);
    }

    private static Set<Outpoint> foreignSpends(NodeClient.AddressMempool mempool) {
        return mempool.entries().stream()
                .flatMap(entry -> entry.spent().stream())
                .map(NodeClient.Spent::outpoint)
                .collect(Collectors.toSet());
    }

    /** Signs with the key of an address. An unsealed key signs at once; only a sealed one needs the keyring. */
    CompletionStage<Signature> sign(Address address, byte[] message) {
        return env.signer()
                .signAtHand(address, message)
                .<CompletionStage<Signature>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> onExecutor(env.signer().sign(address, message)));
    }

    /**
     * Checks whether a node has exactly these bytes, although they have not left this daemon; false when no node answers. A node cannot
     * fabricate them: it was sent only the id, and would have to sign.
     */
    CompletionStage<Boolean> findTwin(Intent intent) {
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
                        SAME_THREAD);
    }

    /**
     * Writes the intent to the store.
     *
     * @param payouts numbers of the payouts that it pays, if it is a batch
     * @param capped whether the allowance can refuse it
     */
    CompletionStage<Opening> open(Intent intent, List<Long> payouts, boolean capped) {
        maySend(intent);
        doubtful = Optional.of(intent);
        CompletionStage<Opening> opening = payouts.isEmpty()
                ? env.intents().open(intent, env.tokensExpiredBefore(), capped, env::countsFrom)
                : env.intents().openBatch(intent, payouts, env.tokensExpiredBefore(), env::countsFrom);
        return opening.thenApplyAsync(opened -> noted(opened, intent), env.executor());
    }

    private Opening noted(Opening opening, Intent intent) {
        doubtful = Optional.empty();
        if (opening.isThere(intent)) {
            durable = Optional.of(intent);
        } else {
            sending.ifPresent(broadcast.running()::endUnopened);
            sending = Optional.empty();
        }
        return opening;
    }

    private void maySend(Intent intent) {
        if (!sending.equals(Optional.of(intent.txId()))) {
            endSending();
            sending = Optional.of(intent.txId());
            broadcast.running().begin(intent.txId());
        }
    }

    private void endSending() {
        sending.ifPresent(broadcast.running()::end);
        sending = Optional.empty();
    }

    /** Takes the spend in flight back from the spend monitor; false when it was abandoned since it was read. */
    CompletionStage<Boolean> takeBack(Intent intent) {
        return this.<Boolean>askReservations(answer -> new Reservations.TakeBack(id, intent.txId(), answer))
                .thenApplyAsync(
                        ours -> {
                            durable = ours ? Optional.of(intent) : Optional.empty();
                            return ours;
                        },
                        SAME_THREAD);
    }

    /** Takes the spend over in the store; called before sending bytes that another process may have sent. */
    CompletionStage<Adoption> adopt(Intent intent) {
        maySend(intent);
        return onExecutor(env.intents().adopt(intent.txId()));
    }

    /** Reads the spend as the store has it now. */
    CompletionStage<Optional<Intent>> find(Intent intent) {
        return onExecutor(env.intents().find(intent.txId()));
    }

    /** Records that a node has a spend that was closed. Completes when the store has decided. */
    CompletionStage<Transition> recordFound(Intent intent) {
        return onExecutor(outcomes.accepted(intent, env.clock().millis(), false));
    }

    /** Finds the outpoints that any spend in the store holds. */
    CompletionStage<Set<Outpoint>> findReserved() {
        return env.reservations()
                .all()
                .thenApplyAsync(
                        all -> all.stream().map(held -> held.coin().outpoint()).collect(Collectors.toSet()),
                        env.executor());
    }

    /** Completes after a short delay in which another process may make progress. */
    CompletionStage<Void> pause() {
        return CompletableFuture.runAsync(
                () -> {}, CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, env.executor()));
    }

    /** Asks the nodes for the location of the spend. */
    CompletionStage<Lookup.Location> locate(Intent intent) {
        return broadcast.lookup().anywhere(intent.txId());
    }

    private void takeOver(Intent intent) {
        takenOver = true;
        reservations.tell(new Reservations.TakeOver(id, intent.txId()));
    }

    /** Takes the spend over from the spend monitor and holds the same coins, for a spend whose intent may already be durable. */
    CompletionStage<Reservations.Reacquisition> retake(Intent intent) {
        takeOver(intent);
        return reacquire(intent)
                .thenApplyAsync(
                        answer -> {
                            if (answer instanceof Reservations.Reacquisition.Reacquired) {
                                doubtful = Optional.of(intent);
                            }
                            return answer;
                        },
                        SAME_THREAD);
    }

    /** Holds the same coins again. */
    CompletionStage<Reservations.Reacquisition> reacquire(Intent intent) {
        return askReservations(answer -> new Reservations.Reacquire(id, intent, answer));
    }

    /**
     * Takes the spend back from the spend monitor and reopens its intent.
     *
     * @param capped whether the allowance can refuse it
     */
    CompletionStage<Opening> reopen(Intent intent, boolean capped) {
        takeOver(intent);
        maySend(intent);
        return env.intents()
                .reopen(intent, capped, env::countsFrom)
                .thenApplyAsync(
                        opening -> noted(
                                opening,
                                intent.in(IntentState.PREPARED, "", env.clock().millis())),
                        env.executor());
    }

    /**
     * Sends the bytes to the nodes. Never fails.
     *
     * @param earlier possible earlier fate of these bytes
     */
    CompletionStage<BroadcastOutcome> send(Intent intent, Broadcast.Earlier earlier) {
        return broadcast
                .send(intent.txId(), intent.transaction(), earlier)
                .thenApplyAsync(
                        outcome -> {
                            if (!(outcome instanceof BroadcastOutcome.Accepted)) {
                                reservations.tell(new Reservations.Suspect(Optional.of(intent.from())));
                            }
                            if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
                                reservations.tell(new Reservations.SpentElsewhere(conflict.coin()));
                            }
                            return outcome;
                        },
                        SAME_THREAD);
    }

    /**
     * @param left whether a node may have the bytes
     */
    CompletionStage<Transition> recordFailure(Intent intent, IntentState state, String reason, boolean left) {
        return outcomes.failed(intent, state, reason, left);
    }

    /** Records that it cannot be determined which payment the transaction belongs to. */
    CompletionStage<Transition> recordContest(Intent intent, String reason) {
        return outcomes.contested(intent, reason);
    }

    /** Frees the coins of a spend that the store already records as failed, while this runner continues with a new spend. */
    void letGo(Intent intent) {
        durable = Optional.empty();
        endSending();
        env.metrics().ended(intent.kind(), SpendMetrics.Outcome.CONFLICTED);
        reservations.tell(new Reservations.FailRunning(id, intent.txId()));
    }

    /** Ends the spend. Even if this step fails, the caller is answered and no coin stays held. */
    private void end(Supplier<SpendResult> ending) {
        SpendResult result;
        try {
            result = ending.get();
        } catch (RuntimeException | Error e) {
            LOG.error("the end of a spend failed unexpectedly", e);
            result = failedUnexpectedly();
        }
        over = true;
        // Called after the outcome was written, so that one commit usually covers both.
        endSending();
        ended.accept(result);
    }

    private SpendResult failedUnexpectedly() {
        if (durable.isEmpty()) {
            drop();
            return new SpendResult.Failed(new IllegalStateException(UNEXPECTED));
        }
        Intent intent = durable.get();
        reservations.tell(new Reservations.HandOver(id, intent, false));
        return new SpendResult.Failed(unknown(intent, UNEXPECTED));
    }

    /** Ends with success because a node has the transaction: the caller gets the receipt, the spend monitor the intent. */
    void accepted(Intent intent, boolean holdsCoins) {
        end(() -> {
            long now = env.clock().millis();
            // The intent is durable, so the answer need not wait until the outcome is recorded: a lost outcome is
            // determined again.
            CompletionStage<?> recorded = recordAcceptance(intent, now)
                    .handleAsync((made, failure) -> failure == null ? made : notRecorded(intent, failure), SAME_THREAD);
            Intent accepted = intent.in(IntentState.ACCEPTED, "", now);
            env.metrics().ended(intent.kind(), SpendMetrics.Outcome.ACCEPTED);
            reservations.tell(new Reservations.HandOver(id, accepted, holdsCoins));
            return new SpendResult.Paid(Receipt.of(accepted), recorded);
        });
    }

    private CompletionStage<Transition> recordAcceptance(Intent intent, long now) {
        boolean mayHaveSent = sending.isPresent();
        sending = Optional.empty();
        return mayHaveSent
                ? broadcast.running().end(intent.txId(), signsOff -> outcomes.accepted(intent, now, signsOff))
                : outcomes.accepted(intent, now, false);
    }

    private static Transition notRecorded(Intent intent, Throwable failure) {
        LOG.error("the outcome of spend {} is not recorded: {}", intent.txId(), Broadcast.messageOf(failure));
        return new Transition.Stale(Optional.empty());
    }

    /** Ends with an unknown outcome and a durable intent; the spend monitor continues. */
    void inFlight(Intent intent, boolean holdsCoins, Throwable failure) {
        end(() -> {
            env.metrics().ended(intent.kind(), SpendMetrics.Outcome.UNKNOWN);
            reservations.tell(new Reservations.HandOver(id, intent, holdsCoins));
            return new SpendResult.Failed(failure);
        });
    }

    /** Ends because it is unknown whether the intent is durable. Nothing was sent, and no held coin is freed until this is known. */
    void doubtful(Intent intent, Throwable failure) {
        end(() -> {
            env.metrics().ended(intent.kind(), SpendMetrics.Outcome.UNKNOWN);
            CompletableFuture<Void> settled = new CompletableFuture<>();
            reservations.tell(new Reservations.Doubt(id, intent, settled));
            return new SpendResult.InDoubt(intent, failure, settled);
        });
    }

    /** Ends with a failure that the store already records, so that the spend is not sent again; its coins are free. */
    void failed(Intent intent, IntentState state, Throwable failure) {
        end(() -> {
            env.metrics().ended(intent.kind(), SpendMetrics.Outcome.of(state));
            reservations.tell(new Reservations.FailRunning(id, intent.txId()));
            return new SpendResult.Failed(failure);
        });
    }

    /** Ends without an outcome; frees the held coins. */
    void refused(Throwable failure) {
        end(() -> {
            drop();
            return new SpendResult.Refused(failure);
        });
    }

    void refused(SpendRefusal refusal) {
        refused(new SpendException(refusal));
    }

    /** Returns another call's spend to the spend monitor, if it was taken over from there. */
    void handBack(Intent spend) {
        if (!takenOver) {
            return;
        }
        if (spend.state().inFlight() || spend.state() == IntentState.ABANDONED) {
            reservations.tell(new Reservations.PassOn(new SpendMonitor.Watch(spend, false)));
        }
    }

    /** Ends because the token is already bound to another spend: nothing was written, and the held coins are freed. */
    void tokenTaken() {
        end(() -> {
            drop();
            return new SpendResult.TokenTaken();
        });
    }

    /** Ends with a spend that stays abandoned; the spend monitor watches its coins as before. */
    void staysAbandoned(Intent intent, Throwable failure) {
        end(() -> {
            drop();
            reservations.tell(new Reservations.PassOn(new SpendMonitor.Watch(intent, false)));
            return new SpendResult.Failed(failure);
        });
    }

    /** Ends with success because the store records by now that the spend succeeded; the process that recorded it is responsible for it. */
    void foundPaid(Intent intent) {
        end(() -> {
            drop();
            return new SpendResult.Paid(Receipt.of(intent), ALREADY_RECORDED);
        });
    }

    private void drop() {
        reservations.tell(new Reservations.Drop(id));
    }
}
