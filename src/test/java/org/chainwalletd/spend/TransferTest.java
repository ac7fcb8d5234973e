package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.PermittedSends;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.PaymentPlan;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

class TransferTest extends SpendCase {
    @Test
    void a_payment_to_two_recipients_costs_75_and_confirms() {
        payer = spends.funded(1, 1_000_000_000L);
        TransferRequest request = new TransferRequest(
                payer,
                List.of(new Payment(shop, Amount.of(5000)), new Payment(shop, Amount.of(7000))),
                FeeChoice.MINIMUM,
                TransferRequest.DEFAULT_MAX_FEE,
                Optional.empty(),
                Optional.empty());

        Receipt receipt = get(spends.spending.transfer(request));

        assertThat(receipt.fee()).isEqualTo(Amount.of(75));
        assertThat(receipt.size()).isEqualTo(271);
        assertThat(receipt.feeRate()).isEqualTo(1);
        assertThat(receipt.inputs()).hasSize(1);
        assertThat(receipt.outputs()).hasSize(3);
        assertThat(receipt.outputs().get(2).change()).isTrue();
        assertPaid(2);
    }

    @Test
    void the_good_path_asks_the_node_twice_whatever_the_number_of_inputs() {
        long[] values = new long[40];
        Arrays.fill(values, 1_000);
        payer = spends.funded(1, values);
        pay(500);
        spends.confirmAll();
        spends.node.forgetCalls();

        pay(20_000);

        assertThat(callsOfTheTransfer()).containsExactly("get_address_utxos", "send_raw_transaction");
    }

    @Test
    void a_payment_that_leaves_no_choice_of_coins_asks_twice_even_after_a_start() {
        payer = spends.funded(1, 10_000);

        pay(500);

        assertThat(callsOfTheTransfer()).containsExactly("get_address_utxos", "send_raw_transaction");
    }

    /** Calls of the transfer, without those of the spend monitor for earlier spends. */
    private List<String> callsOfTheTransfer() {
        return spends.node.calls().stream()
                .filter(call -> !call.equals("get_transaction") && !call.equals("get_block"))
                .toList();
    }

    @Test
    void a_coin_that_the_mempool_already_spends_is_not_selected() {
        payer = spends.funded(1, 50_000, 20_000);
        Outpoint large = spends.coin(payer, 50_000);
        spends.spendElsewhere(payer, large, shop, 49_000);

        Receipt receipt = pay(1_000);

        assertThat(receipt.inputs()).extracting(Coin::outpoint).doesNotContain(large);
    }

    @Test
    void only_a_real_conflict_is_called_a_double_spend_and_its_coins_are_free_again() {
        payer = spends.funded(1, 50_000);
        Outpoint coin = spends.coins(payer).get(0).outpoint();
        spends.spendElsewhere(payer, coin, shop, 49_000);

        SpendRefusal.DoubleSpend refused = refusal(SpendRefusal.DoubleSpend.class, transfer(1_000));

        assertThat(refused.message()).contains("double-spend of OutPoint");
        assertThat(spends.spending.inFlightTransfers()).isZero();
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
        refusal(SpendRefusal.InsufficientBalance.class, transfer(1_000));
    }

    @Test
    void two_hundred_payments_at_once_from_one_address_never_share_a_coin() {
        long[] values = new long[250];
        Arrays.fill(values, 10_000);
        payer = spends.funded(1, values);
        List<CompletionStage<Receipt>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(transfer(500 + i));
        }

        Set<Outpoint> spent = new HashSet<>();
        for (CompletionStage<Receipt> answer : answers) {
            for (Coin coin : get(answer).inputs()) {
                assertThat(spent.add(coin.outpoint())).isTrue();
            }
        }

