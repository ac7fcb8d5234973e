package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.account.EvmEndpoints;
import org.chainwalletd.coins.IntentOutputs;
import org.chainwalletd.coins.LedgerOutputs;
import org.chainwalletd.coins.LedgerSpends;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.OpenFiles;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.event.EventHub;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.event.HtlcEvents;
import org.chainwalletd.event.SpendEvents;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.http.Authenticator;
import org.chainwalletd.http.HttpLimits;
import org.chainwalletd.http.HttpServer;
import org.chainwalletd.http.TlsIdentity;
import org.chainwalletd.http.TokenRotation;
import org.chainwalletd.http.Tokens;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.KeyringSetup;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.node.push.WatchReason;
import org.chainwalletd.observe.HttpMetrics;
import org.chainwalletd.observe.LogSetup;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.swap.OpenSwapsGuard;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.DatadirLock;
import org.chainwalletd.store.IntentListener;
import org.chainwalletd.store.SqliteStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.swap.SwapBook;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.wait.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole daemon in one process: started in order, stopped in the opposite one. A start that fails takes back what it had begun and
 * leaves nothing listening.
 */
public final class Daemon implements AutoCloseable {
    private static final Duration TOKENS_LOOKED_AT = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
    private static final Duration OPENING = Duration.ofMinutes(2);

    /** For everything that is stopped after the last call was answered or cut off. */
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private static final Duration AT_LEAST = Duration.ofMillis(200);

    private final Closers closers = new Closers();
    private final WaitEndings waits = new WaitEndings();
    /** Nodes and clients may each make the daemon hold a quarter of the heap, together no more than three eighths. */
    private final ByteBudget heldForPeers = ByteBudget.ofHeap(3, 8);

    private final Settings settings;
    private final Argon2 cost;
    private final Consumer<String> console;
    private final CompletableFuture<Void> gaveUp = new CompletableFuture<>();
    private Optional<Devnet> devnet = Optional.empty();
    private Optional<ActorSystem<Guardian.Command>> actors = Optional.empty();
    private Runnable swapKeys = () -> {};
    private TokenRotation rotation;
    private HttpServer server;
    /** Until then calls and spends under way may end, all together. */
    private long drainBy;

    private long stopBy;
    /** No swap shows its secret from then on. */
    private volatile boolean stopping;

    private Daemon(Settings settings, Consumer<String> console, Argon2 cost) {
        this.settings = settings;
        this.cost = cost;
        this.console = console;
    }

    /**
     * Starts and, when this returns, serves.
     *
     * @param passphrase overwritten when it is no longer needed
     * @param console lines for the operator: new tokens, fingerprint, addresses
     * @throws StartupException when it cannot, with one line that says what to do
     */
    public static Daemon start(Settings settings, SecretBytes passphrase, Consumer<String> console) {
        return start(settings, passphrase, console, Argon2.SPECIFIED);
    }

    /**
     * As {@link #start(Settings, SecretBytes, Consumer)}, with sealed files that cost less, for tests: no other daemon can open them.
     *
     * @param cost of every sealed file
     */
    public static Daemon start(Settings settings, SecretBytes passphrase, Consumer<String> console, Argon2 cost) {
        Daemon daemon = new Daemon(settings, console, cost);
        try {
            daemon.begin(passphrase);
            return daemon;
        } catch (RuntimeException | IOException | Error e) {
            daemon.close();
            passphrase.close();
            throw StartupFailures.explain(e, settings);
        }
    }

