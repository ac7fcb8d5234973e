package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.payout.WaitingFor;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.ReturnPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Payouts are paid once, regardless of the nodes' answers, and the outcome of each is reported. */
@Tag("long")
class PayoutQueueTest {
    private static final String REFUSAL = "Transaction validation failed: whatever";

    @TempDir
    Path folder;

    private PayoutRig rig;
    private Address payer;

    @BeforeEach
    void start() {
        rig = new PayoutRig(folder).start();
        payer = rig.spends.funded(1, 1_000_000, 1_000_000);
        rig.bury();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    /** Puts a batch of one payout in flight that every node refuses. */
    private Hash256 refusedBatch(int number) {
        rig.spends.node.refuseSends(REFUSAL);
        rig.submit(payer, order(number));
        return inFlight(number).txId();
    }

    private void awaitWaiting(String id, WaitingFor reason) {
        rig.awaitWhen(
                id,
                "waits for " + reason,
                payout -> rig.payouts.waitsFor(payout).equals(Optional.of(reason)));
    }

    private void awaitAnotherBatch(String id) {
        rig.awaitWhen(
                id, "is paid by another batch", payout -> payout.attempts().size() == 2);
    }

    private static Order order(int number) {
        return PayoutRig.order("payout-" + number, PayoutRig.recipient(number), 1_000 + number);
    }

    private static Order[] orders(int count) {
        return IntStream.range(0, count).mapToObj(PayoutQueueTest::order).toArray(Order[]::new);
    }

    @Test
    void payouts_are_paid_together_and_their_fee_shares_add_up_to_the_fee() {
        rig.submit(payer, orders(7));
        rig.await("payout-6", State.IN_FLIGHT);
        rig.confirm("payout-0");
        rig.bury();
        Payout last = rig.await("payout-6", State.FINAL);

        assertThat(last.attempts()).hasSize(1);
        Intent batch = get(rig.intents().find(last.attempts().get(0))).orElseThrow();
        Amount fee = Receipt.of(batch).fee();
        Amount shares = Amount.ZERO;
        for (int i = 0; i < 7; i++) {
            Payout payout = rig.find("payout-" + i);
            assertThat(payout.outputIndex()).hasValue(i);
            shares = shares.plus(payout.feeShare().orElseThrow());
        }
        assertThat(shares).isEqualTo(fee);
        for (int i = 0; i < 7; i++) {
            assertThat(rig.paid(rig.recipients(i))).isEqualTo(Map.of(1_000L + i, 1));
        }
        assertThat(get(rig.store().unfinished())).isZero();
    }

    @Test
    void a_submission_whose_commit_gets_no_answer_is_reported_as_unknown_and_pays_once_when_it_is_repeated() {
        for (boolean written : List.of(true, false)) {
            AtomicBoolean loses = new AtomicBoolean(true);
            rig.before = store -> Stub.of(PayoutStore.class, call -> {
                if (!call.name().equals("submit") || !loses.getAndSet(false)) {
                    return call.on(store);
                }
                CompletionStage<?> submitted =
                        written ? (CompletionStage<?>) call.on(store) : CompletableFuture.completedFuture(null);
                return submitted.thenComposeAsync(
                        done -> CompletableFuture.failedFuture(new StoreException(
                                StoreException.Reason.UNKNOWN, "it may or may not have been written", null)),
                        Runnable::run);
            });
            rig.restart();
            Order order = order(written ? 1 : 2);

            assertThatThrownBy(() -> rig.submit(payer, order))
                    .isInstanceOfSatisfying(RefusedException.class, refused -> {
                        assertThat(refused.code()).isEqualTo(ErrorCode.UPSTREAM);
                        assertThat(refused).hasMessageContaining("unknown: call again with the same payout ids");
                    });
            assertThat(get(rig.payouts.find(order.payoutId())).isPresent()).isEqualTo(written);
            rig.submit(payer, order);
            rig.confirm(order.payoutId());
        }
        assertThat(rig.paid(rig.recipients(1, 2))).isEqualTo(Map.of(1_001L, 1, 1_002L, 1));
    }

    @Test
    void a_queue_that_could_not_learn_whether_it_is_paused_asks_again_and_pays() {
        AtomicBoolean fails = new AtomicBoolean(true);
        rig.before = store -> Stub.of(
                PayoutStore.class,
                call -> call.name().equals("isPaused") && fails.get()
                        ? CompletableFuture.failedFuture(
                                new StoreException(StoreException.Reason.BUSY, "no connection", null))
                        : call.on(store));
        rig.restart();
        rig.submit(payer, order(1));
        assertThat(rig.find("payout-1").state()).isEqualTo(State.QUEUED);

        fails.set(false);

        rig.confirm("payout-1");
    }

    @Test
    void the_change_of_a_batch_that_fills_its_cap_is_split_no_further_than_the_cap_permits() {
        // Ten payouts and a single change coin leave 10,355; the fee of twenty change coins would exceed the cap.
        rig.spends.limits = SpendHarness.perTransaction(10_400);
        rig.restart();
        rig.submit(payer, orders(30));
        for (int i = 0; i < 30; i++) {
            rig.confirm("payout-" + i);
        }
        rig.find("payout-0").attempts().forEach(txId -> {
            Intent batch = rig.spends.intent(txId);
            assertThat(batch.allowance()).isLessThanOrEqualTo(Amount.of(10_400));
        });
    }

    @Test
    void a_batch_leaves_no_more_than_the_cap_per_transaction_of_the_token_of_its_payouts() {
        Amount cap = Amount.of(4_000);
        rig.capsPerTx.put("worker", cap);
        rig.submit(Optional.of("worker"), payer, orders(6));
        for (int i = 0; i < 6; i++) {
            Hash256 batch = rig.confirm("payout-" + i).attempts().get(0);
            assertThat(rig.spends.intent(batch).allowance()).isLessThanOrEqualTo(cap);
        }
    }

    @Test
    void a_rest_that_is_too_small_for_change_takes_no_payout_above_its_cap() {
        // The smallest coin that pays leaves 150, too small for change: more than the cap permits as a fee.
        Address other = rig.spends.funded(2, 5_300, 40_000);
        rig.spends.limits = SpendHarness.perTransaction(5_200);
        rig.restart();
        rig.bury();
        rig.submit(other, PayoutRig.order("payout-1", PayoutRig.recipient(1), 5_050));
        rig.confirm("payout-1");
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(5_050L, 1));
    }

