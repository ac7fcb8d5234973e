package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;

public class SwapRowTest {
    private static final OwnLock LOCKED = new OwnLock.Locked("ours", OptionalLong.of(Sample.NOW));
    private static final PoolLock POOL = new PoolLock.Locked("theirs", OptionalLong.empty());

    private static SwapRow row(Acts acts) {
        return Sample.row(Direction.CHAIN_TO_NATIVE).with(acts, Sample.NOW);
    }

    private static SwapRow see(SwapRow row, OwnLock own, PoolLock pool) {
        return row.seeing(new ChainObservation(Optional.of(own), Optional.of(pool), false), Sample.NOW + 1);
    }

    @Test
    void an_honest_swap_goes_through_its_states_in_order() {
        SwapRow row = row(Acts.NONE);
        assertThat(row.status()).isEqualTo(SwapStatus.QUOTED);
        row = row.with(row.acts().lock(), Sample.NOW);
        assertThat(row.status()).isEqualTo(SwapStatus.LOCKING);
        row = see(row, LOCKED, new PoolLock.Absent());
        assertThat(row.status()).isEqualTo(SwapStatus.USER_LOCKED);
        row = see(row, LOCKED, POOL);
        assertThat(row.status()).isEqualTo(SwapStatus.POOL_LOCKED);
        row = row.with(row.acts().journalClaim(), Sample.NOW);
        assertThat(row.status()).isEqualTo(SwapStatus.CLAIMING);
        row = see(row, new OwnLock.Claimed("ours", "c", false), new PoolLock.Claimed("theirs", "t", false));
        assertThat(row.status()).isEqualTo(SwapStatus.CLAIMING);
        row = see(row, new OwnLock.Claimed("ours", "c", false), new PoolLock.Claimed("theirs", "t", true));
        assertThat(row.status()).isEqualTo(SwapStatus.COMPLETED);
        assertThat(row.acts().claimTx()).contains("t");
    }

    @Test
    void a_reorganisation_that_takes_the_pools_lock_goes_one_state_back() {
        SwapRow row = see(row(Acts.NONE.lock()), LOCKED, POOL);
        assertThat(see(row, LOCKED, new PoolLock.Absent()).status()).isEqualTo(SwapStatus.USER_LOCKED);
    }

    @Test
    void a_reorganisation_opens_what_was_final() {
        SwapRow done = see(row(Acts.NONE.lock().journalClaim()), LOCKED, new PoolLock.Claimed("theirs", "t", true));
        assertThat(done.status()).isEqualTo(SwapStatus.COMPLETED);
        assertThat(see(done, LOCKED, POOL).status()).isEqualTo(SwapStatus.CLAIMING);
    }

    @Test
    void only_final_evidence_ends_a_refund() {
        SwapRow row = see(row(Acts.NONE.lock().refund()), LOCKED, new PoolLock.Absent());
        assertThat(row.status()).isEqualTo(SwapStatus.REFUNDING);
        row = see(row, new OwnLock.TakenBack("ours", "r", false), new PoolLock.Absent());
        assertThat(row.status()).isEqualTo(SwapStatus.REFUNDING);
        row = see(row, new OwnLock.TakenBack("ours", "r", true), new PoolLock.Absent());
        assertThat(row.status()).isEqualTo(SwapStatus.REFUNDED);
        assertThat(row.acts().refundTx()).contains("r");
    }

    @Test
    void a_lock_that_came_back_ends_nothing_while_a_claim_may_still_pay_besides() {
        OwnLock back = new OwnLock.TakenBack("ours", "r", true);
        SwapRow row = see(row(Acts.NONE.lock().journalClaim().refund()), back, POOL);
        assertThat(row.status()).isEqualTo(SwapStatus.REFUNDING);
        row = see(row, back, new PoolLock.Claimed("theirs", "t", false));
        assertThat(row.status()).isEqualTo(SwapStatus.REFUNDING);
        assertThat(see(row, back, new PoolLock.Claimed("theirs", "t", true)).status())
                .isEqualTo(SwapStatus.COMPLETED);
        assertThat(see(row, back, new PoolLock.TakenBack("theirs", false)).status())
                .isEqualTo(SwapStatus.REFUNDED);
        assertThat(see(row(Acts.NONE.lock().refund()), back, POOL).status())
                .as("the secret has never left")
                .isEqualTo(SwapStatus.REFUNDED);
    }

