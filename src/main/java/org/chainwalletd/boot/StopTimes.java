package org.chainwalletd.boot;

import java.time.Duration;

/** How long a stop may still take. Used by the thread that stops. */
final class StopTimes {
    /** For everything that is stopped after the last call was answered or cut off. */
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private static final Duration AT_LEAST = Duration.ofMillis(200);

    private long drainBy;
    private long stopBy;

    /** @param drain in which calls and spends under way may end, all together */
    void begin(Duration drain) {
        drainBy = System.nanoTime() + drain.toNanos();
        stopBy = drainBy + CLOSING.toNanos();
    }

    Duration untilDrained() {
        return until(drainBy);
    }

    Duration untilStopped() {
        return until(stopBy);
    }

    private static Duration until(long end) {
        Duration left = Duration.ofNanos(end - System.nanoTime());
        return left.compareTo(AT_LEAST) > 0 ? left : AT_LEAST;
    }
}