    @Test
    void gauges_count_each_payout_by_what_it_waits_for_itself() {
        Address poor = rig.spends.funded(2, 6_000);
        rig.spends.limits = SpendHarness.perDay(12_000);
        rig.restart();
        rig.bury();
        rig.submit(payer, PayoutRig.order("payout-1", PayoutRig.recipient(1), 8_000));
        rig.confirm("payout-1");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        rig.payouts.measure(meters);
        rig.submit(
                poor,
                PayoutRig.order("payout-2", PayoutRig.recipient(2), 5_000),
                PayoutRig.order("payout-3", PayoutRig.recipient(3), 11_000));
        Map<WaitingFor, String> waiting = Map.of(WaitingFor.ALLOWANCE, "payout-2", WaitingFor.COINS, "payout-3");
        Await.until(
                "each has its reason",
                () -> waiting.entrySet().stream()
                        .allMatch(entry ->
                                get(rig.payouts.list(Optional.empty(), Optional.of(entry.getKey()), 0, 10)).stream()
                                        .map(payout -> payout.order().payoutId())
                                        .toList()
                                        .equals(List.of(entry.getValue()))));
        rig.spends.clock.advance(Duration.ofMinutes(2));
        for (WaitingFor reason : WaitingFor.values()) {
            Gauge gauge = meters.get("walletd.payouts.waiting")
                    .tag("for", reason.word())
                    .gauge();
            Await.until("those that wait for " + reason, () -> gauge.value() == (waiting.containsKey(reason) ? 1 : 0));
        }
        assertThat(meters.get("walletd.payouts.oldest.seconds").gauge().value()).isGreaterThanOrEqualTo(120);
    }

