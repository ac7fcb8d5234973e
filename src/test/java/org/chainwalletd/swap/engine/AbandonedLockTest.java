package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.legs.ChainLegRig;
import org.chainwalletd.swap.legs.ChainOwnLeg;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Coins of an abandoned lock: a block may still spend all of them, so no payment may use any of them before the chain has decided. */
public class AbandonedLockTest {
    /** Value of each coin; a lock needs two of them. */
    private static final long COIN = 30_000_000;

    private static final long PAYMENT = 1_000_000;

    @TempDir
    static Path folder;

    @AutoClose
    private static ChainLegRig rig;

    private static int round;

    private Party ours;
    private Party pool;
    private SwapRow row;
    private Transaction lock;

    @BeforeAll
    static void start() {
        rig = new ChainLegRig(folder);
    }

    @BeforeEach
    void lock() {
        ours = rig.ours(COIN, COIN);
        pool = rig.stranger();
        byte[] secret = Hash256.sha256(new byte[] {(byte) ++round}).toArray();
        SwapRow quoted = rig.sell(ours, pool.key, secret, 500);
        row = quoted.with(quoted.acts().lock().abandon(), 0);
        lock = rig.transaction(rig.own.sendLock(quoted.with(quoted.acts().lock(), 0), () -> true));
        assertThat(lock.inputs()).hasSize(2);
    }

    private List<Outpoint> coins() {
        return lock.inputs();
    }

    private void giveUp() {
        assertThat(done(rig.spending.abandon(ChainLegRig.idOf(lock)))).isTrue();
    }

    private void assertThatNoPaymentGetsACoin() {
        assertThatThrownBy(() -> rig.transfer(ours, pool.address, PAYMENT))
                .isInstanceOfSatisfying(
                        SpendException.class,
                        refused -> assertThat(refused.refusal()).isInstanceOf(SpendRefusal.InFlightExhausted.class));
    }

    @Test
    void no_payment_gets_its_coins_between_that_and_the_return() {
        rig.chain.forgetMempool();
        giveUp();
        assertThatNoPaymentGetsACoin();
        rig.restart();
        assertThatNoPaymentGetsACoin();
        rig.own.abandonLock(row);
        assertThatNoPaymentGetsACoin();
        rig.restart();
        assertThatNoPaymentGetsACoin();
        rig.mine(1);
        assertThat(coins()).anyMatch(coin -> rig.chain.ledger().spentBy(coin).isPresent());
    }

    @Test
    void no_time_ends_that_before_or_after_it_is_abandoned() {
        rig.chain.forgetMempool();
        rig.clock.advance(Duration.ofMinutes(11));
        rig.mine(2);
        assertThatNoPaymentGetsACoin();
        giveUp();
        rig.clock.advance(Duration.ofMinutes(11));
        rig.restart();
        rig.mine(2);
        assertThatNoPaymentGetsACoin();
    }

    @Test
    void the_other_coin_is_kept_until_the_return_is_buried() {
        rig.chain.forgetMempool();
        giveUp();
        rig.own.abandonLock(row);
        rig.mine(1);
        Outpoint other = coins().stream()
                .filter(coin -> rig.chain.ledger().spentBy(coin).isEmpty())
                .findFirst()
                .orElseThrow();
        Transaction payment = rig.transaction(rig.transfer(ours, pool.address, PAYMENT));
        assertThat(payment.inputs()).doesNotContain(other);
        rig.mine(1);
        rig.restart();
        rig.mine(ChainLegRig.BURIAL);
        rig.awaitFree(other);
        assertThat(done(rig.spending.ofToken(ChainOwnLeg.SwapTokens.instead(row.id()))))
                .isPresent();
    }

    @Test
    void a_return_that_is_refused_leaves_the_coins_with_the_lock_which_may_be_mined() {
        // The mempool has the lock and does not replace it.
        assertThatThrownBy(() -> rig.own.abandonLock(row)).isInstanceOf(RuntimeException.class);
        assertThatNoPaymentGetsACoin();
        rig.restart();
        assertThatNoPaymentGetsACoin();
        rig.mine(1);
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
    }

    @Test
    void a_return_that_was_refused_is_made_once_the_lock_is_forgotten() {
        assertThatThrownBy(() -> rig.own.abandonLock(row)).isInstanceOf(RuntimeException.class);
        rig.chain.forgetMempool();
        rig.clock.advance(Duration.ofSeconds(31));
        rig.own.abandonLock(row);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        assertThat(coins()).anyMatch(coin -> rig.chain.ledger().spentBy(coin).isPresent());
    }

    @Test
    void the_operator_does_not_free_its_coins_either() {
        rig.chain.forgetMempool();
        giveUp();
        done(rig.spending.abandon(coins()));
        assertThatNoPaymentGetsACoin();
        rig.restart();
        done(rig.spending.abandon(coins()));
        assertThatNoPaymentGetsACoin();
    }

    @Test
    void a_lock_that_is_mined_after_all_takes_no_payment_with_it() {
        rig.chain.forgetMempool();
        rig.own.abandonLock(row);
        rig.mine(1);
        rig.chain.reorganise(1, false, List.of(lock));
        rig.followed();
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
    }
}
