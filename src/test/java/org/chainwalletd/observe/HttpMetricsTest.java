package org.chainwalletd.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @ParameterizedTest
    @ValueSource(strings = {"walletd.http.connections", "walletd.rpc.waits", "walletd.http.event.streams"})
    void a_figure_is_reported_although_nobody_but_its_gauge_knows_where_it_comes_from(String name) {
        HttpMetrics metrics = new HttpMetrics(registry);
        AtomicInteger open = new AtomicInteger(7);
        metrics.connections(open::get);
        metrics.waits(open::get);
        metrics.streams(open::get);

        System.gc();

        assertThat(registry.get(name).gauge().value()).isEqualTo(7);
    }
}
