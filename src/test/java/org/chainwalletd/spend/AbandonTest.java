package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.LedgerNode.Fault;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** The operator abandons coins: no spend that a node has, or that is just being sent, may be abandoned with them. */
class AbandonTest extends SpendCase {
    AbandonTest() {
        super(50_000);
    }

    /** Creates a payment that no node has, which is not known yet. */
    private Hash256 lost(String token) {
        onSend(Fault.LOST_QUESTION);
        return refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, token))
                .txId();
    }

    private List<Outpoint> coinsOf(Hash256 txId) {
        return spends.intent(txId).inputs().stream().map(Coin::outpoint).toList();
    }

    private double oldestAge() {
        return spends.meters
                .get("walletd.spend.oldest.unconfirmed.seconds")
                .gauge()
                .value();
    }

    @Test
    void the_age_of_the_oldest_unconfirmed_payment_is_measured_until_it_is_confirmed() {
        assertThat(oldestAge()).isZero();
        pay(1_000, "token-old");
        spends.clock.advance(Duration.ofMinutes(2));
        Await.until("it is in flight", () -> oldestAge() >= 120);
        spends.confirmAll();
        Await.until("nothing is in flight", () -> oldestAge() == 0);
    }

    @Test
    void what_a_node_has_is_not_given_up_and_is_sent_again_when_the_node_forgets_it() {
        Receipt receipt = pay(1_000, "token-there");

        assertThat(get(spends.spending.abandon(coinsOf(receipt.txId())))).isEqualTo(new Abandoned(0, 1));

        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
        spends.devnet.forgetMempool();
        spends.awaitAtNode("it is sent again", receipt.txId());
        spends.confirmAll();
    }

    @Test
    void what_is_just_being_sent_is_not_given_up() {
        AtomicReference<CompletionStage<Abandoned>> abandoned = new AtomicReference<>();
        spends.node.onSend(tx -> abandoned.set(spends.spending.abandon(tx.inputs())));

        Receipt receipt = pay(1_000, "token-sending");

        assertThat(get(abandoned.get()).released()).isZero();
        spends.node.onSend(tx -> {});
        assertThat(pay(1_000, "token-sending")).isEqualTo(receipt);
        assertThat(stateOf(receipt.txId()).inFlight()).isTrue();
        spends.confirmAll();
    }

    @Test
    void a_repetition_that_is_just_being_sent_by_its_token_is_not_given_up() {
        Hash256 txId = lost("token-again");
        spends.node.faults(method -> Fault.NONE);
        AtomicReference<CompletionStage<Abandoned>> abandoned = new AtomicReference<>();
        spends.node.onSend(tx -> abandoned.set(spends.spending.abandon(tx.inputs())));

        assertThat(pay(1_000, "token-again").txId()).isEqualTo(txId);

        assertThat(get(abandoned.get()).released()).isZero();
        assertThat(stateOf(txId).inFlight()).isTrue();
    }

    @Test
    void a_repeated_call_leaves_the_next_payment_with_the_freed_coin_alone() {
        // The spend monitor does not end timed-out reservations either.
        spends.tick = Duration.ofHours(1);
        spends.restart();
        Hash256 first = lost("token-first");
        List<Outpoint> coins = coinsOf(first);
        assertThat(get(spends.spending.abandon(coins))).isEqualTo(new Abandoned(1, 0));
        onSend(Fault.LOST_QUESTION);
        Hash256 next = refusal(SpendRefusal.OutcomeUnknown.class, transfer(2_000, "token-next"))
                .txId();
        assertThat(coinsOf(next)).isEqualTo(coins);

        assertThat(get(spends.spending.abandon(coins))).isEqualTo(new Abandoned(0, 1));
        // The spend monitor does not end its reservation by time either.
        spends.tick = Duration.ofHours(1);
        spends.restart();
        assertThat(get(spends.spending.abandon(coins))).isEqualTo(new Abandoned(0, 1));

        assertThat(stateOf(next).inFlight()).isTrue();
        spends.clock.advance(Duration.ofMinutes(11));
        // By then its reservation may have timed out, so that nothing is left to be released.
        Await.until("it is given up", () -> {
            get(spends.spending.abandon(coins));
            return stateOf(next) == IntentState.ABANDONED;
        });
    }

    @Test
    void a_token_that_comes_while_its_payment_is_abandoned_waits_and_sends_nothing() {
        // Only the abandonment asks the node, not the spend monitor.
        spends.tick = Duration.ofHours(1);
        AtomicBoolean repeated = new AtomicBoolean();
        CompletableFuture<Object> foundInFlight = new CompletableFuture<>();
        spends.beforeReceipts = store -> withAnswers(ReceiptStore.class, store, (method, answer) -> {
            CompletionStage<?> read = answer.get();
            return method.equals("bound") && repeated.get()
                    ? read.whenComplete((bound, failure) -> foundInFlight.complete(bound))
                    : read;
        });
        // The abandonment is written only after the repeated token was read as in flight;
        // a later read would find its receipt.
        spends.before = store -> withAnswers(
                IntentStore.class,
                store,
                (method, answer) ->
                        method.equals("abandon") ? foundInFlight.thenCompose(found -> answer.get()) : answer.get());
        spends.restart();
        Hash256 txId = lost("token-race");
        AtomicReference<CompletionStage<Receipt>> again = new AtomicReference<>();
        spends.node.faults(method -> {
            if (method.equals("get_transaction") && repeated.compareAndSet(false, true)) {
                again.set(transfer(1_000, "token-race"));
            }
            return Fault.NONE;
        });
        spends.node.forgetCalls();

        assertThat(get(spends.spending.abandon(coinsOf(txId))).released()).isEqualTo(1);

        refusal(SpendRefusal.OutcomeUnknown.class, again.get());
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        assertThat(stateOf(txId)).isEqualTo(IntentState.ABANDONED);
        assertThat(spends.spending.inFlightUtxos()).isZero();
        assertThat(pay(1_000, "token-race").txId()).isEqualTo(txId);
        assertPaid(1);
    }

    /**
     * @param answering receives the name of a method and the supplier of the answer of {@code store}, which is asked when the supplier is
     *     called; not used for answers that the store gives from memory
     */
    private static <T> T withAnswers(
            Class<T> type, T store, BiFunction<String, Supplier<CompletionStage<?>>, CompletionStage<?>> answering) {
        return Stub.of(
                type,
                call -> call.answersWithStage()
                        ? answering.apply(call.name(), () -> call.stage(store))
                        : call.on(store));
    }

    @Test
    void without_an_answer_of_any_node_nothing_is_abandoned() {
        Hash256 txId = lost("token-alone");
        spends.node.faults(method -> Fault.LOST_QUESTION);

        assertThatThrownBy(() -> get(spends.spending.abandon(coinsOf(txId)))).isInstanceOf(NodeException.class);

        assertThat(stateOf(txId).inFlight()).isTrue();
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        onSend(Fault.LOST_QUESTION);
        assertThat(get(spends.spending.abandon(coinsOf(txId))).released()).isEqualTo(1);
    }

    @Test
    void while_one_of_several_nodes_does_not_answer_nothing_is_abandoned_that_the_others_lack() {
        Hash256 txId = lost("token-silent");
        LedgerNode silent = new LedgerNode(spends.devnet.ledger(), spends.executor);
        silent.faults(method -> Fault.LOST_QUESTION);
        spends.node.among(spends.node, silent);

        assertThatThrownBy(() -> get(spends.spending.abandon(coinsOf(txId))))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("a node that gives no usable answer may have " + txId);

        assertThat(stateOf(txId).inFlight()).isTrue();
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        silent.fault("send_raw_transaction", Fault.LOST_QUESTION);
        assertThat(get(spends.spending.abandon(coinsOf(txId)))).isEqualTo(new Abandoned(1, 0));
    }

    @Test
    void a_payment_that_has_chosen_the_coin_before_the_other_one_is_abandoned_is_left_alone() {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Void> answered = new CompletableFuture<>();
        spends.before = store -> withAnswers(IntentStore.class, store, (method, answer) -> {
            if (!method.equals("abandon")) {
                return answer.get();
            }
            asked.complete(null);
            return answered.thenCompose(done -> answer.get());
        });
        spends.restart();
        Hash256 given = lost("token-given");
        List<Outpoint> coins = coinsOf(given);
        CompletionStage<Abandoned> abandoned = spends.spending.abandon(coins);
        get(asked);
        spends.clock.advance(Duration.ofMinutes(11));
        spends.awaitAwake("its reservation has ended by time", () -> spends.spending.inFlightUtxos() == 0);
        spends.node.faults(method -> Fault.NONE);
        Hash256 paid = pay(2_000, "token-paid").txId();
        assertThat(coinsOf(paid)).isEqualTo(coins);

        answered.complete(null);

        assertThat(get(abandoned)).isEqualTo(new Abandoned(0, 1));
        assertThat(stateOf(given)).isEqualTo(IntentState.ABANDONED);
        assertThat(stateOf(paid).inFlight()).isTrue();
        assertThat(get(spends.store.reservations().all()))
                .extracting(ReservationStore.Reservation::txId)
                .containsExactly(paid);
        spends.confirmAll();
        assertThat(stateOf(paid)).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void a_payment_that_has_chosen_the_coin_while_the_store_was_in_doubt_about_the_other_one_is_left_alone() {
        AtomicBoolean failing = new AtomicBoolean(true);
        CompletableFuture<Object> freed = new CompletableFuture<>();
        spends.beforeReservations = store -> withAnswers(
                ReservationStore.class,
                store,
                (method, answer) -> method.equals("abandon")
                        ? answer.get().whenComplete((ended, failure) -> freed.complete(ended))
                        : answer.get());
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Void> answered = new CompletableFuture<>();
        spends.before = store -> withAnswers(IntentStore.class, store, (method, answer) -> {
            if (method.equals("abandon") && failing.getAndSet(false)) {
                return answer.get()
                        .thenCompose(done -> CompletableFuture.failedFuture(
                                new StoreException(StoreException.Reason.UNKNOWN, "the disk failed", null)));
            }
            if (!method.equals("findForCertain")) {
                return answer.get();
            }
            asked.complete(null);
            return answered.thenCompose(done -> answer.get());
        });
        spends.restart();
        Hash256 given = lost("token-given");
        List<Outpoint> coins = coinsOf(given);
        assertThatThrownBy(() -> get(spends.spending.abandon(coins))).isInstanceOf(StoreException.class);
        get(asked);
        Await.until("its reservation has ended by time", () -> {
            spends.clock.advance(Duration.ofMinutes(11));
            spends.wake();
            return spends.spending.inFlightUtxos() == 0;
        });
        spends.node.faults(method -> Fault.NONE);
        Hash256 paid = pay(2_000, "token-paid").txId();
        assertThat(coinsOf(paid)).isEqualTo(coins);

        answered.complete(null);

        get(freed);
        assertThat(stateOf(paid).inFlight()).isTrue();
        assertThat(get(spends.store.reservations().all()))
                .extracting(ReservationStore.Reservation::txId)
                .containsExactly(paid);
        spends.confirmAll();
        assertThat(stateOf(paid)).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void what_cannot_be_written_is_not_given_up() {
        Hash256 txId = lost("token-disk");
        List<Outpoint> coins = coinsOf(txId);
        StoreFaults.failWrites(spends.store, true);

        assertThatThrownBy(() -> get(spends.spending.abandon(coins))).isInstanceOf(StoreException.class);

        StoreFaults.failWrites(spends.store, false);
        assertThat(spends.spending.inFlightTransfers()).isEqualTo(1);
        assertThat(spends.spending.inFlightUtxos()).isEqualTo(1);
        spends.node.faults(method -> Fault.NONE);
        spends.awaitAtNode("it is sent after all", txId);
        spends.confirmAll();
    }

    @Test
    void the_same_payment_under_another_token_never_takes_the_transaction_of_one_that_was_abandoned() {
        Hash256 first = lost("token-first");
        get(spends.spending.abandon(coinsOf(first)));
        spends.node.faults(method -> Fault.NONE);

        refusal(SpendRefusal.InFlightExhausted.class, transfer(1_000, "token-two"));
        assertThat(pay(1_000, "token-first").txId()).isEqualTo(first);
        spends.confirmAll();
        Receipt second = pay(1_000, "token-two");

        assertThat(second.txId()).isNotEqualTo(first);
        assertPaid(2);
        assertThat(Optional.of(stateOf(second.txId()))).contains(IntentState.CONFIRMED);
    }
}
