package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.ChainNode;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deaths at places that are reached only in abnormal swaps: the lock is never mined and is abandoned, or the claim must pay more. */
@Tag("long")
public class RareDeathsTest {
    private static final List<String> GIVING_UP =
            List.of("ABANDON", "ABANDON_LOCK", "IntentStore.abandon", "OWN_LOCK_LOST");
    private static final String RAISING = "AccountSendStore.addVersion";

    private static final Duration QUOTE = Duration.ofSeconds(301);
    private static final Duration URGENT = Duration.ofSeconds(31);
    private static final BigInteger HIGH_TIP = BigInteger.valueOf(200_000_000_000L);
    private static final int FINAL = 61;

    @TempDir
    Path folder;

    private final Set<Life.Place> died = new LinkedHashSet<>();

    private static List<Life.Place> both(List<String> names) {
        List<Life.Place> places = new ArrayList<>();
        for (String name : names) {
            for (Life.Moment moment : Life.Moment.values()) {
                places.add(new Life.Place(name, moment));
            }
        }
        return places;
    }

    @Test
    void a_death_while_a_lock_is_abandoned_makes_no_second_one() {
        List<Life.Place> places = both(GIVING_UP);
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.HONEST)
                    .orElseThrow();
            world.nodes.forEach(ChainNode::refuses);
            world.execute(List.of(sell));
            world.clock().advance(QUOTE);
            world.nodes.forEach(ChainNode::behave);
            SwapHistoryTest.walk(world, 12, places, died);
            world.life().diesAtOneOf(both(List.of("OWN_LOCK_LOST")));
            world.pass(FINAL);
            SwapHistoryTest.walk(world, 4, places, died);
            world.life().spare();
            world.roundsUntil("it is over", () -> world.row(sell).status().isTerminal());
            assertThat(world.row(sell).status()).isEqualTo(SwapStatus.FAILED);
            assertThat(world.truth.facts.outcome(world.row(sell).terms()).locks())
                    .isZero();
            world.assertSound();
        }
        assertThat(died).containsAll(places);
    }

    @Test
    void a_death_while_a_claim_is_raised_loses_nothing() {
        List<Life.Place> places = both(List.of(RAISING));
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.executed(Direction.CHAIN_TO_NATIVE, PoolManners.Kind.HONEST);
            world.roundsUntil(
                    "the claim has left", () -> world.row(sell).acts().claimTx().isPresent());
            world.chains.evm().crowded(HIGH_TIP);
            for (int i = 0; i < 8 && !died.containsAll(places); i++) {
                world.clock().advance(URGENT);
                SwapHistoryTest.walk(world, 1, places, died);
            }
            world.life().spare();
            world.chains.evm().crowded(BigInteger.ZERO);
            world.roundsUntil("it is over", () -> world.row(sell).status().isTerminal());
            assertThat(world.row(sell).status()).isEqualTo(SwapStatus.COMPLETED);
            assertThat(world.wrong()).isEmpty();
        }
        assertThat(died).containsAll(places);
    }

    @Test
    void wherever_a_random_history_may_die_a_walk_does() {
        List<String> walked = new ArrayList<>(SwapHistoryTest.STEPS);
        walked.addAll(GIVING_UP);
        walked.add(RAISING);
        SwapHistoryTest.POINTS.stream().map(CrashPoint::name).forEach(walked::add);
        assertThat(walked).containsAll(SwapTrouble.PLACES);
    }
}
