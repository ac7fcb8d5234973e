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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.swap.engine.SwapBook;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.SignedTransaction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pool's lock in the contract and our claim: the secret is revealed only in a claim, once the gate is open, and pays us once. */
@Tag("long")
public class EvmPoolLegTest {
    @TempDir
    Path folder;

    @AutoClose
    private EvmLegRig rig;

    private final List<SwapAlarm> alarms = new CopyOnWriteArrayList<>();
    private EvmPoolLeg leg;
    private SwapRow row;

    @BeforeEach
    void start() {
        rig = new EvmLegRig(folder);
        leg = rig.poolLeg();
        row = rig.locking(rig.sell());
    }

    private PoolLeg.View look() {
        return leg.look(row);
    }

    private GateVerdict gate() {
        return leg.gate(row, rig.inputs());
    }

    private boolean opens() {
        try {
            return gate().isOpen();
        } catch (AccountException e) {
            return false;
        }
    }

    private String claim() {
        return leg.pushClaim(row, rig.held(), () -> true);
    }

    private void lockedAndSettled() {
        rig.lockOfThePool();
        rig.settle();
    }

    private PoolLock locked() {
        return new PoolLock.Locked(
                rig.hashLock.hex(), OptionalLong.of(rig.chain.swap(rig.hashLock).deadline()));
    }

    private static String reason(GateVerdict verdict) {
        return verdict.closed().orElse("open");
    }

    @Test
    void the_gate_opens_for_a_settled_lock_and_the_claim_pays_us_once_however_often_it_is_asked_for() {
        assertThat(look()).isEqualTo(new PoolLeg.View(new PoolLock.Absent(), false));
        rig.lockOfThePool();
        rig.chain.mine();
        assertThat(look().lock()).isEqualTo(locked());
        assertThat(gate().isOpen()).isFalse();
        rig.settle();
        assertThat(reason(gate())).isEqualTo("open");
        BigInteger before = rig.chain.balance(rig.own());

        String tx = claim();

        assertThat(claim()).isEqualTo(tx);
        assertThat(look()).isEqualTo(new PoolLeg.View(locked(), true));
        rig.chain.mine();
        assertThat(look().lock()).isEqualTo(new PoolLock.Claimed(rig.hashLock.hex(), tx, false));
        rig.settle();
        assertThat(look().lock()).isEqualTo(new PoolLock.Claimed(rig.hashLock.hex(), tx, true));
        assertThat(rig.chain.nonce(rig.own())).isEqualTo(1);
        assertThat(rig.chain.balance(rig.own())).isGreaterThan(before);
    }

    @Test
    void the_secret_reaches_an_endpoint_in_a_signed_claim_and_in_no_other_call() {
        lockedAndSettled();
        gate();
        claim();
        rig.chain.clock().advance(AccountRig.PACE.urgent());
        rig.rig.await("swap/a-sell/claim", SendState.Sent.class);
        Await.until("it was raised", () -> hashes() == 2);

        String secret = Bytes.wrap(rig.secret()).hex();
        assertThat(rig.calls())
                .filteredOn(call -> call.params().toString().contains(secret))
                .extracting(EvmEndpoint.Call::method)
                .containsOnly("eth_sendRawTransaction");
        assertThat(rig.calls()).extracting(EvmEndpoint.Call::method).doesNotContain("eth_estimateGas");
    }

    private int hashes() {
        return done(rig.rig.sends.find("swap/a-sell/claim"))
                .orElseThrow()
                .hashes()
                .size();
    }

    @Test
    void a_death_at_any_write_of_the_journal_makes_no_second_claim() throws Exception {
        EvmLegRig.diesAtEachWrite(
                folder,
                crashing -> {
                    SwapRow selling = crashing.locking(crashing.sell());
                    crashing.lockOfThePool();
                    crashing.settle();
                    return selling;
                },
                EvmPoolLegTest::claim,
                EvmPoolLegTest::assertClaimsOnce);
    }

    private static String claim(EvmLegRig by, SwapRow row) {
        return by.poolLeg().pushClaim(row, by.held(), () -> true);
    }

