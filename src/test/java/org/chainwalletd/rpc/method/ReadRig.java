package org.chainwalletd.rpc.method;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.coins.WalletFigures;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.testkit.TestNodes;

/** Read methods behind the real dispatcher, with nodes chosen by the test. */
final class ReadRig implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    final List<KeyEntry> keys = new ArrayList<>();
    final Nodes nodes;
    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.empty());
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final CallRig calls;

    ReadRig(Optional<Hash256> expectGenesis, Path datadir, URI... urls) {
        Settings.Node settings = new Settings.Node(
                List.of(urls), 2, Duration.ofMillis(10), Duration.ofSeconds(10), 8 << 20, 32, Optional.empty());
        nodes = TestNodes.start(
                kit.system(),
                settings,
                expectGenesis,
                new GenesisFile(datadir),
                executor,
                executor,
                new SimpleMeterRegistry());
        calls = new CallRig(
                new ReadMethods(
                                PROFILE,
                                "9.9.9",
                                nodes,
                                nodes.client(),
                                new ReadMethods.Addresses(() -> List.copyOf(keys), List::of),
                                WalletFigures::new,
                                new ReadMethods.InFlight(() -> 3, () -> 2),
                                InstantSource.system(),
                                executor)
                        .all(),
                new UpstreamErrors());
    }

    /** @param params JSON object */
    JsonNode result(String method, String params) {
        return calls.result(method, parsed(params));
    }

    /** Code and message of a refusal, as in {@code -32020 node error -32602: Block not found}. */
    String error(String method, String params) {
        JsonNode error = calls.error(method, parsed(params));
        return error.path("code").asText() + " " + error.path("message").textValue();
    }

    private static JsonNode parsed(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
        executor.shutdownNow();
    }
}
