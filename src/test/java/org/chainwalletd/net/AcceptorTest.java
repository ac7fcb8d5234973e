package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Accept thread, over the loopback interface. */
@Timeout(120)
class AcceptorTest {
    private final BlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> died = new CompletableFuture<>();
    private final Acceptor acceptor = bound();

    private static Acceptor bound() {
        try {
            return Acceptor.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() throws Exception {
        acceptor.close();
        for (SocketChannel channel : accepted) {
            channel.close();
        }
    }

    @Test
    void a_connection_that_cannot_be_taken_is_closed_and_the_next_one_is_taken() throws Exception {
        CompletableFuture<Void> first = new CompletableFuture<>();
        acceptor.start(
                channel -> {
                    if (first.complete(null)) {
                        throw new IllegalStateException("the test's own");
                    }
                    accepted.add(channel);
                },
                () -> died.complete(null));

        try (Socket broken = Dial.socket(acceptor.address())) {
            assertThat(broken.getInputStream().read()).isEqualTo(-1);
        }
        try (Socket next = Dial.socket(acceptor.address())) {
            assertThat(accepted.poll(60, TimeUnit.SECONDS)).isNotNull();
            assertThat(next.isConnected()).isTrue();
        }
        assertThat(died).isNotDone();
    }

    @Test
    void an_error_ends_it_and_is_reported() throws Exception {
        acceptor.start(
                channel -> {
                    accepted.add(channel);
                    throw new AssertionError("the test ends this thread; its stack trace is no failure");
                },
                () -> died.complete(null));

        try (Socket last = Dial.socket(acceptor.address())) {
            assertThat(last.isConnected()).isTrue();
            Await.outcome(died);
        }
    }

    @Test
    void one_that_is_closed_lets_nobody_in_once_it_has_ended_and_has_not_died() throws Exception {
        acceptor.start(accepted::add, () -> died.complete(null));

        acceptor.close();
        Await.result(acceptor.ended());

        assertThatThrownBy(() -> Dial.socket(acceptor.address())).isInstanceOf(ConnectException.class);
        assertThat(died).isNotDone();
    }

    @Test
    void an_address_that_is_taken_or_not_known_cannot_be_had() {
        assertThatThrownBy(() -> Acceptor.bind(acceptor.address(), 1)).isInstanceOf(BindException.class);
        // The name is too long to be valid, so no DNS request is made.
        assertThatThrownBy(() -> Acceptor.bind(InetSocketAddress.createUnresolved("x".repeat(64), 0), 1))
                .isInstanceOf(BindException.class);
    }
}
