package org.chainwalletd.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.event.EventStreams.StreamPlaces;
import org.junit.jupiter.api.Test;

class StreamPlacesTest {
    private final StreamPlaces places = new StreamPlaces(1);
    private final AtomicInteger released = new AtomicInteger();

    @Test
    void a_place_and_what_it_holds_are_given_back_once() {
        StreamPlaces.Place place = places.take(released::incrementAndGet).orElseThrow();
        assertThat(places.take(released::incrementAndGet)).isEmpty();

        place.begin();
        place.giveBack();
        place.giveBack();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_nobody_runs_gives_back_what_it_holds() {
        places.take(released::incrementAndGet).orElseThrow().giveBackUnlessRunning();

        assertThat(released).hasValue(1);
        assertThat(places.taken()).isZero();
    }

    @Test
    void a_stream_that_runs_keeps_its_place() {
        StreamPlaces.Place place = places.take(released::incrementAndGet).orElseThrow();
        place.begin();

        place.giveBackUnlessRunning();

        assertThat(released).hasValue(0);
        assertThat(places.taken()).isEqualTo(1);
    }

    @Test
    void what_a_stream_waits_for_hears_that_nobody_wants_it_any_more() {
        StreamPlaces.Place place = places.take(released::incrementAndGet).orElseThrow();
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
}
