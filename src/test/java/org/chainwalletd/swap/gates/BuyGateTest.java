package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.swap.gates.BuyGate.PoolHtlc;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class BuyGateTest {
    private static final BuyGate GATE = new BuyGate(Sample.limits());
    private static final SwapTerms TERMS = Sample.terms(Direction.NATIVE_TO_CHAIN);
    private static final PoolHtlc HONEST = Sample.htlc(Sample.TIP + 500);

    private static BuyGate.Judgement judge(PoolHtlc... htlcs) {
        return GATE.judge(TERMS, Sample.evidence(htlcs));
    }

    private static GateVerdict judge(BuyGate.Candidate candidate) {
        return GATE.judge(
                        TERMS,
                        new BuyGate.Evidence(List.of(candidate), Sample.TIP, Sample.NOW, Sample.TIP, Sample.inputs()))
                .verdict();
    }

    private static boolean opens(PoolHtlc htlc) {
        return judge(htlc).verdict().isOpen();
    }

    private static PoolHtlc changed(HtlcParams params, boolean datum, boolean spent) {
        return new PoolHtlc(HONEST.outpoint(), params, HONEST.amount(), datum, spent, HONEST.place(), HONEST.minedAt());
    }

    @Test
    void the_pools_lock_opens_it_and_is_named() {
        assertThat(judge(HONEST).verdict().isOpen()).isTrue();
        assertThat(judge(HONEST).htlc()).contains(HONEST.outpoint());
    }

    @Test
    void decoys_beside_it_change_nothing() {
        PoolHtlc small = Sample.htlc(Sample.TIP + 500, Amount.of(1_000), Sample.TIP - 29, Sample.NOW - 300);
        PoolHtlc other = new PoolHtlc(
                new Outpoint(Hash256.ZERO, 0),
                HONEST.params(),
                Amount.of(999),
                false,
                false,
                HONEST.place(),
                HONEST.minedAt());
        assertThat(judge(small, HONEST, other).htlc()).contains(HONEST.outpoint());
        assertThat(judge(small, other).verdict().isOpen()).isFalse();
        assertThat(judge().verdict().isOpen()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1,false", "0,true", "1,true"})
    void it_must_hold_what_was_quoted(long more, boolean open) {
        Amount amount = Amount.of(Sample.COINS.longValueExact() + more);
        assertThat(opens(Sample.htlc(Sample.TIP + 500, amount, Sample.TIP - 29, Sample.NOW - 300)))
                .isEqualTo(open);
    }

    @Test
    void a_datum_or_the_hash_of_one_closes_it() {
        assertThat(opens(changed(HONEST.params(), true, false))).isFalse();
    }

    @Test
    void a_spent_one_another_hash_lock_and_another_receiver_close_it() {
        assertThat(opens(changed(HONEST.params(), false, true))).isFalse();
        assertThat(opens(changed(
                        new HtlcParams(Sample.POOL_KEY, Sample.OUR_KEY, Hash256.ZERO, Sample.TIP + 500), false, false)))
                .isFalse();
        assertThat(opens(changed(
                        new HtlcParams(Sample.POOL_KEY, Sample.key(5), Sample.HASH_LOCK, Sample.TIP + 500),
                        false,
                        false)))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"359,false", "360,true"})
    void the_margin_in_blocks_is_exact(long left, boolean open) {
        assertThat(opens(Sample.htlc(Sample.TIP + left))).isEqualTo(open);
    }

    @Test
    void a_timeout_above_half_of_u64_is_far_away() {
        assertThat(opens(Sample.htlc(-1L))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"28,false", "29,true"})
    void the_depth_counts_its_own_block(long below, boolean open) {
        assertThat(opens(Sample.htlc(Sample.TIP + 500, HONEST.amount(), Sample.TIP - below, Sample.NOW - 10 * below)))
                .isEqualTo(open);
    }

    @ParameterizedTest
    @CsvSource({"870,true", "871,false"})
    void blocks_that_are_three_times_too_slow_close_it(long took, boolean open) {
        PoolHtlc htlc = Sample.htlc(Sample.TIP + 500, HONEST.amount(), Sample.TIP - 29, Sample.NOW - took);
        assertThat(opens(htlc)).isEqualTo(open);
    }

    @ParameterizedTest
    @CsvSource({"1800,true", "1801,false"})
    void the_pools_lock_must_come_in_its_window(long after, boolean open) {
        GateInputs settled =
                new GateInputs(Sample.NOW, false, Optional.empty(), OptionalLong.of(HONEST.minedAt() - after));
        BuyGate.Evidence evidence = new BuyGate.Evidence(
                List.of(new BuyGate.Candidate(HONEST, true, true, true)), Sample.TIP, Sample.NOW, Sample.TIP, settled);
        assertThat(GATE.judge(TERMS, evidence).verdict().isOpen()).isEqualTo(open);
    }

    @ParameterizedTest
    @CsvSource({"600,true", "601,false"})
    void the_tip_must_be_fresh(long age, boolean open) {
        PoolHtlc htlc = Sample.htlc(Sample.TIP + 500, HONEST.amount(), Sample.TIP - 29, Sample.NOW - age - 300);
        BuyGate.Evidence evidence = new BuyGate.Evidence(
                List.of(new BuyGate.Candidate(htlc, true, true, true)),
                Sample.TIP,
                Sample.NOW - age,
                Sample.TIP,
                Sample.inputs());
        assertThat(GATE.judge(TERMS, evidence).verdict().isOpen()).isEqualTo(open);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void work_nodes_and_the_evaluated_claim_are_each_needed(int missing) {
        GateVerdict verdict = judge(new BuyGate.Candidate(HONEST, missing != 0, missing != 1, missing != 2));
        assertThat(verdict.isOpen()).isFalse();
    }

    @Test
    void nothing_leaves_when_our_refund_is_due() {
        BuyGate.Evidence evidence = new BuyGate.Evidence(
                List.of(new BuyGate.Candidate(HONEST, true, true, true)),
                Sample.TIP,
                Sample.NOW,
                Sample.TIP,
                new GateInputs(Sample.NOW, true, Optional.empty(), OptionalLong.of(Sample.NOW)));
        assertThat(GATE.judge(TERMS, evidence).verdict().isOpen()).isFalse();
    }

    /** Right after a start the followed tip is that of the run before. */
    @Test
    void blocks_that_a_node_has_named_and_that_are_not_followed_yet_count_against_the_margin() {
        long left = HONEST.params().timeoutHeight() - Sample.TIP;
        long margin = Sample.limits().margins().blocks();
        assertThat(opensAt(Sample.TIP + left - margin)).isTrue();
        assertThat(opensAt(Sample.TIP + left - margin + 1)).isFalse();
        assertThat(opensAt(-1)).as("before a node has named one").isFalse();
    }

    private static boolean opensAt(long namedHeight) {
        BuyGate.Evidence evidence = new BuyGate.Evidence(
                List.of(new BuyGate.Candidate(HONEST, true, true, true)),
                Sample.TIP,
                Sample.NOW,
                namedHeight,
                Sample.inputs());
        return GATE.judge(TERMS, evidence).verdict().isOpen();
    }
}