    private void begin(SecretBytes passphrase) throws IOException {
        refuseEarly();
        DatadirLock lock = DatadirLock.acquire(settings.datadir());
        closers.add("datadir lock", lock::close);
        if (settings.jsonLogs()) {
            LogSetup.useJson();
        }
        Metrics meters = new Metrics();
        closers.add("metrics", meters::close);
        Workers workers = startWorkers(meters.registry());
        Keyring.Opening keys = beginKeyring(workers, meters.registry(), passphrase, lock);
        CompletionStage<Store> opening = openStore(keys, workers);
        // Actors write into the journal until the last of them has ended.
        closers.add("keys of the swap journal", () -> swapKeys.run());
        ActorSystem<Guardian.Command> system = startActors();
        CompletionStage<Keyring> opened = keys.under(new UnderGuardian(system));
        Rehearsal.run(settings, system);
        Store store = Futures.await(opening, OPENING, "opening the store");
        closers.add("store", store::close);
        store.died()
                // On the dying thread itself: there may be no other.
                .thenRunAsync(() -> system.tell(new Guardian.ThreadEnded("the store's writer")), Runnable::run);
        Keyring keyring = Futures.await(opened, OPENING, "opening the keyring");
        closers.add("keyring", () -> Futures.await(keyring.close(), patience(), "closing the keyring"));

        // Nothing listens and no token is made before the passphrase is known to be right (interface.md, section 1.3).
        Authenticator authenticator = openTokens();
        Optional<TlsIdentity> tls = openTls();
        Nodes.Way way = openWay(system, workers, meters.registry());
        Nodes nodes = startNodes(system, way, workers);
        Optional<IndexerClient> indexer = startIndexer(system, way, workers);
        Optional<Pool> pool = startPool(system, workers);
        HtlcBook htlcBook = new HtlcBook(Htlcs.parties(settings, keyring));
        Books books = openBooks();
        Following following = Following.start(
                settings, new UnderGuardian(system), nodes, keyring, books, htlcBook, meters.registry(), workers);
        keyring.bornBy(following.follower()::height);
        Waiting waiting = startWaiting(system, nodes, following, workers, meters);
        following.watchKeys(new UnderGuardian(system), keyring, newest -> waiting.watchAll(WatchReason.NEWEST, newest));
        following.forgetCredits(settings, new UnderGuardian(system), books);
        waiting.sighted()
                .tellCredits(following.seeCredits(
                        settings, new UnderGuardian(system), nodes, books, waiting.waits()::creditsChanged, workers));
        EventHub hub = new EventHub();
        EventStreams events = startEvents(system, nodes, following, waiting.waits(), hub);
        SpendService spending = startSpending(
                system, nodes, following, keyring, store, new SpendEvents(hub), meters.registry(), workers);
        SwapBook openSwaps = new SwapBook();
        Htlcs htlcs = Htlcs.start(
                new Htlcs.Parts(
                        settings,
                        nodes,
                        keyring,
                        store,
                        books,
                        following.follower(),
                        spending,
                        indexer,
                        new HtlcEvents(hub),
                        openSwaps,
                        parties -> waiting.watchAll(WatchReason.HTLC, parties)),
                new UnderGuardian(system),
                meters.registry(),
                workers.upstream());
        waiting.sighted().tellHtlcs(htlcs.sightings());
        Optional<Accounts> accounts = Accounts.start(
                settings, system, new UnderGuardian(system), keyring, store, heldForPeers, meters.registry(), workers);
        // What is made is journalled or refused; what is journalled goes on after the next start.
        accounts.ifPresent(account -> closers.add(
                "account chain",
                () -> Futures.await(account.sends().drain(), patience(drainBy), "waiting for sends being made")));
        Swaps swaps = Swaps.start(
                new Swaps.Parts(
                        settings,
                        nodes,
                        keyring,
                        store,
                        books,
                        following,
                        spending,
                        htlcs,
                        accounts,
                        pool,
                        openSwaps,
                        hub,
                        meters.registry(),
                        workers,
                        () -> stopping),
                new UnderGuardian(system));
        swaps.keys().ifPresent(records -> swapKeys = records::close);
        serve(
                system,
                tls,
                new Services(
                        settings,
                        nodes,
                        keyring,
                        spending,
                        following,
                        htlcs,
                        indexer,
                        waiting.waits(),
                        pool,
                        meters,
                        events,
                        accounts,
                        swaps.service(),
                        new OpenSwapsGuard(openSwaps),
                        workers),
                authenticator);
        closers.add("look at the datadir lock", LockWatch.start(system, lock, workers.disk())::cancel);
        system.tell(new Guardian.Serving());
        Executor disk = workers.disk();
        system.scheduler()
                .scheduleWithFixedDelay(
                        TOKENS_LOOKED_AT,
                        TOKENS_LOOKED_AT,
                        () -> disk.execute(rotation::look),
                        system.executionContext());
        keyring.keepPool(settings.keyring().pool(), workers.background());
        meters.withProcess();
        OpenFiles.complaint(OpenFiles.limit(), settings.http().maxConnections()).ifPresent(LOG::warn);
    }

