package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.Config;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.TestNodes;

/** Node client over real sockets, with a clock that the test moves. */
final class NodeHarness implements AutoCloseable {
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    static final String ID = "ab".repeat(32);
    static final ScriptedNode.Step HEIGHT_7 = result("{\"height\":7,\"block_id\":\"" + ID + "\"}");
    static final String RATE_LIMIT = "Rate limit exceeded: max 30 balance/utxo queries per minute";
    static final Address ALICE = Address.parse("a1".repeat(32));

    final ActorTestKit kit;
    final ExecutorService executor = Executors.newFixedThreadPool(2);
    final AtomicLong clock = new AtomicLong(1_000_000);
    final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final List<ScriptedNode> nodes = new CopyOnWriteArrayList<>();
    private SSLContext trust;
    ActorRef<Upstream.Command> upstream;

    NodeHarness(Config config) {
        kit = ActorTestKit.create(config);
        try {
            trust = SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates a node that is closed with this harness. */
    ScriptedNode node() {
        return kept(ScriptedNode.start());
    }

    ScriptedNode kept(ScriptedNode node) {
        nodes.add(node);
        return node;
    }

    /** Creates a harness whose timers also stand still until {@link #pass}. */
    static NodeHarness standingStill() {
        return new NodeHarness(ManualTime.config());
    }

    void pass(long millis) {
        clock.addAndGet(millis);
        ManualTime.get(kit.system()).timePasses(Duration.ofMillis(millis));
    }

    double gauge(String name, ScriptedNode node) {
        return metrics.get(name).tag("node", node.url().toString()).gauge().value();
    }

    void awaitQuotaWaits(int count) {
        awaitCount("walletd.upstream.quota.waits", count);
    }

    void awaitRepeatedSweeps(int count) {
        awaitCount("walletd.upstream.sweeps.repeated", count);
    }

    private void awaitCount(String counter, int count) {
        Await.until(counter + " is " + count, () -> metrics.counter(counter).count() == count);
    }

    NodeHarness trusting(SSLContext context) {
        trust = context;
        return this;
    }

    NodeClient client(URI... urls) {
        return client(settings(4, 32, 8 << 20, urls));
    }

    NodeClient client(Settings.Node settings) {
        return client(settings, executor);
    }

    /** @param readers parses the answers */
    NodeClient client(Settings.Node settings, Executor readers) {
        Nodes.Transport transport = transport(readers);
        Nodes.Upstreams upstreams = Nodes.Upstreams.start(
                Spawners.of(kit), settings, UpstreamKind.NODE, transport, clock::get, transport.peers()::close);
        upstream = upstreams.actor();
        return new HttpNodeClient(upstreams.calls(), HttpNodeClient.TipCheck.NONE, settings, executor);
    }

    Spawner spawner() {
        return Spawners.of(kit);
    }

    private Nodes.Transport transport(Executor readers) {
        return new Nodes.Transport(
                HttpPeers.start(kit.system(), () -> trust, readers, () -> {}),
                ByteBudget.ofHeap(Nodes.HEAP_SHARE),
                readers,
                metrics);
    }

    /** Creates a transport to all upstreams, with new connections. */
    Nodes.Transport transport() {
        return transport(executor);
    }

    Nodes nodes(Optional<Hash256> expectGenesis, Path datadir, URI... urls) {
        return TestNodes.start(
                kit.system(),
                settings(2, 32, 8 << 20, urls),
                expectGenesis,
                new GenesisFile(datadir),
                executor,
                executor,
                metrics,
                () -> trust);
    }

    static Settings.Node settings(int attempts, int maxConnections, int maxAnswerBytes, URI... urls) {
        return new Settings.Node(
                List.of(urls),
                attempts,
                Duration.ofMillis(500),
                CALL_TIMEOUT,
                maxAnswerBytes,
                maxConnections,
                Optional.empty());
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return Await.result(stage);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    static <X extends Throwable> X failure(Class<X> type, CompletionStage<?> stage) {
        Throwable failure = org.assertj.core.api.Assertions.catchThrowable(() -> get(stage));
        assertThat(failure).isInstanceOf(type);
        return type.cast(failure);
    }

    @Override
    public void close() {
        nodes.forEach(ScriptedNode::close);
        kit.shutdownTestKit();
        executor.shutdownNow();
    }
}
