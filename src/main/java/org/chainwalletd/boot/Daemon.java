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
import org.chainwalletd.api.Scope;
import org.chainwalletd.config.HeapShares;
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
 * The whole daemon in one process. Its parts start in order and stop in reverse order. A failed start undoes its steps and leaves no open
 * listener.
 */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
    private static final Duration OPENING_TIMEOUT = Duration.ofMinutes(2);
    /** Longer, because a file with millions of payments may have to be upgraded first. */
    private static final Duration STORE_TIMEOUT = Duration.ofHours(1);

    private static final Duration LOCK_CHECK_INTERVAL = Duration.ofSeconds(1);

    private final ShutdownSequence shutdown = new ShutdownSequence();
    private final ShutdownSequence.WaitEndings waits = new ShutdownSequence.WaitEndings();
    private final ShutdownSequence.Times times = new ShutdownSequence.Times();
    /** Budget for bytes buffered on behalf of nodes and clients. */
    private final ByteBudget heldForPeers =
            ByteBudget.of(HeapShares.ofThisProcess().peers());

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
    /** Checks for blocks that other daemons have entered into the shared books. */
    private Runnable checkBooks = () -> {};

    /** Registers all keys for watching and reads their births from files; startup neither waits for it nor shares the processor with it. */
    private Runnable watchKeys = () -> {};

    /** Publishes the URL of this daemon to the other daemons of the database. */
    private Consumer<String> publishAddress = address -> {};

    private ExternalServices external;
    private Keeper keeper;
    private HttpFrontend frontend;
    private Optional<DatabaseCluster> cluster = Optional.empty();
    /** Whether the daemon is stopping; from then on no swap reveals its secret. */
    private volatile boolean stopping;

    private Daemon(Settings settings, Consumer<String> console, Argon2 cost, Clock clock) {
        this.settings = settings;
        this.cost = cost;
        this.clock = clock;
        this.console = console;
    }

    /**
     * Starts the daemon, which is serving when this method returns.
     *
     * @param passphrase overwritten when it is no longer needed
     * @param console receives lines for the operator: new tokens, fingerprint, addresses
     * @throws StartupException when it cannot start, with one line that says what to do
     */
    public static Daemon start(Settings settings, SecretBytes passphrase, Consumer<String> console) {
        return start(settings, passphrase, console, Argon2.SPECIFIED, Clock.systemUTC());
    }

    /**
     * Starts the daemon like {@link #start(Settings, SecretBytes, Consumer)}, but with a given key derivation cost and clock, for tests. A
     * daemon with another cost cannot open the sealed files.
     *
     * @param cost Argon2 cost of every sealed file
     * @param clock clock of this machine, which may be wrong
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
        recordHolder(lock, holder);
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
        Store store = Futures.await(opening, STORE_TIMEOUT, "opening the store");
        if (database.isEmpty()) {
            storeOpen.accept(store::close);
        }
        // Runs on the dying thread itself, because no other thread may be left.
        store.died().thenRunAsync(() -> context.threadEnded("the store's writer"), Runnable::run);
        Keyring keyring = Futures.await(opened, OPENING_TIMEOUT, "opening the keyring");
        shutdown.add("keyring", () -> Futures.await(keyring.close(), times.untilStopped(), "closing the keyring"));

        // Do not listen or create a token before the passphrase has been verified (interface.md, section 1.3).
        frontend = database.isPresent()
                ? new HttpFrontend(
                        context,
                        DatabaseStore.tokens(settings, store, console),
                        names -> DatabaseStore.identity(settings, store, keyring, names))
                : new HttpFrontend(
                        context,
                        HttpFrontend.TokenPlaces.inFiles(settings, console),
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
                OPENING_TIMEOUT,
                "sealing claims of swaps");
        claimKeys.accept(sealed::forgetKey);
        Services services = startServices(new Resources(context, external, keyring, sealed, openBooks(store)));
        beginBackground(store, meters.registry());
        frontend.serve(services, handover(context, store, services));
        if (cluster.isPresent()) {
            connect(cluster.get(), context, services.following(), meters.registry());
        }
        publishAddress.accept(frontend.advertised().toString());
        recordHolder(
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
        HeapShares.ofThisProcess()
                .complaint(settings.http().shares().heldBytes())
                .ifPresent(LOG::warn);
    }

    /** Starts background work. On a database it runs under the lease; if the store is stopped, without the lease, because no daemon writes then. */
    private void beginBackground(Store store, MeterRegistry meters) {
        if (settings.database().isEmpty() || store.stopped().isPresent()) {
            keeper.start();
            return;
        }
        DatabaseKeeping keeping = DatabaseStore.keep(store, keeper, meters, () -> threadEnded("background work"));
        publishAddress = keeping::tellAddress;
        shutdown.add("background work", keeping::close);
    }

    /**
     * Returns the connection that forwards calls to the other daemons of the database, or {@link Handover#NONE} if this daemon is not
     * clustered.
     */
    private Handover handover(DaemonContext context, Store store, Services services) {
        Optional<Settings.Cluster> place = settings.database().flatMap(Settings.Database::cluster);
        if (place.isEmpty() || store.stopped().isPresent()) {
            return Handover.NONE;
        }
        DatabaseCluster made = new DatabaseCluster(
                place.get(), store, keeper, context.workers().answers(), services::backgroundObjection);
        cluster = Optional.of(made);
        return made;
    }

    private void connect(DatabaseCluster others, DaemonContext context, Following following, MeterRegistry meters) {
        others.serve(frontend.dispatcher(), frontend.named(), meters);
        others.hintAtBlocks(following.follower(), context, checkBooks);
        shutdown.add("cluster", () -> others.close(times.untilDrained()));
    }

    /**
     * Records in the lock file which daemon is running. If that fails, {@code stop} and the launcher's fast path for calls do not find this
     * daemon, but it can run without them.
     */
    private static void recordHolder(DatadirLock lock, DatadirLock.Holder holder) {
        try {
            lock.tell(holder);
        } catch (IOException e) {
            LOG.warn("the running daemon could not be recorded in the datadir: {}", e.getMessage());
        }
    }

    /**
     * Checks every second that this process still holds the lock on the datadir, and ends the process if not: two daemons on one datadir
     * would each assume that they know all keys, coins and tokens.
     */
    private static Cancellable watchLock(ActorSystem<Guardian.Command> system, DatadirLock lock, Executor disk) {
        return system.scheduler()
                .scheduleWithFixedDelay(
                        LOCK_CHECK_INTERVAL,
                        LOCK_CHECK_INTERVAL,
                        () -> disk.execute(() -> checkLock(system, lock)),
                        system.executionContext());
    }

    private static void checkLock(ActorSystem<Guardian.Command> system, DatadirLock lock) {
        try {
            lock.check();
        } catch (IOException e) {
            LOG.error("{}", e.getMessage());
            system.tell(new Guardian.ThreadEnded("the lock on the datadir"));
        }
    }

    /**
     * Reserves the position of the files in the shutdown sequence: actors use them until the last actor has stopped, so the files are closed
     * after the actors.
     */
    private void placeFiles() {
        claimKeys = shutdown.place("keys of swaps' claims");
        swapKeys = shutdown.place("keys of the swap journal");
        storeOpen = shutdown.place("store");
        booksOpen = shutdown.place("books");
    }

    /** Starts the services in dependency order. */
    private Services startServices(Resources resources) {
        DaemonContext context = resources.context();
        Store store = resources.store();
        resources.books().remember(store::confirmed);
        Following following = Following.start(resources);
        resources.keyring().bornBy(following.follower()::height);
        Waiting waiting = startWaiting(resources, following);
        watchKeys(resources, following, waiting);
        EventHub hub = new EventHub();
        EventStreams events = startEvents(resources, following, waiting.waits(), hub);
        SpendService spending = startSpending(resources, following, new SpendEvents(hub));
        Payouts payouts = startPayouts(resources, following, spending, new PayoutEvents(hub));
        Sweeps sweeps = Spending.sweeps(resources, following, spending, frontend.named());
        SwapBook openSwaps = new SwapBook();
        Optional<SwapOwners> owners = Swaps.owners(openSwaps, resources);
        Htlcs htlcs = Htlcs.start(
                resources,
                following.follower(),
                spending,
                new HtlcEvents(hub),
                owners.<HtlcOwners>map(shared -> shared).orElse(openSwaps),
                parties -> waiting.watchAll(WatchReason.HTLC, parties));
        waiting.mempool().forwardToHtlcs(htlcs.sightings());
        Optional<Accounts> accounts = startAccounts(resources);
        Swaps swaps = Swaps.start(new Swaps.Parts(
                resources,
                following,
                spending,
                htlcs,
                accounts,
                openSwaps,
                hub,
                () -> stopping || !keeper.isRunning()));
        swaps.keys().ifPresent(records -> swapKeys.accept(records::close));
        return new Services(
                resources,
                spending,
                payouts,
                sweeps,
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

    private void watchKeys(Resources resources, Following following, Waiting waiting) {
        watchKeys = () -> {
            following.watchKeys(
                    resources,
                    newest -> waiting.watchAll(WatchReason.NEWEST, newest),
                    withoutKeys -> waiting.watchAll(WatchReason.WATCH_ONLY, withoutKeys));
            following.watchWallet(resources);
        };
        following.forgetCredits(resources);
        waiting.mempool().forwardToCredits(following.seeCredits(resources, waiting.waits()::creditsChanged));
    }

    private SpendService startSpending(Resources resources, Following following, IntentListener listener) {
        SpendService spending = Spending.start(resources, following, listener);
        // A spend that outlives this process continues after the next start.
        shutdown.add(
                "spending",
                () -> Futures.await(spending.drain(), times.untilDrained(), "waiting for spends under way"));
        return spending;
    }

    private Payouts startPayouts(Resources resources, Following following, SpendService spending, PayoutEvents events) {
        Payouts payouts = Spending.payouts(resources, following, spending, frontend.named(), events);
        waits.add("waits for changes of payouts", payouts::endWaits);
        return payouts;
    }

    private Optional<Accounts> startAccounts(Resources resources) {
        Optional<Accounts> accounts = Accounts.start(resources);
        // A send is either journalled or refused; journalled sends continue after the next start.
        accounts.ifPresent(account -> shutdown.add(
                "account chain",
                () -> Futures.await(account.sends().drain(), times.untilDrained(), "waiting for sends being made")));
        return accounts;
    }

    private void refuseEarly() throws IOException {
        StartupRefusals.refuse(settings);
        StartupRefusals.requireFree(settings.http().listening().bind(), "--bind");
        settings.http().listening().metrics().ifPresent(bind -> StartupRefusals.requireFree(bind, "--metrics-bind"));
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
     * Opens the store in the datadir after the keyring. A new store is created only after a new keyring, so a store without a keyring shows
     * that the keyring was lost.
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
        // If the guardian itself has failed, no actor is left to report it.
        system.getWhenTerminated().thenRunAsync(() -> gaveUp.complete(null), Runnable::run);
        shutdown.add("actors", () -> {
            system.terminate();
            Futures.await(system.getWhenTerminated(), times.untilStopped(), "stopping the actors");
        });
        return system;
    }

    /** Opens the books once nothing can refuse the start any more: opening them writes, and a refused start must leave the datadir unchanged. */
    private Books openBooks(Store store) {
        Books books = settings.database().isPresent()
                ? DatabaseStore.openBooks(settings, settings.database().get(), store)
                : Books.open(settings.datadir(), Following.tables());
        booksOpen.accept(books::close);
        checkBooks = books::hint;
        return books;
    }

    private Waiting startWaiting(Resources resources, Following following) {
        Waiting started = Waiting.start(resources, following);
        waits.add("the waits", started.waits()::end);
        return started;
    }

    /** Starts the event streams. On a stop they end before the waits for credits, because a stream whose wait ends would start a new one. */
    private EventStreams startEvents(Resources resources, Following following, Waits waiting, EventHub hub) {
        EventStreams started = new EventStreams(
                resources.context().system(),
                following.follower(),
                following.credits(),
                waiting,
                hub,
                resources.nodes()::coinbaseMaturity,
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

    /** Reports that a thread of this process died of an error, so that the daemon gives up. */
    public void threadEnded(String name) {
        actors.ifPresent(system -> system.tell(new Guardian.ThreadEnded(name)));
    }

    /** Keeper of the background work, for tests that stop and start it while the daemon is serving. */
    Keeper keeper() {
        return keeper;
    }

    /** Connections with the other daemons of the database, for tests that close them. */
    DatabaseCluster cluster() {
        return cluster.orElseThrow();
    }

    /** Dispatcher, for tests that forward a call like another daemon. */
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

    /** Reloads the token files on each SIGHUP from now on. */
    public void listenForHangUp() {
        frontend.listenForHangUp();
    }

    /**
     * Drains and stops, in total within little more than the drain time. Work that is unfinished then is either durable or was never
     * acknowledged. Idempotent.
     */
    @Override
    public void close() {
        stopping = true;
        times.begin(settings.http().drain());
        actors.ifPresent(system -> system.tell(new Guardian.Stopping()));
        shutdown.closeAll();
    }

    /**
     * Dry run of opening a file and answering a call, while startup waits for key derivation, so that the classes are already loaded when
     * needed. Uses dummies: opens no socket, calls no node and counts nothing.
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