    private void refuseEarly() throws IOException {
        EarlyRefusals.usable(settings.datadir());
        EarlyRefusals.ours(settings.datadir(), settings.wallets());
        EarlyRefusals.whole(settings.datadir(), settings.wallets());
        EarlyRefusals.sameChain(settings.datadir(), settings.expectGenesis());
        EarlyRefusals.free(settings.http().bind(), "--bind");
        settings.http().metricsBind().ifPresent(bind -> EarlyRefusals.free(bind, "--metrics-bind"));
        settings.devnet().ifPresent(DevelopmentNode::refuseEarly);
    }

    private Workers startWorkers(MeterRegistry metrics) {
        Workers workers = new Workers(
                Runtime.getRuntime().availableProcessors(),
                settings.keyring().unsealThreads(),
                settings.http().maxConcurrentPerToken(),
                metrics);
        closers.add("workers", () -> workers.close(patience()));
        return workers;
    }

    /** A first store is made after the first keyring: so a store without a keyring tells that the keyring is lost. */
    private CompletionStage<Store> openStore(Keyring.Opening keys, Workers workers) {
        CompletionStage<Void> before = Files.exists(settings.datadir().resolve(SqliteStore.FILE_NAME))
                ? CompletableFuture.completedFuture(null)
                : keys.made();
        return before.thenApplyAsync(
                done -> SqliteStore.open(settings.datadir(), settings.spend().storeRestored()), workers.disk());
    }

    private ActorSystem<Guardian.Command> startActors() {
        ActorSystem<Guardian.Command> system =
                ActorSystem.create(Guardian.create(() -> gaveUp.complete(null)), "walletd", PekkoSettings.forSystem());
        actors = Optional.of(system);
        // Nobody is left to give up for a guardian that has failed itself.
        system.getWhenTerminated().thenRunAsync(() -> gaveUp.complete(null), Runnable::run);
        closers.add("actors", () -> {
            system.terminate();
            Futures.await(system.getWhenTerminated(), patience(), "stopping the actors");
        });
        return system;
    }

    private Authenticator openTokens() throws IOException {
        Map<String, String> configured = settings.http().tokenFlags();
        Authenticator authenticator = new Authenticator(Tokens.open(settings.datadir(), configured, console));
        rotation = new TokenRotation(settings.datadir(), configured, authenticator);
        return authenticator;
    }

    private SpendService startSpending(
            ActorSystem<Guardian.Command> system,
            Nodes nodes,
            Following following,
            Keyring keyring,
            Store store,
            IntentListener listener,
            MeterRegistry metrics,
            Workers workers) {
        VerifiedOutputs outputs = new VerifiedOutputs(
                settings.chain(),
                List.of(
                        new IntentOutputs(settings.chain(), store.intents(), workers.upstream()),
                        new LedgerOutputs(following.books(), workers.upstream())),
                nodes.client(),
                workers.upstream(),
                metrics);
        following.cover(new UnderGuardian(system), nodes, outputs, workers);
        SpendEnvironment environment = SpendEnvironment.of(
                        settings,
                        new LedgerSpends(
                                nodes.client(),
                                following.ledger(),
                                settings.follow().ledgerFirst(),
                                workers.upstream()),
                        outputs,
                        nodes.chain(),
                        nodes.seen(),
                        following.spends(),
                        keyring,
                        store,
                        metrics,
                        workers.upstream())
                .heardBy(listener);
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        Guardian.spawn(system, SpendService.create(environment, started), "spending");
        SpendService spending = Futures.await(started, OPENING, "taking up the spends in flight");
        // A spend that takes longer than this process lives is gone on with after the next start.
        closers.add(
                "spending", () -> Futures.await(spending.drain(), patience(drainBy), "waiting for spends under way"));
        return spending;
    }

