package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Distorted;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The only node sends false data, until it stops doing so. */
class LyingNodeTest {
    private static final Address SOMEBODY = Address.of(new byte[32]);
    private static final Hash256 FALSE_ID = Hash256.parse("ee".repeat(32));

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private volatile boolean lying;

    @AutoClose
    private FollowRig rig;

    private void start(UnaryOperator<NodeClient> lies, Network network) {
        rig = new FollowRig(folder, List.of(new SeenBook()), setup -> liar(setup, lies, network), chain.uri());
        rig.awaitTip(chain.node().tip().id());
        lying = true;
    }

    private FollowerSetup liar(FollowerSetup setup, UnaryOperator<NodeClient> lies, Network network) {
        List<FollowedNode> nodes = new ArrayList<>(setup.sources().nodes());
        nodes.set(0, new FollowedNode("liar", lies.apply(nodes.get(0).client())));
        return Copies.with(
                setup,
                "sources",
                new FollowerSetup.Sources(nodes, setup.sources().any(), FollowRig.known(network)));
    }

    private UnaryOperator<NodeClient> blocks(UnaryOperator<NodeClient.BlockSummary> change) {
        return honest -> Distorted.blocks(honest, block -> lying ? change.apply(block) : block);
    }

    private double lies() {
        return rig.meters()
                .get("walletd.follower.lies")
                .tag("node", "liar")
                .counter()
                .count();
    }

    private void assertCaughtAndNotFollowed() {
        Hash256 believed = chain.node().tip().id();
        chain.fund(SOMEBODY, 5_000);
        chain.mine(3);
        Await.until("the lie is found out", () -> lies() >= 1);
        assertThat(rig.follower().tip().orElseThrow().place().blockId()).isEqualTo(believed);

        lying = false;
        rig.awaitTip(chain.node().tip().id());
    }

    /** Creates a block with other content, with the id of that content: only its work is missing. */
    private static NodeClient.BlockSummary forged(
            NodeClient.BlockSummary block, long time, Hash256 target, Hash256 root, List<Hash256> transactions) {
        BlockHeader header = new BlockHeader(
                BlockHeader.VERSION,
                block.height(),
                block.previousBlockId(),
                time,
                target,
                block.nonce(),
                root,
                block.stateRoot());
        return new NodeClient.BlockSummary(
                header.id(),
                block.height(),
                block.previousBlockId(),
                block.stateRoot(),
                root,
                time,
                block.nonce(),
                target,
                transactions.size(),
                transactions);
    }

    @Test
    void an_id_that_is_not_the_headers_is_a_lie() {
        start(
                blocks(block -> new NodeClient.BlockSummary(
                        FALSE_ID,
                        block.height(),
                        block.previousBlockId(),
                        block.stateRoot(),
                        block.txRoot(),
                        block.timestamp(),
                        block.nonce(),
                        block.difficultyTarget(),
                        block.txCount(),
                        block.transactions())),
                Network.DEVNET);
        assertCaughtAndNotFollowed();
    }

    @Test
    void a_list_that_leaves_a_transaction_out_is_a_lie() {
        start(
                blocks(block -> forged(
                        block,
                        block.timestamp(),
                        block.difficultyTarget(),
                        block.txRoot(),
                        block.transactions().subList(0, 1))),
                Network.MAINNET);
        assertCaughtAndNotFollowed();
    }

    @Test
    void a_block_of_more_transactions_than_a_block_holds_is_a_lie_and_few_of_them_are_requested() {
        List<Hash256> ids = IntStream.range(0, 300)
                .mapToObj(i -> Hash256.sha256(new byte[i]))
                .toList();
        Bytes megabyte = Bytes.wrap(new byte[ChainProfile.MAX_TRANSACTION_BYTES]);
        Set<Hash256> sent = ConcurrentHashMap.newKeySet();
        start(
                blocks(block -> forged(block, block.timestamp(), block.difficultyTarget(), FALSE_ID, ids))
                        .andThen(liar -> Stub.of(
                                NodeClient.class,
                                call -> call.name().equals("transaction") && ids.contains(call.arguments()[0])
                                        ? CompletableFuture.completedFuture(
                                                Optional.of(sent((Hash256) call.arguments()[0], megabyte, sent)))
                                        : call.on(liar)))::apply,
                Network.MAINNET);
        assertCaughtAndNotFollowed();
        assertThat(sent).hasSizeBetween(4, 8);
    }

    private static NodeClient.NodeTransaction sent(Hash256 id, Bytes bytes, Set<Hash256> sent) {
        sent.add(id);
        return new NodeClient.NodeTransaction(id, bytes, false, FALSE_ID, 1L);
    }

    @Test
    void a_target_that_the_height_does_not_demand_is_a_lie() {
        start(
                blocks(block -> forged(
                        block,
                        block.timestamp(),
                        Hash256.parse("0f" + "ff".repeat(31)),
                        block.txRoot(),
                        block.transactions())),
                Network.MAINNET);
        assertCaughtAndNotFollowed();
    }

    @Test
    void a_time_before_the_median_is_a_lie() {
        start(
                blocks(block ->
                        forged(block, 1_773_536_402L, block.difficultyTarget(), block.txRoot(), block.transactions())),
                Network.DEVNET);
        assertCaughtAndNotFollowed();
    }

    @Test
    void a_transaction_with_another_value_is_never_in_the_books() {
        start(honest -> honest, Network.DEVNET);
        rig.close();
        rig = new FollowRig(folder, List.of(new SeenBook()), this::withLyingBodies, chain.uri(), chain.uri());
        chain.fund(SOMEBODY, 5_000);
        rig.awaitTip(chain.node().tip().id());

        assertThat(rig.follower().tip().orElseThrow().height())
                .isEqualTo(chain.node().tip().height());
    }

    /** Transactions requested from any node are false, those from single nodes are right: the node that sent the list decides. */
    private FollowerSetup withLyingBodies(FollowerSetup setup) {
        NodeClient lying = Distorted.transactions(setup.sources().any(), Distorted::richer);
        return Copies.with(setup, "sources", Copies.with(setup.sources(), "any", lying));
    }
}