        assertPaid(200);
    }

    @Test
    void a_thousand_calls_with_one_token_make_one_payment() {
        payer = spends.funded(1, 10_000, 10_000, 10_000);
        List<CompletionStage<Receipt>> answers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            answers.add(transfer(1_000, "token-1000"));
        }

        Receipt first = get(answers.get(0));
        for (CompletionStage<Receipt> answer : answers) {
            assertThat(get(answer)).isEqualTo(first);
        }

        assertThat(spends.node.calls().stream().filter("send_raw_transaction"::equals))
                .hasSize(1);
        assertPaid(1);
    }

    @Test
    void a_token_with_other_parameters_is_a_conflict_running_or_done() {
        payer = spends.funded(1, 10_000);
        CompletionStage<Receipt> first =
                spends.spending.spend(request(payer, shop, 1_000, "token-once").plan());
        CompletionStage<Receipt> other =
                spends.spending.spend(request(payer, shop, 1_001, "token-once").plan());

        assertThat(refusal(SpendRefusal.TokenConflict.class, other).token()).isEqualTo("token-once");
        get(first);
        refusal(SpendRefusal.TokenConflict.class, transfer(999, "token-once"));
        // Even for an amount that would be dust: the token is checked first.
        refusal(SpendRefusal.TokenConflict.class, transfer(1, "token-once"));
    }

    @Test
    void a_token_that_comes_again_at_once_gets_the_receipt_and_no_node_is_asked() {
        // The spend monitor asks none either.
        spends.tick = Duration.ofHours(1);
        spends.restart();
        payer = spends.funded(1, 10_000);
        spends.awaitFollowed();
        Receipt first = pay(1_000, "token-at-once");
        int asked = spends.node.calls().size();

        assertThat(pay(1_000, "token-at-once")).isEqualTo(first);
        refusal(SpendRefusal.TokenConflict.class, transfer(1, "token-at-once"));

        assertThat(spends.node.calls()).hasSize(asked);
    }

    @Test
    void a_receipt_survives_a_restart_and_a_refused_try_binds_nothing() {
        payer = spends.funded(1, 10_000);
        refusal(SpendRefusal.InsufficientBalance.class, transfer(1_000_000, "token-keep"));
        Receipt receipt = pay(1_000, "token-keep");

        spends.restart();

        assertThat(pay(1_000, "token-keep")).isEqualTo(receipt);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        assertPaid(1);
    }

    /** Like one daemon of several that was paused after its intent was durable, and does not know whether others rely on it. */
    @Test
    void without_permission_to_send_nothing_leaves_and_the_outcome_is_unknown_until_there_is_one() {
        payer = spends.funded(1, 10_000);
        AtomicBoolean permitted = new AtomicBoolean();
        spends.crash();
        spends.client = new PermittedSends(
                spends.node,
                () -> permitted.get()
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(StoreException.stopped("declared off")),
                spends.executor);
        spends.start();

        SpendRefusal.OutcomeUnknown unknown =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-paused"));
        assertThat(unknown.message()).contains("declared off");
        spends.wake();
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);

        permitted.set(true);
        assertThat(pay(1_000, "token-paused").txId()).isEqualTo(unknown.txId());
        assertPaid(1);
    }

    @Test
    void a_lost_answer_is_no_error() {
        payer = spends.funded(1, 10_000);
        onSend(LedgerNode.Fault.LOST_ANSWER);

        pay(1_000);

        spends.node.faults(method -> LedgerNode.Fault.NONE);
        assertPaid(1);
    }

    @Test
    void an_unreachable_node_leaves_the_outcome_unknown_and_the_token_settles_it_with_the_same_bytes() {
        payer = spends.funded(1, 10_000, 10_000);
        spends.node.faults(method -> method.equals("get_address_utxos") || method.equals("get_address_mempool")
                ? LedgerNode.Fault.NONE
                : LedgerNode.Fault.LOST_QUESTION);
        SpendRefusal.OutcomeUnknown unknown =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-unknown"));
        assertThat(unknown.message()).contains(unknown.txId().hex()).contains("same client_token");
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);

        spends.node.faults(method -> LedgerNode.Fault.NONE);
        Receipt receipt = pay(1_000, "token-unknown");

        assertThat(receipt.txId()).isEqualTo(unknown.txId());
        assertPaid(1);
    }

    @Test
    void a_spend_with_unknown_outcome_is_sent_again_after_a_restart_until_it_confirms() {
        payer = spends.funded(1, 10_000);
        spends.node.faults(
                method -> method.equals("get_address_utxos") ? LedgerNode.Fault.NONE : LedgerNode.Fault.LOST_QUESTION);
        SpendRefusal.OutcomeUnknown unknown =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-again"));
        spends.node.faults(method -> LedgerNode.Fault.NONE);

        spends.restart();
        Await.until("the node has it", () -> spends.isAtNode(unknown.txId()));

        assertThat(pay(1_000, "token-again").txId()).isEqualTo(unknown.txId());
        spends.confirmAll();
    }

    @Test
    void a_refused_payment_is_not_sent_again_by_itself_and_its_token_sends_the_same_bytes() {
        payer = spends.funded(1, 10_000, 10_000);
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        SpendRefusal.UpstreamFailed refused = refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000, "token-lag"));
        assertThat(refused.message()).contains("fee density too low");
        spends.node.refuseSends(null);
        assertThat(spends.spending.inFlightTransfers()).isZero();

        pay(1_000, "token-lag");

        assertPaid(1);
    }

    @Test
    void reserved_coins_that_would_do_are_told_from_poverty() {
        payer = spends.funded(1, 10_000, 10_000);
        pay(1_000);

        SpendRefusal.InFlightExhausted exhausted = refusal(SpendRefusal.InFlightExhausted.class, transfer(15_000));
        assertThat(exhausted.shortage().available()).isEqualTo(Amount.of(10_000));
        assertThat(exhausted.shortage().inFlightValue()).isEqualTo(Amount.of(10_000));
        assertThat(exhausted.shortage().needed()).isEqualTo(Amount.of(15_063));
        assertThat(exhausted.shortage().inFlightCount()).isEqualTo(1);
        SpendRefusal.InsufficientBalance poor = refusal(SpendRefusal.InsufficientBalance.class, transfer(50_000));
        assertThat(poor.message()).contains("reserved by pending transfers").contains("short by 40063");
        assertThat(poor.shortage().utxoCount()).isEqualTo(1);
    }

    @Test
    void an_abandoned_outpoint_is_free_and_its_transaction_is_not_sent_again() {
        payer = spends.funded(1, 10_000);
        Receipt receipt = pay(1_000);
        Outpoint coin = receipt.inputs().get(0).outpoint();
        spends.lose();

        Abandoned done = get(spends.spending.abandon(List.of(coin, coin)));

        assertThat(done).isEqualTo(new Abandoned(1, 0));
        assertThat(get(spends.spending.abandon(List.of(coin)))).isEqualTo(new Abandoned(0, 0));
        Await.until("it is no longer in flight", () -> spends.spending.inFlightTransfers() == 0);
    }

    @Test
    void a_reservation_ends_after_ten_minutes_but_not_while_the_mempool_has_the_transaction() {
        payer = spends.funded(1, 10_000);
        pay(1_000);
        spends.clock.advance(Duration.ofMinutes(30));
        spends.node.forgetCalls();
        spends.awaitAwake("it was looked up twice", () -> spends.node.count("get_transaction") >= 2);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);

        onSend(LedgerNode.Fault.LAGGING);
        spends.devnet.forgetMempool();

        spends.awaitAwake("the reservation ends", () -> spends.spending.inFlightUtxos() == 0);
        assertThat(spends.spending.inFlightTransfers()).isEqualTo(1);
        get(spends.spending.abandon(List.of(spends.coins(payer).get(0).outpoint())));
        Await.until(
                "it is given up although nothing was reserved any more",
                () -> spends.spending.inFlightTransfers() == 0);
    }

    @Test
    void a_reservation_does_not_end_while_no_node_can_be_asked() {
        payer = spends.funded(1, 10_000);
        spends.node.faults(
                method -> method.equals("get_address_utxos") ? LedgerNode.Fault.NONE : LedgerNode.Fault.LOST_QUESTION);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));
        spends.clock.advance(Duration.ofMinutes(30));
        spends.node.forgetCalls();
        spends.awaitAwake("it was looked for twice", () -> spends.node.count("get_transaction") >= 2);

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
    }

    private void untilInFlight(int outpoints) {
        spends.awaitAwake(outpoints + " outpoints are in flight", () -> spends.spending.inFlightUtxos() == outpoints);
    }

    /** Creates a payer whose transaction was unknown for long, so that its coins are free again, and then appears. */
    private Address payerWhoseTransactionIsLate(long... coins) {
        payer = spends.funded(1, coins);
        onSend(LedgerNode.Fault.LOST_QUESTION);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-late"));
        spends.clock.advance(Duration.ofMinutes(11));
        untilInFlight(0);
        return payer;
    }

    @Test
    void coins_are_reserved_again_when_a_mempool_takes_their_transaction_after_their_time() {
        Address payer = payerWhoseTransactionIsLate(10_000, 5_000);
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        untilInFlight(1);
        assertThat(get(spends.store.reservations().all())).hasSize(1);

        Receipt second = pay(2_000, "token-next");
        assertThat(second.inputs().get(0).value()).isEqualTo(Amount.of(5_000));

        assertPaid(2);
    }

    @Test
    void coins_whose_time_is_over_are_taken_last_while_their_payment_is_still_sent() {
        Address payer = payerWhoseTransactionIsLate(10_000, 5_000);

        assertThat(simulated(payer, 2_000)).containsExactly(Amount.of(5_000));
        assertThat(simulated(payer, 6_000)).as("nothing else suffices").containsExactly(Amount.of(10_000));

        spends.restart();
        assertThat(simulated(payer, 2_000)).containsExactly(Amount.of(5_000));

        spends.node.faults(method -> LedgerNode.Fault.NONE);
        untilInFlight(1);
        assertPaid(1);
    }

    /** A caller who cannot ask for it again makes a new payment: the two must not both be mined. */
    @Test
    void a_payment_without_a_token_that_nobody_was_told_of_shares_its_coin_with_the_next_one() {
        payer = spends.funded(1, 10_000, 5_000);
        spends.lose();
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));
        spends.clock.advance(Duration.ofMinutes(11));
        untilInFlight(0);

        assertThat(simulated(payer, 2_000)).containsExactly(Amount.of(10_000));
    }

    @Test
    void an_acknowledged_payment_that_every_mempool_has_lost_keeps_the_next_one_off_its_coin() {
        payer = spends.funded(1, 10_000, 5_000);
        pay(1_000);
        spends.lose();
        Await.until("nothing is reserved", () -> {
            spends.clock.advance(Duration.ofMinutes(11));
            spends.rumour();
            return spends.spending.inFlightUtxos() == 0;
        });

        assertThat(simulated(payer, 2_000)).containsExactly(Amount.of(5_000));
    }

    private List<Amount> simulated(Address payer, long amount) {
        return get(spends.spending.simulate(request(payer, shop, amount))).inputs().stream()
                .map(Coin::value)
                .toList();
    }

    @Test
    void so_they_are_when_its_token_takes_it_up_again() {
        Address payer = payerWhoseTransactionIsLate(10_000);
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        pay(1_000, "token-late");
        untilInFlight(1);

        spends.restart();

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        assertThat(get(spends.store.reservations().all())).hasSize(1);
    }

    @Test
    void a_spend_whose_time_is_over_does_not_end_the_reservation_of_the_one_that_took_its_coin() {
        Address payer = payerWhoseTransactionIsLate(10_000);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(2_000, "token-new"));

        spends.restart();
        spends.node.forgetCalls();
        spends.awaitAwake("both were looked at often", () -> spends.node.count("send_raw_transaction") >= 12);

        assertThat(get(spends.store.reservations().all())).hasSize(1);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
    }

    @Test
    void a_raw_transaction_passes_and_a_second_time_counts_as_sent() {
        payer = spends.funded(1, 10_000);
        Transaction tx = spends.foreign(payer, spends.coins(payer).get(0).outpoint(), shop, 9_000);
        Bytes bytes = Bytes.wrap(TransactionCodec.encode(tx));

        assertThat(get(spends.spending.sendRaw(bytes, "spend")))
                .isEqualTo(get(spends.spending.sendRaw(bytes, "spend")));
        spends.devnet.mine(1);
        assertThat(get(spends.spending.sendRaw(bytes, "spend")))
                .isEqualTo(TransactionCodec.txId(SpendHarness.PROFILE, tx));
    }

    @Test
    void coins_of_a_raw_transaction_are_looked_for_even_when_the_mempool_was_looked_at_while_it_was_sent() {
        payer = spends.funded(1, 50_000, 20_000, 10_000);
        Outpoint raw = spends.coin(payer, 20_000);
        Transaction tx = spends.foreign(payer, raw, shop, 19_000);
        spends.node.onSend(sent -> {
            spends.node.onSend(ignored -> {});
            pay(1_000);
        });

        get(spends.spending.sendRaw(Bytes.wrap(TransactionCodec.encode(tx)), "spend"));

        assertThat(pay(1_000).inputs()).extracting(Coin::outpoint).doesNotContain(raw);
    }

    @Test
    void a_plan_that_fails_inside_fails_alone() {
        payer = spends.funded(1, 10_000);
        PaymentPlan sound = (PaymentPlan) request(payer, shop, 1_000).plan();
        SpendPlan unsound = Stub.of(SpendPlan.class, call -> {
            if (call.name().equals("choose")) {
                throw new IllegalStateException("unsound");
            }
            return call.on(sound);
        });

        assertThatThrownBy(() -> get(spends.spending.spend(unsound))).hasMessage("unsound");
        assertThatThrownBy(() -> get(spends.spending.simulate(unsound))).hasMessage("unsound");

        get(spends.spending.spend(sound));
    }

    @Test
    void a_token_that_is_looked_up_while_the_daemon_stops_is_not_spent_any_more() {
        payer = spends.funded(1, 10_000);
        spends.node.refuseSends("fee density too low for mempool");
        refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000, "token-stop"));
        spends.node.refuseSends(null);
        spends.node.forgetCalls();
        Runnable letRead = StoreFaults.holdReads(spends.store);
        CompletionStage<Receipt> answer =
                spends.spending.spend(request(payer, shop, 1_000, "token-stop").plan());
        get(spends.spending.drain());

        letRead.run();

        refusal(SpendRefusal.ShuttingDown.class, answer);
        assertThat(spends.node.calls()).doesNotContain("get_address_utxos", "send_raw_transaction");
    }

    @Test
    void a_simulation_says_what_the_transfer_then_does() {
        payer = spends.funded(1, 10_000, 3_000);
        TransferRequest request = request(payer, shop, 11_000);

        Simulation simulation = get(spends.spending.simulate(request));
        assertThat(spends.spending.inFlightUtxos()).isZero();
        Receipt receipt = get(spends.spending.transfer(request));

        assertThat(receipt.fee()).isEqualTo(simulation.fee());
        assertThat(receipt.size()).isEqualTo(simulation.size());
        assertThat(receipt.feeRate()).isEqualTo(simulation.feeRate());
        assertThat(receipt.inputs()).isEqualTo(simulation.inputs());
        assertThat(receipt.outputs()).isEqualTo(simulation.outputs());
        assertThat(simulation.totalIn()).isEqualTo(simulation.totalOut().plus(simulation.fee()));
    }

    @Test
    void a_wallet_of_another_party_is_not_found() {
        refusal(
                SpendRefusal.WalletNotFound.class,
                spends.spending.transfer(request(Address.parse("11".repeat(32)), shop, 1_000)));
    }
}
