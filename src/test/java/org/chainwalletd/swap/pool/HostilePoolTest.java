package org.chainwalletd.swap.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.chainwalletd.testkit.HostileUpstream;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the swap pool does, a call to it ends with its error and leaves no memory reserved. */
@Tag("long")
class HostilePoolTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static TestCertificate certificate;

    @AutoClose("shutdownTestKit")
    private static ActorTestKit kit;

    private static HttpPeers peers;
    private static SSLContext trust;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.make();
        trust = certificate.client();
        kit = ActorTestKit.create(ManualTime.config());
        peers = Peers.of(kit.system());
    }

    @ParameterizedTest
    @EnumSource
    void a_hostile_pool_gives_no_answer(HostileUpstream hostile) {
        ByteBudget held = ByteBudget.of(HttpPool.MOST_HELD);

        Throwable failure = hostile.meet(
                certificate,
                url -> new HttpPool(
                                peers.trustedBy(url, trust),
                                PoolWords.DEFAULT,
                                PATIENCE,
                                held,
                                kit.system().executionContext())
                        .info()
                        .toCompletableFuture(),
                () -> ManualTime.get(kit.system()).timePasses(PATIENCE));

        assertThat(failure).isInstanceOfAny(PoolException.Unreachable.class, PoolException.BadAnswer.class);
        assertThat(held.held()).isZero();
    }
}
