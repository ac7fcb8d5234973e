package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Payments continue while background work is stopped, and are followed from the store when it runs again. */
class BackgroundStopsTest extends SpendCase {
    private Keeper keeper;
    private final AtomicReference<CompletableFuture<Void>> holdsNextOpen = new AtomicReference<>();

    BackgroundStopsTest() {
        super(10_000, 10_000, 10_000, 10_000, 10_000, 10_000);
    }

    @Override
    void prepare() {
        keeper = Keeper.under(Spawners.of(spends.kit));
        spends.background = keeper;
        spends.before = this::heldOpen;
    }

    @BeforeEach
    void begin() {
        keeper.start();
    }

    @AfterEach
    void end() {
        keeper.stop();
    }

    @Test
    void what_was_paid_while_it_was_stopped_is_followed_when_it_runs_again() {
        Receipt before = pay(1_000, "token-before");
        keeper.stop();
        Receipt meanwhile = pay(2_000, "token-meanwhile");
        spends.devnet.mine(1);
        spends.awaitFollowed();
        assertThat(stateOf(before.txId())).isNotEqualTo(IntentState.CONFIRMED);

        keeper.start();

        spends.confirmAll();
        assertThat(stateOf(before.txId())).isEqualTo(IntentState.CONFIRMED);
        assertThat(stateOf(meanwhile.txId())).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void what_a_node_has_forgotten_meanwhile_is_sent_again_and_what_is_gone_from_the_chain_too() {
        Receipt receipt = pay(1_000, "token-lost");
        spends.confirmAll();
        keeper.stop();
        spends.devnet.reorganise(1, false, List.of());
        spends.awaitFollowed();

        keeper.start();

        spends.awaitAtNode("a node has it again", receipt.txId());
        assertPaid(1);
    }

    @Test
    void nothing_is_abandoned_while_it_is_stopped_and_the_call_can_be_repeated() {
        Receipt receipt = pay(1_000, "token-abandoned");
        List<Outpoint> coins = spends.intent(receipt.txId()).inputs().stream()
                .map(Coin::outpoint)
                .toList();
        spends.lose();
        keeper.stop();

        assertThatThrownBy(() -> get(spends.spending.abandon(coins)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.NOT_KEEPER));
        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();

        keeper.start();
        assertThat(get(spends.spending.abandon(coins)).released()).isEqualTo(coins.size());
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.ABANDONED);
    }

    /** The store has the payment, and its call resumes only now and then: nothing else may send it first. */
    @Test
    void a_payment_that_is_being_made_is_left_to_its_spender_when_background_work_begins_again() {
        isLeftToItsCallFor(Duration.ZERO);
    }

    @Test
    void a_payment_whose_call_is_paused_for_long_is_left_to_it_and_not_taken_for_another_daemons() {
        isLeftToItsCallFor(Duration.ofMinutes(9));
    }

    private void isLeftToItsCallFor(Duration pause) {
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        holdsNextOpen.set(goesOn);
        CompletionStage<Receipt> paid = transfer(1_000, "token-held");
        Await.until(
                "its intent is durable",
                () -> !get(spends.store.intents().inFlight()).isEmpty());
        Intent held = get(spends.store.intents().inFlight()).get(0);

        keeper.stop();
        keeper.start();
        spends.clock.advance(pause);
        spends.devnet.mine(1);
        spends.awaitFollowed();
        Receipt later = pay(2_000, "token-later");
        awaitSentAgain(later);

        assertThat(spends.devnet.ledger().transaction(held.txId())).isEmpty();
        goesOn.complete(null);
        assertThat(get(paid).txId()).isEqualTo(held.txId());
        assertPaid(2);
    }

    /** The caller was told that nothing was paid, and may have paid in another way since. */
    @Test
    void a_payment_that_is_refused_after_background_work_began_again_is_not_sent_again() {
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        holdsNextOpen.set(goesOn);
        CompletionStage<Receipt> paid = transfer(1_000);
        Await.until(
                "its intent is durable",
                () -> !get(spends.store.intents().inFlight()).isEmpty());
        Intent held = get(spends.store.intents().inFlight()).get(0);
        keeper.stop();
        keeper.start();
        Receipt later = pay(2_000, "token-later");
        awaitSentAgain(later);

        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        goesOn.complete(null);
        refusal(SpendRefusal.UpstreamFailed.class, paid);
        spends.node.refuseSends(null);
        awaitSentAgain(later);
        spends.node.forgetCalls();
        spends.awaitAwake("all that is watched was looked at often", () -> spends.node.count("get_transaction") >= 10);

        assertThat(spends.devnet.ledger().transaction(held.txId())).isEmpty();
        assertThat(stateOf(held.txId())).isEqualTo(IntentState.REFUSED);
        assertPaid(1);
    }

    /** Returns when everything in flight has been looked at. */
    private void awaitSentAgain(Receipt last) {
        spends.devnet.forgetMempool();
        spends.awaitAtNode("the last payment is sent again", last.txId());
    }

    /** Makes the next opened intent durable at once, and reports that only when {@link #holdsNextOpen} completes. */
    private IntentStore heldOpen(IntentStore store) {
        return Stub.of(IntentStore.class, call -> {
            Object answer = call.on(store);
            CompletableFuture<Void> goesOn = call.name().equals("open") ? holdsNextOpen.getAndSet(null) : null;
            return goesOn == null ? answer : ((CompletionStage<?>) answer).thenCombine(goesOn, (opened, now) -> opened);
        });
    }

    @Test
    void stops_and_starts_under_payments_lose_none_and_contest_none() {
        List<CompletionStage<Receipt>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(transfer(1_000 + i, "token-" + i));
            keeper.stop();
            keeper.start();
        }

        List<Receipt> receipts = answers.stream().map(SpendHarness::get).toList();

        spends.confirmAll();
        receipts.forEach(receipt -> assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED));
        assertThat(spends.coins(shop)).hasSize(6);
    }
}
