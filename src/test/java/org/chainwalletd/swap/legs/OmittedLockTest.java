package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.swap.engine.PoolManners;
import org.chainwalletd.swap.engine.SwapWorld;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All nodes omit our lock from its block, for a while. */
public class OmittedLockTest {
    @TempDir
    Path folder;

    @Test
    void a_block_without_our_lock_is_not_believed_and_the_swap_continues_when_it_is_told_whole() {
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            world.nodes.forEach(node -> node.lies(Lie.OMISSION));
            world.rounds(3);
            assertThat(world.row(sell).ownLock()).isEqualTo(new OwnLock.Absent());
            world.nodes.forEach(ChainNode::behave);
            world.roundsUntil("it is completed", () -> world.row(sell).status() == SwapStatus.COMPLETED);
            assertThat(world.wrong()).isEmpty();
        }
    }
}
