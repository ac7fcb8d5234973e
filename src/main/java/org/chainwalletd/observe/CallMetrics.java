package org.chainwalletd.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcMethod;

/**
 * Counts and times calls: {@code walletd_rpc_calls_seconds} by method and outcome, {@code walletd_rpc_errors_total} by method and code,
 * {@code walletd_rpc_in_flight}. Each call updates two adders and one timer; meters are looked up once per method.
 *
 * <p>The counters of all errors that a method may return exist from the start, with zero, because Prometheus's {@code increase} misses the first
 * event of a counter that appears with it. The histograms of a method appear with its first call: 12 lines for each of 200 would be most of the
 * page.
 */
public final class CallMetrics implements CallObserver {
    private static final Duration[] BOUNDS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60)
    };

    private record Timers(Timer succeeded, Timer failed) {}

    private record Failure(String method, ErrorCode code) {}

    private final MeterRegistry registry;
    private final Map<String, Timers> timers = new ConcurrentHashMap<>();
    private final Map<Failure, Counter> failures = new ConcurrentHashMap<>();
    private final Map<String, Counter> abandoned = new ConcurrentHashMap<>();
    private final LongAdder inFlight = new LongAdder();

    public CallMetrics(MeterRegistry registry, MethodRegistry methods) {
        this.registry = registry;
        for (RpcMethod<?, ?> method : methods.methods()) {
            for (ErrorCode code : method.allErrors()) {
                failures.computeIfAbsent(new Failure(method.name(), code), this::counter);
            }
        }
        Gauge.builder("walletd.rpc.in.flight", inFlight, LongAdder::sum)
                .description("Calls being worked on")
                .register(registry);
    }

    @Override
    public void started(CallContext context, String method, Scope required) {
        inFlight.increment();
    }

    @Override
    public void ended(CallContext context, CallObserver.CallOutcome outcome) {
        inFlight.decrement();
        Timers both = timers.get(outcome.method());
        if (both == null) {
            both = timers.computeIfAbsent(
                    outcome.method(), method -> new Timers(timer(method, "ok"), timer(method, "error")));
        }
        if (outcome.error().isEmpty()) {
            both.succeeded().record(outcome.nanos(), TimeUnit.NANOSECONDS);
        } else {
            both.failed().record(outcome.nanos(), TimeUnit.NANOSECONDS);
            count(outcome);
        }
    }

    @Override
    public void abandoned(CallContext context, String method) {
        inFlight.decrement();
        abandoned.computeIfAbsent(method, this::abandonedCounter).increment();
    }

    @Override
    public void refused(CallContext context, CallObserver.CallOutcome outcome) {
        count(outcome);
    }

    private void count(CallObserver.CallOutcome outcome) {
        outcome.error()
                .ifPresent(code -> failures.computeIfAbsent(new Failure(outcome.method(), code), this::counter)
                        .increment());
    }

    private Counter abandonedCounter(String method) {
        return Counter.builder("walletd.rpc.abandoned")
                .description("Waits whose client left before they were answered")
                .tag("method", method)
                .register(registry);
    }

    private Timer timer(String method, String outcome) {
        return Timer.builder("walletd.rpc.calls")
                .description("Time from a call's parameters to its result")
                .tag("method", method)
                .tag("outcome", outcome)
                .serviceLevelObjectives(BOUNDS)
                .register(registry);
    }

    private Counter counter(Failure failure) {
        return Counter.builder("walletd.rpc.errors")
                .description("Calls that were answered with an error")
                .tag("method", failure.method())
                .tag("code", Integer.toString(failure.code().code()))
                .register(registry);
    }
}
