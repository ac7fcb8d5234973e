package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodesSeen.ChainMatch;
import org.chainwalletd.node.NodesSeen.Seen;
import org.junit.jupiter.api.Test;

class NodesSeenTest {
    private static final Hash256 GENESIS = Hash256.sha256(new byte[] {0});

    private static final ChainRules.OperatorSettings NAMED = new ChainRules.OperatorSettings(true, Optional.empty());

    private static Seen node(ChainMatch standing, boolean answering, int height, int block) {
        NodeClient.Tip tip = new NodeClient.Tip(height, Hash256.sha256(new byte[] {(byte) block}), GENESIS);
        return new Seen("http://node-" + block, standing, answering, GENESIS, tip, null, null);
    }

    private static Optional<Hash256> tipOf(Seen... nodes) {
        return new NodesSeen(Optional.of(GENESIS), NAMED, List.of(nodes))
                .tip(Set.of())
                .map(NodeClient.Tip::blockId);
    }

    @Test
    void the_tip_is_the_highest_and_among_equals_always_the_first() {
        Seen lagging = node(ChainMatch.OURS, true, 10, 1);
        Seen first = node(ChainMatch.OURS, true, 11, 2);
        Seen fork = node(ChainMatch.OURS, true, 11, 3);

        assertThat(tipOf(lagging, first, fork)).contains(first.tip().blockId());
        assertThat(tipOf(fork, lagging, first)).contains(fork.tip().blockId());
    }

    @Test
    void a_node_that_fell_silent_or_is_of_another_chain_has_no_say_in_the_tip() {
        Seen silent = node(ChainMatch.OURS, false, 90, 1);
        Seen other = node(ChainMatch.OTHER, true, 91, 2);
        Seen ours = node(ChainMatch.OURS, true, 11, 3);

        assertThat(tipOf(silent, other, ours)).contains(ours.tip().blockId());
        assertThat(tipOf(silent, other)).isEmpty();
    }

    @Test
    void only_nodes_of_our_chain_that_answer_are_counted() {
        Seen silent = node(ChainMatch.OURS, false, 90, 1);
        Seen other = node(ChainMatch.OTHER, true, 91, 2);
        Seen ours = node(ChainMatch.OURS, true, 11, 3);

        assertThat(new NodesSeen(Optional.of(GENESIS), NAMED, List.of(silent, other, ours)).answering())
                .isEqualTo(1);
        assertThat(new NodesSeen(Optional.of(GENESIS), NAMED, List.of(silent, other)).answering())
                .isZero();
    }

    @Test
    void a_node_whose_tip_is_set_aside_has_no_say_in_the_tip_however_high_it_is() {
        Seen hollow = node(ChainMatch.OURS, true, -1, 1);
        Seen ours = node(ChainMatch.OURS, true, 11, 2);
        NodesSeen seen = new NodesSeen(Optional.of(GENESIS), NAMED, List.of(hollow, ours));

        assertThat(seen.tip(Set.of())).contains(hollow.tip());
        assertThat(seen.tip(Set.of(hollow.url()))).contains(ours.tip());
    }
}
