package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.ScriptedNode.cutOff;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.chainwalletd.testkit.TestNodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objections to the deletion of an address (interface.md, section 4.11, rule 2). */
class DeletionGuardsTest {
    private static final Address ALICE = Address.parse("a1".repeat(32));
    private static final String UTXO =
            "{\"tx_id\":\"" + "cc".repeat(32) + "\",\"output_index\":0,\"value\":7,\"height\":3,\"is_coinbase\":true}";

    private static final String OURS = "0a".repeat(32);
    private static final String ANOTHER = "0b".repeat(32);

    @TempDir
    Path datadir;

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.empty());
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ScriptedNode node = ScriptedNode.start();
    private final ScriptedNode second = ScriptedNode.start();
    private OptionalLong followed = OptionalLong.empty();
    private Optional<Hash256> openSpend = Optional.empty();
    private final DeletionGuard guard = DeletionGuard.all(
            List.of(
                    asking(node),
                    KeyUseGuards.openSpends(address -> CompletableFuture.completedFuture(openSpend), executor)),
            executor);

    @BeforeEach
    void holdNothing() {
        for (ScriptedNode each : List.of(node, second)) {
            each.on("*", error(-32601, "Method not found"));
            each.on("get_block_height", tip(5, OURS));
            each.on("get_balance", result("{\"balance\":0}"));
            each.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":5}"));
            each.on("get_address_mempool", result("{\"tip_height\":5,\"mempool\":[]}"));
        }
    }

    private static ScriptedNode.Step tip(long height, String genesis) {
        return result("{\"height\":" + height + ",\"block_id\":\"" + "bb".repeat(32) + "\",\"genesis_block_id\":\""
                + genesis + "\"}");
    }

    @AfterEach
    void stop() {
        node.close();
        second.close();
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    /** Starts with the first query, when the nodes have their scripts. */
    private DeletionGuard asking(ScriptedNode... asked) {
        AtomicReference<DeletionGuard> started = new AtomicReference<>();
        return entry -> {
            if (started.get() == null) {
                started.set(new NodesGuard(nodes(asked), () -> followed, executor));
            }
            return started.get().objection(entry);
        };
    }

    private Nodes nodes(ScriptedNode... asked) {
        Settings.Node settings = new Settings.Node(
                Stream.of(asked).map(ScriptedNode::url).toList(),
                1,
                Duration.ofMillis(1),
                Duration.ofSeconds(10),
                1 << 20,
                8,
                Optional.empty());
        return TestNodes.start(
                kit.system(),
                settings,
                Optional.of(Hash256.parse(OURS)),
                new GenesisFile(datadir),
                executor,
                executor,
                new SimpleMeterRegistry());
    }

    private Optional<String> objectionOfBoth() throws Exception {
        return asked(asking(node, second));
    }

    private Optional<String> objection() throws Exception {
        return asked(guard);
    }

    private static Optional<String> asked(DeletionGuard guard) throws Exception {
        return Await.outcome(
                guard.objection(new KeyEntry(ALICE, Optional.empty(), OptionalLong.empty(), Optional.empty(), true))
                        .toCompletableFuture());
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

    /** A node lists nothing, because it lies or lacks the block; without asking the other one the key would be lost. */
    @Test
    void every_node_is_asked_and_one_that_knows_of_coins_is_enough() throws Exception {
        second.on("get_address_utxos", result("{\"utxos\":[" + UTXO + "],\"tip_height\":5}"));
        DeletionGuard both = asking(node, second);
        for (int i = 0; i < 4; i++) {
            assertThat(asked(both)).contains("it holds coins that are not spendable yet");
        }
    }

    @Test
    void a_node_of_ours_that_does_not_answer_leaves_it_unchecked() throws Exception {
        second.on("get_block_height", cutOff());
        assertThat(objectionOfBoth())
                .hasValueSatisfying(why -> assertThat(why)
                        .contains("could not be checked", second.url().toString(), "does not answer"));
    }

    @Test
    void only_nodes_of_our_chain_are_asked_and_none_is_not_enough() throws Exception {
        node.on("get_block_height", tip(5, ANOTHER));
        assertThat(objection()).hasValueSatisfying(why -> assertThat(why).contains("could not be checked"));
        assertThat(node.count("get_balance")).isZero();
    }

    @Test
    void what_a_node_of_another_chain_lists_is_none_of_our_business() throws Exception {
        node.on("get_block_height", tip(5, ANOTHER));
        node.on("get_balance", result("{\"balance\":9}"));
        assertThat(objectionOfBoth()).isEmpty();
    }

    @Test
    void a_node_that_does_not_say_its_chain_is_not_asked_where_the_chain_is_named() throws Exception {
        node.on("get_block_height", result("{\"height\":5,\"block_id\":\"" + "bb".repeat(32) + "\"}"));
        assertThat(objection()).hasValueSatisfying(why -> assertThat(why).contains("could not be checked"));
    }

    @Test
    void a_node_below_what_was_followed_leaves_it_unchecked() throws Exception {
        followed = OptionalLong.of(6);
        assertThat(objection())
                .hasValueSatisfying(why -> assertThat(why).contains("could not be checked", "is at height 5, below 6"));
        followed = OptionalLong.of(5);
        assertThat(objection()).isEmpty();
    }

    @Test
    void a_listing_from_before_the_last_blocks_leaves_it_unchecked() throws Exception {
        followed = OptionalLong.of(5);
        node.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":4}"));
        assertThat(objection()).hasValueSatisfying(why -> assertThat(why).contains("could not be checked"));
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
