package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** The store cannot be written for a while: the daemon keeps running, sends nothing that is not on disk, and needs no restart afterwards. */
class StoreFailureTest extends SpendCase {
    StoreFailureTest() {
        super(10_000, 10_000, 10_000, 10_000);
    }

    @Override
    void prepare() {
        spends.limits = SpendHarness.perDay(1_000_000);
    }

    private void storeFails(boolean fails) {
        StoreFaults.failWrites(spends.store, fails);
    }

    private static void assertNotWritten(CompletionStage<Receipt> answer) {
        assertThatThrownBy(() -> get(answer))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE))
                .hasMessageContaining("cannot be written");
    }

    @Test
    void an_intent_that_cannot_be_written_is_not_sent_and_holds_nothing() {
        storeFails(true);

        List<CompletionStage<Receipt>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(transfer(1_000 + i, i % 2 == 0 ? "token-full-" + i : null));
        }
        answers.forEach(answer -> {
            // With more payments than coins, some find all coins held, which is not a failure of the store.
            assertThatThrownBy(() -> get(answer)).isInstanceOfAny(StoreException.class, SpendException.class);
        });

        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        assertNotWritten(transfer(1_000, "token-full-0"));
        Await.until("nothing is reserved", () -> spends.spending.inFlightUtxos() == 0);
        assertThat(spends.spending.inFlightTransfers()).isZero();
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void spending_works_again_without_a_restart_and_the_token_of_a_failed_call_is_free() {
        storeFails(true);
        assertNotWritten(transfer(1_000, "token-again"));
        storeFails(false);

        pay(2_000, "token-again");

        spends.confirmAll();
        assertThat(spends.coins(shop)).extracting(coin -> coin.value()).containsExactly(Amount.of(2_000));
    }

    @Test
    void an_outcome_that_cannot_be_written_is_found_out_again() {
        spends.node.onSend(tx -> storeFails(true));

        Receipt receipt = pay(1_000, "token-outcome");

        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
        Await.until("it is watched", () -> spends.spending.inFlightTransfers() == 1);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.node.onSend(tx -> {});
        spends.devnet.mine(1);
        spends.wake();
        storeFails(false);
        spends.confirmAll();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
        assertThat(pay(1_000, "token-outcome")).isEqualTo(receipt);
        assertThat(spends.coins(shop)).hasSize(1);
    }

    @Test
    void a_refusal_that_cannot_be_written_is_no_refusal_because_the_payment_is_sent_again() {
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        spends.node.onSend(tx -> storeFails(true));

        SpendRefusal.OutcomeUnknown unknown = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000));

        assertThat(unknown.message()).contains("fee density too low");
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.node.onSend(tx -> {});
        storeFails(false);
        spends.node.refuseSends(null);
        spends.awaitAtNode("the node has it", unknown.txId());
        spends.confirmAll();
    }

    @Test
    void a_reorganisation_that_cannot_be_written_down_is_found_out_again() {
        Receipt receipt = pay(1_000, "token-reorg");
        spends.confirmAll();
        storeFails(true);
        spends.node.forgetCalls();
        spends.devnet.reorganise(1, false, List.of());
        spends.awaitFollowed();
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");

        storeFails(false);

        Await.until("the node has it again", () -> {
            spends.clock.advance(Duration.ofSeconds(1));
            return spends.isAtNode(receipt.txId());
        });
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.ACCEPTED);
        spends.confirmAll();
    }
}