    @Test
    void lost_needs_both_ends_to_be_final() {
        for (int finals = 0; finals < 4; finals++) {
            SwapRow row = see(
                    row(Acts.NONE.lock()),
                    new OwnLock.Claimed("ours", "c", finals % 2 == 1),
                    new PoolLock.TakenBack("theirs", finals / 2 == 1));
            assertThat(row.status() == SwapStatus.LOST).isEqualTo(finals == 3);
        }
    }

    @Test
    void a_swap_whose_lock_was_claimed_is_lost_too_when_the_pools_own_is_gone_for_good() {
        OwnLock claimed = new OwnLock.Claimed("ours", "c", true);
        SwapRow row = see(row(Acts.NONE.lock()), claimed, new PoolLock.Absent(OptionalLong.of(7), false));
        assertThat(row.status()).isEqualTo(SwapStatus.CLAIMING);
        row = see(row, claimed, new PoolLock.Absent(OptionalLong.of(7), true));
        assertThat(row.status()).isEqualTo(SwapStatus.LOST);
        assertThat(row.isMissed()).isTrue();
        row = see(row.failing(Optional.of(SwapRow.LOST), Sample.NOW), claimed, POOL);
        assertThat(row.status()).isEqualTo(SwapStatus.CLAIMING);
        assertThat(row.error()).isEmpty();
    }

    @Test
    void a_claim_is_late_when_half_of_its_margin_is_gone_by_the_clock_of_its_chain() {
        SwapLimits.Span margins = new SwapLimits.Span(360, 3_600);
        PoolLock ending = new PoolLock.Locked("theirs", OptionalLong.of(10_000));
        SwapRow sell = see(row(Acts.NONE.lock().journalClaim()), LOCKED, ending);
        assertThat(sell.isClaimLate(margins, 10_000 - 1_801, OptionalLong.empty()))
                .isFalse();
        assertThat(sell.isClaimLate(margins, 10_000 - 1_800, OptionalLong.empty()))
                .isTrue();
        SwapRow buy =
                see(Sample.row(Direction.NATIVE_TO_CHAIN).with(Acts.NONE.lock().journalClaim(), 1), LOCKED, ending);
        assertThat(buy.isClaimLate(margins, 0, OptionalLong.of(10_000 - 181))).isFalse();
        assertThat(buy.isClaimLate(margins, 0, OptionalLong.of(10_000 - 180))).isTrue();
        assertThat(buy.isClaimLate(margins, 99_999, OptionalLong.empty())).isFalse();
        SwapRow permitted = see(row(Acts.NONE.lock().permitClaim()), LOCKED, ending);
        assertThat(permitted.isClaimLate(margins, 99_999, OptionalLong.empty())).isFalse();
    }

    @Test
    void a_refund_is_overdue_a_quarter_of_an_hour_after_it_is_due() {
        SwapRow sell = see(row(Acts.NONE.lock()), LOCKED, POOL);
        long timeout = sell.terms().timeout();
        assertThat(sell.isRefundOverdue(Long.MAX_VALUE, OptionalLong.of(timeout + 90)))
                .isFalse();
        assertThat(sell.isRefundOverdue(0, OptionalLong.of(timeout + 91))).isTrue();
        assertThat(sell.isRefundOverdue(0, OptionalLong.of(5))).isFalse();
        SwapRow buy = see(Sample.row(Direction.NATIVE_TO_CHAIN).with(Acts.NONE.lock(), 1), LOCKED, POOL);
        long deadline = buy.terms().timeout();
        assertThat(buy.isRefundOverdue(deadline + 899, OptionalLong.of(-1))).isFalse();
        assertThat(buy.isRefundOverdue(deadline + 900, OptionalLong.empty())).isTrue();
        SwapRow back = see(buy, new OwnLock.TakenBack("ours", "r", false), POOL);
        assertThat(back.isRefundOverdue(deadline + 900, OptionalLong.empty())).isFalse();
    }

    /** Endpoints may have disagreed, or been silent, since it was sent. */
    @Test
    void a_refund_of_a_lock_that_was_never_seen_is_overdue_as_well() {
        SwapRow sent =
                Sample.row(Direction.NATIVE_TO_CHAIN).with(Acts.NONE.lock().lockedBy("0x01"), 1);
        long deadline = sent.terms().timeout();
        assertThat(sent.isRefundOverdue(deadline + 899, OptionalLong.empty())).isFalse();
        assertThat(sent.isRefundOverdue(deadline + 900, OptionalLong.empty())).isTrue();
        assertThat(see(sent, new OwnLock.Lost(), POOL).isRefundOverdue(deadline + 900, OptionalLong.empty()))
                .isFalse();
        assertThat(Sample.row(Direction.NATIVE_TO_CHAIN).isRefundOverdue(deadline + 900, OptionalLong.empty()))
                .isFalse();
    }

