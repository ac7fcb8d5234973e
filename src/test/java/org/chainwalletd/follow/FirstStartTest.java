package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Start without books, with one lying node: the block that all nodes agree on must be linked to the accepted headers. */
class FirstStartTest {
    private static final int TIP = 900;
    /** Two maturities below the tip. */
    private static final int BASE = TIP - 720;

    @AutoClose("shutdownNow")
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    private final List<NodeClient.BlockSummary> honest = chain(0);
    private final List<NodeClient.BlockSummary> made = chain(1);

    private static List<NodeClient.BlockSummary> chain(long nonce) {
        return VerifiedChainTest.chain(TIP, nonce).stream()
                .map(header -> new NodeClient.BlockSummary(
                        header.id(),
                        header.height(),
                        header.previousId(),
                        header.stateRoot(),
                        header.txRoot(),
                        header.timestamp(),
                        nonce,
                        header.target(),
                        0,
                        List.of()))
                .toList();
    }

    private NodeClient node(LongFunction<NodeClient.BlockSummary> shown) {
        return Stub.of(NodeClient.class, call -> switch (call.name()) {
            case "tip" ->
                CompletableFuture.completedFuture(new NodeClient.Tip(
                        TIP, shown.apply(TIP).blockId(), honest.get(0).blockId()));
            case "blockAt" -> {
                long height = (Long) call.arguments()[0];
                yield CompletableFuture.completedFuture(
                        height > TIP ? Optional.empty() : Optional.of(shown.apply(height)));
            }
            default -> throw new UnsupportedOperationException(call.name());
        });
    }

    private List<BlockRow> read(NodeClient from, Optional<BlockPlace> checkpoint) {
        return read(from, checkpoint, Difficulty.EASIEST);
    }

    private List<BlockRow> read(NodeClient from, Optional<BlockPlace> checkpoint, Hash256 easiest) {
        FirstStart start = new FirstStart(
                List.of(new FollowedNode("honest", node(this::honest)), new FollowedNode("asked", from)),
                checkpoint,
                new ChainRules(Network.MAINNET, easiest),
                executor);
        return Await.result(start.read(from));
    }

    private NodeClient.BlockSummary honest(long height) {
        return honest.get((int) height);
    }

    private static void refused(Runnable reading, String words) {
        assertThatThrownBy(reading::run)
                .rootCause()
                .isInstanceOf(FirstStart.Refused.class)
                .hasMessageContaining(words);
    }

    @Test
    void headers_of_the_chain_that_all_agree_on_are_taken() {
        List<BlockRow> rows = read(node(this::honest), Optional.empty());

        assertThat(rows).hasSize(BASE + 1);
        assertThat(rows.get(BASE).blockId()).isEqualTo(honest(BASE).blockId());
    }

    @Test
    void headers_that_demand_less_work_than_the_genesis_block_are_refused_unless_the_operator_names_one() {
        Hash256 hard = Hash256.parse("10" + "00".repeat(31));
        refused(() -> read(node(this::honest), Optional.empty(), hard), "demand less work than the genesis block");

        BlockPlace named = new BlockPlace(BASE, honest(BASE).blockId());
        assertThat(read(node(this::honest), Optional.of(named), hard)).hasSize(BASE + 1);
    }

    @Test
    void headers_on_which_the_block_that_all_agree_on_does_not_stand_are_refused() {
        NodeClient liar = node(height -> height <= BASE + 5 ? made.get((int) height) : honest(height));

        refused(() -> read(liar, Optional.empty()), "do not make one chain");
    }

    @Test
    void nor_are_headers_taken_that_do_not_stand_on_the_checkpoint_below_them() {
        BlockPlace checkpoint = new BlockPlace(0, honest(0).blockId());
        NodeClient liar = node(height -> height == 0 ? honest(0) : made.get((int) height));

        refused(() -> read(liar, Optional.of(checkpoint)), "do not make one chain");
    }

    @Test
    void a_checkpoint_above_the_nodes_tip_is_waited_for() {
        BlockPlace ahead = new BlockPlace(TIP + 1, Hash256.ZERO);

        refused(() -> read(node(this::honest), Optional.of(ahead)), "ends below the block that the checkpoint names");
    }
}
