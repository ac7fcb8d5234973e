package org.chainwalletd.spend;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.GrantedPlan;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.ReturnPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;

/**
 * Entry point to spending. Actors complete every stage whether or not its caller still waits: a caller that disconnects changes nothing.
 * Stages fail with {@link SpendException}, {@link org.chainwalletd.node.NodeException}, {@link org.chainwalletd.keyring.KeyringException}
 * or {@link org.chainwalletd.store.StoreException}.
 */
public final class SpendService {
    private final SpendEnvironment env;
    private final ActorRef<Receipts.Command> receipts;
    private final ActorRef<Reservations.Command> reservations;
    private final ActorRef<SpendMonitor.Command> monitor;
    private final Simulation.Simulator simulator;
    private final RawSends raw;
    private final OwnerRebroadcasts rebroadcasts;
    private final AtomicInteger inFlightUtxos = new AtomicInteger();
    private final AtomicInteger inFlightTransfers;

    private SpendService(
            ActorContext<?> context,
            SpendMonitor.Setup monitored,
            ActorRef<SpendMonitor.Command> monitor,
            Reservations.Durable remembered) {
        this.env = monitored.env();
        this.monitor = monitor;
        Broadcast broadcast = monitored.broadcast();
        SpendMonitor.Counts counts = monitored.counts();
        this.inFlightTransfers = counts.inFlight();
        this.reservations =
                child(context, Reservations.create(env, remembered, broadcast, monitor, inFlightUtxos), "reservations");
        monitored.begin(reservations, new SpendMonitor.Known(remembered.inFlight(), remembered.unburied()));
        env.metrics().inFlight(inFlightTransfers::get, inFlightUtxos::get, counts.unburied()::get);
        env.metrics().oldest(() -> {
            long since = counts.oldest().get();
            return since == 0 ? 0 : Math.max(0, (env.clock().millis() - since) / 1_000);
        });
        this.receipts = child(context, Receipts.create(env, broadcast, reservations), "receipts");
        this.simulator = new Simulation.Simulator(env, reservations);
        this.raw = new RawSends(env, broadcast);
        this.rebroadcasts = new OwnerRebroadcasts(env.node(), broadcast, env.intents(), env.executor());
    }

    /**
     * Creates the parent of the actors that own money in flight. It loads everything that the store has in flight, then completes
     * {@code started}. It stops when one of its children fails: their state is on disk, and the next start continues from there.
     *
     * <p>The background actors are started first. While the store is stopped, nothing is removed from it: other records may have replaced
     * the known ones.
     *
     * @param background runs the actor that rebroadcasts spends in flight and follows them until they are buried
     */
    public static Behavior<Void> create(
            SpendEnvironment env, Background background, CompletableFuture<SpendService> started) {
        SpendMonitor.Setup setup = new SpendMonitor.Setup(
                env, Broadcast.of(env), new SpendMonitor.Counts(), new CompletableFuture<>(), new AtomicReference<>());
        ActorRef<SpendMonitor.Command> monitor =
                background.begin("spend-monitor", SpendMonitor.create(setup), setup::whileStopped);
        if (env.stopped().isEmpty()) {
            background.begin("forgetting", Forgetting.create(env, monitor), command -> {});
        }
        return Behaviors.<Object>setup(context -> {
                    // Starts collecting changes by other daemons; earlier ones are included in the read below.
                    env.intents().changedByOthers();
                    Outcome.pipe(context, governed(env), Reading::new);
                    return Behaviors.receive(Object.class)
                            .onMessage(
                                    Reading.class,
                                    reading -> reading.remembered()
                                            .fold(
                                                    remembered -> begin(context, setup, monitor, remembered, started),
                                                    failure -> {
                                                        started.completeExceptionally(failure);
                                                        return Behaviors.stopped();
                                                    }))
                            .build();
                })
                .narrow();
    }

    private static Behavior<Object> begin(
            ActorContext<?> context,
            SpendMonitor.Setup monitored,
            ActorRef<SpendMonitor.Command> monitor,
            Reservations.Durable remembered,
            CompletableFuture<SpendService> started) {
        try {
            started.complete(new SpendService(context, monitored, monitor, remembered));
        } catch (RuntimeException e) {
            started.completeExceptionally(e);
            throw e;
        }
        return Behaviors.empty();
    }

    private static CompletionStage<Reservations.Durable> governed(SpendEnvironment env) {
        return env.allowanceStore()
                .govern(env.limits(), env.clock(), env.chain()::tipMillis)
                .thenComposeAsync(done -> Reservations.Durable.read(env), env.executor());
    }

    private record Reading(Outcome<Reservations.Durable> remembered) {}

    /** Starts a child and watches it, so that the parent stops when the child ends unexpectedly. */
    private static <T> ActorRef<T> child(ActorContext<?> context, Behavior<T> behavior, String name) {
        ActorRef<T> child = context.spawn(behavior, name);
        context.watch(child);
        return child;
    }

