package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.Scope;
import org.chainwalletd.config.OpenFiles;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.Version;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.event.EventHub;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.event.OwnEvents.HtlcEvents;
import org.chainwalletd.event.OwnEvents.PayoutEvents;
import org.chainwalletd.event.OwnEvents.SpendEvents;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.http.HttpServer;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.observe.LogSetup;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.Handover;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.KeyUseGuards;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.ObservedIntentStore.IntentListener;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.engine.SwapBook;
import org.chainwalletd.sweep.Sweeps;
import org.chainwalletd.wait.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole daemon in one process: started in order, stopped in the opposite one. A start that fails takes back what it had begun and
 * leaves nothing listening.
 */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
    private static final Duration OPENING = Duration.ofMinutes(2);
    private static final Duration LOCK_LOOKED_AT = Duration.ofSeconds(1);

    private final ShutdownSequence shutdown = new ShutdownSequence();
    private final ShutdownSequence.WaitEndings waits = new ShutdownSequence.WaitEndings();
    private final ShutdownSequence.Times times = new ShutdownSequence.Times();
    /** Budget of bytes buffered on behalf of nodes and clients: each a quarter of the heap, together no more than three eighths. */
    private final ByteBudget heldForPeers = ByteBudget.ofHeap(3, 8);

    private final Settings settings;
    private final Argon2 cost;
    private final Clock clock;
    private final Consumer<String> console;
    private final CompletableFuture<Void> gaveUp = new CompletableFuture<>();
    private Optional<ActorSystem<Guardian.Command>> actors = Optional.empty();
    private Consumer<ShutdownSequence.Stop> swapKeys;
    private Consumer<ShutdownSequence.Stop> claimKeys;
    private Consumer<ShutdownSequence.Stop> storeOpen;
    private Consumer<ShutdownSequence.Stop> booksOpen;
    /** Looks for what other daemons have written into the books. */
    private Runnable lookIntoBooks = () -> {};

    /** Checks every key, whose births are in files: the start need not wait for it, nor share the processor with it. */
    private Runnable watchKeys = () -> {};

    /** Tells the other daemons of a database where this one is called. */
    private Consumer<String> toldAddress = address -> {};

    private ExternalServices external;
    private Keeper keeper;
    private HttpFrontend frontend;
    private Optional<DatabaseCluster> cluster = Optional.empty();
    /** Whether the daemon is stopping: no swap reveals its secret from then on. */
    private volatile boolean stopping;

    private Daemon(Settings settings, Consumer<String> console, Argon2 cost, Clock clock) {
        this.settings = settings;
        this.cost = cost;
        this.clock = clock;
        this.console = console;
    }

    /**
     * Starts the daemon, which serves when this returns.
     *
     * @param passphrase overwritten when it is no longer needed
     * @param console receives lines for the operator: new tokens, fingerprint, addresses
     * @throws StartupException when it cannot start, with one line that says what to do
     */
    public static Daemon start(Settings settings, SecretBytes passphrase, Consumer<String> console) {
        return start(settings, passphrase, console, Argon2.SPECIFIED, Clock.systemUTC());
    }

    /**
     * Starts the daemon as {@link #start(Settings, SecretBytes, Consumer)} does, with sealed files that cost less, for tests: no other daemon can
     * open them.
     *
     * @param cost Argon2 cost of every sealed file
     * @param clock which may be wrong, as that of a machine may
     */
    public static Daemon start(
            Settings settings, SecretBytes passphrase, Consumer<String> console, Argon2 cost, Clock clock) {
        Daemon daemon = new Daemon(settings, console, cost, clock);
        try {
            daemon.begin(passphrase);
            return daemon;
        } catch (RuntimeException | IOException | Error e) {
            daemon.close();
            passphrase.close();
            throw StartupRefusals.explain(e, settings);
        }
    }

    private void begin(SecretBytes passphrase) throws IOException {
        refuseEarly();
        DatadirLock lock = DatadirLock.acquire(settings.datadir());
        shutdown.add("datadir lock", lock::close);
        DatadirLock.Holder holder = DatadirLock.Holder.starting();
        tell(lock, holder);
        if (settings.database().isPresent()) {
            DatabaseStore.refuseEarly(settings, settings.database().get());
        }
        if (settings.jsonLogs()) {
            LogSetup.useJson();
        }
        Metrics meters = new Metrics();
        shutdown.add("metrics", meters::close);
        Workers workers = startWorkers(meters.registry());
        placeFiles();
        KeyringSetup setup = keyringSetup(workers, meters.registry(), lock);
        Optional<Store> database = settings.database().map(place -> DatabaseStore.open(settings, place));
        database.ifPresent(opened -> storeOpen.accept(opened::close));
        Keyring.Opening keys = Keyring.begin(
                database.map(opened -> setup.withStore(() -> DatabaseStore.keyring(opened, setup, passphrase)))
                        .orElse(setup),
                passphrase);
        CompletionStage<Store> opening =
                database.map(CompletableFuture::completedStage).orElseGet(() -> openStore(keys, workers));
        ActorSystem<Guardian.Command> system = startActors();
        CompletionStage<Keyring> opened = keys.under(new DaemonContext.UnderGuardian(system));
        DryRun.run(settings, system);
        keeper = Keeper.under(new DaemonContext.UnderGuardian(system));
        DaemonContext context = new DaemonContext(settings, system, workers, meters, heldForPeers, clock, keeper);
        Store store = Futures.await(opening, OPENING, "opening the store");
        if (database.isEmpty()) {
            storeOpen.accept(store::close);
        }
        // Runs on the dying thread itself: there may be no other.
        store.died().thenRunAsync(() -> context.threadEnded("the store's writer"), Runnable::run);
        Keyring keyring = Futures.await(opened, OPENING, "opening the keyring");
        shutdown.add("keyring", () -> Futures.await(keyring.close(), times.untilStopped(), "closing the keyring"));

        // Nothing listens and no token is made before the passphrase is known to be right (interface.md, section 1.3).
        frontend = database.isPresent()
                ? HttpFrontend.open(
                        context,
                        DatabaseStore.tokens(settings, store, console),
                        names -> DatabaseStore.identity(settings, store, keyring, names))
                : HttpFrontend.open(
                        context,
                        TokenPlaces.inFiles(settings, console),
                        names -> TlsIdentity.open(
                                settings.datadir(), settings.chain().daemonName(), names, System.err::println));
        store.allowance().governTokens(frontend.named()::capPerPeriod);
        external = ExternalServices.start(
                context,
                database.isPresent() ? DatabaseStore.genesis(settings, store) : new GenesisFile(settings.datadir()),
                shutdown,
                console);
        SealedClaims sealed = Futures.await(
                SealedClaims.open(store, keyring::swapJournal, settings.chain(), workers.journals()),
                OPENING,
                "sealing claims of swaps");
        claimKeys.accept(sealed::forgetKey);
        Services services = startServices(context, keyring, sealed, openBooks(store));
        beginBackground(store, meters.registry());
        frontend.serve(services, handover(context, store, services));
        if (cluster.isPresent()) {
            connect(cluster.get(), context, services.following(), meters.registry());
        }
        toldAddress.accept(frontend.advertised().toString());
        tell(
                lock,
                holder.listening(
                        frontend.reachedAt(), settings.http().tokenFlags().isEmpty()));
        watchKeys.run();
        shutdown.add("http", () -> frontend.drain(waits, times));
        shutdown.add("look at the datadir lock", watchLock(system, lock, workers.disk())::cancel);
        system.tell(new Guardian.Serving());
        keyring.keepPool(settings.keyring().pool(), workers.background());
        meters.withProcess();
        OpenFiles.complaint(OpenFiles.limit(), settings.http().maxConnections()).ifPresent(LOG::warn);
    }

    /** Begins background work; with a database under its lease, except while its store is stopped, because then nobody writes. */
    private void beginBackground(Store store, MeterRegistry meters) {
        if (settings.database().isEmpty() || store.stopped().isPresent()) {
            keeper.start();
            return;
        }
        DatabaseKeeping keeping = DatabaseStore.keep(store, keeper, meters, () -> threadEnded("background work"));
        toldAddress = keeping::tellAddress;
        shutdown.add("background work", keeping::close);
    }

    /** Returns what hands calls to the other daemons of the database, if this one is to be connected with them. */
    private Handover handover(DaemonContext context, Store store, Services services) {
        Optional<Settings.Cluster> place = settings.database().flatMap(Settings.Database::cluster);
        if (place.isEmpty() || store.stopped().isPresent()) {
            return Handover.NONE;
        }
        DatabaseCluster made = new DatabaseCluster(
                place.get(), store, keeper, context.workers().answers(), services::doneElsewhere);
        cluster = Optional.of(made);
        return made;
    }

    private void connect(DatabaseCluster others, DaemonContext context, Following following, MeterRegistry meters) {
        others.serve(frontend.dispatcher(), frontend.named(), meters);
        others.hintAtBlocks(following.follower(), context, lookIntoBooks);
        shutdown.add("cluster", () -> others.close(times.untilDrained()));
    }

    /**
     * Records in the lock file which daemon runs. If that fails, {@code stop} and the launcher's short way to a call do not find this daemon, which
     * is no reason not to run.
     */
    private static void tell(DatadirLock lock, DatadirLock.Holder holder) {
        try {
            lock.tell(holder);
        } catch (IOException e) {
            LOG.warn("the datadir does not say which daemon runs on it: {}", e.getMessage());
        }
    }

    /**
     * Checks every second whether the datadir is still this process's alone, and ends the process when it is not: two daemons on one datadir would
     * each believe that it knows all keys, coins and tokens.
     */
    private static Cancellable watchLock(ActorSystem<Guardian.Command> system, DatadirLock lock, Executor disk) {
        return system.scheduler()
                .scheduleWithFixedDelay(
                        LOCK_LOOKED_AT,
                        LOCK_LOOKED_AT,
                        () -> disk.execute(() -> look(system, lock)),
                        system.executionContext());
    }

    private static void look(ActorSystem<Guardian.Command> system, DatadirLock lock) {
        try {
            lock.check();
        } catch (IOException e) {
            LOG.error("{}", e.getMessage());
            system.tell(new Guardian.ThreadEnded("the lock on the datadir"));
        }
    }

    /**
     * Reserves the place of the files in the shutdown sequence: actors read and write until the last of them has ended, so the files are closed after
     * that.
     */
    private void placeFiles() {
        claimKeys = shutdown.place("keys of swaps' claims");
        swapKeys = shutdown.place("keys of the swap journal");
        storeOpen = shutdown.place("store");
        booksOpen = shutdown.place("books");
    }

    /** Starts the services, each on top of those before it, in the order of the packages. */
    private Services startServices(DaemonContext context, Keyring keyring, Store store, Books books) {
        Nodes nodes = external.nodes();
        books.remember(store::confirmed);
        Following following = Following.start(context, nodes, keyring, store, books);
        keyring.bornBy(following.follower()::height);
        Waiting waiting = startWaiting(context, nodes, following);
        watchKeys(context, keyring, books, following, waiting);
        EventHub hub = new EventHub();
        EventStreams events = startEvents(context, nodes, following, waiting.waits(), hub);
        SpendService spending = startSpending(context, following, keyring, store, new SpendEvents(hub));
        Payouts payouts = startPayouts(context, following, store, spending, new PayoutEvents(hub));
        Sweeps sweeps = Spending.sweeps(context, nodes, following, keyring, store, spending, frontend.named());
        SwapBook openSwaps = new SwapBook();
        Optional<SwapOwners> owners = Swaps.owners(openSwaps, settings, keeper, store, context.workers());
        Htlcs htlcs = Htlcs.start(
                new Htlcs.Parts(
                        settings,
                        nodes,
                        keyring,
                        store,
                        books,
                        following.follower(),
                        spending,
                        external.indexer(),
                        new HtlcEvents(hub),
                        owners.<HtlcOwners>map(shared -> shared).orElse(openSwaps),
                        parties -> waiting.watchAll(WatchReason.HTLC, parties)),
                keeper,
                context.guardian(),
                keeper::isRunning,
                context.meters(),
                context.workers().upstream());
        waiting.sighted().tellHtlcs(htlcs.sightings());
        Optional<Accounts> accounts = startAccounts(context, keyring, store);
        Swaps swaps = Swaps.start(
                new Swaps.Parts(
                        context,
                        external,
                        keyring,
                        store,
                        books,
                        following,
                        spending,
                        htlcs,
                        accounts,
                        openSwaps,
                        hub,
                        () -> stopping || !keeper.isRunning()),
                keeper);
        swaps.keys().ifPresent(records -> swapKeys.accept(records::close));
        return new Services(
                context,
                external,
                keyring,
                spending,
                new Services.Queues(payouts, sweeps, store::complaint),
                following,
                htlcs,
                waiting.waits(),
                events,
                accounts,
                swaps.service(),
                new KeyUseGuards.OpenSwaps(
                        openSwaps,
                        () -> owners.map(SwapOwners::known).orElseGet(() -> CompletableFuture.completedFuture(null)),
                        context.workers().answers()));
    }

    private void watchKeys(DaemonContext context, Keyring keyring, Books books, Following following, Waiting waiting) {
        watchKeys = () -> {
            following.watchKeys(
                    context.guardian(),
                    keyring,
                    newest -> waiting.watchAll(WatchReason.NEWEST, newest),
                    withoutKeys -> waiting.watchAll(WatchReason.WATCH_ONLY, withoutKeys));
            following.watchWallet(context, keyring);
        };
        following.forgetCredits(context, books);
        waiting.sighted()
                .tellCredits(following.seeCredits(
                        settings, keeper, external.nodes(), books, waiting.waits()::creditsChanged, context.workers()));
    }

    private SpendService startSpending(
            DaemonContext context, Following following, Keyring keyring, Store store, IntentListener listener) {
        SpendService spending = Spending.start(context, external.nodes(), following, keyring, store, listener);
        // A spend that takes longer than this process lives goes on after the next start.
        shutdown.add(
                "spending",
                () -> Futures.await(spending.drain(), times.untilDrained(), "waiting for spends under way"));
        return spending;
    }

    private Payouts startPayouts(
            DaemonContext context, Following following, Store store, SpendService spending, PayoutEvents events) {
        NamedTokens named = frontend.named();
        Payouts payouts = Spending.payouts(context, external.nodes(), following, store, spending, named, events);
        waits.add("waits for changes of payouts", payouts::endWaits);
        return payouts;
    }

    private Optional<Accounts> startAccounts(DaemonContext context, Keyring keyring, Store store) {
        Optional<Accounts> accounts = Accounts.start(context, external.peers(), keyring, store);
        // A send is journalled or refused; journalled sends go on after the next start.
        accounts.ifPresent(account -> shutdown.add(
                "account chain",
                () -> Futures.await(account.sends().drain(), times.untilDrained(), "waiting for sends being made")));
        return accounts;
    }

    private void refuseEarly() throws IOException {
        StartupRefusals.refuse(settings);
        StartupRefusals.free(settings.http().listening().bind(), "--bind");
        settings.http().listening().metrics().ifPresent(bind -> StartupRefusals.free(bind, "--metrics-bind"));
        settings.devnet().ifPresent(DevnetSetup::refuseEarly);
    }

    private Workers startWorkers(MeterRegistry metrics) {
        Workers workers = new Workers(
                Runtime.getRuntime().availableProcessors(),
                settings.keyring().unsealThreads(),
                settings.http().requests().maxConcurrentPerToken(),
                metrics);
        shutdown.add("workers", () -> workers.close(times.untilStopped()));
        return workers;
    }

    /**
     * Opens the store in the datadir, after the keyring. A new store is created only after a new keyring, so a store without a keyring shows that the
     * keyring is lost.
     */
    private CompletionStage<Store> openStore(Keyring.Opening keys, Workers workers) {
        CompletionStage<Void> before = Files.exists(settings.datadir().resolve(SqliteStore.FILE_NAME))
                ? CompletableFuture.completedFuture(null)
                : keys.made();
        return before.thenApplyAsync(
                done -> {
                    if (settings.spend().storeRestored()) {
                        RestoredStore.restoreAtStart(settings.datadir(), LOG::warn);
                    }
                    return SqliteStore.open(settings.datadir(), Books.remembered(settings.datadir()));
                },
                workers.disk());
    }

    private ActorSystem<Guardian.Command> startActors() {
        ActorSystem<Guardian.Command> system =
                ActorSystem.create(Guardian.create(() -> gaveUp.complete(null)), "walletd", PekkoSettings.forSystem());
        actors = Optional.of(system);
        // When the guardian itself has failed, no actor is left to report it.
        system.getWhenTerminated().thenRunAsync(() -> gaveUp.complete(null), Runnable::run);
        shutdown.add("actors", () -> {
            system.terminate();
            Futures.await(system.getWhenTerminated(), times.untilStopped(), "stopping the actors");
        });
        return system;
    }

    /** Opens the books, once nothing can refuse the start any more: opening them writes, and a start that is refused leaves the datadir as it was. */
    private Books openBooks(Store store) {
        Books books = settings.database().isPresent()
                ? DatabaseStore.openBooks(settings, settings.database().get(), store)
                : Books.open(settings.datadir(), Following.tables());
        booksOpen.accept(books::close);
        lookIntoBooks = books::hint;
        return books;
    }

    private Waiting startWaiting(DaemonContext context, Nodes nodes, Following following) {
        Waiting started = Waiting.start(
                settings,
                context.system(),
                external.peers(),
                context.guardian(),
                nodes,
                following,
                context.workers(),
                context.metrics());
        waits.add("the waits", started.waits()::end);
        return started;
    }

    /** Starts the event streams. At a stop they end before the waits for credits, because a stream would begin its wait anew when it is ended. */
    private EventStreams startEvents(
            DaemonContext context, Nodes nodes, Following following, Waits waiting, EventHub hub) {
        EventStreams started = new EventStreams(
                context.system(),
                following.follower(),
                following.credits(),
                waiting,
                hub,
                nodes::coinbaseMaturity,
                following.watchOnly()::has,
                EventStreams.Limits.DEFAULT);
        waits.addFirst("the streams of events", started::end);
        return started;
    }

    private KeyringSetup keyringSetup(Workers workers, MeterRegistry metrics, DatadirLock lock) {
        Executor store = settings.database().isPresent() ? workers.keyRows() : workers.disk();
        return KeyringSetup.of(
                        settings.chain(),
                        settings.wallets(),
                        metrics,
                        new KeyringSetup.Executors(workers.crypto(), workers.argon2(), store, workers.keyring()))
                .withCost(cost)
                .withMostMints(settings.keyring().mints())
                .withFence(lock);
    }

    /** Reports that a thread of this process has ended by an error, so that the daemon gives up. */
    public void threadEnded(String name) {
        actors.ifPresent(system -> system.tell(new Guardian.ThreadEnded(name)));
    }

    /** Keeper of the background work, for tests that stop and start it while the daemon serves. */
    Keeper keeper() {
        return keeper;
    }

    /** Connections with the other daemons of the database, for tests that end them. */
    DatabaseCluster cluster() {
        return cluster.orElseThrow();
    }

    /** Dispatcher of calls, for tests that hand one over as another daemon does. */
    RpcDispatcher dispatcher() {
        return frontend.dispatcher();
    }

    /** Completes when the daemon can no longer work and must be restarted. */
    public CompletionStage<Void> gaveUp() {
        return gaveUp;
    }

    /** URL at which clients reach the daemon. */
    public URI uri() {
        return frontend.uri();
    }

    /** URL of the embedded development node, if there is one. */
    public Optional<URI> nodeUri() {
        return external.devnetUri();
    }

    /** Makes the daemon read its token files again at each SIGHUP from now on. */
    public void listenForHangUp() {
        frontend.listenForHangUp();
    }

    /**
     * Drains and stops, in little more than the drain time altogether. Work that is not done by then is durable or was never acknowledged.
     * Idempotent.
     */
    @Override
    public void close() {
        stopping = true;
        times.begin(settings.http().drain());
        actors.ifPresent(system -> system.tell(new Guardian.Stopping()));
        shutdown.closeAll();
    }

    /**
     * Dry run of the steps of opening a file and answering a call, done while the start waits for the passphrase's key, so that their classes are loaded
     * when needed. It works on dummies: nothing listens, no node is asked, nothing is counted.
     */
    private static final class DryRun {
        private static final byte[] CALL =
                "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{},\"id\":1}".getBytes(StandardCharsets.US_ASCII);

        private DryRun() {}

        static void run(Settings settings, ActorSystem<?> system) {
            SealedBlob.prepare();
            HttpServer.prepare(system);
            MethodFamilies withoutServices = MethodFamilies.withoutServices(settings.chain(), Version.number());
            new RpcDispatcher(
                            withoutServices.registry(),
                            List.of(),
                            CallObserver.NONE,
                            new RpcDispatcher.Limits(1, 1, 0),
                            Runnable::run)
                    .dispatch(CALL.clone(), Optional.of(Grant.of(Scope.READ)), Client.staying(""));
        }
    }
}
