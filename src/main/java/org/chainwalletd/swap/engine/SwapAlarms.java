package org.chainwalletd.swap.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs, counts and forwards conditions that an operator should look at. A condition that lasts is found by every observation, but reported at
 * most once every ten minutes. Thread-safe; never blocks.
 */
public final class SwapAlarms implements Consumer<SwapAlarm> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapAlarms.class);
    private static final Duration PAUSE = Duration.ofMinutes(10);
    private static final int MOST_REMEMBERED = 10_000;

    private record Subject(SwapAlarm.Kind kind, Optional<Hash256> hashLock) {}

    private final MeterRegistry meters;
    private final Consumer<SwapAlarm> listener;
    private final InstantSource clock;
    private final Map<Subject, Long> reportedAt = new LinkedHashMap<>();

    public SwapAlarms(MeterRegistry meters, Consumer<SwapAlarm> listener, InstantSource clock) {
        this.meters = meters;
        this.listener = listener;
        this.clock = clock;
        Arrays.stream(SwapAlarm.Kind.values()).forEach(this::counter);
    }

    private Counter counter(SwapAlarm.Kind kind) {
        return Counter.builder("walletd.swap.alarms")
                .tag("kind", kind.word())
                .description("Times that something about swaps needed somebody to look at it")
                .register(meters);
    }

    @Override
    public void accept(SwapAlarm alarm) {
        if (isDue(new Subject(alarm.kind(), alarm.hashLock()))) {
            LOG.error(
                    "{}: {}",
                    alarm.swap()
                            .map(id -> "swap " + id)
                            .or(() -> alarm.hashLock().map(hash -> "hash lock " + hash))
                            .orElse("swaps"),
                    alarm.message());
            counter(alarm.kind()).increment();
            listener.accept(alarm);
        }
    }

    private synchronized boolean isDue(Subject subject) {
        long now = clock.millis();
        Long before = reportedAt.get(subject);
        if (before != null && Math.abs(now - before) < PAUSE.toMillis()) {
            return false;
        }
        reportedAt.remove(subject);
        reportedAt.put(subject, now);
        if (reportedAt.size() > MOST_REMEMBERED) {
            reportedAt.remove(reportedAt.keySet().iterator().next());
        }
        return true;
    }
}
