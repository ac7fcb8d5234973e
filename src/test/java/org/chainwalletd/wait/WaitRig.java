package org.chainwalletd.wait;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.boot.PekkoSettings;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;

/** Waits on a chain and nodes that the test controls; counts requests to the nodes. */
final class WaitRig implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    static final CompletableFuture<Void> STAYS = new CompletableFuture<>();
    private static final String NODE = "http://node";
    private static final AtomicInteger NAMES = new AtomicInteger();

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();
    final Set<Address> watched = ConcurrentHashMap.newKeySet();
    private final Set<Hash256> falselyListed = ConcurrentHashMap.newKeySet();
    final Set<Hash256> sighted = ConcurrentHashMap.newKeySet();
    final Waits waits;

    private final ActorSystem<Object> system;
    private final List<ActorRef<FollowEvent>> followers = new CopyOnWriteArrayList<>();
    /** In the order in which the nodes list it. */
    private final Map<Hash256, Transaction> mempool = Collections.synchronizedMap(new LinkedHashMap<>());

    private final Map<Hash256, BlockPlace> confirmed = new ConcurrentHashMap<>();
    private final Map<Address, Amount> balances = new ConcurrentHashMap<>();
    /** Balances at the second node, where they differ. */
    final Map<Address, Amount> secondBalances = new ConcurrentHashMap<>();

    final AtomicInteger secondAskedForBalances = new AtomicInteger();

    /** The third node's answer to each request, which does not come unless a test completes it. */
    final CompletableFuture<Object> third = new CompletableFuture<>();

    final List<String> askedThird = new CopyOnWriteArrayList<>();

    final Set<Address> booked = ConcurrentHashMap.newKeySet();
    private final List<ChainBlock> chain = new CopyOnWriteArrayList<>();
    private volatile Supplier<RuntimeException> trouble = () -> null;
    /** Number of requests for each transaction. */
    private final Map<Hash256, AtomicInteger> askedFor = new ConcurrentHashMap<>();
    /** Number of further requests for a transaction that get no answer. */
    final Map<Hash256, AtomicInteger> unanswered = new ConcurrentHashMap<>();

    /** Whether it is known that the last node does not answer. */
    volatile boolean silentNodeIsKnown;

    volatile boolean secondKnows;
    volatile boolean secondIsSilent;
    /** Whether the first node falsely claims to know no transaction. */
    volatile boolean firstKnowsNothing;

    /** Number of nodes that lack mempool look-ups and have not been asked for one yet. */
    final AtomicInteger nodesWithoutMempool = new AtomicInteger();

    private volatile boolean withoutMempool;
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile CompletableFuture<Void> heldTransactions = CompletableFuture.completedFuture(null);
    private volatile Optional<NodeClient.Tip> nodesTip = Optional.empty();
    private int fresh;
    private final int count;
    /** Number of blocks of the chain that the follower has published. */
    private volatile int followed;

    WaitRig() {
        this(1);
    }

    /**
     * @param count number of nodes; the second one knows confirmed transactions only if {@link #secondKnows}, the third never answers
     */
    WaitRig(int count) {
        this(count, () -> System.nanoTime() / 1_000_000);
    }

    /** @param clock milliseconds */
    WaitRig(int count, LongSupplier clock) {
        this.count = count;
        system = ActorSystem.create(Behaviors.empty(), "waits", PekkoSettings.forSystem());
        NodeClient nodes = Stub.of(NodeClient.class, this::counted);
        NodeClient second = Stub.of(NodeClient.class, call -> {
            if (call.name().equals("patient")) {
                return call.self();
            }
            if (secondIsSilent) {
                return CompletableFuture.failedFuture(new NodeException.Unreachable("gone"));
            }
            if (call.name().equals("balances")) {
                CompletableFuture<List<Amount>> answer =
                        balances(call.arguments(), address -> secondBalances.getOrDefault(address, balance(address)));
                secondAskedForBalances.incrementAndGet();
                return answer;
            }
            return call.name().equals("transaction") && !secondKnows
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : answer(call.name(), call.arguments());
        });
        NodeClient silent = Stub.of(NodeClient.class, call -> {
            askedThird.add(call.name());
            return third;
        });
        List<NodeClient> each = List.of(nodes, second, silent).subList(0, count);
        waits = Waits.start(
                new Spawner() {
                    @Override
                    public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
                        return system.systemActorOf(behavior, name + NAMES.incrementAndGet(), Props.empty());
                    }
                },
                new WaitSetup(
                        PROFILE,
                        nodes,
                        each,
                        () -> silentNodeIsKnown ? each.subList(0, each.size() - 1) : each,
                        count,
                        booked::contains,
                        () -> nodesTip,
                        (txId, place) -> CompletableFuture.completedFuture(isFollowed(txId, place)),
                        followers::add,
                        Runnable::run,
                        clock),
                new AddressWatch() {
                    @Override
                    public void want(WatchReason reason, Address address) {
                        watched.add(address);
                    }

                    @Override
                    public void unwant(WatchReason reason, Address address) {
                        watched.remove(address);
                    }
                },
                new CreditFeed(null, Optional::empty),
                (txId, tx) -> sighted.add(txId),
                meters);
        Await.until("all actors follow", () -> followers.size() == 3);
        connect();
    }

    private Object counted(Stub.Call call) {
        if (call.name().equals("patient")) {
            return call.self();
        }
        try {
            return call.name().equals("transaction") && firstKnowsNothing
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : answer(call.name(), call.arguments());
        } finally {
            asked.computeIfAbsent(call.name(), name -> new AtomicInteger()).incrementAndGet();
        }
    }

    private Object answer(String method, Object[] arguments) {
        RuntimeException failure = trouble.get();
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        return switch (method) {
            case "addressMempools" -> mempools(cast(arguments[0]));
            case "balances" -> balances(arguments, this::balance);
            case "transaction" -> {
                Hash256 txId = (Hash256) arguments[0];
                askedFor.computeIfAbsent(txId, first -> new AtomicInteger()).incrementAndGet();
                AtomicInteger left = unanswered.get(txId);
                if (left != null && left.getAndDecrement() > 0) {
                    yield CompletableFuture.failedFuture(new NodeException.Unreachable("gone"));
                }
                CompletableFuture<Void> gate = heldTransactions;
                Optional<NodeClient.NodeTransaction> found = transaction(txId);
                yield gate.thenApply(free -> found);
            }
            case "blockAt" -> CompletableFuture.completedFuture(blockAt((Long) arguments[0]));
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private static CompletableFuture<List<Amount>> balances(Object[] arguments, Function<Address, Amount> balance) {
        return CompletableFuture.completedFuture(
                WaitRig.<List<Address>>cast(arguments[0]).stream().map(balance).toList());
    }

    private Amount balance(Address address) {
        return balances.getOrDefault(address, Amount.ofUnsigned(0));
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    private CompletableFuture<List<NodeClient.AddressMempool>> mempools(List<Address> addresses) {
        if (nodesWithoutMempool.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.failedFuture(new NodeException.Rejected(-32601, "Method not found"));
        }
        if (withoutMempool) {
            return CompletableFuture.failedFuture(NodeException.Rejected.foreseen(-32601, "Method not found"));
        }
        List<NodeClient.AddressMempool> answer = addresses.stream()
                .map(address -> new NodeClient.AddressMempool(height(), entries(address)))
                .toList();
        CountDownLatch latch = held;
        if (latch.getCount() == 0) {
            return CompletableFuture.completedFuture(answer);
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    Await.opened(latch);
                    return answer;
                },
                command -> new Thread(command).start());
    }

    private List<NodeClient.MempoolEntry> entries(Address address) {
        List<NodeClient.MempoolEntry> entries = new ArrayList<>();
        mempool.forEach((txId, tx) -> {
            List<NodeClient.Received> received = tx.outputs().stream()
                    .filter(output -> output.address().equals(Optional.of(address)))
                    .map(output -> new NodeClient.Received(0, output.value()))
                    .toList();
            if (!received.isEmpty()) {
                entries.add(new NodeClient.MempoolEntry(txId, received, List.of()));
            }
        });
        return entries;
    }

    Optional<NodeClient.NodeTransaction> transaction(Hash256 txId) {
        BlockPlace place = confirmed.get(txId);
        Transaction tx = mempool.get(txId);
        if (place == null && tx == null) {
            return Optional.empty();
        }
        Bytes bytes = tx == null ? Bytes.EMPTY : Bytes.wrap(TransactionCodec.encode(tx));
        return Optional.of(new NodeClient.NodeTransaction(
                txId,
                bytes,
                place == null,
                place == null ? null : place.blockId(),
                place == null ? null : place.height()));
    }

    private Optional<NodeClient.BlockSummary> blockAt(long height) {
        return chain.stream()
                .filter(block -> block.height() == height)
                .findFirst()
                .map(block -> new NodeClient.BlockSummary(
                        block.id(),
                        height,
                        block.parentId(),
                        Hash256.ZERO,
                        Hash256.ZERO,
                        0,
                        0,
                        Hash256.ZERO,
                        block.transactions().size(),
                        Stream.concat(block.transactions().stream().map(ChainTransaction::id), falselyListed.stream())
                                .toList()));
    }

    /** Makes every block's list falsely contain this transaction. */
    void listing(Hash256 txId) {
        falselyListed.add(txId);
    }

    /** Returns whether the followed chain proves the transaction. */
    private boolean isFollowed(Hash256 txId, BlockPlace place) {
        return chain.subList(0, followed).stream()
                .anyMatch(block -> block.place().equals(place)
                        && block.transactions().stream()
                                .anyMatch(mined -> mined.id().equals(txId)));
    }

    int asked(String method) {
        return asked.getOrDefault(method, new AtomicInteger()).get();
    }

    int askedFor(Hash256 txId) {
        return askedFor.getOrDefault(txId, new AtomicInteger()).get();
    }

    void failWith(Supplier<RuntimeException> failure) {
        trouble = failure;
    }

    /** Makes each node lack mempool look-ups. */
    void withoutMempool() {
        nodesWithoutMempool.set(count);
        withoutMempool = true;
    }

    void hold() {
        held = new CountDownLatch(1);
    }

    /** Holds answers about transactions, computed from the present state, until the returned future is completed. */
    CompletableFuture<Void> holdTransactions() {
        heldTransactions = new CompletableFuture<>();
        return heldTransactions;
    }

    void answerTransactions() {
        heldTransactions = CompletableFuture.completedFuture(null);
    }

    void letGo() {
        held.countDown();
    }

    void balance(Address address, long amount) {
        balances.put(address, Amount.of(amount));
    }

    /** Sets the tip that the nodes report, which the followed chain may not have reached. */
    void nodesTip(long height) {
        nodesTip = Optional.of(new NodeClient.Tip(height, Hash256.ZERO, null));
    }

    /** Makes the node report the transaction in this block, whether or not a connected event was sent. */
    void confirmedBefore(Hash256 txId, BlockPlace place) {
        confirmed.put(txId, place);
    }

    /** Creates a payment by a foreign address. */
    Transaction payment(Address to, long... amounts) {
        return payment(key(200 + ++fresh % 50), to, amounts);
    }

    Transaction payment(PublicKey from, Address to, long... amounts) {
        byte[] previous = new byte[32];
        previous[0] = (byte) ++fresh;
        previous[1] = (byte) (fresh >> 8);
        previous[2] = 1;
        List<TxOutput> outputs = new ArrayList<>();
        for (long amount : amounts) {
            outputs.add(TxOutput.toAddress(to, Amount.of(amount)));
        }
        return new Transaction(
                List.of(new Outpoint(Hash256.of(previous), 0)), outputs, List.of(Witness.plain(from, new byte[64])));
    }

    static Hash256 id(Transaction tx) {
        return TransactionCodec.txId(PROFILE, tx);
    }

    static PublicKey key(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        return PublicKey.of(bytes);
    }

    static Address address(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        bytes[1] = (byte) (number >> 8);
        return Address.of(bytes);
    }

    /** Adds a transaction to the mempool, without a push event. */
    Hash256 pend(Transaction tx) {
        mempool.put(id(tx), tx);
        return id(tx);
    }

    /** Falsely lists a transaction in the mempool under another id. */
    void pendAs(Hash256 txId, Transaction tx) {
        mempool.put(txId, tx);
    }

    void nudge(Address... addresses) {
        waits.pushed(new PushNews.Changed(NODE, Set.of(addresses)));
    }

    void watching(Address... addresses) {
        waits.pushed(new PushNews.Watching(NODE, Set.of(addresses)));
    }

    ChainBlock connect(Transaction... transactions) {
        ChainBlock block = connectUnheard(transactions);
        hear(block);
        return block;
    }

    /** Publishes a block that the nodes have. */
    void hear(ChainBlock block) {
        followed = chain.indexOf(block) + 1;
        tell(
                followed == 1
                        ? new FollowEvent.Positioned(new FollowedTip(block.place(), 0))
                        : new FollowEvent.Connected(block));
    }

    /** Lets the follower skip blocks without an event for each. */
    void jump() {
        followed = chain.size();
        tell(new FollowEvent.Advanced(
                followed - 1, new FollowedTip(chain.get(followed - 1).place(), 0)));
    }

    /** Adds a block at the nodes that the follower does not publish. */
    ChainBlock connectUnheard(Transaction... transactions) {
        long height = height() + 1;
        Hash256 parent =
                chain.isEmpty() ? Hash256.ZERO : chain.get(chain.size() - 1).id();
        BlockHeader header = new BlockHeader(1, height, parent, 0, Hash256.ZERO, ++fresh, Hash256.ZERO, Hash256.ZERO);
        List<ChainTransaction> listed = new ArrayList<>();
        for (Transaction tx : transactions) {
            listed.add(new ChainTransaction(id(tx), Optional.of(tx), false));
            mempool.remove(id(tx));
            confirmed.put(id(tx), new BlockPlace(height, header.id()));
        }
        ChainBlock block = new ChainBlock(header, header.id(), listed);
        chain.add(block);
        return block;
    }

    /** Removes the nodes' last block before the follower has published it. */
    void replaceUnheard() {
        chain.remove(chain.size() - 1).transactions().forEach(tx -> confirmed.remove(tx.id()));
    }

    void disconnect() {
        ChainBlock block = chain.remove(chain.size() - 1);
        followed = Math.min(followed, chain.size());
        block.transactions().forEach(tx -> confirmed.remove(tx.id()));
        tell(new FollowEvent.Disconnected(block.place()));
    }

    long height() {
        return chain.isEmpty() ? 99 : chain.get(chain.size() - 1).height();
    }

    private void tell(FollowEvent event) {
        followers.forEach(follower -> follower.tell(event));
    }

    CompletableFuture<TxOutcome> forTx(Hash256 txId, long depth, Duration time) {
        return waits.forTransaction(txId, depth, time, STAYS).toCompletableFuture();
    }

    CompletableFuture<PaymentOutcome> forPayment(Address address, long least, Duration time) {
        return waits.forPayment(address, Amount.of(least), time, STAYS).toCompletableFuture();
    }

    /** Returns the number of open waits of a kind. */
    double open(String kind) {
        return meters.get("walletd.waits.open").tag("kind", kind).gauge().value();
    }

    /** Returns the number of completed mempool look-ups. */
    double looks() {
        return meters.get("walletd.waits.looks")
                .tag("kind", "payment")
                .counter()
                .count();
    }

    double ended(String kind, String how) {
        return meters.get("walletd.waits.ended")
                .tag("kind", kind)
                .tag("how", how)
                .counter()
                .count();
    }

    @Override
    public void close() {
        letGo();
        system.terminate();
    }
}
