package org.chainwalletd.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The daemon's only registry of meters. Names begin with {@code walletd.}; labels never contain a caller's text. */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private JvmGcMetrics collections;

    /** Adds meters of the process: memory, garbage collections, threads, processor, files, uptime. Not the default, because they delay the start. */
    public Metrics withProcess() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections = new JvmGcMetrics();
        collections.bindTo(registry);
        return this;
    }

    /** Registry in which components register their own meters. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Returns all meters in the text format of Prometheus, version 0.0.4. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        if (collections != null) {
            collections.close();
        }
        registry.close();
    }
}
