package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The two facts about a secret, over both chains: that the gate was open, and that a claim is journalled. With only the first, no byte of the
 * secret was sent, wherever the process died between the two, and the gate is evaluated again before the next attempt.
 */
@Tag("long")
public class ClaimPermissionTest {
    private static final Life.Place PERMITTED = new Life.Place("PERMIT", Life.Moment.AFTER);

    @TempDir
    Path folder;

    /** Lets the process die when the permission is durable, before anything else. */
    private static void diesWithThePermission(SwapWorld world, String id) {
        world.life().diesAt(PERMITTED, 1);
        world.roundsUntil("the process has died", () -> world.life().isOver());
        assertThat(world.life().diedAt()).contains(PERMITTED);
        world.stop();
        assertThat(world.row(id).acts().claimPermitted()).isTrue();
        assertThat(world.row(id).acts().claimJournalled()).isFalse();
    }

    /** Leaves the pool's lock in the contract so many seconds until its deadline. */
    private static void leave(SwapWorld world, String id, long seconds) {
        long end = ((PoolLock.Locked) world.row(id).poolLock()).end().orElseThrow();
        world.clock()
                .advance(Duration.ofSeconds(
                        end - seconds - world.clock().instant().getEpochSecond()));
        world.chains.evm().mine(SwapWorld.EVM_DEPTH + 1);
    }

    private static void assertKept(SwapWorld world, String id) {
        SwapRow row = world.row(id);
        assertThat(row.acts().claimPermitted()).as("it is withdrawn").isFalse();
        assertThat(row.acts().claimJournalled()).isFalse();
        assertThat(row.error()).get().asString().startsWith(SwapRow.PERMISSION_UNUSED);
        assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.CLAIM_NOT_MADE);
        assertThat(world.truth.facts.isPublic(row.terms()))
                .as("the secret has left")
                .isFalse();
    }

    private static void assertRefunded(SwapWorld world, String id) {
        world.pass(SwapWorld.SELLERS_BLOCKS, Duration.ofSeconds(20));
        world.untilQuiet();
        assertThat(world.row(id).status()).isEqualTo(SwapStatus.REFUNDED);
        assertThat(world.wrong()).isEmpty();
        assertThat(world.uncounted()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 33})
    void a_sell_that_dies_with_its_permission_and_comes_back_late_keeps_its_secret(long left) {
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            diesWithThePermission(world, sell);
            leave(world, sell, left);

            world.restart();
            world.rest();

            assertKept(world, sell);
            assertRefunded(world, sell);
        }
    }

    @Test
    void a_buy_that_dies_with_its_permission_and_comes_back_late_keeps_its_secret() {
        try (SwapWorld world = new SwapWorld(folder)) {
            String buy = world.executed(Direction.NATIVE_TO_CHAIN, PoolManners.Kind.HONEST);
            diesWithThePermission(world, buy);
            long end = ((PoolLock.Locked) world.row(buy).poolLock()).end().orElseThrow();
            while (end - world.chains.chain().tip().height() > 3) {
                world.clock().advance(Duration.ofSeconds(1));
                world.chains.chain().mine(1);
            }

            world.restart();
            world.settle();
            world.rest();

            assertKept(world, buy);
            assertRefunded(world, buy);
        }
    }

    @Test
    void one_that_dies_with_its_permission_and_comes_back_in_time_claims() {
        try (SwapWorld world = new SwapWorld(folder)) {
            for (Direction direction : Direction.values()) {
                String id = world.executed(direction, PoolManners.Kind.HONEST);
                diesWithThePermission(world, id);
                world.restart();
                world.roundsUntil("it is claimed", () -> world.isClaimed(id));
                assertThat(world.row(id).acts().claimJournalled()).isTrue();
                assertThat(world.row(id).error()).isEmpty();
            }
            assertThat(world.alarms()).isEmpty();
            assertThat(world.wrong()).isEmpty();
        }
    }

    /** The gate has opened, and afterwards every endpoint reports that the account cannot pay for the claim. */
    @Test
    void a_claim_that_cannot_be_paid_for_is_not_made_later_when_too_little_time_is_left() {
        try (SwapWorld world = new SwapWorld(folder)) {
            world.truth.onPermission(
                    row -> world.endpoints.forEach(endpoint -> endpoint.lies().balance(world.ourEvm, BigInteger.ZERO)));
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            world.roundsUntil("there is an alarm", () -> !world.alarms().isEmpty());
            world.rest();
            assertThat(world.row(sell).acts().claimJournalled()).isFalse();
            assertThat(world.row(sell).error()).get().asString().contains("wei");

            leave(world, sell, 33);
            world.endpoints.forEach(EvmEndpoint::behave);
            world.settle();
            world.rest();

            assertKept(world, sell);
            assertRefunded(world, sell);
        }
    }

    @Test
    void a_claim_that_waits_while_half_of_its_margin_goes_by_is_an_alarm_and_told() {
        try (SwapWorld world = new SwapWorld(folder)) {
            world.truth.onPermission(row -> world.chains.evm().crowded(BigInteger.TEN.pow(15)));
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            world.roundsUntil(
                    "the claim is journalled", () -> world.row(sell).acts().claimJournalled());
            assertThat(world.alarms()).isEmpty();
            leave(world, sell, SwapWorld.EVM_MARGIN / 2 + 1);
            world.settle();
            world.rest();
            assertThat(world.alarms()).isEmpty();

            leave(world, sell, SwapWorld.EVM_MARGIN / 2);
            world.settle();
            world.rest();

            assertThat(world.alarms()).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.CLAIM_NOT_MINED);
            assertThat(world.row(sell).error()).contains(SwapRow.CLAIM_NOT_MINED);
            world.chains.evm().crowded(BigInteger.ZERO);
            world.roundsUntil("it is claimed", () -> world.isClaimed(sell));
            assertThat(world.row(sell).error()).isEmpty();
            assertThat(world.wrong()).isEmpty();
        }
    }
}
