package org.chainwalletd.rpc.method;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.config.Settings;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.testkit.Spawners;

/** Methods of this family behind the real dispatcher, with a node and indexers chosen by the test. */
final class IndexerRig implements AutoCloseable {
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();
    static final ChainProfile PROFILE = ChainProfile.of("chain");

    final IndexerClient client;
    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.empty());
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final NodeClient nodes;
    private final HttpPeers peers;

    IndexerRig(URI node, Optional<String> token, URI... indexers) {
        Settings.Node settings = new Settings.Node(
                List.of(node), 2, Duration.ofMillis(10), Duration.ofSeconds(10), 8 << 20, 32, Optional.empty());
        nodes = Nodes.clientOf(kit.system(), settings, executor, new SimpleMeterRegistry());
        peers = HttpPeers.start(kit.system(), executor, () -> {});
        Nodes.Transport transport =
                new Nodes.Transport(peers, ByteBudget.of(1 << 24), executor, new SimpleMeterRegistry());
        client = indexers.length == 0
                ? null
                : new IndexerClient(
                        RpcUpstream.toIndexers(
                                Spawners.of(kit), settings.withUrls(List.of(indexers)), token, transport),
                        executor);
    }

    CallRig calls() {
        return calls(IndexerClient.AddressHistory.NONE);
    }

    CallRig calls(IndexerClient.AddressHistory own) {
        IndexerMethods methods = new IndexerMethods(
                PROFILE,
                Optional.ofNullable(client),
                own,
                locks -> CompletableFuture.completedStage(Map.of()),
                nodes,
                executor);
        return new CallRig(methods.all(), new UpstreamErrors());
    }

    /** Recorded answer of a real indexer: {@code src/test/resources/fixtures/indexer-rpc.json}, unchanged. */
    static JsonNode recorded(String name) {
        try (InputStream in = IndexerRig.class.getResourceAsStream("/fixtures/indexer-rpc.json")) {
            for (JsonNode exchange : JSON.readTree(in).required("exchanges")) {
                if (exchange.required("name").textValue().equals(name)) {
                    return exchange;
                }
            }
            throw new AssertionError("nothing recorded as " + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        peers.close();
        kit.shutdownTestKit();
        executor.shutdownNow();
    }
}