    @Test
    void a_lock_that_never_came_is_failed_and_a_foreign_one_is_named() {
        assertThat(see(row(Acts.NONE.lock()), new OwnLock.Lost(), new PoolLock.Absent())
                        .status())
                .isEqualTo(SwapStatus.FAILED);
        SwapRow taken = see(row(Acts.NONE.lock()), LOCKED, new PoolLock.Foreign());
        assertThat(taken.error()).hasValueSatisfying(error -> assertThat(error).startsWith("slot taken"));
        assertThat(taken.status()).isEqualTo(SwapStatus.USER_LOCKED);
    }

    @Test
    void a_side_that_could_not_be_looked_at_stays_as_it_was() {
        SwapRow row = see(row(Acts.NONE.lock()), LOCKED, POOL);
        assertThat(row.seeing(ChainObservation.NOTHING, Sample.NOW + 9)).isSameAs(row);
    }

    @Test
    void a_row_of_an_older_backup_learns_from_the_chains_what_was_done() {
        SwapRow restored = see(row(Acts.NONE.expire()), LOCKED, POOL);
        assertThat(restored.status()).isEqualTo(SwapStatus.POOL_LOCKED);
        SwapRow shown =
                row(Acts.NONE).seeing(new ChainObservation(Optional.of(LOCKED), Optional.of(POOL), true), Sample.NOW);
        assertThat(shown.acts().claimJournalled()).isTrue();
        assertThat(shown.status()).isEqualTo(SwapStatus.CLAIMING);
    }

    @Test
    void what_was_done_is_never_taken_back() {
        SwapRow row = see(row(Acts.NONE.lock().journalClaim().refund()), new OwnLock.Absent(), new PoolLock.Absent());
        assertThat(row.acts().claimJournalled()).isTrue();
        assertThat(row.acts().refunding()).isTrue();
        assertThat(row.status()).isEqualTo(SwapStatus.CLAIMING);
    }

    @Test
    void a_foreign_lock_that_a_reorganisation_takes_is_named_no_more() {
        SwapRow taken = see(row(Acts.NONE.lock()), LOCKED, new PoolLock.Foreign());
        assertThat(see(taken, LOCKED, POOL).error()).isEmpty();
        SwapRow other = row(Acts.NONE.lock()).failing(Optional.of("why"), Sample.NOW);
        assertThat(see(other, LOCKED, POOL).error()).contains("why");
    }

    @Test
    void the_height_of_its_end_is_noted_once_and_forgotten_when_it_is_open_again() {
        SwapRow done = see(row(Acts.NONE.lock().journalClaim()), LOCKED, new PoolLock.Claimed("theirs", "t", true));
        SwapRow noted = done.at(OptionalLong.of(7), Sample.NOW);
        assertThat(noted.endedAt()).hasValue(7);
        assertThat(noted.at(OptionalLong.of(8), Sample.NOW)).isSameAs(noted);
        assertThat(see(noted, LOCKED, POOL).at(OptionalLong.of(9), Sample.NOW).endedAt())
                .isEmpty();
        assertThat(row(Acts.NONE.lock()).at(OptionalLong.of(7), Sample.NOW).endedAt())
                .isEmpty();
    }

    @Test
    void nothing_is_over_while_money_of_ours_is_locked_or_a_claim_of_ours_is_pending() {
        OptionalLong late = OptionalLong.of(7 + SwapRow.WATCH_BLOCKS);
        SwapRow claimed = see(row(Acts.NONE.lock().journalClaim()), LOCKED, new PoolLock.Claimed("theirs", "t", true))
                .at(OptionalLong.of(7), Sample.NOW);
        assertThat(claimed.isOver(late)).isFalse();
        SwapRow both = see(claimed, new OwnLock.Claimed("ours", "c", true), new PoolLock.Claimed("theirs", "t", true));
        assertThat(both.isOver(late)).isTrue();
        assertThat(both.isOver(OptionalLong.of(6 + SwapRow.WATCH_BLOCKS))).isFalse();
        assertThat(both.isOver(OptionalLong.of(3))).isFalse();
        assertThat(both.isOver(OptionalLong.empty())).isFalse();
        SwapRow back =
                see(row(Acts.NONE.lock().journalClaim().refund()), new OwnLock.TakenBack("ours", "r", true), POOL);
        assertThat(back.at(OptionalLong.of(7), Sample.NOW).isOver(late)).isFalse();
    }
}
