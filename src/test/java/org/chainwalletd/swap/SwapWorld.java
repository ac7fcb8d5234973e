package org.chainwalletd.swap;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.Finality;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.coins.IntentOutputs;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.htlc.HtlcOwners;
import org.chainwalletd.htlc.HtlcParties;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.HtlcTransactions;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.keyring.SealedRecords;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.spend.Allowance;
import org.chainwalletd.spend.Drawing;
import org.chainwalletd.spend.FollowedSpends;
import org.chainwalletd.spend.Pace;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendMetrics;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.store.SqliteStore;
import org.chainwalletd.store.SwapEntry;
import org.chainwalletd.store.books.HtlcTable;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.HttpPool;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.PoolQuote;
import org.chainwalletd.swap.pool.PoolWords;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.PlainKeys;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.PlainEvmKeys;

/**
 * The whole engine over its real legs, both chains over real sockets, and a pool with money on both. The engine can be killed at any moment
 * and begun again over what the disk has. What it does is held against the chains themselves ({@link SwapTruth}).
 */
final class SwapWorld implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    static final long CHAIN_DEPTH = 4;
    static final long EVM_MARGIN = 100;
    static final long CHAIN_MARGIN = 10;
    /** Blocks on an EVM block that is final. */
    static final int EVM_DEPTH = 4;

    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final int COINS = 24;
    private static final long COIN = 200_000_000;

    final PoolManners manners = new PoolManners();
    final TwoChains chains;
    final EvmEndpoint first;
    final EvmEndpoint second;
    final Party ours = new Party(0x33);
    final EvmAddress ourEvm;
    final SwapTruth truth;
    final Map<String, byte[]> secrets = new ConcurrentHashMap<>();

    private final Path folder;
    private final boolean relays;
    private final PlainKeys keys = new PlainKeys(PROFILE);
    private final PlainEvmKeys evmKeys = new PlainEvmKeys();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile boolean full;
    private boolean silent;
    private boolean stopped;
    private int lives;
    private int swaps;

    private FollowRig follow;
    private SqliteStore store;
    private SealedRecords seals;
    private SwapJournal journal;
    private AccountSide account;
    private Pool pool;
    private ActorRef<SwapEngine.Command> engine;

    SwapWorld(Path folder) {
        this(folder, false);
    }

    /** @param relays whether the pool may send our claims; then there is no gas for our own at first */
    SwapWorld(Path folder, boolean relays) {
        this.folder = folder;
        this.relays = relays;
        chains = TwoChains.start(manners, config -> config.withLocks(640, 7_400, 400, 60));
        chains.evm().finality(2, EVM_DEPTH);
        first = chains.evm().endpoint();
        second = chains.evm().newEndpoint();
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 0x33);
        keys.add(seed);
        byte[] secret = seed.clone();
        secret[0] = 1;
        ourEvm = evmKeys.add(SecretBytes.takeOver(secret));
        truth = new SwapTruth(chains, ours.key, ourEvm);
        if (!relays) {
            fund();
        }
        chains.chain().faucet(ours.address, Amount.of(COIN * (COINS + 1)));
        chains.round();
        split();
        chains.rounds(EVM_DEPTH + 2);
        start();
    }

    /** Gives us wei, for gas and for buys. */
    void fund() {
        chains.evm().fund(ourEvm, ETHER.multiply(BigInteger.TEN));
    }

    /** Swaps that lock at the same time need coins of their own. */
    private void split() {
        Outpoint coin = chains.chain()
                .ledger()
                .list(Bytes.wrap(ours.address.toArray()), null, null, 1)
                .coins()
                .get(0)
                .outpoint();
        TxOutput[] outputs = new TxOutput[COINS];
        Arrays.fill(outputs, TxOutput.toAddress(ours.address, Amount.of(COIN)));
        chains.chain().ledger().submit(ours.pay(chains.chain().genesisId(), coin, outputs));
    }

    ManualClock clock() {
        return chains.clock();
    }

    long now() {
        return clock().instant().getEpochSecond();
    }

    private SwapLimits limits() {
        return new SwapLimits(
                BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                chains.evm().contract(),
                chains.evm().codeHash(),
                2,
                Finality.FINALIZED,
                OptionalLong.of(CHAIN_DEPTH),
                SwapLimits.DEFAULT_MAX_LOCK_BLOCKS,
                SwapLimits.DEFAULT_MAX_LOCK_SECS,
                EVM_MARGIN,
                CHAIN_MARGIN,
                SwapLimits.DEFAULT_MAX_FEE_BPS,
                SwapLimits.DEFAULT_MAX_IMPACT_BPS,
                false);
    }

    private QuoteBinding binding() {
        return new QuoteBinding(limits(), ours.key::equals);
    }

    private QuoteBinding.Now clocks() {
        long height = chains.chain().tip().height();
        return new QuoteBinding.Now(now(), height, chains.evm().head().time(), Reward.at(height));
    }

    // One life

    private void start() {
        lives++;
        stopped = false;
        HtlcBook htlcs = new HtlcBook(new HtlcParties(PROFILE, ours.address::equals));
        HtlcTable table = (HtlcTable) htlcs.table();
        SpendingTable spendings =
                new SpendingTable(page -> new SpendingTable.View(ours.address::equals, table.view(page)::has));
        follow = new FollowRig(
                folder,
                List.of(htlcs, new SpendingBook(PROFILE, spendings)),
                chains.chain().uri());
        store = SqliteStore.open(folder);
        seals = TestSeals.of(Await.result(store.swaps().newest()).map(SwapEntry::content));
        journal = new SwapJournal(new FullDisk(store.swaps(), () -> full), seals, follow.executor());
        account = AccountSide.start(
                follow.kit(), chains.evm(), evmKeys, store, follow.executor(), first.uri(), second.uri());
        pool = new HttpPool(
                follow.kit().system(),
                chains.poolUri(),
                Optional.empty(),
                PoolWords.DEFAULT,
                Duration.ofSeconds(5),
                follow.executor());
        engine = follow.kit()
                .spawn(SwapEngine.create(
                        new SwapSetup(
                                journal,
                                legs(),
                                "run-" + lives,
                                clock(),
                                Duration.ofMillis(30),
                                () -> follow.follower()
                                        .tip()
                                        .map(tip -> OptionalLong.of(tip.height()))
                                        .orElse(OptionalLong.empty()),
                                () -> false,
                                truth::changed,
                                follow.executor()),
                        new Standstill()));
    }

    private Legs legs() {
        ChainSide side = chainSide();
        ChainPoolLeg chainPool = new ChainPoolLeg(side, limits());
        OwnLeg chainOwn = new AnnouncedLeg(new ChainOwnLeg(side, limits()), pool, follow.executor());
        EvmOwnLeg evmOwn = new EvmOwnLeg(account.endpoints(), account.sends(), limits(), follow.executor());
        Optional<Relay> relay =
                relays ? Optional.of(new Relay(pool, clock(), alarm -> {}, follow.executor())) : Optional.empty();
        EvmPoolLeg evmPool = new EvmPoolLeg(account.endpoints(), account.sends(), limits(), relay, follow.executor());
        BothLegs both = new BothLegs(
                row -> row.terms().direction().isSell() ? chainOwn : evmOwn,
                row -> row.terms().direction().isSell() ? evmPool : chainPool,
                row -> CompletableFuture.completedFuture(binding()
                        .stillGood(row.terms(), row.minimumOut(), clocks())
                        .map(QuoteRefusal::message)),
                () -> full ? Optional.of("the disk is full") : Optional.empty(),
                clock(),
                follow.executor());
        return new Witnessed(both);
    }

    /** Counts looks, and holds every refund against the boundary. */
    private final class Witnessed implements Legs {
        private final Legs legs;

        Witnessed(Legs legs) {
            this.legs = legs;
        }

        @Override
        public CompletionStage<View> look(SwapRow row) {
            return legs.look(row).whenCompleteAsync((view, failure) -> looks.incrementAndGet(), follow.executor());
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row) {
            return legs.sendLock(row);
        }

        @Override
        public CompletionStage<Void> abandonLock(SwapRow row) {
            return legs.abandonLock(row);
        }

        @Override
        public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret) {
            truth.pushes(row);
            return legs.pushClaim(row, secret);
        }

        @Override
        public CompletionStage<String> takeBack(SwapRow row) {
            truth.takesBack(row);
            return legs.takeBack(row);
        }
    }

    private ChainSide chainSide() {
        SpendEnvironment env = environment();
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        follow.kit().spawn(SpendService.create(env, started), "spending");
        SpendService spending = Await.result(started);
        Sightings sightings = new Sightings(
                follow.books(), store.intents(), new HtlcParties(PROFILE, ours.address::equals), follow.executor());
        return new ChainSide(
                PROFILE,
                follow.client(),
                env.identity(),
                keys,
                spending,
                new HtlcSpends(PROFILE, env.identity(), keys, spending, sightings, HtlcOwners.NONE, follow.executor()),
                new HashLockBooks(follow.books(), follow.follower()::tip),
                new HtlcTransactions(PROFILE, follow.client(), follow.executor()),
                env.chain(),
                clock(),
                follow.executor());
    }

    private SpendEnvironment environment() {
        return new SpendEnvironment(
                PROFILE,
                follow.client(),
                new VerifiedOutputs(
                        PROFILE,
                        List.of(new IntentOutputs(PROFILE, store.intents(), follow.executor())),
                        follow.client(),
                        follow.executor(),
                        follow.meters()),
                identity(),
                () -> Optional.of(Network.DEVNET),
                new FollowedSpends(follow.follower(), new SpendingBooks(follow.books()), follow.executor()),
                Optional::empty,
                keys,
                store.intents(),
                store.reservations(),
                store.receipts(),
                store.allowance(),
                new Allowance.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                new Pace(
                        Duration.ofMillis(20),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofMinutes(10),
                        Duration.ofDays(30),
                        Duration.ofDays(1),
                        Duration.ofMillis(5),
                        100),
                Drawing.RANDOM,
                new SpendMetrics(follow.meters()),
                clock().withZone(ZoneOffset.UTC),
                follow.executor());
    }

    private ChainIdentity identity() {
        Hash256 genesis = chains.chain().genesisId();
        return new ChainIdentity() {
            @Override
            public CompletionStage<Hash256> genesisForSigning() {
                return CompletableFuture.completedFuture(genesis);
            }

            @Override
            public Optional<Hash256> expected() {
                return Optional.of(genesis);
            }

            @Override
            public Optional<String> complaint() {
                return Optional.empty();
            }
        };
    }

    /** The process ends; what it wrote stays. */
    void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        follow.close();
        seals.close();
        store.close();
    }

    /** The process dies and another one takes over. */
    void restart() {
        stop();
        start();
    }

    /** Whether one of the two endpoints of the account chain answers. */
    void endpoint(boolean answers) {
        if (answers && silent) {
            second.up();
        } else if (!answers && !silent) {
            second.down();
        }
        silent = !answers;
    }

    /** Whether the journal takes no writes. */
    void disk(boolean isFull) {
        full = isFull;
    }

    // What a caller does

    /** Empty when the quote was refused. */
    Optional<String> quote(Direction direction, String amount, PoolManners.Kind kind) {
        byte[] secret = Hash256.sha256(("secret " + ++swaps + folder).getBytes(StandardCharsets.UTF_8))
                .toArray();
        Hash256 hashLock = Hash256.sha256(secret);
        manners.expect(hashLock, kind);
        Optional<BigDecimal> price = Await.result(pool.info()).midPrice();
        PoolQuote quote =
                Await.result(pool.quote(new Pool.QuoteRequest(direction, amount, hashLock, ourEvm, ours.key)));
        BigInteger units = Units.parse(amount, Units.decimalsIn(direction)).orElseThrow();
        QuoteBinding.Outcome outcome = binding()
                .bind(
                        new QuoteBinding.Asked(
                                direction,
                                amount,
                                units,
                                hashLock,
                                new SwapTerms.Ours(ours.address, ours.key, ourEvm),
                                Optional.empty()),
                        quote,
                        price,
                        clocks());
        if (!(outcome instanceof QuoteBinding.Outcome.Bound bound)) {
            return Optional.empty();
        }
        SwapRow row =
                SwapRow.quoted("swap-" + swaps, quote.swapId(), "run-" + lives, bound.terms(), Optional.empty(), now());
        Optional<SwapJournal.Held> held = Await.result(journal.add(row, SecretBytes.copyOf(secret)));
        held.ifPresent(added -> engine.tell(new SwapEngine.Adopt(added)));
        held.ifPresent(added -> secrets.put(row.id(), secret));
        return held.map(added -> row.id());
    }

    /** All at once, as many callers would. */
    Map<String, SwapReply> execute(Collection<String> ids) {
        Map<String, CompletableFuture<SwapReply>> asked = new LinkedHashMap<>();
        for (String id : ids) {
            CompletableFuture<SwapReply> reply = new CompletableFuture<>();
            asked.put(id, reply);
            engine.tell(new SwapEngine.Execute(id, Optional.empty(), reply));
        }
        Map<String, SwapReply> replies = new LinkedHashMap<>();
        asked.forEach((id, reply) -> replies.put(id, Await.result(reply)));
        return replies;
    }

    SwapReply refund(String id) {
        CompletableFuture<SwapReply> reply = new CompletableFuture<>();
        engine.tell(new SwapEngine.Refund(id, reply));
        return Await.result(reply);
    }

    SwapRow row(String id) {
        return Await.result(journal.find(id)).orElseThrow();
    }

    /** Who sent the claim of the pool's lock in the contract. */
    EvmAddress claimant(String id) {
        String claim = row(id).acts().claimTx().orElseThrow();
        return chains.evm()
                .receipt(Hash256.parse(claim.substring(2)))
                .orElseThrow()
                .tx()
                .from();
    }

    // What time does

    /** The follower has the tip, and every open swap was looked at since. */
    void settle() {
        follow.awaitTip(chains.chain().tip().id());
        int before = looks.get();
        int open = Math.max(1, truth.open());
        Await.until("swaps are looked at", () -> looks.get() >= before + 2 * open || truth.open() == 0);
    }

    void round() {
        chains.round();
        settle();
    }

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /** As many as it takes, up to a bound. */
    void roundsUntil(BooleanSupplier condition) {
        for (int i = 0; i < 40 && !condition.getAsBoolean(); i++) {
            round();
        }
    }

    /** Whether its row has seen the pool's lock claimed. */
    boolean isClaimed(String id) {
        return row(id).poolLock() instanceof PoolLock.Claimed;
    }

    /** Many blocks at once, as far apart as they are. */
    void pass(int blocks) {
        for (int i = 0; i < blocks; i++) {
            clock().advance(Duration.ofSeconds(10));
            chains.chain().mine(1);
        }
        chains.evm().mine(EVM_DEPTH + 1);
        chains.pool().work();
        settle();
    }

    /** Files that hold a secret, as it is or in hexadecimal digits. */
    List<Path> leaks() throws IOException {
        List<Path> leaks = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                for (byte[] secret : secrets.values()) {
                    if (bytes.contains(new String(secret, StandardCharsets.ISO_8859_1))
                            || bytes.contains(Bytes.of(secret).hex())) {
                        leaks.add(file);
                    }
                }
            }
        }
        return leaks;
    }

    @Override
    public void close() {
        stop();
        second.close();
        chains.close();
    }
}
