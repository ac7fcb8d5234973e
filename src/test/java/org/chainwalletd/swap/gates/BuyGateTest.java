package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.swap.gates.BuyGate.PoolHtlc;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Copies;
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

    private static boolean opens(PoolHtlc htlc) {
        return judge(htlc).verdict().isOpen();
    }

    /** @param changes of the evidence about the honest lock, as in {@link Copies#with} */
    private static boolean opensWith(Object... changes) {
        return GATE.judge(TERMS, Copies.with(Sample.evidence(HONEST), changes))
                .verdict()
                .isOpen();
    }

    @Test
    void the_pools_lock_opens_it_and_is_named() {
        assertThat(judge(HONEST).verdict().isOpen()).isTrue();
        assertThat(judge(HONEST).htlc()).contains(HONEST.outpoint());
    }

    @Test
    void decoys_beside_it_change_nothing() {
        PoolHtlc small = Sample.htlc(Sample.TIP + 500, Amount.of(1_000), Sample.TIP - 29, Sample.NOW - 300);
        PoolHtlc other = Copies.with(HONEST, "outpoint", new Outpoint(Hash256.ZERO, 0), "amount", Amount.of(999));
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
        assertThat(opens(Copies.with(HONEST, "datum", true))).isFalse();
    }

    @Test
    void a_spent_one_another_hash_lock_and_another_receiver_close_it() {
        assertThat(opens(Copies.with(HONEST, "spent", true))).isFalse();
        assertThat(opens(ofParams("hashLock", Hash256.ZERO))).isFalse();
        assertThat(opens(ofParams("receiver", Sample.key(5)))).isFalse();
    }

    private static PoolHtlc ofParams(String name, Object value) {
        return Copies.with(HONEST, "params", Copies.with(HONEST.params(), name, value));
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
                Copies.with(Sample.inputs(), "ownLockSettledAt", OptionalLong.of(HONEST.minedAt() - after));
        assertThat(opensWith("inputs", settled)).isEqualTo(open);
    }

    @ParameterizedTest
    @CsvSource({"600,true", "601,false"})
    void the_tip_must_be_fresh(long age, boolean open) {
        PoolHtlc htlc = Sample.htlc(Sample.TIP + 500, HONEST.amount(), Sample.TIP - 29, Sample.NOW - age - 300);
        BuyGate.Evidence evidence = Copies.with(Sample.evidence(htlc), "tipTime", Sample.NOW - age);
        assertThat(GATE.judge(TERMS, evidence).verdict().isOpen()).isEqualTo(open);
    }

    @ParameterizedTest
    @ValueSource(strings = {"workChecked", "nodesAgree", "claimValid"})
    void work_nodes_and_the_evaluated_claim_are_each_needed(String missing) {
        BuyGate.Candidate sound = new BuyGate.Candidate(HONEST, true, true, true);
        assertThat(opensWith("candidates", List.of(Copies.with(sound, missing, false))))
                .isFalse();
    }

    @Test
    void nothing_leaves_when_our_refund_is_due() {
        GateInputs due = new GateInputs(Sample.NOW, true, Optional.empty(), OptionalLong.of(Sample.NOW));
        assertThat(opensWith("inputs", due)).isFalse();
    }

    /** Right after a start the followed tip is that of the previous run. */
    @Test
    void blocks_that_a_node_has_named_and_that_are_not_followed_yet_count_against_the_margin() {
        long left = HONEST.params().timeoutHeight() - Sample.TIP;
        long margin = Sample.limits().margins().blocks();
        assertThat(opensWith("namedHeight", Sample.TIP + left - margin)).isTrue();
        assertThat(opensWith("namedHeight", Sample.TIP + left - margin + 1)).isFalse();
        assertThat(opensWith("namedHeight", -1L))
                .as("before a node has named one")
                .isFalse();
    }
}
