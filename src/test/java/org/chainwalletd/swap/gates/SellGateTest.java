package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SellGate.EndpointView;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Copies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

public class SellGateTest {
    private static final SellGate GATE = new SellGate(Sample.limits());
    private static final SwapTerms TERMS = Sample.terms(Direction.CHAIN_TO_NATIVE);
    private static final long FAR = Sample.NOW + 9_000;
    private static final EndpointView HONEST = Sample.view(Sample.slot(Sample.WEI, FAR));

    private static GateVerdict judge(EndpointView... views) {
        return judge(Sample.inputs(), views);
    }

    private static GateVerdict judge(GateInputs inputs, EndpointView... views) {
        return GATE.judge(TERMS, new SellGate.Evidence(Arrays.asList(views), false, inputs));
    }

    private static String reason(GateVerdict verdict) {
        return verdict.closed().orElseThrow();
    }

    private static GateVerdict both(EndpointView view) {
        return judge(view, view);
    }

    @Test
    void two_endpoints_with_one_story_open_it() {
        assertThat(judge(HONEST, HONEST).isOpen()).isTrue();
    }

    @Test
    void one_endpoint_never_does() {
        assertThat(reason(judge(HONEST))).contains("demanded endpoints show");
        assertThat(reason(judge())).contains("demanded endpoints show");
    }

    @Test
    void a_lying_third_neither_opens_nor_closes_it() {
        SwapContract.Swap nothing =
                new SwapContract.Swap(Sample.OUR_EVM, Sample.OUR_EVM, BigInteger.ZERO, 0, SwapContract.State.NONE);
        EndpointView lie = Sample.view(nothing);
        assertThat(judge(HONEST, lie, HONEST).isOpen()).isTrue();
        assertThat(judge(HONEST, lie).isOpen()).isFalse();
        assertThat(judge(HONEST, HONEST, lie, lie).isOpen()).isFalse();
    }

    @Test
    void stories_of_different_blocks_do_not_add_up() {
        EndpointView other = changed("block", Hash256.ZERO, "number", 501L);
        assertThat(judge(HONEST, other).isOpen()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = SwapContract.State.class, names = "LOCKED", mode = EnumSource.Mode.EXCLUDE)
    void it_must_be_locked_in_the_settled_block_and_in_the_newest(SwapContract.State state) {
        SwapContract.Swap other = new SwapContract.Swap(Sample.POOL_EVM, Sample.OUR_EVM, Sample.WEI, FAR, state);
        assertThat(both(Sample.view(other)).isOpen()).isFalse();
        assertThat(both(Sample.view(HONEST.common().slot(), other, Sample.NOW)).isOpen())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1,false", "0,true", "1,true"})
    void it_must_hold_what_was_quoted(long more, boolean open) {
        BigInteger amount = Sample.WEI.add(BigInteger.valueOf(more));
        assertThat(both(Sample.view(Sample.slot(amount, FAR))).isOpen()).isEqualTo(open);
    }

    @Test
    void it_must_pay_us() {
        SwapContract.Swap theirs =
                new SwapContract.Swap(Sample.POOL_EVM, Sample.POOL_EVM, Sample.WEI, FAR, SwapContract.State.LOCKED);
        assertThat(both(Sample.view(theirs)).isOpen()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"3599,0,false", "3600,0,true", "3659,60,false", "3660,60,true"})
    void the_margin_counts_from_the_later_clock(long left, long blockAhead, boolean open) {
        SwapContract.Swap slot = Sample.slot(Sample.WEI, Sample.NOW + left);
        assertThat(both(Sample.view(slot, slot, Sample.NOW + blockAhead)).isOpen())
                .isEqualTo(open);
    }

    @Test
    void a_deadline_above_half_of_u64_is_far_away() {
        assertThat(both(Sample.view(Sample.slot(Sample.WEI, -1))).isOpen()).isTrue();
    }

    @Test
    void too_small_a_margin_is_the_end_and_says_so() {
        GateVerdict verdict = both(Sample.view(Sample.slot(Sample.WEI, Sample.NOW + 3_599)));
        assertThat(reason(verdict)).contains("must be left when the secret leaves");
        assertThat(verdict.hopeless()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"60,true", "61,false"})
    void the_newest_block_must_be_fresh(long age, boolean open) {
        assertThat(both(Sample.view(HONEST.common().slot(), HONEST.latest(), Sample.NOW - age))
                        .isOpen())
                .isEqualTo(open);
    }

    @Test
    void a_development_chain_has_blocks_when_it_likes() {
        EndpointView old = Sample.view(HONEST.common().slot(), HONEST.latest(), Sample.NOW - 9_999);
        SellGate gate = new SellGate(Sample.limits(true));
        assertThat(gate.judge(TERMS, new SellGate.Evidence(List.of(old, old), false, Sample.inputs()))
                        .isOpen())
                .isTrue();
    }

    @Test
    void endpoints_that_differ_about_when_it_was_locked_do_not_add_up() {
        assertThat(judge(HONEST, lockedAt(HONEST.common().lockedAt() - 1)).isOpen())
                .isFalse();
        assertThat(both(lockedAt(EndpointView.NEVER)).isOpen()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1800,true", "1801,false"})
    void the_pools_lock_must_come_in_its_window(long after, boolean open) {
        GateInputs settled = new GateInputs(
                Sample.NOW,
                false,
                Optional.empty(),
                OptionalLong.of(HONEST.common().lockedAt() - after));
        assertThat(judge(settled, HONEST, HONEST).isOpen()).isEqualTo(open);
    }

    @Test
    void other_code_and_another_chain_close_it() {
        assertThat(both(changed("codeHash", Hash256.ZERO)).isOpen()).isFalse();
        assertThat(both(changed("chainId", BigInteger.ONE)).isOpen()).isFalse();
    }

    @Test
    void nothing_leaves_behind_an_open_nonce() {
        assertThat(reason(GATE.judge(TERMS, new SellGate.Evidence(List.of(HONEST, HONEST), true, Sample.inputs()))))
                .contains("an earlier transaction of ours");
    }

    @Test
    void nothing_leaves_when_our_refund_is_due_or_nobody_could_push_the_claim() {
        OptionalLong settled = OptionalLong.of(Sample.NOW);
        assertThat(reason(judge(new GateInputs(Sample.NOW, true, Optional.empty(), settled), HONEST, HONEST)))
                .contains("can be taken back already");
        assertThat(reason(judge(
                        new GateInputs(Sample.NOW, false, Optional.of("the daemon stops"), settled), HONEST, HONEST)))
                .contains("the daemon stops");
        assertThat(judge(new GateInputs(Sample.NOW, false, Optional.empty(), OptionalLong.empty()), HONEST, HONEST)
                        .isOpen())
                .isFalse();
    }

    private static EndpointView lockedAt(long time) {
        return changed("lockedAt", time);
    }

    /** @param changes of the view common to honest endpoints, as in {@link Copies#with} */
    private static EndpointView changed(Object... changes) {
        return Copies.with(HONEST, "common", Copies.with(HONEST.common(), changes));
    }
}
