package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trust rule of the chain protocol, section 5; decisions.md, requirement 8. */
class ChainIdentityTest {
    private static final Hash256 OURS = Hash256.parse("aa".repeat(32));
    private static final Hash256 OTHER = Hash256.parse("bb".repeat(32));

    @AutoClose
    private final NodeHarness harness = new NodeHarness(ConfigFactory.empty());

    private final ScriptedNode first = harness.node();
    private final ScriptedNode second = harness.node();

    @TempDir
    private Path datadir;

    @BeforeEach
    void describe() {
        for (ScriptedNode node : new ScriptedNode[] {first, second}) {
            node.on("get_node_info", result("{\"network\":\"devnet\",\"version\":\"1.14.0\"}"));
            node.on("send_raw_transaction", result("{\"tx_id\":\"" + OURS + "\"}"));
        }
    }

    private static ScriptedNode.Step height(String genesisMember) {
        return result("{\"height\":5,\"block_id\":\"" + "cc".repeat(32) + "\"" + genesisMember + "}");
    }

    private static ScriptedNode.Step chain(Hash256 genesis) {
        return height(",\"genesis_block_id\":\"" + genesis + "\"");
    }

    private void pin(Hash256 genesis) throws IOException {
        Files.writeString(datadir.resolve("genesis"), genesis + "\n");
    }

    @Test
    void without_a_configured_id_the_first_one_seen_is_pinned() {
        first.on("get_block_height", chain(OURS));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        assertThat(get(nodes.chain().genesisForSigning())).isEqualTo(OURS);

        assertThat(datadir.resolve("genesis")).hasContent(OURS.hex());
        assertThat(new GenesisFile(datadir).read()).contains(OURS);
    }

    @Test
    void the_id_is_pinned_before_it_is_used() {
        first.on("get_block_height", chain(OURS));
        Nodes nodes = harness.nodes(Optional.empty(), datadir.resolve("missing"), first.url());

        assertThatThrownBy(() -> get(nodes.chain().genesisForSigning())).hasMessageContaining("cannot be pinned");
        assertThat(nodes.chain().expected()).isEmpty();
    }

    @Test
    void once_a_node_was_seen_signing_asks_nobody() {
        first.on("get_block_height", chain(OURS));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url());
        get(nodes.chain().genesisForSigning());
        long asked = first.count("get_block_height");

        for (int i = 0; i < 50; i++) {
            get(nodes.chain().genesisForSigning());
        }