    @Test
    void the_same_id_answers_the_same_record_and_with_another_payment_it_is_refused() {
        Payout first = rig.submit(payer, order(1)).get(0);
        rig.await("payout-1", State.IN_FLIGHT);

        assertThat(rig.submit(payer, order(1)).get(0).number()).isEqualTo(first.number());
        assertThatThrownBy(
                        () -> rig.submit(payer, order(2), PayoutRig.order("payout-1", PayoutRig.recipient(9), 1_001)))
                .isInstanceOfSatisfying(RefusedException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
                    assertThat(refused.data()).isEqualTo(new Payouts.IdTaken("payout-1", 1, Optional.empty()));
                });
        assertThat(get(rig.payouts.find("payout-2"))).as("all or nothing").isEmpty();
    }

    @Test
    void whose_payment_of_another_method_an_id_is_tells_its_refusal_to_other_names() {
        Receipt paid = get(rig.spends.spending.transfer(
                request(payer, PayoutRig.recipient(1), 5_000, "payout-1"),
                Requester.of(Grants.of("one", Scope.SPEND, NamedToken.Policy.NONE))));
        SweepStore.Order sweep = new SweepStore.Order(
                "payout-2",
                Optional.of("one"),
                Hash256.ZERO,
                List.of(payer),
                PayoutRig.recipient(9),
                Amount.of(1_000),
                Optional.empty());
        Coin swept = new Coin(new Outpoint(Hash256.ZERO, 7), Amount.of(9_000));
        get(rig.spends
                .store
                .sweeps()
                .begin(
                        sweep,
                        StoreContract.cutter(List.of(new SweepStore.Part(
                                0, Amount.of(500), List.of(new SweepStore.OwnedCoin(payer, swept))))),
                        0));

        assertThat(idTaken(Optional.of("two"), 1))
                .isEqualTo(new Payouts.IdTaken("payout-1", 0, Optional.of(paid.txId()), Optional.of("one")));
        assertThat(idTaken(Optional.of("two"), 2))
                .as("a sweep has many transactions")
                .isEqualTo(new Payouts.IdTaken("payout-2", 0, Optional.empty(), Optional.of("one")));
        assertThat(idTaken(Optional.empty(), 2))
                .isEqualTo(new Payouts.IdTaken("payout-2", 0, Optional.empty(), Optional.of("one")));
        assertThat(idTaken(Optional.of("one"), 1))
                .isEqualTo(new Payouts.IdTaken("payout-1", 0, Optional.of(paid.txId())));
        assertThat(idTaken(Optional.of("one"), 2)).isEqualTo(new Payouts.IdTaken("payout-2", 0, Optional.empty()));
    }

    private Object idTaken(Optional<String> owner, int id) {
        RefusedException refused =
                catchThrowableOfType(RefusedException.class, () -> rig.submit(owner, payer, order(id)));
        assertThat(refused.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        return refused.data();
    }

    @Test
    void an_id_is_either_of_a_transfer_or_of_a_payout_and_never_of_both() {
        Receipt paid = get(rig.spends.spending.transfer(request(payer, PayoutRig.recipient(1), 5_000, "payout-1")));
        assertThatThrownBy(() -> rig.submit(payer, order(1)))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.data())
                                .isEqualTo(new Payouts.IdTaken("payout-1", 0, Optional.of(paid.txId()))));

        rig.submit(payer, order(2));
        refusal(
                SpendRefusal.TokenConflict.class,
                rig.spends.spending.transfer(request(payer, PayoutRig.recipient(2), 1_002, "payout-2")));
        rig.restart();
        refusal(
                SpendRefusal.TokenConflict.class,
                rig.spends.spending.transfer(request(payer, PayoutRig.recipient(2), 1_002, "payout-2")));
        rig.await("payout-2", State.IN_FLIGHT);
        rig.confirm("payout-2");
        assertThat(rig.paid(rig.recipients(2))).isEqualTo(Map.of(1_002L, 1));
    }

    @Test
    void a_cancelled_payout_never_pays_and_its_id_stays_bound() {
        get(rig.payouts.pause(true));
        rig.submit(payer, order(1), order(2));
        PayoutStore.Change change = get(rig.payouts.cancel(List.of("payout-1"), Claimant.ANYBODY));
        assertThat(((PayoutStore.Change.Done) change).payouts().get(0).state()).isEqualTo(State.CANCELLED);
        get(rig.payouts.pause(false));
        rig.await("payout-2", State.IN_FLIGHT);
        assertThat(rig.submit(payer, order(1)).get(0).state()).isEqualTo(State.CANCELLED);
        rig.restart();
        rig.confirm("payout-2");
        assertThat(rig.paid(rig.recipients(1))).isEmpty();
        assertThat(rig.submit(payer, order(1)).get(0).state()).isEqualTo(State.CANCELLED);
    }

    @Test
    void while_the_queue_is_paused_nothing_leaves_and_a_restart_changes_nothing_about_it() {
        get(rig.payouts.pause(true));
        rig.submit(payer, order(1));
        rig.restart();
        awaitWaiting("payout-1", WaitingFor.PAUSED);
        assertThat(rig.state("payout-1")).isEqualTo(State.QUEUED);
        get(rig.payouts.pause(false));
        rig.await("payout-1", State.IN_FLIGHT);
    }

    @Test
    void a_batch_that_every_node_refuses_stays_in_flight_and_is_sent_again() {
        rig.spends.node.refuseSends(REFUSAL);
        rig.submit(payer, order(1));
        Payout payout = rig.await("payout-1", State.IN_FLIGHT);
        rig.restart();
        assertThat(rig.state("payout-1")).isEqualTo(State.IN_FLIGHT);
        rig.spends.clock.advance(Duration.ofHours(1));
        rig.spends.wake();
        rig.spends.node.refuseSends(null);
        rig.awaitWhen("payout-1", "is in the mempool", any -> rig.spends.pending(payer) > 0);
        rig.confirm("payout-1");
        assertThat(rig.find("payout-1").attempts()).isEqualTo(payout.attempts());
    }

    @Test
    void a_reorganisation_brings_a_payout_back_in_flight_and_the_same_bytes_are_mined_again() {
        rig.submit(payer, order(1));
        Payout payout = rig.await("payout-1", State.IN_FLIGHT);
        rig.confirm("payout-1");
        rig.spends.devnet.reorganise(1, false, List.of());
        rig.await("payout-1", State.IN_FLIGHT);
        rig.confirm("payout-1");
        assertThat(rig.find("payout-1").attempts()).isEqualTo(payout.attempts());
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(1_001L, 1));
    }

    @Test
    void changes_tell_each_payout_at_its_last_change_and_none_is_missed() {
        rig.submit(payer, orders(3));
        rig.await("payout-2", State.IN_FLIGHT);
        rig.confirm("payout-2");
        List<Payout> told = new ArrayList<>();
        PayoutStore.Position position = PayoutStore.BEGINNING;
        boolean more = true;
        while (more) {
            PayoutStore.Changes changes = get(rig.store().changes(position, 2));
            told.addAll(changes.payouts());
            position = changes.next();
            more = changes.more();
        }
        assertThat(told)
                .extracting(payout -> payout.order().payoutId())
                .containsExactly("payout-0", "payout-1", "payout-2");
        assertThat(told).extracting(Payout::state).containsOnly(State.CONFIRMED);
        rig.bury();
        rig.await("payout-2", State.FINAL);
        assertThat(get(rig.store().changes(position, 10)).payouts()).hasSize(3);
    }

    @Test
    void a_recalled_batch_is_not_sent_again_and_its_payouts_are_queued_when_the_recall_is_final() {
        Hash256 batch = refusedBatch(1);
        Payouts.Recall recall = get(rig.payouts.recall(batch, FeeChoice.MINIMUM));
        assertThat(rig.state("payout-1")).isEqualTo(State.IN_FLIGHT);
        rig.restart();
        assertThat(get(rig.payouts.recall(batch, new FeeChoice.Rate(3))))
                .as("the recall that was decided on")
                .isEqualTo(recall);
        rig.spends.node.refuseSends(null);
        rig.spends.awaitAtNode("its recall is in the mempool", recall.recall());
        rig.spends.devnet.mine(1);
        rig.spends.awaitFollowed();
        assertThat(rig.state("payout-1")).isEqualTo(State.IN_FLIGHT);
        rig.bury();
        awaitAnotherBatch("payout-1");
        Payout paid = rig.confirm("payout-1");
        assertThat(paid.attempts()).startsWith(batch);
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(1_001L, 1));
    }

    @Test
    void a_coin_of_others_is_spent_when_it_is_six_deep_and_own_change_at_once() {
        Address fresh = rig.spends.funded(2, 50_000);
        long funded = rig.spends.coins(fresh).get(0).height();
        rig.submit(fresh, order(1));
        awaitWaiting("payout-1", WaitingFor.COINS);
        rig.spends.devnet.mine(5);
        rig.spends.awaitFollowed();
        Intent batch = inFlight(1);
        assertThat(batch.builtAtHeight() - funded + 1).isGreaterThanOrEqualTo(6);

        long mined = rig.confirm("payout-1").height().orElseThrow();
        rig.submit(fresh, order(2));
        Intent next = inFlight(2);
        assertThat(next.inputs()).extracting(input -> input.outpoint().txId()).containsOnly(batch.txId());
        assertThat(next.builtAtHeight() - mined + 1).isLessThan(6);
    }

    @Test
    void change_of_a_payment_that_spends_a_young_coin_of_others_waits_until_that_coin_is_six_deep() {
        Address fresh = rig.spends.funded(2, 50_000);
        long funded = rig.spends.coins(fresh).get(0).height();
        Receipt transfer =
                get(rig.spends.spending.transfer(request(fresh, PayoutRig.recipient(9), 5_000, "spends-a-young-coin")));
        rig.spends.devnet.mine(1);
        rig.spends.awaitFollowed();
        rig.submit(fresh, order(1));
        awaitWaiting("payout-1", WaitingFor.COINS);

        rig.spends.devnet.mine(4);
        rig.spends.awaitFollowed();
        Intent batch = inFlight(1);
        assertThat(batch.inputs()).extracting(input -> input.outpoint().txId()).containsOnly(transfer.txId());
        assertThat(batch.builtAtHeight() - funded + 1).isEqualTo(6);
    }

    /** Two own addresses in the order in which they are tried first. */
    private List<Address> twoPayers() {
        return Stream.of(rig.spends.keys.add(2), rig.spends.keys.add(3))
                .sorted(Comparator.comparing(Address::hex))
                .toList();
    }

    @Test
    void an_address_without_coins_keeps_no_payout_from_the_other_addresses() {
        List<Address> payers = twoPayers();
        rig.spends.fund(payers.get(1), 500_000);
        rig.bury();
        rig.submit(Optional.empty(), payers, orders(3));
        for (int i = 0; i < 3; i++) {
            rig.confirm("payout-" + i);
        }
        Hash256 batch = rig.find("payout-0").attempts().get(0);
        assertThat(rig.spends.intent(batch).from()).isEqualTo(payers.get(1));
    }

    @Test
    void an_address_whose_coins_are_all_in_flight_leaves_payouts_to_the_other_addresses() {
        List<Address> payers = twoPayers();
        payers.forEach(each -> rig.spends.fund(each, 500_000));
        rig.bury();
        rig.submit(payers.get(0), order(1));
        rig.await("payout-1", State.IN_FLIGHT);
        rig.submit(payers.get(0), order(2));
        awaitWaiting("payout-2", WaitingFor.NEXT_BLOCK);
        get(rig.payouts.cancel(List.of("payout-2"), Claimant.ANYBODY));
        rig.submit(Optional.empty(), payers, order(3));
        assertThat(inFlight(3).from()).isEqualTo(payers.get(1));
    }

    @Test
    void while_the_batch_of_one_address_is_made_the_other_addresses_pay_what_is_left() {
        List<Address> payers = twoPayers();
        payers.forEach(each -> rig.spends.fund(each, 1_000_000));
        rig.bury();
        CompletableFuture<Void> listed = new CompletableFuture<>();
        rig.heldBack.put(payers.get(0), listed);
        rig.submit(Optional.empty(), payers, orders(600));
        assertThat(inFlight(599).from()).isEqualTo(payers.get(1));
        assertThat(rig.state("payout-0")).isEqualTo(State.QUEUED);
        listed.complete(null);
        assertThat(inFlight(0).from()).isEqualTo(payers.get(0));
    }

    @Test
    void payouts_that_cannot_be_covered_hold_up_no_smaller_one_however_many_they_are_and_each_has_its_turn() {
        Order[] large = IntStream.range(0, 2_000)
                .mapToObj(
                        i -> PayoutRig.order("large-" + i, PayoutRig.recipient(1), i == 1_234 ? 3_000_000 : 50_000_000))
                .toArray(Order[]::new);
        rig.submit(payer, Arrays.copyOf(large, 1_000));
        rig.submit(payer, Arrays.copyOfRange(large, 1_000, 2_000));
        rig.submit(payer, order(2));
        rig.confirm("payout-2");
        assertThat(rig.state("large-1234")).isEqualTo(State.QUEUED);

        rig.spends.fund(payer, 2_500_000);
        rig.spends.devnet.mine(6);
        rig.spends.awaitFollowed();
        rig.await("large-1234", State.IN_FLIGHT);
        assertThat(rig.state("large-0")).isEqualTo(State.QUEUED);
    }

    /** Before that, another reorganisation can bring back the payment, and the batch with it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_batch_that_spends_change_of_a_payment_which_has_lost_is_in_flight_until_that_is_final(boolean expired) {
        Address other = rig.spends.funded(2, 100_000);
        rig.bury();
        Hash256 parent = minedPayment(other);
        rig.submit(other, order(1));
        Intent batch = inFlight(1);
        assertThat(batch.inputs()).extracting(input -> input.outpoint().txId()).containsExactly(parent);

        lose(other, parent);
        rig.spends.node.forgetCalls();
        rig.spends.awaitAwake(
                "the batch is sent again, in vain", () -> rig.spends.node.count("send_raw_transaction") > 2);
        assertThat(rig.state("payout-1")).isEqualTo(State.IN_FLIGHT);

        rig.bury();
        rig.crash();
        if (expired) {
            try (Store store = rig.spends.opens.get()) {
                get(store.intents().bury(List.of(parent)));
                get(store.intents().forget(Long.MAX_VALUE, 10, spend -> Optional.empty()));
                assertThat(get(store.intents().find(parent))).isEmpty();
            }
        }
        rig.start();
        awaitAnotherBatch("payout-1");
        rig.confirm("payout-1");
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(1_001L, 1));
    }

    /** The recall loses with the parent, and the batch is not sent: it must be closed nevertheless, or its payouts would never be paid. */
    @Test
    void the_payouts_of_a_recalled_batch_whose_coin_is_lost_for_good_are_queued_again() {
        Address other = rig.spends.funded(2, 100_000);
        rig.bury();
        Hash256 parent = minedPayment(other);
        rig.spends.node.refuseSends(REFUSAL);
        rig.submit(other, order(1));
        Intent batch = inFlight(1);
        assertThat(batch.inputs()).extracting(input -> input.outpoint().txId()).containsExactly(parent);
        Hash256 recall =
                get(rig.payouts.recall(batch.txId(), FeeChoice.MINIMUM)).recall();
        rig.spends.node.refuseSends(null);

        lose(other, parent);
        rig.bury();
        rig.restart();
        awaitAnotherBatch("payout-1");
        for (Hash256 lost : List.of(batch.txId(), recall)) {
            assertThat(rig.spends.stateOf(lost)).isEqualTo(IntentState.CONFLICTED);
        }
        rig.confirm("payout-1");
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(1_001L, 1));
    }

    /** The recall was closed when the batch had won; a deep reorganisation then removes the batch, and one of the two must be sent. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_recall_that_had_lost_is_sent_again_when_its_batch_is_in_no_block_any_more(boolean askedFor) {
        Hash256 batch = refusedBatch(1);
        Hash256 recall = get(rig.payouts.recall(batch, FeeChoice.MINIMUM)).recall();
        rig.crash();
        rig.spends.start();
        IntentStore intents = rig.intents();
        BlockPlace block = new BlockPlace(
                rig.spends.devnet.ledger().tip().height(),
                rig.spends.devnet.ledger().tip().id());
        get(intents.confirm(batch, IntentState.ABANDONED, block, 20));
        get(intents.loseForGood(recall, IntentState.PREPARED, "the batch is in a block", 21));
        get(intents.unconfirm(batch, 22));
        rig.restart();
        rig.spends.node.refuseSends(null);

        if (askedFor) {
            assertThat(get(rig.payouts.recall(batch, new FeeChoice.Rate(9))))
                    .isEqualTo(new Payouts.Recall(batch, recall));
        }
        rig.spends.awaitAtNode("its recall is in the mempool", recall);
        rig.bury();
        awaitAnotherBatch("payout-1");
        rig.confirm("payout-1");
        assertThat(rig.paid(rig.recipients(1))).isEqualTo(Map.of(1_001L, 1));
    }

    /** A recall is durable completely or not at all: the batch is abandoned and the recall's bytes and fee are fixed, or neither. */
    @Test
    void a_death_at_any_point_of_a_recall_leaves_the_batch_as_it_was_or_a_recall_with_the_fee_that_was_asked_for() {
        List<CrashPoint> points = List.of(
                CrashPoint.PAYOUTS_IN_RECALL,
                CrashPoint.STORE_LOGGED,
                CrashPoint.STORE_BEFORE_COMMIT,
                CrashPoint.STORE_AFTER_COMMIT);
        Set<Boolean> recalled = new HashSet<>();
        try (StoreDeath death = new StoreDeath(folder)) {
            for (int i = 0; i < 8; i++) {
                // The first passage may be the commit that asks for an earlier recall.
                recalled.add(recallAndDie(death, points.get(i % 4), 1 + i / 4, i));
            }
        }
        assertThat(recalled).containsExactlyInAnyOrder(true, false);
    }

    /**
     * @return whether the recall is durable
     */
    private boolean recallAndDie(StoreDeath death, CrashPoint point, int passage, int number) {
        String id = "payout-" + number;
        String what = point + " " + passage;
        Hash256 batch = refusedBatch(number);
        death.arm(point, passage);
        CompletionStage<Payouts.Recall> call = rig.payouts.recall(batch, new FeeChoice.Rate(5));
        Await.until(
                "death, or an answer",
                () -> death.isDead() || call.toCompletableFuture().isDone());
        death.disarm();
        rig.crash();
        boolean died = death.putBack().isPresent();
        rig.start();

        Intent stored = rig.spends.intent(batch);
        Optional<Intent> recall = recallOf(batch);
        assertThat(recall.isPresent()).as(what).isEqualTo(stored.state() == IntentState.ABANDONED);
        assertThat(died || recall.isPresent()).as(what).isTrue();
        rig.spends.node.refuseSends(null);
        if (recall.isEmpty()) {
            rig.confirm(id);
            return false;
        }
        assertThat(Receipt.of(recall.get()).fee()).as(what).isEqualTo(ReturnPlan.fee(new FeeChoice.Rate(5)));
        assertThat(get(rig.payouts.recall(batch, new FeeChoice.Rate(7))))
                .as(what)
                .isEqualTo(new Payouts.Recall(batch, recall.get().txId()));
        rig.spends.awaitAtNode("its recall is in the mempool", recall.get().txId());
        assertThat(rig.spends.devnet.ledger().transaction(batch))
                .as("the batch is not sent any more")
                .isEmpty();
        rig.bury();
        awaitAnotherBatch(id);
        rig.confirm(id);
        return true;
    }

    /** The store may have the recall: until it confirms that it has not, the batch must not reach a node. */
    @ParameterizedTest
    @EnumSource(UncertainIntents.Commit.class)
    void a_batch_is_not_sent_while_the_store_cannot_say_whether_it_is_recalled(UncertainIntents.Commit commit) {
        UncertainIntents disk = new UncertainIntents(commit);
        disk.opensUnknown = false;
        disk.staysUnknown = false;
        rig.spends.before = disk::before;
        rig.restart();
        Address other = rig.spends.funded(2, 500_000);
        rig.bury();
        rig.spends.node.refuseSends(REFUSAL);
        rig.submit(payer, order(1));
        rig.submit(other, order(2));
        Hash256 batch = rig.await("payout-1", State.IN_FLIGHT).attempts().get(0);
        rig.await("payout-2", State.IN_FLIGHT);
        disk.givesUpUnknown = true;
        assertThatThrownBy(() -> get(rig.payouts.recall(batch, FeeChoice.MINIMUM)))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(StoreException.Reason.UNKNOWN));

        rig.spends.node.refuseSends(null);
        rig.confirm("payout-2");
        assertThat(rig.spends.devnet.ledger().transaction(batch)).isEmpty();
        assertThatThrownBy(() -> get(rig.payouts.recall(batch, FeeChoice.MINIMUM)))
                .as("nobody can say what has become of the first one")
                .isInstanceOf(RuntimeException.class);
        disk.givesUpUnknown = false;
        disk.staysUnknown = false;

        if (commit == UncertainIntents.Commit.LOST) {
            assertThat(rig.confirm("payout-1").attempts()).containsExactly(batch);
            return;
        }
        Hash256 recall = recallOf(batch).orElseThrow().txId();
        rig.spends.awaitAtNode("its recall is in the mempool", recall);
        assertThat(rig.spends.devnet.ledger().transaction(batch)).isEmpty();
        rig.bury();
        awaitAnotherBatch("payout-1");
        rig.confirm("payout-1");
        assertThat(rig.paid(rig.recipients(1, 2))).isEqualTo(Map.of(1_001L, 1, 1_002L, 1));
    }

    /** Makes a payment that is in a block, and returns its transaction id. */
    private Hash256 minedPayment(Address from) {
        Hash256 txId = get(rig.spends.spending.transfer(request(from, PayoutRig.recipient(9), 5_000, "the-parent")))
                .txId();
        mine();
        return txId;
    }

    /** Disconnects the block of a payment, and has another spend of its coin mined instead. */
    private void lose(Address from, Hash256 payment) {
        Coin coin = rig.spends.intent(payment).inputs().get(0);
        rig.spends.devnet.reorganise(1, false, List.of(rig.spends.returned(from, coin, 200)));
        rig.spends.awaitAwake("the payment has lost", () -> rig.spends.stateOf(payment) == IntentState.CONFLICTED);
    }

    private Intent inFlight(int number) {
        Hash256 txId = rig.await("payout-" + number, State.IN_FLIGHT).attempts().get(0);
        return rig.spends.intent(txId);
    }

    /** Sends the coins of a batch back to its address, as another holder of the key can. */
    private void spendElsewhere(Intent batch) {
        Transaction back = rig.spends.returned(batch.from(), batch.inputs().get(0), 200);
        rig.spends.devnet.ledger().submit(back);
    }

    private void mine() {
        rig.spends.devnet.mine(1);
        rig.spends.awaitFollowed();
    }

    private void awaitComplaint(Optional<String> words) {
        Await.until(
                "the queue complains: " + words, () -> rig.payouts.complaint().equals(words));
    }

    @Test
    void a_batch_is_reported_when_a_reorganisation_has_taken_its_funding_and_no_longer_when_that_is_back() {
        Hash256 batch = refusedBatch(1);
        assertThat(rig.payouts.complaint()).isEmpty();

        rig.spends.devnet.reorganise(SpendHarness.BURIAL_DEPTH + 1, true, List.of());
        rig.spends.awaitFollowed();
        awaitComplaint(Optional.of("the inputs of the payout batch " + batch + " have all vanished from the chain"));
        assertThat(rig.state("payout-1")).isEqualTo(State.IN_FLIGHT);

        mine();
        awaitComplaint(Optional.empty());
        rig.spends.node.refuseSends(null);
        assertThat(rig.confirm("payout-1").attempts()).containsExactly(batch);
    }

    @Test
    void batches_whose_coins_were_all_spent_elsewhere_are_told_by_name_until_that_is_final() {
        rig.spends.node.refuseSends(REFUSAL);
        List<Intent> batches = new ArrayList<>();
        for (int number = 1; number <= 6; number++) {
            Address own = rig.spends.funded(10 + number, 500_000);
            rig.bury();
            rig.submit(own, order(number));
            batches.add(inFlight(number));
        }
        batches.forEach(this::spendElsewhere);
        mine();

        List<String> names =
                batches.stream().map(batch -> batch.txId().hex()).sorted().toList();
        Await.until(
                "all are told",
                () -> rig.payouts
                        .complaint()
                        .filter(words ->
                                words.equals("the inputs of 6 payout batches have all vanished from the chain: "
                                        + String.join(", ", names.subList(0, 5)) + " and 1 more"))
                        .isPresent());
        rig.bury();
        rig.spends.node.refuseSends(null);
        rig.await("payout-1", State.QUEUED);
        awaitComplaint(Optional.empty());
    }

    @Test
    void what_a_listing_of_the_coins_leaves_out_is_neither_taken_for_vanished_nor_kept_from_being_recalled() {
        rig.spends.node.refuseSends(REFUSAL);
        Address other = rig.spends.funded(2, 500_000);
        rig.bury();
        rig.submit(payer, order(1));
        rig.submit(other, order(2));
        Intent listed = inFlight(1);
        Intent gone = inFlight(2);
        rig.mostListed = 0;
        spendElsewhere(gone);
        mine();

        awaitComplaint(
                Optional.of("the inputs of the payout batch " + gone.txId() + " have all vanished from the chain"));
        assertThat(get(rig.payouts.recall(listed.txId(), FeeChoice.MINIMUM)).batch())
                .isEqualTo(listed.txId());
    }

    private Optional<Intent> recallOf(Hash256 batch) {
        return get(rig.spends.spending.ofTokenForCertain(StandIns.recallToken(batch)));
    }

    @Test
    void a_recall_that_finds_no_coin_on_the_chain_leaves_the_batch_as_it_is() {
        Hash256 batch = refusedBatch(1);
        rig.listed = false;
        assertThatThrownBy(() -> get(rig.payouts.recall(batch, FeeChoice.MINIMUM)))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.TOO_MANY_REQUESTS));
        rig.listed = true;
        assertThat(recallOf(batch)).isEmpty();
        rig.spends.node.refuseSends(null);
        rig.confirm("payout-1");
    }

    @Test
    void of_many_recalls_of_a_batch_at_once_one_is_made_and_all_answers_tell_it() {
        Hash256 batch = refusedBatch(1);
        List<CompletionStage<Payouts.Recall>> calls = IntStream.range(1, 9)
                .mapToObj(rate -> rig.payouts.recall(batch, new FeeChoice.Rate(rate)))
                .toList();
        Set<Payouts.Recall> told = new HashSet<>();
        for (CompletionStage<Payouts.Recall> call : calls) {
            try {
                told.add(get(call));
            } catch (RefusedException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_REQUESTS);
            }
        }
        told.add(get(rig.payouts.recall(batch, FeeChoice.MINIMUM)));
        assertThat(told)
                .containsExactly(
                        new Payouts.Recall(batch, recallOf(batch).orElseThrow().txId()));
    }

    @Test
    void a_recall_that_would_burn_money_is_refused_and_the_batch_continues() {
        Hash256 batch = refusedBatch(1);
        Amount coin = rig.spends.intent(batch).inputs().get(0).value();
        Amount once = ReturnPlan.fee(new FeeChoice.Rate(1));
        long emptying = coin.bits() * 3 / 2 / once.bits();

        for (long rate : new long[] {emptying, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> get(rig.payouts.recall(batch, new FeeChoice.Rate(rate))))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_PARAMS));
        }
        assertThat(rig.spends.stateOf(batch).inFlight())
                .as("it is not given up")
                .isTrue();
        rig.spends.node.refuseSends(null);
        rig.confirm("payout-1");
    }

    @Test
    void payouts_of_a_classic_token_that_was_switched_off_are_held_until_somebody_releases_them() {
        get(rig.payouts.pause(true));
        rig.submit(payer, order(1), order(2));
        rig.submit(Optional.of("shop"), payer, order(3));
        rig.crash();
        rig.endedTokens.add(PayoutStore.CLASSIC);
        rig.start();
        get(rig.payouts.pause(false));
        rig.confirm("payout-3");
        rig.await("payout-1", State.HELD);
        rig.await("payout-2", State.HELD);
        assertThat(rig.paid(rig.recipients(1, 2))).isEmpty();
        get(rig.payouts.release(List.of("payout-2"), Claimant.ANYBODY));
        rig.confirm("payout-2");
        assertThat(rig.state("payout-1")).isEqualTo(State.HELD);
        assertThat(rig.paid(rig.recipients(1, 2, 3))).isEqualTo(Map.of(1_002L, 1, 1_003L, 1));
    }

    @Test
    void a_restart_does_not_let_more_batches_leave_in_a_minute_than_one_process_may_send() {
        rig.nodes = 1;
        long[] coins = new long[31];
        Arrays.fill(coins, 100_000);
        Address many = rig.spends.funded(77, coins);
        rig.bury();
        for (int number = 0; number < 30; number++) {
            String id = "payout-" + number;
            rig.submit(many, order(number));
            Await.until(id + " is in flight, with the clock at rest", () -> rig.state(id) == State.IN_FLIGHT);
        }

        rig.restart();
        rig.submit(many, order(30));
        Await.until(
                "it waits for the node's quota",
                () -> rig.payouts
                        .waitsFor(rig.find("payout-30"))
                        .filter(WaitingFor.NODE_QUOTA::equals)
                        .isPresent());
        assertThat(rig.state("payout-30")).isEqualTo(State.QUEUED);
        rig.spends.clock.advance(Duration.ofMinutes(1));
        rig.await("payout-30", State.IN_FLIGHT);
    }

    @Test
    void abandoning_the_coins_of_a_batch_changes_nothing() {
        Hash256 batch = refusedBatch(1);
        Intent intent = rig.spends.intent(batch);
        Abandoned answer = get(rig.spends.spending.abandon(
                intent.inputs().stream().map(Coin::outpoint).toList()));
        assertThat(answer.released()).isZero();
        assertThat(rig.spends.stateOf(batch).inFlight()).isTrue();
    }
}
