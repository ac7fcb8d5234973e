package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;

/** Alarms for operators: once for a condition, and again while it lasts. */
public class SwapAlarmsTest {
    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(Sample.NOW));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<SwapAlarm> heard = new ArrayList<>();
    private final SwapAlarms alarms = new SwapAlarms(meters, heard::add, clock);

    private double counted(String kind) {
        return meters.get("walletd.swap.alarms").tag("kind", kind).counter().count();
    }

    @Test
    void a_thing_that_is_found_at_every_look_is_reported_every_ten_minutes() {
        SwapAlarm silent =
                SwapAlarm.of(SwapAlarm.Kind.RELAY_SILENT, Sample.row(Direction.CHAIN_TO_NATIVE), "the pool is silent");
        for (int i = 0; i < 3; i++) {
            alarms.accept(silent);
        }
        assertThat(heard).containsExactly(silent);
        clock.advance(Duration.ofMinutes(10));
        alarms.accept(silent);
        assertThat(counted("relay_silent")).isEqualTo(2);
    }

    @Test
    void each_thing_is_reported_for_itself_and_every_kind_has_its_figure_from_the_start() {
        alarms.accept(SwapAlarm.withoutRow(SwapAlarm.Kind.LOCK_WITHOUT_ROW, Hash256.ZERO, "a lock"));
        alarms.accept(SwapAlarm.withoutRow(SwapAlarm.Kind.LOCK_WITHOUT_ROW, Sample.HASH_LOCK, "a lock"));
        alarms.accept(SwapAlarm.withoutRow(SwapAlarm.Kind.CLAIM_WITHOUT_ROW, Hash256.ZERO, "a claim"));
        assertThat(heard).hasSize(3);
        assertThat(counted("lock_without_row")).isEqualTo(2);
        assertThat(counted("row_outdated")).isZero();
    }
}