        assertThat(first.count("get_block_height")).isLessThanOrEqualTo(asked + 1);
        assertThat(datadir.resolve("genesis")).doesNotExist();
    }

    @Test
    void a_pinned_id_is_never_exchanged() throws IOException {
        pin(OURS);
        first.on("get_block_height", chain(OTHER));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        NodeException.WrongChain wrong =
                failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning());

        assertThat(wrong).hasMessageContaining(OTHER.hex()).hasMessageContaining(OURS.hex());
        assertThat(nodes.chain().complaint())
                .hasValueSatisfying(text -> assertThat(text).contains(OTHER.hex()));
        assertThat(datadir.resolve("genesis")).hasContent(OURS.hex());
    }

    @Test
    void nothing_is_broadcast_when_every_node_is_of_another_chain() {
        first.on("get_block_height", chain(OTHER));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url());
        failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning());

        failure(NodeException.WrongChain.class, nodes.client().sendRawTransaction(Bytes.parse("00")));

        assertThat(first.count("send_raw_transaction")).isZero();
    }

    @Test
    void a_node_of_another_chain_is_asked_for_nothing_but_which_chain_it_is_of() {
        first.on("get_block_height", chain(OTHER));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url());
        Address anybody = Address.of(new byte[Address.LENGTH]);

        for (NodeClient client : List.of(
                nodes.client(),
                nodes.client().hasty(),
                nodes.client().background(),
                nodes.client().each().get(0),
                nodes.followed().get(0))) {
            for (Supplier<CompletionStage<?>> call : List.<Supplier<CompletionStage<?>>>of(
                    client::tip,
                    () -> client.blockAt(1),
                    () -> client.transaction(OURS),
                    () -> client.balance(anybody),
                    () -> client.addressUtxos(anybody),
                    () -> client.addressMempools(List.of(anybody)))) {
                NodeException.WrongChain wrong = failure(NodeException.WrongChain.class, call.get());
                assertThat(wrong)
                        .hasMessageContaining("node is of another chain")
                        .hasMessageContaining(OTHER.hex())
                        .hasMessageContaining(OURS.hex());
                assertThat(wrong.isAboutSigning()).isFalse();
            }
        }

        assertThat(first.requests().stream().map(ScriptedNode.Request::method).distinct())
                .isSubsetOf("get_block_height", "get_node_info");
    }

    @Test
    void what_is_asked_before_the_first_node_has_said_its_chain_waits_for_that() {
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url(), second.url());
        first.on("get_block_height", chain(OTHER));
        second.on("get_block_height", chain(OURS));
        for (ScriptedNode node : new ScriptedNode[] {first, second}) {
            node.on("get_balance", result("{\"balance\":7}"));
        }

        for (int i = 0; i < 4; i++) {
            assertThat(get(nodes.client().balance(Address.of(new byte[Address.LENGTH]))))
                    .isEqualTo(Amount.of(7));
        }

        assertThat(first.count("get_balance")).isZero();
        assertThat(second.count("get_balance")).isEqualTo(4);
    }

    /** The answer itself must be checked, before the background checks know of it. */
    @Test
    void a_tip_that_names_another_chain_is_told_to_nobody_and_ends_what_the_node_is_asked() {
        first.on("get_block_height", chain(OURS));
        first.on("get_balance", result("{\"balance\":7}"));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());
        get(nodes.chain().genesisForSigning());
        first.on("get_block_height", chain(OTHER));

        failure(NodeException.WrongChain.class, nodes.client().tip());

        Await.until("it is refused", () -> nodes.chain().complaint().isPresent());
        Await.until("no call is sent to it", () -> isRefusedUnasked(nodes));
    }

    private boolean isRefusedUnasked(Nodes nodes) {
        long before = first.count("get_balance");
        boolean refused = get(nodes.client()
                .balance(Address.of(new byte[Address.LENGTH]))
                .handle((balance, failure) -> failure != null));
        return refused && first.count("get_balance") == before;
    }

    @Test
    void calls_to_nodes_that_nobody_can_reach_fail_as_unreachable_and_name_the_last() {
        URI nobody = ScriptedNode.refusing();
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, nobody);

        assertThat(failure(
                        NodeException.Unreachable.class, nodes.client().hasty().blockAt(1)))
                .hasMessageContaining(nobody.toString());
        assertThat(failure(NodeException.Unreachable.class, nodes.client().blockAt(1)))
                .hasMessageContaining("in 2 sweeps");
    }

    @Test
    void a_read_that_no_right_node_answers_names_the_wrong_one_but_a_broadcast_may_have_arrived() {
        URI nobody = ScriptedNode.refusing();
        first.on("get_block_height", chain(OTHER));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, nobody, first.url());

        for (NodeClient client : List.of(nodes.client(), nodes.client().hasty())) {
            assertThat(failure(NodeException.WrongChain.class, client.tip()))
                    .hasMessageStartingWith("node is of another chain: ")
                    .hasMessageContaining(OTHER.hex())
                    .hasMessageContaining("; no node answered get_block_height in ")
                    .message()
                    .containsOnlyOnce(nobody.toString())
                    .containsOnlyOnce("no node answered");
        }
        assertThat(failure(
                        NodeException.Unreachable.class,
                        nodes.client().each().get(0).tip()))
                .message()
                .containsOnlyOnce("no node answered");
        failure(NodeException.Unreachable.class, nodes.client().sendRawTransaction(Bytes.parse("00")));
    }

    /** Makes two calls, because otherwise each node would get one by rotation. */
    private boolean asksOnlyTheSecond(Nodes nodes) {
        long before = second.count("send_raw_transaction");
        get(nodes.client().sendRawTransaction(Bytes.parse("00")));
        get(nodes.client().sendRawTransaction(Bytes.parse("00")));
        return second.count("send_raw_transaction") == before + 2;
    }

    @Test
    void a_node_of_another_chain_is_passed_over() {
        first.on("get_block_height", chain(OTHER));
        second.on("get_block_height", chain(OURS));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url(), second.url());
        Await.until(
                "both nodes are known",
                () -> nodes.seen().get().nodes().stream()
                        .noneMatch(node -> node.chain() == NodesSeen.ChainMatch.UNKNOWN));

        assertThat(get(nodes.chain().genesisForSigning())).isEqualTo(OURS);
        Await.until("those who send have heard of it too", () -> asksOnlyTheSecond(nodes));
        long before = first.count("send_raw_transaction");
        for (int i = 0; i < 4; i++) {
            assertThat(asksOnlyTheSecond(nodes)).isTrue();
        }

        assertThat(first.count("send_raw_transaction")).isEqualTo(before);
        assertThat(nodes.chain().complaint())
                .hasValueSatisfying(text -> assertThat(text)
                        .contains(first.url().toString())
                        .doesNotContain(second.url().toString()));
    }

    @Test
    void an_old_node_that_names_no_chain_is_refused_when_the_operator_named_one() {
        first.on("get_block_height", height(""));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url());

        assertThat(failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning()))
                .hasMessageContaining("does not say which chain");
    }

    @Test
    void an_old_node_that_names_no_chain_is_accepted_for_a_pinned_id() throws IOException {
        pin(OURS);
        first.on("get_block_height", height(""));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        assertThat(get(nodes.chain().genesisForSigning())).isEqualTo(OURS);
    }

    @Test
    void nothing_is_signed_when_nobody_ever_named_the_chain() {
        first.on("get_block_height", height(""));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        assertThat(failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning()))
                .hasMessageContaining("--expect-genesis");
        assertThat(datadir.resolve("genesis")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"abcd\"", "7", "{}", "\"0000000000000000000000000000000000000000000000000000000000000000\""})
    void a_malformed_id_is_refused_and_never_pinned(String genesis) {
        first.on("get_block_height", height(",\"genesis_block_id\":" + genesis));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning());

        assertThat(datadir.resolve("genesis")).doesNotExist();
    }

    @Test
    void a_node_that_cannot_be_reached_is_no_wrong_chain() {
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, ScriptedNode.refusing());

        assertThat(failure(NodeException.Unreachable.class, nodes.chain().genesisForSigning()))
                .hasMessageContaining("in 2 sweeps");
        assertThat(nodes.chain().complaint()).isEmpty();
    }

    @Test
    void an_error_of_the_only_node_is_no_permission_to_sign() {
        first.on("get_block_height", error(-32603, "Storage error: x"));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, first.url());

        failure(NodeException.class, nodes.chain().genesisForSigning());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "aa", "zz", "AA", "\u00e9"})
    void a_damaged_pin_stops_the_start_and_is_named(String content) throws IOException {
        Files.writeString(datadir.resolve("genesis"), content);

        assertThatThrownBy(() -> harness.nodes(Optional.empty(), datadir, first.url()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(datadir.resolve("genesis").toString());
    }

    @Test
    void the_watch_knows_tip_network_and_version_of_each_node() {
        first.on("get_block_height", chain(OURS));
        Nodes nodes = harness.nodes(Optional.empty(), datadir, first.url());

        Await.until("the node is described", () -> nodes.seen().get().network().isPresent());

        assertThat(nodes.seen().get().network()).contains("devnet");
        assertThat(nodes.seen().get().tipHeight()).contains(5L);
        assertThat(nodes.seen().get().isAnswering()).isTrue();
    }
}
