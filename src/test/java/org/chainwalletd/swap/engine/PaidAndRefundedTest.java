package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sell whose claim is in a block of an account chain that then stops finalising, while the pool is idle until our own lock has ended, so we get
 * both legs. The rows of ended swaps still add up to what the account has received.
 */
@Tag("long")
public class PaidAndRefundedTest {
    private static final int DEEP = 61;

    @TempDir
    Path folder;

    @Test
    void a_sell_that_is_paid_is_not_over_as_a_refund_while_the_account_chain_stands_still() {
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.NEVER_CLAIMS);
            world.roundsUntil("it is claimed", () -> world.isClaimed(sell));
            EvmDevnet evm = world.chains.evm();
            long newest = evm.head().number();
            evm.pinFinality(newest - 2, newest - SwapWorld.EVM_DEPTH);
            world.pass(SwapWorld.SELLERS_BLOCKS);
            Await.until(
                    "our lock is taken back",
                    () -> world.row(sell).acts().refundTx().isPresent());
            world.pass(DEEP);
            world.settle();
            SwapRow both = world.row(sell);
            assertThat(both.ownLock())
                    .isInstanceOfSatisfying(
                            OwnLock.TakenBack.class,
                            back -> assertThat(back.isFinal()).isTrue());
            assertThat(both.poolLock())
                    .isInstanceOfSatisfying(
                            PoolLock.Claimed.class,
                            claimed -> assertThat(claimed.isFinal()).isFalse());
            assertThat(both.status()).isEqualTo(SwapStatus.REFUNDING);

            evm.finality(2, SwapWorld.EVM_DEPTH);
            world.roundsUntil("it is over", () -> world.row(sell).status().isTerminal());
            assertThat(world.row(sell).status()).isEqualTo(SwapStatus.COMPLETED);
            assertThat(world.wrong()).isEmpty();
            assertThat(world.uncounted()).isEmpty();
        }
    }
}