    private static void assertClaimsOnce(EvmLegRig crashed, SwapRow row) {
        claim(crashed, row);

        Await.until("it is mined", () -> {
            crashed.chain.mine();
            return crashed.chain.nonce(crashed.own()) == 1;
        });
        crashed.settle();
        assertThat(crashed.poolLeg().look(row).lock()).isInstanceOf(PoolLock.Claimed.class);
        assertThat(done(crashed.rig.sends.ofOwner(row.id()))).hasSize(1);
    }

    @Test
    void a_first_claim_whose_gate_counts_no_more_is_not_journalled() {
        lockedAndSettled();
        assertThatThrownBy(() -> leg.pushClaim(row, rig.held(), () -> false)).hasMessageContaining("nothing was sent");
        assertThat(done(rig.rig.sends.ofOwner(row.id()))).isEmpty();
        assertThat(look().secretShown()).isFalse();
        assertThat(rig.calls()).extracting(EvmEndpoint.Call::method).doesNotContain("eth_sendRawTransaction");
        claim();
        rig.chain.mine();
        assertThat(rig.chain.nonce(rig.own())).as("no nonce was used up").isEqualTo(1);
    }

    @Test
    void a_strangers_claim_with_our_secret_counts_as_ours_although_our_own_fails() {
        lockedAndSettled();
        claim();
        Hash256 ours = rig.chain.waiting().get(0).hash();
        Hash256 strangers = rig.chain.account(5).claim(rig.secret());
        rig.chain.mineWithout(ours);

        assertThat(look().lock()).isEqualTo(new PoolLock.Claimed(rig.hashLock.hex(), "0x" + strangers.hex(), false));
        rig.settle();
        rig.rig.await("swap/a-sell/claim", SendState.Reverted.class);
        assertThat(look().lock())
                .isInstanceOfSatisfying(
                        PoolLock.Claimed.class,
                        claimed -> assertThat(claimed.isFinal()).isTrue());
    }

    @Test
    void a_claim_that_failed_for_good_while_the_lock_stands_is_made_again() {
        claim();
        rig.settle();
        rig.rig.await("swap/a-sell/claim", SendState.Reverted.class);
        lockedAndSettled();

        claim();

        Await.until("it waits", () -> !rig.chain.waiting().isEmpty());
        rig.chain.mine();
        assertThat(look().lock()).isInstanceOf(PoolLock.Claimed.class);
        assertThat(done(rig.rig.sends.find("swap/a-sell/claim/2"))).isPresent();
    }

    @Test
    void a_reorganisation_takes_the_claim_back_and_the_lock_is_claimable_again() {
        lockedAndSettled();
        Hash256 hash = Hash256.parse(claim().substring(2));
        rig.chain.mine();
        rig.rig.await("swap/a-sell/claim", SendState.Mined.class);
        rig.chain.reorganiseWithout(1, 2, hash);

        Await.until(
                "it waits again",
                () -> rig.chain.waiting().stream().map(SignedTransaction::hash).anyMatch(hash::equals));
        assertThat(look()).isEqualTo(new PoolLeg.View(locked(), true));
        rig.settle();
        assertThat(look().lock()).isEqualTo(new PoolLock.Claimed(rig.hashLock.hex(), "0x" + hash.hex(), true));
    }

    @Test
    void the_gate_waits_for_what_has_a_lower_nonce() {
        lockedAndSettled();
        rig.rig.send("payment", 7);

        assertThat(reason(gate())).contains("earlier transaction");
        rig.settle();
        rig.rig.await("payment", SendState.Final.class);
        assertThat(reason(gate())).isEqualTo("open");
    }

