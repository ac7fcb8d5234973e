package org.chainwalletd.swap.engine;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.store.StoreException;

/**
 * Run of the daemon, which can be made to die at a named place. From then on nothing of that run is written and no swap takes a step, until
 * another run begins. While the disk is full every write fails, but the run continues.
 */
public final class Life {
    /** Place of death: a write or a step, and whether it still takes effect before the process dies without an answer. */
    record Place(String name, Moment moment) {}

    enum Moment {
        BEFORE,
        AFTER
    }

    private record Doom(Collection<Place> places, AtomicInteger passages) {}

    private final BooleanSupplier full;
    private final Set<Place> passed;
    private final AtomicReference<Place> diedAt = new AtomicReference<>();
    private volatile Doom doom = new Doom(List.of(), new AtomicInteger());
    private volatile boolean over;

    /** @param passed all places that any run of one world has reached and survived */
    Life(BooleanSupplier full, Set<Place> passed) {
        this.full = full;
        this.passed = passed;
    }

    /** @param passage count at which it dies when it reaches the place, from 1 */
    void diesAt(Place place, int passage) {
        doom = new Doom(List.of(place), new AtomicInteger(passage));
    }

    /** Dies at the place of these that it reaches first. */
    void diesAtOneOf(Collection<Place> places) {
        doom = new Doom(List.copyOf(places), new AtomicInteger(1));
    }

    void spare() {
        doom = new Doom(List.of(), new AtomicInteger());
    }

    /** Returns the place of death; empty for a run that continues or was ended from outside. */
    Optional<Place> diedAt() {
        return Optional.ofNullable(diedAt.get());
    }

    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** Tests whether nothing can be written. */
    boolean isFull() {
        return full.getAsBoolean();
    }

    /** Reaches a place that is not asynchronous work. */
    void reach(Place place) {
        if (endsAt(List.of(place.name()), place.moment())) {
            throw death();
        }
    }

    /** @param names of what the write records */
    <T> CompletionStage<T> write(Collection<String> names, Supplier<CompletionStage<T>> work) {
        if (endsAt(names, Moment.BEFORE)) {
            return CompletableFuture.failedFuture(death());
        }
        return full.getAsBoolean()
                ? CompletableFuture.failedFuture(
                        new StoreException(StoreException.Reason.UNAVAILABLE, "the disk is full", null))
                : unheard(names, work.get());
    }

    <T> CompletionStage<T> step(String name, Supplier<CompletionStage<T>> work) {
        return endsAt(List.of(name), Moment.BEFORE)
                ? CompletableFuture.failedFuture(death())
                : unheard(List.of(name), work.get());
    }

    private <T> CompletionStage<T> unheard(Collection<String> names, CompletionStage<T> work) {
        return work.thenApply(done -> {
            if (endsAt(names, Moment.AFTER)) {
                throw death();
            }
            return done;
        });
    }

    private boolean endsAt(Collection<String> names, Moment moment) {
        Doom waiting = doom;
        Optional<Place> place = waiting.places().stream()
                .filter(at -> at.moment() == moment && names.contains(at.name()))
                .findFirst();
        if (place.isPresent() && waiting.passages().decrementAndGet() == 0) {
            diedAt.compareAndSet(null, place.get());
            over = true;
        }
        if (!over) {
            names.forEach(name -> passed.add(new Place(name, moment)));
        }
        return over;
    }

    private static IllegalStateException death() {
        return new IllegalStateException("the process has died");
    }
}
