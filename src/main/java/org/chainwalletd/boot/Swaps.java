package org.chainwalletd.boot;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.ledger.Effort;
import org.chainwalletd.devnet.ledger.Genesis;
import org.chainwalletd.devnet.pool.Trial;
import org.chainwalletd.event.EventHub;
import org.chainwalletd.event.OwnEvents.SwapEvents;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.HtlcTransactions;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.method.SwapWords;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.BookReader;
import org.chainwalletd.swap.engine.LocksWithoutRow;
import org.chainwalletd.swap.engine.Quoting;
import org.chainwalletd.swap.engine.RowAudit;
import org.chainwalletd.swap.engine.SwapAlarms;
import org.chainwalletd.swap.engine.SwapBook;
import org.chainwalletd.swap.engine.SwapEngine;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapJournal;
import org.chainwalletd.swap.engine.SwapNews;
import org.chainwalletd.swap.engine.SwapService;
import org.chainwalletd.swap.engine.SwapSetup;
import org.chainwalletd.swap.engine.SwapUpkeep;
import org.chainwalletd.swap.engine.Watchtower;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.BothLegs;
import org.chainwalletd.swap.legs.ChainOwnLeg;
import org.chainwalletd.swap.legs.ChainPoolLeg;
import org.chainwalletd.swap.legs.ChainSide;
import org.chainwalletd.swap.legs.ContractCheck;
import org.chainwalletd.swap.legs.EvmOwnLeg;
import org.chainwalletd.swap.legs.EvmPoolLeg;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.legs.SwapClocks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Swap engine, and the data about open swaps for other parts.
 *
 * @param service empty without an engine
 * @param keys keys of the journal; closed after all actors have stopped
 */
record Swaps(Optional<SwapService> service, Optional<SealedRecords> keys) {
    private static final Logger LOG = LoggerFactory.getLogger(Swaps.class);
    private static final Duration OPENING_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PACE = Duration.ofSeconds(5);
    private static final Duration DEVELOPMENT_PACE = Duration.ofSeconds(1);
    private static final Duration WATCH_PACE = Duration.ofSeconds(15);
    private static final int RUN_LENGTH = 16;

    /** Dependencies of the swaps. */
    record Parts(
            Resources resources,
            Following following,
            SpendService spending,
            Htlcs htlcs,
            Optional<Accounts> accounts,
            SwapBook book,
            EventHub hub,
            BooleanSupplier stopping) {}

    /** Swaps as owners of locks and keys, at one of several daemons on a store; empty for the only daemon of a store, which always knows them. */
    static Optional<SwapOwners> owners(SwapBook book, Resources resources) {
        Settings settings = resources.settings();
        return settings.database()
                .map(shared -> new SwapOwners(
                        book,
                        resources.context().keeper()::isRunning,
                        rules(settings).isPresent(),
                        resources.store().swaps(),
                        resources.upstream()));
    }

    private static Optional<Settings.Swapping> rules(Settings settings) {
        return settings.swaps().partner().flatMap(Settings.Swap::swapping);
    }

    /**
     * Reads the open swaps, and starts the engine if it is configured. Of several daemons on a database one runs the engine, and reads the
     * swaps again when it starts. Blocks.
     *
     * @throws StartupException when the contract is not the pinned one, or when an open swap was made under another configuration or would be
     *     left unattended
     */
    static Swaps start(Parts parts) {
        Background background = parts.resources().context().keeper();
        Settings settings = parts.resources().settings();
        SwapBook book = parts.book();
        SwapEvents events = new SwapEvents(
                parts.hub(), SwapWords.of(settings.chain(), settings.account().words()));
        SwapNews news = new SwapNews(book, parts.resources().context().meters(), events);
        Optional<Settings.Swapping> rules = rules(settings);
        parts.accounts().ifPresent(account -> account.sends().reserveFor(book));
        if (rules.isEmpty() && settings.database().isPresent()) {
            background.begin("swap-book", BookReader.create(book, () -> readUnattended(parts), PACE), command -> {});
        }
        if (settings.database().isPresent()) {
            book.outdate();
        }
        List<SwapEntry> watched =
                Futures.await(parts.resources().store().swaps().watched(), OPENING_TIMEOUT, "reading the swap journal");
        if (rules.isEmpty() && watched.isEmpty()) {
            book.leaveToOperator();
            return new Swaps(Optional.empty(), Optional.empty());
        }
        Optional<SwapEntry> newest =
                Futures.await(parts.resources().store().swaps().newest(), OPENING_TIMEOUT, "reading the swap journal");
        SealedRecords keys = Futures.await(
                parts.resources().keyring().swapJournal(newest.map(SwapEntry::content)),
                OPENING_TIMEOUT,
                "opening the swap journal");
        SwapJournal journal = new SwapJournal(
                parts.resources().store().swaps(),
                keys,
                parts.resources().workers().journals());
        List<SwapRow> rows = Futures.await(journal.watchedRows(), OPENING_TIMEOUT, "opening the swap journal");
        rows.forEach(book::enter);
        if (rules.isEmpty()) {
            requireLeaveOpen(rows, settings.swaps().leaveOpen());
            book.leaveToOperator();
            return new Swaps(Optional.empty(), Optional.of(keys));
        }
        Engine engine = new Engine(
                parts,
                rules.get(),
                journal,
                news,
                new SwapAlarms(
                        parts.resources().context().meters(),
                        events::alarm,
                        parts.resources().context().clock()));
        engine.refuseOther(rows);
        engine.refuseContract();
        book.leaveToEngine();
        return new Swaps(Optional.of(engine.start(background)), Optional.of(keys));
    }

