package org.chainwalletd.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first phase of a stop: whoever keeps callers waiting, for minutes perhaps, answers them now with what they would get at their
 * time-out, and answers later ones at once. What is left for the drain are calls that end by themselves.
 */
final class WaitEndings {
    private static final Logger LOG = LoggerFactory.getLogger(WaitEndings.class);

    private record Entry(String what, Supplier<CompletionStage<Void>> end) {}

    private final List<Entry> entries = new ArrayList<>();

    /**
     * @param end idempotent; completes when the answers are given, and may take it that nobody waits for them longer than a second or two
     */
    void add(String what, Supplier<CompletionStage<Void>> end) {
        entries.add(new Entry(what, end));
    }

    /** As {@link #add}, before all others: for those who would begin what others have just ended anew. */
    void addFirst(String what, Supplier<CompletionStage<Void>> end) {
        entries.add(0, new Entry(what, end));
    }

    /** All at once; a service that cannot end its waits does not keep the others from it. */
    void endAll(Duration patience) {
        List<Runnable> endings =
                entries.stream().map(entry -> begin(entry, patience)).toList();
        endings.forEach(Runnable::run);
    }

    private static Runnable begin(Entry entry, Duration patience) {
        try {
            CompletionStage<Void> ending = entry.end().get();
            return () -> finish(entry, ending, patience);
        } catch (RuntimeException e) {
            return () -> complain(entry, e);
        }
    }

    private static void finish(Entry entry, CompletionStage<Void> ending, Duration patience) {
        try {
            Futures.await(ending, patience, "ending " + entry.what());
        } catch (RuntimeException e) {
            complain(entry, e);
        }
    }

    private static void complain(Entry entry, RuntimeException failure) {
        LOG.warn("ending {} failed: {}", entry.what(), failure.toString());
    }
}
