package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.config.Settings;
import org.chainwalletd.testkit.HostileUpstream;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hostile nodes and indexers: whatever they do, a call must end with its error and release everything. */
@Tag("long")
class HostileNodeTest {
    private static TestCertificate certificate;

    @AutoClose
    private static NodeHarness harness;

    private static ManualTime time;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.make();
        harness = new NodeHarness(ManualTime.config()).trusting(certificate.client());
        time = ManualTime.get(harness.kit.system());
    }

    @ParameterizedTest
    @EnumSource
    void a_hostile_node_gives_no_answer(HostileUpstream hostile) {
        Throwable failure =
                hostile.meet(certificate, HostileNodeTest::askNode, () -> time.timePasses(NodeHarness.CALL_TIMEOUT));

        assertThat(failure).isInstanceOf(NodeException.Unreachable.class);
        assertThat(held("walletd.upstream.answer.bytes")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void a_hostile_indexer_gives_no_answer(HostileUpstream hostile) {
        Throwable failure =
                hostile.meet(certificate, HostileNodeTest::askIndexer, () -> time.timePasses(NodeHarness.CALL_TIMEOUT));

        assertThat(failure).isInstanceOf(NodeException.Unreachable.class);
        assertThat(held("walletd.indexer.answer.bytes")).isZero();
    }

    private static CompletableFuture<?> askNode(URI url) {
        return harness.client(once(url)).tip().toCompletableFuture();
    }

    private static CompletableFuture<?> askIndexer(URI url) {
        return RpcUpstream.toIndexers(harness.spawner(), once(url), Optional.of("token"), harness.transport())
                .call("stats", "{}", in -> null)
                .toCompletableFuture();
    }

    private static Settings.Node once(URI url) {
        return NodeHarness.settings(1, 32, 8 << 20, url);
    }

    private static double held(String gauge) {
        return harness.metrics.get(gauge).gauges().stream()
                .mapToDouble(Gauge::value)
                .sum();
    }
}
