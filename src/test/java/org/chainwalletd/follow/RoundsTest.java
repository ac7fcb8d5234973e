package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.ChainComparison.Proof.Extent;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** A reported height counts as far, and as long, as the node has proven it. */
class RoundsTest {
    private static final long OURS = 100;
    private static final long FAR = 10_100;
    private static final Fault FAULT = new Fault(Fault.Rule.WORK, OURS + 1, Hash256.ZERO);
    private static final Fault LATER = new Fault(Fault.Rule.FUTURE, OURS + 1, Hash256.ZERO);

    private final FollowedNode one = node("one");
    private final FollowedNode other = node("other");
    private final Rounds rounds = of(one, other);

    private static FollowedNode node(String name) {
        return new FollowedNode(name, Stub.of(NodeClient.class, call -> {
            throw new UnsupportedOperationException(call.name());
        }));
    }

    private static Rounds of(FollowedNode... nodes) {
        return new Rounds(List.of(nodes), Clock.systemUTC(), new SimpleMeterRegistry());
    }

    private static ChainComparison.Finding longer(long proven) {
        return new ChainComparison.Finding.Longer(
                FAR,
                true,
                new ChainComparison.Proof(proven, proven == FAR ? Extent.FIRST : Extent.PARTIAL, Optional.empty()));
    }

    private static ChainComparison.Finding faulty(Fault fault) {
        return new ChainComparison.Finding.Longer(
                FAR, true, new ChainComparison.Proof(OURS, Extent.PARTIAL, Optional.of(fault)));
    }

    private static ChainComparison.Finding hollow() {
        return new ChainComparison.Finding.TipNotShown(new NodeClient.Tip(FAR, Hash256.ZERO, Hash256.ZERO));
    }

    private long height() {
        return rounds.highest(FAR, -1, OURS);
    }

    private void looks(int count) {
        for (int i = 0; i < count; i++) {
            rounds.next();
        }
    }

    @Test
    void the_height_that_a_sole_node_names_counts() {
        assertThat(of(one).highest(FAR, -1, OURS)).isEqualTo(FAR);
    }

    @Test
    void of_several_nodes_that_name_a_height_it_counts_as_far_as_one_has_proven_it() {
        assertThat(height()).isEqualTo(-1);
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        rounds.found(one, longer(OURS + 2), OURS);
        assertThat(height()).isEqualTo(OURS + 2);
        rounds.found(one, longer(FAR), OURS);
        assertThat(height()).isEqualTo(FAR);
    }

    @Test
    void what_was_proven_stays_and_what_was_named_with_it_for_some_looks() {
        rounds.found(one, longer(FAR), OURS);
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        rounds.found(one, longer(OURS), OURS);
        rounds.found(one, new ChainComparison.Finding.Unclear(Optional.of(FAULT)), OURS);
        rounds.found(one, faulty(FAULT), OURS);
        rounds.found(one, faulty(FAULT), OURS);
        rounds.returnedFalseData(one, FAULT);
        looks(40);
        assertThat(height()).isEqualTo(FAR);
        looks(1);
        assertThat(height()).isEqualTo(OURS + ChainComparison.PROOF);
        rounds.found(
                one,
                new ChainComparison.Finding.Behind(new NodeClient.Tip(OURS - 1, Hash256.ZERO, Hash256.ZERO)),
                OURS);
        assertThat(height()).isEqualTo(OURS);
    }

    @Test
    void a_node_is_set_aside_when_its_tip_is_hollow_twice_in_a_row() {
        rounds.found(one, longer(FAR), OURS);
        rounds.found(one, hollow(), OURS);
        assertThat(rounds.ignoredTips()).isEmpty();
        assertThat(height()).isEqualTo(FAR);
        rounds.found(one, longer(FAR), OURS);
        rounds.found(one, hollow(), OURS);
        assertThat(rounds.ignoredTips()).isEmpty();
        rounds.found(one, hollow(), OURS);
        assertThat(rounds.ignoredTips()).containsExactly("one");
        assertThat(height()).isEqualTo(OURS + ChainComparison.PROOF);
        rounds.found(one, longer(OURS + 1), OURS);
        assertThat(rounds.ignoredTips()).containsExactly("one");
        rounds.found(one, new ChainComparison.Finding.Same(), OURS);
        assertThat(rounds.ignoredTips()).isEmpty();
    }

