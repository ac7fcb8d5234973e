package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.PaymentPlan;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** The store cannot say whether it has written an intent: nothing is sent, and nothing that belongs to it is given to other spends. */
class IntentInDoubtTest extends SpendCase {
    private static final long COIN = 10_000;

    private UncertainIntents disk;

    IntentInDoubtTest() {
        super(COIN, COIN);
    }

    @Override
    void prepare() {
        spends.limits = SpendHarness.perDay(1_000_000);
    }

    private void start(UncertainIntents.Commit commit) {
        disk = new UncertainIntents(commit);
        spends.before = disk::before;
        spends.restart();
    }

    private Hash256 inDoubt(CompletionStage<Receipt> answer) {
        return refusal(SpendRefusal.OutcomeUnknown.class, answer).txId();
    }

    private void assertHeld() {
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        assertThat(spent()).isNotEqualTo(Amount.ZERO);
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
    }

    @Test
    void no_other_payment_takes_its_coins_and_its_allowance_until_it_is_known_to_be_nowhere() {
        start(UncertainIntents.Commit.LOST);
        inDoubt(transfer(1_000));
        disk.opensUnknown = false;

        assertHeld();
        TransferRequest both = request(payer, shop, COIN + 1_000);
        refusal(SpendRefusal.InFlightExhausted.class, spends.spending.transfer(both));
        disk.staysUnknown = false;
        Await.until("it is known", () -> spends.spending.inFlightUtxos() == 0);

        assertThat(spent()).isEqualTo(Amount.ZERO);
        get(spends.spending.transfer(both));
        assertPaid(1);
    }

    @Test
    void its_token_means_the_same_bytes_however_often_it_comes() {
        start(UncertainIntents.Commit.LOST);
        TransferRequest request = request(payer, shop, 1_000, "token-doubt");
        Hash256 txId = inDoubt(spends.spending.transfer(request));

        assertThat(inDoubt(spends.spending.transfer(request))).isEqualTo(txId);
        assertHeld();
        refusal(SpendRefusal.TokenConflict.class, transfer(2_000, "token-doubt"));
        disk.opensUnknown = false;

        assertThat(get(spends.spending.transfer(request)).txId()).isEqualTo(txId);
        disk.staysUnknown = false;
        assertPaid(1);
    }

    @Test
    void a_token_whose_intent_was_lost_is_free_again() {
        start(UncertainIntents.Commit.LOST);
        inDoubt(transfer(1_000, "token-lost"));
        disk.opensUnknown = false;
        disk.staysUnknown = false;
        Await.until("it is known", () -> spends.spending.inFlightUtxos() == 0);

        // The token is freed slightly later than the coins.
        Await.until("the token is free", () -> {
            try {
                pay(2_000, "token-lost");
                return true;
            } catch (SpendException e) {
                assertThat(e.refusal()).isInstanceOf(SpendRefusal.TokenConflict.class);
                return false;
            }
        });

        spends.confirmAll();
        assertThat(spends.coins(shop)).extracting(coin -> coin.value()).containsExactly(Amount.of(2_000));
    }

    @Test
    void one_that_was_written_after_all_is_sent_without_anybody_asking() {
        start(UncertainIntents.Commit.WRITTEN);
        Hash256 txId = inDoubt(transfer(1_000, "token-written"));
        assertHeld();

        disk.staysUnknown = false;

        spends.awaitAtNode("the node has it", txId);
        spends.confirmAll();
        assertThat(pay(1_000, "token-written").txId()).isEqualTo(txId);
        assertThat(spends.coins(shop)).hasSize(1);
    }

    @Test
    void one_that_was_written_after_all_is_paid_when_its_token_comes_again() {
        start(UncertainIntents.Commit.WRITTEN);
        Hash256 txId = inDoubt(transfer(1_000, "token-written"));
        disk.opensUnknown = false;

        assertThat(pay(1_000, "token-written").txId()).isEqualTo(txId);

        disk.staysUnknown = false;
        assertPaid(1);
    }

    /** Plan of a lock that its swap wants only with {@code wanted}. */
    private SpendPlan lock(AtomicBoolean wanted) {
        PaymentPlan payment =
                (PaymentPlan) request(payer, shop, 1_000, "token-lock").plan();
        return payment.ofOwner(OwnerRebroadcasts.SWAP_LOCK, wanted::get);
    }

    @Test
    void one_that_its_owner_has_abandoned_is_neither_written_nor_sent() {
        AtomicBoolean wanted = new AtomicBoolean(true);
        start(UncertainIntents.Commit.LOST);
        Hash256 txId = inDoubt(spends.spending.spend(lock(wanted)));
        disk.opensUnknown = false;
        wanted.set(false);

        SpendRefusal.OutcomeUnknown unknown =
                refusal(SpendRefusal.OutcomeUnknown.class, spends.spending.spend(lock(wanted)));
        assertThat(unknown.txId()).isEqualTo(txId);
        assertThat(unknown.message()).doesNotContain("nothing was broadcast");
        assertHeld();
        disk.staysUnknown = false;

        Await.until("it is known", () -> spends.spending.inFlightUtxos() == 0);
        assertThat(get(spends.store.intents().find(txId))).isEmpty();
        assertThat(spent()).isEqualTo(Amount.ZERO);
    }

    @Test
    void one_that_was_refused_is_not_opened_again_once_its_owner_has_abandoned_it() {
        AtomicBoolean wanted = new AtomicBoolean(true);
        spends.node.refuseSends("no room");
        refusal(SpendRefusal.UpstreamFailed.class, spends.spending.spend(lock(wanted)));
        Hash256 txId = get(spends.spending.ofToken("token-lock")).orElseThrow().txId();
        assertThat(stateOf(txId)).isEqualTo(IntentState.REFUSED);
        spends.node.refuseSends(null);
        wanted.set(false);

        SpendRefusal refusal = refusal(SpendRefusal.BuildFailed.class, spends.spending.spend(lock(wanted)));

        assertThat(refusal.message())
                .as("the nodes were shown its bytes")
                .doesNotContain("nothing was broadcast")
                .contains("not sent again");
        assertThat(stateOf(txId)).isEqualTo(IntentState.REFUSED);
        assertThat(spends.isAtNode(txId)).isFalse();
        wanted.set(true);
        assertThat(get(spends.spending.spend(lock(wanted))).txId()).isEqualTo(txId);
    }

    @Test
    void a_restart_continues_with_what_was_written_and_frees_the_coins_of_what_was_lost() {
        start(UncertainIntents.Commit.WRITTEN);
        Hash256 written = inDoubt(transfer(1_000));
        spends.restart();
        Await.until("the node has it", () -> spends.isAtNode(written));
        spends.confirmAll();
        spends.crash();

        spends.before = new UncertainIntents(UncertainIntents.Commit.LOST)::before;
        spends.start();
        inDoubt(transfer(1_000));
        spends.restart();

        assertThat(spends.spending.inFlightUtxos()).isZero();
    }
}
