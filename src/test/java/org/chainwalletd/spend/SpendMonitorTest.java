package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Monitor beside that of the paying daemon, whose reservations are a probe and whose store writes are answered by the test. */
class SpendMonitorTest extends SpendCase {
    private static final Set<String> WRITES = Set.of("end", "reserveAgain");

    private final SpendMonitor.Counts counts = new SpendMonitor.Counts();
    /** Write that the monitor has requested from the store. */
    private final CompletableFuture<CompletableFuture<Transition>> asked = new CompletableFuture<>();

    private TestProbe<Reservations.Command> reservations;
    private ActorRef<SpendMonitor.Command> monitor;
    private Intent intent;

    SpendMonitorTest() {
        super(10_000);
    }

    @BeforeEach
    void pay() {
        Receipt receipt = SpendHarness.get(spends.spending.transfer(SpendHarness.request(payer, shop, 1_000)));
        intent = spends.intent(receipt.txId()).in(IntentState.PREPARED, "", spends.clock.millis());
        spends.beforeReservations = this::answeredByTest;
        reservations = spends.kit.createTestProbe();
        SpendEnvironment env = spends.environment();
        SpendMonitor.Setup setup = new SpendMonitor.Setup(
                env, Broadcast.of(env), counts, new CompletableFuture<>(), new AtomicReference<>());
        setup.begin(reservations.ref(), new SpendMonitor.Known(List.of(), List.of()));
        monitor = spends.kit.spawn(SpendMonitor.create(setup));
        reservations.expectMessageClass(Reservations.MonitorStarts.class);
        monitor.tell(new SpendMonitor.Begin());
    }

    private ReservationStore answeredByTest(ReservationStore store) {
        return Stub.of(ReservationStore.class, call -> {
            if (!WRITES.contains(call.name())) {
                return call.on(store);
            }
            CompletableFuture<Transition> answer = new CompletableFuture<>();
            asked.complete(answer);
            return answer;
        });
    }

    private void watch(boolean holdsCoins) {
        monitor.tell(new SpendMonitor.Watch(intent, holdsCoins));
        hearsNothing();
        spends.wake();
    }

    /** Runs {@code meanwhile} while the store is writing. */
    private void write(Runnable meanwhile) {
        CompletableFuture<Transition> write = Await.result(asked);
        meanwhile.run();
        hearsNothing();
        write.complete(new Transition.Made());
    }

    /** Asserts that no message was sent: every earlier one would arrive before the answer to this one. */
    private void hearsNothing() {
        Abandonments.Question nothing = new Abandonments.Question(
                Map.of(), Set.of(), false, false, Optional.empty(), new CompletableFuture<>());
        monitor.tell(new SpendMonitor.Withhold(nothing));
        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.Withheld(nothing, Set.of()));
    }

    private void takeBack() {
        monitor.tell(new SpendMonitor.TakeBack(intent.txId()));
    }

    /** A running spend has returned it with its knowledge from before the store learned of the block. */
    @Test
    void a_spend_that_is_watched_in_a_state_that_it_has_left_is_let_go() {
        spends.confirmAll();

        watch(true);

        assertThat(reservations.receiveMessage())
                .isEqualTo(new Reservations.Confirmed(PackedSpend.of(intent.txId(), intent.inputs())));
        Await.until("it is in flight no more", () -> counts.inFlight().get() == 0);
        assertThat(counts.unburied()).hasValue(1);
    }

    /** As after a reopening whose answer was lost: its call continued with outdated knowledge. */
    @Test
    void a_spend_that_is_watched_as_lost_and_is_in_flight_in_the_store_is_in_flight_again() {
        intent = intent.in(IntentState.CONFLICTED, "another one was mined", spends.clock.millis());
        restTooLong();
        assertThat(counts.inFlight()).hasValue(0);

        Await.result(asked).complete(new Transition.Stale(Optional.of(IntentState.ACCEPTED)));

        Await.until("it is in flight", () -> counts.inFlight().get() == 1);
    }

    private void restTooLong() {
        spends.lose();
        spends.clock.advance(Duration.ofMinutes(11));
        watch(true);
    }

    @Test
    void coins_whose_time_is_over_are_free_once_that_is_written_down() {
        restTooLong();

        write(() -> {});

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.Lapsed(intent));
    }

    @Test
    void coins_of_a_spend_that_was_taken_back_meanwhile_are_its_spenders_business() {
        restTooLong();

        write(this::takeBack);

        hearsNothing();
    }

    @Test
    void coins_of_a_spend_that_a_mempool_has_late_are_held_once_more() {
        watch(false);

        write(() -> {});

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.ReservedAgain(intent));
    }

    /** The running spend may have ended without success since, and then nothing would ever free the coins. */
    @Test
    void coins_of_a_spend_that_a_mempool_has_late_and_that_was_taken_back_meanwhile_are_not_held_for_nobody() {
        watch(false);

        write(this::takeBack);

        hearsNothing();
    }

    /** Otherwise the reservations would not learn of it, and would hold the coins permanently. */
    @Test
    void what_is_written_after_the_end_of_the_monitor_is_told_nevertheless() {
        restTooLong();
        CompletableFuture<Transition> write = Await.result(asked);
        hearsNothing();

        spends.kit.stop(monitor);
        write.complete(new Transition.Made());

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.Lapsed(intent));
    }
}