    @Test
    void missing_headers_and_times_that_have_not_come_set_no_node_aside_but_two_lies_do() {
        for (int i = 0; i < 5; i++) {
            rounds.found(one, longer(OURS), OURS);
            rounds.found(one, longer(OURS + 1), OURS);
            rounds.found(one, faulty(LATER), OURS);
            rounds.found(one, new ChainComparison.Finding.Unclear(Optional.of(LATER)), OURS);
            rounds.found(one, new ChainComparison.Finding.Unclear(Optional.empty()), OURS);
        }
        assertThat(rounds.ignoredTips()).isEmpty();
        rounds.found(one, faulty(FAULT), OURS);
        assertThat(rounds.ignoredTips()).isEmpty();
        rounds.found(one, faulty(FAULT), OURS);
        assertThat(rounds.ignoredTips()).containsExactly("one");
    }

    @Test
    void a_node_whose_shown_tip_is_followed_confirms_it_also_while_it_finds_a_block_at_each_look() {
        rounds.found(one, hollow(), OURS);
        rounds.found(one, hollow(), OURS);
        assertThat(rounds.precedence(OURS)).isEqualTo(Precedence.NEITHER);

        for (long ours = OURS; ours < OURS + 3; ours++) {
            long to = ours + 1;
            rounds.found(
                    other,
                    new ChainComparison.Finding.Longer(
                            to, true, new ChainComparison.Proof(to, Extent.COMPLETE, Optional.empty())),
                    ours);
            assertThat(rounds.precedence(ours)).as("before the block is read").isEqualTo(Precedence.NEITHER);
            assertThat(rounds.precedence(to)).isEqualTo(Precedence.BOOKS);
        }
        rounds.undone(OURS);
        assertThat(rounds.precedence(OURS + 4)).isEqualTo(Precedence.NEITHER);
    }

    @Test
    void the_books_count_while_a_node_reports_a_tip_on_a_branch_without_proven_work_and_another_confirms_ours() {
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        for (ChainComparison.Finding finding : List.of(
                new ChainComparison.Finding.NoCommonBlock(FAR), new ChainComparison.Finding.OtherBranch(FAR, true))) {
            rounds.found(one, finding, OURS);
            assertThat(rounds.precedence(OURS)).isEqualTo(Precedence.BOOKS);
            assertThat(rounds.precedence(OURS - 1)).as("nobody confirms").isEqualTo(Precedence.NODES);
        }
        rounds.found(one, new ChainComparison.Finding.Same(), OURS);
        assertThat(rounds.precedence(OURS)).isEqualTo(Precedence.NODES);
    }

    @Test
    void a_node_that_does_not_answer_leaves_the_nodes_answers_in_force() {
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        for (int i = 0; i < 5; i++) {
            rounds.failed(one);
        }
        assertThat(rounds.precedence(OURS)).isEqualTo(Precedence.NODES);
    }

    @Test
    void a_branch_whose_tip_is_not_shown_leaves_the_doubt_about_its_node() {
        rounds.found(one, hollow(), OURS);
        rounds.found(one, new ChainComparison.Finding.OtherBranch(FAR, false), OURS);
        assertThat(rounds.ignoredTips()).containsExactly("one");
        rounds.found(one, new ChainComparison.Finding.OtherBranch(FAR, true), OURS);
        assertThat(rounds.ignoredTips()).isEmpty();
    }

