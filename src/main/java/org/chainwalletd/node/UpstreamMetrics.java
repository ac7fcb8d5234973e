package org.chainwalletd.node;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.chainwalletd.net.ByteBudget;

/** Metrics of the calls to an upstream. Thread-safe. */
final class UpstreamMetrics {
    private final MeterRegistry registry;
    private final UpstreamKind kind;
    private final Map<String, Timer> timers = new ConcurrentHashMap<>();
    private final Counter repeatedSweeps;
    private final Counter quotaWaits;
    private final Map<UpstreamNode, Counter> cuts = new HashMap<>();

    UpstreamMetrics(
            MeterRegistry registry,
            UpstreamKind kind,
            ByteBudget answers,
            List<UpstreamNode> nodes,
            LongSupplier clock) {
        this.registry = registry;
        this.kind = kind;
        this.repeatedSweeps = Counter.builder(kind.prefix() + ".sweeps.repeated")
                .description("Sweeps over all nodes that had to be repeated because none answered")
                .register(registry);
        this.quotaWaits = Counter.builder(kind.prefix() + ".quota.waits")
                .description("Times that a call which can wait has waited for a node's next quota window")
                .register(registry);
        Gauge.builder(kind.prefix() + ".answer.bytes", answers, ByteBudget::held)
                .description("Bytes that the answers being read hold")
                .register(registry);
        nodes.forEach(node -> measure(node, clock));
    }

    private void measure(UpstreamNode node, LongSupplier clock) {
        Tags tags = Tags.of(kind.noun(), node.url);
        Gauge.builder(kind.prefix() + ".connections", node.limiter, ConcurrencyLimiter::taken)
                .description("Connections to the node that are in use")
                .tags(tags)
                .register(registry);
        Gauge.builder(kind.prefix() + ".waiting", node.limiter, ConcurrencyLimiter::waiting)
                .description("Calls that wait for a connection to the node")
                .tags(tags)
                .register(registry);
        cuts.put(
                node,
                Counter.builder(kind.prefix() + ".answers.cut")
                        .description(
                                "Answers that were given up: longer than allowed, no HTTP, or no room beside the others")
                        .tags(tags)
                        .register(registry));
        if (kind.hasQuotas()) {
            Gauge.builder(
                            kind.prefix() + ".scan.budget",
                            node.quota(Bucket.SCAN),
                            quota -> quota.budget(clock.getAsLong()))
                    .description("Scan calls left in the node's current quota window, as far as this process can tell")
                    .tags(tags)
                    .register(registry);
        }
    }

    void answerCut(UpstreamNode node) {
        cuts.get(node).increment();
    }

    void sweepRepeated() {
        repeatedSweeps.increment();
    }

    void waitedForQuota() {
        quotaWaits.increment();
    }

    /** @param outcome {@code ok}, {@code rejected} or {@code failed} */
    void ended(Call<?> call, String outcome) {
        timers.computeIfAbsent(
                        call.method + " " + outcome,
                        name -> registry.timer(kind.prefix() + ".calls", "method", call.method, "outcome", outcome))
                .record(System.nanoTime() - call.began, TimeUnit.NANOSECONDS);
    }
}
