package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmReceipt;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Swaps over both chains that leave the usual course: the process dies between the permission of a claim and the claim, the claim cannot be paid
 * for or mined, finality stands still, final blocks are replaced, or an endpoint is away when a refund is due.
 */
@Tag("long")
class UnusualSwapTest {
    private static final Life.Place PERMITTED = new Life.Place("PERMIT", Life.Moment.AFTER);
    private static final int DEEP = 61;

    @TempDir
    Path folder;

    @AutoClose
    private SwapWorld world;

    @BeforeEach
    void start() {
        world = new SwapWorld(folder);
    }

    /**
     * Lets the process die when the permission is durable, before anything else. No byte of the secret was sent then, and the gate is evaluated
     * again before the next attempt.
     */
    private void diesWithThePermission(String id) {
        world.life().diesAt(PERMITTED, 1);
        world.roundsUntil("the process has died", () -> world.life().isOver());
        assertThat(world.life().diedAt()).contains(PERMITTED);
        world.stop();
        assertThat(world.row(id).acts().claimPermitted()).isTrue();
        assertThat(world.row(id).acts().claimJournalled()).isFalse();
    }

    /** Leaves the pool's lock in the contract so many seconds until its deadline. */
    private void leave(String id, long seconds) {
        long end = ((PoolLock.Locked) world.row(id).poolLock()).end().orElseThrow();
        world.clock()
                .advance(Duration.ofSeconds(
                        end - seconds - world.clock().instant().getEpochSecond()));
        world.chains.evm().mine(SwapWorld.EVM_DEPTH + 1);
    }

    private void assertKept(String id) {
        SwapRow row = world.row(id);
        assertThat(row.acts().claimPermitted()).as("it is withdrawn").isFalse();
        assertThat(row.acts().claimJournalled()).isFalse();
        assertThat(row.error()).get().asString().startsWith(SwapRow.PERMISSION_UNUSED);
        assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.CLAIM_NOT_MADE);
        assertThat(world.truth.facts.isPublic(row.terms()))
                .as("the secret has left")
                .isFalse();
    }

    private void assertRefunded(String id) {
        world.pass(SwapWorld.SELLERS_BLOCKS, Duration.ofSeconds(20));
        world.untilQuiet();
        assertThat(world.row(id).status()).isEqualTo(SwapStatus.REFUNDED);
        world.assertSound();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 33})
    void a_sell_that_dies_with_its_permission_and_comes_back_late_keeps_its_secret(long left) {
        String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
        diesWithThePermission(sell);
        leave(sell, left);

        world.restart();
        world.rest();

        assertKept(sell);
        assertRefunded(sell);
    }

    @Test
    void a_buy_that_dies_with_its_permission_and_comes_back_late_keeps_its_secret() {
        String buy = world.executed(Direction.NATIVE_TO_CHAIN, PoolManners.Kind.HONEST);
        diesWithThePermission(buy);
        long end = ((PoolLock.Locked) world.row(buy).poolLock()).end().orElseThrow();
        while (end - world.chains.chain().tip().height() > 3) {
            world.clock().advance(Duration.ofSeconds(1));
            world.chains.chain().mine(1);
        }

        world.restart();
        world.settle();
        world.rest();

        assertKept(buy);
        assertRefunded(buy);
    }

    @Test
    void one_that_dies_with_its_permission_and_comes_back_in_time_claims() {
        for (Direction direction : Direction.values()) {
            String id = world.executed(direction, PoolManners.Kind.HONEST);
            diesWithThePermission(id);
            world.restart();
            world.roundsUntil("it is claimed", () -> world.isClaimed(id));
            assertThat(world.row(id).acts().claimJournalled()).isTrue();
            assertThat(world.row(id).error()).isEmpty();
        }
        assertThat(world.alarms()).isEmpty();
        assertThat(world.wrong()).isEmpty();
    }

    /** The gate has opened, and afterwards every endpoint reports that the account cannot pay for the claim. */
    @Test
    void a_claim_that_cannot_be_paid_for_is_not_made_later_when_too_little_time_is_left() {
        world.truth.onPermission(
                row -> world.endpoints.forEach(endpoint -> endpoint.lies().balance(world.ourEvm, BigInteger.ZERO)));
        String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
        world.roundsUntil("there is an alarm", () -> !world.alarms().isEmpty());
        world.rest();
        assertThat(world.row(sell).acts().claimJournalled()).isFalse();
        assertThat(world.row(sell).error()).get().asString().contains("wei");

        leave(sell, 33);
        world.endpoints.forEach(EvmEndpoint::behave);
        world.settle();
        world.rest();

        assertKept(sell);
        assertRefunded(sell);
    }

    @Test
    void a_claim_that_waits_while_half_of_its_margin_goes_by_is_an_alarm_and_told() {
        world.truth.onPermission(row -> world.chains.evm().crowded(BigInteger.TEN.pow(15)));
        String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
        world.roundsUntil(
                "the claim is journalled", () -> world.row(sell).acts().claimJournalled());
        assertThat(world.alarms()).isEmpty();
        leave(sell, SwapWorld.EVM_MARGIN / 2 + 1);
        world.settle();
        world.rest();
        assertThat(world.alarms()).isEmpty();

        leave(sell, SwapWorld.EVM_MARGIN / 2);
        world.settle();
        world.rest();

        assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.CLAIM_NOT_MINED);
        assertThat(world.row(sell).error()).contains(SwapRow.CLAIM_NOT_MINED);
        world.chains.evm().crowded(BigInteger.ZERO);
        world.roundsUntil("it is claimed", () -> world.isClaimed(sell));
        assertThat(world.row(sell).error()).isEmpty();
        assertThat(world.wrong()).isEmpty();
    }

    @Test
    void a_sell_that_is_paid_is_not_over_as_a_refund_while_the_account_chain_stalls() {
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
        world.assertSound();
    }

    /** Final blocks are replaced: our lock was claimed with the secret that we revealed in one of them. */
    @Test
    void a_swap_whose_pools_lock_went_with_a_deep_reorganisation_is_lost_with_an_alarm() {
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
    void a_refund_leaves_although_an_endpoint_of_two_is_unavailable_and_there_is_an_alarm() {
        String buy = world.executed(Direction.NATIVE_TO_CHAIN, PoolManners.Kind.NEVER_LOCKS);
        world.roundsUntil("our lock is settled", () -> world.row(buy).ownLock() instanceof OwnLock.Locked);
        EvmEndpoint away = world.endpoints.get(1);
        world.endpoint(away, false);
        long due = world.row(buy).terms().timeout() + 900;
        world.clock().advance(Duration.ofSeconds(due - world.clock().instant().getEpochSecond()));
        world.chains.evm().mine(1);

        Await.until("the refund leaves", () -> world.row(buy).acts().refundTx().isPresent());
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
