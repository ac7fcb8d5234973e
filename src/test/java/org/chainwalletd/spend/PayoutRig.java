package org.chainwalletd.spend;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.payout.PayoutEnvironment;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.testkit.Await;

/** Payout queue over a {@link SpendHarness}: it stops and starts with it. */
final class PayoutRig implements AutoCloseable {
    private static final Duration CHECK_EVERY = Duration.ofMillis(100);

    final SpendHarness spends;
    final Set<String> endedTokens = ConcurrentHashMap.newKeySet();
    final Map<String, Amount> capsPerTx = new ConcurrentHashMap<>();
    Duration delay = Duration.ZERO;
    long most = 100_000;
    int usableCoins = 20;
    int nodes = 100;
    /** Whether the books cover the paying addresses. */
    volatile boolean listed = true;
    /** Maximum number of coins in a listing of an address. */
    volatile int mostListed = 1_000;

    /** Addresses whose coins are not listed before the future completes. */
    final Map<Address, CompletableFuture<Void>> heldBack = new ConcurrentHashMap<>();

    /** Wrapper of the queue's store. */
    UnaryOperator<PayoutStore> before = UnaryOperator.identity();

    Payouts payouts;
    /** Threads that end with the process. */
    private ExecutorService threads;

    private final Set<Address> payers = new HashSet<>();

    PayoutRig(Path folder) {
        this(new SpendHarness(folder));
    }

    private PayoutRig(SpendHarness spends) {
        this.spends = spends;
    }

    PayoutRig start() {
        spends.start();
        begin();
        return this;
    }

    private void begin() {
        threads = Executors.newFixedThreadPool(4);
        payouts = Payouts.start(
                new PayoutEnvironment(
                        before.apply(spends.store.payouts()),
                        intents(),
                        spends.spending,
                        new BookCoins(spends, this::listed, this::ofAddress),
                        this::tip,
                        new PayoutEnvironment.Tokens() {
                            @Override
                            public boolean hasEnded(String name) {
                                return endedTokens.contains(name);
                            }

                            @Override
                            public Optional<Amount> capPerTx(String name) {
                                return Optional.ofNullable(capsPerTx.get(name));
                            }
                        },
                        new PayoutEnvironment.Rules(
                                most, delay, new FeeChoice.Rate(2), usableCoins, spends.limits, CHECK_EVERY),
                        () -> nodes,
                        changed -> {},
                        spends.clock,
                        new PayoutEnvironment.Threads(threads, threads),
                        spends.executor),
                spends.ofProcess());
    }

    IntentStore intents() {
        return spends.store.intents();
    }

    private Optional<BlockPlace> tip() {
        return Optional.of(new BlockPlace(
                spends.devnet.ledger().tip().height(),
                spends.devnet.ledger().tip().id()));
    }

    private CompletionStage<Optional<List<NodeClient.Utxo>>> listed(Address address) {
        return heldBack.getOrDefault(address, CompletableFuture.completedFuture(null))
                .thenApplyAsync(
                        answered ->
                                ofAddress(address).map(coins -> coins.subList(0, Math.min(mostListed, coins.size()))),
                        spends.executor);
    }

    private Optional<List<NodeClient.Utxo>> ofAddress(Address address) {
        return listed && spends.isFollowed() ? Optional.of(spends.coins(address)) : Optional.empty();
    }

    /** Drops everything in memory, like a kill. */
    void crash() {
        threads.shutdownNow();
        spends.crash();
    }

    void restart() {
        crash();
        start();
    }

    /** Starts after the operator has restored an old store and declared it. */
    void startRestored() {
        spends.startRestored(false);
        begin();
    }

    static Order order(String id, Address to, long amount) {
        return new Order(id, to, Amount.of(amount), Optional.empty(), Optional.empty());
    }

    List<Payout> submit(Address from, Order... orders) {
        return submit(Optional.empty(), from, orders);
    }

    List<Payout> submit(Optional<String> owner, Address from, Order... orders) {
        return submit(owner, List.of(from), orders);
    }

    List<Payout> submit(Optional<String> owner, List<Address> from, Order... orders) {
        payers.addAll(from);
        return SpendHarness.get(payouts.submit(List.of(orders), paidFrom(from), owner));
    }

    /** Admission that refuses nothing. */
    static Payouts.Admission paidFrom(List<Address> payers) {
        return new Payouts.Admission() {
            @Override
            public List<Address> from() {
                return payers;
            }

            @Override
            public void requireAllowed(Order order, List<Address> from) {
                // No token restricts anything.
            }
        };
    }

    Payout find(String id) {
        return SpendHarness.get(payouts.find(id)).orElseThrow();
    }

    State state(String id) {
        return find(id).state();
    }

    Payout await(String id, State state) {
        spends.awaitAwake(id + " is " + state, () -> state(id) == state);
        return find(id);
    }

    /** Mines blocks as long as a mempool has transactions. */
    Payout confirm(String id) {
        Await.until(id + " is in a block", () -> {
            boolean pending = payers.stream().anyMatch(payer -> spends.pending(payer) > 0);
            if (pending) {
                spends.devnet.mine(1);
            }
            spends.wake();
            return state(id) == State.CONFIRMED || state(id) == State.FINAL;
        });
        return find(id);
    }

    void awaitWhen(String id, String what, Predicate<Payout> condition) {
        spends.awaitAwake(id + " " + what, () -> condition.test(find(id)));
    }

    /** Mines so deep that everything in blocks is final. */
    void bury() {
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.awaitFollowed();
    }

    /** Number of times the best chain pays each output to {@code addresses}, by amount. */
    Map<Long, Integer> paid(Set<Address> addresses) {
        Map<Long, Integer> paid = new TreeMap<>();
        Ledger ledger = spends.devnet.ledger();
        for (Address address : addresses) {
            for (NodeClient.Utxo coin : spends.coins(address)) {
                paid.merge(coin.value().toBigInteger().longValueExact(), 1, Integer::sum);
            }
        }
        return paid;
    }

    Set<Address> recipients(int... keys) {
        Set<Address> all = new HashSet<>();
        for (int key : keys) {
            all.add(recipient(key));
        }
        return all;
    }

    /** Address without a key of ours. */
    static Address recipient(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        bytes[31] = 1;
        return Address.of(bytes);
    }

    PayoutStore store() {
        return spends.store.payouts();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        spends.close();
    }
}
