package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Final closing of a spend relies on bytes, never on the claim of a node (decisions.md, 8c). */
class OneNodesWordTest extends SpendCase {
    private static final Hash256 MADE_UP = Hash256.sha256(new byte[] {4, 2});
    private static final String DOUBLE_SPEND =
            "Mempool pre-check failed: double-spend of OutPoint { tx_id: Hash256(%s), output_index: %s }";
    private static final String NOT_FOUND =
            "Transaction validation failed: UtxoNotFound(OutPoint { tx_id: Hash256(%s), output_index: %s })";

    private Address poor;
    private Receipt receipt;

    OneNodesWordTest() {
        super(10_000);
    }

    @BeforeEach
    void pay() {
        poor = spends.funded(2, 4_000);
        spends.devnet.mine(1);
        receipt = pay(1_000, "token-word");
    }

    /** Makes the node report every transaction in this block. */
    private void claimsBlock(Hash256 id, long height) {
        spends.node.shows(tx -> new NodeClient.NodeTransaction(tx.txId(), tx.bytes(), false, id, height));
    }

    /** Looks at the spends in flight until the node was asked this many more times. */
    private void lookedAt(int times) {
        spends.node.forgetCalls();
        spends.awaitAwake("it was looked at", () -> spends.node.count("get_transaction") >= times);
    }

    private long height() {
        return spends.devnet.ledger().tip().height();
    }