    @Test
    void a_lock_that_its_owner_has_not_got_through_gives_way_to_a_claim() {
        // It would accept the lock at any time after the first one's answer, which is the only one waited for.
        rig.rig.second.refuse("eth_sendRawTransaction", -32000, "txpool is full");
        done(rig.rig.sends.send(rig.rig.lock("swap/another/lock")));
        rig.chain.forgetAll();
        lockedAndSettled();
        assertThat(reason(gate())).contains("earlier transaction");
        assertThat(rig.rig.find("swap/another/lock").hashes()).hasSize(1);
        rig.chain.clock().advance(AccountRig.PACE.stuck());
        rig.chain.mine();

        assertThat(reason(gate())).contains("earlier transaction");
        Await.until(
                "its nonce is being spent",
                () -> rig.rig.find("swap/another/lock").state() instanceof SendState.Cancelling
                        && !rig.chain.waiting().isEmpty());
        rig.settle();
        rig.rig.await("swap/another/lock", SendState.Cancelled.class);
        assertThat(reason(gate())).isEqualTo("open");
    }

    @Test
    void the_gate_stays_closed_while_a_claim_could_not_be_paid() {
        lockedAndSettled();
        BigInteger needed = rig.rig.sends.funds(rig.own()).perTransaction();
        rig.balance(needed.subtract(BigInteger.ONE));

        assertThat(reason(gate())).contains("for gas");
    }

    @Test
    void the_gate_stays_closed_while_nothing_may_be_sent_because_another_party_has_the_key() {
        lockedAndSettled();
        rig.rig.send("payment", 7);
        rig.settle();
        rig.rig.await("payment", SendState.Final.class);
        rig.chain
                .wallet(SecretBytes.takeOver(Bytes.parse("11".repeat(32)).toArray()))
                .pay(rig.pool.address(), BigInteger.ONE);
        rig.chain.mine();

        assertThat(reason(gate())).contains("has stopped");
    }

    @Test
    void no_single_endpoint_opens_the_gate() {
        lockedAndSettled();
        SwapContract.Swap less = Copies.with(rig.chain.swap(rig.hashLock), "amount", BigInteger.ONE);
        rig.rig.second.lies().swap(rig.hashLock, less);
        assertThat(gate().isOpen()).isFalse();
        rig.rig.second.behave();
        rig.rig.second.lies().time(-500);
        assertThat(opens()).isFalse();
        rig.rig.second.behave();
        rig.rig.second.down();
        assertThat(opens()).isFalse();
        rig.rig.second.up();
        assertThat(reason(gate())).isEqualTo("open");
    }

    @Test
    void other_code_than_the_pinned_one_closes_the_gate() {
        lockedAndSettled();

        assertThat(reason(rig.poolLeg(Hash256.ZERO).gate(row, rig.inputs()))).contains("code");
    }

    @Test
    void the_margin_is_judged_by_the_later_of_both_clocks() {
        lockedAndSettled();
        rig.chain.clock().advance(Duration.ofSeconds(10_000 - Sample.MARGINS.secs()));
        rig.chain.mine();
        assertThat(reason(gate())).isEqualTo("open");
        rig.chain.clock().advance(Duration.ofSeconds(1));

        assertThat(reason(gate())).contains("can take its lock back");
    }

    @Test
    void whatever_stands_under_our_hash_lock_before_our_own_lock_has_left_is_an_obstacle() {
        assertThat(leg.obstacle(rig.sell())).isEmpty();
        rig.lockOfThePool();
        rig.chain.mine();

        assertThat(leg.obstacle(rig.sell())).get().asString().contains("slot taken");
    }

    /** The pool has seen our lock in a mempool, and its own lock pays us. */
    @Test
    void a_quick_pool_that_answers_a_lock_which_is_in_no_block_yet_is_no_obstacle() {
        rig.lockOfThePool();
        rig.chain.mine();
        assertThat(leg.obstacle(row)).isEmpty();
        SwapContract.Swap real = rig.chain.swap(rig.hashLock);
        SwapContract.Swap less = Copies.with(real, "amount", real.amount().subtract(BigInteger.ONE));
        rig.rig.first.lies().swap(rig.hashLock, less);
        rig.rig.second.lies().swap(rig.hashLock, less);
        assertThat(leg.obstacle(row)).get().asString().contains("slot taken");
    }

