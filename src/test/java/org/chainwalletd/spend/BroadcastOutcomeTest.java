package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.spend.LedgerNode.Fault;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handling of a broadcast without a plain success. */
class BroadcastOutcomeTest extends SpendCase {
    private static final String REFUSAL = "Mempool rejected transaction: fee density too low for mempool";
    private static final String QUOTA = "Rate limit exceeded: max 60 tx submissions per minute";

    BroadcastOutcomeTest() {
        super(50_000);
    }

    private Hash256 foreignSpend() {
        return spends.spendElsewhere(payer, spends.coins(payer).get(0).outpoint(), shop, 49_000);
    }

    @Test
    void a_repeated_send_that_finds_itself_in_the_mempool_is_a_success() {
        onSend(Fault.TWICE);

        pay(1_000);

        assertThat(spends.node.count("send_raw_transaction")).isEqualTo(1);
    }

    @Test
    void a_refusal_by_the_second_node_after_a_success_at_the_first_is_a_success() {
        onSend(Fault.FAILOVER);

        Receipt receipt = pay(1_000);

        assertThat(spends.devnet.ledger().transaction(receipt.txId())).isPresent();
    }

    @Test
    void a_refusal_after_a_lost_answer_is_not_final_when_no_node_knows_the_transaction() {
        spends.node.faults(method -> switch (method) {
            case "send_raw_transaction" -> Fault.FAILOVER;
            case "get_transaction" -> Fault.LAGGING;
            default -> Fault.NONE;
        });

        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-failover"));

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.node.faults(method -> Fault.NONE);
        pay(1_000, "token-failover");
        assertPaid(1);
    }

