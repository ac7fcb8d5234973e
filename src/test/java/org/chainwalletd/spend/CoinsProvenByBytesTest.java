package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.NodeClient.NodeTransaction;
import org.chainwalletd.node.NodeClient.Utxo;
import org.chainwalletd.spend.LedgerNode.Fault;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** False listings of a node have no effect: signatures rely only on transaction bytes (following.md, section 2). */
class CoinsProvenByBytesTest extends SpendCase {
    private static final long LARGE = 900_000;
    private static final long SMALL = 50_000;

    private Outpoint large;

    CoinsProvenByBytesTest() {
        super(LARGE, SMALL);
    }

    @Override
    void prepare() {
        spends.blocksKnown = false;
    }

    @BeforeEach
    void find() {
        large = spends.coin(payer, LARGE);
    }

    private static Utxo worth(Utxo coin, long value) {
        return new Utxo(coin.outpoint(), Amount.of(value), coin.height(), coin.coinbase(), coin.scriptLength());
    }

    private UnaryOperator<Utxo> largeIsWorth(long value) {
        return coin -> coin.outpoint().equals(large) ? worth(coin, value) : coin;
    }

    /** Fee really paid, from the chain and not from any claim. */
    private Amount trueFee(Hash256 txId) {
        Transaction tx = spends.devnet.ledger().transaction(txId).orElseThrow().tx();
        Amount in = tx.inputs().stream()
                .map(coin -> spends.devnet
                        .ledger()
                        .transaction(coin.txId())
                        .orElseThrow()
                        .tx()
                        .outputs()
                        .get((int) coin.index())
                        .value())
                .reduce(Amount.ZERO, Amount::plus);
        Amount out = tx.outputs().stream().map(output -> output.value()).reduce(Amount.ZERO, Amount::plus);
        return in.minus(out);
    }

    /** Keeps the spend monitor from asking by itself. */
    private void onlyWhatSpendsAsk() {
        spends.tick = Duration.ofHours(1);
        spends.restart();
    }

    /** Requests without those about blocks, which watch confirmed spends. */
    private List<String> askedBySpends() {
        return spends.node.calls().stream()
                .filter(method -> !method.equals("get_block"))
                .toList();
    }