    private Books openBooks() {
        Books books = Books.open(settings.datadir(), Following.tables());
        closers.add("books", books::close);
        return books;
    }

    private Waiting startWaiting(
            ActorSystem<Guardian.Command> system, Nodes nodes, Following following, Workers workers, Metrics meters) {
        Waiting started = Waiting.start(settings, system, new UnderGuardian(system), nodes, following, workers, meters);
        waits.add("the waits", started.waits()::end);
        return started;
    }

    /** A stream that waits for credits would ask again when its wait is ended, so streams end first. */
    private EventStreams startEvents(
            ActorSystem<Guardian.Command> system, Nodes nodes, Following following, Waits waiting, EventHub hub) {
        EventStreams started = new EventStreams(
                system,
                following.follower(),
                following.credits(),
                waiting,
                hub,
                nodes::coinbaseMaturity,
                EventStreams.Limits.DEFAULT);
        waits.addFirst("the streams of events", started::end);
        return started;
    }

    private Keyring.Opening beginKeyring(
            Workers workers, MeterRegistry metrics, SecretBytes passphrase, DatadirLock lock) {
        KeyringSetup setup = KeyringSetup.of(
                settings.chain(),
                settings.wallets(),
                metrics,
                new KeyringSetup.Executors(workers.crypto(), workers.argon2(), workers.disk()));
        return Keyring.begin(
                setup.withCost(cost).withMostMints(settings.keyring().mints()).withFence(lock), passphrase);
    }

    private Nodes.Way openWay(ActorSystem<Guardian.Command> system, Workers workers, MeterRegistry metrics) {
        HttpPeers peers = HttpPeers.start(
                system, workers.upstream(), () -> system.tell(new Guardian.ThreadEnded("the thread of connections")));
        closers.add("connections", peers::close);
        return new Nodes.Way(
                peers, heldForPeers.within(ByteBudget.ofHeap(Nodes.HEAP_SHARE).limit()), workers.upstream(), metrics);
    }

    private Optional<IndexerClient> startIndexer(ActorSystem<Guardian.Command> system, Nodes.Way way, Workers workers) {
        // The development chain's own indexer, unless the operator names another one.
        return settings.node()
                .indexer()
                .or(() -> devnet.map(node -> new Settings.Indexer(List.of(node.indexerUri()), Optional.empty())))
                .map(indexer -> new IndexerClient(
                        RpcUpstream.toIndexers(
                                new UnderGuardian(system),
                                settings.node().withUrls(indexer.urls()),
                                indexer.token(),
                                way),
                        workers.answers()));
    }

    private Optional<Pool> startPool(ActorSystem<Guardian.Command> system, Workers workers) {
        return settings.swap().map(swap -> SwapPool.open(system, settings, swap, workers.answers()));
    }

    private Nodes startNodes(ActorSystem<Guardian.Command> system, Nodes.Way way, Workers workers) throws IOException {
        Settings.Node configured = settings.node();
        GenesisFile genesis = new GenesisFile(settings.datadir());
        // Refuses a damaged one before anything listens.
        genesis.read();
        if (settings.devnet().isPresent()) {
            Devnet node = startDevnet(settings.devnet().get());
            console.accept("development node on " + node.uri() + " with its indexer on " + node.indexerUri());
            configured = configured.withUrls(List.of(node.uri()));
        }
        return Nodes.start(
                new UnderGuardian(system), configured, settings.expectGenesis(), genesis, way, workers.disk());
    }

