package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** The time that some calls have together to wait for quotas; it begins with the first one. Set once, thread-safe. */
final class Patience {
    private final long millis;
    private final AtomicReference<Long> end = new AtomicReference<>();

    Patience(Duration time) {
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
