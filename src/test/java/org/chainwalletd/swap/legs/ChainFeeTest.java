package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.swap.legs.Redeeming.ChainFee;
import org.junit.jupiter.api.Test;

/** Fees of swaps for claims and reclaims (swap.md, section 6). */
public class ChainFeeTest {
    private static final Amount MINIMUM = Amount.of(69);

    private static Amount fee(long value, int version) {
        return ChainFee.of(MINIMUM, Amount.of(value), version);
    }

    @Test
    void the_first_send_pays_a_hundred_times_the_minimum_or_a_ten_thousandth_of_the_value() {
        assertThat(fee(50_000_000, 1)).isEqualTo(Amount.of(6_900));
        assertThat(fee(69_009_999, 1)).isEqualTo(Amount.of(6_900));
        assertThat(fee(69_010_000, 1)).isEqualTo(Amount.of(6_901));
        assertThat(fee(1_000_000_000_000L, 1)).isEqualTo(Amount.of(100_000_000));
    }

    @Test
    void each_version_pays_twice_as_much() {
        assertThat(fee(50_000_000, 2)).isEqualTo(Amount.of(13_800));
        assertThat(fee(50_000_000, 6)).isEqualTo(Amount.of(220_800));
    }

    @Test
    void no_more_than_half_of_the_value_is_paid_and_never_less_than_the_minimum() {
        assertThat(fee(10_000, 1)).isEqualTo(Amount.of(5_000));
        assertThat(fee(100_000, 6)).isEqualTo(Amount.of(50_000));
        assertThat(fee(300, 1)).isEqualTo(Amount.of(100));
        assertThat(fee(269, 1)).isEqualTo(Amount.of(69));
        assertThat(fee(100, 1)).isEqualTo(MINIMUM);
    }

    @Test
    void values_above_the_signed_range_are_values() {
        assertThat(ChainFee.of(MINIMUM, Amount.MAX, 1).toBigInteger())
                .isEqualTo(Amount.MAX.toBigInteger().divide(BigInteger.valueOf(10_000)));
    }
}
