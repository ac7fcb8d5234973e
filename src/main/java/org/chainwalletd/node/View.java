package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Options of the calls of one client.
 *
 * @param only the one node to ask, or null for all
 * @param attempts sweeps before a call fails; 0 for the configured number
 * @param timeouts how long calls may wait for quotas together; null not to wait, in the background each call for {@link #BACKGROUND_WAIT}
 * @param turn where its next call begins; null to take turns with all other calls
 * @param anyChain whether nodes are asked although it is not known that they are of our chain: to find that out
 */
record View(
        Priority priority, UpstreamNode only, int attempts, Timeouts timeouts, AtomicInteger turn, boolean anyChain) {
    /** Default limit of the time that a background call waits for quotas: ten windows. */
    static final Duration BACKGROUND_WAIT = Duration.ofMinutes(10);

    static final View WHOLE = new View(Priority.FOREGROUND, null, 0, null, null, false);

    View of(UpstreamNode node) {
        return new View(priority, node, attempts, timeouts, turn, anyChain);
    }

    View once() {
        return new View(priority, only, 1, timeouts, turn, anyChain);
    }

    View patient(Duration time) {
        return new View(priority, only, attempts, new Timeouts(time), turn, anyChain);
    }

    View background() {
        return new View(Priority.BACKGROUND, only, attempts, timeouts, turn, anyChain);
    }

    View from(int first) {
        return new View(priority, only, attempts, timeouts, new AtomicInteger(first), anyChain);
    }

    View ofAnyChain() {
        return new View(priority, only, attempts, timeouts, turn, true);
    }

    Timeouts timeoutsOfOneCall() {
        return timeouts == null && priority == Priority.BACKGROUND ? new Timeouts(BACKGROUND_WAIT) : timeouts;
    }

    /** Limits how long some calls together wait for quotas. The time begins with the first call. Thread-safe. */
    static final class Timeouts {
        private final long millis;
        private final AtomicReference<Long> end = new AtomicReference<>();

        Timeouts(Duration time) {
            this.millis = time.toMillis();
        }

        /**
         * @param now milliseconds of the clock of all calls
         */
        void begin(long now) {
            end.compareAndSet(null, now + millis);
        }

        /** Whether a call that has begun may wait for {@code pause} milliseconds more. */
        boolean allows(long pause, long now) {
            return now + pause - end.get() <= 0;
        }
    }
}
