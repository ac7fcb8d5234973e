package org.chainwalletd.account.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.testkit.HostileUpstream;
import org.chainwalletd.testkit.TestCertificate;
import org.chainwalletd.testkit.TestPools;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever an endpoint of the account chain does, a call to it fails with a specific error. */
@Tag("long")
class HostileEndpointTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static TestCertificate certificate;
    private static ActorTestKit kit;
    private static HttpPeers peers;
    /** Threads with stacks as small as the daemon's, and smaller: the stack depth that a certificate needs must not depend on the compiler. */
    private static ExecutorService handshakes;

    private static SSLContext trust;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.make();
        trust = certificate.client();
        kit = ActorTestKit.create(ManualTime.config());
        handshakes = Executors.newFixedThreadPool(2, work -> new Thread(null, work, "handshakes", 256 << 10));
        peers = HttpPeers.start(kit.system(), () -> trust, handshakes, () -> {});
    }

    @AfterAll
    static void stop() {
        peers.close();
        handshakes.shutdownNow();
        kit.shutdownTestKit();
    }

    @ParameterizedTest
    @EnumSource
    void a_hostile_endpoint_gives_no_answer(HostileUpstream hostile) {
        Throwable failure = hostile.meet(
                certificate,
                HostileEndpointTest::ask,
                () -> ManualTime.get(kit.system()).timePasses(PATIENCE));

        assertThat(failure).isInstanceOfAny(AccountException.Unreachable.class, AccountException.BadAnswer.class);
    }

    private static CompletableFuture<?> ask(URI url) {
        AccountChain.Setup setup = new AccountChain.Setup(
                List.of(url),
                1,
                BigInteger.ONE,
                Finality.FINALIZED,
                PATIENCE,
                ByteBudget.ofHeap(AccountChain.HEAP_SHARE),
                new SimpleMeterRegistry());
        return AccountChain.start(
                        peers, setup, new AccountChain.Threads(kit.system().executionContext(), TestPools::of))
                .asked(reads -> reads.block(BlockRef.Tag.LATEST))
                .toCompletableFuture();
    }
}
