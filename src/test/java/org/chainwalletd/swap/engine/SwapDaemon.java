package org.chainwalletd.swap.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.follow.FollowerSetup;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.gates.Units;
import org.chainwalletd.swap.legs.AccountSide;
import org.chainwalletd.swap.legs.BothLegs;
import org.chainwalletd.swap.legs.ChainNode;
import org.chainwalletd.swap.legs.ChainOwnLeg;
import org.chainwalletd.swap.legs.ChainParts;
import org.chainwalletd.swap.legs.ChainPoolLeg;
import org.chainwalletd.swap.legs.ChainSide;
import org.chainwalletd.swap.legs.EvmLegRig;
import org.chainwalletd.swap.legs.EvmOwnLeg;
import org.chainwalletd.swap.legs.EvmPoolLeg;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.Pool.PoolQuote;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.PlainKeys;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.PlainEvmKeys;

/** The parts of a daemon that swaps need, in one run: the engine with its real legs and all their dependencies, over real sockets. */
public final class SwapDaemon implements AutoCloseable {
    private static final ChainProfile PROFILE = SwapWorld.PROFILE;
    /** Interval of rounds that no nudge of the world starts. */
    private static final Duration PACE = Duration.ofMillis(250);

    private static final Duration FOLLOWING = Duration.ofMillis(150);

    /** State that survives a death of the process: its folder, its keys, and everything outside. */
    record Outside(
            Path folder,
            TwoChains chains,
            List<ChainNode> nodes,
            List<EvmEndpoint> endpoints,
            PlainKeys keys,
            Party ours,
            PlainEvmKeys evmKeys,
            EvmAddress ourEvm,
            SwapTruth truth,
            boolean relays) {
        SwapLimits limits() {
            return new SwapLimits(
                    new SwapLimits.Contract(
                            BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                            chains.evm().contract(),
                            chains.evm().codeHash()),
                    2,
                    Finality.FINALIZED,
                    OptionalLong.of(SwapWorld.CHAIN_DEPTH),
                    Sample.LONGEST,
                    new SwapLimits.Span(SwapWorld.CHAIN_MARGIN, SwapWorld.EVM_MARGIN),
                    Sample.MOST_PRICE,
                    false);
        }

        QuoteBinding binding() {
            return new QuoteBinding(limits(), ours.key::equals);
        }

        long now() {
            return chains.clock().instant().getEpochSecond();
        }

        QuoteBinding.Now clocks() {
            long height = chains.chain().tip().height();
            return new QuoteBinding.Now(now(), height, chains.evm().head().time(), Reward.at(height));
        }
    }

    private final Life life;
    private final String run;
    final FollowRig follow;
    private final SwapJournal journal;
    private final Pool pool;
    final ActorRef<SwapEngine.Command> engine;
    private final Outside outside;
    private final SqliteStore store;
    private final SealedClaims sealed;
    private final MortalStore mortal;
    private final DurableJournal durable;
    private final SealedRecords seals;
    private final AccountSide account;
    private final WitnessedLegs legs;
    private final HtlcBook htlcs;

    /** @param durable empty in the first run, which creates the file */
    SwapDaemon(Outside outside, Life life, String run, Consumer<SwapAlarm> alarms, Optional<DurableJournal> durable) {
        this.outside = outside;
        this.life = life;
        this.run = run;
        HtlcTable table = new HtlcTable(page -> outside.ours().address::equals);
        htlcs = new HtlcBook(PROFILE, table);
        SpendingTable spendings = new SpendingTable(
                page -> new SpendingTable.View(outside.ours().address::equals, table.view(page)::has));
        follow = new FollowRig(
                outside.folder(),
                List.of(htlcs, new SpendingBook(PROFILE, spendings)),
                SwapDaemon::following,
                outside.nodes().stream().map(ChainNode::uri).toArray(URI[]::new));
        store = SqliteStore.open(outside.folder());
        sealed = Await.result(SealedClaims.open(
                store, like -> CompletableFuture.completedFuture(TestSeals.of(like)), PROFILE, follow.executor()));
        mortal = new MortalStore(sealed, life, outside.truth());
        this.durable = durable.orElseGet(() -> new DurableJournal(outside.folder()));
        outside.truth().believes(this.durable);
        seals = TestSeals.of(Await.result(store.swaps().newest()).map(SwapEntry::content));
        journal = new SwapJournal(
                WatchedJournal.of(store.swaps(), life, this.durable, outside.truth()), seals, follow.executor());
        account = AccountSide.start(
                follow.kit(),
                outside.chains().evm(),
                outside.evmKeys(),
                mortal.accountSends(),
                follow.executor(),
                outside.endpoints().stream().map(EvmEndpoint::uri).toArray(URI[]::new));
        pool = EngineCalls.pool(follow.kit(), outside.chains(), follow.executor());
        legs = legs();
        engine = follow.kit()
                .spawn(SwapEngine.create(
                        new SwapSetup(
                                journal,
                                legs,
                                run,
                                outside.chains().clock(),
                                PACE,
                                () -> follow.follower().height(),
                                () -> false,
                                new SwapBook(),
                                row -> {},
                                outside.limits().margins(),
                                alarms),
                        new StalledSwaps()));
    }

