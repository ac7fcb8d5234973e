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
 * The nodes as the rest of the daemon sees them.
 *
 * @param client typed calls
 * @param chain which chain we sign for
 * @param seen what the background checks know now
 * @param followed one client for each configured node, which asks it once; the background checks hear what it says of its tip
 */
public record Nodes(NodeClient client, ChainIdentity chain, Supplier<NodesSeen> seen, List<NodeClient> followed) {
    /**
     * Transport of the calls to the nodes.
     *
     * @param answers what the nodes' answers hold together
     * @param executor reads answers
     */
    public record Transport(HttpPeers peers, ByteBudget answers, Executor executor, MeterRegistry metrics) {}

    static final LongSupplier MILLIS = () -> System.nanoTime() / 1_000_000;

    /** Nodes' answers may hold one part in so many of the heap. */
    public static final int HEAP_SHARE = 4;

    /**
     * Starts the two actors of this package. No node needs to be up.
     *
     * @param expectGenesis the operator's genesis id; empty: the one pinned by {@code file}
     * @param network which one the operator says it is; empty: the nodes say it
     * @param disk writes the pinned id
     * @throws IllegalStateException when the pinned id's file is damaged
     */
    public static Nodes start(
            Spawner spawner,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            Optional<Network> network,
            GenesisFile file,
            Transport transport,
            Executor disk) {
        ChainRules.Word said = new ChainRules.Word(expectGenesis.isPresent(), network);
        Optional<Hash256> held = expectGenesis.isPresent() ? expectGenesis : file.read();
        AtomicReference<NodesSeen> published =
                new AtomicReference<>(new NodesSeen(held, said, unheard(settings.urls())));
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
                        settings, expectGenesis, said, file, disk, client::unjudged, upstream.actor(), published),
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

    /** A node may be exchanged for one of another chain at any time: each tip that it names says anew which one it is of. */
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
            followed.add(new OverheardNodeClient(one, tip -> watch.tell(new NodeWatch.TipReported(url, tip))));
        }
        return List.copyOf(followed);
    }

    /** Calls alone, without the background checks and without pinning anything: for looking at nodes from outside the daemon. */
    public static NodeClient clientOf(
            ActorSystem<?> system, Settings.Node settings, Executor executor, MeterRegistry metrics) {
        HttpPeers peers = HttpPeers.start(system, executor, () -> {});
        Transport transport = new Transport(peers, ByteBudget.ofHeap(HEAP_SHARE), executor, metrics);
        Upstreams upstream =
                Upstreams.start(new UnderSystem(system), settings, UpstreamKind.NODE, transport, MILLIS, peers::close);
        return new HttpNodeClient(upstream.calls(), HttpNodeClient.TipJudge.NONE, settings, executor);
    }

    /**
     * Demands of the chain on its blocks, as {@code node} shows its genesis block. Fails with {@link ChainRules.Refused}, or as the node's
     * calls fail.
     *
     * @param node one node
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
                                    now.said(),
                                    Optional.ofNullable(info.network()).flatMap(Network::ofWord));
                        },
                        executor);
    }

    /** Blocks until a coinbase may be spent. Until a node has said which network it is, the longest. */
    public int coinbaseMaturity() {
        return seen.get()
                .network()
                .flatMap(Network::ofWord)
                .orElse(Network.MAINNET)
                .coinbaseMaturity();
    }

    private static List<NodesSeen.Seen> unheard(List<URI> urls) {
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

    /** {@link ChainIdentity} over what {@link NodeWatch} has published: on the good path it asks nobody. */
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

    /** Client of one node, whose answers about its tip somebody else hears as well: so the same is not asked twice. */
    private static final class OverheardNodeClient extends ForwardingNodeClient {
        private static final Executor AT_HAND = Runnable::run;

        private final Consumer<Tip> listener;

        /** @param listener told of each answer, at once and on any thread */
        OverheardNodeClient(NodeClient node, Consumer<Tip> listener) {
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
                            AT_HAND);
        }
    }

    /**
     * Calls to the nodes, or to others that are asked like them, put together.
     *
     * @param calls where calls begin
     * @param actor what the difficult calls are handed to, and who is told which nodes to avoid
     */
    record Upstreams(UpstreamCalls calls, ActorRef<Upstream.Command> actor) {
        /**
         * @param clock milliseconds that never go back
         * @param stopped run when the actor has stopped for good
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
