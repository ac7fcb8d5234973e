package org.chainwalletd.sweep;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.OwnCoins;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.Beginning;
import org.chainwalletd.store.SweepStore.Order;
import org.chainwalletd.store.SweepStore.OwnedCoin;
import org.chainwalletd.store.SweepStore.Part;
import org.chainwalletd.store.SweepStore.PartSpend;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.SweepStore.State;
import org.chainwalletd.store.SweepStore.Sweep;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps from the call to the last spend.
 *
 * <p>A call with a new token takes every spendable coin that the books list for the addresses, cuts them into parts of at most
 * {@value #MAX_INPUTS} coins, and writes all of this in one commit. From then on it does not change: the {@link Sweeper}, which is
 * background work, makes one spend for each part, {@link SweepPlan}, and only one transaction is possible for a part. A repeated call with
 * the token continues with the same parts and reports their states. So each coin is moved at most once, regardless of crashes in between.
 *
 * <p>Thread-safe.
 */
public final class Sweeps {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeps.class);

    public static final int MAX_ADDRESSES = 10_000;
    /** Maximum number of coins of one sweep; further coins are left over for the next one. */
    public static final int MAX_COINS = 10_000;
    /** Maximum number of an address's coins that a sweep takes or reports as left over. */
    private static final int MAX_LISTED = 100_000;

    static final int MAX_INPUTS = 100;
    /** Maximum number of parts of one sweep: each look at a part reads all of them. A small {@code max_fee} would allow one per coin. */
    private static final int MAX_PARTS = 1_000;
    /** Minimum of {@code min_value}, in base units: a smaller coin costs more as an input than it is worth. */
    public static final Amount MIN_VALUE = Amount.of(61);
    /** Parts sent per minute and node; leaves two thirds of a node's quota to other payments. */
    private static final int PARTS_PER_MINUTE = 20;
    /** Number of blocks after which a part that was never sent, and lacks a coin, ends as conflicted. */
    private static final int MISSING_DEPTH = 6;
    /** Maximum time that a call waits for its parts to be sent. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * Services and settings that sweeps use.
     *
     * @param profile chain profile, for transaction ids
     * @param isOurs whether the daemon has the key of an address
     * @param nodes number of nodes that can be paid through now
     * @param hasEnded whether nothing more is paid for a token, by its name or {@link PayoutStore#CLASSIC}
     * @param pause delay before a part that could not be sent is tried again
     * @param threads threads that wait for the store, the books and spends
     */
    public record Environment(
            ChainProfile profile,
            SweepStore store,
            ReservationStore reservations,
            SpendService spending,
            OwnCoins coins,
            Predicate<Address> isOurs,
            IntSupplier nodes,
            Predicate<String> hasEnded,
            Duration pause,
            Clock clock,
            Threads threads) {}

    /**
     * Threads that wait for the store, the books and spends, none of which may depend on these threads.
     *
     * @param calls for callers, of which there may be many, waiting for a long time
     * @param reads for callers that only read, so that they delay no sweep
     * @param parts for the background work, one look at a time
     */
    public record Threads(Executor calls, Executor reads, Executor parts) {}

    /**
     * Requested sweep.
     *
     * @param digest digest of the parameters as given in the call
     * @param from resolved only when the token is new; may refuse
     * @param maxFee maximum fee of each transaction
     */
    public record Request(
            String clientToken,
            Optional<String> owner,
            Hash256 digest,
            Supplier<List<Address>> from,
            Address to,
            Optional<Amount> maxFee,
            Amount minValue,
            Optional<String> memo) {
        private Order order(List<Address> addresses) {
            return new Order(clientToken, owner, digest, addresses, to, minValue, memo);
        }

        /** Omits the memo, which must not be logged. */
        @Override
        public String toString() {
            return "Request[clientToken=" + clientToken + ", to=" + to + "]";
        }
    }

    /** Reasons why a coin is not moved. */
    public enum LeftOver {
        /** Arrived after the coins were fixed, or exceeded the maximum number of coins or parts. */
        LATER,
        /** Costs more than it is worth, is below the requested minimum, or would leave dust. */
        TOO_SMALL,
        /** Held by another spend, or planned by another sweep. */
        HELD,
        OF_FAILED_PART
    }

    /** Number and sum of the coins that are left for one reason. */
    public record Rest(long count, Amount amount) {}

    /**
     * State of a sweep.
     *
     * @param waiting reasons why parts are not sent yet, by part number
     * @param others spends with the same transaction as a part without its own spend, by part number
     * @param leftOver empty while the books do not know the coins of every address
     */
    public record Report(
            Sweep sweep,
            Map<Integer, String> waiting,
            Map<Integer, PastSpend> others,
            Optional<Map<LeftOver, Rest>> leftOver) {}

    private final Environment env;
    private final ActorRef<Sweeper.Command> sweeper;
    /** Reasons why parts wait, by the sweep's token and the part's number; written by the {@link Sweeper}. */
    private final Map<String, Map<Integer, String>> waiting = new ConcurrentHashMap<>();

    private Sweeps(Environment env, Background background) {
        this.env = env;
        this.sweeper = background.begin("sweeps", Sweeper.create(this), command -> {
            if (command instanceof Sweeper.Continue resume) {
                resume.settled().complete(null);
            }
        });
    }

    /** Starts, continuing with unfinished sweeps of an earlier run. */
    public static Sweeps start(Environment env, Background background) {
        return new Sweeps(env, background);
    }

    /** Finds the token of a sweep that still needs the key of an address. */
    public CompletionStage<Optional<String>> unfinishedFrom(Address address) {
        return env.store().unfinishedFrom(address);
    }

    /**
     * Begins a sweep, or continues the one that the token is bound to, and reports its state once its parts are sent or wait.
     *
     * @param gone completes when the caller no longer wants the answer
     */
    public CompletionStage<Report> sweep(Request request, CompletionStage<Void> gone) {
        return Work.on(env.threads().calls(), () -> mayContinue(request))
                .thenComposeAsync(
                        mayContinue -> mayContinue
                                ? settled(request.clientToken(), gone)
                                : CompletableFuture.completedFuture(null),
                        env.threads().calls())
                .thenApplyAsync(
                        done -> report(request.clientToken()), env.threads().calls());
    }

    /** Returns the progress of the sweep of a token without changing anything; empty when no sweep has the token. */
    public CompletionStage<Optional<Report>> find(String clientToken) {
        return Work.on(
                env.threads().reads(),
                () -> await(env.store().find(clientToken)).map(this::report));
    }

    /**
     * Ends a sweep: parts without a spend never get one, parts with a spend continue, and a repeated call sends nothing of it again. Empty
     * when no sweep has the token.
     */
    public CompletionStage<Optional<Report>> stop(String clientToken) {
        return Work.on(
                env.threads().calls(),
                () -> await(env.store().stop(clientToken)).map(this::report));
    }

    private Sweep begin(Request request) {
        // Coins at the destination need not be moved.
        List<Address> from = request.from().get().stream()
                .distinct()
                .filter(address -> !address.equals(request.to()))
                .toList();
        List<OwnedCoin> free = holdings(from).free();
        Beginning beginning = await(env.store()
                .begin(
                        request.order(from),
                        new Cutter(env.profile(), request, free, mostInputs(request)),
                        env.clock().millis()));
        if (beginning instanceof Beginning.Begun begun) {
            return begun.sweep();
        }
        if (beginning instanceof Beginning.Taken taken) {
            throw taken(request, taken.other());
        }
        // Listed again: another payment may have taken the coins since.
        throw nothingToSweep(holdings(from));
    }

    /**
     * @param other sweep that has the token; empty when another payment has it
     */
    private static SpendException taken(Request request, Optional<Sweep> other) {
        return new SpendException(new SpendRefusal.TokenConflict(
                request.clientToken(),
                other.flatMap(sweep -> SpendRefusal.BoundBy.other(
                        request.owner(), sweep.order().owner(), Optional.empty()))));
    }

    /** Coins of addresses, divided by whether they can be spent. */
    private record Holdings(List<OwnedCoin> free, Map<LeftOver, List<Coin>> others) {
        static Holdings none() {
            return new Holdings(new ArrayList<>(), new EnumMap<>(LeftOver.class));
        }

        /** Moves free coins that spends hold to the others. */
        Holdings without(Set<Outpoint> held) {
            free.removeIf(each -> {
                boolean isHeld = held.contains(each.coin().outpoint());
                if (isHeld) {
                    add(others, LeftOver.HELD, each.coin());
                }
                return isHeld;
            });
            return this;
        }
    }

    /** Reads the reservations after listing the coins, so that a planned coin whose spend was opened in between counts as held. */
    private Holdings holdings(List<Address> addresses) {
        Holdings found = Holdings.none();
        for (Address address : addresses) {
            NodeClient.UtxoListing listing = listing(address, env.coins().spendable(address, MAX_LISTED));
            for (NodeClient.Utxo utxo : listing.utxos()) {
                Coin coin = new Coin(utxo.outpoint(), utxo.value());
                if (env.reservations().isPlannedByOther(coin.outpoint(), Optional.empty())) {
                    add(found.others(), LeftOver.HELD, coin);
                } else {
                    found.free().add(new OwnedCoin(address, coin));
                }
            }
        }
        return found.without(outpoints(await(env.reservations().all())));
    }

    private static Set<Outpoint> outpoints(List<ReservationStore.Reservation> held) {
        Set<Outpoint> outpoints = new HashSet<>();
        held.forEach(each -> outpoints.add(each.coin().outpoint()));
        return outpoints;
    }

    private static NodeClient.UtxoListing listing(
            Address address, CompletionStage<Optional<NodeClient.UtxoListing>> listed) {
        return await(listed)
                .orElseThrow(() -> new StoreException(
                        StoreException.Reason.BUSY,
                        "the daemon's own books do not cover " + address + " yet, or are behind the nodes; try again",
                        null));
    }

    private static void add(Map<LeftOver, List<Coin>> rest, LeftOver reason, Coin coin) {
        rest.computeIfAbsent(reason, none -> new ArrayList<>()).add(coin);
    }

    /**
     * Cuts coins into parts of nearly equal size; coins of one address are adjacent.
     *
     * @param most maximum number of inputs of a transaction
     */
    private record Cutter(ChainProfile profile, Request request, List<OwnedCoin> free, int most)
            implements SweepStore.Cutter {
        /** Maximum number of base units that a part pays above the minimum fee in order to differ from other transactions of its coins. */
        private static final Amount MAX_ABOVE = Amount.of(100);

        @Override
        public List<Part> cut(Predicate<Outpoint> taken) {
            List<OwnedCoin> coins = free.stream()
                    .filter(each -> !each.coin().value().isLessThan(request.minValue()))
                    .filter(each -> !taken.test(each.coin().outpoint()))
                    .sorted(Comparator.comparing((OwnedCoin each) -> each.coin().value())
                            .reversed())
                    .limit(Math.min(MAX_COINS, MAX_PARTS * most))
                    .sorted(Comparator.comparing(
                            (OwnedCoin each) -> each.owner().hex()))
                    .toList();
            int count = (coins.size() + most - 1) / most;
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                List<OwnedCoin> ofPart = coins.subList(
                        (int) ((long) coins.size() * i / count), (int) ((long) coins.size() * (i + 1) / count));
                Part part =
                        new Part(parts.size(), SweepPlan.shape(ofPart.size()).minimumFee(), ofPart);
                if (isPayable(part)) {
                    parts.add(part);
                }
            }
            return parts;
        }

        private static boolean isPayable(Part part) {
            BigInteger sum = SweepPlan.sum(part.coins());
            return sum.bitLength() <= Long.SIZE
                    && sum.subtract(part.fee().toBigInteger()).compareTo(ChainProfile.DUST_THRESHOLD.toBigInteger())
                            >= 0;
        }

        @Override
        public Hash256 txId(Part part) {
            return TransactionCodec.txId(profile, SweepPlan.unsigned(request.to(), part));
        }

        /** Rebuilds the part with a fee that is one base unit higher. */
        @Override
        public Optional<Part> otherwise(Part part) {
            Amount fee = part.fee().plus(Amount.of(1));
            Amount most = SweepPlan.shape(part.coins().size()).minimumFee().plus(MAX_ABOVE);
            Part other = new Part(part.number(), fee, part.coins());
            boolean allowed = !most.isLessThan(fee)
                    && request.maxFee().filter(max -> max.isLessThan(fee)).isEmpty()
                    && isPayable(other);
            return allowed ? Optional.of(other) : Optional.empty();
        }
    }

    /** Maximum number of inputs of one transaction. */
    private static int mostInputs(Request request) {
        if (request.maxFee().isEmpty()) {
            return MAX_INPUTS;
        }
        Amount maxFee = request.maxFee().get();
        int most = MAX_INPUTS;
        while (most > 0 && maxFee.isLessThan(SweepPlan.shape(most).minimumFee())) {
            most--;
        }
        if (most == 0) {
            throw new SpendException(
                    new SpendRefusal.FeeTooHigh(SweepPlan.shape(1).minimumFee(), maxFee));
        }
        return most;
    }

    private static SpendException nothingToSweep(Holdings holdings) {
        List<Coin> held = holdings.others().getOrDefault(LeftOver.HELD, List.of());
        List<Coin> free = holdings.free().stream().map(OwnedCoin::coin).toList();
        Amount needed = ChainProfile.DUST_THRESHOLD.plus(SweepPlan.shape(1).minimumFee());
        return new SpendException(new SpendRefusal.Shortage(needed, free, held, false, false).refusal(!held.isEmpty()));
    }

    private static Rest rest(List<Coin> coins) {
        return new Rest(coins.size(), coins.stream().map(Coin::value).reduce(Amount.ZERO, Amount::plusOrMax));
    }

    /** Begins the sweep of a new token, resends the failed parts of a known one, and returns whether any part may be sent now. */
    private boolean mayContinue(Request request) {
        Sweep sweep = await(env.store().find(request.clientToken())).orElseGet(() -> begin(request));
        boolean same = sweep.order().digest().equals(request.digest())
                && sweep.order().owner().equals(request.owner());
        if (!same) {
            throw taken(request, Optional.of(sweep));
        }
        if (sweep.isEnded() || env.spending().stopped().isPresent()) {
            return false;
        }
        await(env.store().move(request.clientToken(), State.STOPPED, State.RUNNING, ""));
        sweep.parts().stream()
                .filter(part -> part.spend().filter(Sweeps::mayBeSentAgain).isPresent())
                .forEach(part -> sendAgain(sweep, part.part()));
        return true;
    }

    /** Sends the same bytes again, as for a transfer with a repeated token, unless another spend of one of its coins is final. */
    private void sendAgain(Sweep sweep, Part part) {
        try {
            await(env.spending().spend(new SweepPlan(sweep, part, 0)));
        } catch (RuntimeException e) {
            LOG.debug("part {} of a sweep was not sent again: {}", part.number(), e.toString());
        }
    }

    private static boolean mayBeSentAgain(PartSpend spend) {
        return spend.state().filter(IntentState::failed).isPresent() && !spend.closed();
    }

    private CompletionStage<Void> settled(String clientToken, CompletionStage<Void> gone) {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        settled.completeOnTimeout(null, MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        gone.thenRunAsync(() -> settled.complete(null), env.threads().calls());
        sweeper.tell(new Sweeper.Continue(clientToken, settled));
        return settled;
    }

    private void waits(String clientToken, int part, String reason) {
        waiting.computeIfAbsent(clientToken, none -> new ConcurrentHashMap<>()).put(part, reason);
    }

    private Report report(String clientToken) {
        return report(await(env.store().find(clientToken)).orElseThrow());
    }

    private Report report(Sweep sweep) {
        Map<Integer, String> reasons =
                Map.copyOf(waiting.getOrDefault(sweep.order().clientToken(), Map.of()));
        Map<Integer, PastSpend> others = new HashMap<>();
        sweep.parts().stream()
                .filter(Sweeps::isWithoutSpend)
                .map(PartState::part)
                .forEach(part -> sameTransaction(sweep, part).ifPresent(spend -> others.put(part.number(), spend)));
        return new Report(sweep, reasons, others, leftOver(sweep));
    }

    private Optional<Map<LeftOver, Rest>> leftOver(Sweep sweep) {
        try {
            return Optional.of(leftOver(sweep, holdings(sweep.order().from())));
        } catch (RuntimeException e) {
            LOG.debug("the coins left over by a sweep are not known: {}", e.toString());
            return Optional.empty();
        }
    }

    private static boolean isWithoutSpend(PartState part) {
        return part.ended() && part.spend().isEmpty();
    }

    /**
     * Finds the spend with the same transaction as a part that has no spend: another sweep or a transfer made it from the same coins for
     * the same recipient. Two payments never share a transaction, so the part never gets a spend.
     */
    private Optional<PastSpend> sameTransaction(Sweep sweep, Part part) {
        return await(env.spending()
                .history()
                .ofTransaction(TransactionCodec.txId(
                        env.profile(), SweepPlan.unsigned(sweep.order().to(), part))));
    }

    private static Map<LeftOver, Rest> leftOver(Sweep sweep, Holdings holdings) {
        Set<Outpoint> moved = new HashSet<>();
        Set<Outpoint> failed = new HashSet<>();
        for (PartState part : sweep.parts()) {
            boolean lost = part.ended()
                    || part.spend()
                            .flatMap(PartSpend::state)
                            .filter(IntentState::failed)
                            .isPresent();
            part.part()
                    .coins()
                    .forEach(each -> (lost ? failed : moved).add(each.coin().outpoint()));
        }
        Amount alone = ChainProfile.DUST_THRESHOLD.plus(SweepPlan.shape(1).minimumFee());
        Map<LeftOver, List<Coin>> left = new EnumMap<>(LeftOver.class);
        for (OwnedCoin each : holdings.free()) {
            Amount value = each.coin().value();
            boolean small = value.isLessThan(sweep.order().minValue()) || value.isLessThan(alone);
            LeftOver reason = failed.contains(each.coin().outpoint())
                    ? LeftOver.OF_FAILED_PART
                    : small ? LeftOver.TOO_SMALL : LeftOver.LATER;
            add(left, reason, each.coin());
        }
        holdings.others().forEach((reason, coins) -> coins.forEach(coin -> add(left, reason, coin)));
        Map<LeftOver, Rest> rest = new EnumMap<>(LeftOver.class);
        left.forEach((reason, coins) -> {
            List<Coin> unmoved = coins.stream()
                    .filter(coin -> !moved.contains(coin.outpoint()))
                    .toList();
            if (!unmoved.isEmpty()) {
                rest.put(reason, rest(unmoved));
            }
        });
        return rest;
    }

    /**
     * Makes the spends of the parts, one at a time, so that most of the nodes' submission quota is left to other payments. Owns the
     * schedule of the running sweeps; their contents are in the store, from which it starts again after a restart.
     */
    private static final class Sweeper extends AbstractBehavior<Sweeper.Command> {
        sealed interface Command {}

        /** Continues a sweep; completes {@code settled} when no part of it can be sent at this moment. */
        record Continue(String clientToken, CompletableFuture<Void> settled) implements Command {}

        private record Loaded(Outcome<List<String>> running) implements Command {}

        private record Load() implements Command {}

        private record Tick() implements Command {}

        private record Stepped(String clientToken, Outcome<Step> step) implements Command {}

        private final Sweeps sweeps;
        private final Environment env;
        private final PartSender parts;
        private final TimerScheduler<Command> timers;
        private final Map<String, Progress> bySweep = new LinkedHashMap<>();
        private final Deque<Long> sent = new ArrayDeque<>();
        private boolean stepping;

        private Sweeper(ActorContext<Command> context, TimerScheduler<Command> timers, Sweeps sweeps) {
            super(context);
            this.sweeps = sweeps;
            this.env = sweeps.env;
            this.parts = new PartSender(sweeps);
            this.timers = timers;
            timers.startTimerWithFixedDelay(new Load(), env.pause());
            load();
        }

        static Behavior<Command> create(Sweeps sweeps) {
            return Behaviors.withTimers(timers -> Behaviors.setup(context -> new Sweeper(context, timers, sweeps)));
        }

        @Override
        public Receive<Command> createReceive() {
            return newReceiveBuilder()
                    .onMessage(Load.class, load -> load())
                    .onMessage(Loaded.class, this::loaded)
                    .onMessage(Continue.class, this::resume)
                    .onMessage(Tick.class, tick -> step())
                    .onMessage(Stepped.class, this::stepped)
                    .build();
        }

        /** Reloads the running sweeps periodically: another daemon with the same store may have begun one. */
        private Behavior<Command> load() {
            if (env.spending().stopped().isEmpty()) {
                Outcome.pipe(getContext(), env.store().running(), Loaded::new);
            }
            return this;
        }

        private Behavior<Command> loaded(Loaded command) {
            command.running()
                    .match(
                            found -> found.forEach(token -> bySweep.computeIfAbsent(token, none -> new Progress())),
                            failure -> LOG.warn("sweeps cannot be read: {}", failure.toString()));
            return step();
        }

        private Behavior<Command> resume(Continue command) {
            Progress progress = bySweep.computeIfAbsent(command.clientToken(), none -> new Progress());
            progress.waiters.add(command.settled());
            progress.notBefore = 0;
            progress.askedAgain = true;
            return step();
        }

        /** Looks at the next part of the next sweep that is due. */
        private Behavior<Command> step() {
            if (stepping || bySweep.isEmpty()) {
                return this;
            }
            long now = env.clock().millis();
            sent.removeIf(at -> at > now || now - at >= MINUTE.toMillis());
            boolean full =
                    sent.size() >= PARTS_PER_MINUTE * Math.max(1, env.nodes().getAsInt());
            Optional<String> due = full
                    ? Optional.empty()
                    : bySweep.entrySet().stream()
                            .filter(entry -> entry.getValue().notBefore <= now
                                    || entry.getValue().notBefore - now
                                            > env.pause().toMillis())
                            .map(Map.Entry::getKey)
                            .findFirst();
            if (due.isEmpty()) {
                timers.startSingleTimer("tick", new Tick(), env.pause());
                return this;
            }
            stepping = true;
            String token = due.get();
            Progress progress = bySweep.get(token);
            progress.askedAgain = false;
            Outcome.pipe(
                    getContext(),
                    Work.on(env.threads().parts(), () -> parts.look(token, progress, progress.next)),
                    step -> new Stepped(token, step));
            return this;
        }

        private Behavior<Command> stepped(Stepped command) {
            stepping = false;
            String token = command.clientToken();
            Progress progress = bySweep.remove(token);
            Step step = command.step().fold(found -> found, failure -> {
                LOG.atLevel(Background.levelOf(failure)).log("a sweep waits: {}", failure.toString());
                sweeps.waits(token, progress.next, String.valueOf(failure.getMessage()));
                return new Step.Waits();
            });
            if (step instanceof Step.Next next) {
                progress.next = next.part() + 1;
                if (next.sent()) {
                    sent.add(env.clock().millis());
                }
                bySweep.put(token, progress);
                return step();
            }
            if (step instanceof Step.Over && progress.askedAgain) {
                bySweep.put(token, progress);
                return step();
            }
            if (step instanceof Step.Waits) {
                progress.next = 0;
                progress.notBefore = env.clock().millis() + env.pause().toMillis();
                bySweep.put(token, progress);
            } else {
                sweeps.waiting.remove(token);
            }
            progress.waiters.forEach(waiter -> waiter.complete(null));
            progress.waiters.clear();
            return step();
        }
    }

    private sealed interface Step {
        /** A part was looked at, and there may be others. */
        record Next(int part, boolean sent) implements Step {}

        /** Every remaining part waits for something. */
        record Waits() implements Step {}

        /** Nothing more is to be done for the sweep. */
        record Over() implements Step {}
    }

    private static final class Progress {
        private final List<CompletableFuture<Void>> waiters = new ArrayList<>();
        private int next;

        private long notBefore;
        /** Whether a call asked to continue since the last look: the sweep may have been stopped at that look and be running now. */
        private boolean askedAgain;
        /** Height of the tip when coins of a part were first found missing, by the part's number. */
        private final Map<Integer, Long> missingSince = new ConcurrentHashMap<>();
        /** Reasons why parts cannot be signed, by the part's number, since the last look at the first part. */
        private final Map<Integer, String> unsignable = new ConcurrentHashMap<>();
    }

    /** Looks at the parts of sweeps and makes their spends, on threads that may block. */
    private static final class PartSender {
        private final Sweeps sweeps;
        private final Environment env;

        PartSender(Sweeps sweeps) {
            this.sweeps = sweeps;
            this.env = sweeps.env;
        }

        /** Looks at the next part from number {@code from} on. Only one look runs at a time. */
        Step look(String token, Progress progress, int from) {
            if (from == 0) {
                progress.unsignable.clear();
            }
            return look(await(env.store().find(token)).orElseThrow(), progress, from);
        }

        private Step look(Sweep sweep, Progress progress, int from) {
            String token = sweep.order().clientToken();
            if (sweep.state() != State.RUNNING) {
                return new Step.Over();
            }
            if (sweep.parts().stream().noneMatch(PartState::isWaiting)) {
                return move(token, State.DONE, "");
            }
            if (env.hasEnded().test(sweep.order().owner().orElse(PayoutStore.CLASSIC))) {
                return move(token, State.STOPPED, "the access token that asked for it has ended");
            }
            Optional<Part> next = sweep.parts().stream()
                    .filter(PartState::isWaiting)
                    .map(PartState::part)
                    .filter(part -> part.number() >= from)
                    .findFirst();
            if (next.isPresent()) {
                return lookOrWait(sweep, next.get(), progress);
            }
            boolean allUnsignable = sweep.parts().stream()
                    .filter(PartState::isWaiting)
                    .allMatch(state ->
                            progress.unsignable.containsKey(state.part().number()));
            return allUnsignable
                    ? move(
                            token,
                            State.STOPPED,
                            progress.unsignable.values().iterator().next())
                    : new Step.Waits();
        }

        /** Looks at a part; a failure of one part does not block the others. */
        private Step lookOrWait(Sweep sweep, Part part, Progress progress) {
            try {
                return look(sweep, part, progress);
            } catch (RuntimeException failure) {
                LOG.atLevel(Background.levelOf(failure))
                        .log("part {} of a sweep waits: {}", part.number(), failure.toString());
                sweeps.waits(sweep.order().clientToken(), part.number(), String.valueOf(failure.getMessage()));
                return new Step.Next(part.number(), false);
            }
        }

        /**
         * Ends a part whose transaction another spend already has, regardless of that spend's state: it alone decides whether the coins
         * move. A refused spend is known to no node, and the part's spend replaces it.
         */
        private Step look(Sweep sweep, Part part, Progress progress) {
            String token = sweep.order().clientToken();
            if (sweeps.sameTransaction(sweep, part)
                    .filter(spend -> spend.state() != IntentState.REFUSED)
                    .isPresent()) {
                return end(token, part);
            }
            Optional<Address> lost = part.coins().stream()
                    .map(OwnedCoin::owner)
                    .filter(owner -> !env.isOurs().test(owner))
                    .findFirst();
            return lost.isPresent()
                    ? unsignable(token, progress, part, "the key of " + lost.get() + " is not in the keyring any more")
                    : make(sweep, part, progress);
        }

        private Step end(String token, Part part) {
            await(env.store().endUnopened(token, part.number()));
            return new Step.Next(part.number(), false);
        }

        /** Skips a part that cannot be signed, so that it does not block the others; when only such parts are left, the sweep stops. */
        private Step unsignable(String token, Progress progress, Part part, String why) {
            progress.unsignable.put(part.number(), why);
            sweeps.waits(token, part.number(), why);
            return new Step.Next(part.number(), false);
        }

        private Step move(String token, State state, String reason) {
            await(env.store().move(token, State.RUNNING, state, reason));
            return new Step.Over();
        }

        private Step make(Sweep sweep, Part part, Progress progress) {
            String token = sweep.order().clientToken();
            Set<Outpoint> missing =
                    part.coins().stream().map(each -> each.coin().outpoint()).collect(Collectors.toSet());
            Set<Outpoint> wanted = Set.copyOf(missing);
            long tipHeight = 0;
            for (Address owner :
                    part.coins().stream().map(OwnedCoin::owner).distinct().toList()) {
                NodeClient.UtxoListing listing = listing(owner, env.coins().spendable(owner, wanted));
                listing.utxos().forEach(utxo -> missing.remove(utxo.outpoint()));
                tipHeight = listing.tipHeight();
            }
            if (missing.isEmpty()) {
                progress.missingSince.remove(part.number());
                return spend(token, new SweepPlan(sweep, part, tipHeight), progress, part);
            }
            Long since = progress.missingSince.putIfAbsent(part.number(), tipHeight);
            sweeps.waits(token, part.number(), "another transaction has taken a coin of it");
            return since == null || tipHeight - since < MISSING_DEPTH
                    ? new Step.Next(part.number(), false)
                    : end(token, part);
        }

        private Step spend(String token, SweepPlan plan, Progress progress, Part part) {
            try {
                await(env.spending().spend(plan));
            } catch (SpendException refused) {
                return refused(token, part, refused.refusal());
            } catch (KeyringException refused) {
                if (refused.reason() == KeyringException.Reason.LOCKED) {
                    return unsignable(token, progress, part, refused.getMessage());
                }
                throw refused;
            }
            sweeps.waiting.getOrDefault(token, new HashMap<>()).remove(part.number());
            return new Step.Next(part.number(), true);
        }

        private Step refused(String token, Part part, SpendRefusal refusal) {
            if (refusal instanceof SpendRefusal.AllowanceExceeded || refusal instanceof SpendRefusal.PolicyRefused) {
                return move(token, State.STOPPED, refusal.message());
            }
            boolean durable = refusal instanceof SpendRefusal.OutcomeUnknown
                    || refusal instanceof SpendRefusal.DoubleSpend
                    || refusal instanceof SpendRefusal.UpstreamFailed;
            sweeps.waits(token, part.number(), refusal.message());
            return new Step.Next(part.number(), durable);
        }
    }
}
