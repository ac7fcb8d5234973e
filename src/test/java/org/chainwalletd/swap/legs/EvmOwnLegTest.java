package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.SignedTransaction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our lock in the contract: exactly one per swap, accepted when the chain has it and lost only when it can never be mined. */
@Tag("long")
public class EvmOwnLegTest {
    @TempDir
    Path folder;

    @AutoClose
    private EvmLegRig rig;

    private EvmOwnLeg leg;
    private SwapRow row;

    @BeforeEach
    void start() {
        rig = new EvmLegRig(folder);
        leg = rig.ownLeg();
        row = rig.locking(rig.buy());
    }

    private OwnLeg.View look() {
        return leg.look(row);
    }

    private void lockAndSettle() {
        leg.sendLock(row, () -> true);
        Await.until("it waits", () -> !rig.chain.waiting().isEmpty());
        rig.settle();
    }

    private static OwnLock.Locked young(EvmLegRig rig) {
        return new OwnLock.Locked(rig.hashLock.hex(), OptionalLong.empty());
    }

    @Test
    void a_lock_is_absent_then_there_then_settled_and_sent_again_it_is_the_same_transaction() {
        assertThat(look().lock()).isEqualTo(new OwnLock.Absent());
        String tx = leg.sendLock(row, () -> true);
        assertThat(leg.sendLock(row, () -> true)).isEqualTo(tx);
        assertThat(look().lock()).isEqualTo(new OwnLock.Absent());
        rig.chain.mine();

        assertThat(look()).isEqualTo(new OwnLeg.View(young(rig), false, false));
        rig.settle();
        assertThat(look().lock()).isEqualTo(new OwnLock.Locked(rig.hashLock.hex(), OptionalLong.of(rig.now())));
        assertThat(leg.sendLock(row, () -> true)).isEqualTo(tx);
        assertThat(rig.chain.nonce(rig.own())).isEqualTo(1);
        SwapContract.Swap slot = rig.chain.swap(rig.hashLock);
        assertThat(slot.recipient()).isEqualTo(rig.pool.address());
        assertThat(slot.amount()).isEqualTo(EvmLegRig.WEI);
        assertThat(slot.deadline()).isEqualTo(rig.deadline);
    }

    /** The pool's half hour starts then, not when a daemon that was down comes back. */
    @Test
    void a_lock_that_is_first_seen_long_after_it_was_settled_counts_from_its_block() {
        leg.sendLock(row, () -> true);
        long mined = rig.chain.mine().time();
        rig.settle();
        rig.chain.mineAfter(Duration.ofHours(2));
        rig.settle();

        OwnLock.Locked seen = new OwnLock.Locked(
                rig.hashLock.hex(),
                OptionalLong.of(mined + rig.limits(rig.chain.codeHash()).finalitySeconds()));
        assertThat(look().lock()).isEqualTo(seen);
    }

    @Test
    void a_death_at_any_write_of_the_journal_leaves_one_lock_or_none_and_never_two() throws Exception {
        EvmLegRig.diesAtEachWrite(
                folder,
                crashing -> crashing.locking(crashing.buy()),
                (crashing, locking) -> crashing.ownLeg().sendLock(locking, () -> true),
                EvmOwnLegTest::assertLocksOnce);
    }

    private static void assertLocksOnce(EvmLegRig crashed, SwapRow row) {
        String tx = crashed.ownLeg().sendLock(row, () -> true);

        Await.until("it waits", () -> !crashed.chain.waiting().isEmpty());
        crashed.settle();
        assertThat(crashed.ownLeg().look(row).lock()).isInstanceOf(OwnLock.Locked.class);
        assertThat(crashed.ownLeg().sendLock(row, () -> true)).isEqualTo(tx);
        assertThat(crashed.chain.nonce(crashed.own())).isEqualTo(1);
    }

    @Test
    void one_endpoint_that_has_something_under_our_hash_lock_is_enough_not_to_lock() {
        assertThat(leg.obstacle(row)).isEmpty();
        SwapContract.Swap refunded =
                new SwapContract.Swap(rig.pool.address(), rig.own(), BigInteger.ONE, 9, SwapContract.State.REFUNDED);
        rig.rig.second.lies().swap(rig.hashLock, refunded);

        assertThat(leg.obstacle(row)).get().asString().contains("slot taken");
    }

    @Test
    void our_own_lock_in_the_slot_is_no_obstacle() {
        leg.sendLock(row, () -> true);
        rig.chain.mine();

        assertThat(leg.obstacle(row)).isEmpty();
    }

    @Test
    void an_endpoint_too_few_leaves_it_open_whether_a_lock_is_safe() {
        rig.rig.second.down();

        assertThatThrownBy(() -> leg.obstacle(row)).isInstanceOf(AccountException.class);
        rig.rig.second.up();
    }

