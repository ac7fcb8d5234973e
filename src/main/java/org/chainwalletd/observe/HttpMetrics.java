package org.chainwalletd.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Counts the requests and connections that the HTTP server refuses or ends, by one of a few fixed reasons, and reports the number of open
 * connections.
 */
public final class HttpMetrics {
    private final MeterRegistry registry;
    private final Map<String, Counter> refusals = new ConcurrentHashMap<>();

    public HttpMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    public void refused(String reason) {
        refusals.computeIfAbsent(reason, this::counter).increment();
    }

    public void connections(IntSupplier open) {
        Gauge.builder("walletd.http.connections", open::getAsInt)
                .description("Open connections")
                .register(registry);
    }

    public void held(LongSupplier bytes, long most) {
        Gauge.builder("walletd.http.held.bytes", bytes::getAsLong)
                .description("Bytes of requests and of unread answers that are held for clients")
                .register(registry);
        Gauge.builder("walletd.http.held.limit.bytes", () -> most)
                .description("What they may be at most; beyond it clients are refused with the reason memory")
                .register(registry);
    }

    public void waits(IntSupplier open) {
        Gauge.builder("walletd.rpc.waits", open::getAsInt)
                .description("Waits that are open, each counted against --max-waits")
                .register(registry);
    }

    public void streams(IntSupplier open) {
        Gauge.builder("walletd.http.event.streams", open::getAsInt)
                .description("Streams of GET /events that are open")
                .register(registry);
    }

    private Counter counter(String reason) {
        return Counter.builder("walletd.http.refused")
                .description("Requests refused and connections closed before a method was reached")
                .tag("reason", reason)
                .register(registry);
    }
}
