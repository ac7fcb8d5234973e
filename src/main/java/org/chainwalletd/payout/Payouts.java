package org.chainwalletd.payout;

import static org.chainwalletd.stage.Blocking.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.ReturnPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Change;
import org.chainwalletd.store.PayoutStore.Changes;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.PayoutStore.Submission;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.TokenBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Facade of the payout queue for the rest of the daemon. Thread-safe. */
public final class Payouts {
    private static final Logger LOG = LoggerFactory.getLogger(Payouts.class);

    private static final int CHECKS_UNTIL_VANISHED = 15;

    private static final int MAX_NAMED = 5;
    /** Maximum number of coins of an address that its batches choose from. */
    private static final int MAX_BATCH_COINS = 5_000;

    private final PayoutEnvironment env;
    private final PayoutQueue.View view = new PayoutQueue.View();
    private final ActorRef<PayoutQueue.Command> queue;
    /** Callers that wait for a change. */
    private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();

    /**
     * Number of consecutive checks in which none of the inputs of a batch in flight was listed, by its transaction id. Only one check runs
     * at a time.
     */
    private volatile Map<Hash256, Integer> withoutInputs = Map.of();

    private volatile List<Hash256> vanished = List.of();
    private volatile boolean ending;

    private Payouts(PayoutEnvironment env, Background background) {
        this.env = env;
        env.store().endedTokens(env.tokens()::hasEnded);
        PayoutNews news = new PayoutNews(
                env.store(),
                env.listener(),
                view::pausedElsewhere,
                env.threads().upkeep());
        this.queue = background.begin(
                "payouts", PayoutQueue.create(env, this::coins, this::maintain, view, news), command -> {
                    if (command instanceof PayoutQueue.Changed) {
                        news.changed();
                    }
                });
        news.begin();
        env.store().whenChanged(this::changed);
    }

    public static Payouts start(PayoutEnvironment env, Background background) {
        return new Payouts(env, background);
    }

    public void measure(MeterRegistry meters) {
        for (WaitingFor reason : WaitingFor.values()) {
            Supplier<Number> count = () -> view.count(reason);
            Gauge.builder("walletd.payouts.waiting", count)
                    .description("Queued payouts by what they wait for")
                    .tag("for", reason.word())
                    .register(meters);
        }
        Supplier<Number> age = () -> {
            long oldest = view.oldest();
            return oldest == 0 ? 0 : Math.max(0, (env.clock().millis() - oldest) / 1_000);
        };
        Gauge.builder("walletd.payouts.oldest.seconds", age)
                .description("Age of the oldest queued payout")
                .register(meters);
        Supplier<Number> gone = () -> vanished.size();
        Gauge.builder("walletd.payouts.batches.without.inputs", gone)
                .description("Batches in flight whose inputs have all vanished from the chain")
                .register(meters);
    }

    /** Reason why the queue needs the operator's attention; empty for none. */
    public Optional<String> complaint() {
        List<Hash256> gone = vanished;
        if (gone.isEmpty() || !view.isRunning()) {
            return Optional.empty();
        }
        String named = gone.stream().limit(MAX_NAMED).map(Hash256::hex).collect(Collectors.joining(", "));
        if (gone.size() == 1) {
            return Optional.of("the inputs of the payout batch " + named + " have all vanished from the chain");
        }
        int others = gone.size() - MAX_NAMED;
        return Optional.of("the inputs of " + gone.size() + " payout batches have all vanished from the chain: " + named
                + (others > 0 ? " and " + others + " more" : ""));
    }

    /** Ends open waits with their ordinary answer. */
    public CompletionStage<Void> endWaits() {
        ending = true;
        wake();
        return CompletableFuture.completedFuture(null);
    }

    private void changed() {
        queue.tell(new PayoutQueue.Changed());
        wake();
    }

    private void wake() {
        for (CompletableFuture<Void> each : waiting) {
            if (waiting.remove(each)) {
                each.completeAsync(() -> null, env.executor());
            }
        }
    }

    /** Condition that a queued payout waits for; empty when it is about to be paid. */
    public Optional<WaitingFor> waitsFor(Payout payout) {
        return view.of(payout);
    }

    /** Confirmations of a payout's block on the followed chain. */
    public long confirmations(Payout payout) {
        return payout.height().isEmpty()
                ? 0
                : env.tip()
                        .get()
                        .map(tip -> Math.max(0, tip.height() - payout.height().getAsLong() + 1))
                        .orElse(0L);
    }

