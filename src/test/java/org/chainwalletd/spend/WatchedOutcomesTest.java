package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.PackedSpend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedOutcomesTest {
    private static final Hash256 TX = Hash256.sha256(new byte[] {1});

    @TempDir
    Path folder;

    private SpendHarness spends;
    private TestProbe<Reservations.Command> reservations;
    private TestProbe<Rebroadcaster.Command> written;

    @BeforeEach
    void start() {
        spends = new SpendHarness(folder).start();
        reservations = spends.kit.createTestProbe();
        written = spends.kit.createTestProbe();
    }

    @AfterEach
    void stop() {
        spends.close();
    }

    private Intent intent() {
        return new Intent(
                TX,
                "transfer",
                Address.of(TX.toArray()),
                Bytes.wrap(new byte[] {1}),
                List.of(new Coin(new Outpoint(TX, 0), Amount.of(5_000))),
                10,
                OptionalInt.empty(),
                Optional.empty(),
                Amount.of(1_000),
                spends.clock.millis(),
                Intent.Progress.prepared(spends.clock.millis()));
    }

    /** A spender has handed it back with what it knew before the store heard of the block. */
    @Test
    void a_spend_that_is_watched_in_a_state_that_it_has_left_is_let_go() {
        Intent intent = intent();
        SpendHarness.get(spends.store.intents().open(intent, 0));
        SpendHarness.get(spends.store.intents().confirm(TX, IntentState.PREPARED, new BlockPlace(9, TX), 0));
        AtomicInteger inFlight = new AtomicInteger();
        WatchedSpends watched = new WatchedSpends(inFlight);
        watched.add(intent, true, spends.clock.millis(), 0);

        whenWritten(
                outcomes -> watched.beginDue(spends.clock.millis(), 1)
                        .forEach(spend -> outcomes.confirmed(spend, new BlockPlace(9, TX))),
                watched);

        assertThat(reservations.receiveMessage())
                .isEqualTo(new Reservations.Confirmed(PackedSpend.of(TX, intent.inputs())));
        assertThat(inFlight).hasValue(0);
    }

    /** A spend whose coins' time is over rests; {@code meanwhile} happens before the store has answered. */
    private Intent restsTooLong(Consumer<WatchedSpends> meanwhile) {
        WatchedSpends watched = new WatchedSpends(new AtomicInteger());
        Intent intent = intent();
        watched.add(intent, true, spends.clock.millis(), 0);
        spends.clock.move(Duration.ofMinutes(11));
        whenWritten(
                outcomes -> {
                    watched.beginDue(spends.clock.millis(), 1).forEach(outcomes::rest);
                    meanwhile.accept(watched);
                },
                watched);
        return intent;
    }

    private void whenWritten(Consumer<WatchedOutcomes> begin, WatchedSpends watched) {
        spends.kit.spawn(Behaviors.<Rebroadcaster.Command>setup(context -> {
            WatchedOutcomes outcomes = new WatchedOutcomes(
                    context,
                    spends.environment(),
                    watched,
                    new Rebroadcaster.Attach(
                            reservations.ref(),
                            spends.kit.<BurialWatch.Command>createTestProbe().ref()));
            begin.accept(outcomes);
            return Behaviors.receive(Rebroadcaster.Command.class)
                    .onMessage(Rebroadcaster.Written.class, message -> {
                        outcomes.written(message.step());
                        written.ref().tell(message);
                        return Behaviors.same();
                    })
                    .build();
        }));
        written.receiveMessage(Duration.ofSeconds(20));
    }

    @Test
    void coins_whose_time_is_over_are_free_once_that_is_written_down() {
        Intent intent = restsTooLong(watched -> {});

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.Lapsed(intent));
    }

    @Test
    void coins_of_a_spend_that_was_taken_back_meanwhile_are_its_spenders_business() {
        restsTooLong(watched -> watched.remove(TX));

        assertThatReservationsHeardNothing();
    }

    private void assertThatReservationsHeardNothing() {
        Reservations.End later = new Reservations.End(Hash256.ZERO);
        reservations.ref().tell(later);
        assertThat(reservations.receiveMessage())
                .as("what was told before this comes before it")
                .isEqualTo(later);
    }

    /** A mempool has it, and what it spends is not reserved for certain; {@code meanwhile} happens before the store has answered. */
    private Intent isSeen(Consumer<WatchedSpends> meanwhile) {
        WatchedSpends watched = new WatchedSpends(new AtomicInteger());
        Intent intent = intent();
        SpendHarness.get(spends.store.intents().open(intent, 0));
        watched.add(intent, false, spends.clock.millis(), 0);
        whenWritten(
                outcomes -> {
                    watched.beginDue(spends.clock.millis(), 1).forEach(spend -> {
                        spend.seenInMempool();
                        outcomes.accepted(spend);
                    });
                    meanwhile.accept(watched);
                },
                watched);
        return intent;
    }

    @Test
    void coins_of_a_spend_that_a_mempool_has_late_are_held_once_more() {
        Intent intent = isSeen(watched -> {});

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.ReservedAgain(intent));
    }

    /** Its spender may have ended without success since, and then nobody would ever free them. */
    @Test
    void coins_of_a_spend_that_a_mempool_has_late_and_that_was_taken_back_meanwhile_are_not_held_for_nobody() {
        isSeen(watched -> watched.remove(TX));

        assertThatReservationsHeardNothing();
    }
}