    private double counted(String metric) {
        return spends.meters.find(metric).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @ParameterizedTest
    @ValueSource(longs = {60_000, 899_999, 900_001, 5_000_000_000L, Long.MAX_VALUE})
    void a_coin_whose_value_is_misstated_is_never_spent(long told) {
        spends.node.lists(largeIsWorth(told));

        Receipt receipt = pay(1_000);

        assertThat(receipt.inputs()).singleElement().satisfies(coin -> {
            assertThat(coin.outpoint()).isNotEqualTo(large);
            assertThat(coin.value()).isEqualTo(Amount.of(SMALL));
        });
        assertThat(trueFee(receipt.txId())).isEqualTo(receipt.fee()).isLessThan(Amount.of(1_000));
    }

    @Test
    void when_nothing_else_covers_the_payment_the_lie_is_reported_and_the_node_counted() {
        spends.node.lists(largeIsWorth(60_000));

        refusal(SpendRefusal.CoinsContradicted.class, transfer(55_000));

        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        assertThat(spends.meters
                        .get("walletd.spend.contradicted")
                        .tag("node", LedgerNode.NAME)
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(spends.spending.inFlightUtxos()).isZero();
    }

    @Test
    void a_simulation_believes_no_more_than_a_transfer() {
        spends.node.lists(largeIsWorth(60_000));

        assertThat(get(spends.spending.simulate(request(payer, shop, 1_000))).totalIn())
                .isEqualTo(Amount.of(SMALL));
        refusal(SpendRefusal.CoinsContradicted.class, spends.spending.simulate(request(payer, shop, 55_000)));
    }

    @Test
    void a_listed_coin_of_another_address_is_never_spent() {
        spends.fund(shop, 2_000_000);
        Utxo foreign = spends.coins(shop).get(0);
        spends.node.lists(coin -> coin.outpoint().equals(large)
                ? new Utxo(foreign.outpoint(), foreign.value(), foreign.height(), foreign.coinbase(), null)
                : coin);

        refusal(SpendRefusal.CoinsContradicted.class, transfer(100_000));
    }

    @Test
    void a_listed_output_that_its_transaction_does_not_have_is_never_spent() {
        spends.node.lists(coin -> coin.outpoint().equals(large)
                ? new Utxo(new Outpoint(large.txId(), 70_000), coin.value(), coin.height(), false, null)
                : coin);

        refusal(SpendRefusal.CoinsContradicted.class, transfer(100_000));
    }

    @Test
    void bytes_of_another_transaction_prove_nothing_and_contradict_nothing() {
        Transaction other = spends.foreign(payer, large, payer, 60_000);
        Bytes bytes = Bytes.wrap(TransactionCodec.encode(other));
        spends.node.lists(largeIsWorth(60_000));
        spends.node.shows(found -> found.txId().equals(large.txId())
                ? new NodeTransaction(found.txId(), bytes, false, found.blockId(), found.blockHeight())
                : found);

        SpendRefusal.CoinsOutOfReach refused = refusal(SpendRefusal.CoinsOutOfReach.class, transfer(55_000));

        assertThat(refused.message()).contains("another transaction");
        assertThat(counted("walletd.spend.contradicted")).isZero();
    }

    @Test
    void malformed_bytes_are_bytes_that_cannot_be_had() {
        spends.node.shows(found ->
                new NodeTransaction(found.txId(), Bytes.parse("00ff"), false, found.blockId(), found.blockHeight()));

        refusal(SpendRefusal.CoinsOutOfReach.class, transfer(1_000));
    }

    @Test
    void a_coin_whose_bytes_cannot_be_had_is_set_aside_for_one_that_can_be_proven() {
        spends.node.shows(found -> found.txId().equals(large.txId()) ? null : found);

        assertThat(pay(1_000).inputs())
                .singleElement()
                .satisfies(coin -> assertThat(coin.value()).isEqualTo(Amount.of(SMALL)));
        assertThat(counted("walletd.spend.contradicted")).isZero();
    }

    @Test
    void a_node_that_is_lost_between_listing_and_bytes_costs_a_retry_and_no_coin() {
        spends.node.fault("get_transaction", Fault.LOST_QUESTION);
        SpendRefusal refused = refusal(SpendRefusal.CoinsOutOfReach.class, transfer(1_000, "token-lost-node"));
        assertThat(refused.message()).contains("nothing was broadcast").contains("connection refused");
        assertThat(spends.spending.inFlightUtxos()).isZero();

        spends.node.faults(method -> Fault.NONE);

        pay(1_000, "token-lost-node");
    }

    @Test
    void true_bytes_are_believed_whichever_node_shows_them() {
        onlyWhatSpendsAsk();
        LedgerNode honest = new LedgerNode(spends.devnet.ledger(), spends.executor);
        spends.node.shows(found -> null);
        spends.node.among(spends.node, honest);

        pay(1_000);

        assertThat(honest.calls()).containsOnly("get_transaction");
    }

    @Test
    void an_unknown_coin_costs_one_round_that_is_counted_and_a_known_one_none() {
        onlyWhatSpendsAsk();
        List<String> asked =
                List.of("get_address_utxos", "get_address_mempool", "get_transaction", "send_raw_transaction");
        Receipt first = pay(1_000);
        assertThat(spends.node.calls()).containsExactlyElementsOf(asked);
        assertThat(counted("walletd.coins.rounds")).isEqualTo(1);
        spends.confirmAll();
        spends.node.forgetCalls();

        Receipt second = pay(1_000);

        assertThat(second.inputs())
                .singleElement()
                .satisfies(coin -> assertThat(coin.outpoint().txId()).isEqualTo(first.txId()));
        assertThat(askedBySpends()).containsExactly("get_address_utxos", "send_raw_transaction");
        assertThat(counted("walletd.coins.rounds")).isEqualTo(1);
    }

    @Test
    void change_is_known_after_a_restart_from_the_intent_that_made_it() {
        pay(1_000);
        spends.confirmAll();
        onlyWhatSpendsAsk();
        spends.node.forgetCalls();

        pay(1_000);

        assertThat(askedBySpends()).containsExactly("get_address_utxos", "get_address_mempool", "send_raw_transaction");
    }

    @Test
    void no_more_than_eight_transactions_are_asked_for_at_a_time_and_only_those_of_selected_coins() {
        long[] values = new long[30];
        Arrays.fill(values, 10_000);
        Address other = spends.funded(3, values);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        spends.node.faults(method -> {
            if (method.equals("get_transaction")) {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
            }
            return Fault.NONE;
        });
        spends.node.shows(found -> {
            now.decrementAndGet();
            return found;
        });

        Receipt receipt = get(spends.spending.transfer(request(other, shop, 180_000)));

        assertThat(receipt.inputs()).hasSizeLessThan(30);
        assertThat(Collections.frequency(spends.node.calls(), "get_transaction"))
                .isEqualTo(receipt.inputs().size());
        assertThat(most.get()).isLessThanOrEqualTo(8);
    }

    @Test
    void a_node_without_the_block_of_a_coin_ends_no_payment() {
        onSend(Fault.LAGGING);
        get(spends.spending.simulate(request(payer, shop, 1_000)));
        spends.node.shows(found -> null);

        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));
        assertThat(unknown.message()).contains("UtxoNotFound");
        Await.until("it is watched", () -> spends.spending.inFlightTransfers() == 1);

        spends.node.shows(found -> found);
        spends.node.faults(method -> Fault.NONE);
        spends.awaitAtNode("it is sent when the node has caught up", unknown.txId());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transaction validation failed: UtxoNotFound(OutPoint { tx_id: Hash256(%s), output_index: %d })",
                "Transaction validation failed: CoinbaseImmature { outpoint: OutPoint { tx_id: Hash256(%s),"
                        + " output_index: %d }, age: 3 }"
            })
    void a_node_that_has_the_block_is_asked_when_another_one_lags(String words) {
        LedgerNode current = new LedgerNode(spends.devnet.ledger(), spends.executor);
        get(spends.spending.simulate(request(payer, shop, 1_000)));
        LedgerNode behind = new LedgerNode(spends.devnet.ledger(), spends.executor);
        behind.faults(method -> Fault.LAGGING);
        spends.node.among(behind, current);
        spends.node.refuseSends(words.formatted(large.txId(), large.index()));

        Receipt receipt = pay(1_000);

        assertThat(spends.devnet.ledger().transaction(receipt.txId())).isPresent();
        assertThat(behind.calls()).doesNotContain("send_raw_transaction");
        assertThat(Collections.frequency(current.calls(), "send_raw_transaction"))
                .isEqualTo(1);
    }
}
