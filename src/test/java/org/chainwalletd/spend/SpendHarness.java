package org.chainwalletd.spend;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.coins.OutputSource;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.FollowerSetup;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.WorkCheck;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.VerifiedOutput;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Stub;

/** Spending over a development chain that can be stopped like a crashed process and started again over the same store. */
final class SpendHarness implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");

    static final int BURIAL_DEPTH = 6;
    private static final int FIRST_BLOCKS = 10;
    static final Duration LONGEST_LOOK = Duration.ofMillis(100);

    /** Time for which a token is bound to the same payment after that payment is closed. */
    static final Duration RECEIPT_TTL = Duration.ofHours(1);

    /** The names of its threads, and of those of the executor, begin with the folder's name. */
    final ActorTestKit kit;

    final ExecutorService executor;
    final ManualClock clock = new ManualClock(Instant.ofEpochMilli(1_800_000_000_000L));
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final SpendMetrics metrics = new SpendMetrics(meters);
    final TestKeys keys;
    final Devnet devnet;
    final LedgerNode node;
    Drawing drawing = Drawing.FIRST;
    AllowanceStore.Limits limits = new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1));
    NodeClient client;
    /** Whether the chain is followed, so that the contents of its blocks are known without asking a node. */
    boolean blocksKnown = true;

    /** Wrapper between spending and the store. */
    UnaryOperator<IntentStore> before = UnaryOperator.identity();

    UnaryOperator<ReservationStore> beforeReservations = UnaryOperator.identity();
    UnaryOperator<ReceiptStore> beforeReceipts = UnaryOperator.identity();
    /** Time of the newest block. The chain of a test is as late as any clock unless the test sets another time. */
    Supplier<OptionalLong> chainTime = () -> OptionalLong.of(clock.millis());
    /** Clock that spending uses. */
    Clock seen = clock;
    /** Receives each store directly after it was opened. */
    Consumer<Store> opened = any -> {};
    /** Location of the store of each start. */
    StorePlace place = StorePlace.file();
    /** Opens the store of each start. */
    Supplier<Store> opens;

    Duration tick = Duration.ofMillis(20);
    Store store;
    SpendService spending;

    /** Background work that follows spends. */
    Background background = new Actors();

    private Path folder;
    private Optional<Path> booksFolder = Optional.empty();
    private final List<ActorRef<?>> actors = new ArrayList<>();
    private Books books;
    private Follower follower;
    private volatile Optional<NodeClient.Tip> rumour = Optional.empty();
    private final boolean ownsChain;
    private boolean running;
    /** False after the process has ended: a killed process has work left in the executor, none of which may reach a node. */
    private AtomicBoolean alive = new AtomicBoolean();

    SpendHarness(Path folder) {
        this(folder, devnet(), new TestKeys(PROFILE), true);
    }

    /** Creates a second daemon with the same keys on the same chain, with a separate store. */
    SpendHarness(Path folder, SpendHarness beside) {
        this(folder, beside.devnet, beside.keys, false);
    }

    private SpendHarness(Path folder, Devnet devnet, TestKeys keys, boolean ownsChain) {
        this.folder = folder;
        String name = folder.getFileName().toString();
        kit = ActorTestKit.create(name);
        executor = Executors.newFixedThreadPool(2, work -> new Thread(work, name + "-worker"));
        this.opens = () -> place.open(this.folder);
        this.devnet = devnet;
        this.keys = keys;
        this.ownsChain = ownsChain;
        node = new LedgerNode(devnet.ledger(), executor);
        client = node;
    }

    private static Devnet devnet() {
        try {
            return Devnet.start(DevnetConfig.onDemand(PROFILE).withFirstBlocks(FIRST_BLOCKS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Operator's limit for one transaction. */
    static AllowanceStore.Limits perTransaction(long most) {
        return new AllowanceStore.Limits(Optional.of(Amount.of(most)), Optional.empty(), Duration.ofDays(1));
    }

    static AllowanceStore.Limits perDay(long most) {
        return new AllowanceStore.Limits(Optional.empty(), Optional.of(Amount.of(most)), Duration.ofDays(1));
    }

    SpendHarness start() {
        return start(opens.get());
    }

    /**
     * Starts as an operator who declares that the store is an old or a new one, because the right one is lost.
     *
     * @param without whether the log is lost too
     */
    void startRestored(boolean without) {
        place.restore(folder, without);
        start();
    }

    private SpendHarness start(Store opening) {
        store = opening;
        running = true;
        alive = new AtomicBoolean(true);
        opened.accept(store);
        SpendingTable spendings = new SpendingTable(page -> new SpendingTable.View(keys::isAtHand, htlc -> false));
        books = Books.open(booksFolder.orElse(folder), List.of(spendings));
        follower = Follower.start(new Actors(), following(new SpendingBook(PROFILE, spendings)));
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        new Actors().begin("spending", SpendService.create(environment(), background, started), command -> {});
        spending = get(started);
        return this;
    }

    /** Creates a second daemon over the same store, which knows the first one's payments only by asking the store. */
    SpendService beside() {
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        new Actors().begin("beside", SpendService.create(environment(), new Actors(), started), command -> {});
        return get(started);
    }

    /** Folder of its store. */
    Path folder() {
        return folder;
    }

    /** Keeps the books in this empty folder from the next start on. */
    void withoutBooks(Path empty) {
        booksFolder = Optional.of(empty);
    }

    /** Background work of this process. */
    Background ofProcess() {
        return new Actors();
    }

    /** Actors that end with the process. */
    private final class Actors implements Background {
        @Override
        public <T> ActorRef<T> begin(String name, Behavior<T> behavior, Consumer<? super T> whileStopped) {
            ActorRef<T> spawned = kit.spawn(behavior);
            actors.add(spawned);
            return spawned;
        }
    }

    /** Follower with a separate node, which faults do not affect. */
    private FollowerSetup following(Book<?, ?> book) {
        NodeClient honest = new LedgerNode(devnet.ledger(), executor);
        return new FollowerSetup(
                PROFILE,
                new FollowerSetup.Sources(
                        List.of(new FollowedNode("honest", honest)), honest, FollowRig.known(Network.DEVNET)),
                books,
                List.of(book),
                FollowerSetup.Rules.DEFAULT,
                new WorkCheck(PROFILE, executor),
                new SimpleMeterRegistry(),
                Duration.ofMillis(20),
                Duration.ofSeconds(10),
                Clock.systemUTC(),
                executor);
    }

    /** Waits until the follower has reached the development chain's tip. */
    void awaitFollowed() {
        Await.until("the tip is followed", this::isFollowed);
    }

    boolean isFollowed() {
        return follower.tip()
                .filter(tip ->
                        tip.place().blockId().equals(devnet.ledger().tip().id()))
                .isPresent();
    }

    /** Makes every node lose our transactions and accept no more until its faults are changed. */
    void lose() {
        node.fault("send_raw_transaction", LedgerNode.Fault.LOST_QUESTION);
        devnet.forgetMempool();
    }

    /** Lets time pass and a node name a tip that is not followed yet, so that everything in flight is looked at now. */
    void wake() {
        clock.advance(LONGEST_LOOK);
        rumour();
    }

    /** Wakes the daemon until the transaction is at the node. */
    void awaitAtNode(String what, Hash256 txId) {
        awaitAwake(what, () -> isAtNode(txId));
    }

    /** Wakes the daemon until the condition holds. */
    void awaitAwake(String what, BooleanSupplier condition) {
        Await.until(what, () -> {
            wake();
            return condition.getAsBoolean();
        });
    }

    boolean isAtNode(Hash256 txId) {
        return devnet.ledger().transaction(txId).isPresent();
    }

    boolean isMined(Hash256 txId) {
        return devnet.ledger()
                .transaction(txId)
                .filter(found -> found.blockId() != null)
                .isPresent();
    }

    /** Lets a node name a tip that is not followed yet, without advancing time. */
    void rumour() {
        Tip tip = devnet.ledger().tip();
        byte[] id = new byte[32];
        ThreadLocalRandom.current().nextBytes(id);
        rumour = Optional.of(new NodeClient.Tip(tip.height() + 1, Hash256.of(id), devnet.genesisId()));
    }

    /** Lets a node name a tip at this height that no other node knows. */
    void claimTip(long height) {
        rumour = Optional.of(new NodeClient.Tip(height, Hash256.sha256(new byte[] {1}), devnet.genesisId()));
    }

    /** Continues on the same chain with another, empty store. */
    void startOver(Path newFolder) {
        folder = newFolder;
        start();
    }

    SpendEnvironment environment() {
        return new SpendEnvironment(
                PROFILE,
                mortal(client, alive),
                outputs(),
                new SpendEnvironment.ChainView(
                        identity(),
                        () -> Optional.of(Network.DEVNET),
                        timed(new SpendChain.Followed(follower, new SpendingBooks(books), executor)),
                        () -> rumour),
                keys,
                new SpendEnvironment.Stores(wrapped(), before.apply(store.intents()), Optional.empty()),
                limits,
                new Pace(
                        tick,
                        tick,
                        LONGEST_LOOK,
                        Duration.ofMinutes(10),
                        RECEIPT_TTL,
                        Duration.ofMillis(5),
                        BURIAL_DEPTH),
                drawing,
                metrics,
                seen,
                executor);
    }

    /** Store behind the wrappers that the test has set. */
    private Store wrapped() {
        Store ofProcess = store;
        ReservationStore reservations = beforeReservations.apply(ofProcess.reservations());
        ReceiptStore receipts = beforeReceipts.apply(ofProcess.receipts());
        return Stub.of(Store.class, call -> switch (call.name()) {
            case "reservations" -> reservations;
            case "receipts" -> receipts;
            default -> call.on(ofProcess);
        });
    }

    /** Followed chain with block times set by the test: a development chain uses the system clock. */
    private SpendChain timed(SpendChain chain) {
        return Stub.of(SpendChain.class, call -> call.name().equals("tipMillis") ? chainTime.get() : call.on(chain));
    }

    /** Outputs of our own intents, and those of blocks unless a test turns them off. */
    private VerifiedOutputs outputs() {
        List<OutputSource> sources = new ArrayList<>();
        sources.add(OutputSource.ofIntents(PROFILE, store.intents(), executor));
        if (blocksKnown) {
            sources.add(this::inBlocks);
        }
        return new VerifiedOutputs(PROFILE, sources, mortal(client, alive), executor, meters);
    }

    /** Node that receives nothing from a process that has ended. */
    private static NodeClient mortal(NodeClient real, AtomicBoolean alive) {
        return Stub.of(NodeClient.class, call -> {
            if (CompletionStage.class.isAssignableFrom(call.method().getReturnType()) && !alive.get()) {
                return CompletableFuture.failedFuture(new NodeException.Unreachable("the process is dead"));
            }
            Object answer = call.on(real);
            if (answer instanceof NodeClient other) {
                return mortal(other, alive);
            }
            return answer instanceof List<?> several
                    ? several.stream()
                            .map(each -> mortal((NodeClient) each, alive))
                            .toList()
                    : answer;
        });
    }

    /** Outputs that a follower of the chain has read from bytes. */
    private CompletionStage<Map<Outpoint, VerifiedOutput>> inBlocks(Set<Outpoint> wanted) {
        Map<Outpoint, VerifiedOutput> found = new HashMap<>();
        for (Outpoint outpoint : wanted) {
            devnet.ledger()
                    .transaction(outpoint.txId())
                    .map(located -> located.tx().outputs().get((int) outpoint.index()))
                    .ifPresent(output -> found.put(outpoint, VerifiedOutput.of(output)));
        }
        return CompletableFuture.completedFuture(found);
    }

    private ChainIdentity identity() {
        return Stub.of(ChainIdentity.class, call -> switch (call.name()) {
            case "genesisForSigning" -> CompletableFuture.completedFuture(devnet.genesisId());
            case "expected" -> Optional.of(devnet.genesisId());
            case "complaint" -> Optional.empty();
            default -> throw new AssertionError(call.name());
        });
    }

    /** Drops everything in memory; committed data is read again. */
    void crash() {
        running = false;
        alive.set(false);
        actors.forEach(kit::stop);
        actors.clear();
        books.close();
        store.close();
    }

    void restart() {
        crash();
        start();
    }

    /** Creates an address of ours with confirmed coins of these values. */
    Address funded(int key, long... values) {
        Address address = keys.add(key);
        fund(address, values);
        return address;
    }

    void fund(Address address, long... values) {
        Coins.give(devnet, address, values);
    }

    List<NodeClient.Utxo> coins(Address address) {
        return devnet.ledger().list(Bytes.wrap(address.toArray()), null, null, 1000).coins().stream()
                .map(coin -> new NodeClient.Utxo(
                        coin.outpoint(), coin.output().value(), coin.height(), coin.coinbase(), null))
                .toList();
    }

    static TransferRequest request(Address from, Address to, long amount) {
        return request(from, to, amount, null);
    }

    static TransferRequest request(Address from, Address to, long amount, String token) {
        return new TransferRequest(
                from,
                List.of(new Payment(to, Amount.of(amount))),
                FeeChoice.MINIMUM,
                TransferRequest.DEFAULT_MAX_FEE,
                Optional.ofNullable(token),
                Optional.empty());
    }

    /** Mines and waits until the daemon has noticed that nothing is in flight any more. */
    void confirmAll() {
        devnet.mine(1);
        wake();
        awaitAwake("nothing is in flight", this::isIdle);
    }

    boolean isIdle() {
        return spending.inFlightTransfers() == 0 && spending.inFlightUtxos() == 0;
    }

    /** Intent of the spend in the store. */
    Intent intent(Hash256 txId) {
        return get(store.intents().find(txId)).orElseThrow();
    }

    IntentState stateOf(Hash256 txId) {
        return intent(txId).state();
    }

    void awaitState(Hash256 txId, IntentState state) {
        Await.until(txId + " is " + state, () -> stateOf(txId) == state);
    }

    /** Waits until each confirmed payment is too deep for a reorganisation. */
    void awaitBuried() {
        Await.until("all are buried", () -> get(store.intents().unburied()).isEmpty());
    }

    /**
     * Performs the periodic work of each minute.
     *
     * @return monitor that receives payments found in blocks after all
     */
    TestProbe<SpendMonitor.Command> forget() {
        awaitFollowed();
        TestProbe<SpendMonitor.Command> monitor = kit.createTestProbe();
        kit.spawn(Forgetting.create(environment(), monitor.ref()));
        return monitor;
    }

    /** Number of transactions from or to the address in the mempool. */
    int pending(Address address) {
        return devnet.ledger()
                .pendingOf(Bytes.wrap(address.toArray()))
                .transactions()
                .size();
    }

    /** Creates a coin of this value. */
    Outpoint coin(Address owner, long value) {
        return coins(owner).stream()
                .filter(coin -> coin.value().equals(Amount.of(value)))
                .findFirst()
                .orElseThrow()
                .outpoint();
    }

    /** Builds a payment from a coin of ours by another party with the same key. */
    Transaction foreign(Address owner, Outpoint coin, Address to, long amount) {
        return keys.spend(owner, devnet.genesisId(), coin, TxOutput.toAddress(to, Amount.of(amount)));
    }

    /** Builds a return of a coin of ours to its address by another party with the same key. */
    Transaction returned(Address owner, Coin coin, long fee) {
        return foreign(owner, coin.outpoint(), owner, coin.value().bits() - fee);
    }

    /** Reorganises without the rivals if their coins were themselves created in a disconnected block, or are final. */
    void reorganise(int depth, boolean keep, List<Transaction> rivals) {
        try {
            devnet.reorganise(depth, keep, rivals);
        } catch (RejectedException e) {
            devnet.reorganise(depth, keep, List.of());
        }
    }

    /** Submits {@link #foreign} to the node, and returns its id. */
    Hash256 spendElsewhere(Address owner, Outpoint coin, Address to, long amount) {
        return devnet.ledger().submit(foreign(owner, coin, to, amount));
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return Await.result(stage);
        } catch (CompletionException e) {
            Throwable cause =
                    e.getCause() instanceof CompletionException ? e.getCause().getCause() : e.getCause();
            throw cause instanceof RuntimeException known ? known : new CompletionException(cause);
        }
    }

    static <R extends SpendRefusal> R refusal(Class<R> type, CompletionStage<?> stage) {
        Throwable failure = org.assertj.core.api.Assertions.catchThrowable(() -> get(stage));
        org.assertj.core.api.Assertions.assertThat(failure).isInstanceOf(SpendException.class);
        SpendRefusal refusal = ((SpendException) failure).refusal();
        org.assertj.core.api.Assertions.assertThat(refusal).isInstanceOf(type);
        return type.cast(refusal);
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
        if (running) {
            books.close();
            store.close();
        }
        if (ownsChain) {
            devnet.close();
        }
        executor.shutdownNow();
    }
}