    /**
     * Refuses a start without the engine while swaps are open, unless the operator allows it: a missed deadline can lose their money, so a
     * forgotten option must not suffice.
     */
    private static void requireLeaveOpen(List<SwapRow> rows, boolean isWanted) {
        List<SwapRow> open =
                rows.stream().filter(row -> row.status().holdsMoney()).toList();
        if (!open.isEmpty() && !isWanted) {
            SwapRow first = open.get(0);
            throw new StartupException(open.size() + " swaps hold money, and nobody would look after them: swap "
                    + first.id() + " is " + first.status().word() + ". Start with --swap-contract "
                    + first.terms().account().contract()
                    + first.terms()
                            .account()
                            .chainId()
                            .map(id -> ", --evm-chain-id " + id)
                            .orElse("")
                    + " and the other options of swaps until they are over; --swap-leave-open true starts without, and"
                    + " leaves their money to the deadlines");
        }
        logUnattended(rows);
    }

    /** Reads the swaps of other daemons on the store, for a daemon without an engine. */
    private static CompletionStage<List<SwapRow>> readUnattended(Parts parts) {
        Executor threads = parts.resources().workers().journals();
        return parts.resources()
                .store()
                .swaps()
                .watched()
                .thenComposeAsync(
                        found -> found.isEmpty()
                                ? CompletableFuture.completedFuture(List.of())
                                : parts.resources()
                                        .keyring()
                                        .swapJournal(Optional.of(found.get(0).content()))
                                        .thenComposeAsync(keys -> read(parts, keys), threads),
                        threads);
    }

    private static CompletionStage<List<SwapRow>> read(Parts parts, SealedRecords keys) {
        Executor threads = parts.resources().workers().journals();
        return new SwapJournal(parts.resources().store().swaps(), keys, threads)
                .watchedRows()
                .whenCompleteAsync((rows, failure) -> keys.close(), threads)
                .thenApplyAsync(
                        rows -> {
                            logUnattended(rows);
                            return rows;
                        },
                        threads);
    }

    /** Logs swaps that nothing attends to. A finished swap may still have an unclaimed lock of ours; no deadline endangers it. */
    private static void logUnattended(List<SwapRow> rows) {
        rows.stream()
                .filter(row -> row.status() != SwapStatus.QUOTED && !row.isSettled())
                .forEach(row -> LOG.error(
                        "swap {} is {} and unattended: start with --swap-contract {} and the other options of swaps",
                        row.id(),
                        row.status().word(),
                        row.terms().account().contract()));
    }

    /** Startup of the engine. */
    private record Engine(Parts parts, Settings.Swapping rules, SwapJournal journal, SwapNews news, SwapAlarms alarms) {
        private Accounts account() {
            return parts.accounts().orElseThrow();
        }

        /** Refuses open swaps of another contract or chain, because the checks before a secret is revealed use the configured ones. */
        void refuseOther(List<SwapRow> rows) {
            rows.stream().filter(row -> row.status().holdsMoney()).forEach(this::refuseOther);
            rows.stream()
                    .filter(row -> !isHere(row))
                    .forEach(row -> LOG.error(
                            "swap {} is {} and unattended: it was made on the account chain {}",
                            row.id(),
                            row.status().word(),
                            row.terms().account().chainId().orElseThrow()));
        }

