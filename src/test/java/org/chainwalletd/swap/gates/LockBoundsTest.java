package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class LockBoundsTest {
    @ParameterizedTest
    @CsvSource({
        "1,30",
        "150000000000,30",
        "150000000001,31",
        "155000000000,31",
        "155000000001,32",
        "3600000000000,720",
    })
    void a_lock_is_as_deep_as_twice_its_worth_in_rewards(BigInteger units, long depth) {
        assertThat(LockBounds.depth(Sample.limits(), units, Sample.REWARD)).hasValue(depth);
    }

    @Test
    void a_lock_that_would_have_to_be_deeper_than_720_is_refused() {
        BigInteger tooMuch = new BigInteger("3600000000001");
        assertThat(LockBounds.depth(Sample.limits(), tooMuch, Sample.REWARD)).isEqualTo(OptionalLong.empty());
    }

    @Test
    void the_shortest_lock_covers_both_depths_the_pools_window_and_the_margin() {
        assertThat(LockBounds.of(Sample.limits(), Direction.CHAIN_TO_NATIVE, 30))
                .isEqualTo(new LockBounds(30 + (1_800 + 1_200 + 3_600) / 10, 4_320));
        assertThat(LockBounds.of(Sample.limits(), Direction.NATIVE_TO_CHAIN, 720))
                .isEqualTo(new LockBounds(1_800 + 1_200 + (720 + 360) * 10, 43_200));
    }

    @Test
    void no_lock_is_ever_shorter_than_the_floor() {
        assertThat(LockBounds.of(Sample.limits(), Direction.NATIVE_TO_CHAIN, 30).shortest())
                .isEqualTo(Sample.SHORTEST_BUY);
        assertThat(LockBounds.of(Sample.limits(), Direction.CHAIN_TO_NATIVE, 30).shortest())
                .isEqualTo(Sample.SHORTEST_SELL);
    }
}