    /** Checks of payouts with new ids; its methods throw the refusal. */
    public interface Admission {
        /** Paying addresses, in order and without duplicates. */
        List<Address> from();

        void requireAllowed(Order order, List<Address> from);
    }

    /**
     * Submits payouts; refused as a whole with {@link RefusedException} or {@link SpendException}. Error -32020 means that they may have
     * been submitted, which repeating the same call determines. A refusal of a single payout counts only when its id is not bound yet: a
     * payout that was accepted before keeps its answer.
     */
    public CompletionStage<List<Payout>> submit(List<Order> orders, Admission admission, Optional<String> owner) {
        Map<String, RuntimeException> objections = new LinkedHashMap<>();
        List<Address> from = judged(orders, admission, objections);
        if (objections.isEmpty()) {
            return enter(orders, from, owner);
        }
        return env.store()
                .firstUnbound(List.copyOf(objections.keySet()))
                .thenComposeAsync(
                        unbound -> unbound.isPresent()
                                ? CompletableFuture.failedFuture(objections.get(unbound.get()))
                                : enter(orders, from, owner),
                        env.executor());
    }

    /**
     * @return paying addresses; empty when they are refused, and with them every payout
     */
    private List<Address> judged(List<Order> orders, Admission admission, Map<String, RuntimeException> objections) {
        List<Address> from;
        try {
            from = admission.from();
        } catch (RefusedException | SpendException e) {
            orders.forEach(order -> objections.put(order.payoutId(), e));
            return List.of();
        }
        for (Order order : orders) {
            try {
                admission.requireAllowed(order, from);
                requirePayable(order);
            } catch (RefusedException | SpendException e) {
                objections.putIfAbsent(order.payoutId(), e);
            }
        }
        return from;
    }

    private CompletionStage<List<Payout>> enter(List<Order> orders, List<Address> from, Optional<String> owner) {
        return env.store()
                .submit(orders, from, owner, env.rules().most(), env.clock().millis())
                .exceptionallyComposeAsync(
                        failure -> CompletableFuture.failedFuture(mayBeQueued(Causes.of(failure))), env.executor())
                .thenComposeAsync(
                        submission -> submission instanceof Submission.Taken taken
                                ? refused(taken, owner)
                                : CompletableFuture.completedFuture(accepted(submission)),
                        env.executor());
    }

    private static Throwable mayBeQueued(Throwable failure) {
        return failure instanceof StoreException store && store.reason() == StoreException.Reason.UNKNOWN
                ? new RefusedException(
                        ErrorCode.UPSTREAM,
                        "whether the payouts are queued is unknown: call again with the same payout ids, each is paid once ("
                                + store.getMessage() + ")")
                : failure;
    }

    private void requirePayable(Order order) {
        if (order.amount().isLessThan(ChainProfile.DUST_THRESHOLD)) {
            throw new SpendException(new SpendRefusal.DustOutput(order.amount(), ChainProfile.DUST_THRESHOLD));
        }
        Amount leaving = leastLeaving(order);
        requireUnder("per_tx", env.rules().limits().perTransaction(), leaving);
        requireUnder("per_period", env.rules().limits().perPeriod(), leaving);
    }

    /** Fee, in base units, of the smallest batch that contains the payout, with marked change. */
    private Amount cheapest(Order order) {
        return env.rules()
                .fee()
                .feeOf(TxShape.EMPTY
                        .plusOutput(order.output())
                        .plusPlainInputs(1)
                        .plusPlainOutputs(1)
                        .plusDatum(Drawing.MARK_LENGTH));
    }

    /**
     * Returns the minimum amount that leaves an address when the payout is paid.
     *
     * @throws RefusedException -32602 when it is above the maximum of an amount
     */
    public Amount leastLeaving(Order order) {
        Amount fee = cheapest(order);
        if (Amount.MAX.minus(order.amount()).isLessThan(fee)) {
            throw RefusedException.invalidParams(
                    "`amount` of payout " + order.payoutId() + " leaves no room for the fee below 2^64");
        }
        return order.amount().plus(fee);
    }