        private void refuseOther(SwapRow row) {
            SwapTerms.AccountLeg made = row.terms().account();
            if (!isHere(row)) {
                throw new StartupException("swap " + row.id() + " is open on the account chain "
                        + made.chainId().orElseThrow() + ", not on --evm-chain-id "
                        + account().chain().chainId() + ": start with that one and its endpoints until it is over");
            }
            if (!made.contract().equals(rules.contract())) {
                throw new StartupException("swap " + row.id() + " is open with the contract " + made.contract()
                        + ", not with --swap-contract " + rules.contract() + ": start with that one until it is over");
            }
        }

        private boolean isHere(SwapRow row) {
            return row.terms().account().isOn(account().chain().chainId());
        }

        /**
         * Refuses a contract that is not the pinned one. A quorum that does not answer does not prevent the start: refunds must proceed, and
         * nothing is locked or revealed without another check.
         */
        void refuseContract() {
            Optional<String> objection = Optional.empty();
            try {
                objection = new ContractCheck(account().chain(), rules.contract(), rules.codeHash()).objection();
            } catch (RuntimeException e) {
                LOG.warn("the swap contract cannot be checked now: {}", e.toString());
            }
            objection.ifPresent(against -> {
                throw new StartupException("--swap-contract: " + against + ": correct it or --swap-contract-code-hash");
            });
        }

        SwapService start(Background background) {
            SwapLimits limits = limits();
            if (limits.development()) {
                LOG.info("swaps run on development chains: the age of their blocks is not checked");
            }
            String run = run();
            SwapClocks clocks = new SwapClocks(
                    account().chain(),
                    parts.following().follower()::tip,
                    parts.resources().context().clock(),
                    parts.resources().upstream());
            QuoteBinding binding = binding(limits);
            Legs legs = legs(limits, binding, clocks);
            SwapSetup setup = new SwapSetup(
                    journal,
                    legs,
                    run,
                    clocks.clock(),
                    limits.development() ? DEVELOPMENT_PACE : PACE,
                    parts.following().follower()::height,
                    parts.stopping(),
                    parts.book(),
                    news,
                    limits.margins(),
                    alarms);
            StalledSwaps stalled = new StalledSwaps();
            ActorRef<SwapEngine.Command> engine =
                    background.begin("swaps", SwapEngine.create(setup, stalled), SwapEngine::whileStopped);
            Runnable nudge = () -> engine.tell(new SwapEngine.Nudge());
            account().sends().onChange(record -> nudge.run());
            account().sends().onStop(stop -> alarms.accept(SwapAlarm.of(stop)));
            background.begin(
                    "swap-upkeep",
                    SwapUpkeep.create(journal, parts.following().follower()::subscribe, nudge, clocks.clock()),
                    command -> {});
            background.begin(
                    "swap-watchtower", Watchtower.create(watchtower(limits, legs, clocks, engine)), command -> {});
            return new SwapService(
                    engine,
                    quoting(binding, clocks, run),
                    journal,
                    stalled,
                    news,
                    parts.resources().workers().answers());
        }

        /** Combines the legs of both chains: in a sell our lock is on the chain, in a buy in the contract. */
        private Legs legs(SwapLimits limits, QuoteBinding binding, SwapClocks clocks) {
            AccountChain evm = account().chain();
            ChainSide chain = chainSide(clocks.clock());
            OwnLeg ownOnChain =
                    new ChainOwnLeg(chain, limits, parts.resources().external().pool());
            OwnLeg ownInContract = new EvmOwnLeg(evm, account().sends(), limits, clocks.clock());
            PoolLeg poolInContract = new EvmPoolLeg(evm, account().sends(), limits, relay(clocks));
            PoolLeg poolOnChain = new ChainPoolLeg(chain, limits);
            return new BothLegs(
                    row -> isHere(row)
                            && (!row.status().holdsMoney()
                                    || row.terms()
                                            .account()
                                            .contract()
                                            .equals(limits.contract().address())),
                    row -> row.terms().direction().isSell() ? ownOnChain : ownInContract,
                    row -> row.terms().direction().isSell() ? poolInContract : poolOnChain,
                    row -> clocks.against(binding, row),
                    this::sendObstacle,
                    clocks.clock(),
                    parts.resources().workers().swaps(),
                    parts.resources().upstream());
        }

        private ChainSide chainSide(InstantSource clock) {
            Resources resources = parts.resources();
            Follower follower = parts.following().follower();
            ChainProfile chain = resources.settings().chain();
            NodeClient nodes = resources.nodes().client();
            return new ChainSide(
                    chain,
                    nodes,
                    resources.nodes().chain(),
                    resources.keyring(),
                    parts.spending(),
                    parts.htlcs().methods().spends(),
                    new HashLockBooks(resources.books(), follower::tip),
                    new HtlcTransactions(chain, nodes, resources.upstream()),
                    parts.following().spends(),
                    clock,
                    () -> follower.status().highest(),
                    resources.upstream());
        }

