package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.HangWatch;

/** One world, some swaps, and what happens to them; the same for the same seed, but for the threads. */
public final class RandomHistory {
    private final boolean whole;
    private final SwapWorld world;
    private final long seed;
    private final Random random;
    private final List<String> ids = new ArrayList<>();
    private final SwapTrouble trouble;
    private final List<String> happened = new ArrayList<>();

    /** @param whole a long one; else with fewer swaps and less trouble */
    RandomHistory(SwapWorld world, long seed, boolean whole) {
        this.whole = whole;
        this.world = world;
        this.seed = seed;
        this.random = new Random(seed);
        this.trouble = new SwapTrouble(world, random, () -> ids);
    }

    /** What happened, in its order. */
    List<String> happened() {
        return List.copyOf(happened);
    }

    void run() {
        SwapHistoryTest.arrangeThief(world);
        SwapTrouble.watch(world::life);
        try {
            trade(whole ? 4 : 3);
            world.chains.round();
            for (int i = 0; i < (whole ? 24 : 14); i++) {
                HangWatch.alive();
                happened.add(trouble.happen());
                world.chains.round();
                world.settle();
                bury();
                if (i == 6 || i == 12) {
                    trade(1);
                }
            }
            trouble.heal();
        } finally {
            CrashPoint.watch(null);
        }
        world.rounds(6);
        world.pass(190);
        SwapHistoryTest.end(world);
        judge();
    }

    private void bury() {
        Optional<Life.Place> place = world.life().diedAt();
        if (world.buryTheDead()) {
            happened.add("death at " + place);
        }
    }

    /** Quotes that are executed at once, in a life that may end before they are. */
    private void trade(int count) {
        if (random.nextInt(3) == 0) {
            trouble.doom();
        }
        PoolManners.Kind[] kinds = PoolManners.Kind.values();
        for (int i = 0; i < count && world.canQuote(); i++) {
            Direction direction = Direction.values()[random.nextInt(2)];
            PoolManners.Kind kind =
                    random.nextInt(3) == 0 ? PoolManners.Kind.HONEST : kinds[random.nextInt(kinds.length)];
            Optional<String> quoted = world.quote(direction, SwapHistoryTest.amount(direction), kind);
            quoted.ifPresent(ids::add);
            happened.add(quoted + " " + direction + " " + kind);
        }
        ids.subList(Math.max(0, ids.size() - count), ids.size()).forEach(world::begin);
    }

    private void judge() {
        assertThat(world.wrong()).as("seed " + seed).isEmpty();
        ids.forEach(id -> SwapHistoryTest.assertSound(world, id, "seed " + seed));
        assertThat(world.uncounted()).as("seed " + seed).isEmpty();
    }
}
