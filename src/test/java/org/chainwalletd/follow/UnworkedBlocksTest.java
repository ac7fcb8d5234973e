package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Node that shows blocks without work, with timestamps of yesterday and below a false tip, so that few of them are checked; or a branch of which it
 * has only the headers. A nonce of one counts as work here.
 */
class UnworkedBlocksTest {
    private static final Hash256 TARGET = Hash256.parse("10" + "00".repeat(31));
    private static final long YESTERDAY = Instant.now().getEpochSecond() - 86_400;
    private static final Hash256 NO_TRANSACTIONS = MerkleTree.root(ChainProfile.of("chain"), List.of());
    private static final long FAR_ABOVE = 100_000;

    @TempDir
    Path folder;

    private final WorkCheck work = new WorkCheck(header -> header.nonce() == 1, Runnable::run);
    private final Node node = new Node();

    @AutoClose
    private FollowRig rig;

    /** Node that answers from a list of headers, and never returns their transactions. */
    private static final class Node {
        volatile List<BlockHeader> shown = List.of();
        /** Height of a false tip far above the headers, whose block has no ancestors; none when 0. */
        volatile long claimed;
        /** Whether it denies having blocks above the first, until it has denied the second. */
        volatile boolean denies;
        /** Whether it reports its tip but shows no block. */
        volatile boolean fails;

        final AtomicInteger bodiesAsked = new AtomicInteger();
        final AtomicInteger tipsAsked = new AtomicInteger();
        final AtomicInteger blocksAsked = new AtomicInteger();

        NodeClient client() {
            return Stub.of(NodeClient.class, call -> switch (call.name()) {
                case "tip" -> {
                    tipsAsked.incrementAndGet();
                    yield CompletableFuture.completedFuture(tip());
                }
                case "blockAt" -> {
                    blocksAsked.incrementAndGet();
                    yield fails
                            ? CompletableFuture.failedFuture(new NodeException.Unreachable("the answer is too long"))
                            : CompletableFuture.completedFuture(blockAt((Long) call.arguments()[0]));
                }
                case "transaction" -> {
                    bodiesAsked.incrementAndGet();
                    yield CompletableFuture.completedFuture(Optional.empty());
                }
                case "each" -> List.of(call.self());
                case "pinned", "hasty", "background", "patient" -> call.self();
                default -> throw new UnsupportedOperationException(call.name());
            });
        }

        private NodeClient.Tip tip() {
            NodeClient.BlockSummary top =
                    blockAt(claimed == 0 ? shown.size() - 1 : claimed).orElseThrow();
            return new NodeClient.Tip(top.height(), top.blockId(), shown.get(0).id());
        }

        private Optional<NodeClient.BlockSummary> blockAt(long height) {
            if (denies && height > 0 && height < shown.size()) {
                denies = height > 1;
                return Optional.empty();
            }
            if (height >= 0 && height < shown.size()) {
                return Optional.of(summary(shown.get((int) height)));
            }
            return height == claimed ? Optional.of(summary(header(height, Hash256.ZERO, 0))) : Optional.empty();
        }

        private static NodeClient.BlockSummary summary(BlockHeader header) {
            List<Hash256> transactions =
                    header.txRoot().equals(NO_TRANSACTIONS) ? List.of() : List.of(Hash256.parse("aa".repeat(32)));
            return new NodeClient.BlockSummary(
                    header.id(),
                    header.height(),
                    header.previousId(),
                    header.stateRoot(),
                    header.txRoot(),
                    header.timestamp(),
                    header.nonce(),
                    header.target(),
                    transactions.size(),
                    transactions);
        }
    }

    private static BlockHeader header(long height, Hash256 parent, long nonce) {
        return header(height, parent, nonce, YESTERDAY + height, NO_TRANSACTIONS);
    }

    private static BlockHeader header(long height, Hash256 parent, long nonce, long time, Hash256 root) {
        return new BlockHeader(BlockHeader.VERSION, height, parent, time, TARGET, nonce, root, Hash256.ZERO);
    }

    private static List<BlockHeader> grown(List<BlockHeader> from, int count, boolean worked) {
        List<BlockHeader> chain = new ArrayList<>(from);
        for (int i = 0; i < count; i++) {
            chain.add(header(chain.size(), topOf(chain), worked ? 1 : 0));
        }
        return chain;
    }

    private static Hash256 topOf(List<BlockHeader> chain) {
        return chain.isEmpty() ? Hash256.ZERO : chain.get(chain.size() - 1).id();
    }

    private void follow(List<BlockHeader> chain) {
        follow(chain, node);
    }

    private void follow(List<BlockHeader> chain, Node... nodes) {
        List<FollowedNode> followed = new ArrayList<>();
        for (Node each : nodes) {
            each.shown = chain;
            followed.add(new FollowedNode("node " + followed.size(), each.client()));
        }
        rig = new FollowRig(
                folder,
                List.of(),
                setup -> Copies.with(
                        setup,
                        "sources",
                        new FollowerSetup.Sources(followed, node.client(), FollowRig.known(Network.TESTNET)),
                        "work",
                        work),
                URI.create("http://127.0.0.1:9"));
        rig.awaitTip(topOf(chain));
    }

    private double lies() {
        return rig.meters()
                .get("walletd.follower.lies")
                .tag("node", "node 0")
                .counter()
                .count();
    }

