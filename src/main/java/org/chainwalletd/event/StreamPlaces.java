package org.chainwalletd.event;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Bounds how many streams are open. Safe for threads. */
final class StreamPlaces {
    private final int most;
    private final AtomicInteger taken = new AtomicInteger();

    StreamPlaces(int most) {
        this.most = most;
    }

    /**
     * Empty when all are taken.
     *
     * @param release what to give back together with the place
     */
    Optional<Place> take(Runnable release) {
        if (taken.incrementAndGet() > most) {
            taken.decrementAndGet();
            return Optional.empty();
        }
        return Optional.of(new Place(release));
    }

    int taken() {
        return taken.get();
    }

    /** Held by one stream. What the stream waits for is taken back together with it. */
    final class Place {
        private final Runnable release;
        private boolean running;
        private boolean over;
        private CompletableFuture<Void> gone;

        private Place(Runnable release) {
            this.release = release;
        }

        /** From now on the end of the stream gives the place back. */
        synchronized void begin() {
            running = true;
        }

        /** For a stream that was opened and never run: its reader had left by then. */
        void giveBackUnlessRunning() {
            boolean unused;
            synchronized (this) {
                unused = !running;
            }
            if (unused) {
                giveBack();
            }
        }

        /**
         * Asks for what comes next.
         *
         * @param question gets a stage that completes when nobody wants the answer any more; a new one each time, so that a stream that
         *     lives long collects nothing
         */
        <T> CompletionStage<T> ask(Function<CompletionStage<Void>, CompletionStage<T>> question) {
            CompletableFuture<Void> leaving = new CompletableFuture<>();
            synchronized (this) {
                if (over) {
                    return CompletableFuture.failedFuture(new IllegalStateException("the stream has ended"));
                }
                gone = leaving;
            }
            return question.apply(leaving);
        }

        /** Idempotent. */
        void giveBack() {
            CompletableFuture<Void> leaving;
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
                leaving = gone;
            }
            taken.decrementAndGet();
            release.run();
            if (leaving != null) {
                leaving.complete(null);
            }
        }
    }
}
