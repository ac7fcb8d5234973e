package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.chainwalletd.chain.Address;
import org.junit.jupiter.api.Test;

class LookQueueTest {
    private final LookQueue queue = new LookQueue();

    @Test
    void what_is_urgent_comes_first_and_keeps_the_rest_from_no_more_than_half_a_call() {
        for (int i = 0; i < 1_000; i++) {
            queue.urgent(WaitRig.address(i), 0);
        }
        for (int i = 0; i < 1_000; i++) {
            queue.nudged(WaitRig.address(10_000 + i), 5);
        }
        List<Address> early = queue.take(4);
        List<Address> late = queue.take(5);

        assertThat(early).hasSize(100).startsWith(WaitRig.address(0)).endsWith(WaitRig.address(99));
        assertThat(late).hasSize(100).contains(WaitRig.address(149), WaitRig.address(10_049));
        assertThat(queue.size()).isEqualTo(1_800);
    }
}