    private Devnet startDevnet(Settings.Devnet wanted) throws IOException {
        Devnet started = DevelopmentNode.start(settings, wanted);
        closers.add("development node", started::close);
        devnet = Optional.of(started);
        return started;
    }

    private Optional<TlsIdentity> openTls() throws IOException {
        if (!settings.http().tls()) {
            return Optional.empty();
        }
        List<String> names = TlsIdentity.names(
                settings.http().bind().getAddress(), settings.http().tlsSan());
        Path datadir = settings.datadir();
        return Optional.of(TlsIdentity.open(datadir, settings.chain().daemonName(), names, System.err::println));
    }

    private void serve(
            ActorSystem<Guardian.Command> system,
            Optional<TlsIdentity> tls,
            Services services,
            Authenticator authenticator) {
        RpcDispatcher dispatcher = services.dispatcher();
        HttpMetrics httpMetrics = new HttpMetrics(services.metrics().registry());
        server = Futures.await(
                HttpServer.start(
                        system,
                        HttpServer.Place.of(settings.http(), tls),
                        HttpLimits.of(settings.http()),
                        new HttpServer.Services(
                                dispatcher::dispatch,
                                authenticator,
                                services.readiness(),
                                services.metrics()::scrape,
                                httpMetrics::refused,
                                Optional.of(services.events())),
                        heldForPeers),
                OPENING,
                "binding");
        closers.add("http", this::drainCalls);
        server.ended().thenRunAsync(() -> system.tell(new Guardian.ThreadEnded("a listening socket")), Runnable::run);
        httpMetrics.connections(server::connections);
        httpMetrics.held(server::heldBytes, server.mostHeldBytes());
        httpMetrics.waits(dispatcher::longPolls);
        httpMetrics.streams(services.events()::open);
    }

    /** No new connection, then the waits, then all other calls: so no client waits anew on an answer that the stop gave it. */
    private void drainCalls() {
        CompletionStage<Void> drained = server.drain(settings.http().drain());
        waits.endAll(patience(drainBy));
        Futures.await(drained, patience(), "answering the last calls");
    }

    /** Other packages' actors become children of the guardian. */
    private record UnderGuardian(ActorSystem<Guardian.Command> system)
            implements Keyring.Spawner, Nodes.Spawner, Follower.Spawner, Waits.Spawner, EvmEndpoints.Spawner {
        @Override
        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
            return Guardian.spawn(system, behavior, name);
        }
    }

    /** What is left of the time to stop in. */
    private Duration patience() {
        return patience(stopBy);
    }

    private static Duration patience(long end) {
        Duration left = Duration.ofNanos(end - System.nanoTime());
        return left.compareTo(AT_LEAST) > 0 ? left : AT_LEAST;
    }

    /** Tells it that a thread of this process has ended by an error, so that it gives up. */
    public void threadEnded(String name) {
        actors.ifPresent(system -> system.tell(new Guardian.ThreadEnded(name)));
    }

    /** Completes when the daemon can no longer work and must be started anew. */
    public CompletionStage<Void> gaveUp() {
        return gaveUp;
    }

    /** Where clients reach it. */
    public URI uri() {
        return URI.create((settings.http().tls() ? "https://" : "http://") + HostPort.of(server.address()) + "/");
    }

    /** The embedded development node, if there is one. */
    public Optional<URI> nodeUri() {
        return devnet.map(Devnet::uri);
    }

    /** From now on SIGHUP makes the daemon read its token files again. */
    public void listenForHangUp() {
        rotation.onHangUp();
    }

    /**
     * Drains and stops, all together in little more than the drain time. What is not done by then is durable or was never acknowledged.
     * Idempotent.
     */
    @Override
    public void close() {
        stopping = true;
        drainBy = System.nanoTime() + settings.http().drain().toNanos();
        stopBy = drainBy + CLOSING.toNanos();
        actors.ifPresent(system -> system.tell(new Guardian.Stopping()));
        closers.closeAll();
    }
}
