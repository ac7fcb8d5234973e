package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket that listens goes on listening, or says that it does not. */
@Timeout(60)
class ListenerTest {
    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.load());
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final Listener listener = listening();

    private Listener listening() {
        try {
            return new Listener(
                            kit.system(),
                            ServerFixture.LIMITS,
                            new AddressShares(
                                    ServerFixture.LIMITS, ByteBudget.of(1 << 24), new ClientAddress(List.of())),
                            connection -> {
                                sneakily(fault.getAndSet(null));
                                return Flow.of(ByteString.class);
                            },
                            true,
                            refused -> {})
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sneakily(Throwable fault) {
        if (fault instanceof RuntimeException exception) {
            throw exception;
        }
        if (fault instanceof Error error) {
            throw error;
        }
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    @Test
    void one_connection_that_cannot_be_served_does_not_end_the_listening() throws Exception {
        fault.set(new IllegalStateException("the test's own"));
        try (Socket refused = connect()) {
            assertThat(refused.getInputStream().read()).isEqualTo(-1);
        }

        try (Socket served = connect()) {
            served.getOutputStream().write('x');
            assertThat(served.getInputStream().read()).isEqualTo('x');
        }
        assertThat(listener.ended().toCompletableFuture()).isNotDone();
    }

    @Test
    void a_socket_that_listens_no_longer_says_so() throws Exception {
        fault.set(new AssertionError("the test's own"));
        try (Socket last = connect()) {
            assertThat(last.isConnected()).isTrue();
            listener.ended().toCompletableFuture().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void one_that_was_told_to_stop_has_not_ended() throws Exception {
        listener.drain(ServerFixture.LIMITS.requestDeadline())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);

        assertThat(listener.ended().toCompletableFuture()).isNotDone();
    }

    private Socket connect() throws Exception {
        Socket socket = Dial.unconnected();
        socket.connect(listener.address(), 20_000);
        socket.setSoTimeout(20_000);
        return socket;
    }
}