    @Test
    void a_busy_node_is_asked_again_and_then_named() {
        onSend(Fault.BUSY, Fault.NONE);
        pay(1_000);
        assertThat(spends.node.count("send_raw_transaction")).isEqualTo(2);
        spends.confirmAll();

        onSend(Fault.BUSY);
        SpendRefusal.UpstreamFailed refused = refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000));
        assertThat(refused.message())
                .isEqualTo("node error -32603: Tip changed during validation, try again; transaction "
                        + refused.sent().orElseThrow()
                        + " was sent and refused: look it up with get_transaction before paying again");
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
    }

    @ParameterizedTest
    @CsvSource({"FAILED,whatever", "FAILED_STORAGE,Storage error: busy"})
    void an_internal_error_of_a_node_that_took_the_payment_and_denies_it_is_no_refusal(Fault failed, String words) {
        spends.fund(payer, 40_000);
        spends.node.faults(method -> switch (method) {
            case "send_raw_transaction" -> failed;
            case "get_transaction" -> Fault.LAGGING;
            default -> Fault.NONE;
        });

        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));

        assertThat(unknown.message())
                .contains("node error -32603: " + words)
                .contains("look it up with get_transaction");
        assertThat(spends.isAtNode(unknown.txId())).isTrue();
        assertThat(stateOf(unknown.txId())).isEqualTo(IntentState.PREPARED);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.node.faults(method -> Fault.NONE);
        assertPaid(1);
        assertThat(stateOf(unknown.txId())).isEqualTo(IntentState.CONFIRMED);
    }

    @ParameterizedTest
    @CsvSource({"FAILED,-32602," + REFUSAL, "FAILED_STORAGE,-32603," + QUOTA})
    void a_refusal_is_not_final_when_another_node_has_answered_with_an_internal_error(
            Fault failed, int code, String words) {
        LedgerNode other = new LedgerNode(spends.devnet.ledger(), spends.executor);
        other.faults(method -> switch (method) {
            case "send_raw_transaction" -> failed;
            case "get_transaction" -> Fault.LAGGING;
            default -> Fault.NONE;
        });
        spends.node.among(spends.node, other);
        spends.node.refuseSends(code, words);

        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));

        assertThat(unknown.message()).contains("another node may have it").contains(words);
        spends.node.refuseSends(null);
        other.faults(method -> Fault.NONE);
        assertPaid(1);
    }

    @Test
    void an_internal_error_is_no_refusal_of_a_transaction_that_its_owner_sends_again() {
        Hash256 txId = pay(1_000).txId();
        spends.devnet.ledger().forgetMempool();

        spends.node.refuseSends(-32603, "whatever");
        assertThat(get(spends.spending.push(txId)).refusals()).isEmpty();
        spends.node.refuseSends(REFUSAL);
        assertThat(get(spends.spending.push(txId)).refusals()).containsExactly(REFUSAL);
    }

    @Test
    void a_refusal_names_the_transaction_that_was_sent() {
        AtomicReference<Hash256> sent = new AtomicReference<>();
        spends.node.onSend(tx -> sent.set(TransactionCodec.txId(SpendHarness.PROFILE, tx)));
        spends.node.refuseSends(REFUSAL);

        SpendRefusal.UpstreamFailed refused = refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000));
        assertThat(refused.sent()).contains(sent.get());
        assertThat(refused.message())
                .isEqualTo("node error -32602: " + REFUSAL + "; transaction " + sent.get() + " was sent and refused:"
                        + " look it up with get_transaction before paying again");
        assertThat(refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000, "token-refused"))
                        .message())
                .contains(sent.get() + " was sent and refused: call again with the same client_token");

        onSend(Fault.FORESEEN);
        refused = refusal(SpendRefusal.UpstreamFailed.class, transfer(2_000));
        assertThat(refused.sent()).as("nothing was sent").isEmpty();
        assertThat(refused.message()).doesNotContain("get_transaction");
    }

    @ParameterizedTest
    @ValueSource(strings = {QUOTA, "Tip changed during validation, try again", "Storage error: busy"})
    void a_refusal_that_passes_ends_no_payment_with_a_token_and_gives_none_of_its_coins_to_others(String words) {
        spends.fund(payer, 40_000);
        spends.node.refuseSends(-32603, words);
        List<SpendRefusal.OutcomeUnknown> refused = List.of(
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-busy-1")),
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(2_000, "token-busy-2")));
        assertThat(refused.get(0).message()).contains(words).contains("same client_token");
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(2);

        spends.node.refuseSends(null);

        spends.awaitAwake("both are sent", () -> refused.stream().allMatch(one -> spends.isAtNode(one.txId())));
        assertThat(pay(1_000, "token-busy-1").txId()).isEqualTo(refused.get(0).txId());
        assertPaid(2);
    }

    @Test
    void a_node_that_lags_behind_the_one_that_listed_the_coin_does_not_end_a_payment() {
        onSend(Fault.LAGGING, Fault.LAGGING, Fault.NONE);

        pay(1_000);

        assertThat(spends.node.count("send_raw_transaction")).isEqualTo(3);
    }

    @Test
    void a_missing_input_that_decides_nothing_is_not_offered_again_at_once() {
        // The spend monitor does not look at it either.
        spends.tick = Duration.ofHours(1);
        spends.restart();
        spends.node.faults(method -> switch (method) {
            case "send_raw_transaction" -> Fault.FAILOVER;
            case "get_transaction" -> Fault.LAGGING;
            default -> Fault.NONE;
        });

        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));

        assertThat(spends.node.count("send_raw_transaction")).isEqualTo(1);
    }

    @Test
    void a_used_up_quota_is_named_to_a_caller_without_a_token_and_not_used_up_more() {
        spends.node.refuseSends(-32603, QUOTA);

        assertThat(refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000)).message())
                .contains("Rate limit exceeded");

        assertThat(spends.node.count("send_raw_transaction")).isEqualTo(1);
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
    }

    @Test
    void a_coin_that_a_block_has_spent_is_a_double_spend_that_names_the_spender() {
        spends.node.faults(method -> Fault.NONE);
        get(spends.spending.simulate(request(payer, shop, 1_000)));
        Hash256 foreign = foreignSpend();
        spends.devnet.mine(1);
        spends.node.fault("get_address_utxos", Fault.LAGGING);

        SpendRefusal.DoubleSpend refused = refusal(SpendRefusal.DoubleSpend.class, transfer(1_000));

        assertThat(refused.message()).contains("UtxoNotFound").contains("spent by " + foreign);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Mempool pre-check failed: double-spend of OutPoint { tx_id: Hash256(%s), output_index: 0 }",
                "Transaction validation failed: UtxoNotFound(OutPoint { tx_id: Hash256(%s), output_index: 0 })"
            })
    void a_refusal_that_names_a_coin_of_another_party_is_no_double_spend(String words) {
        // Really spent, but not an input of ours.
        Outpoint foreign = new Outpoint(foreignSpend(), 0);
        spends.devnet.mine(1);
        spends.spendElsewhere(shop, foreign, payer, 48_000);
        spends.devnet.mine(1);
        spends.node.refuseSends(words.formatted(foreign.txId()));

        assertThat(refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000)).message())
                .contains(foreign.txId().hex());
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
    }

    @Test
    void a_spend_in_flight_whose_coin_another_party_spends_in_a_block_ends_as_conflicted() {
        Receipt receipt = pay(1_000, "token-lost");
        spends.devnet.forgetMempool();
        onSend(Fault.LOST_QUESTION);
        foreignSpend();
        spends.devnet.mine(1);
        spends.node.faults(method -> Fault.NONE);

        spends.awaitAwake(
                "nothing is in flight",
                () -> spends.spending.inFlightTransfers() == 0 && spends.spending.inFlightUtxos() == 0);

        assertThat(refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-lost"))
                        .txId())
                .isEqualTo(receipt.txId());
    }

    @Test
    void a_late_delivery_after_an_unknown_outcome_is_found_and_not_paid_again() {
        spends.fund(payer, 50_000);
        onSend(Fault.LATE);
        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-late"));
        spends.node.deliverLate();

        assertThat(pay(1_000, "token-late").txId()).isEqualTo(unknown.txId());
        spends.node.faults(method -> Fault.NONE);
        assertPaid(1);
    }

    @Test
    void a_failed_payment_whose_coins_another_one_has_is_told_so_and_not_rebuilt_yet() {
        spends.fund(payer, 70_000);
        refusedByNode(1_000, "token-gone");
        pay(2_000);

        SpendRefusal.Shortage shortage = refusal(SpendRefusal.InFlightExhausted.class, transfer(1_000, "token-gone"))
                .shortage();

        assertThat(shortage.needed()).isEqualTo(Amount.of(1_069));
        assertThat(shortage.available()).isEqualTo(Amount.ZERO);
        assertThat(shortage.inFlightValue()).isEqualTo(Amount.of(70_000));
        assertThat(shortage.inFlightCount()).isEqualTo(1);
        spends.confirmAll();
        for (int blocks = 0; blocks <= SpendHarness.BURIAL_DEPTH; blocks++) {
            refusal(SpendRefusal.DoubleSpend.class, transfer(1_000, "token-gone"));
            spends.devnet.mine(1);
        }
        spends.awaitBuried();
        Await.until(
                "the nodes are asked who has spent it",
                () -> refusal(SpendRefusal.class, transfer(1_000, "token-gone"))
                                instanceof SpendRefusal.OutcomeUnknown unknown
                        && unknown.message().contains("spent by "));
        assertThat(spends.coins(shop)).hasSize(1);
    }

    @Test
    void a_double_spend_is_found_out_again_when_its_token_comes_again() {
        foreignSpend();
        Hash256 txId = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-anew"))
                .txId();
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-anew"));
        assertThat(spends.node.count("send_raw_transaction"))
                .as("the same bytes were offered again")
                .isEqualTo(2);
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
        spends.devnet.forgetMempool();

        assertThat(pay(1_000, "token-anew").txId()).isEqualTo(txId);

        assertPaid(1);
    }

    @Test
    void a_payment_abandoned_in_part_keeps_its_other_coin_for_its_time_only_whatever_its_token_asks() {
        spends.fund(payer, 50_000);
        onSend(Fault.LOST_QUESTION);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(80_000, "token-part"));
        Outpoint given = spends.coins(payer).get(0).outpoint();
        assertThat(get(spends.spending.abandon(List.of(given)))).isEqualTo(new Abandoned(1, 1));
        Await.until("it is given up", () -> spends.spending.inFlightTransfers() == 0);
        spends.node.faults(method -> Fault.NONE);
        Receipt other = pay(1_000);
        assertThat(other.inputs().get(0).outpoint()).isEqualTo(given);

        refusal(SpendRefusal.InFlightExhausted.class, transfer(80_000, "token-part"));

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(2);
        spends.clock.advance(Duration.ofMinutes(11));
        spends.confirmAll();
    }

    @Test
    void an_abandoned_payment_that_a_node_refuses_may_be_at_another_node() {
        onSend(Fault.LOST_QUESTION);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-back"));
        get(spends.spending.abandon(List.of(spends.coins(payer).get(0).outpoint())));
        spends.node.faults(method -> Fault.NONE);
        spends.node.refuseSends(REFUSAL);

        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-back"));

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
    }

    @Test
    void two_tokens_with_equal_parameters_are_two_payments_even_after_a_refusal() {
        refusedByNode(1_000, "token-aaaa");
        Receipt second = pay(1_000, "token-bbbb");
        spends.confirmAll();

        Receipt first = pay(1_000, "token-aaaa");

        assertThat(first.txId()).isNotEqualTo(second.txId());
        assertPaid(2);
    }

    @Test
    void a_store_that_cannot_write_sends_nothing() {
        spends.store.close();

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> pay(1_000))
                .isInstanceOf(org.chainwalletd.store.StoreException.class);

        assertThat(spends.node.count("send_raw_transaction")).isZero();
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
    }
}
