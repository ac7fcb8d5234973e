package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.done;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.PayoutStore.Submission;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SweepStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All daemons wait while one holds the store lock: its number of round trips to the server must not depend on the number of payouts. */
@Tag("postgres")
class PostgresPayoutsTest {
    private static final List<Address> FROM = List.of(Address.parse("a7".repeat(32)));
    private static final Optional<String> WORKER = Optional.of("worker");
    private static final int MOST_TRIPS = 40;

    private PostgresProxy proxy;
    private PostgresStore store;

    @BeforeEach
    void open() throws IOException {
        SharedStores database = new SharedStores();
        database.open().close();
        proxy = new PostgresProxy(database, true);
        store = proxy.open();
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        proxy.close();
    }

    private static Order order(int number) {
        return new Order(
                "order-" + number,
                Address.parse("b7".repeat(32)),
                Amount.of(100 + number % 7),
                number % 3 == 0 ? Optional.of(Bytes.parse("0" + number % 10)) : Optional.empty(),
                number % 2 == 0 ? Optional.of("invoice " + number) : Optional.empty());
    }

    private static List<Order> orders(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(PostgresPayoutsTest::order)
                .toList();
    }

    private static List<String> ids(List<Payout> payouts) {
        return payouts.stream().map(payout -> payout.order().payoutId()).toList();
    }

    private List<Payout> submit(List<Order> orders) {
        return ((Submission.Accepted) done(store.payouts().submit(orders, FROM, WORKER, 5_000, 50))).payouts();
    }

    /** Runs an action and checks the number of round trips of each of its transactions. */
    private <T> T cheap(String what, Supplier<T> act) {
        proxy.roundTrips().clear();
        T answer = act.get();
        assertThat(Collections.max(proxy.roundTrips())).as(what).isLessThanOrEqualTo(MOST_TRIPS);
        return answer;
    }

    @Test
    void a_sweep_of_a_hundred_parts_is_begun_moved_and_stopped_in_few_round_trips() {
        List<SweepStore.Part> parts = IntStream.range(0, 100)
                .mapToObj(number -> StoreContract.part(number, number))
                .toList();
        SweepStore.Order order = new SweepStore.Order(
                "sweep", WORKER, StoreSample.hash(77), FROM, FROM.get(0), Amount.of(61), Optional.empty());
        SweepStore.Cutter cutter = StoreContract.cutter(parts);
        SweepStore.Sweep sweep = ((SweepStore.Beginning.Begun)
                        cheap("beginning", () -> done(store.sweeps().begin(order, cutter, 40))))
                .sweep();
        for (int part = 0; part < 30; part++) {
            done(store.intents().open(StoreContract.partSpend(sweep, part, 200 + part, part), 0));
        }
        done(store.intents()
                .confirm(StoreSample.hash(200), IntentState.PREPARED, new BlockPlace(9, StoreSample.hash(9)), 50));

        cheap(
                "stop",
                () -> done(store.sweeps().move("sweep", SweepStore.State.RUNNING, SweepStore.State.STOPPED, "a cap")));
        Optional<SweepStore.Sweep> ended =
                cheap("end", () -> done(store.sweeps().stop("sweep")));
        assertThat(ended.orElseThrow().parts().stream().filter(SweepStore.PartState::ended))
                .hasSize(70);
        assertThat(ended.get().parts().get(0).spend().orElseThrow().height()).hasValue(9);
        assertThat(ended.get().parts().get(29).spend().orElseThrow().txId()).isEqualTo(StoreSample.hash(229));
    }

    @Test
    void a_thousand_payouts_are_submitted_carried_cancelled_released_and_held_in_few_round_trips() {
        List<Order> orders = orders(0, 1_000);
        List<Payout> payouts = cheap("submission", () -> submit(orders));
        assertThat(payouts).extracting(Payout::order).isEqualTo(orders);
        assertThat(payouts).extracting(Payout::state).containsOnly(State.QUEUED);
        assertThat(payouts).extracting(Payout::number).isSorted().doesNotHaveDuplicates();

        Payout[] first = payouts.subList(0, 250).toArray(Payout[]::new);
        Intent batch = cheap("batch", () -> PayoutSample.open(store, 0, first));
        assertThat(done(store.payouts().list(Optional.of(State.IN_FLIGHT), 0, 1_000)))
                .extracting(Payout::number)
                .isEqualTo(List.of(first).stream().map(Payout::number).toList());

        List<Payout> again = cheap("repeated submission", () -> submit(orders));
        assertThat(again).extracting(Payout::order).isEqualTo(orders);
        assertThat(again.subList(0, 250))
                .allSatisfy(carried -> assertThat(carried.attempts()).containsExactly(batch.txId()));
        assertThat(again.get(249).outputIndex()).hasValue(249);
        assertThat(again.get(250).attempts()).isEmpty();

        List<String> cancelled = ids(payouts.subList(900, 1_000));
        assertThat(cheap("cancel", () -> done(store.payouts().cancel(cancelled, new Claimant(WORKER), 60))))
                .isInstanceOfSatisfying(
                        PayoutStore.Change.Done.class,
                        change -> assertThat(change.payouts())
                                .extracting(Payout::state)
                                .hasSize(100)
                                .containsOnly(State.CANCELLED));

        submit(orders(1_000, 1_000));
        store.payouts().endedTokens(WORKER.get()::equals);
        assertThat(cheap("hold", () -> done(store.payouts().holdEnded(Set.of("worker"), 70))))
                .isEqualTo(1_650);
        assertThat(proxy.roundTrips()).as("others may come between").hasSizeGreaterThan(1);
        List<String> held = ids(payouts.subList(250, 900));
        assertThat(cheap("release", () -> done(store.payouts().release(held, Claimant.ANYBODY, 80))))
                .isInstanceOfSatisfying(
                        PayoutStore.Change.Done.class,
                        change -> assertThat(change.payouts())
                                .extracting(Payout::state)
                                .hasSize(650)
                                .containsOnly(State.QUEUED));
        assertThat(cheap("hold again", () -> done(store.payouts().holdEnded(Set.of("worker"), 90))))
                .as("nobody holds again what was released")
                .isZero();

        cheap(
                "loss",
                () -> done(store.intents().loseForGood(batch.txId(), IntentState.PREPARED, "another is final", 95)));
        assertThat(done(store.payouts().list(Optional.of(State.HELD), 0, 250)))
                .extracting(Payout::number)
                .isEqualTo(List.of(first).stream().map(Payout::number).toList());
        assertThat(done(store.payouts().changes(PayoutStore.BEGINNING, 3_000)).payouts())
                .hasSize(2_000);
    }
}