    @Test
    void a_sell_needs_the_gas_reserve_of_its_own() {
        BigInteger reserve = rig.rig.sends.funds(rig.own()).reservePerSwap();
        for (BigInteger balance : List.of(reserve, reserve.subtract(BigInteger.ONE))) {
            rig.balance(balance);

            assertThat(leg.obstacle(rig.sell()).isEmpty()).isEqualTo(balance.equals(reserve));
        }
    }

    @Test
    void of_two_sells_at_the_same_moment_the_second_does_not_take_the_gas_of_the_first() {
        BigInteger reserve = rig.rig.sends.funds(rig.own()).reservePerSwap();
        SwapBook book = new SwapBook();
        rig.rig.sends.reserveFor(book);
        SwapRow first = rig.sell();
        SwapRow second = other("b-sell");
        book.enter(first);
        book.enter(second);
        book.executing(first);
        book.executing(second);
        rig.balance(reserve);

        assertThat(leg.obstacle(second)).get().asString().contains("settled wei to spare");
        assertThat(leg.obstacle(first)).isEmpty();
        book.executed(first);
        assertThat(leg.obstacle(second)).isEmpty();
    }

    /** A pool can lock both at once, when fees have risen so that the balance pays for only one claim. */
    @Test
    void two_secrets_do_not_leave_for_one_claim_that_can_be_paid() {
        lockedAndSettled();
        BigInteger one = rig.rig.sends.funds(rig.own()).perTransaction();
        SwapBook book = new SwapBook();
        rig.rig.sends.reserveFor(book);
        SwapRow first = other("a-first").with(Acts.NONE.lock(), rig.now());
        book.enter(row);
        book.enter(first);
        rig.balance(one.multiply(BigInteger.TWO).subtract(BigInteger.ONE));
        assertThat(gate().isOpen()).isTrue();

        SwapRow possible = first.seeing(
                new ChainObservation(
                        Optional.of(new OwnLock.Locked("lock:0", OptionalLong.of(rig.now()))),
                        Optional.of(new PoolLock.Locked("slot", OptionalLong.empty())),
                        false),
                rig.now());
        book.enter(possible);
        assertThat(reason(gate())).contains("a claim needs");
        rig.balance(one.multiply(BigInteger.TWO));
        assertThat(gate().isOpen()).isTrue();
        rig.balance(one);
        book.enter(possible.with(Acts.NONE.lock().journalClaim().claimedBy("0x01"), rig.now()));
        assertThat(gate().isOpen()).isTrue();
    }

    @Test
    void a_claim_without_gas_goes_to_the_pool_while_an_endpoint_hangs_with_all_of_its_ordinary_threads_taken() {
        lockedAndSettled();
        rig.balance(BigInteger.ONE);
        Pool pool = Stub.of(Pool.class, call -> {
            assertThat(call.name()).isEqualTo("relayClaim");
            return CompletableFuture.completedFuture(rig.hashLock);
        });
        EvmPoolLeg relaying = relaying(pool);
        SwapRow journalled = row.with(row.acts().journalClaim(), rig.now());
        List<CompletableFuture<?>> hanging = rig.rig.saturate(rig.rig.first);

        assertThat(relaying.pushClaim(journalled, rig.held(), () -> true)).isEqualTo("0x" + rig.hashLock.hex());

        assertThat(hanging).noneMatch(CompletableFuture::isDone);
        rig.rig.first.behave();
    }

    @Test
    void a_daemon_that_was_declared_off_shows_no_secret_to_the_pool() {
        lockedAndSettled();
        rig.balance(BigInteger.ONE);
        Pool pool = Stub.of(Pool.class, call -> {
            throw new AssertionError(call.name());
        });
        EvmPoolLeg relaying = relaying(pool);
        rig.rig.permission = () -> CompletableFuture.failedFuture(StoreException.stopped("it was declared off"));
        SwapRow journalled = row.with(row.acts().journalClaim(), rig.now());

        assertThatThrownBy(() -> relaying.pushClaim(journalled, rig.held(), () -> true))
                .hasMessageContaining("declared off");
    }