    @Test
    void where_no_node_shows_a_block_that_can_be_followed_the_word_counts_and_operators_are_told() {
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        rounds.returnedFalseData(one, FAULT);
        assertThat(height()).isEqualTo(OURS);
        assertThat(rounds.complaints()).isEmpty();
        rounds.failed(other);
        rounds.failed(other);
        rounds.found(one, longer(OURS), OURS);
        assertThat(height()).isEqualTo(OURS);
        rounds.failed(other);
        assertThat(height()).isEqualTo(FAR);
        assertThat(rounds.complaints()).hasSize(1).first().asString().contains("one shows an invalid one");
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        assertThat(height()).isEqualTo(OURS);
        assertThat(rounds.complaints()).isEmpty();
        rounds.returnedFalseData(other, FAULT);
        assertThat(rounds.complaints()).hasSize(2);
        rounds.brings(one);
        assertThat(rounds.complaints()).isEmpty();
    }

    @Test
    void what_was_named_with_a_proof_ends_when_the_chain_has_come_as_far_as_it() {
        long passed = OURS + ChainComparison.PROOF;
        rounds.found(one, longer(FAR), OURS);
        looks(1);
        assertThat(rounds.highest(FAR, -1, passed - 1)).isEqualTo(FAR);
        assertThat(rounds.highest(FAR, -1, passed)).isEqualTo(passed);
        rounds.supplied(one, 15, Duration.ofSeconds(10));
        assertThat(rounds.highest(FAR, -1, passed)).isEqualTo(passed);
    }

    @Test
    void it_counts_longer_for_a_node_that_has_supplied_blocks_and_headers_do_not_prolong_that() {
        long passed = OURS + ChainComparison.PROOF;
        rounds.found(one, longer(FAR), OURS);
        rounds.supplied(one, 16, Duration.ofSeconds(10));
        looks(6);
        assertThat(rounds.highest(FAR, -1, passed)).isEqualTo(FAR);
        rounds.found(one, longer(FAR), passed - 1);
        assertThat(rounds.highest(FAR, -1, passed + 2)).isEqualTo(FAR);
        looks(1);
        assertThat(rounds.highest(FAR, -1, passed + 2)).isEqualTo(passed + 2);
    }

    @Test
    void it_counts_longer_while_another_daemon_writes_many_blocks() {
        rounds.found(one, longer(FAR), OURS);
        assertThat(rounds.highest(FAR, -1, OURS + 40)).isEqualTo(OURS + ChainComparison.PROOF);
        rounds.suppliedToAnother();
        looks(6);
        assertThat(rounds.highest(FAR, -1, OURS + 40)).isEqualTo(FAR);
        looks(1);
        assertThat(rounds.highest(FAR, -1, OURS + 40)).isLessThan(OURS + 40);
        looks(40);
        rounds.suppliedToAnother();
        assertThat(rounds.highest(FAR, -1, OURS + 40)).as("long ago").isLessThan(OURS + 40);
    }

    @Test
    void headers_that_are_missing_later_take_nothing_back_that_was_proven() {
        rounds.found(one, longer(OURS + 2), OURS);
        rounds.found(one, longer(OURS + 1), OURS);
        assertThat(height()).isEqualTo(OURS + 2);
    }

    @Test
    void what_was_proven_on_blocks_that_are_undone_is_proven_no_longer() {
        rounds.found(one, new ChainComparison.Finding.Same(), OURS + 40);
        rounds.found(other, longer(FAR), OURS + 40);
        rounds.undone(OURS);
        assertThat(rounds.highest(-1, -1, OURS)).isEqualTo(FAR);
        rounds.found(other, new ChainComparison.Finding.Same(), OURS);
        assertThat(rounds.highest(-1, -1, OURS)).isEqualTo(OURS + ChainComparison.PROOF);
    }

    @Test
    void a_tip_without_blocks_of_a_sole_node_counts() {
        Rounds sole = of(one);
        sole.found(one, hollow(), OURS);
        sole.found(one, hollow(), OURS);
        assertThat(sole.highest(-1, -1, OURS)).isEqualTo(FAR);
    }