    /**
     * As on a public chain, except for the work, which these blocks do not have: on a development chain a node may leave transactions out of a
     * block, and a lock in it would never be noticed.
     */
    private static FollowerSetup following(FollowerSetup usual) {
        return Copies.with(
                usual,
                "sources",
                Copies.with(usual.sources(), "rules", FollowRig.known(Network.TESTNET)),
                "rules",
                Copies.with(usual.rules(), "verifyWork", false),
                "interval",
                FOLLOWING);
    }

    DurableJournal durable() {
        return durable;
    }

    private WitnessedLegs legs() {
        SwapLimits limits = outside.limits();
        ChainSide side = chainSide();
        ChainPoolLeg chainPool = new ChainPoolLeg(side, limits);
        OwnLeg chainOwn = new ChainOwnLeg(side, limits, Optional.of(pool));
        EvmOwnLeg evmOwn = new EvmOwnLeg(
                account.endpoints(), account.sends(), limits, outside.chains().clock());
        Optional<EvmPoolLeg.Relay> relay = outside.relays()
                ? Optional.of(new EvmPoolLeg.Relay(pool, outside.chains().clock(), alarm -> {}))
                : Optional.empty();
        EvmPoolLeg evmPool = new EvmPoolLeg(account.endpoints(), account.sends(), limits, relay);
        BothLegs both = new BothLegs(
                row -> true,
                row -> row.terms().direction().isSell() ? chainOwn : evmOwn,
                row -> row.terms().direction().isSell() ? evmPool : chainPool,
                row -> CompletableFuture.completedFuture(
                        outside.binding().stillGood(row.terms(), row.minimumOut(), outside.clocks())),
                () -> life.isFull() ? Optional.of("the disk is full") : Optional.empty(),
                outside.chains().clock(),
                new BothLegs.Threads(EvmLegRig.THREADS, EvmLegRig.THREADS, EvmLegRig.THREADS, EvmLegRig.THREADS),
                follow.executor());
        return new WitnessedLegs(both, life, outside.truth(), follow.executor());
    }

    private Store mortalStore() {
        return Stub.of(Store.class, call -> switch (call.name()) {
            case "reservations" -> mortal.reservations();
            case "allowance" -> mortal.allowance();
            default -> call.on(sealed);
        });
    }

    private ChainSide chainSide() {
        return ChainParts.start(
                        follow,
                        htlcs,
                        outside.chains().chain(),
                        outside.keys(),
                        new SpendEnvironment.Stores(mortalStore(), mortal.intents(), Optional.empty()),
                        new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                        new Pace(
                                Duration.ofMillis(50),
                                Duration.ofMillis(50),
                                Duration.ofMillis(250),
                                Duration.ofMinutes(10),
                                Duration.ofDays(30),
                                Duration.ofMillis(5),
                                100),
                        HtlcOwners.NONE,
                        outside.chains().clock())
                .side();
    }

    /** Empty when the quote was refused. */
    Optional<SwapJournal.Held> quote(String id, Direction direction, String amount, byte[] secret) {
        Hash256 hashLock = Hash256.sha256(secret);
        SwapTerms.Ours ours = new SwapTerms.Ours(outside.ours().address, outside.ours().key, outside.ourEvm());
        Optional<BigDecimal> price = Await.result(pool.info()).midPrice();
        PoolQuote quote =
                Await.result(pool.quote(new Pool.QuoteRequest(direction, amount, hashLock, ours.evm(), ours.key())));
        BigInteger units = Units.parse(amount, Units.decimalsIn(direction)).orElseThrow();
        QuoteBinding.Asked asked = new QuoteBinding.Asked(direction, amount, units, hashLock, ours, Optional.empty());
        SwapTerms terms;
        try {
            terms = outside.binding().bind(asked, quote, price, outside.clocks());
        } catch (RefusedException refused) {
            return Optional.empty();
        }
        SwapRow row = SwapRow.quoted(id, quote.swapId(), run, terms, Optional.empty(), outside.now());
        try (SecretBytes kept = SecretBytes.copyOf(secret)) {
            Optional<SwapJournal.Held> held = Await.result(journal.add(row, kept));
            held.ifPresent(added -> engine.tell(new SwapEngine.Adopt(added)));
            return held;
        }
    }

    /** Returns the counter of observations. */
    WitnessedLegs witness() {
        return legs;
    }

    /** Ends the process; what it wrote is kept. */
    @Override
    public void close() {
        follow.close();
        seals.close();
        sealed.close();
    }
}
