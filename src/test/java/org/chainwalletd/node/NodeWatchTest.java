package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.cutOff;
import static org.chainwalletd.testkit.ScriptedNode.result;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Background checks, with a clock that the test moves. */
class NodeWatchTest {
    private static final Hash256 OURS = Hash256.parse("aa".repeat(32));
    private static final Hash256 OTHER = Hash256.parse("bb".repeat(32));

    @AutoClose
    private final NodeHarness harness = new NodeHarness(ManualTime.config());

    private final ManualTime time = ManualTime.get(harness.kit.system());
    private final ScriptedNode node = harness.node();

    @TempDir
    private Path datadir;

    private static ScriptedNode.Step tip(long height, Hash256 genesis) {
        return result("{\"height\":" + height + ",\"block_id\":\"" + "cc".repeat(32) + "\",\"genesis_block_id\":\""
                + genesis + "\"}");
    }

    @Test
    void a_node_that_changes_its_chain_is_noticed_at_the_next_check_and_forgiven_when_it_comes_back() {
        node.on("get_block_height", tip(1, OURS));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, node.url());
        Await.until("the node is known", () -> nodes.seen().get().maySign());

        node.on("get_block_height", tip(2, OTHER));
        time.timePasses(Duration.ofSeconds(5));
        Await.until("the change is noticed", () -> nodes.chain().complaint().isPresent());
        failure(NodeException.WrongChain.class, nodes.chain().genesisForSigning());

        node.on("get_block_height", tip(3, OURS));
        time.timePasses(Duration.ofSeconds(5));
        Await.until("all is well", () -> nodes.chain().complaint().isEmpty());
        assertThat(get(nodes.chain().genesisForSigning())).isEqualTo(OURS);
    }

    @Test
    void a_node_that_is_down_is_asked_less_and_less_often_and_found_again() {
        node.on("get_block_height", tip(1, OURS));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, node.url());
        Await.until("the node is known", () -> nodes.seen().get().isAnswering());

        node.on("get_block_height", cutOff());
        time.timePasses(Duration.ofSeconds(5));
        Await.until("it is missed", () -> !nodes.seen().get().isAnswering());
        assertThat(get(nodes.chain().genesisForSigning())).isEqualTo(OURS);
        long asked = node.count("get_block_height");
        time.timePasses(Duration.ofMillis(999));
        assertThat(node.count("get_block_height")).isEqualTo(asked);

        node.on("get_block_height", tip(9, OURS));
        time.timePasses(Duration.ofMillis(1));
        Await.until("it is found again", () -> nodes.seen().get().isAnswering());
        assertThat(nodes.seen().get().tipHeight()).contains(9L);
    }

    @Test
    void a_node_of_another_chain_that_is_down_is_still_known_by_its_genesis() {
        node.on("get_block_height", tip(1, OTHER));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, node.url());
        Await.until("the chain is known", () -> nodes.chain().complaint().isPresent());
        String complaint = nodes.chain().complaint().orElseThrow();
        assertThat(complaint).contains(OTHER.hex());

        node.on("get_block_height", cutOff());
        time.timePasses(Duration.ofSeconds(5));
        Await.until("it is missed", () -> !nodes.seen().get().nodes().get(0).answering());
        assertThat(nodes.chain().complaint()).contains(complaint);
    }

    @Test
    void what_the_follower_hears_of_a_node_is_not_asked_again() {
        node.on("get_block_height", tip(1, OURS));
        Nodes nodes = harness.nodes(Optional.of(OURS), datadir, node.url());
        Await.until("the node is known", () -> nodes.seen().get().maySign());
        time.timePasses(Duration.ofSeconds(4));
        node.on("get_block_height", tip(2, OTHER));

        failure(NodeException.WrongChain.class, nodes.followed().get(0).tip());
        Await.until("the change is noticed", () -> nodes.chain().complaint().isPresent());
        assertThat(nodes.seen().get().nodes().get(0).tip().height()).isEqualTo(2);
        long asked = node.count("get_block_height");
        time.timePasses(Duration.ofSeconds(4));
        assertThat(node.count("get_block_height")).isEqualTo(asked);

        time.timePasses(Duration.ofSeconds(1));
        Await.until("a node that nobody asks is asked", () -> node.count("get_block_height") > asked);
    }
}