    @Test
    void other_code_than_the_pinned_one_is_an_obstacle() {
        assertThat(rig.ownLeg(Hash256.ZERO).obstacle(row)).get().asString().contains("code");
    }

    @Test
    void an_account_with_code_is_an_obstacle() {
        Bytes delegated = Bytes.parse("ef0100" + "11".repeat(20));
        rig.rig.first.lies().code(rig.own(), delegated);
        rig.rig.second.lies().code(rig.own(), delegated);

        assertThat(leg.obstacle(row)).get().asString().contains("has code");
    }

    @Test
    void the_balance_must_cover_the_amount_the_gas_of_the_lock_and_the_reserve_of_every_open_swap() {
        AccountFunds funds = rig.rig.sends.funds(rig.own());
        BigInteger needed = EvmLegRig.WEI.add(funds.perTransaction()).add(funds.reservePerSwap());
        rig.rig.sends.reserveFor(address -> 1);
        for (BigInteger balance : List.of(needed, needed.subtract(BigInteger.ONE))) {
            rig.balance(balance);

            assertThat(leg.obstacle(row).isEmpty()).isEqualTo(balance.equals(needed));
        }
    }

    @Test
    void a_swap_that_is_only_quoted_needs_its_own_reserve_beside_that_of_the_others() {
        AccountFunds funds = rig.rig.sends.funds(rig.own());
        BigInteger needed = EvmLegRig.WEI
                .add(funds.perTransaction())
                .add(funds.reservePerSwap().multiply(BigInteger.TWO));
        rig.rig.sends.reserveFor(address -> 1);
        for (BigInteger balance : List.of(needed, needed.subtract(BigInteger.ONE))) {
            rig.balance(balance);

            assertThat(leg.obstacle(rig.buy()).isEmpty()).isEqualTo(balance.equals(needed));
        }
    }

    @Test
    void a_lock_that_is_journalled_is_not_counted_against_the_balance_twice() {
        leg.sendLock(row, () -> true);
        AccountFunds funds = rig.rig.sends.funds(rig.own());
        rig.balance(funds.committed());

        assertThat(leg.obstacle(row)).isEmpty();
    }

    @Test
    void a_lock_that_is_abandoned_before_it_was_journalled_is_lost_and_never_made() {
        row = rig.givenUp(rig.buy());
        leg.abandonLock(row);

        assertThat(look().lock()).isEqualTo(new OwnLock.Lost());
        assertThatThrownBy(() -> leg.sendLock(row, () -> true)).isInstanceOf(IllegalStateException.class);
        assertThat(rig.chain.waiting()).isEmpty();
    }

    /** The survey, the gas and the key may each have taken longer than any caller waits. */
    @Test
    void a_lock_that_is_not_wanted_any_more_when_its_row_is_about_to_be_written_is_not_made() {
        AtomicBoolean wanted = new AtomicBoolean(true);
        CrashPoint.watch(point -> wanted.compareAndSet(point == CrashPoint.ACCOUNT_BEFORE_ROW, false));
        try {
            assertThatThrownBy(() -> leg.sendLock(row, wanted::get)).hasMessageContaining("nothing was sent");
        } finally {
            CrashPoint.watch(null);
        }
        assertThat(done(rig.rig.sends.ofOwner(row.id()))).isEmpty();
        row = rig.givenUp(rig.buy());
        assertThat(look().lock()).isEqualTo(new OwnLock.Lost());
        assertThat(rig.calls()).extracting(EvmEndpoint.Call::method).doesNotContain("eth_sendRawTransaction");
    }

    @Test
    void a_lock_that_was_not_made_has_used_up_no_nonce() {
        assertThatThrownBy(() -> leg.sendLock(row, () -> false)).hasMessageContaining("nothing was sent");
        String tx = leg.sendLock(row, () -> true);
        assertThat(leg.sendLock(row, () -> false))
                .as("what is journalled goes out again without being asked about")
                .isEqualTo(tx);
        rig.chain.mine();
        assertThat(rig.chain.nonce(rig.own())).isEqualTo(1);
        assertThat(look().lock()).isEqualTo(young(rig));
    }

