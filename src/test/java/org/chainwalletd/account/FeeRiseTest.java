package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AccountSend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The fee of a claim has reached its ceiling when half of the margin before its deadline has passed, whenever the claim was made or the daemon
 * restarted.
 */
class FeeRiseTest {
    private static final long MADE = 1_700_000_000_000L;
    private static final SendPace PACE = SendPace.USUAL;
    private static final long HALF_SECONDS = PACE.rise().toSeconds();
    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000L);
    private static final BigInteger FIRST = GWEI.multiply(BigInteger.TEN);
    private static final BigInteger CEILING = FIRST.multiply(BigInteger.valueOf(1_000));

    private static AccountSend row(SendKind kind) {
        AccountSend.Version version = new AccountSend.Version(Hash256.ZERO, Bytes.EMPTY, GWEI, FIRST, false, MADE);
        return new AccountSend(
                1,
                new AccountSend.Order(
                        "one", Hash256.ZERO, kind.name(), Optional.of(CEILING), "URGENTLY", Optional.empty()),
                new AccountSend.Call(
                        BigInteger.ONE, Bytes.EMPTY, Bytes.EMPTY, BigInteger.ZERO, Bytes.EMPTY, 0, 120_000),
                List.of(version),
                AccountSend.Progress.begun(MADE));
    }

    private static long seconds(long sinceMade) {
        return MADE / 1_000 + sinceMade;
    }

    private static Replacer.FeeRise claim(long deadline, long sinceMade) {
        return Replacer.FeeRise.of(
                row(SendKind.CLAIM), OptionalLong.of(seconds(deadline)), PACE, MADE + sinceMade * 1_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_900, 2_400, 3_000, 3_600, 5_000, 40_000, 1L << 40})
    void
            a_claim_is_at_its_ceiling_half_of_the_margin_before_its_deadline_and_no_later_than_half_of_it_after_it_was_made(
                    long deadline) {
        long ceilingAt = Math.min(HALF_SECONDS, deadline - HALF_SECONDS);

        assertThat(claim(deadline, ceilingAt).part()).isEqualTo(1);
        assertThat(claim(deadline, ceilingAt - 1).part()).isLessThan(1);
        assertThat(claim(deadline, ceilingAt / 2).part()).isCloseTo(0.5, within(0.02));
        assertThat(claim(deadline, 0).part()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_800, 1_000, 300, 120, 60, 31})
    void a_claim_that_is_made_when_half_of_the_margin_is_gone_is_at_the_ceiling_before_the_deadline(long deadline) {
        BigInteger fee = FIRST;
        int steps = 0;
        for (long now = 30; now < deadline; now += 30) {
            BigInteger before = fee;
            fee = claim(deadline, now).risen(FIRST, CEILING, Optional.of(fee));
            assertThat(fee).isGreaterThanOrEqualTo(before);
            steps++;
        }

        assertThat(fee).isEqualTo(CEILING);
        assertThat(steps).isPositive();
    }

    /** The market's price may suffice: the whole value is paid only when there is no time for less. */
    @Test
    void with_time_left_a_late_claim_is_doubled_and_not_paid_its_whole_value_at_once() {
        assertThat(claim(1_800, 30).risen(FIRST, CEILING, Optional.of(FIRST))).isEqualTo(FIRST.shiftLeft(1));
    }

    @Test
    void after_hours_without_an_endpoint_a_claim_is_doubled_at_each_step() {
        Replacer.FeeRise rise = claim(40_000, 20_000);

        assertThat(rise.part()).isEqualTo(1);
        assertThat(rise.risen(FIRST, CEILING, Optional.of(FIRST))).isEqualTo(FIRST.shiftLeft(1));
    }

    @Test
    void a_claim_past_its_deadline_is_at_its_ceiling() {
        assertThat(claim(-5, 30).risen(FIRST, CEILING, Optional.of(FIRST))).isEqualTo(CEILING);
        assertThat(claim(Long.MIN_VALUE + 7, 30).part())
                .as("a deadline is unsigned")
                .isLessThan(1);
    }

    @Test
    void a_refund_rises_twenty_four_times_as_slowly() {
        long halfADay = Duration.ofHours(12).toMillis();
        Replacer.FeeRise before =
                Replacer.FeeRise.of(row(SendKind.REFUND), OptionalLong.empty(), PACE, MADE + halfADay / 2);

        assertThat(before.part()).isEqualTo(0.5);
        assertThat(Replacer.FeeRise.of(row(SendKind.REFUND), OptionalLong.empty(), PACE, MADE + halfADay)
                        .part())
                .isEqualTo(1);
    }

    @Test
    void a_ceiling_below_the_first_fee_is_never_passed() {
        assertThat(claim(3_600, 1_800).risen(FIRST, GWEI, Optional.of(FIRST))).isEqualTo(GWEI);
    }
}
