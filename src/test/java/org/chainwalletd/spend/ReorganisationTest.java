package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReorganisationTest extends SpendCase {
    /** Transactions of which the store was asked whether they are lost for good. */
    private final Set<Hash256> askedFor = ConcurrentHashMap.newKeySet();

    ReorganisationTest() {
        super(10_000);
    }

    @Override
    void prepare() {
        spends.limits = SpendHarness.perDay(1_000_000);
        spends.before = intents -> Stub.of(IntentStore.class, call -> {
            if (call.name().equals("lostForGood")) {
                ((Set<?>) call.arguments()[0]).forEach(txId -> askedFor.add((Hash256) txId));
            }
            return call.on(intents);
        });
    }

    @BeforeEach
    void mine() {
        // An extra block between the coins and the transactions that spend them.
        spends.devnet.mine(1);
    }

    private Receipt paidAndConfirmed(long amount, String token) {
        Receipt receipt = pay(amount, token);
        spends.confirmAll();
        return receipt;
    }

    private Optional<LedgerView.Located> onNode(Hash256 txId) {
        return spends.devnet.ledger().transaction(txId);
    }

    /** Replaces the last block and forgets its transactions. */
    private void loseLastBlock(Transaction... conflicts) {
        spends.devnet.reorganise(1, false, List.of(conflicts));
    }

    @Test
    void a_spend_that_a_reorganisation_removed_is_in_flight_again_and_sent_until_it_confirms() {
        Receipt receipt = paidAndConfirmed(1_000, "token-reorg");
        onSend(LedgerNode.Fault.LOST_QUESTION);

        loseLastBlock();
        spends.awaitState(receipt.txId(), IntentState.ACCEPTED);
        Await.until("it counts as in flight", () -> spends.spending.inFlightTransfers() == 1);
        Await.until("its coin is reserved", () -> spends.spending.inFlightUtxos() == 1);
        refusal(SpendRefusal.InFlightExhausted.class, transfer(500));
        assertThat(pay(1_000, "token-reorg")).isEqualTo(receipt);

        spends.node.faults(method -> LedgerNode.Fault.NONE);
        spends.awaitAwake("the node has it again", () -> spends.isAtNode(receipt.txId()));
        spends.confirmAll();
        assertThat(spends.isMined(receipt.txId())).isTrue();
        assertThat(spends.coins(shop)).hasSize(1);
        assertThat(spends.meters.get("walletd.spend.reorganised").counter().count())
                .isEqualTo(1);
    }

    @Test
    void what_was_reorganised_away_while_the_daemon_was_stopped_is_found_out_and_sent_again() {
        Receipt receipt = paidAndConfirmed(1_000, "token-stopped");
        spends.crash();
        loseLastBlock();
        assertThat(onNode(receipt.txId())).isEmpty();

        spends.start();

        Await.until("the node has it again", () -> {
            // A read during the change of branch is repeated after a while.
            spends.wake();
            return spends.isAtNode(receipt.txId());
        });
        spends.confirmAll();
        assertThat(spends.isMined(receipt.txId())).isTrue();
    }

    @Test
    void a_crash_between_the_discovery_and_the_sending_loses_neither_the_spend_nor_its_reservation() {
        Receipt receipt = paidAndConfirmed(1_000, "token-crash");
        onSend(LedgerNode.Fault.LOST_QUESTION);
        loseLastBlock();
        spends.awaitState(receipt.txId(), IntentState.ACCEPTED);

        spends.restart();

        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        assertThat(spends.spending.inFlightTransfers()).isEqualTo(1);
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        Await.until("the node has it again", () -> spends.isAtNode(receipt.txId()));
    }

    @Test
    void a_hundred_spends_that_one_reorganisation_removed_are_all_sent_again_in_one_go() {
        long[] values = new long[100];
        Arrays.fill(values, 10_000);
        List<Receipt> receipts = new ArrayList<>();
        // The faucet needs a coin for each payment.
        spends.devnet.mine(90);
        payer = spends.funded(3, values);
        spends.devnet.mine(1);
        for (int i = 0; i < values.length; i++) {
            receipts.add(pay(1_000 + i));
        }
        spends.confirmAll();

        loseLastBlock();

        Await.until(
                "the node has all again", () -> receipts.stream().allMatch(receipt -> spends.isAtNode(receipt.txId())));
        assertPaid(values.length);
    }

    @Test
    void a_spend_of_change_waits_for_the_spend_that_made_it() {
        Receipt parent = paidAndConfirmed(1_000, "token-parent");
        Receipt child = paidAndConfirmed(2_000, "token-child");
        assertThat(child.inputs().get(0).outpoint().txId()).isEqualTo(parent.txId());
        spends.node.forgetCalls();

        spends.devnet.reorganise(2, false, List.of());

        Await.until("the parent is sent", () -> spends.isAtNode(parent.txId()));
        spends.awaitState(child.txId(), IntentState.ACCEPTED);
        Await.until("both are in flight", () -> spends.spending.inFlightTransfers() == 2);
        spends.devnet.mine(1);
        Await.until("the child follows", () -> spends.isAtNode(child.txId()));
        spends.confirmAll();
        assertThat(spends.isMined(parent.txId())).isTrue();
        assertThat(spends.isMined(child.txId())).isTrue();
    }

    @Test
    void a_spend_that_lost_its_coin_in_a_reorganisation_is_conflicted_and_keeps_what_it_took_of_the_allowance() {
        Receipt parent = paidAndConfirmed(1_000, "token-lost");
        Receipt child = paidAndConfirmed(2_000, "token-lost-too");
        assertThat(spent()).isEqualTo(Amount.of(3_000 + 2 * 69));

        spends.devnet.reorganise(
                2, false, List.of(spends.foreign(payer, parent.inputs().get(0).outpoint(), shop, 9_000)));

        spends.awaitState(parent.txId(), IntentState.CONFLICTED);
        spends.awaitState(child.txId(), IntentState.CONFLICTED);
        Await.until("nothing is in flight", () -> spends.spending.inFlightTransfers() == 0);
        Await.until("nothing is reserved", () -> spends.spending.inFlightUtxos() == 0);
        assertThat(spent()).isEqualTo(Amount.of(3_000 + 2 * 69));
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-lost"));

        spends.fund(payer, 20_000);
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.forget();
        Await.until(
                "the parent is buried",
                () -> get(spends.store.intents().lost(0, 10)).size() <= 1);
        spends.forget();
        Await.until(
                "the child is buried with it",
                () -> get(spends.store.intents().lost(0, 10)).isEmpty());
        assertThat(pay(2_000, "token-lost-too").txId()).isNotEqualTo(child.txId());
    }

    /** Otherwise the store would be asked again and again for every payment that was ever refused. */
    @Test
    void only_for_conflicted_spends_is_it_asked_whether_their_parents_are_lost_for_good() {
        Address other = spends.funded(2, 5_000);
        spends.devnet.mine(1);
        Set<Hash256> own =
                spends.coins(other).stream().map(coin -> coin.outpoint().txId()).collect(Collectors.toSet());
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        refusal(
                SpendRefusal.UpstreamFailed.class,
                spends.spending.transfer(SpendHarness.request(other, shop, 1_000, "token-refused")));
        spends.node.refuseSends(null);
        Receipt parent = paidAndConfirmed(1_000, "token-lost");
        Receipt child = paidAndConfirmed(2_000, "token-lost-too");
        spends.devnet.reorganise(
                2, false, List.of(spends.foreign(payer, parent.inputs().get(0).outpoint(), shop, 9_000)));
        spends.awaitState(parent.txId(), IntentState.CONFLICTED);
        spends.awaitState(child.txId(), IntentState.CONFLICTED);
        Await.until("nothing is in flight", () -> spends.spending.inFlightTransfers() == 0);
        askedFor.clear();

        spends.forget();

        Await.until("it was asked for the parent", () -> askedFor.contains(parent.txId()));
        assertThat(get(spends.store.intents().lost(0, 10))).hasSize(3);
        assertThat(own).isNotEmpty().doesNotContainAnyElementsOf(askedFor);
    }

    @Test
    void an_acknowledged_spend_that_lost_its_coin_stays_lost_whatever_a_lagging_node_says_of_it() {
        Receipt receipt = paidAndConfirmed(1_000, "token-lagging");
        loseLastBlock(spends.foreign(payer, receipt.inputs().get(0).outpoint(), shop, 9_000));
        spends.awaitState(receipt.txId(), IntentState.CONFLICTED);
        spends.node.faults(method -> LedgerNode.Fault.LAGGING);

        refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000, "token-lagging"));

        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFLICTED);
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-lagging"));
    }

    @Test
    void no_clock_makes_a_token_new_before_what_its_payment_lost_against_is_buried() {
        Receipt receipt = paidAndConfirmed(1_000, "token-clock");
        loseLastBlock(spends.foreign(payer, receipt.inputs().get(0).outpoint(), shop, 9_000));
        spends.awaitState(receipt.txId(), IntentState.CONFLICTED);
        spends.fund(payer, 20_000);
        spends.clock.advance(Duration.ofDays(2));
        spends.forget();

        refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-clock"));

        spends.clock.advance(Duration.ofDays(2));
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.forget();
        Await.until(
                "it is buried", () -> get(spends.store.intents().lost(0, 10)).isEmpty());
        assertThat(pay(1_000, "token-clock").txId()).isNotEqualTo(receipt.txId());
    }

    @Test
    void a_lost_payment_that_a_block_has_when_the_winner_is_gone_is_confirmed_and_watched() {
        Receipt receipt = paidAndConfirmed(1_000, "token-won");
        Transaction ours = onNode(receipt.txId()).orElseThrow().tx();
        loseLastBlock(spends.foreign(payer, receipt.inputs().get(0).outpoint(), shop, 9_000));
        spends.awaitState(receipt.txId(), IntentState.CONFLICTED);
        spends.devnet.reorganise(2, false, List.of(ours));

        TestProbe<SpendMonitor.Command> monitor = spends.forget();

        spends.awaitState(receipt.txId(), IntentState.CONFIRMED);
        assertThat(monitor.expectMessageClass(SpendMonitor.WatchConfirmed.class)
                        .spend()
                        .txId())
                .isEqualTo(receipt.txId());
        assertThat(pay(1_000, "token-won")).isEqualTo(receipt);
    }

    /** Transaction that a node refuses although it passes it on to a miner. */
    private Transaction refusedAndKept(String token) {
        AtomicReference<Transaction> sent = new AtomicReference<>();
        spends.node.onSend(sent::set);
        spends.node.refuseSends("Transaction is not wanted here");
        refusal(SpendRefusal.UpstreamFailed.class, transfer(1_000, token));
        spends.node.refuseSends(null);
        spends.node.onSend(any -> {});
        return sent.get();
    }

    /** Otherwise it would be sent for ever, and its token would never pay, although the coin that it spends will never exist. */
    @Test
    void
            a_payment_is_lost_with_a_refused_one_whose_change_it_spends_once_another_spender_of_that_ones_coin_is_buried() {
        Transaction refused = refusedAndKept("token-refused");
        Hash256 parent = TransactionCodec.txId(SpendHarness.PROFILE, refused);
        loseLastBlock(refused);
        spends.awaitFollowed();
        Receipt child = pay(2_000, "token-child");
        assertThat(child.inputs().get(0).outpoint().txId()).isEqualTo(parent);
        spends.devnet.reorganise(2, false, List.of());
        spends.awaitFollowed();
        assertThat(stateOf(parent)).isEqualTo(IntentState.REFUSED);
        Receipt other = pay(3_000, "token-other");
        assertThat(other.inputs().get(0).outpoint()).isEqualTo(refused.inputs().get(0));

        spends.devnet.mine(SpendHarness.BURIAL_DEPTH - 1);
        spends.awaitState(other.txId(), IntentState.CONFIRMED);
        spends.awaitAwake(
                "the child is sent again",
                () -> spends.meters.get("walletd.spend.rebroadcasts").counter().count() > 1);
        assertThat(stateOf(child.txId())).isEqualTo(IntentState.ACCEPTED);

        spends.devnet.mine(1);
        spends.awaitAwake("the child is lost", () -> stateOf(child.txId()) == IntentState.CONFLICTED);
        spends.forget();
        Await.until(
                "both are buried", () -> get(spends.store.intents().lost(0, 10)).isEmpty());
        assertThat(pay(2_000, "token-child").txId()).isNotEqualTo(child.txId());
    }

    @Test
    void a_refused_payment_that_a_block_has_nevertheless_is_confirmed_and_its_token_answers_its_receipt() {
        Transaction sent = refusedAndKept("token-refused");
        Hash256 txId = TransactionCodec.txId(SpendHarness.PROFILE, sent);
        assertThat(stateOf(txId)).isEqualTo(IntentState.REFUSED);
        loseLastBlock(sent);
        spends.awaitFollowed();

        TestProbe<SpendMonitor.Command> monitor = spends.forget();

        spends.awaitState(txId, IntentState.CONFIRMED);
        assertThat(monitor.expectMessageClass(SpendMonitor.WatchConfirmed.class)
                        .spend()
                        .txId())
                .isEqualTo(txId);
        assertThat(pay(1_000, "token-refused").txId()).isEqualTo(txId);
        assertThat(spends.coins(shop)).hasSize(1);
        assertThat(spent()).isEqualTo(Amount.of(1_000 + 69));
    }

    @Test
    void its_token_may_come_before_that_is_noticed_and_makes_no_second_payment() {
        Transaction sent = refusedAndKept("token-quick");
        loseLastBlock(sent);

        assertThat(pay(1_000, "token-quick").txId()).isEqualTo(TransactionCodec.txId(SpendHarness.PROFILE, sent));

        assertPaid(1);
    }

    @Test
    void a_payment_that_was_abandoned_and_is_in_a_block_nevertheless_is_confirmed_after_a_restart() {
        AtomicReference<Transaction> sent = new AtomicReference<>();
        spends.node.onSend(sent::set);
        spends.lose();
        Hash256 txId = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-given-up"))
                .txId();
        get(spends.spending.abandon(sent.get().inputs()));
        spends.awaitState(txId, IntentState.ABANDONED);
        Await.until("its coin is free", () -> spends.spending.inFlightUtxos() == 0);

        spends.crash();
        loseLastBlock(sent.get());
        spends.start();
        spends.awaitFollowed();
        spends.forget();

        spends.awaitState(txId, IntentState.CONFIRMED);
        assertThat(pay(1_000, "token-given-up").txId()).isEqualTo(txId);
    }

    @Test
    void a_spend_that_a_reorganisation_only_moved_stays_confirmed() {
        Receipt receipt = paidAndConfirmed(1_000, "token-moved");
        Transaction same = onNode(receipt.txId()).orElseThrow().tx();

        loseLastBlock(same);
        long height = onNode(receipt.txId()).orElseThrow().height();
        Hash256 block = onNode(receipt.txId()).orElseThrow().blockId();

        Await.until(
                "its new block is known",
                () -> get(spends.store.intents().unburied()).stream()
                        .flatMap(spend -> spend.place().stream())
                        .anyMatch(place -> place.blockId().equals(block) && place.height() == height));
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
        assertThat(spends.meters.get("walletd.spend.reorganised").counter().count())
                .isZero();
    }

    @Test
    void watching_asks_no_node_anything() {
        paidAndConfirmed(1_000, "token-buried");
        spends.node.forgetCalls();

        for (int i = 1; i < SpendHarness.BURIAL_DEPTH; i++) {
            assertThat(get(spends.store.intents().unburied())).hasSize(1);
            spends.devnet.mine(1);
            spends.awaitFollowed();
        }

        spends.awaitBuried();
        Await.until(
                "nothing is watched",
                () -> spends.meters.get("walletd.spend.unburied").gauge().value() == 0);
        assertThat(spends.node.calls()).isEmpty();
    }

    @Test
    void a_spend_that_was_buried_while_the_daemon_was_stopped_is_found_in_the_books() {
        Receipt receipt = paidAndConfirmed(1_000, "token-deep");
        spends.crash();
        spends.devnet.mine(2 * SpendHarness.BURIAL_DEPTH);
        spends.node.forgetCalls();

        spends.start();

        spends.awaitBuried();
        assertThat(spends.node.calls()).isEmpty();
        assertThat(spends.isMined(receipt.txId())).isTrue();
    }

    @Test
    void a_receipt_answers_until_its_spend_is_buried_however_old_it_is() {
        Receipt receipt = paidAndConfirmed(1_000, "token-old");
        spends.clock.advance(Duration.ofDays(3));
        get(spends.store
                .intents()
                .forget(spends.clock.millis() - Duration.ofHours(1).toMillis(), 100));

        assertThat(pay(1_000, "token-old")).isEqualTo(receipt);
        spends.restart();
        loseLastBlock();
        Await.until("the node has it again", () -> spends.isAtNode(receipt.txId()));
    }

    @Test
    void a_spend_is_forgotten_an_hour_after_its_end_but_not_before_it_is_buried() {
        Receipt receipt = paidAndConfirmed(1_000, "token-forgotten");
        Receipt deeper = paidAndConfirmed(2_000, "token-remembered");
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH - 2);
        Await.until(
                "the first is buried",
                () -> get(spends.store.intents().unburied()).size() == 1);
        spends.clock.advance(Duration.ofMinutes(61));

        spends.restart();

        Await.until(
                "it is forgotten",
                () -> get(spends.store.intents().find(receipt.txId())).isEmpty());
        assertThat(pay(2_000, "token-remembered")).isEqualTo(deeper);
    }

    @Test
    void a_node_that_lags_is_no_reorganisation_and_its_old_listing_spends_nothing_twice() {
        payer = spends.funded(2, 10_000);
        Receipt receipt = paidAndConfirmed(1_000, "token-lag");
        spends.node.faults(method -> method.equals("get_transaction") || method.equals("get_address_utxos")
                ? LedgerNode.Fault.LAGGING
                : LedgerNode.Fault.NONE);
        spends.node.forgetCalls();

        spends.devnet.mine(1);
        spends.awaitFollowed();
        refusal(SpendRefusal.InFlightExhausted.class, transfer(1_000));

        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
        assertThat(spends.spending.inFlightTransfers()).isZero();
        assertThat(spends.spending.inFlightUtxos()).isZero();
    }

    @Test
    void a_spend_whose_foreign_funding_vanished_waits_for_it_until_the_operator_abandons_it() {
        Receipt receipt = paidAndConfirmed(1_000, "token-funding");
        long depth = spends.devnet.ledger().tip().height()
                - onNode(receipt.inputs().get(0).outpoint().txId())
                        .orElseThrow()
                        .height()
                + 1;
        spends.devnet.reorganise((int) depth, false, List.of());
        spends.awaitState(receipt.txId(), IntentState.ACCEPTED);
        spends.node.forgetCalls();
        spends.awaitAwake("it is sent again and again", () -> spends.node.count("send_raw_transaction") > 1);
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.ACCEPTED);

        get(spends.spending.abandon(List.of(receipt.inputs().get(0).outpoint())));

        spends.awaitState(receipt.txId(), IntentState.ABANDONED);
        Await.until("nothing is in flight", () -> spends.spending.inFlightTransfers() == 0);
    }
}
