package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listening socket continues to listen, or reports that it does not. */
@Timeout(120)
class ListenerTest {
    private static final String SLOW = "127.0.0.2";

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.load());
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    /** Delays the streams of connections from {@link #SLOW} until it is open. */
    private final CountDownLatch slowly = new CountDownLatch(1);

    private final AtomicInteger served = new AtomicInteger();
    private final List<Socket> clients = new ArrayList<>();
    private final Listener listener = listening();

    private Listener listening() {
        try {
            Listener listener = new Listener(
                    kit.system(),
                    ServerFixture.LIMITS,
                    new AddressShares(ServerFixture.LIMITS, ByteBudget.of(1 << 24), new ClientAddress(List.of())),
                    new Echo(),
                    true,
                    refused -> {});
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return listener;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Protocol that creates the streams at once unless the client announces more input. */
    private final class Echo implements Listener.Protocol {
        @Override
        public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
            served.incrementAndGet();
            if (connection.peer().equals(SLOW)) {
                Await.opened(slowly);
            }
            sneakily(fault.getAndSet(null));
            return Flow.of(ByteString.class);
        }

        @Override
        public boolean isEnough(ByteString said) {
            return !said.endsWith(ByteString.fromString("more"));
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
    void stop() throws IOException {
        slowly.countDown();
        for (Socket client : clients) {
            client.close();
        }
        Await.result(listener.drain(Duration.ofSeconds(20)));
        kit.shutdownTestKit();
    }

    @Test
    void one_connection_that_cannot_be_served_does_not_end_the_listening() throws Exception {
        fault.set(new IllegalStateException("the test's own"));
        try (Socket refused = connect()) {
            refused.getOutputStream().write('x');
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
            last.getOutputStream().write('x');
            Await.result(listener.ended());
        }
    }

    @Test
    void streams_are_made_for_nobody_who_leaves_before_he_has_said_a_whole_thing() throws Exception {
        for (int i = 0; i < 3 * ServerFixture.LIMITS.maxConnections(); i++) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write("more".getBytes(StandardCharsets.US_ASCII));
            }
        }
        // Connections are accepted in order: once this one is answered or refused, all earlier ones have been accepted.
        int last;
        try (Socket socket = connect()) {
            socket.getOutputStream().write('x');
            last = socket.getInputStream().read() == 'x' ? 1 : 0;
        }
        Await.until("they are gone", () -> listener.connections() == 0);
        assertThat(served).hasValue(last);

        try (Socket socket = connect()) {
            socket.getOutputStream().write("more".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(" and more".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(" to the end".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readNBytes(24)).asString().isEqualTo("more and more to the end");
        }
        assertThat(served).hasValue(last + 1);
    }

    @Test
    void nobody_waits_to_be_let_in_behind_those_whose_streams_are_yet_to_be_made() throws Exception {
        List<Socket> heavy = new ArrayList<>();
        // The first connections are few enough for the normal class, and keep the threads of that class.
        for (int i = 0; i < ServerFixture.LIMITS.maxConnections(); i++) {
            Socket socket = from(SLOW);
            socket.getOutputStream().write('x');
            heavy.add(socket);
        }
        Await.until("they are in", () -> listener.connections() == heavy.size());

        try (Socket one = from(SLOW)) {
            assertThat(one.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 503");
        }
    }

    @Test
    void those_who_have_few_connections_do_not_wait_for_threads_behind_those_who_have_very_many() throws Exception {
        List<Socket> heavy = new ArrayList<>();
        for (int i = 0; i < ServerFixture.LIMITS.maxConnections() / 2; i++) {
            heavy.add(from(SLOW));
        }
        Await.until("they are in", () -> listener.connections() == heavy.size());
        // The connections opened while there were few send nothing.
        for (Socket socket : heavy.subList(heavy.size() / 2 + 10, heavy.size())) {
            socket.getOutputStream().write('x');
        }
        Await.until("some of them are being served", () -> served.get() > 0);

        try (Socket one = connect()) {
            one.getOutputStream().write('x');
            assertThat(one.getInputStream().read()).isEqualTo('x');
        }
    }

    @Test
    void who_says_nothing_has_no_streams_and_is_counted_out_when_he_leaves() throws Exception {
        try (Socket silent = connect();
                Socket other = connect()) {
            other.getOutputStream().write('x');
            assertThat(other.getInputStream().read()).isEqualTo('x');
            Await.until("both are open", () -> listener.connections() == 2);
            assertThat(served).hasValue(1);

            silent.shutdownOutput();

            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            Await.until("one is left", () -> listener.connections() == 1);
            assertThat(served).hasValue(1);
        }
        Await.until("nobody is left", () -> listener.connections() == 0);
    }

    @Test
    void one_of_many_addresses_that_have_all_places_gives_way_to_a_new_one() throws Exception {
        List<Socket> others = new ArrayList<>();
        // Two connections of each address; those of the first two addresses have been quiet longest.
        for (int i = 0; i < ServerFixture.LIMITS.maxConnections(); i++) {
            others.add(from("127.0.1." + (1 + i / 2)));
            int open = i + 1;
            Await.until("it is in", () -> listener.connections() == open);
        }
        try (Socket one = from("127.0.2.1")) {
            one.getOutputStream().write('x');
            assertThat(one.getInputStream().read()).isEqualTo('x');

            assertThat(others.get(0).getInputStream().read()).isEqualTo(-1);
            assertThat(listener.connections()).isEqualTo(ServerFixture.LIMITS.maxConnections());
            Socket last = others.get(others.size() - 1);
            last.getOutputStream().write('y');
            assertThat(last.getInputStream().read()).isEqualTo('y');
        }
    }

    @Test
    void one_that_was_told_to_stop_has_not_ended() throws Exception {
        Await.outcome(listener.drain(ServerFixture.LIMITS.timeouts().request()).toCompletableFuture());

        assertThat(listener.ended().toCompletableFuture()).isNotDone();
    }

    /** Creates a client that is closed after the test, if not before. */
    private Socket from(String address) throws Exception {
        Socket socket = unconnected();
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", listener.address().getPort()), 20_000);
        return socket;
    }

    private Socket connect() throws Exception {
        Socket socket = unconnected();
        socket.connect(listener.address(), 20_000);
        return socket;
    }

    private Socket unconnected() throws Exception {
        Socket socket = Dial.unconnected();
        clients.add(socket);
        return socket;
    }
}
