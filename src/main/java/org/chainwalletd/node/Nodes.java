package org.chainwalletd.node;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.stage.Spawner;

/**
 * Nodes of the chain, as the rest of the daemon uses them.
 *
 * @param client typed calls
 * @param chain the chain that is signed for
 * @param seen current result of the background checks
 * @param followed one client per configured node, which sends each call once; the tips it gets are also reported to the background checks
 */
public record Nodes(NodeClient client, ChainIdentity chain, Supplier<NodesSeen> seen, List<NodeClient> followed) {
    /**
     * Transport of the calls to the nodes.
     *
     * @param answers budget for the bytes of all answers
     * @param executor parses answers
     */
    public record Transport(HttpPeers peers, ByteBudget answers, Executor executor, MeterRegistry metrics) {}

    static final LongSupplier MILLIS = () -> System.nanoTime() / 1_000_000;

    /** Outside the daemon, buffered answers of nodes may take this fraction (1/n) of the heap. */
    public static final int HEAP_SHARE = 4;

    /**
     * Starts the two actors of this package. No node needs to be up.
     *
     * @param expectGenesis the operator's genesis id; empty: the one pinned by {@code file}
     * @param network the operator's network; empty: the one that the nodes report
     * @param disk runs the write of the pinned id
     * @throws IllegalStateException if the file of the pinned id is damaged
     */
    public static Nodes start(
            Spawner spawner,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            Optional<Network> network,
            GenesisFile file,
            Transport transport,
            Executor disk) {
        ChainRules.OperatorSettings chainSettings = new ChainRules.OperatorSettings(expectGenesis.isPresent(), network);
        Optional<Hash256> known = expectGenesis.isPresent() ? expectGenesis : file.read();
        AtomicReference<NodesSeen> published =
                new AtomicReference<>(new NodesSeen(known, chainSettings, notSeenYet(settings.urls())));
        Upstreams upstream = Upstreams.start(spawner, settings, UpstreamKind.NODE, transport, MILLIS, () -> {});
        AtomicReference<ActorRef<NodeWatch.Command>> judge = new AtomicReference<>();
        HttpNodeClient client = new HttpNodeClient(
                upstream.calls(),
                (url, tip) -> requireOurs(published.get(), url, tip, judge.get()),
                settings,
                transport.executor());
        upstream.calls().judgedBy(() -> {
            CompletableFuture<Void> asked = new CompletableFuture<>();
            judge.get().tell(new NodeWatch.Judge(asked));
            return asked;
        });
        ActorRef<NodeWatch.Command> watch = spawner.spawn(
                NodeWatch.create(
                        settings,
                        expectGenesis,
                        chainSettings,
                        file,
                        disk,
                        client::unchecked,
                        upstream.actor(),
                        published),
                "node-watch");
        judge.set(watch);
        for (URI url : settings.urls()) {
            measure(url.toString(), published, transport.metrics());
        }
        return new Nodes(
                client,
                new WatchedChainIdentity(published, watch),
                published::get,
                followed(client.each(), settings.urls(), watch));
    }

    /** Checks each tip that a node reports, because a node may be replaced by one of another chain at any time. */
    private static void requireOurs(NodesSeen seen, String url, NodeClient.Tip tip, ActorRef<NodeWatch.Command> watch) {
        seen.objectionTo(url, tip.genesisBlockId()).ifPresent(objection -> {
            watch.tell(new NodeWatch.TipReported(url, tip));
            throw NodeException.WrongChain.unasked(objection);
        });
    }

    private static List<NodeClient> followed(List<NodeClient> each, List<URI> urls, ActorRef<NodeWatch.Command> watch) {
        List<NodeClient> followed = new ArrayList<>();
        for (NodeClient one : each) {
            String url = urls.get(followed.size()).toString();
            followed.add(new TipReportingNodeClient(one, tip -> watch.tell(new NodeWatch.TipReported(url, tip))));
        }
        return List.copyOf(followed);
    }

    /** Returns a client without the background checks, which pins nothing: for tools that query nodes from outside the daemon. */
    public static NodeClient clientOf(
            ActorSystem<?> system, Settings.Node settings, Executor executor, MeterRegistry metrics) {
        HttpPeers peers = HttpPeers.start(system, executor, () -> {});
        Transport transport = new Transport(peers, ByteBudget.ofHeap(HEAP_SHARE), executor, metrics);
        Upstreams upstream =
                Upstreams.start(new UnderSystem(system), settings, UpstreamKind.NODE, transport, MILLIS, peers::close);
        return new HttpNodeClient(upstream.calls(), HttpNodeClient.TipCheck.NONE, settings, executor);
    }

