package org.chainwalletd.rpc.method.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.ScriptedNode.cutOff;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.CombinedGuard;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What speaks against the deletion of an address (interface.md, section 4.11, rule 2). */
class DeletionGuardsTest {
    private static final Address ALICE = Address.parse("a1".repeat(32));
    private static final String UTXO =
            "{\"tx_id\":\"" + "cc".repeat(32) + "\",\"output_index\":0,\"value\":7,\"height\":3,\"is_coinbase\":true}";

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.empty());
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ScriptedNode node = ScriptedNode.start();
    private final NodeClient client = client();
    private Optional<Hash256> openSpend = Optional.empty();
    private final DeletionGuard guard = new CombinedGuard(
            List.of(
                    new ConfirmedCoinsGuard(client, executor),
                    new PendingCoinsGuard(client, executor),
                    new OwnSpendsGuard(address -> CompletableFuture.completedFuture(openSpend), executor)),
            executor);

    @BeforeEach
    void holdNothing() {
        node.on("get_balance", result("{\"balance\":0}"));
        node.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":5}"));
        node.on("get_address_mempool", result("{\"tip_height\":5,\"mempool\":[]}"));
    }

    @AfterEach
    void stop() {
        node.close();
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    private NodeClient client() {
        Settings.Node settings = new Settings.Node(
                List.of(node.url()), 1, Duration.ofMillis(1), Duration.ofSeconds(10), 1 << 20, 8, Optional.empty());
        return Nodes.clientOf(kit.system(), settings, executor, new SimpleMeterRegistry());
    }

    private Optional<String> objection() throws Exception {
        return guard.objection(new KeyEntry(ALICE, null, OptionalLong.empty(), Optional.empty(), true))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void an_address_without_coins_may_be_deleted() throws Exception {
        assertThat(objection()).isEmpty();
    }

    @Test
    void confirmed_and_immature_coins_speak_against_it() throws Exception {
        node.on("get_address_utxos", result("{\"utxos\":[" + UTXO + "],\"tip_height\":5}"));
        assertThat(objection()).contains("it holds coins that are not spendable yet");
        node.on("get_balance", result("{\"balance\":9}"));
        assertThat(objection()).contains("it holds a confirmed balance of 9 base units; sweep it first");
    }

    @Test
    void so_does_a_node_that_cannot_be_asked() throws Exception {
        node.on("get_balance", cutOff());
        assertThat(objection()).contains("its balance could not be checked with the nodes");
        node.on("get_balance", result("{\"balance\":0}"));
        node.on("get_address_mempool", error(-32603, "Storage error: x"));
        assertThat(objection()).contains("its balance could not be checked with the nodes");
    }

    @Test
    void a_node_too_old_to_tell_its_mempool_tells_the_balance() throws Exception {
        node.on("get_address_mempool", error(-32601, "Method not found"));
        assertThat(objection()).isEmpty();
        node.on("get_balance", result("{\"balance\":9}"));
        assertThat(objection()).isPresent();
    }

    @Test
    void what_the_nodes_will_confirm_speaks_against_it() throws Exception {
        node.on("get_address_mempool", result(mempool("[{\"output_index\":0,\"value\":5}]", "[]")));
        assertThat(objection()).contains("it has incoming funds that are not confirmed yet");
        node.on(
                "get_address_mempool",
                result(mempool("[]", "[{\"tx_id\":\"" + "dd".repeat(32) + "\",\"output_index\":0,\"value\":5}]")));
        assertThat(objection()).contains("a transaction that spends from it is not confirmed yet");
    }

    private static String mempool(String received, String spent) {
        return "{\"address\":\"" + ALICE + "\",\"tip_height\":5,\"mempool\":[{\"tx_id\":\"" + "cc".repeat(32)
                + "\",\"received\":" + received + ",\"spent\":" + spent + "}]}";
    }

    @Test
    void a_spend_of_our_own_that_the_nodes_have_forgotten_speaks_against_it() throws Exception {
        openSpend = Optional.of(Hash256.sha256(new byte[1]));
        assertThat(objection())
                .contains("the spend " + openSpend.get() + " of this daemon needs it until it is settled");
    }
}