    @Test
    void a_lock_that_is_abandoned_is_lost_when_its_nonce_is_finally_spent_and_not_before() {
        leg.sendLock(row, () -> true);
        row = rig.givenUp(rig.buy());
        for (int i = 0; i < 4; i++) {
            leg.abandonLock(row);
        }
        assertThat(done(rig.rig.sends.find("swap/a-buy/lock")).orElseThrow().hashes())
                .hasSize(2);
        assertThat(look().lock()).isEqualTo(new OwnLock.Absent());
        rig.chain.mine();
        rig.rig.await("swap/a-buy/lock", SendState.Cancelling.class);
        assertThat(look().lock()).isEqualTo(new OwnLock.Absent());
        rig.settle();

        rig.rig.await("swap/a-buy/lock", SendState.Cancelled.class);
        assertThat(look().lock()).isEqualTo(new OwnLock.Lost());
        assertThat(rig.chain.swap(rig.hashLock).state()).isEqualTo(SwapContract.State.NONE);
        assertThat(rig.chain.nonce(rig.own())).isEqualTo(1);
    }

    /** The quote expires soon, and a fee above the one at the quote was never agreed to. */
    @Test
    void a_lock_that_is_stuck_on_its_fee_pays_no_more_and_ends_when_it_is_abandoned() {
        leg.sendLock(row, () -> true);
        rig.chain.baseFee(BigInteger.valueOf(90_000_000_000L));
        for (int i = 0; i < 6; i++) {
            rig.chain.mineAfter(AccountRig.PACE.stuck());
            leg.sendLock(row, () -> true);
        }
        assertThat(rig.chain.nonce(rig.own())).isZero();
        assertThat(done(rig.rig.sends.find("swap/a-buy/lock")).orElseThrow().hashes())
                .hasSize(1);

        row = rig.givenUp(rig.buy());
        leg.abandonLock(row);
        Await.until("its nonce is spent", () -> {
            rig.chain.mine();
            return rig.chain.nonce(rig.own()) == 1;
        });
        rig.settle();
        rig.rig.await("swap/a-buy/lock", SendState.Cancelled.class);
        assertThat(look().lock()).isEqualTo(new OwnLock.Lost());
    }

    @Test
    void a_lock_that_confirms_although_it_was_abandoned_is_there() {
        leg.sendLock(row, () -> true);
        Bytes raw = done(rig.rig.journal.find("swap/a-buy/lock"))
                .orElseThrow()
                .newest()
                .raw();
        row = rig.givenUp(rig.buy());
        leg.abandonLock(row);
        rig.chain.forgetAll();
        rig.chain.submit(raw);
        rig.chain.mine();

        assertThat(look().lock()).isEqualTo(young(rig));
    }

    @Test
    void a_strangers_lock_under_our_hash_is_foreign_and_ours_is_lost_when_its_failure_is_final() {
        rig.chain.account(5).lock(rig.hashLock, rig.own(), rig.deadline, BigInteger.ONE);
        leg.sendLock(row, () -> true);
        rig.chain.mine();

        assertThat(look().lock()).isEqualTo(new OwnLock.Foreign());
        rig.settle();
        rig.rig.await("swap/a-buy/lock", SendState.Reverted.class);
        assertThat(look().lock()).isEqualTo(new OwnLock.Lost());
    }

    @Test
    void a_reorganisation_takes_the_lock_back_and_the_same_bytes_are_sent_again() {
        String tx = leg.sendLock(row, () -> true);
        rig.chain.mine();
        Hash256 hash = Hash256.parse(tx.substring(2));
        assertThat(look().lock()).isInstanceOf(OwnLock.Locked.class);
        rig.chain.reorganiseWithout(1, 2, hash);

        Await.until("the journal has noticed or it waits again", () -> {
            leg.sendLock(row, () -> true);
            return rig.chain.waiting().stream().map(SignedTransaction::hash).anyMatch(hash::equals);
        });
        assertThat(look().lock()).isEqualTo(new OwnLock.Absent());
        rig.chain.mine();
        assertThat(look().lock()).isEqualTo(young(rig));
    }

    @Test
    void a_refund_is_due_exactly_at_the_deadline_by_block_time_whatever_one_endpoint_says() {
        lockAndSettle();
        rig.chain.nextTime(rig.deadline - 1);
        rig.chain.mine();
        String head = "0x" + Long.toHexString(rig.chain.head().number());
        String later = "0x" + Long.toHexString(rig.deadline + 100);
        rig.rig
                .second
                .lies()
                .block(json -> head.equals(json.path("number").asText()) ? json.put("timestamp", later) : json);
        assertThat(look().refundDue()).isFalse();
        rig.rig.second.behave();
        rig.chain.nextTime(rig.deadline);
        rig.chain.mine();

        assertThat(look().refundDue()).isTrue();
    }

