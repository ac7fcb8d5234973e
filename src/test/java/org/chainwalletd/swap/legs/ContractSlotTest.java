package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.evm.SwapContract.State;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Copies;
import org.junit.jupiter.api.Test;

public class ContractSlotTest {
    private static final SwapTerms BUY = Sample.terms(Direction.NATIVE_TO_CHAIN);
    private static final SwapTerms SELL = Sample.terms(Direction.CHAIN_TO_NATIVE);
    private static final String HASH_LOCK = Sample.HASH_LOCK.hex();
    private static final EvmAddress ZERO = EvmAddress.of(new byte[EvmAddress.LENGTH]);
    private static final SwapContract.Swap NOTHING = new SwapContract.Swap(ZERO, ZERO, BigInteger.ZERO, 0, State.NONE);
    private static final OwnLock ABSENT = new OwnLock.Absent();

    private static SwapContract.Swap ours(State state) {
        return new SwapContract.Swap(Sample.OUR_EVM, Sample.POOL_EVM, Sample.WEI, BUY.timeout(), state);
    }

    private static SwapContract.Swap theirs(State state) {
        return new SwapContract.Swap(Sample.POOL_EVM, Sample.OUR_EVM, Sample.WEI, 7, state);
    }

    private static OwnLock own(SwapContract.Swap settled, SwapContract.Swap latest, OwnLock before) {
        return new ContractSlot(settled, latest, 50).ownLock(BUY, before, "tx");
    }

    private static PoolLock pool(SwapContract.Swap settled, SwapContract.Swap latest) {
        return pool(settled, latest, ABSENT);
    }

    private static PoolLock pool(SwapContract.Swap settled, SwapContract.Swap latest, OwnLock own) {
        return new ContractSlot(settled, latest, 50).poolLock(SELL, own, "tx");
    }

    /** A deep reorganisation has removed the pool's lock after ours was claimed. */
    @Test
    void the_pools_lock_is_gone_for_good_when_a_final_block_has_none_although_ours_was_claimed() {
        OwnLock claimed = new OwnLock.Claimed("ours", "tx", true);
        assertThat(pool(NOTHING, NOTHING, claimed).isGone()).isTrue();
        assertThat(pool(NOTHING, NOTHING, new OwnLock.Claimed("ours", "tx", false))
                        .isGone())
                .isFalse();
        assertThat(pool(theirs(State.LOCKED), NOTHING, claimed).isGone()).isFalse();
        assertThat(pool(NOTHING, theirs(State.LOCKED), claimed).isGone()).isFalse();
    }

    @Test
    void our_lock_is_settled_from_the_first_look_at_which_a_final_block_has_it() {
        assertThat(own(NOTHING, NOTHING, ABSENT)).isEqualTo(ABSENT);
        OwnLock young = own(NOTHING, ours(State.LOCKED), ABSENT);
        assertThat(young).isEqualTo(new OwnLock.Locked(HASH_LOCK, OptionalLong.empty()));
        OwnLock settled = own(ours(State.LOCKED), ours(State.LOCKED), young);
        assertThat(settled).isEqualTo(new OwnLock.Locked(HASH_LOCK, OptionalLong.of(50)));
        OwnLock earlier = new OwnLock.Locked(HASH_LOCK, OptionalLong.of(40));
        assertThat(own(ours(State.LOCKED), ours(State.LOCKED), earlier)).isEqualTo(earlier);
        assertThat(own(NOTHING, ours(State.LOCKED), earlier)).isEqualTo(young);
    }

    @Test
    void an_end_is_final_only_when_the_final_block_has_it() {
        assertThat(own(ours(State.LOCKED), ours(State.CLAIMED), ABSENT))
                .isEqualTo(new OwnLock.Claimed(HASH_LOCK, "tx", false));
        assertThat(own(ours(State.CLAIMED), ours(State.CLAIMED), ABSENT))
                .isEqualTo(new OwnLock.Claimed(HASH_LOCK, "tx", true));
        assertThat(own(ours(State.LOCKED), ours(State.REFUNDED), ABSENT))
                .isEqualTo(new OwnLock.TakenBack(HASH_LOCK, "tx", false));
        assertThat(pool(theirs(State.LOCKED), theirs(State.CLAIMED)))
                .isEqualTo(new PoolLock.Claimed(HASH_LOCK, "tx", false));
        assertThat(pool(theirs(State.CLAIMED), theirs(State.CLAIMED)))
                .isEqualTo(new PoolLock.Claimed(HASH_LOCK, "tx", true));
        assertThat(pool(theirs(State.REFUNDED), theirs(State.REFUNDED)))
                .isEqualTo(new PoolLock.TakenBack(HASH_LOCK, true));
    }

    @Test
    void a_lock_with_any_other_term_than_ours_is_foreign() {
        SwapContract.Swap ours = ours(State.LOCKED);
        for (SwapContract.Swap foreign : List.of(
                Copies.with(ours, "sender", Sample.POOL_EVM),
                Copies.with(ours, "recipient", ours.sender()),
                Copies.with(ours, "amount", ours.amount().add(BigInteger.ONE)),
                Copies.with(ours, "deadline", ours.deadline() + 1))) {
            assertThat(own(foreign, foreign, ABSENT)).isEqualTo(new OwnLock.Foreign());
        }
    }

    @Test
    void the_pools_lock_must_pay_us_what_was_quoted() {
        assertThat(pool(NOTHING, NOTHING)).isEqualTo(new PoolLock.Absent());
        assertThat(pool(NOTHING, theirs(State.LOCKED)))
                .isEqualTo(new PoolLock.Locked(
                        HASH_LOCK, OptionalLong.of(theirs(State.LOCKED).deadline())));
        SwapContract.Swap less = Copies.with(theirs(State.LOCKED), "amount", Sample.WEI.subtract(BigInteger.ONE));
        SwapContract.Swap another = Copies.with(theirs(State.CLAIMED), "recipient", Sample.POOL_EVM);
        assertThat(pool(less, less)).isEqualTo(new PoolLock.Foreign());
        assertThat(pool(another, another)).isEqualTo(new PoolLock.Foreign());
    }
}
