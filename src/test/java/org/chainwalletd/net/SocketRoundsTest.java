package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.util.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fairness of the loop thread between connections, counted in rounds that the test runs by hand. */
@Timeout(120)
class SocketRoundsTest {
    private static final int PIECE = 1024;
    private static final int FLOODING = 200;
    private static final int ROUNDS = 8;
    private static final ClientSocket.Buffers BUFFERS = new ClientSocket.Buffers(64 << 10, 64 << 10);

    private final SocketLoop loop = SocketLoop.open(PIECE, () -> {});
    private final List<SocketChannel> clients = new ArrayList<>();
    private ServerSocketChannel server;

    @BeforeEach
    void listen() throws Exception {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws Exception {
        for (SocketChannel client : clients) {
            client.close();
        }
        server.close();
        loop.close();
    }

    /** Requests the next piece whenever one has arrived. */
    private final class Greedy implements ClientSocket.Reader {
        private final ClientSocket socket;
        private int pieces;
        private int longest;

        Greedy(ClientSocket socket) {
            this.socket = socket;
        }

        @Override
        public void received(ByteString bytes) {
            pieces++;
            longest = Math.max(longest, bytes.length());
            socket.want();
        }

        @Override
        public void ended() {
            throw new AssertionError("nobody has ended");
        }

        @Override
        public void failed(IOException why) {
            // At the end of the test.
        }

        @Override
        public void writable() {
            throw new AssertionError("nothing was written");
        }
    }

    /** Creates a client whose {@code bytes} are at its socket before the first round. */
    private Greedy client(int bytes) throws Exception {
        SocketChannel client = SocketChannel.open(server.getLocalAddress());
        clients.add(client);
        ByteBuffer all = ByteBuffer.allocate(bytes);
        while (all.hasRemaining()) {
            client.write(all);
        }
        ClientSocket socket = new ClientSocket(server.accept(), loop, () -> {});
        Greedy reader = new Greedy(socket);
        socket.open(BUFFERS, reader);
        return reader;
    }

    private List<Greedy> flood() throws Exception {
        List<Greedy> flood = new ArrayList<>();
        for (int i = 0; i < FLOODING; i++) {
            // More than is read in the rounds of a test.
            flood.add(client(4 * ROUNDS * PIECE));
        }
        loop.round();
        return flood;
    }

    @Test
    void nobody_is_read_twice_before_everybody_who_has_sent_something_is_read_once() throws Exception {
        List<Greedy> flood = flood();

        for (int round = 1; round <= ROUNDS; round++) {
            loop.round();
            int most = round;
            assertThat(flood).allSatisfy(one -> {
                assertThat(one.pieces).isEqualTo(most);
                assertThat(one.longest).isEqualTo(PIECE);
            });
        }
    }

    @Test
    void who_is_new_is_read_in_the_round_after_he_has_come_whatever_others_send() throws Exception {
        List<Greedy> flood = flood();
        for (int round = 0; round < ROUNDS; round++) {
            loop.round();
        }
        int before = flood.get(0).pieces;

        Greedy one = client(100);
        loop.round();
        loop.round();

        assertThat(one.pieces).isEqualTo(1);
        assertThat(one.longest).isEqualTo(100);
        assertThat(flood).allSatisfy(other -> assertThat(other.pieces).isLessThanOrEqualTo(before + 2));
    }

    @Test
    void who_says_something_again_is_read_in_the_next_round() throws Exception {
        Greedy kept = client(100);
        List<Greedy> flood = flood();
        loop.round();
        assertThat(kept.pieces).isEqualTo(1);

        clients.get(0).write(ByteBuffer.allocate(100));
        loop.round();

        assertThat(kept.pieces).isEqualTo(2);
        assertThat(flood).allSatisfy(other -> assertThat(other.pieces).isEqualTo(2));
    }

    @Test
    void work_that_is_handed_over_without_end_keeps_nobody_from_being_read() throws Exception {
        AtomicInteger done = new AtomicInteger();
        loop.execute(new Runnable() {
            @Override
            public void run() {
                done.incrementAndGet();
                loop.execute(this);
            }
        });
        Greedy one = client(100);
        loop.round();

        // A round that continues while there is work would never return.
        loop.round();

        assertThat(one.pieces).isEqualTo(1);
        assertThat(done).hasPositiveValue();
    }
}