    private void requireUnder(String scope, Optional<Amount> limit, Amount leaving) {
        limit.filter(most -> most.isLessThan(leaving)).ifPresent(most -> {
            throw new SpendException(new SpendRefusal.AllowanceExceeded(new Opening.CapExceeded(
                    scope,
                    most,
                    Amount.ZERO,
                    leaving,
                    most,
                    env.rules().limits().period().toSeconds())));
        });
    }

    /**
     * Data of error -32035 about a payout.
     *
     * @param txId transaction of the payment whose token equals the id, or the newest one of another owner's payout
     * @param boundTo name of the access token that bound the id, when it differs from the caller's
     */
    public record IdTaken(String payoutId, long index, Optional<Hash256> txId, Optional<String> boundTo) {
        public IdTaken(String payoutId, long index, Optional<Hash256> txId) {
            this(payoutId, index, txId, Optional.empty());
        }
    }

    private static List<Payout> accepted(Submission submission) {
        if (submission instanceof Submission.Full full) {
            throw RefusedException.tooManyRequests(
                    full.unfinished() + " payouts are unfinished, at most " + full.most()
                            + " may be (--payout-queue-max)",
                    1);
        }
        return ((Submission.Accepted) submission).payouts();
    }

    private <T> CompletionStage<T> refused(Submission.Taken taken, Optional<String> caller) {
        return boundBy(taken, caller)
                .thenComposeAsync(
                        by -> CompletableFuture.failedFuture(new RefusedException(
                                ErrorCode.IDEMPOTENCY_CONFLICT,
                                "payout_id " + taken.payoutId() + " " + words(taken),
                                data(taken, by))),
                        env.executor());
    }

    /** Finds out whether a different access token has bound the id, to a payout or to a payment of another method. */
    private CompletionStage<Optional<SpendRefusal.BoundBy>> boundBy(Submission.Taken taken, Optional<String> caller) {
        if (taken.other().isPresent()) {
            Payout payout = taken.other().get();
            return CompletableFuture.completedFuture(
                    SpendRefusal.BoundBy.other(caller, payout.owner(), newest(payout)));
        }
        return env.spending()
                .boundTo(taken.payoutId())
                .handleAsync(
                        (bound, failure) -> failure == null
                                ? bound.flatMap(each -> SpendRefusal.BoundBy.other(
                                        caller, each.tokenName().flatMap(Grant::ownerOf), taken.txId()))
                                : Optional.empty(),
                        env.executor());
    }

    private static String words(Submission.Taken taken) {
        if (taken.txId().isPresent()) {
            return "is the client_token of another payment";
        }
        return taken.other().isPresent()
                ? "stands for another payout"
                : "stands for another payout of this call, for a sweep or for a payment of evm_send_native";
    }

    private static IdTaken data(Submission.Taken taken, Optional<SpendRefusal.BoundBy> by) {
        return new IdTaken(
                taken.payoutId(),
                taken.index(),
                by.isPresent() ? by.get().txId() : taken.txId(),
                by.map(SpendRefusal.BoundBy::name));
    }

