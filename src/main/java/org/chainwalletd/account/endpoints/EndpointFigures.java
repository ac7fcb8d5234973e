package org.chainwalletd.account.endpoints;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;

/** Metrics of one endpoint: its calls, whether it answers, how far it is. Thread-safe. */
final class EndpointFigures {
    private static final double MILLIS = 1_000;

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<String, Timer> timers = new ConcurrentHashMap<>();
    private volatile boolean answering;
    private volatile boolean answered;
    private volatile AccountBlock newest;

    /**
     * @param best height of the endpoint that is farthest
     * @param clock milliseconds since 1970
     */
    EndpointFigures(MeterRegistry registry, String endpoint, LongSupplier best, LongSupplier clock) {
        this.registry = registry;
        this.tags = Tags.of("endpoint", endpoint);
        gauge("walletd.evm.up", "1 when the endpoint answered its last call", () -> answering ? 1 : 0);
        gauge("walletd.evm.height", "Number of the newest block that the endpoint has told", this::height);
        gauge(
                "walletd.evm.lag.blocks",
                "Blocks that the endpoint is behind the one that is farthest",
                () -> Math.max(0, best.getAsLong() - height()));
        gauge("walletd.evm.block.age.seconds", "Age of the newest block that the endpoint has told", () -> age(clock));
    }

    private void gauge(String name, String meaning, Supplier<Number> value) {
        Gauge.builder(name, value).description(meaning).tags(tags).register(registry);
    }

    private double age(LongSupplier clock) {
        AccountBlock block = newest;
        return block == null ? Double.NaN : clock.getAsLong() / MILLIS - block.timestamp();
    }

    /** 0 before it has told of a block. */
    long height() {
        AccountBlock block = newest;
        return block == null ? 0 : block.number();
    }

    /** Since the start. */
    boolean hasAnswered() {
        return answered;
    }

    void toldOf(AccountBlock latest) {
        newest = latest;
    }

    /** @param failure empty when it has answered as asked */
    void ended(Optional<Throwable> failure, long nanos) {
        timers.computeIfAbsent(failure.map(EndpointFigures::outcome).orElse("ok"), this::timer)
                .record(nanos, TimeUnit.NANOSECONDS);
        answering = failure.filter(EndpointFigures::isNoAnswer).isEmpty();
        answered |= answering;
    }

    private static boolean isNoAnswer(Throwable failure) {
        return failure instanceof AccountException.Unreachable || failure instanceof AccountException.WrongChain;
    }

    private Timer timer(String outcome) {
        return Timer.builder("walletd.evm.calls")
                .description("Calls to endpoints of the account chain")
                .tags(tags.and("outcome", outcome))
                .register(registry);
    }

    private static String outcome(Throwable failure) {
        if (failure instanceof AccountException.Refused) {
            return "refused";
        }
        return failure instanceof AccountException.Unreachable ? "failed" : "nonsense";
    }
}
