package org.chainwalletd.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.event.EventStreams.StreamPlaces;
import org.junit.jupiter.api.Test;

class StreamPlacesTest {
    private final StreamPlaces places = new StreamPlaces(1);
    private final AtomicInteger released = new AtomicInteger();

    @Test
    void a_place_and_what_it_holds_are_given_back_once() {
        StreamPlaces.Place place =
                places.take(Optional.empty(), released::incrementAndGet).orElseThrow();
        assertThat(places.take(Optional.empty(), released::incrementAndGet)).isEmpty();

        place.begin();
        place.giveBack();
        place.giveBack();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_nobody_runs_gives_back_what_it_holds() {
        places.take(Optional.empty(), released::incrementAndGet).orElseThrow().giveBackUnlessRunning();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_runs_keeps_its_place() {
        StreamPlaces.Place place =
                places.take(Optional.empty(), released::incrementAndGet).orElseThrow();
        place.begin();

        place.giveBackUnlessRunning();

        assertThat(released).hasValue(0);
        assertThat(places.taken()).isEqualTo(1);
    }

    @Test
    void what_a_stream_waits_for_hears_that_nobody_wants_it_any_more() {
        StreamPlaces.Place place =
                places.take(Optional.empty(), released::incrementAndGet).orElseThrow();
        CompletableFuture<Void> gone = new CompletableFuture<>();
        place.ask(leaving -> {
            leaving.thenRunAsync(() -> gone.complete(null), Runnable::run);
            return new CompletableFuture<Void>();
        });

        place.giveBack();

        assertThat(gone).isDone();
        assertThat(place.ask(leaving -> CompletableFuture.completedFuture(null)).toCompletableFuture())
                .isCompletedExceptionally();
    }

    @Test
    void one_named_token_takes_half_of_the_places_and_the_others_get_the_rest() {
        StreamPlaces four = new StreamPlaces(4);
        Optional<String> greedy = Optional.of("greedy");
        StreamPlaces.Place first = four.take(greedy, () -> {}).orElseThrow();
        assertThat(four.take(greedy, () -> {})).isPresent();

        assertThat(four.take(greedy, () -> {})).isEmpty();
        assertThat(four.areLeft()).isTrue();
        assertThat(four.take(Optional.of("other"), () -> {})).isPresent();

        first.giveBack();
        first.giveBack();
        assertThat(four.take(greedy, () -> {})).isPresent();
        assertThat(four.take(greedy, () -> {})).isEmpty();
        assertThat(four.take(Optional.empty(), () -> {})).isPresent();
        assertThat(four.areLeft()).isFalse();
        assertThat(four.take(Optional.of("third"), () -> {})).isEmpty();
        assertThat(four.taken()).isEqualTo(4);
    }

    @Test
    void a_token_that_finds_all_places_taken_keeps_its_share() {
        StreamPlaces two = new StreamPlaces(2);
        StreamPlaces.Place one = two.take(Optional.empty(), () -> {}).orElseThrow();
        two.take(Optional.empty(), () -> {}).orElseThrow();
        assertThat(two.take(Optional.of("late"), () -> {})).isEmpty();

        one.giveBack();

        assertThat(two.take(Optional.of("late"), () -> {})).isPresent();
    }
}
