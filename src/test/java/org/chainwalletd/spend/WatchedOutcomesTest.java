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
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
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
                spends.clock.millis(),
                IntentState.PREPARED,
                "");
    }

    /** A spend whose coins' time is over rests; {@code meanwhile} happens before the store has answered. */
    private void restsTooLong(Consumer<WatchedSpends> meanwhile) {
        WatchedSpends watched = new WatchedSpends(new AtomicInteger());
        watched.add(intent(), true, spends.clock.millis(), 0);
        spends.clock.move(Duration.ofMinutes(11));
        spends.kit.spawn(Behaviors.<Rebroadcaster.Command>setup(context -> {
            WatchedOutcomes outcomes = new WatchedOutcomes(context, spends.environment(), watched);
            outcomes.attach(new Rebroadcaster.Attach(
                    reservations.ref(),
                    spends.kit.<Allowance.Command>createTestProbe().ref(),
                    spends.kit.<BurialWatch.Command>createTestProbe().ref()));
            watched.beginDue(spends.clock.millis(), 1).forEach(outcomes::rest);
            meanwhile.accept(watched);
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
        restsTooLong(watched -> {});

        assertThat(reservations.receiveMessage()).isEqualTo(new Reservations.Ended(TX));
    }

    @Test
    void coins_of_a_spend_that_was_taken_back_meanwhile_are_its_spenders_business() {
        restsTooLong(watched -> watched.remove(TX));

        reservations.expectNoMessage(Duration.ZERO);
    }
}
