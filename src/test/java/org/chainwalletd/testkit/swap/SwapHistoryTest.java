package org.chainwalletd.testkit.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.chainwalletd.devnet.pool.PoolConfig;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

/** The histories themselves, with traders of a page; {@code -Dswap.histories=500} for many. */
class SwapHistoryTest {
    private static final SwapJudge.Margins MARGINS = new SwapJudge.Margins(5, 20, 600);
    /** Short locks, so that a history ends soon. */
    private static final UnaryOperator<PoolConfig> SHORT = config -> config.withLocks(700, 28_800, 2_000, 120);

    @Test
    void a_careful_trader_never_loses_both_legs() {
        int histories = Integer.getInteger("swap.histories", 4);
        long first = firstSeed();
        List<String> complaints = new ArrayList<>();
        for (long seed = first; seed < first + histories; seed++) {
            complaints.addAll(complaints(seed, false));
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void the_judge_notices_a_careless_one() {
        long first = firstSeed();
        List<String> complaints = new ArrayList<>();
        for (long seed = first; complaints.isEmpty() && seed < first + 30; seed++) {
            complaints.addAll(complaints(seed, true));
        }
        assertThat(complaints).anyMatch(complaint -> complaint.contains("the gate was shut"));
    }

    private static long firstSeed() {
        return Long.getLong("swap.first-seed", Seeded.random("swap histories").nextLong() >>> 16);
    }

    private static List<String> complaints(long seed, boolean careless) {
        HangWatch.alive();
        return SwapHistory.run(
                seed, MARGINS, SHORT, (world, margins, number) -> new HandTrader(world, margins, number, careless));
    }
}