    @Test
    void what_a_node_has_proven_and_brought_blocks_for_stays_when_it_falls_silent() {
        rounds.found(one, longer(FAR), OURS);
        long half = (OURS + FAR) / 2;
        looks(20);
        rounds.supplied(one, half - OURS, Duration.ofMinutes(10));
        for (int i = 0; i < 20; i++) {
            rounds.next();
            rounds.found(
                    other,
                    new ChainComparison.Finding.Behind(new NodeClient.Tip(OURS, Hash256.ZERO, Hash256.ZERO)),
                    half);
            rounds.next();
            rounds.failed(one);
            assertThat(rounds.highest(FAR, -1, half)).isEqualTo(FAR);
        }
        looks(1);
        assertThat(rounds.highest(FAR, -1, half)).isLessThan(half);
    }

    @Test
    void a_silent_node_that_has_only_shown_headers_is_believed_no_longer_than_another() {
        long passed = OURS + ChainComparison.PROOF;
        rounds.found(one, longer(FAR), OURS);
        rounds.failed(one);
        looks(7);
        assertThat(rounds.highest(FAR, -1, passed)).isEqualTo(passed);
    }

    @Test
    void a_branch_above_ours_takes_nothing_back_that_was_proven() {
        rounds.found(one, longer(FAR), OURS);
        rounds.found(one, new ChainComparison.Finding.OtherBranch(FAR, true), OURS + 1);
        assertThat(rounds.highest(FAR, -1, OURS + 1)).isEqualTo(FAR);
        rounds.found(one, new ChainComparison.Finding.OtherBranch(OURS, true), OURS + 1);
        assertThat(rounds.highest(FAR, -1, OURS + 1)).isLessThanOrEqualTo(OURS + 1);
    }

    @Test
    void what_was_known_before_a_restart_counts_until_a_node_answers() {
        assertThat(rounds.highest(FAR, FAR, OURS)).isEqualTo(FAR);
        rounds.failed(one);
        assertThat(rounds.highest(FAR, FAR, OURS)).isEqualTo(FAR);
        rounds.found(one, new ChainComparison.Finding.Same(), OURS);
        assertThat(rounds.highest(FAR, FAR, OURS)).isEqualTo(OURS);
    }

    @Test
    void a_tip_without_blocks_counts_when_no_node_has_named_another_height_in_this_run() {
        for (FollowedNode node : List.of(one, other, one, other)) {
            assertThat(rounds.highest(-1, -1, OURS)).isEqualTo(-1);
            rounds.found(node, hollow(), OURS);
        }
        assertThat(rounds.highest(-1, -1, OURS)).isEqualTo(FAR);
    }

    @Test
    void a_tip_without_blocks_that_all_nodes_name_counts() {
        rounds.found(one, longer(FAR), OURS);
        rounds.found(one, hollow(), FAR - 10);
        rounds.found(one, hollow(), FAR - 10);
        assertThat(rounds.highest(FAR, -1, FAR - 10)).isEqualTo(OURS + ChainComparison.PROOF);
        rounds.found(other, hollow(), FAR - 10);
        rounds.found(other, hollow(), FAR - 10);
        assertThat(rounds.highest(FAR, -1, FAR - 10)).isEqualTo(FAR);
        rounds.found(other, new ChainComparison.Finding.Same(), FAR - 10);
        assertThat(rounds.highest(FAR, -1, FAR - 10)).isEqualTo(FAR - 10);
    }

    @Test
    void when_following_begins_again_nothing_is_left_of_what_was_shown_before() {
        rounds.found(one, longer(FAR), OURS);
        rounds.found(other, hollow(), OURS);
        rounds.found(other, hollow(), OURS);
        rounds.returnedFalseData(one, FAULT);
        rounds.forgetHeights();
        assertThat(rounds.highest(FAR, OURS + 20, OURS - 5)).isEqualTo(OURS - 5);
        assertThat(rounds.ignoredTips()).isEmpty();
        assertThat(rounds.complaints()).isEmpty();
    }
}
