package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Options of the calls of one client.
 *
 * @param only the only node to ask; null for all
 * @param attempts number of sweeps before a call fails; 0 for the configured number
 * @param timeouts limit for the total wait for quotas; null: foreground calls do not wait, background calls up to {@link #BACKGROUND_WAIT} each
 * @param turn index of the first node of the next call; null to share the rotation with all other calls
 * @param anyChain whether nodes may be asked that are not known to be of our chain: to find out their chain
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

    /** Limits the total time that some calls wait for quotas. It starts with the first call. Thread-safe. */
    static final class Timeouts {
        private final long millis;
        private final AtomicReference<Long> end = new AtomicReference<>();

        Timeouts(Duration time) {
            this.millis = time.toMillis();
        }

        /** @param now milliseconds of the clock shared by all calls */
        void begin(long now) {
            end.compareAndSet(null, now + millis);
        }

        /** Returns whether a started call may wait for another {@code pause} milliseconds. */
        boolean allows(long pause, long now) {
            return now + pause - end.get() <= 0;
        }
    }
}