    @Test
    void a_pool_that_names_another_transaction_in_each_round_does_not_put_off_the_alarm() {
        lockedAndSettled();
        rig.balance(BigInteger.ONE);
        AtomicInteger answers = new AtomicInteger();
        EvmPoolLeg relaying = relaying(Stub.of(
                Pool.class,
                call -> CompletableFuture.completedFuture(
                        Hash256.sha256(new byte[] {(byte) answers.incrementAndGet()}))));
        SwapRow asked = row.with(row.acts().journalClaim(), rig.now());
        String first = "0x" + Hash256.sha256(new byte[] {1}).hex();

        for (int seconds = 0; seconds <= 125; seconds += 5) {
            assertThat(alarms).as("after " + seconds + " s").hasSize(seconds > 120 ? 1 : 0);
            Acts named = asked.acts().claimedBy(relaying.pushClaim(asked, rig.held(), () -> true));
            asked = named.equals(asked.acts()) ? asked : asked.with(named, rig.now());
            rig.chain.clock().advance(Duration.ofSeconds(5));
        }

        assertThat(asked.acts().claimTx()).contains(first);
        assertThat(alarms).extracting(SwapAlarm::kind).containsOnly(SwapAlarm.Kind.RELAY_SILENT);
    }

    @Test
    void a_pool_that_repeats_the_secret_as_the_id_of_its_transaction_is_not_believed() {
        lockedAndSettled();
        rig.balance(BigInteger.ONE);
        Hash256 secret = rig.held().use(Hash256::of);
        EvmPoolLeg relaying = relaying(Stub.of(Pool.class, call -> CompletableFuture.completedFuture(secret)));
        SwapRow journalled = row.with(row.acts().journalClaim(), rig.now());

        assertThatThrownBy(() -> relaying.pushClaim(journalled, rig.held(), () -> true))
                .isInstanceOf(Pool.PoolException.BadAnswer.class)
                .hasMessageNotContaining(secret.hex());
    }

    private EvmPoolLeg relaying(Pool pool) {
        return new EvmPoolLeg(
                rig.rig.endpoints,
                rig.rig.sends,
                rig.limits(rig.chain.codeHash()),
                Optional.of(new EvmPoolLeg.Relay(pool, rig.chain.clock(), alarms::add)));
    }

    private SwapRow other(String id) {
        return SwapRow.quoted(id, "pool-" + id, "run", row.terms(), Optional.empty(), rig.now());
    }

    @Test
    void a_lock_that_pays_less_or_pays_another_party_is_foreign() {
        rig.pool.lock(rig.hashLock, rig.own(), rig.deadline, EvmLegRig.WEI.subtract(BigInteger.ONE));
        rig.chain.mine();

        assertThat(look().lock()).isEqualTo(new PoolLock.Foreign());
    }

    @Test
    void a_claim_is_sent_with_what_the_claimed_value_allows_when_fees_are_high() {
        BigInteger perGas = EvmLegRig.WEI.divide(BigInteger.valueOf(SwapSends.GAS));
        rig.lockOfThePool();
        rig.settle();
        rig.chain.baseFee(perGas.multiply(BigInteger.valueOf(2)).divide(BigInteger.valueOf(3)));
        rig.chain.mine();

        claim();

        assertThat(done(rig.rig.sends.find("swap/a-sell/claim")).orElseThrow().maxFee())
                .isEqualTo(perGas);
        rig.chain.mine();
        assertThat(look().lock()).isInstanceOf(PoolLock.Claimed.class);
    }

    @Test
    void a_lock_that_the_pool_took_back_is_told_so() {
        lockedAndSettled();
        rig.chain.nextTime(rig.deadline);
        rig.chain.mine();
        rig.pool.refund(rig.hashLock);
        rig.chain.mine();

        assertThat(look().lock()).isEqualTo(new PoolLock.TakenBack(rig.hashLock.hex(), false));
        rig.settle();
        assertThat(look().lock()).isEqualTo(new PoolLock.TakenBack(rig.hashLock.hex(), true));
    }
}
