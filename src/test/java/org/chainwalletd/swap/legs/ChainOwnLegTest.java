package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;
import static org.chainwalletd.swap.legs.ChainLegRig.AMOUNT;
import static org.chainwalletd.swap.legs.ChainLegRig.DEPTH;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our lock of a sell, against a development node over real sockets. */
@Tag("long")
public class ChainOwnLegTest {
    private static final long FUNDS = 200_000_000;
    /** Longer than the shortest lock allowed, so that time may pass before it is sent. */
    private static final long LOCK_BLOCKS = 500;

    @TempDir
    static Path folder;

    @AutoClose
    private static ChainLegRig rig;

    private static int round;

    private Party ours;
    private Party pool;
    private byte[] secret;
    private SwapRow row;

    @BeforeAll
    static void start() {
        rig = new ChainLegRig(folder);
    }

    @BeforeEach
    void meet() {
        ours = rig.ours(FUNDS);
        pool = rig.stranger();
        secret = Hash256.sha256(new byte[] {(byte) ++round}).toArray();
        row = row(LOCK_BLOCKS);
    }

    @AfterEach
    void beHonest() {
        rig.tellTheTruth();
    }

    private SwapRow row(long blocks) {
        return rig.sell(ours, pool.key, secret, blocks);
    }

    private static SwapRow locking(SwapRow row) {
        return row.with(row.acts().lock(), 0);
    }

    private static SwapRow abandoning(SwapRow row) {
        return row.with(row.acts().lock().abandon(), 0);
    }

    private String send(SwapRow row) {
        return rig.own.sendLock(locking(row), () -> true);
    }

    private Outpoint outpoint(String lockTx) {
        return new Outpoint(Hash256.parse(lockTx), 0);
    }

    private OwnLock locked(String lockTx) {
        return new OwnLock.Locked(outpoint(lockTx).toString(), OptionalLong.empty());
    }

    private ReclaimRequest reclaim(SwapRow row, String lockTx, Optional<String> token) {
        return new ReclaimRequest(
                ours.address,
                outpoint(lockTx),
                pool.key,
                row.terms().hashLock(),
                row.terms().timeout(),
                Optional.empty(),
                Optional.empty(),
                token);
    }

