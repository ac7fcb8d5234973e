package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A node lists a coin that another party has already spent (following.md, section 2). A payment that takes it is still made, under its
 * token and once: with a coin of the first attempt, so that both can never be mined, or after the spend of the coin is buried.
 */
class BuiltAgainTest extends SpendCase {
    private static final String TOKEN = "token-again";
    private static final long AMOUNT = 15_000;

    private final List<Transaction> sent = new ArrayList<>();

    @BeforeEach
    void listen() {
        spends.node.onSend(sent::add);
    }

    private void fund(long... values) {
        payer = spends.funded(1, values);
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
    }

    /** Creates a coin that the nodes list from now on, although another party's spend of it is in a block. */
    private Hash256 phantom(long value) {
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        Outpoint coin = spends.coin(payer, value);
        get(spends.spending.simulate(request(payer, shop, 300)));
        Hash256 rival = spends.spendElsewhere(payer, coin, shop, value - 500);
        spends.devnet.mine(1);
        spends.awaitFollowed();
        spends.node.fault("get_address_utxos", LedgerNode.Fault.LAGGING);
        return rival;
    }

    private CompletionStage<Receipt> pay() {
        return transfer(AMOUNT, TOKEN);
    }

    private static Hash256 idOf(Transaction tx) {
        return TransactionCodec.txId(SpendHarness.PROFILE, tx);
    }

    private static List<Outpoint> coinsOf(Receipt receipt) {
        return receipt.inputs().stream().map(Coin::outpoint).toList();
    }

    private long timesPaid(long amount) {
        return spends.coins(shop).stream()
                .filter(coin -> coin.value().equals(Amount.of(amount)))
                .count();
    }

    /** The periodic work of each minute is also done at a start. */
    private void restart() {
        spends.awaitFollowed();
        spends.restart();
        spends.awaitFollowed();
        spends.node.onSend(sent::add);
    }

    @Test
    void a_payment_that_meets_a_spent_coin_is_made_in_the_same_call_with_another_coin_of_it() {
        fund(10_000, 9_000, 8_000, 7_000);
        Outpoint kept = spends.coin(payer, 9_000);
        Outpoint gone = spends.coin(payer, 10_000);
        phantom(10_000);

        Receipt receipt = get(pay());

        assertThat(coinsOf(receipt)).contains(kept).doesNotContain(gone);
        Transaction first = sent.get(0);
        assertThat(first.inputs()).contains(kept, gone);
        assertThat(stateOf(idOf(first))).isEqualTo(IntentState.CONFLICTED);
        assertThat(get(pay())).isEqualTo(receipt);
        restart();
        assertThat(get(pay())).isEqualTo(receipt);
        spends.confirmAll();
        assertThat(timesPaid(AMOUNT)).isOne();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void however_many_coins_are_spent_already_every_try_shares_a_coin_with_all_before_it() {
        fund(10_000, 9_000, 8_000, 7_000, 6_000);
        phantom(8_000);
        Outpoint second = spends.coin(payer, 10_000);
        spends.spendElsewhere(payer, second, shop, 9_000);
        spends.devnet.mine(1);

        Receipt receipt = get(pay());

        assertThat(sent).hasSizeGreaterThanOrEqualTo(3);
        List<Outpoint> shared = new ArrayList<>(coinsOf(receipt));
        sent.forEach(tx -> shared.retainAll(tx.inputs()));
        assertThat(shared).as("a coin of all tries").isNotEmpty();
        spends.confirmAll();
        assertThat(timesPaid(AMOUNT)).isOne();
    }

    /** No other coin can be shared: only time decides. */
    @Test
    void without_another_coin_of_it_the_outcome_is_unknown_until_the_spender_is_buried() {
        fund(30_000, 20_000);
        Outpoint other = spends.coin(payer, 20_000);
        phantom(30_000);
        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, pay());
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        for (int blocks = 2; blocks < SpendHarness.BURIAL_DEPTH; blocks++) {
            spends.devnet.mine(1);
            restart();
            assertThat(refusal(SpendRefusal.OutcomeUnknown.class, pay()).txId()).isEqualTo(unknown.txId());
        }

        spends.devnet.mine(2);
        restart();
        Await.until(
                "it is lost for good",
                () -> get(spends.store.intents().lost(0, 9)).isEmpty());
        Receipt receipt = get(pay());

        assertThat(coinsOf(receipt)).containsExactly(other);
        assertThat(stateOf(unknown.txId())).isEqualTo(IntentState.CONFLICTED);
        spends.confirmAll();
        assertThat(get(pay())).isEqualTo(receipt);
        assertThat(timesPaid(AMOUNT)).isOne();
    }