    private static Optional<Hash256> newest(Payout payout) {
        List<Hash256> attempts = payout.attempts();
        return attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.get(attempts.size() - 1));
    }

    public CompletionStage<Optional<Payout>> find(String payoutId) {
        return env.store().find(payoutId);
    }

    /** Lists payouts in the order of submission; with {@code waits}, only queued ones that wait for that condition. */
    public CompletionStage<List<Payout>> list(Optional<State> state, Optional<WaitingFor> waits, long after, int most) {
        if (waits.isEmpty()) {
            return env.store().list(state, after, most);
        }
        if (!view.knows(waits.get())) {
            return CompletableFuture.failedFuture(Background.stopped());
        }
        return view.hasAnyFor(waits.get())
                ? Work.on(env.threads().calls(), () -> filtered(waits.get(), after, most))
                : CompletableFuture.completedFuture(List.of());
    }

    private List<Payout> filtered(WaitingFor waits, long after, int most) {
        List<Payout> found = new ArrayList<>();
        long last = after;
        boolean more = true;
        while (more) {
            List<Payout> page = await(env.store().list(Optional.of(State.QUEUED), last, PayoutStore.MOST_AT_ONCE));
            page.stream()
                    .filter(payout -> view.of(payout).equals(Optional.of(waits)))
                    .limit(most - found.size())
                    .forEach(found::add);
            more = found.size() < most && page.size() == PayoutStore.MOST_AT_ONCE;
            last = more ? page.get(page.size() - 1).number() : last;
        }
        return found;
    }

    /**
     * Reads changes after a position; waits for the first one.
     *
     * @param gone completes when the caller no longer wants the answer
     */
    public CompletionStage<Changes> changes(Position after, int most, Duration maxWait, CompletionStage<Void> gone) {
        long end = System.nanoTime() + maxWait.toNanos();
        return changes(after, most, end, gone);
    }

    private CompletionStage<Changes> changes(Position after, int most, long end, CompletionStage<Void> gone) {
        // Registers before it reads, so that no change is missed between the two.
        CompletableFuture<Void> change = new CompletableFuture<>();
        waiting.add(change);
        return env.store()
                .changes(after, most)
                .handleAsync(
                        (read, failure) -> {
                            long left = end - System.nanoTime();
                            boolean answered = failure != null
                                    || !read.payouts().isEmpty()
                                    || left <= 0
                                    || ending
                                    || gone.toCompletableFuture().isDone();
                            if (answered) {
                                waiting.remove(change);
                                return failure == null
                                        ? CompletableFuture.completedFuture(read)
                                        : CompletableFuture.<Changes>failedFuture(failure);
                            }
                            return awaited(change, left, gone)
                                    .thenComposeAsync(any -> changes(read.next(), most, end, gone), env.executor());
                        },
                        env.executor())
                .thenComposeAsync(Function.identity(), env.executor());
    }

    private CompletableFuture<Void> awaited(CompletableFuture<Void> change, long nanos, CompletionStage<Void> gone) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        over.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
        change.thenRunAsync(() -> over.complete(null), env.executor());
        gone.thenRunAsync(() -> over.complete(null), env.executor());
        return over.thenRunAsync(() -> waiting.remove(change), env.executor());
    }

    /** Finds the id of a payout that is not in flight yet and that this address may pay. */
    public CompletionStage<Optional<String>> waitingFrom(Address address) {
        return env.store().waitingFrom(address);
    }

    public CompletionStage<Change> cancel(List<String> payoutIds, Claimant claimant) {
        return env.store().cancel(payoutIds, claimant, env.clock().millis());
    }

    public CompletionStage<Change> release(List<String> payoutIds, Claimant claimant) {
        return env.store().release(payoutIds, claimant, env.clock().millis());
    }

    /** Pauses or resumes the queue: once this is complete, no batch is opened, or batches are opened again. */
    public CompletionStage<Void> pause(boolean paused) {
        return env.store().pause(paused);
    }

    /**
     * Batch and the transaction that replaces it.
     *
     * @param recall id of the replacing transaction
     */
    public record Recall(Hash256 batch, Hash256 recall) {}

    /**
     * Recalls a batch: one commit abandons it and makes the exact bytes durable of the transaction that spends one of its inputs back to
     * its address. From then on the batch is not sent again; the chain decides which of the two is mined. A recall that was closed because
     * its batch had won is sent again when a reorganisation has removed the batch from the chain.
     *
     * @param fee fee of the recall; a recall that was decided before keeps its own
     */
    public CompletionStage<Recall> recall(Hash256 txId, FeeChoice fee) {
        return Work.on(env.threads().calls(), () -> recalled(txId, fee));
    }

    private Recall recalled(Hash256 txId, FeeChoice fee) {
        Intent batch = recallable(txId, await(env.intents().find(txId)));
        Optional<Intent> earlier = recallOf(batch);
        Intent recall = earlier.isPresent() ? reopenIfClosed(batch, earlier.get()) : decided(batch, cost(fee));
        send(recall);
        return new Recall(txId, recall.txId());
    }

    private Optional<Intent> recallOf(Intent batch) {
        return await(env.spending().ofTokenForCertain(StandIns.recallToken(batch.txId())));
    }

    private static Amount cost(FeeChoice fee) {
        try {
            return ReturnPlan.fee(fee);
        } catch (ArithmeticException e) {
            throw RefusedException.invalidParams("`fee_rate` makes a fee that no amount holds");
        }
    }

    /** Refuses a recall with an excessive fee, or one that none of the batch's coins can pay. */
    private static void requireCost(Intent batch, Amount cost) {
        if (TransferRequest.DEFAULT_MAX_FEE.isLessThan(cost)) {
            throw RefusedException.invalidParams(
                    "`fee_rate` makes a fee of " + cost + ", a recall pays at most " + TransferRequest.DEFAULT_MAX_FEE);
        }
        if (payable(batch, cost).findAny().isEmpty()) {
            throw RefusedException.invalidParams(
                    "no input of the batch " + batch.txId() + " can pay a fee of " + cost + " and leave a coin");
        }
    }

    private static Stream<Coin> payable(Intent batch, Amount cost) {
        return batch.inputs().stream().filter(coin -> !coin.value().isLessThan(cost.plus(ChainProfile.DUST_THRESHOLD)));
    }

    private static Intent recallable(Hash256 txId, Optional<Intent> found) {
        Intent batch = found.filter(intent -> intent.kind().equals(StandIns.PAYOUT_BATCH))
                .orElseThrow(() -> RefusedException.invalidParams(txId + " is no batch of payouts"));
        if (batch.state() == IntentState.CONFIRMED) {
            throw RefusedException.invalidParams("the batch " + txId + " is in a block");
        }
        if (batch.state() == IntentState.CONFLICTED) {
            throw RefusedException.invalidParams("the batch " + txId + " has lost, its payouts are queued again");
        }
        return batch;
    }

    /** Decides the recall of a batch: only what is durable afterwards is sent. */
    private Intent decided(Intent batch, Amount cost) {
        requireCost(batch, cost);
        // A recall at the minimum fee is always available, and no cap refuses it; a higher fee counts as spending.
        if (ReturnPlan.fee(FeeChoice.MINIMUM).isLessThan(cost)) {
            env.spending().requireAllowed(cost);
        }
        Set<Outpoint> there =
                await(env.coins().unspent(batch.from(), outpoints(batch))).orElse(Set.of());
        await(env.spending().recall(batch.txId(), plan(batch, onChain(batch, there, cost), cost)));
        return recallOf(batch)
                .orElseThrow(() -> RefusedException.tooManyRequests(
                        "the batch " + batch.txId() + " is being sent at this moment", 1));
    }

    /** Reopens a recall that was closed, with the same bytes, as for a caller that repeats a token. */
    private Intent reopenIfClosed(Intent batch, Intent recall) {
        if (!recall.state().failed()) {
            return recall;
        }
        Coin coin = recall.inputs().get(0);
        try {
            if (await(env.coins().unspent(batch.from(), Set.of(coin.outpoint())))
                    .filter(there -> !there.isEmpty())
                    .isEmpty()) {
                throw notOnChain(batch);
            }
            await(env.spending().spend(plan(batch, coin, Receipt.of(recall).fee())));
        } catch (RuntimeException failure) {
            // A recall that is in flight despite the failure is reopened.
            return recallOf(batch).filter(intent -> !intent.state().failed()).orElseThrow(() -> failure);
        }
        return recallOf(batch).orElseThrow();
    }

    /** Largest input of a batch that is on the chain and can pay for the recall. */
    private static Coin onChain(Intent batch, Set<Outpoint> there, Amount cost) {
        return payable(batch, cost)
                .filter(input -> there.contains(input.outpoint()))
                .max(Comparator.comparing(Coin::value))
                .orElseThrow(() -> notOnChain(batch));
    }

    private static RefusedException notOnChain(Intent batch) {
        return RefusedException.tooManyRequests(
                "no input of the batch " + batch.txId()
                        + " that can pay the recall is on the chain at this moment; the batch stays as it is",
                30);
    }

    private static Set<Outpoint> outpoints(Intent batch) {
        return batch.inputs().stream().map(Coin::outpoint).collect(Collectors.toSet());
    }

    private static ReturnPlan plan(Intent batch, Coin coin, Amount cost) {
        return new ReturnPlan(
                StandIns.PAYOUT_RECALL,
                batch.from(),
                coin,
                cost,
                batch.builtAtHeight(),
                Optional.of(new TokenBinding(
                        StandIns.recallToken(batch.txId()),
                        Hash256.sha256(batch.txId().toArray()))));
    }

    /** Sends a recall at once. Its outcome is in the store; a recall that a node refuses stays in flight like any other spend. */
    private void send(Intent recall) {
        if (!recall.state().inFlight()) {
            return;
        }
        try {
            await(env.spending().push(recall.txId()));
        } catch (RuntimeException e) {
            LOG.info("recall {} was not sent: {}", recall.txId(), e.toString());
        }
    }

    /** Coins of an address that a batch may spend: deep enough, or its own change. */
    private CompletionStage<BatchPlan.Coins> coins(Address address) {
        return Work.on(env.threads().upkeep(), () -> readCoins(address));
    }

    private BatchPlan.Coins readCoins(Address address) {
        NodeClient.UtxoListing listing = await(env.coins().spendable(address, MAX_BATCH_COINS))
                .orElseThrow(() -> new BatchPlan.NotCoveredException(address));
        Set<Hash256> shallow = listing.utxos().stream()
                .filter(utxo -> !isDeep(utxo, listing.tipHeight()))
                .map(utxo -> utxo.outpoint().txId())
                .collect(Collectors.toSet());
        Set<Hash256> own = new SpendableChange(env, address, listing.tipHeight()).among(shallow);
        List<NodeClient.Utxo> usable = listing.utxos().stream()
                .filter(utxo -> isDeep(utxo, listing.tipHeight())
                        || own.contains(utxo.outpoint().txId()))
                .toList();
        return new BatchPlan.Coins(usable, listing.utxos().size(), listing.tipHeight());
    }

    private static boolean isDeep(NodeClient.Utxo utxo, long tip) {
        return SpendableChange.isDeep(utxo.height(), tip);
    }

    private CompletionStage<Void> maintain(Set<String> ended) {
        return Work.on(env.threads().upkeep(), () -> {
            if (!ended.isEmpty()) {
                await(env.store().holdEnded(ended, env.clock().millis()));
            }
            await(env.store().unrecalled()).forEach(this::finishRecall);
            checkInputs(await(env.intents().inFlight()));
            return null;
        });
    }

    /**
     * Recalls a batch that a restore has abandoned because another batch carries the same payouts, or whose recall was closed before a
     * reorganisation. A batch that cannot be recalled does not block the others.
     */
    private void finishRecall(Hash256 batch) {
        try {
            recalled(batch, FeeChoice.MINIMUM);
        } catch (RuntimeException e) {
            LOG.info("batch {} is not recalled yet: {}", batch, e.toString());
        }
    }

    private void checkInputs(List<Intent> open) {
        // An abandoned batch waits for its recall, which may have taken its only input.
        List<Intent> batches = open.stream()
                .filter(intent -> intent.kind().equals(StandIns.PAYOUT_BATCH)
                        && intent.state().inFlight())
                .toList();
        // Asked once per address: the time of an answer grows with the number of the address's coins.
        Map<Address, Set<Outpoint>> inputs = new HashMap<>();
        batches.forEach(batch ->
                inputs.computeIfAbsent(batch.from(), none -> new HashSet<>()).addAll(outpoints(batch)));
        Map<Address, Optional<Set<Outpoint>>> unspent = new HashMap<>();
        inputs.forEach(
                (address, wanted) -> unspent.put(address, await(env.coins().unspent(address, wanted))));
        noteVanished(batches, unspent);
    }

    /**
     * Counts the batches in flight none of whose inputs is on the chain any more, and warns of those for which this persists. A batch that
     * was just mined is still in flight for some checks.
     *
     * @param unspent inputs of the batches of each address that are on the chain; empty when the books cannot tell
     */
    private void noteVanished(List<Intent> batches, Map<Address, Optional<Set<Outpoint>>> unspent) {
        Map<Hash256, Integer> missing = new HashMap<>();
        for (Intent batch : batches) {
            Optional<Set<Outpoint>> there = unspent.get(batch.from());
            if (there.filter(found -> Collections.disjoint(found, outpoints(batch)))
                    .isPresent()) {
                missing.put(batch.txId(), withoutInputs.getOrDefault(batch.txId(), 0) + 1);
            }
        }
        withoutInputs = missing;
        List<Hash256> gone = missing.entrySet().stream()
                .filter(entry -> entry.getValue() >= CHECKS_UNTIL_VANISHED)
                .map(Map.Entry::getKey)
                .sorted(Comparator.comparing(Hash256::hex))
                .toList();
        List<Hash256> before = vanished;
        gone.stream()
                .filter(txId -> !before.contains(txId))
                .forEach(txId -> LOG.warn("the inputs of payout batch {} have all vanished from the chain", txId));
        vanished = gone;
    }
}
