package org.chainwalletd.node;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;

/**
 * The nodes as the rest of the daemon sees them.
 *
 * @param client typed calls
 * @param chain which chain we sign for
 * @param seen what the background checks know now
 */
public record Nodes(NodeClient client, ChainIdentity chain, Supplier<NodesSeen> seen) {
    /** How boot puts the actors of this package under its guardian. */
    public interface Spawner {
        <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
    }

    /**
     * Starts the two actors of this package. No node needs to be up.
     *
     * @param system for connections
     * @param expectGenesis the operator's genesis id; empty: the one pinned by {@code file}
     * @param executor carries exchanges and the reading of answers
     * @param disk writes the pinned id
     * @throws IllegalStateException when the pinned id's file is damaged
     */
    public static Nodes start(
            ActorSystem<?> system,
            Spawner spawner,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics) {
        return start(system, spawner, settings, expectGenesis, file, executor, disk, metrics, Nodes::defaultTrust);
    }

    /** The same under {@code system} itself, for those who have no guardian. */
    public static Nodes start(
            ActorSystem<?> system,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics) {
        return start(system, settings, expectGenesis, file, executor, disk, metrics, Nodes::defaultTrust);
    }

    static Nodes start(
            ActorSystem<?> system,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics,
            Supplier<SSLContext> trust) {
        return start(system, new UnderSystem(system), settings, expectGenesis, file, executor, disk, metrics, trust);
    }

    /**
     * @param trust what https nodes are checked with; not asked for, and so not loaded, without such a node
     */
    private static Nodes start(
            ActorSystem<?> system,
            Spawner spawner,
            Settings.Node settings,
            Optional<Hash256> expectGenesis,
            GenesisFile file,
            Executor executor,
            Executor disk,
            MeterRegistry metrics,
            Supplier<SSLContext> trust) {
        Optional<Hash256> held = expectGenesis.isPresent() ? expectGenesis : file.read();
        AtomicReference<NodesSeen> published =
                new AtomicReference<>(new NodesSeen(held, expectGenesis.isPresent(), unheard(settings.urls())));
        ActorRef<Upstream.Command> upstream = upstream(system, spawner, settings, executor, metrics, trust);
        HttpNodeClient client = new HttpNodeClient(upstream, settings, executor);
        ActorRef<NodeWatch.Command> watch = spawner.spawn(
                NodeWatch.create(settings, expectGenesis, file, disk, client::onlyOnce, upstream, published),
                "node-watch");
        for (URI url : settings.urls()) {
            measure(url.toString(), published, metrics);
        }
        return new Nodes(client, new WatchedChainIdentity(published, watch), published::get);
    }

    /** Calls alone, without the background checks and without pinning anything: for looking at nodes from outside the daemon. */
    public static NodeClient clientOf(
            ActorSystem<?> system, Settings.Node settings, Executor executor, MeterRegistry metrics) {
        return new HttpNodeClient(
                upstream(system, new UnderSystem(system), settings, executor, metrics, Nodes::defaultTrust),
                settings,
                executor);
    }

    private static ActorRef<Upstream.Command> upstream(
            ActorSystem<?> system,
            Spawner spawner,
            Settings.Node settings,
            Executor executor,
            MeterRegistry metrics,
            Supplier<SSLContext> trust) {
        return spawner.spawn(
                Upstream.create(
                        settings,
                        new Transports(system, trust, executor, settings.maxAnswerBytes()),
                        executor,
                        () -> System.nanoTime() / 1_000_000,
                        metrics),
                "upstream");
    }

    private static List<NodesSeen.Seen> unheard(List<URI> urls) {
        return urls.stream()
                .map(url ->
                        new NodesSeen.Seen(url.toString(), NodesSeen.Standing.UNKNOWN, false, null, null, null, null))
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

    private static SSLContext defaultTrust() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    private record UnderSystem(ActorSystem<?> system) implements Spawner {
        @Override
        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
            return system.systemActorOf(behavior, name, Props.empty());
        }
    }
}
