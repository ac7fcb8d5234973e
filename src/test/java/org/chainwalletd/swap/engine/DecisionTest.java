package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.swap.engine.Decision.next;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

public class DecisionTest {
    private static final OwnLock LOCKED = new OwnLock.Locked("ours", OptionalLong.of(Sample.NOW));
    private static final OwnLock YOUNG = new OwnLock.Locked("ours", OptionalLong.empty());
    private static final PoolLock POOL = new PoolLock.Locked("theirs", OptionalLong.empty());
    private static final Optional<GateVerdict> OPEN = Optional.of(GateVerdict.OPEN);
    private static final Optional<GateVerdict> CLOSED = Optional.of(GateVerdict.closed("not yet"));

    private static Decision.Known known(boolean refundDue, Optional<GateVerdict> gate) {
        return new Decision.Known("run-1", Sample.NOW, true, new LockPermission.Granted(), refundDue, gate);
    }

    /** A chain was not seen. */
    private static Decision.Known blind(Optional<GateVerdict> gate) {
        return new Decision.Known("run-1", Sample.NOW, false, new LockPermission.Granted(), false, gate);
    }

    private static SwapRow row(Acts acts, OwnLock own, PoolLock pool) {
        SwapRow row = Sample.row(Direction.CHAIN_TO_NATIVE).with(acts, Sample.NOW);
        return row.seeing(new ChainObservation(Optional.of(own), Optional.of(pool), false), Sample.NOW);
    }

    private static SwapRow locked() {
        return row(Acts.NONE.lock(), LOCKED, POOL);
    }

