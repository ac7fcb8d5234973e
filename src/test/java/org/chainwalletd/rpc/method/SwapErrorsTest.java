package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.swap.engine.SwapException;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.junit.jupiter.api.Test;

class SwapErrorsTest {
    private final SwapErrors errors = new SwapErrors(List.of(new UpstreamErrors()));

    @Test
    void a_failure_beneath_a_swap_keeps_its_code_and_never_says_that_the_swap_has_ended() {
        RefusedException told = errors.translate(
                        new SwapException.Unsettled("s1", new PoolException.Unreachable("none")))
                .orElseThrow();
        assertThat(told.code()).isEqualTo(ErrorCode.UPSTREAM);
        assertThat(told.getMessage()).contains("the pool gives no answer").contains("swap s1 goes on by itself");

        RefusedException unknown = errors.translate(new SwapException.Unsettled("s1", new IllegalStateException("x")))
                .orElseThrow();
        assertThat(unknown.code()).isEqualTo(ErrorCode.UPSTREAM);
        assertThat(unknown.getMessage()).contains("ask swap_status");
    }

    @Test
    void a_lock_that_is_under_way_is_never_told_as_one_that_did_not_happen() {
        SwapErrors all = new SwapErrors(List.of(new UpstreamErrors(), new SpendErrors(address -> false)));
        for (StoreException.Reason reason : StoreException.Reason.values()) {
            RefusedException told = all.translate(
                            new SwapException.LockUnknown("s1", new StoreException(reason, "the disk", null)))
                    .orElseThrow();
            assertThat(told.code()).isEqualTo(ErrorCode.UPSTREAM);
            assertThat(told.getMessage())
                    .contains("outcome of the lock of swap s1 is not known", "swap_status", "never locks a second time")
                    .doesNotContain("nothing");
            assertThat(told.data()).isEqualTo(new SwapErrors.Underway(true));
        }
        assertThat(all.translate(new SwapException.LockUnknown("s1", new PoolException.Unreachable("none")))
                        .orElseThrow()
                        .getMessage())
                .contains("the pool gives no answer");
    }

    @Test
    void what_is_none_of_ours_is_left_to_others() {
        assertThat(errors.translate(new IllegalStateException("x"))).isEmpty();
    }
}
