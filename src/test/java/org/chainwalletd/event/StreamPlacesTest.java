package org.chainwalletd.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.event.EventStreams.StreamPlaces;
import org.junit.jupiter.api.Test;

class StreamPlacesTest {
    private final StreamPlaces places = new StreamPlaces(1);
    private final AtomicInteger released = new AtomicInteger();

    private static Optional<StreamPlaces.Place> take(StreamPlaces of, Optional<String> owner, Runnable release) {
        return of.take(owner, release) instanceof StreamPlaces.Place place ? Optional.of(place) : Optional.empty();
    }

    private static void assertRefused(StreamPlaces by, Optional<String> owner, EventFeed.Opening answer) {
        assertThat(by.take(owner, () -> {})).isEqualTo(new StreamPlaces.Refused(answer));
    }

    @Test
    void a_place_and_what_it_holds_are_given_back_once() {
        StreamPlaces.Place place =
                take(places, Optional.empty(), released::incrementAndGet).orElseThrow();
        assertThat(take(places, Optional.empty(), released::incrementAndGet)).isEmpty();

        place.begin();
        place.giveBack();
        place.giveBack();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_nobody_runs_gives_back_what_it_holds() {
        take(places, Optional.empty(), released::incrementAndGet).orElseThrow().releaseUnlessRunning();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_runs_keeps_its_place() {
        StreamPlaces.Place place =
                take(places, Optional.empty(), released::incrementAndGet).orElseThrow();
        place.begin();

        place.releaseUnlessRunning();

        assertThat(released).hasValue(0);
        assertThat(places.taken()).isEqualTo(1);
    }

    @Test
    void what_a_stream_waits_for_hears_that_nobody_wants_it_any_more() {
        StreamPlaces.Place place =
                take(places, Optional.empty(), released::incrementAndGet).orElseThrow();
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
        StreamPlaces.Place first = take(four, greedy, () -> {}).orElseThrow();
        assertThat(take(four, greedy, () -> {})).isPresent();

        assertRefused(four, greedy, new EventFeed.ShareTaken());
        assertThat(take(four, Optional.of("other"), () -> {})).isPresent();

        first.giveBack();
        first.giveBack();
        assertThat(take(four, greedy, () -> {})).isPresent();
        assertThat(take(four, greedy, () -> {})).isEmpty();
        assertThat(take(four, Optional.empty(), () -> {})).isPresent();
        for (Optional<String> owner : List.of(greedy, Optional.of("third"), Optional.<String>empty())) {
            assertRefused(four, owner, new EventFeed.Full());
        }
        assertThat(four.taken()).isEqualTo(4);
    }

    @Test
    void a_token_that_finds_all_places_taken_keeps_its_share() {
        StreamPlaces two = new StreamPlaces(2);
        StreamPlaces.Place one = take(two, Optional.empty(), () -> {}).orElseThrow();
        take(two, Optional.empty(), () -> {}).orElseThrow();
        assertThat(take(two, Optional.of("late"), () -> {})).isEmpty();

        one.giveBack();

        assertThat(take(two, Optional.of("late"), () -> {})).isPresent();
    }

    @Test
    void a_token_without_a_stream_is_forgotten() {
        StreamPlaces four = new StreamPlaces(4);
        for (int number = 0; number < 100; number++) {
            Optional<String> name = Optional.of("token-" + number);
            StreamPlaces.Place one = take(four, name, () -> {}).orElseThrow();
            StreamPlaces.Place two = take(four, name, () -> {}).orElseThrow();
            assertThat(four.tokens()).isEqualTo(1);
            one.giveBack();
            assertThat(four.tokens()).isEqualTo(1);
            two.giveBack();
            assertThat(four.tokens()).isZero();
        }
    }
}
