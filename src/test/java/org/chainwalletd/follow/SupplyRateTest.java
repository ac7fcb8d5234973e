package org.chainwalletd.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.SupplyRate.Growth;
import org.chainwalletd.follow.SupplyRate.Supply;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** Times are far below zero in part, as those of the monotonic clock may be. */
class SupplyRateTest {
    private static final long BEGIN = seconds(-10);

    private static long seconds(long count) {
        return Duration.ofSeconds(count).toNanos();
    }

    private static FollowedNode node(String name) {
        return new FollowedNode(name, Stub.of(NodeClient.class, call -> {
            throw new AssertionError(call);
        }));
    }

    @Test
    void a_daemon_that_writes_many_blocks_at_once_catches_up_for_half_a_minute() {
        Growth growth = new Growth();
        assertFalse(growth.watch(1_000, BEGIN));
        assertFalse(growth.isCatchingUp(BEGIN));
        assertTrue(growth.watch(1_004, BEGIN + seconds(1)));
        assertTrue(growth.isCatchingUp(BEGIN + seconds(30)));
        assertFalse(growth.isCatchingUp(BEGIN + seconds(31)));
    }

    @Test
    void a_slow_catch_up_is_noticed_by_its_rate() {
        Growth growth = new Growth();
        growth.watch(1_000, BEGIN);
        // A block each second, where one in two seconds is the fastest that blocks are found.
        for (int second = 1; second <= 6; second++) {
            assertFalse(growth.watch(1_000 + second, BEGIN + seconds(second)), "after " + second + " s");
        }
        assertTrue(growth.watch(1_007, BEGIN + seconds(7)));
        assertTrue(growth.isCatchingUp(BEGIN + seconds(7)));
    }

    @Test
    void blocks_as_they_are_found_are_no_catching_up() {
        Growth growth = new Growth();
        for (int block = 0; block < 100; block++) {
            assertFalse(growth.watch(1_000 + block, BEGIN + block * Rounds.FASTEST_BLOCKS.toNanos()));
        }
        assertFalse(growth.isCatchingUp(BEGIN + 100 * Rounds.FASTEST_BLOCKS.toNanos()));
    }

    @Test
    void an_idle_time_hides_no_burst_of_blocks_after_it() {
        Growth growth = new Growth();
        growth.watch(1_000, BEGIN);
        for (int second = 1; second <= 60; second++) {
            assertFalse(growth.watch(1_000, BEGIN + seconds(second)));
        }
        assertTrue(growth.watch(1_004, BEGIN + seconds(61)));
    }

    @Test
    void growth_above_the_rate_that_stops_counts_for_half_a_minute() {
        Growth growth = new Growth();
        growth.watch(1_000, BEGIN);
        assertFalse(growth.watch(1_003, BEGIN + seconds(1)));
        assertFalse(growth.watch(1_003, BEGIN + seconds(2)), "watched on");
        assertFalse(growth.watch(1_003, BEGIN + seconds(30)), "watched anew from here");
        assertFalse(growth.watch(1_006, BEGIN + seconds(31)), "three more than at the new beginning");
        assertTrue(growth.watch(1_008, BEGIN + seconds(32)));
    }

    @Test
    void walks_of_one_node_count_together_while_they_follow_each_other() {
        FollowedNode node = node("one");
        Supply first = Supply.after(Optional.empty(), node, BEGIN, 10);
        assertEquals(new Supply(node, BEGIN, 10), first);
        Supply second = Supply.after(Optional.of(first), node, BEGIN + seconds(20), 4);
        assertEquals(new Supply(node, BEGIN, 14), second);
        long tooSlow = BEGIN + seconds(30);
        assertEquals(
                new Supply(node, tooSlow, 1),
                Supply.after(Optional.of(second), node, tooSlow, 1),
                "15 are found in 30 s");
        FollowedNode other = node("two");
        assertEquals(
                new Supply(other, BEGIN + seconds(20), 4),
                Supply.after(Optional.of(first), other, BEGIN + seconds(20), 4),
                "of another node");
    }

    @Test
    void walks_that_began_a_minute_ago_count_no_longer() {
        FollowedNode node = node("one");
        Supply many = Supply.after(Optional.empty(), node, BEGIN, 1_000);
        assertEquals(
                1_001,
                Supply.after(Optional.of(many), node, BEGIN + seconds(60) - 1, 1)
                        .count());
        assertEquals(
                1, Supply.after(Optional.of(many), node, BEGIN + seconds(60), 1).count());
    }
}