    @Test
    void a_lock_that_is_taken_back_comes_back_once_and_is_final_when_the_chain_is() {
        lockAndSettle();
        BigInteger before = rig.chain.balance(rig.own());
        rig.chain.nextTime(rig.deadline);
        rig.chain.mine();
        String tx = leg.takeBack(row);
        assertThat(leg.takeBack(row)).isEqualTo(tx);
        rig.chain.mine();

        assertThat(look().lock()).isEqualTo(new OwnLock.TakenBack(rig.hashLock.hex(), tx, false));
        rig.settle();
        assertThat(look().lock()).isEqualTo(new OwnLock.TakenBack(rig.hashLock.hex(), tx, true));
        assertThat(rig.chain.nonce(rig.own())).isEqualTo(2);
        assertThat(rig.chain.balance(rig.own()))
                .isBetween(before.add(EvmLegRig.WEI).subtract(BigInteger.TEN.pow(15)), before.add(EvmLegRig.WEI));
    }

    @Test
    void a_refund_that_came_too_early_and_failed_for_good_is_made_again_under_a_name_of_its_own() {
        lockAndSettle();
        leg.takeBack(row);
        rig.settle();
        rig.rig.await("swap/a-buy/refund", SendState.Reverted.class);
        assertThatThrownBy(() -> leg.takeBack(row)).hasMessageContaining("once in 10 minutes");
        rig.chain.clock().advance(Duration.ofMinutes(10));
        takeBackAtTheDeadline();
        assertThat(done(rig.rig.sends.find("swap/a-buy/refund/2"))).isPresent();
    }

    /** A machine whose clock is hours ahead sends one every ten minutes. */
    @Test
    void a_refund_is_made_again_however_often_it_came_too_early() {
        lockAndSettle();
        for (int attempt = 1; attempt <= 17; attempt++) {
            leg.takeBack(row);
            rig.settle();
            rig.rig.await(
                    attempt == 1 ? "swap/a-buy/refund" : "swap/a-buy/refund/" + attempt, SendState.Reverted.class);
            rig.chain.clock().advance(Duration.ofMinutes(10));
        }
        takeBackAtTheDeadline();
    }

    private void takeBackAtTheDeadline() {
        rig.chain.nextTime(rig.deadline);
        rig.chain.mine();
        leg.takeBack(row);
        rig.chain.mine();
        assertThat(look().lock()).isInstanceOf(OwnLock.TakenBack.class);
    }

    @Test
    void a_claim_of_the_pool_is_reported_with_its_transaction_and_shows_the_secret() {
        lockAndSettle();
        Hash256 claim = rig.pool.claim(rig.secret());
        rig.chain.mine();

        OwnLeg.View seen = look();

        assertThat(seen.lock()).isEqualTo(new OwnLock.Claimed(rig.hashLock.hex(), "0x" + claim.hex(), false));
        assertThat(seen.secretShown()).isTrue();
        rig.chain.mine(ClaimSearch.BLOCKS + 1);
        row = row.seeing(new ChainObservation(Optional.of(seen.lock()), Optional.empty(), true), rig.now());
        assertThat(look().lock()).isEqualTo(new OwnLock.Claimed(rig.hashLock.hex(), "0x" + claim.hex(), true));
    }

    @Test
    void the_secret_is_found_in_the_input_of_the_claim_and_nowhere_else() {
        lockAndSettle();
        rig.chain.account(5).claim(new byte[32]);
        rig.chain.mine();
        ClaimSearch search = new ClaimSearch(rig.rig.endpoints);
        assertThat(search.find(rig.chain.contract(), rig.hashLock)).isEmpty();
        rig.pool.claim(rig.secret());
        rig.chain.mine();

        assertThat(search.find(rig.chain.contract(), rig.hashLock)
                        .orElseThrow()
                        .secret()
                        .copy())
                .isEqualTo(rig.secret());
    }

    @Test
    void one_endpoint_that_lies_about_the_slot_leaves_it_unknown() {
        lockAndSettle();
        SwapContract.Swap claimed = Copies.with(rig.chain.swap(rig.hashLock), "state", SwapContract.State.CLAIMED);
        rig.rig.second.lies().swap(rig.hashLock, claimed);

        assertThatThrownBy(this::look).isInstanceOf(AccountException.Disagreement.class);
    }

    @Test
    void a_lock_leaves_the_gas_of_open_swaps_alone() {
        rig.rig.sends.reserveFor(address -> 1_000);

        assertThatThrownBy(() -> leg.sendLock(row, () -> true)).hasMessageContaining("insufficient");
        assertThat(rig.chain.waiting()).isEmpty();
        rig.rig.sends.reserveFor(address -> 1);
        leg.sendLock(row, () -> true);
        assertThat(rig.chain.waiting()).hasSize(1);
    }

    @Test
    void an_earlier_payment_with_the_locks_name_is_never_taken_for_it() {
        rig.rig.send("swap/a-buy/lock", 1);

        assertThatThrownBy(() -> leg.sendLock(row, () -> true)).hasMessageContaining("other parameters");
    }
}
