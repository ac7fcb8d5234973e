package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.coins.WalletFigures;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.TestNodes;

/** The read methods behind the real envelope, over nodes that the test chooses. */
final class ReadRig implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    final List<KeyEntry> keys = new ArrayList<>();
    final Nodes nodes;
    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.empty());
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final RpcDispatcher dispatcher;

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
        ReadMethods.InFlight inFlight = new ReadMethods.InFlight() {
            @Override
            public int utxos() {
                return 3;
            }

            @Override
            public int transfers() {
                return 2;
            }
        };
        ReadMethods.Addresses addresses = new ReadMethods.Addresses() {
            @Override
            public List<KeyEntry> owned() {
                return List.copyOf(keys);
            }

            @Override
            public List<WatchStore.WatchOnly> watchOnly() {
                return List.of();
            }
        };
        dispatcher = new RpcDispatcher(
                MethodRegistry.of(ReadMethods.all(
                        PROFILE,
                        "9.9.9",
                        nodes,
                        nodes.client(),
                        addresses,
                        WalletFigures::new,
                        inFlight,
                        InstantSource.system(),
                        executor)),
                List.of(new UpstreamErrors()),
                CallObserver.NONE,
                new RpcDispatcher.Limits(100, 4, 10),
                executor);
    }

    /** The whole answer. */
    JsonNode answer(String method, String params) {
        String request = "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":1}";
        try {
            RpcAnswer answer = Await.outcome(dispatcher
                    .dispatch(
                            request.getBytes(StandardCharsets.UTF_8),
                            Optional.of(Grant.of(Scope.READ)),
                            Client.staying("test"))
                    .toCompletableFuture());
            return JSON.readTree(answer.body());
        } catch (Exception e) {
            throw new AssertionError("no answer to " + request, e);
        }
    }

    JsonNode result(String method, String params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.has("result")).as(answer.toString()).isTrue();
        return answer.get("result");
    }

    /** Code and message of a refusal, as in {@code -32020 node error -32602: Block not found}. */
    String error(String method, String params) {
        JsonNode answer = answer(method, params);
        assertThat(answer.has("error")).as(answer.toString()).isTrue();
        return answer.at("/error/code").asText() + " "
                + answer.at("/error/message").textValue();
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
        executor.shutdownNow();
    }
}