    @Test
    void a_quote_waits_until_somebody_executes_it() {
        assertThat(next(Sample.row(Direction.CHAIN_TO_NATIVE), known(false, OPEN)))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"299,run-1,false", "300,run-1,true", "0,run-2,true"})
    void a_quote_ends_with_its_time_and_with_its_process(long after, String run, boolean ends) {
        List<Step> steps = next(
                Sample.row(Direction.CHAIN_TO_NATIVE),
                new Decision.Known(run, Sample.NOW + after, true, new LockPermission.Granted(), false, OPEN));
        assertThat(steps.contains(new Step.Expire())).isEqualTo(ends);
    }

    @Test
    void our_lock_is_sent_again_only_while_it_could_be_executed_now() {
        SwapRow locking = row(Acts.NONE.lock(), new OwnLock.Absent(), new PoolLock.Absent());
        assertThat(next(locking, known(false, CLOSED))).containsExactly(new Step.SendLock());
        Decision.Known late =
                new Decision.Known("run-1", Sample.NOW, true, new LockPermission.Refused("expired"), false, CLOSED);
        assertThat(next(locking, late)).containsExactly(new Step.AbandonLock("expired"));
    }

    @Test
    void a_lock_that_was_abandoned_is_not_sent_again_but_counts_when_it_confirms() {
        SwapRow given = row(Acts.NONE.lock().abandon(), new OwnLock.Absent(), new PoolLock.Absent());
        assertThat(next(given, known(false, OPEN))).containsExactly(new Step.AbandonLock("it is given up"));
        SwapRow confirmed =
                given.seeing(new ChainObservation(Optional.of(LOCKED), Optional.of(POOL), false), Sample.NOW);
        assertThat(next(confirmed, known(false, OPEN))).containsExactly(new Step.Reveal());
    }

    @Test
    void an_open_gate_reveals_and_a_closed_or_unjudged_one_waits() {
        assertThat(next(locked(), known(false, OPEN))).containsExactly(new Step.Reveal());
        assertThat(next(locked(), known(false, CLOSED))).isEmpty();
        assertThat(next(locked(), known(false, Optional.empty()))).isEmpty();
    }

    @Test
    void nothing_is_revealed_before_our_lock_is_settled_or_for_a_lock_that_is_not_there() {
        assertThat(next(row(Acts.NONE.lock(), YOUNG, POOL), known(false, OPEN))).isEmpty();
        assertThat(next(row(Acts.NONE.lock(), LOCKED, new PoolLock.Absent()), known(false, OPEN)))
                .isEmpty();
        assertThat(next(row(Acts.NONE.lock(), LOCKED, new PoolLock.Foreign()), known(false, OPEN)))
                .isEmpty();
    }

    @Test
    void before_both_chains_were_seen_only_what_is_always_right_is_done() {
        Decision.Known half =
                new Decision.Known("run-2", Sample.NOW + 999, false, new LockPermission.Granted(), true, OPEN);
        assertThat(next(Sample.row(Direction.CHAIN_TO_NATIVE), half)).isEmpty();
        assertThat(next(row(Acts.NONE.lock(), new OwnLock.Absent(), POOL), half))
                .isEmpty();
        assertThat(next(locked(), half)).containsExactly(new Step.TakeBack());
        Decision.Known early = blind(OPEN);
        assertThat(next(locked(), early)).isEmpty();
        assertThat(next(row(Acts.NONE.lock().journalClaim().claimedBy("c"), LOCKED, POOL), early))
                .containsExactly(new Step.PushClaim());
    }

    @Test
    void a_permission_alone_pushes_nothing_and_the_gate_is_judged_before_each_try() {
        SwapRow permitted = row(Acts.NONE.lock().permitClaim(), LOCKED, POOL);
        assertThat(next(permitted, known(false, OPEN))).containsExactly(new Step.Reveal());
        assertThat(next(permitted, known(false, Optional.empty()))).isEmpty();
        Decision.Known blind = blind(OPEN);
        assertThat(next(permitted, blind)).isEmpty();
    }

    @Test
    void a_permission_whose_gate_has_closed_is_withdrawn_with_the_reason() {
        SwapRow permitted = row(Acts.NONE.lock().permitClaim(), LOCKED, POOL);
        List<Step> steps = next(permitted, known(false, CLOSED));
        assertThat(steps).hasSize(1);
        assertThat(steps.get(0).begun(permitted.acts()).claimPermitted()).isFalse();
        assertThat(steps.get(0).error(permitted)).get().asString().startsWith(SwapRow.PERMISSION_UNUSED);
        assertThat(next(permitted, known(true, OPEN)))
                .extracting(step -> (Object) step.getClass())
                .containsExactly(Step.WithdrawPermission.class, Step.TakeBack.class);
    }

    @Test
    void a_journalled_claim_is_pushed_also_where_a_chain_is_not_seen() {
        Decision.Known blind = blind(Optional.empty());
        SwapRow journalled = row(Acts.NONE.lock().journalClaim(), LOCKED, POOL);
        assertThat(next(journalled, blind)).containsExactly(new Step.PushClaim());
        SwapRow claimed = row(Acts.NONE.lock(), new OwnLock.Claimed("ours", "tx", false), POOL);
        assertThat(next(claimed, blind)).containsExactly(new Step.PushClaim());
    }

    @Test
    void a_request_to_the_pool_is_journalled_as_a_claim_before_it_leaves() {
        List<Step> steps = next(locked(), known(false, Optional.of(GateVerdict.OPEN_BY_RELAY)));
        assertThat(steps).containsExactly(new Step.RevealByRelay());
        assertThat(steps.get(0).begun(locked().acts()).claimJournalled()).isTrue();
        assertThat(new Step.Reveal().begun(locked().acts()).claimJournalled()).isFalse();
    }

    @Test
    void a_lock_whose_slot_another_party_has_is_abandoned_and_no_secret_follows() {
        SwapRow taken = row(Acts.NONE.lock(), new OwnLock.Foreign(), POOL);
        assertThat(next(taken, known(true, OPEN))).containsExactly(new Step.AbandonLock(SwapRow.SLOT_TAKEN));
    }

    @Test
    void a_refund_that_is_due_wins_over_a_secret_that_is_still_ours() {
        assertThat(next(locked(), known(true, OPEN))).containsExactly(new Step.TakeBack());
    }

    @Test
    void once_a_refund_was_begun_the_secret_stays() {
        SwapRow refunding = row(Acts.NONE.lock().refund(), LOCKED, POOL);
        assertThat(next(refunding, known(false, OPEN))).isEmpty();
    }

    @Test
    void once_journalled_the_claim_is_pushed_through_closed_gates_and_beside_the_refund() {
        SwapRow revealed = row(Acts.NONE.lock().journalClaim(), LOCKED, POOL);
        assertThat(next(revealed, known(false, CLOSED))).containsExactly(new Step.PushClaim());
        assertThat(next(revealed, known(true, CLOSED))).containsExactly(new Step.PushClaim(), new Step.TakeBack());
    }

    @Test
    void the_pools_claim_of_our_lock_shows_the_secret_and_ours_follows() {
        SwapRow claimed = row(Acts.NONE.lock(), new OwnLock.Claimed("ours", "tx", false), POOL);
        assertThat(claimed.acts().claimJournalled()).isTrue();
        assertThat(next(claimed, known(true, CLOSED))).containsExactly(new Step.PushClaim());
    }

    @Test
    void a_claim_that_is_mined_waits_and_is_pushed_again_when_a_reorganisation_takes_it() {
        SwapRow mined = row(Acts.NONE.lock().journalClaim(), LOCKED, new PoolLock.Claimed("theirs", "tx", false));
        assertThat(next(mined, known(false, CLOSED))).isEmpty();
        SwapRow undone = mined.seeing(new ChainObservation(Optional.empty(), Optional.of(POOL), false), Sample.NOW);
        assertThat(next(undone, known(false, CLOSED))).containsExactly(new Step.PushClaim());
    }

    @Test
    void a_completed_swap_whose_own_lock_nobody_claims_takes_it_back() {
        SwapRow completed = row(Acts.NONE.lock().journalClaim(), LOCKED, new PoolLock.Claimed("theirs", "tx", true));
        assertThat(completed.status()).isEqualTo(SwapStatus.COMPLETED);
        assertThat(next(completed, known(true, CLOSED))).containsExactly(new Step.TakeBack());
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void the_two_legs_differ_by_one_at_the_boundary(Direction direction) {
        SwapTerms terms = Sample.terms(direction);
        assertThat(isDue(terms, terms.timeout() - 1, terms.timeout() - 1)).isFalse();
        assertThat(isDue(terms, terms.timeout(), terms.timeout())).isEqualTo(!direction.isSell());
        assertThat(isDue(terms, terms.timeout() + 1, terms.timeout() + 1)).isTrue();
    }

    private static boolean isDue(SwapTerms terms, long tipHeight, long blockTime) {
        return terms.direction().isSell()
                ? RefundDue.onTheChain(tipHeight, terms.timeout())
                : RefundDue.inTheContract(blockTime, terms.timeout());
    }

    @Test
    void the_boundary_is_unsigned() {
        assertThat(RefundDue.onTheChain(Long.MAX_VALUE, -1L)).isFalse();
        assertThat(RefundDue.inTheContract(-1L, -1L)).isTrue();
        assertThat(RefundDue.onTheChain(-1L, -1L)).isFalse();
        assertThat(RefundDue.inTheContract(1, -1L)).isFalse();
    }
}
