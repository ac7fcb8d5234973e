package org.chainwalletd.http;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.net.ClientSocket;
import org.chainwalletd.net.SocketLoop;

/**
 * Tells clients that they cannot be served, and gives each a moment to read it: a socket that is closed while something of its client lies
 * unread is reset, and what was said is lost with it. When very many come at once, some hear nothing.
 */
final class Farewells {
    private static final int AT_ONCE = 128;
    private static final ClientSocket.Buffers FEW_WORDS = new ClientSocket.Buffers(16 << 10, 4096);
    private static final Duration MOMENT = Duration.ofSeconds(1);
    /** Of what a client may have sent before it was told. */
    private static final int READ_AT_MOST = 64 << 10;

    private final ActorSystem<?> system;
    private final SocketLoop loop;
    private final AtomicInteger going = new AtomicInteger();

    Farewells(ActorSystem<?> system, SocketLoop loop) {
        this.system = system;
        this.loop = loop;
    }

    /** Closes {@code channel} after {@code words}. For a thread that others wait for. */
    void say(SocketChannel channel, ByteString words) {
        ClientSocket socket = new ClientSocket(channel, loop, going::decrementAndGet);
        if (going.incrementAndGet() > AT_ONCE) {
            socket.close();
            return;
        }
        socket.open(FEW_WORDS, new Leaving(socket));
        try {
            loop.execute(() -> say(socket, words));
        } catch (RejectedExecutionException e) {
            // Nobody is served any more.
            socket.close();
        }
    }

    private void say(ClientSocket socket, ByteString words) {
        try {
            socket.write(words);
            socket.endOutput();
            system.scheduler().scheduleOnce(MOMENT, socket::close, system.executionContext());
        } catch (IOException e) {
            socket.close();
        }
    }

    /** Reads what the client still says, and forgets it. */
    private static final class Leaving implements ClientSocket.Reader {
        private final ClientSocket socket;
        private int left = READ_AT_MOST;

        Leaving(ClientSocket socket) {
            this.socket = socket;
        }

        @Override
        public void received(ByteString bytes) {
            left -= bytes.length();
            if (left > 0) {
                socket.want();
            } else {
                socket.close();
            }
        }

        @Override
        public void ended() {
            socket.close();
        }

        @Override
        public void failed(IOException why) {
            socket.close();
        }

        @Override
        public void writable() {
            // So few bytes need no second attempt.
        }
    }
}
