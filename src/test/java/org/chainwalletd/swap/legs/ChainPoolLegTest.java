package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;
import static org.chainwalletd.swap.legs.ChainLegRig.AMOUNT;
import static org.chainwalletd.swap.legs.ChainLegRig.DEPTH;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Traces;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pool's lock of a buy, against a development node over real sockets. */
@Tag("long")
public class ChainPoolLegTest {
    private static final long LONG_ENOUGH = 500;
    private static final int DECOYS = 16;

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
        ours = rig.ours();
        pool = rig.stranger();
        secret = Hash256.sha256(new byte[] {(byte) ++round, 1}).toArray();
        row = rig.buy(ours, secret);
    }

    @AfterEach
    void beHonest() {
        rig.tellTheTruth();
    }

    private HtlcParams params(long blocks) {
        return new HtlcParams(
                pool.key, ours.key, row.terms().hashLock(), rig.chain.tip().height() + blocks);
    }

    private TxOutput output(HtlcParams params) {
        return TxOutput.toScript(HtlcScript.build(params), AMOUNT);
    }

    private Outpoint poolLocks() {
        return rig.lock(pool, params(LONG_ENOUGH), AMOUNT);
    }

    /** A lock of the pool, one block deeper than the gate wants it. */
    private Outpoint deepLock() {
        Outpoint lock = poolLocks();
        rig.mine((int) DEPTH);
        return lock;
    }

    /** Our own lock was settled when the test began. */
    private GateVerdict gate() {
        long now = rig.clock.instant().getEpochSecond();
        GateInputs inputs = new GateInputs(now, false, Optional.empty(), OptionalLong.of(now - 60));
        return rig.pool.gate(row, inputs);
    }

    private String closed() {
        return gate().closed().orElseThrow();
    }

    private PoolLock locked(Outpoint lock) {
        long timeout = HtlcScript.recognise(rig.transaction(lock.txId().toString())
                        .outputs()
                        .get((int) lock.index())
                        .script())
                .orElseThrow()
                .timeoutHeight();
        return new PoolLock.Locked(lock.toString(), OptionalLong.of(timeout));
    }

    private String claim() {
        return claim(row);
    }

    private String claim(SwapRow swap) {
        try (SecretBytes bytes = SecretBytes.copyOf(secret)) {
            return rig.pool.pushClaim(swap, bytes, () -> true);
        }
    }

    @Test
    void the_gate_opens_with_the_block_that_gives_the_depth() {
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Absent());
        assertThat(closed()).contains("no lock of the pool that can be claimed");
        Outpoint lock = poolLocks();
        assertThat(rig.poolLock(row)).isEqualTo(locked(lock));
        rig.mine((int) DEPTH - 2);
        assertThat(closed()).contains("blocks deep");
        rig.mine(1);
        assertThat(gate()).isEqualTo(GateVerdict.OPEN);
    }

    @Test
    void a_lock_whose_block_goes_is_absent_and_the_gate_closes_again() {
        poolLocks();
        rig.mine((int) DEPTH - 1);
        assertThat(gate().isOpen()).isTrue();
        rig.chain.reorganise((int) DEPTH, false, List.of());
        rig.followed();
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Absent());
        assertThat(gate().isOpen()).isFalse();
    }

    @Test
    void the_margin_must_be_left_when_the_secret_leaves() {
        rig.lock(pool, params(2 + DEPTH + 5), AMOUNT);
        rig.mine((int) DEPTH - 1);
        while (gate().isOpen()) {
            rig.mine(1);
        }
        assertThat(closed()).contains("must be left when the secret leaves");
        long timeout = Long.parseLong(closed().replaceAll("\\D*(\\d+) blocks;.*", "$1"));
        assertThat(timeout).isEqualTo(ChainLegRig.limits().margins().blocks() - 1);
    }

    @Test
    void a_lock_that_needs_a_datum_is_none() {
        byte[] datum = {1, 2, 3};
        rig.lock(pool, output(params(LONG_ENOUGH)).withDatumHash(Hash256.sha256(datum)));
        rig.mine((int) DEPTH);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Absent());
        assertThat(closed()).contains("no lock of the pool that can be claimed");
        assertThatThrownBy(this::claim).hasMessageContaining("no lock of the pool");
    }

    @Test
    void a_lock_with_an_inline_datum_is_none_either() {
        rig.lock(pool, output(params(LONG_ENOUGH)).withDatum(Bytes.of(new byte[] {1})));
        rig.mine((int) DEPTH);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Absent());
        assertThat(closed()).contains("no lock of the pool that can be claimed");
    }

    @Test
    void decoys_change_nothing() {
        rig.lock(pool, params(LONG_ENOUGH), AMOUNT.minus(Amount.of(1)));
        rig.lock(pool, new HtlcParams(pool.key, rig.stranger().key, row.terms().hashLock(), 10_000), AMOUNT);
        rig.mine((int) DEPTH);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Absent());
        assertThat(gate().isOpen()).isFalse();
        Outpoint lock = deepLock();
        assertThat(rig.poolLock(row)).isEqualTo(locked(lock));
        assertThat(gate().isOpen()).isTrue();
    }

    @Test
    void locks_that_a_third_party_has_taken_back_hide_no_lock_of_the_pool() {
        Party third = rig.stranger();
        HtlcParams params = new HtlcParams(third.key, ours.key, row.terms().hashLock(), 0);
        rig.chain.faucet(third.address, Amount.of(DECOYS * AMOUNT.bits() + 10_000));
        rig.chain.mine(1);
        Hash256 txId = rig.chain
                .ledger()
                .submit(third.pay(
                        rig.chain.genesisId(),
                        rig.coin(third),
                        Collections.nCopies(DECOYS, output(params)).toArray(TxOutput[]::new)));
        rig.mine(1);
        for (int i = 0; i < DECOYS; i++) {
            rig.chain.ledger().submit(rig.redeemed(new Outpoint(txId, i), third, 1_000, HtlcWitness::reclaim));
        }
        rig.mine(1);

        Outpoint lock = deepLock();

        assertThat(rig.poolLock(row)).isEqualTo(locked(lock));
        assertThat(gate().isOpen()).isTrue();
    }

    @Test
    void a_node_with_another_block_there_closes_the_gate() {
        poolLocks();
        rig.mine((int) DEPTH - 1);
        rig.second.lieAbout("get_block", result -> result.put("hash", "ab".repeat(32)));
        assertThat(closed()).contains("the nodes do not agree");
        rig.second.tellTheTruth();
        rig.second.refuse("get_block", params -> "Storage error");
        assertThat(closed()).contains("the nodes do not agree");
        rig.second.tellTheTruth();
        assertThat(gate().isOpen()).isTrue();
    }

    @Test
    void work_that_was_left_out_is_checked_before_the_gate_opens() {
        poolLocks();
        rig.mine((int) DEPTH - 1);
        rig.forgetWork(rig.chain.tip().height() - DEPTH + 1);
        rig.first.refuse("get_block", params -> "Block not found");
        rig.second.refuse("get_block", params -> "Block not found");
        assertThat(closed()).contains("the work of the blocks");
        beHonest();
        assertThat(gate().isOpen()).isTrue();
    }

    /** Otherwise one lying node could close the gate with an unsigned transaction. */
    @Test
    void what_a_mempool_shows_of_the_lock_counts_only_as_far_as_a_block_could_take_it() {
        Outpoint lock = poolLocks();
        rig.mine((int) DEPTH - 1);
        Transaction early = reclaim(lock);
        done(rig.sightings.seen(ChainLegRig.idOf(early), early));
        assertThat(gate().isOpen()).isTrue();
        seen(lock, new byte[32]);
        assertThat(gate().isOpen()).isTrue();
        assertThat(rig.pool.look(row).secretShown()).isFalse();
        seen(lock, secret);
        assertThat(closed()).contains("spent");
        assertThat(rig.pool.look(row).secretShown()).isTrue();
    }

    private void seen(Outpoint lock, byte[] preimage) {
        Transaction claim = rig.claimed(lock, ours, 0, preimage);
        done(rig.sightings.seen(ChainLegRig.idOf(claim), claim));
    }

    private Transaction reclaim(Outpoint lock) {
        return rig.redeemed(lock, pool, 1_000, HtlcWitness::reclaim);
    }

    @Test
    void a_claim_pays_us_with_the_fee_of_swaps_and_is_final_after_sixty_blocks() {
        Outpoint lock = deepLock();
        String tx = claim();
        assertThat(rig.pool.look(row).secretShown()).isTrue();
        assertThat(claim()).isEqualTo(tx);
        TxOutput paid = rig.transaction(tx).outputs().get(0);
        assertThat(paid.address()).contains(ours.address);
        assertThat(rig.feeOf(tx)).isEqualTo(Amount.of(6_900));
        rig.mine(1);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Claimed(lock.toString(), tx, false));
        rig.mine((int) ChainSide.FINAL_DEPTH - 2);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Claimed(lock.toString(), tx, false));
        rig.mine(1);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.Claimed(lock.toString(), tx, true));
    }

    @Test
    void a_claim_whose_block_goes_is_pushed_again() {
        deepLock();
        String tx = claim();
        rig.mine(1);
        rig.chain.reorganise(1, false, List.of());
        rig.followed();
        assertThat(rig.poolLock(row)).isInstanceOf(PoolLock.Locked.class);
        assertThat(claim()).isEqualTo(tx);
        rig.awaitWaiting(tx);
    }

    @Test
    void a_claim_is_sent_as_the_same_bytes_in_the_next_run() {
        deepLock();
        String tx = claim();
        rig.restart();
        rig.chain.forgetMempool();
        assertThat(claim()).isEqualTo(tx);
        rig.awaitWaiting(tx);
    }

    @Test
    void when_no_node_wants_the_claim_a_version_with_a_higher_fee_follows() {
        deepLock();
        refuseAll();
        assertThatThrownBy(this::claim).isInstanceOf(RuntimeException.class);
        rig.clock.advance(Duration.ofSeconds(29));
        assertThatThrownBy(this::claim).isInstanceOf(RuntimeException.class);
        beHonest();
        rig.clock.advance(Duration.ofSeconds(1));
        rig.restart();
        String second = claim();
        assertThat(rig.feeOf(second)).isEqualTo(Amount.of(13_800));
        assertThat(claim()).isEqualTo(second);
        rig.mine(1);
        assertThat(rig.poolLock(row)).isInstanceOf(PoolLock.Claimed.class);
    }

    /** A claim that a node accepted once stays in flight; a refusal that comes too soon must be ignored. */
    @Test
    void a_claim_that_every_node_has_forgotten_and_none_wants_back_is_replaced() {
        deepLock();
        String tx = claim();
        assertThat(rig.feeOf(tx)).isEqualTo(Amount.of(6_900));
        refuseAll();
        rig.chain.forgetMempool();
        assertThat(claim()).isEqualTo(tx);
        rig.clock.advance(Duration.ofSeconds(30));
        assertThatThrownBy(this::claim).isInstanceOf(RuntimeException.class);
        beHonest();
        String second = claim();
        assertThat(second).isNotEqualTo(tx);
        assertThat(rig.feeOf(second)).isEqualTo(Amount.of(13_800));
        rig.mine(1);
        assertThat(rig.poolLock(row)).isInstanceOf(PoolLock.Claimed.class);
    }

    /** The node withholds the claim from every miner, and the other node refuses it for its fee. */
    @Test
    void a_node_that_pretends_to_have_the_claim_keeps_a_more_expensive_one_back_for_thirty_blocks_at_most() {
        deepLock();
        String tx = claim();
        String cheap = Bytes.wrap(TransactionCodec.encode(rig.transaction(tx))).hex();
        AtomicReference<JsonNode> waiting = new AtomicReference<>();
        rig.first.lieAbout("get_transaction", (params, result) -> {
            if (!params.toString().contains(tx)) {
                return null;
            }
            waiting.compareAndSet(null, result);
            return waiting.get();
        });
        assertThat(claim()).isEqualTo(tx);
        assertThat(waiting.get()).isNotNull();
        rig.second.refuse(
                "send_raw_transaction",
                params -> params.toString().contains(cheap)
                        ? "Mempool rejected transaction: fee density too low for mempool"
                        : null);
        rig.chain.forgetMempool();
        rig.mine(29);
        assertThat(claim()).isEqualTo(tx);
        rig.mine(1);
        String second = claim();
        assertThat(rig.feeOf(second)).isEqualTo(Amount.of(13_800));
        rig.mine(1);
        assertThat(rig.poolLock(row)).isInstanceOf(PoolLock.Claimed.class);
    }

    @Test
    void nodes_that_lag_behind_the_lock_make_its_claim_no_more_expensive() {
        Outpoint lock = deepLock();
        String tx = claim();
        rig.refuse("Mempool rejected transaction: UtxoNotFound(OutPoint { tx_id: Hash256(" + lock.txId()
                + "), output_index: " + lock.index() + " })");
        rig.chain.forgetMempool();
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(claim()).isEqualTo(tx);
        beHonest();
        assertThat(claim()).isEqualTo(tx);
        rig.mine(1);
        assertThat(rig.poolLock(row)).isInstanceOf(PoolLock.Claimed.class);
    }

    /** Such a refusal says nothing about the claim. */
    @Test
    void nodes_that_refuse_without_a_word_make_the_claim_no_more_expensive() {
        deepLock();
        String tx = claim();
        rig.refuse("");
        rig.chain.forgetMempool();
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(claim()).isEqualTo(tx);
        beHonest();
        assertThat(claim()).isEqualTo(tx);
    }

    /** A mempool replaces nothing, so paying more would only raise the fee of what is sent when the rival is gone. */
    @Test
    void a_rival_in_the_mempool_makes_the_claim_no_more_expensive() {
        Outpoint lock = deepLock();
        rig.chain.ledger().submit(rig.claimed(lock, ours, 1_000, secret));
        assertThatThrownBy(this::claim).isInstanceOf(RuntimeException.class);
        for (int i = 0; i < 3; i++) {
            rig.clock.advance(Duration.ofSeconds(31));
            assertThatThrownBy(this::claim).isInstanceOf(RuntimeException.class);
        }
        rig.chain.forgetMempool();
        assertThat(rig.feeOf(claim())).isEqualTo(Amount.of(6_900));
    }

    private void refuseAll() {
        rig.refuse("Mempool rejected transaction: fee density too low for mempool");
    }

    /** A node's report about the lock cannot delay the claim once the secret may be public. */
    @Test
    void a_node_that_shows_a_spend_of_the_lock_does_not_hold_the_claim_back() {
        deepLock();
        rig.first.lieAbout(
                "get_output_spent_by",
                (params, result) -> ((ObjectNode) result)
                        .put("spent", true)
                        .put("spending_tx_id", "cd".repeat(32))
                        .put("input_index", 0)
                        .put("block_height", 3));
        rig.first.refuse("get_block_height", params -> "Storage error");
        String tx = claim();
        assertThat(rig.isWaiting(tx)).isTrue();
    }

    @Test
    void every_lock_that_pays_us_is_claimed() {
        poolLocks();
        rig.lock(pool, params(LONG_ENOUGH - 10), AMOUNT);
        claim();
        rig.mine(1);
        assertThat(rig.chain
                        .ledger()
                        .list(Bytes.wrap(ours.address.toArray()), null, null, 10)
                        .coins())
                .hasSize(2);
    }

    @Test
    void a_first_claim_whose_gate_counts_no_more_is_not_journalled() {
        deepLock();
        SwapRow permitted = row.with(row.acts().permitClaim(), 1);
        AtomicInteger sent = new AtomicInteger();
        for (DistortingNode node : List.of(rig.first, rig.second)) {
            node.refuse("send_raw_transaction", params -> "busy " + sent.incrementAndGet());
        }
        try (SecretBytes bytes = SecretBytes.copyOf(secret)) {
            assertThatThrownBy(() -> rig.pool.pushClaim(permitted, bytes, () -> false))
                    .hasMessageContaining("nothing was broadcast");
        }
        assertThat(rig.pool.look(permitted).secretShown()).isFalse();
        assertThat(sent).hasValue(0);
    }

    /** As when the process dies between the two: the chain has nothing, but the next observation finds the claim. */
    @Test
    void a_claim_that_is_journalled_and_was_never_sent_is_found_by_the_next_look() {
        deepLock();
        SwapRow permitted = row.with(row.acts().permitClaim(), 1);
        refuseAll();
        assertThatThrownBy(() -> claim(permitted)).isInstanceOf(RuntimeException.class);
        assertThat(rig.pool.look(permitted).secretShown()).isTrue();
    }

    @Test
    void a_wrong_secret_leaves_nothing() {
        deepLock();
        assertThatThrownBy(() -> rig.pool.pushClaim(row, SecretBytes.copyOf(new byte[32]), () -> true))
                .hasMessageContaining("does not open its hash lock");
        assertThat(rig.pool.look(row).secretShown()).isFalse();
    }

    @Test
    void the_secret_is_in_no_file_before_it_may_leave() throws IOException {
        deepLock();
        assertThat(gate().isOpen()).isTrue();
        Traces traces = new Traces().bytes("secret", secret);
        assertThat(traces.under(rig.folder())).isEmpty();
        claim();
        assertThat(traces.under(rig.folder())).isNotEmpty();
    }

    @Test
    void a_lock_that_the_pool_took_back_is_final_after_sixty_blocks() {
        Outpoint lock = rig.lock(pool, params(3), AMOUNT);
        rig.mine(3);
        rig.chain.ledger().submit(reclaim(lock));
        rig.mine(1);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.TakenBack(lock.toString(), false));
        rig.mine((int) ChainSide.FINAL_DEPTH - 1);
        assertThat(rig.poolLock(row)).isEqualTo(new PoolLock.TakenBack(lock.toString(), true));
    }

    @Test
    void an_htlc_under_the_hash_lock_speaks_against_our_lock_on_the_other_chain() {
        assertThat(rig.pool.obstacle(row)).isEmpty();
        rig.lock(pool, params(LONG_ENOUGH), Amount.of(300));
        assertThat(rig.pool.obstacle(row).orElseThrow()).contains("there is an HTLC with this hash lock");
    }

    @Test
    void a_quick_pool_that_answers_a_lock_which_is_in_no_block_yet_is_no_obstacle() {
        SwapRow locking = row.with(Acts.NONE.lock(), 1);
        rig.lock(pool, params(LONG_ENOUGH), Amount.of(300));
        assertThat(rig.pool.obstacle(locking).orElseThrow()).contains("there is an HTLC with this hash lock");
        poolLocks();
        assertThat(rig.pool.obstacle(locking)).isEmpty();
        assertThat(rig.pool.obstacle(row.with(Acts.NONE, 2))).isPresent();
    }

    @Test
    void a_lock_of_the_pool_that_is_gone_while_ours_was_claimed_is_gone_for_good_after_sixty_blocks() {
        SwapRow paid = row.seeing(
                new ChainObservation(Optional.of(new OwnLock.Claimed("ours", "tx", true)), Optional.empty(), false), 1);
        PoolLock missed = rig.poolLock(paid);
        assertThat(missed)
                .isEqualTo(new PoolLock.Absent(OptionalLong.of(rig.chain.tip().height()), false));
        paid = paid.seeing(new ChainObservation(Optional.empty(), Optional.of(missed), false), 2);
        rig.mine((int) ChainSide.FINAL_DEPTH - 2);
        assertThat(rig.poolLock(paid).isGone()).isFalse();
        rig.mine(1);
        assertThat(rig.poolLock(paid).isGone()).isTrue();
        Outpoint lock = poolLocks();
        assertThat(rig.poolLock(paid)).isEqualTo(locked(lock));
    }

    @Test
    void a_claim_needs_our_key() {
        SwapRow strange = rig.buy(rig.stranger(), secret);
        assertThat(rig.pool.obstacle(strange).orElseThrow()).contains("not in the keyring");
    }
}