    /** Builds, signs and broadcasts a payment (interface.md, section 4.7). */
    public CompletionStage<Receipt> transfer(TransferRequest request, Requester requester) {
        List<Address> destinations =
                request.payments().stream().map(Payment::to).toList();
        return whenOwned(request.from(), () -> spend(request.plan(), requester, destinations));
    }

    /** Makes a payment as {@link #transfer(TransferRequest, Requester)} does, for an unrestricted caller. */
    public CompletionStage<Receipt> transfer(TransferRequest request) {
        return transfer(request, Requester.unrestricted());
    }

    /**
     * Makes a spend like {@link #spend(SpendPlan)}, restricted to what the caller's token allows.
     *
     * @param destinations every address that is paid, except change to the paying address
     */
    public CompletionStage<Receipt> spend(SpendPlan plan, Requester requester, List<Address> destinations) {
        return spend(new GrantedPlan(plan, requester, destinations));
    }

    /** Makes a spend of any kind; the caller has checked that the key exists. */
    public CompletionStage<Receipt> spend(SpendPlan plan) {
        CompletableFuture<Receipt> answer = new CompletableFuture<>();
        receipts.tell(new Receipts.Begin(plan, answer));
        return answer;
    }

    /** Computes what {@link #transfer} would do now. Broadcasts, reserves and signs nothing. */
    public CompletionStage<Simulation> simulate(TransferRequest request) {
        return whenOwned(request.from(), () -> simulate(request.plan()));
    }

    public CompletionStage<Simulation> simulate(SpendPlan plan) {
        return simulator.simulate(plan);
    }

    /** Runs {@code then} if the daemon has the key of the address; asks the keyring only when the key is still sealed. */
    private <T> CompletionStage<T> whenOwned(Address from, Supplier<CompletionStage<T>> then) {
        if (env.signer().isAtHand(from)) {
            return then.get();
        }
        return env.signer()
                .find(from)
                .thenComposeAsync(
                        entry -> entry.isPresent()
                                ? then.get()
                                : CompletableFuture.failedFuture(
                                        new SpendException(new SpendRefusal.WalletNotFound(from))),
                        env.executor());
    }

    /**
     * Submits a signed transaction to the nodes; a transaction that they already know counts as sent. All addresses are marked suspect
     * before and after, because a mempool that was examined in between did not have the transaction yet.
     *
     * @param tokenName name of the access token of the caller
     */
    public CompletionStage<Hash256> sendRaw(Bytes transaction, String tokenName) {
        reservations.tell(new Reservations.Suspect(Optional.empty()));
        return raw.send(transaction, tokenName)
                .whenCompleteAsync(
                        (txId, failure) -> reservations.tell(new Reservations.Suspect(Optional.empty())),
                        env.executor());
    }

    /** Frees reserved outpoints and abandons the spends that held them; outpoints of a running spend stay held. */
    public CompletionStage<Abandoned> abandon(List<Outpoint> outpoints) {
        CompletableFuture<Abandoned> answer = new CompletableFuture<>();
        reservations.tell(new Reservations.Abandon(List.copyOf(outpoints), answer));
        return answer;
    }

    /** Finds the spend bound to a token that the daemon itself chose; a spend whose intent is in doubt may be missing. */
    public CompletionStage<Optional<Intent>> ofToken(String token) {
        return env.receipts().find(token, Long.MIN_VALUE);
    }

    /** Finds the payment, of any method, that a token is bound to, without an age limit, as far as the records are kept. */
    public CompletionStage<Optional<ReceiptStore.Bound>> boundTo(String token) {
        return env.receipts().bound(token, Long.MIN_VALUE);
    }

    /**
     * Like {@link #ofToken}, but after one more commit: a spend that it does not find was never sent, and no spend that an ended call left
     * in doubt can appear any more.
     */
    public CompletionStage<Optional<Intent>> ofTokenForCertain(String token) {
        return env.intents().findForCertain(Hash256.ZERO).thenComposeAsync(nothing -> ofToken(token), env.executor());
    }

    /**
     * Sends the bytes of a spend to every node that lacks it: for callers that cannot wait for the spend monitor, and for spends that the
     * monitor leaves to their owner. A confirmed spend is also sent to nodes that do not know its block, because they may not have followed
     * a reorganisation. Fails when no node has answered, and when the spend is closed without success.
     */
    public CompletionStage<OwnerRebroadcasts.Answer> push(Hash256 txId) {
        if (env.stopped().isPresent()) {
            return CompletableFuture.failedFuture(
                    StoreException.stopped(env.stopped().get()));
        }
        return known(txId).thenComposeAsync(this::push, env.executor());
    }

    private CompletionStage<Intent> known(Hash256 txId) {
        return env.intents()
                .find(txId)
                .thenApplyAsync(
                        found -> found.orElseThrow(() -> new IllegalStateException("spend " + txId + " is not known")),
                        env.executor());
    }

