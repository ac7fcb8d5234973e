package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.testkit.RetainedBytes;
import org.junit.jupiter.api.Test;

class CapWindowTest {
    private static final int SPENDS = 20_000;

    private static CapWindow window(Optional<Amount> cap) {
        return new CapWindow(
                new AllowanceStore.Limits(Optional.empty(), cap, Duration.ofDays(1)),
                Clock.systemUTC(),
                () -> OptionalLong.of(Long.MAX_VALUE));
    }

    private static long kept(Optional<Amount> cap) {
        CapWindow window = window(cap);
        long empty = RetainedBytes.of(window);
        for (int i = 0; i < SPENDS; i++) {
            window.change(1_000L * i, BigInteger.TEN);
            window.settle();
        }
        return RetainedBytes.of(window) - empty;
    }

    @Test
    void a_sum_for_each_minute_is_kept_and_nothing_without_a_cap() {
        int minutes = SPENDS / 60 + 2;

        assertThat(kept(Optional.of(Amount.MAX))).isPositive().isLessThan(minutes * 160L);
        assertThat(kept(Optional.empty())).isZero();
    }

    @Test
    void what_a_transaction_has_changed_is_judged_at_once_and_goes_when_it_is_rolled_back() {
        CapWindow window = window(Optional.of(Amount.of(100)));
        long now = System.currentTimeMillis();
        window.change(now, BigInteger.valueOf(60));

        assertThat(window.judge(Amount.of(41), BigInteger.ZERO)).isPresent();
        assertThat(window.status().spent()).as("committed").isEqualTo(Amount.ZERO);
        int mark = window.mark();
        window.change(now, BigInteger.valueOf(40));
        assertThat(window.judge(Amount.of(1), BigInteger.ZERO)).isPresent();
        window.undoTo(mark);
        assertThat(window.judge(Amount.of(40), BigInteger.ZERO)).isEmpty();
        window.settle();
        assertThat(window.status().spent()).isEqualTo(Amount.of(60));
        assertThat(window.judge(Amount.of(100), BigInteger.valueOf(60))).isEmpty();
    }
}
