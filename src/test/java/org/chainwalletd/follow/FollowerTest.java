package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.pekko.stream.Materializer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.SeenTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class FollowerTest {
    private static final Address SOMEBODY = Address.of(new byte[32]);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private FollowRig rig;

    @AfterEach
    void stop() {
        if (rig != null) {
            rig.close();
        }
    }

    private void start() {
        rig = new FollowRig(folder, List.of(new SeenBook()), chain.uri());
    }

    private void restart() {
        rig.close();
        start();
    }

    private void awaitNodesTip() {
        rig.awaitTip(chain.node().tip().id());
    }

    private void assertBooksEqualTheChain(long from) {
        Set<SeenTable.Seen> expected = new HashSet<>();
        for (long height = from; height <= chain.node().tip().height(); height++) {
            ConnectedBlock block = chain.node().ledger().blockAt(height).orElseThrow();
            long before = expected.size();
            block.txIds().forEach(id -> expected.add(new SeenTable.Seen(id, block.height(), before)));
        }
        assertThat(SeenTable.all(rig.books())).isEqualTo(expected);
    }

    @Test
    void every_block_from_the_start_on_is_in_the_books() {
        start();
        rig.awaitTip(chain.node().tip().id());
        chain.fund(SOMEBODY, 5_000);
        chain.fund(SOMEBODY, 5_000);
        chain.mine(30);
        awaitNodesTip();

        assertBooksEqualTheChain(9);
    }

    @Test
    void what_a_reorganisation_takes_away_is_taken_out_of_the_books() {
        start();
        awaitNodesTip();
        chain.fund(SOMEBODY, 5_000);
        chain.mine(20);
        awaitNodesTip();
        chain.node().reorg(7);
        awaitNodesTip();

        assertBooksEqualTheChain(9);
        assertEventsLeadToTheTip();
    }

    @Test
    void a_reorganisation_while_the_daemon_was_stopped_is_found_at_the_next_start() {
        start();
        awaitNodesTip();
        chain.mine(20);
        awaitNodesTip();
        rig.close();
        chain.node().reorg(15);
        chain.fund(SOMEBODY, 5_000);
        start();
        awaitNodesTip();

        assertBooksEqualTheChain(9);
    }

    @Test
    void a_restart_continues_from_what_was_committed() {
        start();
        awaitNodesTip();
        chain.mine(3);
        awaitNodesTip();
        restart();
        chain.mine(3);
        awaitNodesTip();

        assertBooksEqualTheChain(9);
        Await.until("it has heard of the new blocks", () -> rig.events().size() == 4);
        assertThat(rig.events().get(0)).isInstanceOf(FollowEvent.Positioned.class);
    }

    @Test
    void the_tip_channel_gives_the_current_tip_first_and_then_the_newer_ones() {
        start();
        awaitNodesTip();
        Queue<FollowedTip> tips = new ConcurrentLinkedQueue<>();
        var materializer = Materializer.createMaterializer(rig.kit().system());
        rig.follower().tips().runForeach(tips::add, materializer);
        Await.until("the current tip", () -> tips.size() == 1);
        chain.mine(1);
        Await.until("the new tip", () -> tips.size() == 2);

        assertThat(tips).extracting(FollowedTip::height).containsExactly(10L, 11L);
    }

    @Test
    void whoever_knows_of_a_new_block_makes_the_follower_look_before_the_next_interval() {
        rig = new FollowRig(folder, List.of(new SeenBook()), FollowerTest::looksOnceAnHour, chain.uri());
        awaitNodesTip();
        chain.mine(1);

        Await.until("the new block is followed", () -> {
            rig.follower().nudge();
            return rig.follower()
                    .tip()
                    .filter(tip ->
                            tip.place().blockId().equals(chain.node().tip().id()))
                    .isPresent();
        });
    }

    @Test
    void a_proof_asks_the_nodes_that_answer_before_the_others() {
        AtomicBoolean proving = new AtomicBoolean();
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        rig = new FollowRig(
                folder,
                List.of(new SeenBook()),
                setup -> withNodes(
                        looksOnceAnHour(setup),
                        client -> List.of("silent", "other", "third").stream()
                                .map(name -> new FollowedNode(name, Stub.of(NodeClient.class, call -> {
                                    if (proving.get()) {
                                        asked.add(name);
                                    }
                                    return call.on(client);
                                })))
                                .toList()),
                chain.uri());
        awaitNodesTip();
        ConnectedBlock block =
                chain.node().ledger().blockAt(chain.node().tip().height()).orElseThrow();
        BlockPlace place = new BlockPlace(block.height(), chain.node().tip().id());
        proving.set(true);

        assertThat(Await.result(rig.follower().proves(block.txIds().get(0), place, "other"::equals)))
                .isTrue();
        assertThat(Set.copyOf(asked)).containsExactly("other");
        assertThat(Await.result(rig.follower().proves(Hash256.ZERO, place, "other"::equals)))
                .isFalse();
        assertThat(List.copyOf(new LinkedHashSet<>(asked))).containsExactly("other", "silent", "third");
    }

    private static FollowerSetup withNodes(FollowerSetup setup, Function<NodeClient, List<FollowedNode>> nodes) {
        NodeClient client = setup.sources().nodes().get(0).client();
        return Copies.with(setup, "sources", Copies.with(setup.sources(), "nodes", nodes.apply(client)));
    }

    private static FollowerSetup looksOnceAnHour(FollowerSetup setup) {
        return Copies.with(setup, "interval", Duration.ofHours(1));
    }

    /** Fails unless the events lead to the tip, block by block from the first one. */
    private void assertEventsLeadToTheTip() {
        BlockPlace tip =
                new BlockPlace(chain.node().tip().height(), chain.node().tip().id());
        Await.until("the events have come to the tip", () -> endOf(rig.events()).equals(tip));
    }

    private static BlockPlace endOf(List<FollowEvent> events) {
        List<BlockPlace> stack = new ArrayList<>();
        for (FollowEvent event : events) {
            if (event instanceof FollowEvent.Positioned positioned) {
                stack.clear();
                stack.add(positioned.tip().place());
            } else if (event instanceof FollowEvent.Connected connected) {
                if (stack.size() > 1) {
                    assertThat(connected.block().parentId())
                            .isEqualTo(stack.get(stack.size() - 1).blockId());
                }
                stack.add(connected.block().place());
            } else if (event instanceof FollowEvent.Disconnected gone) {
                assertThat(stack.remove(stack.size() - 1)).isEqualTo(gone.block());
            }
        }
        return stack.isEmpty() ? new BlockPlace(0, null) : stack.get(stack.size() - 1);
    }
}