    private CompletionStage<OwnerRebroadcasts.Answer> push(Intent intent) {
        return intent.state().inFlight() || intent.state() == IntentState.CONFIRMED
                ? rebroadcasts.everywhere(intent)
                : CompletableFuture.failedFuture(
                        new IllegalStateException("spend " + intent.txId() + " is " + intent.state()));
    }

    /**
     * Abandons a spend in flight, regardless of which mempools have it, because another spend of the same coins replaces it: either may be
     * mined. A spend that is being sent at this moment is not abandoned. If its kind has a stand-in ({@link StandIns}), its coins stay held
     * for the stand-in.
     *
     * @return whether the spend is abandoned now
     */
    public CompletionStage<Boolean> abandon(Hash256 txId) {
        return abandon(txId, Optional.empty());
    }

    /**
     * Recalls a batch of payouts: abandons it like {@link #abandon(Hash256)}, and in the same commit makes the replacing spend of
     * {@code plan} durable with its bytes. The replacement is signed before the commit, so that a key that cannot sign leaves the batch
     * unchanged. It is sent after the commit, at the latest by the spend monitor.
     *
     * @return whether the batch is abandoned now
     */
    public CompletionStage<Boolean> recall(Hash256 batch, ReturnPlan plan) {
        plan.check();
        Draft draft = plan.draft(plan.coin(), plan.builtAtHeight());
        return env.identity()
                .genesisForSigning()
                .thenComposeAsync(
                        genesis -> env.signer()
                                .sign(
                                        plan.from(),
                                        TransactionCodec.signingMessage(env.profile(), genesis, draft.unsigned())),
                        env.executor())
                .thenComposeAsync(
                        signature -> abandon(batch, Optional.of(Spend.intentOf(env, plan, draft, List.of(signature)))),
                        env.executor());
    }

    private CompletionStage<Boolean> abandon(Hash256 txId, Optional<Intent> recall) {
        return known(txId)
                .thenComposeAsync(intent -> abandon(intent, recall), env.executor())
                .thenComposeAsync(done -> env.intents().find(txId), env.executor())
                .thenApplyAsync(
                        found -> found.filter(intent -> intent.state() == IntentState.ABANDONED)
                                .isPresent(),
                        env.executor());
    }

    private CompletionStage<Abandoned> abandon(Intent intent, Optional<Intent> recall) {
        CompletableFuture<Abandoned> answer = new CompletableFuture<>();
        reservations.tell(
                new Reservations.AbandonOne(intent.txId(), StandIns.keepsCoins(intent.kind()), recall, answer));
        return answer;
    }

    /** Reads the operator's limits and the sums that count against them, including intents of which it is unknown whether the store has them. */
    public CompletionStage<AllowanceStore.Status> allowanceStatus() {
        CompletableFuture<BigInteger> inDoubt = new CompletableFuture<>();
        reservations.tell(new Reservations.LeavingInDoubt(inDoubt));
        return inDoubt.thenCombineAsync(
                env.allowanceStore().status(), (leaving, status) -> status.plus(leaving), env.executor());
    }

    /**
     * Refuses an amount that no spend may take now, as far as this is known without reading the store.
     *
     * @throws SpendException with the same refusal as when such a spend is opened
     */
    public void requireAllowed(Amount leaving) {
        env.allowanceStore().refusal(leaving).ifPresent(exceeded -> {
            throw new SpendException(SpendRefusal.of(exceeded));
        });
    }

    /** Reads the remaining cap per period of a named token; empty when it has no cap. */
    public CompletionStage<Optional<Amount>> remainingOf(String tokenName) {
        return env.allowanceStore().remainingOf(tokenName);
    }

    /** Stored history of all spends. */
    public SpendHistory history() {
        return env.history();
    }

    /** Number of outpoints that are held or reserved. */
    public int inFlightUtxos() {
        return inFlightUtxos.get();
    }

    /** Number of spends that were broadcast and are not yet confirmed, conflicted or abandoned. */
    public int inFlightTransfers() {
        return inFlightTransfers.get();
    }

    /** Finds a spend in flight that spends from {@code address} or pays to it. */
    public CompletionStage<Optional<Hash256>> openSpendOf(Address address) {
        return env.intents().openSpendOf(address);
    }

    /** Reason why nothing is spent or rebroadcast, see {@link org.chainwalletd.store.Store#stopped}; empty in normal operation. */
    public Optional<String> stopped() {
        return env.stopped();
    }

    /** Stops accepting new spends; complete when none is running. Spends in flight continue after the next start. */
    public CompletionStage<Void> drain() {
        monitor.tell(new SpendMonitor.Drain());
        CompletableFuture<Void> answer = new CompletableFuture<>();
        receipts.tell(new Receipts.Drain(answer));
        return answer;
    }
}