    @Test
    void a_lock_is_settled_with_the_block_that_gives_its_depth() {
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        String tx = send(row);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        rig.mine(1);
        String reference = outpoint(tx).toString();
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
        rig.mine((int) DEPTH - 2);
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
        rig.mine(1);
        long settled = rig.chain.tip().timestamp();
        rig.mine(2);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Locked(reference, OptionalLong.of(settled)));
    }

    /** The process died after the broadcast, and a block contained the lock before the next observation. */
    @Test
    void the_pool_is_told_of_a_lock_whose_transaction_the_row_does_not_name() {
        List<Object> told = new ArrayList<>();
        Pool listening = Stub.of(Pool.class, call -> {
            told.add(call.arguments()[1]);
            return CompletableFuture.completedFuture(null);
        });
        row = locking(row);
        String tx = send(row);
        rig.mine(1);

        new ChainOwnLeg(rig.own.chain(), rig.own.limits(), Optional.of(listening)).look(row);

        assertThat(row.acts().lockTx()).isEmpty();
        assertThat(told).containsExactly(Hash256.parse(tx));
    }

    @Test
    void a_lock_that_is_sent_again_is_the_same_transaction() {
        String tx = send(row);
        rig.restart();
        assertThat(send(row)).isEqualTo(tx);
        rig.mine(1);
        assertThat(send(row)).isEqualTo(tx);
    }

    @Test
    void a_lock_whose_block_goes_is_absent_until_another_has_it() {
        String tx = send(row);
        rig.mine(1);
        rig.chain.reorganise(1, false, List.of());
        rig.followed();
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        rig.own.sendLock(locking(row), () -> true);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
    }

    @Test
    void nobody_but_its_owner_sends_a_lock_again() {
        Party other = rig.ours(FUNDS);
        String tx = send(row);
        String payment = rig.transfer(other, pool.address, 1_000_000);
        rig.restart();
        rig.chain.forgetMempool();
        rig.awaitWaiting(payment);
        assertThat(rig.isWaiting(tx)).isFalse();
        assertThat(send(row)).isEqualTo(tx);
        assertThat(rig.isWaiting(tx)).isTrue();
    }

    @Test
    void a_lock_whose_send_was_cut_short_is_sent_as_the_same_bytes_after_a_restart() {
        rig.refuse("Tip changed during validation, try again");
        assertThatThrownBy(() -> send(row)).isInstanceOf(RuntimeException.class);
        beHonest();
        rig.restart();
        String tx = send(row);
        rig.restart();
        assertThat(send(row)).isEqualTo(tx);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
    }

    @Test
    void a_second_lock_is_not_made_when_the_store_has_forgotten_the_first() {
        SwapRow named = row.with(row.acts().lock().lockedBy("ab".repeat(32)), 0);
        assertThatThrownBy(() -> rig.own.sendLock(named, () -> true)).hasMessageContaining("no second one is made");
    }

    @Test
    void a_lock_that_is_lost_stays_lost_when_the_store_has_forgotten_it() {
        SwapRow lost = row.with(row.acts().lock().lockedBy("ab".repeat(32)), 0)
                .seeing(
                        new ChainObservation(
                                Optional.of(new OwnLock.Lost()), Optional.of(new PoolLock.Absent()), false),
                        0);
        assertThat(rig.ownLock(lost)).isEqualTo(new OwnLock.Lost());
    }

    /** Every step before, including nodes and the key, may have taken longer than any caller waits. */
    @Test
    void a_lock_that_is_not_wanted_any_more_when_its_intent_is_about_to_be_written_is_not_made() {
        AtomicBoolean wanted = new AtomicBoolean(true);
        CrashPoint.watch(point -> wanted.compareAndSet(point == CrashPoint.SPEND_BEFORE_INTENT, false));
        try {
            assertThatThrownBy(() -> rig.own.sendLock(locking(row), wanted::get))
                    .hasMessageContaining("nothing was broadcast");
        } finally {
            CrashPoint.watch(null);
        }
        assertThat(rig.ownLock(abandoning(row))).isEqualTo(new OwnLock.Lost());
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        String tx = send(row);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
    }

    @Test
    void a_lock_that_is_durable_is_sent_again_without_being_asked_about() {
        String tx = send(row);
        assertThat(rig.own.sendLock(locking(row), () -> false)).isEqualTo(tx);
    }

    @Test
    void a_refund_is_due_one_block_above_the_timeout_and_not_before() {
        row = row(6);
        long timeout = row.terms().timeout();
        String tx = send(row);
        rig.mineTo(timeout);
        assertThat(rig.own.look(row).refundDue()).isFalse();
        assertThatThrownBy(() -> rig.own.takeBack(row)).hasMessageContaining("no lock to be taken back now");
        rig.mine(1);
        assertThat(rig.own.look(row).refundDue()).isTrue();

        String back = rig.own.takeBack(row);
        assertThat(rig.own.takeBack(row)).isEqualTo(back);
        TxOutput paid = rig.transaction(back).outputs().get(0);
        assertThat(paid.address()).contains(ours.address);
        assertThat(rig.feeOf(back)).isEqualTo(Amount.of(6_400));
        rig.mine(1);
        String reference = outpoint(tx).toString();
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.TakenBack(reference, back, false));
        rig.mine((int) ChainSide.FINAL_DEPTH - 2);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.TakenBack(reference, back, false));
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.TakenBack(reference, back, true));
    }

    /** The watchdog pays the minimum, which cheap traffic can keep out of blocks. */
    @Test
    void what_the_watchdog_has_begun_is_pushed_and_replaced_when_no_node_wants_it() {
        row = row(3);
        String tx = send(row);
        rig.mineTo(row.terms().timeout() + 1);
        String token = ReclaimRequest.tokenOfWatchdog(outpoint(tx));
        String begun = done(rig.htlcs.redeem(reclaim(row, tx, Optional.of(token))))
                .txId()
                .toString();
        assertThat(rig.own.takeBack(row)).isEqualTo(begun);

        rig.refuse("Mempool rejected transaction: fee density too low for mempool");
        rig.chain.forgetMempool();
        assertThat(rig.own.takeBack(row)).isEqualTo(begun);
        rig.clock.advance(Duration.ofSeconds(30));
        assertThatThrownBy(() -> rig.own.takeBack(row)).isInstanceOf(RuntimeException.class);
        beHonest();
        String back = rig.own.takeBack(row);
        assertThat(back).isNotEqualTo(begun);
        assertThat(rig.feeOf(back)).isEqualTo(Amount.of(6_400));
        rig.mine(1);
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.TakenBack.class);
    }

    /** A caller that repeats the call under its token must not get the answer that nothing was broadcast. */
    @Test
    void what_was_taken_back_by_hand_before_keeps_its_receipt() {
        row = row(3);
        String tx = send(row);
        rig.mineTo(row.terms().timeout() + 1);
        ReclaimRequest byHand = reclaim(row, tx, Optional.of("by hand"));
        Hash256 taken = done(rig.htlcs.redeem(byHand)).txId();
        rig.owners = hashLock -> Optional.of("the swap of this test");
        try {
            assertThat(done(rig.htlcs.redeem(byHand)).txId()).isEqualTo(taken);
        } finally {
            rig.owners = HtlcOwners.NONE;
        }
    }

    /** A spend with the minimum fee would keep the swap's own spend out of every mempool. */
    @Test
    void nobody_but_the_swap_takes_its_lock_back() {
        row = row(3);
        String tx = send(row);
        rig.mineTo(row.terms().timeout() + 1);
        ReclaimRequest byHand = reclaim(row, tx, Optional.empty());
        rig.owners = hashLock ->
                hashLock.equals(row.terms().hashLock()) ? Optional.of("the swap of this test") : Optional.empty();
        try {
            assertThatThrownBy(() -> done(rig.htlcs.redeem(byHand)))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("the swap of this test");
            String back = rig.own.takeBack(row);
            assertThat(rig.feeOf(back)).isEqualTo(Amount.of(6_400));
        } finally {
            rig.owners = HtlcOwners.NONE;
        }
    }

    @Test
    void a_take_back_whose_block_goes_is_sent_again() {
        row = row(3);
        send(row);
        rig.mineTo(row.terms().timeout() + 1);
        String back = rig.own.takeBack(row);
        rig.mine(1);
        rig.chain.reorganise(1, false, List.of());
        rig.followed();
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
        assertThat(rig.own.takeBack(row)).isEqualTo(back);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.TakenBack.class);
    }

    @Test
    void the_pools_claim_is_seen_with_its_secret_and_final_after_sixty_blocks() {
        String tx = send(row);
        rig.mine(1);
        Transaction claim = rig.claimed(outpoint(tx), pool, 1_000, secret);
        done(rig.sightings.seen(ChainLegRig.idOf(claim), claim));
        OwnLeg.View waiting = rig.own.look(row);
        assertThat(waiting.secretShown()).isTrue();
        assertThat(waiting.lock()).isInstanceOf(OwnLock.Locked.class);

        String claimTx = rig.chain.ledger().submit(claim).toString();
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Claimed(outpoint(tx).toString(), claimTx, false));
        rig.mine((int) ChainSide.FINAL_DEPTH - 1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Claimed(outpoint(tx).toString(), claimTx, true));
    }

    /** False data about a mempool must not make the engine treat the secret as public. */
    @Test
    void a_claim_that_does_not_open_the_hash_lock_shows_no_secret() {
        String tx = send(row);
        rig.mine(1);
        Transaction forged = rig.claimed(outpoint(tx), pool, 1_000, new byte[32]);
        done(rig.sightings.seen(ChainLegRig.idOf(forged), forged));
        assertThat(rig.own.look(row).secretShown()).isFalse();
    }

    @Test
    void what_an_abandoned_lock_would_spend_goes_back_to_us_and_it_is_lost_sixty_blocks_later() {
        row = abandoning(row);
        String tx = send(row);
        rig.chain.forgetMempool();
        Outpoint coin = rig.coin(ours);
        rig.own.abandonLock(row);
        rig.own.abandonLock(row);
        rig.mine(1);
        Hash256 instead = rig.chain.ledger().spentBy(coin).orElseThrow().txId();
        assertThat(instead.toString()).isNotEqualTo(tx);
        assertThat(rig.transaction(instead.toString()).outputs())
                .allSatisfy(output -> assertThat(output.address()).contains(ours.address));
        rig.own.abandonLock(row);
        rig.mine((int) ChainSide.FINAL_DEPTH - 2);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Lost());
    }

    @Test
    void a_lock_that_confirms_after_it_was_abandoned_stands() {
        row = abandoning(row);
        String tx = send(row);
        // A mempool has the lock and does not replace it.
        assertThatThrownBy(() -> rig.own.abandonLock(row)).isInstanceOf(RuntimeException.class);
        rig.restart();
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
    }

    @Test
    void a_block_decides_between_the_lock_and_what_is_spent_instead() {
        row = abandoning(row);
        String tx = send(row);
        Transaction lock = rig.transaction(tx);
        rig.chain.forgetMempool();
        rig.own.abandonLock(row);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        rig.chain.reorganise(1, false, List.of(lock));
        rig.followed();
        assertThat(rig.ownLock(row)).isInstanceOf(OwnLock.Locked.class);
    }

    @Test
    void a_lock_that_was_abandoned_before_it_was_durable_is_lost_at_once() {
        row = abandoning(row);
        rig.own.abandonLock(row);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Lost());
    }

    @Test
    void nothing_speaks_against_a_lock_that_is_paid_for_and_ours() {
        assertThat(rig.own.obstacle(row)).isEmpty();
        send(row);
        assertThat(rig.own.obstacle(locking(row))).isEmpty();
    }

    @Test
    void another_htlc_with_the_hash_lock_speaks_against_ours() {
        Party payer = rig.stranger();
        HtlcParams decoy = new HtlcParams(payer.key, ours.key, row.terms().hashLock(), 10_000);
        rig.lock(payer, decoy, Amount.of(500));
        assertThat(rig.own.obstacle(row).orElseThrow()).contains("there is an HTLC with this hash lock");
    }

    @Test
    void an_htlc_with_the_hash_lock_in_a_mempool_speaks_against_ours() {
        HtlcParams decoy =
                new HtlcParams(pool.key, rig.stranger().key, row.terms().hashLock(), 10_000);
        rig.chain.faucet(pool.address, Amount.of(1_000_000));
        rig.mine(1);
        rig.chain
                .ledger()
                .submit(pool.pay(
                        rig.chain.genesisId(),
                        rig.coin(pool),
                        TxOutput.toScript(HtlcScript.build(decoy), Amount.of(900_000))));
        assertThat(rig.own.obstacle(row).orElseThrow()).contains("waits in a mempool");
    }

    @Test
    void a_lock_that_would_end_too_soon_or_too_late_is_not_sent() {
        assertThat(rig.own.obstacle(row(300)).orElseThrow()).contains("blocks");
        assertThat(rig.own.obstacle(row(5_000)).orElseThrow()).contains("blocks");
    }

    @Test
    void a_lock_needs_coins() {
        Party poor = rig.ours(1_000_000);
        row = rig.sell(poor, pool.key, secret, LOCK_BLOCKS);
        assertThat(rig.own.obstacle(row)).isNotEmpty();
    }

    @Test
    void time_speaks_against_a_quote_and_a_standing_chain_leaves_it_open() {
        rig.clock.advance(Duration.ofSeconds(599));
        assertThat(rig.own.obstacle(row)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.own.obstacle(row)).contains("the quote has expired");
        SwapRow later = row(LOCK_BLOCKS);
        rig.clock.advance(Duration.ofSeconds(580));
        assertThatThrownBy(() -> rig.own.obstacle(later)).hasMessageContaining("newest block of the chain");
        rig.mine(1);
        assertThat(rig.own.obstacle(later)).isEmpty();
    }

    /** Anybody can fund an HTLC that we could reclaim. */
    @Test
    void an_htlc_of_another_party_in_our_name_is_not_our_lock() {
        HtlcParams alike = new HtlcParams(
                ours.key, pool.key, row.terms().hashLock(), row.terms().timeout());
        Party payer = rig.stranger();
        String tx = send(row);
        rig.chain.forgetMempool();
        rig.lock(payer, alike, AMOUNT);
        assertThat(rig.ownLock(row)).isEqualTo(new OwnLock.Absent());
        rig.own.sendLock(locking(row), () -> true);
        rig.mine(1);
        assertThat(rig.ownLock(row)).isEqualTo(locked(tx));
    }

    @Test
    void a_lock_is_found_by_the_books_when_the_row_is_older_than_it() {
        String tx = send(row);
        rig.mine(1);
        SwapRow restored = SwapRow.quoted("another-id", "pool-1", "run-0", row.terms(), Optional.empty(), 0);
        assertThat(rig.ownLock(restored)).isEqualTo(locked(tx));
    }

    @Test
    void a_lock_is_metered_by_the_allowance() {
        rig.capPerPayment(Amount.of(40_000_000));
        rig.restart();
        try {
            assertThat(rig.own.obstacle(row(LOCK_BLOCKS))).isNotEmpty();
            assertThatThrownBy(() -> send(row(LOCK_BLOCKS))).isInstanceOf(RuntimeException.class);
        } finally {
            rig.capPerPayment(Amount.MAX);
            rig.restart();
        }
    }
}