    @Test
    void a_first_try_that_a_block_has_after_all_is_what_its_token_stands_for() {
        fund(10_000, 9_000, 8_000, 7_000);
        phantom(10_000);
        Receipt later = get(pay());
        Transaction first = sent.get(0);
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        spends.devnet.mine(1);
        spends.awaitAwake("the later try is confirmed", () -> stateOf(later.txId()) == IntentState.CONFIRMED);

        spends.devnet.reorganise(2, false, List.of(first));
        spends.awaitAwake("the later try has lost", () -> stateOf(later.txId()) == IntentState.CONFLICTED);
        restart();
        Await.until("the first try is confirmed", () -> stateOf(idOf(first)) == IntentState.CONFIRMED);

        assertThat(get(pay()).txId()).isEqualTo(idOf(first));
        assertThat(timesPaid(AMOUNT)).isOne();
        restart();
        assertThat(get(pay()).txId()).isEqualTo(idOf(first));

        spends.devnet.reorganise(3, false, List.of(heard(later)));
        spends.awaitAwake(
                "the later try is confirmed once more",
                () -> timesPaid(AMOUNT) == 1 && stateOf(idOf(first)) == IntentState.CONFLICTED);
        restart();
        Await.until(
                "its token stands for it",
                () -> get(pay().thenApply(Receipt::txId).exceptionally(notYet -> Hash256.ZERO))
                        .equals(later.txId()));
        assertThat(timesPaid(AMOUNT)).isOne();
    }

    private Transaction heard(Receipt receipt) {
        return sent.stream()
                .filter(tx -> idOf(tx).equals(receipt.txId()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void the_first_try_is_never_sent_again_once_there_is_another() {
        fund(10_000, 9_000, 8_000, 7_000);
        phantom(10_000);
        Receipt later = get(pay());
        Hash256 first = idOf(sent.get(0));
        sent.clear();
        spends.node.faults(method -> LedgerNode.Fault.NONE);

        spends.devnet.forgetMempool();
        restart();
        spends.awaitAtNode("the later try is sent again", later.txId());
        get(pay());

        assertThat(sent).extracting(BuiltAgainTest::idOf).isNotEmpty().doesNotContain(first);
    }

    @ParameterizedTest
    @EnumSource
    void whatever_becomes_of_the_commit_of_the_second_try_it_is_paid_once(UncertainIntents.Commit commit) {
        spends.close();
        spends = new SpendHarness(folder.resolve("uncertain"));
        UncertainIntents disk = new UncertainIntents(commit);
        disk.opensUnknown = false;
        spends.before = disk::before;
        spends.start();
        shop = spends.keys.add(99);
        spends.node.onSend(tx -> {
            sent.add(tx);
            disk.opensUnknown = sent.size() == 1;
        });
        fund(10_000, 9_000, 8_000, 7_000);
        phantom(10_000);

        refusal(SpendRefusal.OutcomeUnknown.class, pay());
        disk.opensUnknown = false;
        disk.staysUnknown = false;
        restart();
        spends.wake();

        Receipt receipt = get(pay());
        spends.confirmAll();
        assertThat(get(pay())).isEqualTo(receipt);
        assertThat(timesPaid(AMOUNT)).isOne();
    }

    @Test
    void both_tries_together_count_once_against_the_cap() {
        spends.crash();
        spends.limits = SpendHarness.perDay(20_000);
        spends.start();
        fund(10_000, 9_000, 8_000, 7_000);
        phantom(10_000);

        Receipt receipt = get(pay());

        Amount leaving = Amount.of(AMOUNT).plus(receipt.fee());
        assertThat(spent()).isEqualTo(leaving);
        restart();
        assertThat(spent()).isEqualTo(leaving);
    }

    @Test
    void a_coin_whose_spender_was_shown_is_chosen_by_no_other_payment() {
        fund(30_000, 20_000);
        Outpoint other = spends.coin(payer, 20_000);
        phantom(30_000);
        refusal(SpendRefusal.DoubleSpend.class, transfer(AMOUNT));

        assertThat(coinsOf(pay(AMOUNT))).containsExactly(other);
    }

    @Test
    void a_coin_is_chosen_again_when_the_block_of_its_spender_has_gone() {
        fund(30_000);
        phantom(30_000);
        refusal(SpendRefusal.DoubleSpend.class, transfer(AMOUNT));
        spends.node.faults(method -> LedgerNode.Fault.NONE);

        spends.devnet.reorganise(1, false, List.of());
        spends.awaitFollowed();

        Await.until("its coin is free", () -> spends.spending.inFlightUtxos() == 0);
        pay(AMOUNT - 1);
    }

    @Test
    void one_that_is_not_paid_otherwise_yet_counts_on_and_is_found_by_no_clock() {
        fund(30_000);
        phantom(30_000);
        Hash256 txId = refusal(SpendRefusal.OutcomeUnknown.class, pay()).txId();

        assertThat(get(spends.store.intents().lost(0, 9)))
                .extracting(LostSpend::state)
                .containsExactly(IntentState.CONFLICTED);
        assertThat(spends.devnet.ledger().transaction(txId)).isEmpty();
        assertThat(spends.spending.inFlightTransfers()).isZero();
    }
}