    /**
     * Reads the rules of the chain from the genesis block that {@code node} shows. Fails with {@link ChainRules.Refused}, or as the node's calls
     * fail.
     *
     * @param node client of one node
     * @param executor for continuations
     */
    public CompletionStage<ChainRules> rules(NodeClient node, Executor executor) {
        return node.blockAt(0)
                .thenCombineAsync(
                        node.info(),
                        (genesis, info) -> {
                            NodesSeen now = seen.get();
                            return ChainRules.of(
                                    now.expected()
                                            .orElseThrow(() -> new ChainRules.Refused("no genesis is pinned yet")),
                                    genesis.orElseThrow(
                                                    () -> new ChainRules.Refused("a node shows no block at height 0"))
                                            .header(),
                                    now.settings(),
                                    Optional.ofNullable(info.network()).flatMap(Network::ofWord));
                        },
                        executor);
    }

    /** Returns the number of blocks until a coinbase may be spent. The maximum of all networks until the network is known. */
    public int coinbaseMaturity() {
        return seen.get()
                .network()
                .flatMap(Network::ofWord)
                .orElse(Network.MAINNET)
                .coinbaseMaturity();
    }

    private static List<NodesSeen.Seen> notSeenYet(List<URI> urls) {
        return urls.stream()
                .map(url ->
                        new NodesSeen.Seen(url.toString(), NodesSeen.ChainMatch.UNKNOWN, false, null, null, null, null))
                .toList();
    }

    private static void measure(String url, AtomicReference<NodesSeen> published, MeterRegistry metrics) {
        Gauge.builder(
                        "walletd.upstream.up",
                        () -> published.get().nodes().stream()
                                        .anyMatch(node -> node.url().equals(url) && node.answering())
                                ? 1
                                : 0)
                .description("Whether the node answered its last check")
                .tag("node", url)
                .register(metrics);
    }

    private record UnderSystem(ActorSystem<?> system) implements Spawner {
        @Override
        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
            return system.systemActorOf(behavior, name, Props.empty());
        }
    }

    /** {@link ChainIdentity} based on the state that {@link NodeWatch} publishes; normally without a call. */
    private static final class WatchedChainIdentity implements ChainIdentity {
        private final AtomicReference<NodesSeen> published;
        private final ActorRef<NodeWatch.Command> watch;

        WatchedChainIdentity(AtomicReference<NodesSeen> published, ActorRef<NodeWatch.Command> watch) {
            this.published = published;
            this.watch = watch;
        }

        @Override
        public CompletionStage<Hash256> genesisForSigning() {
            NodesSeen seen = published.get();
            if (seen.maySign()) {
                return CompletableFuture.completedFuture(seen.expected().orElseThrow());
            }
            CompletableFuture<Hash256> verified = new CompletableFuture<>();
            watch.tell(new NodeWatch.Verify(verified));
            return verified;
        }

        @Override
        public Optional<Hash256> expected() {
            return published.get().expected();
        }

        @Override
        public Optional<String> complaint() {
            return published.get().complaint();
        }
    }

    /** Client of one node that also reports its tips to a listener, so that they need not be requested twice. */
    private static final class TipReportingNodeClient extends ForwardingNodeClient {
        private static final Executor SAME_THREAD = Runnable::run;

        private final Consumer<Tip> listener;

        /** @param listener called with each tip, at once and on any thread */
        TipReportingNodeClient(NodeClient node, Consumer<Tip> listener) {
            super(node);
            this.listener = listener;
        }

        @Override
        public CompletionStage<Tip> tip() {
            return node().tip()
                    .thenApplyAsync(
                            tip -> {
                                listener.accept(tip);
                                return tip;
                            },
                            SAME_THREAD);
        }
    }

    /**
     * Upstream calls to the nodes, or to other services, with their actor.
     *
     * @param calls entry point of calls
     * @param actor takes over difficult calls, and is told which nodes to avoid
     */
    record Upstreams(UpstreamCalls calls, ActorRef<Upstream.Command> actor) {
        /**
         * @param clock monotonic milliseconds
         * @param stopped run when the actor has stopped permanently
         */
        static Upstreams start(
                Spawner spawner,
                Settings.Node settings,
                UpstreamKind kind,
                Nodes.Transport transport,
                LongSupplier clock,
                Runnable stopped) {
            List<UpstreamNode> nodes = settings.urls().stream()
                    .map(url -> new UpstreamNode(
                            url.toString(), transport.peers().to(url, kind.bearer()), settings.maxConnections()))
                    .toList();
            UpstreamMetrics metrics = new UpstreamMetrics(transport.metrics(), kind, transport.answers(), nodes, clock);
            Exchanger exchanger =
                    new Exchanger(settings, kind.noun(), transport.answers(), transport.executor(), clock, metrics);
            UpstreamCalls calls = new UpstreamCalls(kind.noun(), new Rotation(nodes), exchanger, clock, metrics);
            ActorRef<Upstream.Command> actor = spawner.spawn(
                    Upstream.create(settings, calls, exchanger, clock, metrics, stopped),
                    kind.prefix().replace('.', '-'));
            calls.handOverTo(actor);
            return new Upstreams(calls, actor);
        }
    }
}
