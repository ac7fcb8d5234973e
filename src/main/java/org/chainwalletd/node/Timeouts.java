package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Limits how long some calls together wait for quotas. The time begins with the first call. Thread-safe. */
final class Timeouts {
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
