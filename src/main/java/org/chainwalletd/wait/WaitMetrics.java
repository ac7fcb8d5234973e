package org.chainwalletd.wait;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of the waits of one kind. Thread-safe. */
final class WaitMetrics {
    private final AtomicInteger open = new AtomicInteger();
    private final Counter answered;
    private final Counter timedOut;
    private final Counter left;
    private final Counter looks;
    private final Timer age;

    /** @param kind {@code tx}, {@code payment} or {@code credits} */
    WaitMetrics(MeterRegistry meters, String kind) {
        Gauge.builder("walletd.waits.open", open, AtomicInteger::get)
                .description("Waits that have not ended")
                .tag("kind", kind)
                .register(meters);
        answered = ended(meters, kind, "answered");
        timedOut = ended(meters, kind, "timed_out");
        left = ended(meters, kind, "gone");
        looks = Counter.builder("walletd.waits.looks")
                .description("Looks at the nodes' mempools that have been taken in")
                .tag("kind", kind)
                .register(meters);
        age = Timer.builder("walletd.waits.age")
                .description("How long a wait took, however it ended")
                .tag("kind", kind)
                .register(meters);
    }

    private static Counter ended(MeterRegistry meters, String kind, String how) {
        return Counter.builder("walletd.waits.ended")
                .description(
                        "Waits that have ended: with what they waited for, by their time-out, because the caller left")
                .tag("kind", kind)
                .tag("how", how)
                .register(meters);
    }

    void began() {
        open.incrementAndGet();
    }

    void answered(long millis) {
        end(answered, millis);
    }

    void timedOut(long millis) {
        end(timedOut, millis);
    }

    void left(long millis) {
        end(left, millis);
    }

    void looked() {
        looks.increment();
    }

    private void end(Counter how, long millis) {
        open.decrementAndGet();
        how.increment();
        age.record(millis, TimeUnit.MILLISECONDS);
    }
}
