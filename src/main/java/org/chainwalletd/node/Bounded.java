package org.chainwalletd.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Runs the same asynchronous call for many items, a few at a time. */
public final class Bounded {
    private Bounded() {}

    /**
     * Calls {@code ask} for each item, at most {@code width} at a time.
     *
     * @return the results in the order of the items; fails with the first failure, after which no further call is started
     */
    public static <A, B> CompletionStage<List<B>> each(
            List<A> items, int width, Function<A, CompletionStage<B>> ask, Executor executor) {
        if (items.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Run<A, B> run = new Run<>(items, ask, executor);
        for (int i = 0; i < Math.min(width, items.size()); i++) {
            run.next();
        }
        return run.done;
    }

    /** Calls {@code ask} for one item after another until one has a result; empty if none has. Fails with the first failure. */
    public static <A, B> CompletionStage<Optional<B>> first(
            List<A> items, Function<A, CompletionStage<Optional<B>>> ask, Executor executor) {
        if (items.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return ask.apply(items.get(0))
                .thenComposeAsync(
                        found -> found.isPresent()
                                ? CompletableFuture.completedFuture(found)
                                : first(items.subList(1, items.size()), ask, executor),
                        executor);
    }

    private static final class Run<A, B> {
        private final List<A> items;
        private final Function<A, CompletionStage<B>> ask;
        private final Executor executor;
        private final Object[] answers;
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger missing;
        private final CompletableFuture<List<B>> done = new CompletableFuture<>();

        Run(List<A> items, Function<A, CompletionStage<B>> ask, Executor executor) {
            this.items = items;
            this.ask = ask;
            this.executor = executor;
            this.answers = new Object[items.size()];
            this.missing = new AtomicInteger(items.size());
        }

        void next() {
            int index = started.getAndIncrement();
            if (index >= items.size() || done.isDone()) {
                return;
            }
            try {
                ask.apply(items.get(index))
                        .whenCompleteAsync((answer, failure) -> answered(index, answer, failure), executor);
            } catch (RuntimeException notAsked) {
                done.completeExceptionally(notAsked);
            }
        }

        private void answered(int index, B answer, Throwable failure) {
            if (failure != null) {
                done.completeExceptionally(failure);
                return;
            }
            answers[index] = answer;
            if (missing.decrementAndGet() == 0) {
                done.complete(collected());
            } else {
                next();
            }
        }

        @SuppressWarnings("unchecked") // the array holds what ask gave, one B each
        private List<B> collected() {
            return Collections.unmodifiableList(new ArrayList<>((List<B>) Arrays.asList(answers)));
        }
    }
}
