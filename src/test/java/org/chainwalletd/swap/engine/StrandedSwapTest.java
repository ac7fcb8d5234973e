package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmReceipt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps with problems that cannot be repaired automatically: the operator is alerted, and what can be done is done. */
@Tag("long")
public class StrandedSwapTest {
    @TempDir
    Path folder;

    /** Final blocks are replaced: our lock was claimed with the secret that we revealed in one of them. */
    @Test
    void a_swap_whose_pools_lock_went_with_a_deep_reorganisation_is_lost_with_an_alarm() {
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            world.roundsUntil(
                    "both locks are claimed",
                    () -> world.row(sell).ownLock() instanceof OwnLock.Claimed && world.isClaimed(sell));
            world.manners.gone(true);
            EvmDevnet evm = world.chains.evm();
            Hash256 hashLock = world.row(sell).terms().hashLock();
            Located lock = lockOf(evm, hashLock);
            int deep = (int) (evm.head().number() - lock.number() + 1);
            assertThat(deep).as("deeper than what is final").isGreaterThan(SwapWorld.EVM_DEPTH);
            evm.reorganiseWithout(deep, deep + 1, lock.tx());
            assertThat(evm.swap(hashLock).state()).isEqualTo(SwapContract.State.NONE);

            world.pass(61);
            Await.until("it is over", () -> world.row(sell).status().isTerminal());

            assertThat(world.row(sell).status()).isEqualTo(SwapStatus.LOST);
            assertThat(world.row(sell).error()).contains(SwapRow.LOST);
            assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.LOST);
        }
    }

    private record Located(Hash256 tx, long number) {}

    private static Located lockOf(EvmDevnet evm, Hash256 hashLock) {
        for (long number = evm.head().number(); number > 0; number--) {
            for (EvmReceipt receipt : evm.block(number).orElseThrow().receipts()) {
                boolean locks = receipt.succeeded() && receipt.tx().value().signum() > 0;
                if (locks
                        && !receipt.tx().data().isEmpty()
                        && SwapTruth.argument(receipt.tx()).equals(hashLock)) {
                    return new Located(receipt.tx().hash(), number);
                }
            }
        }
        throw new AssertionError("nobody has locked under " + hashLock);
    }

    @Test
    void a_refund_leaves_although_an_endpoint_of_two_is_away_and_there_is_an_alarm() {
        try (SwapWorld world = new SwapWorld(folder)) {
            String buy = world.executed(Direction.NATIVE_TO_CHAIN, PoolManners.Kind.NEVER_LOCKS);
            world.roundsUntil("our lock is settled", () -> world.row(buy).ownLock() instanceof OwnLock.Locked);
            EvmEndpoint away = world.endpoints.get(1);
            world.endpoint(away, false);
            long due = world.row(buy).terms().timeout() + 900;
            world.clock()
                    .advance(Duration.ofSeconds(due - world.clock().instant().getEpochSecond()));
            world.chains.evm().mine(1);

            Await.until(
                    "the refund leaves", () -> world.row(buy).acts().refundTx().isPresent());
            assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.REFUND_OVERDUE);
            assertThat(world.row(buy).error()).contains(SwapRow.REFUND_OVERDUE);
            world.chains.evm().mine(SwapWorld.EVM_DEPTH + 2);
            world.endpoint(away, true);
            world.settle();
            Await.until("it is over", () -> world.row(buy).status().isTerminal());
            assertThat(world.row(buy).status()).isEqualTo(SwapStatus.REFUNDED);
            assertThat(world.row(buy).error()).isEmpty();
            assertThat(world.wrong()).isEmpty();
        }
    }
}