    @Test
    void a_branch_without_work_replaces_nothing_however_high_the_node_says_its_chain_is() {
        List<BlockHeader> common = grown(List.of(), 20, true);
        HeaderChain ours = HeaderChain.of(grown(common, 105, true).stream()
                .map(header -> HeaderCheck.row(header, true))
                .toList());
        node.claimed = FAR_ABOVE;
        node.shown = grown(List.of(common.get(0)), 150, false);
        HeaderCheck check = new HeaderCheck(
                new HeaderRules(Network.TESTNET), new Leniency(Network.TESTNET), work, true, Clock.systemUTC());

        for (int i = 0; i < 100; i++) {
            assertThat(Await.result(new ChainComparison(node.client(), ours.copy(), check, Runnable::run).begin()))
                    .isInstanceOf(ChainComparison.Finding.Unclear.class);
        }
    }

    @Test
    void a_node_that_names_its_tip_and_shows_no_blocks_is_complained_of_until_it_shows_them() {
        List<BlockHeader> chain = grown(List.of(), 5, true);
        follow(chain);
        node.fails = true;
        node.shown = grown(chain, 1, true);
        Await.until(
                "somebody is told",
                () -> rig.follower().status().complaints().stream()
                        .anyMatch(complaint -> complaint.startsWith("no node shows its blocks: node 0")));

        node.fails = false;
        rig.awaitTip(topOf(node.shown));
        assertThat(rig.follower().status().complaints()).isEmpty();
    }

    @Test
    void blocks_below_one_without_work_give_way_to_blocks_of_less_work_that_somebody_worked_for() {
        List<BlockHeader> honest = grown(List.of(), 10, true);
        follow(honest);
        for (int i = 1; i <= 3; i++) {
            double before = lies();
            List<BlockHeader> lie = grown(honest, 50, false);
            // Recent enough to be checked in any case.
            lie.add(header(lie.size(), topOf(lie), 0, Instant.now().getEpochSecond(), NO_TRANSACTIONS));
            node.claimed = FAR_ABOVE;
            node.shown = lie;
            Await.until("the lie is found out", () -> lies() > before);

            honest = grown(honest, 1, true);
            node.claimed = 0;
            node.shown = honest;
            rig.awaitTip(topOf(honest));
        }
        assertThat(rig.events()).noneMatch(FollowEvent.Disconnected.class::isInstance);
    }

    @Test
    void a_node_that_denies_our_blocks_and_shows_them_then_costs_no_work() {
        List<BlockHeader> chain = grown(List.of(), 200, true);
        HeaderChain ours = HeaderChain.of(
                chain.stream().map(header -> HeaderCheck.row(header, true)).toList());
        node.shown = chain;
        node.claimed = chain.size();
        node.denies = true;
        AtomicInteger computed = new AtomicInteger();
        WorkCheck counting = new WorkCheck(header -> computed.incrementAndGet() > 0, Runnable::run);
        HeaderCheck check = new HeaderCheck(
                new HeaderRules(Network.TESTNET), new Leniency(Network.TESTNET), counting, true, Clock.systemUTC());

        assertThat(Await.result(new ChainComparison(node.client(), ours, check, Runnable::run).begin()))
                .isEqualTo(new ChainComparison.Finding.Unclear(Optional.empty()));
        assertThat(computed).hasValue(0);
    }

    @Test
    void the_lie_of_one_node_takes_nothing_back_that_another_one_has_shown() {
        Node honest = new Node();
        List<BlockHeader> common = grown(List.of(), 10, true);
        follow(common, node, honest);
        honest.claimed = FAR_ABOVE;
        honest.shown = grown(common, 50, true);
        Await.until("its blocks are read", () -> honest.blocksAsked.get() > 50);
        honest.claimed = 0;
        int tips = honest.tipsAsked.get();
        Await.until("they are followed", () -> honest.tipsAsked.get() > tips + 3);

        List<BlockHeader> lie = new ArrayList<>(honest.shown);
        lie.add(header(lie.size(), topOf(lie), 0, Instant.now().getEpochSecond(), NO_TRANSACTIONS));
        int before = honest.blocksAsked.get();
        node.shown = lie;
        Await.until("the lie is found out", () -> lies() > 0);
        int then = honest.tipsAsked.get();
        Await.until("the other one is asked again", () -> honest.tipsAsked.get() > then + 3);

        assertThat(honest.blocksAsked.get()).isEqualTo(before);
    }

    @Test
    void a_branch_whose_first_block_is_not_to_be_had_takes_no_block_off_the_chain() {
        List<BlockHeader> honest = grown(List.of(), 10, true);
        follow(grown(honest, 2, true));
        Hash256 tip = rig.follower().tip().orElseThrow().place().blockId();
        List<BlockHeader> branch = new ArrayList<>(honest);
        branch.add(header(10, topOf(honest), 1, YESTERDAY + 11, Hash256.parse("bb".repeat(32))));
        node.shown = grown(branch, 5, true);

        Await.until("its transactions were asked for in several rounds", () -> node.bodiesAsked.get() > 8);

        assertThat(rig.events()).noneMatch(FollowEvent.Disconnected.class::isInstance);
        assertThat(rig.follower().tip().orElseThrow().place().blockId()).isEqualTo(tip);
    }
}
