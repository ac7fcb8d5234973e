package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How the calls of one client go.
 *
 * @param pin the one node to ask, or null for all
 * @param attempts sweeps before a call fails; 0 for the configured number
 * @param patience how long calls may wait for quotas together; null not to wait, in the background each call for {@link #BACKGROUND_WAIT}
 * @param turn where its next call begins; null to take turns with all other calls
 * @param anyChain whether nodes are asked although it is not known that they are of our chain: to find that out
 */
record View(Lane lane, Pin pin, int attempts, Patience patience, AtomicInteger turn, boolean anyChain) {
    /** So long a background call waits for quotas at most when nothing else is said: ten windows. */
    static final Duration BACKGROUND_WAIT = Duration.ofMinutes(10);

    static final View WHOLE = new View(Lane.FOREGROUND, null, 0, null, null, false);

    View pinned(Pin to) {
        return new View(lane, to, attempts, patience, turn, anyChain);
    }

    View once() {
        return new View(lane, pin, 1, patience, turn, anyChain);
    }

    View patient(Duration time) {
        return new View(lane, pin, attempts, new Patience(time), turn, anyChain);
    }

    View background() {
        return new View(Lane.BACKGROUND, pin, attempts, patience, turn, anyChain);
    }

    View from(int first) {
        return new View(lane, pin, attempts, patience, new AtomicInteger(first), anyChain);
    }

    View ofAnyChain() {
        return new View(lane, pin, attempts, patience, turn, true);
    }

    Patience patienceOfOneCall() {
        return patience == null && lane == Lane.BACKGROUND ? new Patience(BACKGROUND_WAIT) : patience;
    }
}