    @Test
    void a_block_that_nobody_mined_confirms_nothing() {
        claimsBlock(MADE_UP, height());
        lookedAt(3);
        claimsBlock(MADE_UP, height() + 5);
        lookedAt(3);
        claimsBlock(MADE_UP, Long.MAX_VALUE);
        lookedAt(3);

        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.confirmAll();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void a_block_of_the_chain_that_does_not_have_it_confirms_nothing() {
        claimsBlock(spends.devnet.ledger().tip().id(), height());

        lookedAt(5);

        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
    }

    @Test
    void a_spender_that_no_block_has_closes_nothing() {
        spends.devnet.forgetMempool();
        Outpoint coin = receipt.inputs().get(0).outpoint();
        spends.node.refuseSends("Transaction validation failed: UtxoNotFound(OutPoint { tx_id: Hash256(" + coin.txId()
                + "), output_index: " + coin.index() + " })");
        spends.node.spends(Optional.of(new NodeClient.SpentBy(MADE_UP, 0, height())));

        lookedAt(5);

        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
        spends.node.refuseSends(null);
        spends.awaitAtNode("it is sent all the same", receipt.txId());
    }

    private String refusalOfNext(String words) {
        spends.devnet.forgetMempool();
        Outpoint coin = spends.coins(poor).get(0).outpoint();
        return words.formatted(coin.txId(), coin.index());
    }

    /** Makes the node refuse every send of {@code poor} with this text; its caller is told that the outcome is unknown. */
    private SpendRefusal.OutcomeUnknown unknownAfter(String words) {
        spends.node.refuseSends(refusalOfNext(words));
        SpendRefusal.OutcomeUnknown unknown = refusal(
                SpendRefusal.OutcomeUnknown.class, spends.spending.transfer(request(poor, shop, 2_000, "token-poor")));
        Intent intent = spends.intent(unknown.txId());
        assertThat(intent.state().inFlight()).isTrue();
        return unknown;
    }

    private void isSentWhenTheNodeTakesIt(SpendRefusal.OutcomeUnknown unknown) {
        spends.node.refuseSends(null);
        spends.node.spends(Optional.empty());
        spends.awaitAtNode("it is sent all the same", unknown.txId());
        assertThat(get(spends.spending.transfer(request(poor, shop, 2_000, "token-poor")))
                        .txId())
                .isEqualTo(unknown.txId());
    }

    @Test
    void a_double_spend_that_a_node_cannot_show_is_an_unknown_outcome() {
        isSentWhenTheNodeTakesIt(unknownAfter(DOUBLE_SPEND));
    }

    @Test
    void a_spent_coin_whose_spender_a_node_cannot_show_is_an_unknown_outcome() {
        spends.node.spends(Optional.of(new NodeClient.SpentBy(MADE_UP, 0, height())));

        isSentWhenTheNodeTakesIt(unknownAfter(NOT_FOUND));
    }

    @Test
    void a_transaction_that_does_not_spend_the_coin_is_no_spender() {
        Outpoint funding = spends.coins(poor).get(0).outpoint();
        spends.node.spends(Optional.of(new NodeClient.SpentBy(funding.txId(), 0, height())));

        isSentWhenTheNodeTakesIt(unknownAfter(NOT_FOUND));
    }

    @Test
    void a_spender_with_the_signature_of_another_key_or_of_another_chain_is_none() {
        Outpoint coin = spends.coins(poor).get(0).outpoint();
        TxOutput output = TxOutput.toAddress(shop, Amount.of(3_000));
        Transaction foreignKey = spends.keys.spend(shop, spends.devnet.genesisId(), coin, output);
        spends.node.invents(foreignKey, TransactionCodec.txId(SpendHarness.PROFILE, foreignKey));
        SpendRefusal.OutcomeUnknown unknown = unknownAfter(NOT_FOUND);

        Transaction foreignChain = spends.keys.spend(poor, MADE_UP, coin, output);
        spends.node.invents(foreignChain, TransactionCodec.txId(SpendHarness.PROFILE, foreignChain));
        assertThat(refusal(
                                SpendRefusal.OutcomeUnknown.class,
                                spends.spending.transfer(request(poor, shop, 2_000, "token-poor")))
                        .txId())
                .isEqualTo(unknown.txId());

        isSentWhenTheNodeTakesIt(unknown);
    }

    @Test
    void what_one_node_refuses_another_takes() {
        LedgerNode honest = new LedgerNode(spends.devnet.ledger(), spends.executor);
        spends.node.among(spends.node, honest);
        for (String words : List.of("Mempool rejected transaction: fee density too low", DOUBLE_SPEND, NOT_FOUND)) {
            Address next = spends.funded(10 + words.length() % 80, 5_000);
            Outpoint coin = spends.coins(next).get(0).outpoint();
            spends.node.refuseSends(words.formatted(coin.txId(), coin.index()));

            Hash256 paid =
                    get(spends.spending.transfer(request(next, shop, 2_000))).txId();

            assertThat(spends.devnet.ledger().transaction(paid)).as(words).isPresent();
        }
    }

    @Test
    void a_node_that_says_it_has_a_payment_does_not_keep_it_from_the_others() {
        LedgerNode honest = new LedgerNode(spends.devnet.ledger(), spends.executor);
        Receipt hidden = receipt;
        Optional<NodeClient.NodeTransaction> held = get(honest.transaction(hidden.txId()));
        LedgerNode liar = new LedgerNode(spends.devnet.ledger(), spends.executor) {
            @Override
            public CompletionStage<Optional<NodeClient.NodeTransaction>> transaction(Hash256 txId) {
                return txId.equals(hidden.txId()) ? CompletableFuture.completedFuture(held) : super.transaction(txId);
            }
        };
        spends.node.among(liar, honest);
        spends.devnet.forgetMempool();

        spends.awaitAtNode("the other has it", hidden.txId());
    }

    @Test
    void what_no_node_accepts_is_not_sent_again_for_each_new_tip() {
        spends.devnet.forgetMempool();
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        spends.node.forgetCalls();

        Await.until("it was looked at often", () -> {
            spends.rumour();
            return spends.node.count("get_transaction") >= 30;
        });

        assertThat(spends.node.calls()).containsOnlyOnce("send_raw_transaction");
    }

    @Test
    void a_block_and_what_another_one_spends_in_it_are_believed_from_the_followed_chain_whatever_a_node_says() {
        spends.node.faults(method -> LedgerNode.Fault.LOST_QUESTION);
        spends.devnet.mine(1);

        Await.until("it is confirmed", () -> stateOf(receipt.txId()) == IntentState.CONFIRMED);
        spends.devnet.reorganise(
                1, false, List.of(spends.foreign(payer, receipt.inputs().get(0).outpoint(), shop, 9_000)));
        Await.until("it has lost", () -> stateOf(receipt.txId()) == IntentState.CONFLICTED);
    }

    @Test
    void a_block_below_all_books_is_proven_by_the_bytes_that_a_node_sends() {
        spends.crash();
        spends.devnet.mine(3);
        spends.withoutBooks(folder.resolve("younger-books"));

        spends.start();

        spends.awaitAwake("it is confirmed", () -> stateOf(receipt.txId()) == IntentState.CONFIRMED);
        assertThat(get(spends.store.intents().unburied())
                        .get(0)
                        .place()
                        .orElseThrow()
                        .height())
                .isEqualTo(height() - 2);
    }
}