        /** Sends a claim for which we have no gas; if empty, a swap that needs it is not started. */
        private Optional<EvmPoolLeg.Relay> relay(SwapClocks clocks) {
            return rules.allowRelay()
                    ? Optional.of(new EvmPoolLeg.Relay(
                            parts.resources().external().pool().orElseThrow(), clocks.clock(), alarms))
                    : Optional.empty();
        }

        private Watchtower.Setup watchtower(
                SwapLimits limits, Legs legs, SwapClocks clocks, ActorRef<SwapEngine.Command> engine) {
            AccountChain chain = account().chain();
            Consumer<String> rewatch = id -> engine.tell(new SwapEngine.Rewatch(id));
            return new Watchtower.Setup(
                    chain,
                    rules.contract(),
                    rules.fromBlock(),
                    parts.resources().keyring().evm()::kept,
                    parts.resources().store().scans(),
                    new RowAudit(
                            journal,
                            legs,
                            rewatch,
                            alarms,
                            () -> clocks.clock().instant().getEpochSecond()),
                    new LocksWithoutRow(new LocksWithoutRow.Setup(
                            chain,
                            account().sends(),
                            rules.contract(),
                            journal,
                            parts.htlcs().records(),
                            parts.following().follower()::tip,
                            parts.spending()::ofTokenForCertain,
                            parts.htlcs().methods().spends()::redeem,
                            parts.resources().settings().chain(),
                            rewatch,
                            alarms)),
                    limits.development() ? DEVELOPMENT_PACE : WATCH_PACE,
                    parts.resources().workers().watchtower());
        }

        private QuoteBinding binding(SwapLimits limits) {
            Keyring keyring = parts.resources().keyring();
            ChainProfile chain = parts.resources().settings().chain();
            return new QuoteBinding(limits, key -> keyring.owns(chain.addressOf(key)));
        }

        private Quoting quoting(QuoteBinding binding, SwapClocks clocks, String run) {
            Keyring keyring = parts.resources().keyring();
            Executor executor = parts.resources().workers().answers();
            return new Quoting(
                    binding,
                    parts.resources().external().pool().orElseThrow(),
                    account().chain(),
                    address ->
                            keyring.find(address).thenApplyAsync(entry -> entry.flatMap(KeyEntry::publicKey), executor),
                    keyring.evm(),
                    clocks,
                    journal,
                    parts.book(),
                    run,
                    new SecureRandom(),
                    executor);
        }

        /** Reason why a claim could not be sent now: a shutdown, or a store that cannot be written. */
        private Optional<String> sendObstacle() {
            if (parts.stopping().getAsBoolean()) {
                return Optional.of("the daemon is being stopped");
            }
            return parts.resources().store().died().toCompletableFuture().isDone()
                    ? Optional.of("the store cannot be written")
                    : Optional.empty();
        }

        private SwapLimits limits() {
            return new SwapLimits(
                    new SwapLimits.Contract(account().chain().chainId(), rules.contract(), rules.codeHash()),
                    account().chain().quorum(),
                    account().chain().finality(),
                    rules.chainConfirmations(),
                    new SwapLimits.Span(rules.lockBlocks(), rules.lockSecs()),
                    new SwapLimits.Span(rules.chainMarginBlocks(), rules.evmMarginSecs()),
                    new SwapLimits.Price(rules.maxFeeBps(), rules.maxImpactBps()),
                    isDevelopment());
        }

        /**
         * Whether both chains are development chains, whose coins are worthless. Depends on the operator's settings only, never on data from
         * a node.
         */
        private boolean isDevelopment() {
            ChainProfile chain = parts.resources().settings().chain();
            Optional<Hash256> named = parts.resources().settings().identity().genesis();
            boolean ofDevnet = named.equals(Optional.of(Genesis.block(chain).id()))
                    || named.equals(
                            Optional.of(Genesis.block(chain, Effort.WORK).id()));
            return ofDevnet && account().chain().chainId().equals(BigInteger.valueOf(Trial.CHAIN_ID));
        }

        private static String run() {
            byte[] bytes = new byte[RUN_LENGTH];
            new SecureRandom().nextBytes(bytes);
            return HexFormat.of().formatHex(bytes);
        }
    }
}
