package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.spend.SpendEnvironment.SteadyClock;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private final ManualClock wall = new ManualClock(Instant.ofEpochMilli(1_800_000_000_000L));
    private final AtomicLong nanos = new AtomicLong(-5);
    private OptionalLong chain = OptionalLong.empty();
    private final SteadyClock clock = new SteadyClock(wall, nanos::get, () -> chain);

    private void pass(Duration time) {
        wall.advance(time);
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void time_that_passes_and_small_corrections_are_followed() {
        pass(Duration.ofDays(40));
        wall.advance(Duration.ofSeconds(50));

        assertThat(clock.millis()).isEqualTo(wall.millis());
    }

    @Test
    void a_jump_ahead_is_not_believed_and_a_clock_that_is_set_back_is() {
        long begun = wall.millis();
        wall.advance(Duration.ofDays(365));
        assertThat(clock.millis()).isLessThan(begun + Duration.ofMinutes(2).toMillis());

        wall.advance(Duration.ofDays(-366));

        assertThat(clock.millis()).isEqualTo(begun - Duration.ofDays(1).toMillis());
    }

    @Test
    void a_jump_ahead_is_believed_as_far_as_the_chain_has_come_and_what_passes_afterwards_is_followed() {
        long begun = wall.millis();
        Duration behind = Duration.ofDays(400);
        chain = OptionalLong.of(begun + behind.toMillis());
        assertThat(clock.millis()).as("the chain alone moves nothing").isEqualTo(begun);

        wall.advance(behind.plusSeconds(10));
        assertThat(clock.millis()).isEqualTo(wall.millis());
        pass(Duration.ofDays(3));
        assertThat(clock.millis()).as("without a block").isEqualTo(wall.millis());

        long right = wall.millis();
        wall.advance(Duration.ofDays(30));
        assertThat(clock.millis()).isLessThan(right + Duration.ofHours(2).toMillis());
        chain = OptionalLong.of(right + Duration.ofHours(5).toMillis());
        assertThat(clock.millis())
                .as("not beyond the chain")
                .isBetween(
                        right + Duration.ofHours(5).toMillis(),
                        right + Duration.ofHours(5).plusMinutes(2).toMillis());
    }
}
