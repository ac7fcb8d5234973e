package org.chainwalletd.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.CreditBook;
import org.chainwalletd.coins.CreditPruner;
import org.chainwalletd.coins.KeyWatch;
import org.chainwalletd.coins.LedgerBook;
import org.chainwalletd.coins.SeenCredits;
import org.chainwalletd.coins.WalletWatch;
import org.chainwalletd.coins.WatchOnly;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.FollowerSetup;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.WorkCheck;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.spend.SpendChain;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follower of the chain, with the books that it keeps.
 *
 * @param ledger coins of own addresses
 * @param books tables of the ledger
 * @param watchOnly addresses whose keys are elsewhere
 * @param credits payments to own addresses
 * @param spends confirmation state of own transactions
 */
record Following(
        Follower follower,
        CoinLedger ledger,
        LedgerBooks books,
        WatchOnly watchOnly,
        CreditFeed credits,
        SpendChain spends) {
    private static final Logger LOG = LoggerFactory.getLogger(Following.class);
    private static final Duration WATCH_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration KEYS = Duration.ofSeconds(5);
    private static final Duration FIGURES = Duration.ofSeconds(2);
    private static final Duration PRUNING = Duration.ofMinutes(10);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final LedgerBook LEDGER = new LedgerBook();

    /** Table of credits; an address is credited from the moment the ledger watches it. */
    private static final CreditTable CREDITS =
            new CreditTable(page -> creditsView(LEDGER.table().view(page), page));

    private static final HtlcTable HTLCS = new HtlcTable(page -> LEDGER.table().view(page)::isOwned);

    private static final SpendingTable SPENDINGS = new SpendingTable(
            page -> new SpendingTable.View(LEDGER.table().view(page)::isOwned, HTLCS.view(page)::has));

    private static CreditTable.View creditsView(LedgerTable.View ledger, Page page) {
        return new CreditTable.View() {
            @Override
            public boolean tells(Address address) {
                return ledger.isWatched(address);
            }

            @Override
            public boolean owns(Address address) {
                return ledger.isOwned(address);
            }

            @Override
            public boolean redeems(Outpoint lock, HtlcSpend spend) {
                return HtlcTable.redeemer(page, lock, spend)
                        .filter(ledger::isOwned)
                        .isPresent();
            }
        };
    }

    /** All tables of {@code books.db}. */
    static List<BookTable<?, ?>> tables() {
        return List.of(LEDGER.table(), HTLCS, CREDITS, SPENDINGS);
    }

    /** Creates the book of HTLCs, for each part that writes to it. */
    static HtlcBook htlcs(Settings settings) {
        return new HtlcBook(settings.chain(), HTLCS);
    }

    /** Starts to follow the chain. */
    static Following start(Resources resources) {
        DaemonContext context = resources.context();
        Keyring keyring = resources.keyring();
        Store store = resources.store();
        Books file = resources.books();
        Executor upstream = resources.upstream();
        LedgerBooks books = new LedgerBooks(file);
        context.keeper()
                .add(
                        "books",
                        () -> unlessStopped(
                                file.beginRun(), upstream, () -> store.stopped().isPresent()),
                        () -> unlessStopped(file.endEpoch(), upstream));
        context.keeper().endedBy(file::isReplaced);
        watchMissing(books, keyring, upstream);
        WatchOnly.WatchedInBooks watching =
                (births, unwatched) -> books.settleWatchOnly(births, unwatched, keyring::owns);
        List<WatchStore.WatchOnly> rows = settleWatchOnly(books::watchOnly, watching, store, keyring, upstream);
        Follower follower = follow(resources);
        CreditFeed credits = new CreditFeed(file, () -> follower.tip().map(FollowedTip::place));
        return new Following(
                follower,
                new CoinLedger(books, follower, upstream),
                books,
                WatchOnly.start(
                        context.guardian(),
                        rows,
                        store.watchOnly(),
                        watching,
                        keyring::owns,
                        context.workers().blocking("watch-only")),
                credits,
                new SpendChain.Followed(follower, new SpendingBooks(file), upstream));
    }

    /** Ignores the failure of a change that was not written because the books are stopped; they stay readable. */
    private static CompletionStage<Void> unlessStopped(CompletionStage<Void> change, Executor executor) {
        return unlessStopped(change, executor, () -> true);
    }

    /** @param passes whether the change may be skipped: stopped books alone resume when a daemon is started, those of a stopped store do not */
    private static CompletionStage<Void> unlessStopped(
            CompletionStage<Void> change, Executor executor, BooleanSupplier passes) {
        return change.exceptionallyAsync(
                failure -> {
                    if (Causes.of(failure) instanceof StoreException store
                            && store.reason() == StoreException.Reason.STOPPED
                            && passes.getAsBoolean()) {
                        return null;
                    }
                    throw Causes.passedOn(failure);
                },
                executor);
    }

    /**
     * Registers keys that are not watched yet: because of a crash before their callers were answered, because the books were lost, or because
     * an older release did not watch them. A rescan reads the blocks from their births onwards. The births are read from files only if there
     * are such keys.
     */
    private static void watchMissing(LedgerBooks books, Keyring keyring, Executor executor) {
        if (keyring.hasOnly(Futures.await(books.allWatchedJoined(), WATCH_TIMEOUT, "reading which keys are watched"))) {
            return;
        }
        Set<Address> watched = Futures.await(books.allWatched(), WATCH_TIMEOUT, "reading which keys are watched");
        Map<Address, Long> births = new HashMap<>();
        for (OwnKey key : Futures.await(keyring.keys(), WATCH_TIMEOUT, "reading the births of the keys")) {
            births.put(key.address(), key.birth().orElse(0));
        }
        births.keySet().removeAll(watched);
        Futures.await(unlessStopped(books.settle(births, List.of()), executor), WATCH_TIMEOUT, "watching the keys");
    }

    /**
     * Makes the books watch exactly the addresses of the watch-only rows, and returns these rows. The two may differ: after a crash, when the
     * books are new, and when a key was added whose row was not removed. A stopped store may lack rows of addresses that the books continue
     * to watch.
     */
    private static List<WatchStore.WatchOnly> settleWatchOnly(
            Supplier<CompletionStage<Set<Address>>> watched,
            WatchOnly.WatchedInBooks books,
            Store money,
            Keyring keyring,
            Executor executor) {
        WatchStore store = money.watchOnly();
        String what = "watching addresses whose keys are elsewhere";
        // In this order: otherwise an address that another daemon starts to watch in between would look like one
        // without a row.
        Set<Address> withoutRow = new HashSet<>(Futures.await(watched.get(), WATCH_TIMEOUT, what));
        List<WatchStore.WatchOnly> rows = new ArrayList<>(Futures.await(store.all(), WATCH_TIMEOUT, what));
        List<Address> owned = rows.stream()
                .map(WatchStore.WatchOnly::address)
                .filter(keyring::owns)
                .toList();
        rows.removeIf(row -> owned.contains(row.address()));
        Map<Address, OptionalLong> births = new HashMap<>();
        rows.forEach(row -> births.put(row.address(), row.birth()));
        if (money.stopped().isPresent()) {
            withoutRow.clear();
        }
        withoutRow.removeAll(births.keySet());
        if (!births.isEmpty() || !withoutRow.isEmpty()) {
            Futures.await(unlessStopped(books.settle(births, withoutRow), executor), WATCH_TIMEOUT, what);
        }
        // Another daemon may have started to watch some of them again.
        Map<Address, OptionalLong> watchedAgain = new HashMap<>();
        if (!withoutRow.isEmpty()) {
            Futures.await(store.all(), WATCH_TIMEOUT, what).stream()
                    .filter(row -> withoutRow.contains(row.address()))
                    .forEach(row -> watchedAgain.put(row.address(), row.birth()));
        }
        if (!watchedAgain.isEmpty()) {
            Futures.await(unlessStopped(books.settle(watchedAgain, List.of()), executor), WATCH_TIMEOUT, what);
        }
        if (!owned.isEmpty()) {
            // A stopped store is not written; an address with a key counts as owned even if its row remains.
            store.remove(owned)
                    .whenCompleteAsync(
                            (removed, failure) -> {
                                if (failure != null) {
                                    LOG.warn(
                                            "rows of watch-only addresses that now have keys could not be removed: {}",
                                            failure.toString());
                                }
                            },
                            Runnable::run);
        }
        return rows;
    }

    /** Starts to keep the watched addresses in sync with the keyring. */
    void watchKeys(Resources resources, Consumer<List<Address>> newest, Consumer<List<Address>> withoutKeys) {
        Keyring keyring = resources.keyring();
        // Startup has already separated all keys known at this point from the watch-only addresses; their rows may
        // remain.
        keyring.watch(watchOnly);
        watchOnly.tellNewest(withoutKeys);
        resources
                .context()
                .guardian()
                .spawn(
                        KeyWatch.create(
                                new KeyWatch.Setup(books::allWatched, books::settle, keyring::watch, newest, KEYS)),
                        "key-watch");
    }

    /** Starts to compute the figures of the wallet, which are metrics. */
    void watchWallet(Resources resources) {
        DaemonContext context = resources.context();
        ledger.figures().measure(context.meters());
        context.guardian()
                .spawn(
                        WalletWatch.create(new WalletWatch.Setup(
                                books,
                                follower::status,
                                resources.keyring()::list,
                                ledger.figures(),
                                FIGURES,
                                context.clock())),
                        "wallet-watch");
    }

    /** Starts to remove old credits, if configured. */
    void forgetCredits(Resources resources) {
        DaemonContext context = resources.context();
        long days = context.settings().follow().creditsKeepDays();
        if (days > 0) {
            context.keeper()
                    .begin(
                            "credit-pruner",
                            CreditPruner.create(resources.books(), Duration.ofDays(days), PRUNING, context.clock()),
                            command -> {});
        }
    }

    /** Starts to record credits seen in mempools. */
    ActorRef<SeenCredits.Command> seeCredits(Resources resources, Runnable changed) {
        List<NodeClient> each = resources.nodes().client().each().stream()
                .map(client -> client.hasty().background())
                .toList();
        SeenCredits.Setup setup = new SeenCredits.Setup(
                resources.books(),
                new CreditBook(resources.settings().chain(), CREDITS),
                each,
                follower::subscribe,
                changed,
                resources.upstream());
        SeenCredits.hearOthers(setup);
        return resources
                .context()
                .keeper()
                .begin("seen-credits", SeenCredits.create(setup), command -> SeenCredits.whileStopped(setup, command));
    }

    private static Follower follow(Resources resources) {
        DaemonContext context = resources.context();
        Settings settings = context.settings();
        Nodes nodes = resources.nodes();
        return Follower.start(
                context.keeper(),
                new FollowerSetup(
                        settings.chain(),
                        new FollowerSetup.Sources(
                                named(settings, nodes.followed()),
                                nodes.client().hasty(),
                                node -> nodes.rules(node, resources.upstream())),
                        resources.books(),
                        List.of(
                                LEDGER,
                                htlcs(settings),
                                new CreditBook(settings.chain(), CREDITS),
                                new SpendingBook(settings.chain(), SPENDINGS)),
                        rules(settings),
                        new WorkCheck(settings.chain(), context.workers().background()),
                        context.meters(),
                        INTERVAL,
                        settings.node().callTimeout(),
                        context.clock(),
                        resources.upstream()));
    }

    /** Rules of the follower. An operator who follows only new blocks gets no rescan without asking for it. */
    private static FollowerSetup.Rules rules(Settings settings) {
        Settings.Follow follow = settings.follow();
        Optional<Long> from = follow.from().filter(height -> height != Settings.Follow.NOW);
        return new FollowerSetup.Rules(
                follow.verifyWork(),
                settings.identity().genesis(),
                follow.checkpoint().map(named -> new BlockPlace(named.height(), named.blockId())),
                from,
                follow.from().isEmpty() || from.isPresent());
    }

    /** Creates a view of each node, in the order of the settings. */
    private static List<FollowedNode> named(Settings settings, List<NodeClient> clients) {
        List<FollowedNode> named = new ArrayList<>();
        for (NodeClient client : clients) {
            int index = named.size();
            String name = index < settings.node().urls().size()
                    ? settings.node().urls().get(index).toString()
                    : "node " + index;
            named.add(new FollowedNode(name, client));
        }
        return named;
    }
}
