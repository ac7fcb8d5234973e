package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.SpendEnvironment.SteadyClock;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.ReturnPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

class AllowanceTest extends SpendCase {
    AllowanceTest() {
        super(100_000, 100_000, 100_000, 100_000);
    }

    @Override
    void prepare() {
        spends.limits = new AllowanceStore.Limits(
                Optional.of(Amount.of(10_000)), Optional.of(Amount.of(20_000)), Duration.ofHours(1));
    }

    @Test
    void one_payment_above_its_cap_is_refused_with_the_numbers() {
        assertThat(refusal(SpendRefusal.AllowanceExceeded.class, transfer(10_001)))
                .isEqualTo(new SpendRefusal.AllowanceExceeded(new Opening.CapExceeded(
                        "per_tx", Amount.of(10_000), Amount.ZERO, Amount.of(10_001), Amount.of(10_000), 3600)));
        assertThat(spends.node.calls()).isEmpty();
    }

    @Test
    void the_fee_counts_and_cannot_be_used_to_get_around_the_cap() {
        TransferRequest burning = new TransferRequest(
                payer,
                List.of(new Payment(payer, Amount.of(200))),
                new FeeChoice.Fixed(Amount.of(90_000)),
                Amount.of(90_000),
                Optional.empty(),
                Optional.empty());

        refusal(SpendRefusal.AllowanceExceeded.class, spends.spending.transfer(burning));
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(10_000));
        assertThat(spends.spending.inFlightUtxos()).isZero();
    }

    @Test
    void what_the_daemon_pays_above_the_minimum_for_taking_back_its_own_coin_counts_and_is_never_refused() {
        pay(9_000);
        pay(9_000);
        long used = 2 * 9_069;

        get(spends.spending.spend(takingBack(50_000, "token-back")));

        long above = 50_000 - ReturnPlan.minimumFee().bits();
        assertThat(spent()).isEqualTo(Amount.of(used + above));
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(1_000));
        spends.restart();
        assertThat(spent()).isEqualTo(Amount.of(used + above));
    }

    @Test
    void what_takes_back_a_coin_of_the_daemon_is_sent_again_although_the_cap_is_used_up() {
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        ReturnPlan plan = takingBack(50_000, "token-back");
        refusal(SpendRefusal.UpstreamFailed.class, spends.spending.spend(plan));
        spends.node.refuseSends(null);

        Receipt sent = get(spends.spending.spend(plan));

        assertThat(sent.fee()).isEqualTo(Amount.of(50_000));
        long above = 50_000 - ReturnPlan.minimumFee().bits();
        assertThat(spent()).isEqualTo(Amount.of(above));
    }

    /** Like a swap that spends the coin of an unwanted lock. */
    private ReturnPlan takingBack(long fee, String token) {
        Address owner = spends.funded(2, 100_000);
        NodeClient.Utxo coin = spends.coins(owner).get(0);
        return new ReturnPlan(
                "swap_instead_of_lock",
                owner,
                new Coin(coin.outpoint(), coin.value()),
                Amount.of(fee),
                coin.height(),
                Optional.of(new TokenBinding(token, Hash256.sha256(new byte[] {1}))));
    }

    @Test
    void a_clock_that_was_a_year_ahead_erases_nothing_when_it_is_right_again() {
        pay(9_000);
        pay(9_000);
        spends.confirmAll();
        spends.clock.advance(Duration.ofDays(400));
        assertThat(spent()).isEqualTo(Amount.ZERO);
        spends.restart();
        get(spends.store
                .allowance()
                .forgetUses(spends.limits.rememberedSince(spends.clock.millis()), spends.limits.minutesKept()));

        spends.clock.advance(Duration.ofDays(400).negated());

        refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000));
        spends.restart();
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000));
    }

    @Test
    void calls_at_once_reach_the_cap_exactly_and_never_pass_it() {
        // None is opened before all are built: otherwise the last may be refused before its fee is known.
        AtomicInteger built = new AtomicInteger();
        CompletableFuture<Void> all = new CompletableFuture<>();
        spends.before = store -> Stub.of(IntentStore.class, call -> {
            if (!call.name().equals("open")) {
                return call.on(store);
            }
            if (built.incrementAndGet() == 3) {
                all.complete(null);
            }
            return all.thenComposeAsync(nothing -> call.stage(store), Runnable::run);
        });
        spends.restart();
        List<CompletionStage<Receipt>> calls = List.of(transfer(9_931), transfer(9_931), transfer(9_931));

        List<Object> refused = new ArrayList<>();
        for (CompletionStage<Receipt> call : calls) {
            call.toCompletableFuture().handle((paid, failure) -> failure).thenAccept(failure -> {
                if (failure != null) {
                    synchronized (refused) {
                        refused.add(Causes.of(failure));
                    }
                }
            });
            Await.until("it is answered", () -> call.toCompletableFuture().isDone());
        }

        assertThat(refused)
                .singleElement()
                .isInstanceOfSatisfying(
                        SpendException.class,
                        failure -> assertThat(failure.refusal())
                                .isEqualTo(new SpendRefusal.AllowanceExceeded(new Opening.CapExceeded(
                                        "per_period",
                                        Amount.of(20_000),
                                        Amount.of(20_000),
                                        Amount.of(10_000),
                                        Amount.ZERO,
                                        3600))));
        assertThat(status().remaining()).contains(Amount.ZERO);
        assertPaid(2);
    }

    @Test
    void a_payment_that_the_daemon_dies_with_before_it_is_sent_counts_and_is_sent_by_the_next() {
        CompletableFuture<Object> never = new CompletableFuture<>();
        CountDownLatch written = new CountDownLatch(1);
        spends.before = store -> answering("open", store, opening -> {
            get(opening);
            written.countDown();
            return never;
        });
        spends.restart();
        spends.before = UnaryOperator.identity();
        transfer(9_000, "token-dies");
        Await.until("it is written", () -> written.getCount() == 0);
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");

        spends.restart();

        assertThat(spent()).isEqualTo(Amount.of(9_069));
        pay(9_000, "token-dies");
        assertThat(spent()).isEqualTo(Amount.of(9_069));
        assertPaid(1);
    }

    private static IntentStore answering(
            String name, IntentStore store, UnaryOperator<CompletionStage<Object>> answer) {
        return Stub.of(IntentStore.class, call -> {
            return call.name().equals(name) ? answer.apply(call.stage(store)) : call.on(store);
        });
    }

    @Test
    void the_period_slides_and_survives_a_restart() {
        pay(9_000);
        spends.clock.advance(Duration.ofMinutes(30));
        pay(9_000);
        spends.restart();

        Opening.CapExceeded refused =
                refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000)).cap();
        assertThat(refused.scope()).isEqualTo("per_period");
        assertThat(refused.spent()).isEqualTo(Amount.of(2 * 9_069));
        assertThat(refused.remaining()).isEqualTo(Amount.of(20_000 - 2 * 9_069));
        assertThat(get(spends.spending.allowanceStatus()).remaining()).contains(refused.remaining());

        spends.clock.advance(Duration.ofMinutes(31));
        pay(5_000);
        assertThat(spent()).isEqualTo(Amount.of(9_069 + 5_069));
    }

    @Test
    void what_a_node_refused_stays_spent_because_it_has_seen_the_bytes() {
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");

        refusal(SpendRefusal.UpstreamFailed.class, transfer(9_000));

        assertSpentForGood(Amount.of(9_069));
    }

    @Test
    void what_a_node_refused_and_its_token_sends_again_counts_once() {
        refusedByNode(9_000, "token-once");

        pay(9_000, "token-once");

        assertSpentForGood(Amount.of(9_069));
    }

    @Test
    void what_was_refused_without_being_sent_is_given_back() {
        onSend(LedgerNode.Fault.FORESEEN);

        refusal(SpendRefusal.UpstreamFailed.class, transfer(9_000));

        assertSpentForGood(Amount.ZERO);
    }

    @Test
    void what_one_node_was_not_shown_and_another_one_refused_stays_spent() {
        onSend(LedgerNode.Fault.FORESEEN);
        LedgerNode other = new LedgerNode(spends.devnet.ledger(), spends.executor);
        AtomicInteger shown = new AtomicInteger();
        other.onSend(tx -> shown.incrementAndGet());
        other.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        spends.node.among(spends.node, other);

        refusal(SpendRefusal.UpstreamFailed.class, transfer(9_000));

        assertThat(shown).hasValue(1);
        assertSpentForGood(Amount.of(9_069));
    }

    @Test
    void what_may_have_been_sent_stays_spent_even_when_it_is_abandoned() {
        Receipt receipt = pay(9_000);
        spends.lose();

        get(spends.spending.abandon(List.of(receipt.inputs().get(0).outpoint())));

        assertThat(spent()).isEqualTo(Amount.of(9_069));
    }

    @Test
    void a_simulation_says_no_like_the_transfer_and_uses_nothing_up() {
        refusal(SpendRefusal.AllowanceExceeded.class, spends.spending.simulate(request(payer, shop, 10_001)));
        get(spends.spending.simulate(request(payer, shop, 9_000)));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void an_abandoned_spend_that_its_token_sends_again_counts_once() {
        Receipt receipt = pay(9_900, "token-again");
        pay(500);
        spends.lose();
        get(spends.spending.abandon(List.of(receipt.inputs().get(0).outpoint())));
        spends.node.faults(method -> LedgerNode.Fault.NONE);

        pay(9_900, "token-again");

        assertThat(spent()).isEqualTo(Amount.of(9_969 + 569));
        spends.clock.advance(Duration.ofMinutes(61));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void a_clock_that_was_ahead_and_is_set_back_delays_the_period_only_once() {
        spends.clock.advance(Duration.ofDays(365));
        pay(9_000);
        spends.clock.advance(Duration.ofDays(-365));
        assertThat(spent()).isEqualTo(Amount.of(9_069));

        spends.clock.advance(Duration.ofMinutes(61));

        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void what_left_the_period_of_a_clock_that_was_ahead_counts_again_when_it_is_right() {
        pay(9_000);
        pay(9_000);
        spends.clock.advance(Duration.ofDays(3));
        assertThat(spent()).isEqualTo(Amount.ZERO);

        spends.clock.advance(Duration.ofDays(-3));

        assertThat(spent()).isEqualTo(Amount.of(2 * 9_069));
        spends.clock.advance(Duration.ofMinutes(61));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void what_was_spent_before_a_start_with_a_clock_that_is_ahead_counts_again_when_it_is_right() {
        pay(9_000);
        spends.confirmAll();
        spends.clock.advance(Duration.ofDays(3));
        spends.restart();
        pay(8_000);

        spends.clock.advance(Duration.ofDays(-3));

        assertThat(spent()).isEqualTo(Amount.of(9_069 + 8_069));
    }

    /** Advances the clock by two days directly before the first such call of the store is written. */
    private IntentStore jumpingBefore(String name, IntentStore store) {
        AtomicBoolean jumped = new AtomicBoolean();
        return Stub.of(IntentStore.class, call -> {
            if (call.name().equals(name) && jumped.compareAndSet(false, true)) {
                spends.clock.advance(Duration.ofDays(2));
            }
            return call.on(store);
        });
    }

    private void restartJumpingBefore(String name) {
        spends.before = store -> jumpingBefore(name, store);
        spends.restart();
        spends.before = UnaryOperator.identity();
    }

    @Test
    void what_was_granted_before_the_clock_jumped_and_leaves_afterwards_counts_since_it_leaves() {
        restartJumpingBefore("open");
        pay(9_000);

        assertSpentForGood(Amount.of(9_069));
        spends.clock.advance(Duration.ofMinutes(61));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void what_its_token_sends_again_while_the_clock_jumps_counts_since_it_leaves() {
        restartJumpingBefore("reopen");
        refusedByNode(9_000, "token-once");
        pay(9_000, "token-once");

        assertSpentForGood(Amount.of(9_069));
    }

    /** Asserts the spent amount, also after a restart. */
    private void assertSpentForGood(Amount amount) {
        assertThat(spent()).isEqualTo(amount);
        spends.restart();
        assertThat(spent()).isEqualTo(amount);
    }

    private AllowanceStore.Status status() {
        return get(spends.spending.allowanceStatus());
    }

    private void restartWith(OptionalLong chainTime, Duration clockMovedBy) {
        spends.crash();
        spends.chainTime = () -> chainTime;
        spends.clock.advance(clockMovedBy);
        spends.start();
        // Asked for before the clock advances, since this starts the period.
        status();
    }

    private void chainIsAt(long begun, Duration later) {
        spends.chainTime = () -> OptionalLong.of(begun + later.toMillis());
    }

    @Test
    void a_jump_ahead_of_a_running_daemons_clock_gives_no_new_period_and_erases_none() {
        spends.crash();
        AtomicLong nanos = new AtomicLong(-5);
        spends.chainTime = OptionalLong::empty;
        spends.seen = new SteadyClock(spends.clock, nanos::get, OptionalLong::empty);
        spends.start();
        pay(9_000);
        pay(9_000);

        spends.clock.advance(Duration.ofDays(2));
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000));
        spends.clock.advance(Duration.ofDays(-2));
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000));

        spends.clock.advance(Duration.ofMinutes(62));
        nanos.addAndGet(Duration.ofMinutes(62).toNanos());
        pay(5_000);
    }

    /** If the clock were trusted, an attacker with a stolen token and a wrong time server would get the full cap at each start. */
    @Test
    void a_clock_that_is_ahead_at_a_start_ends_no_period_before_the_chain_has_come_as_far() {
        pay(9_000);
        spends.confirmAll();
        pay(9_000);
        Amount used = Amount.of(2 * 9_069);
        long begun = spends.clock.millis();

        for (OptionalLong chain : List.of(OptionalLong.of(begun), OptionalLong.empty(), OptionalLong.of(begun))) {
            restartWith(chain, Duration.ofDays(40));
            assertThat(spent()).isEqualTo(used);
            refusal(SpendRefusal.AllowanceExceeded.class, transfer(5_000));
        }
        chainIsAt(begun, Duration.ofMinutes(59));
        assertThat(spent()).isEqualTo(used);
        chainIsAt(begun, Duration.ofMinutes(62));

        pay(5_000);
        assertThat(spent()).isEqualTo(Amount.of(5_069));
    }

    @Test
    void a_chain_that_is_ahead_of_the_clock_ends_no_period_either() {
        pay(9_000);
        long begun = spends.clock.millis();

        for (long ahead : new long[] {begun + Duration.ofDays(7).toMillis(), Long.MAX_VALUE}) {
            restartWith(OptionalLong.of(ahead), Duration.ofMinutes(29));
            assertThat(spent()).isEqualTo(Amount.of(9_069));
        }
        spends.clock.advance(Duration.ofMinutes(4));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void a_chain_that_stalls_keeps_no_period_open_longer_than_the_daemon_has_run_for_one() {
        pay(9_000);
        spends.confirmAll();
        OptionalLong standing = OptionalLong.of(spends.clock.millis());
        restartWith(standing, Duration.ofDays(40));
        spends.clock.advance(Duration.ofMinutes(10));
        pay(2_000);

        spends.clock.advance(Duration.ofMinutes(49));
        assertThat(spent()).isEqualTo(Amount.of(9_069 + 2_069));
        spends.clock.advance(Duration.ofMinutes(2));
        assertThat(spent()).isEqualTo(Amount.of(2_069));
        spends.clock.advance(Duration.ofMinutes(10));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void a_clock_that_was_ahead_at_a_start_and_is_set_right_meanwhile_ends_no_period_either() {
        pay(9_000);
        spends.confirmAll();
        long begun = spends.clock.millis();
        restartWith(OptionalLong.of(begun), Duration.ofDays(40));
        pay(2_000);

        spends.clock.advance(Duration.ofDays(-40));
        assertThat(spent()).isEqualTo(Amount.of(9_069 + 2_069));
        spends.clock.advance(Duration.ofMinutes(62));
        chainIsAt(begun, Duration.ofMinutes(59));
        assertThat(spent()).as("it has run for a period").isEqualTo(Amount.ZERO);
    }

    @Test
    void what_is_used_while_the_clock_is_behind_counts_since_the_newest_block() {
        OptionalLong chain = OptionalLong.of(spends.clock.millis());
        restartWith(chain, Duration.ofDays(-400));
        pay(9_000, "token-behind");
        refusedByNode(2_000, "token-again");
        pay(2_000, "token-again");
        Amount used = Amount.of(9_069 + 2_069);
        assertThat(spent()).isEqualTo(used);

        spends.clock.advance(Duration.ofDays(400));

        assertThat(spent()).as("the clock is set right").isEqualTo(used);
        refusal(SpendRefusal.AllowanceExceeded.class, transfer(9_000));
        spends.restart();
        assertThat(spent()).as("it was behind before the start").isEqualTo(used);
        spends.clock.advance(Duration.ofMinutes(62));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    /** As on a machine that sets its clock some moments after starting the daemon. */
    @Test
    void a_clock_that_is_behind_at_a_start_and_set_right_afterwards_ends_no_period() {
        pay(9_000);
        spends.confirmAll();
        pay(9_000);
        Amount used = Amount.of(2 * 9_069);
        OptionalLong chain = OptionalLong.of(spends.clock.millis());

        for (OptionalLong known : List.of(chain, OptionalLong.empty())) {
            restartWith(known, Duration.ofDays(-400));
            assertThat(spent()).isEqualTo(used);
            spends.chainTime = () -> chain;
            assertThat(spent()).isEqualTo(used);
            spends.clock.advance(Duration.ofDays(400));
            assertThat(spent()).isEqualTo(used);
        }
        spends.clock.advance(Duration.ofMinutes(62));
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }
}
