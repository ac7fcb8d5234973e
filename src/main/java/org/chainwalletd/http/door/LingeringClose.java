package org.chainwalletd.http.door;

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
 * Closes connections after a last answer, leaving each client a moment to read it: a socket that is closed while something of its client lies
 * unread is reset, and the answer is lost with it. When very many come at once, some get no answer.
 */
final class LingeringClose {
    private static final int AT_ONCE = 128;
    private static final ClientSocket.Buffers BUFFERS = new ClientSocket.Buffers(16 << 10, 4096);
    private static final Duration MOMENT = Duration.ofSeconds(1);
    /** Bytes that a client may have sent before it reads the answer. */
    private static final int READ_AT_MOST = 64 << 10;

    private final ActorSystem<?> system;
    private final SocketLoop loop;
    private final AtomicInteger going = new AtomicInteger();

    LingeringClose(ActorSystem<?> system, SocketLoop loop) {
        this.system = system;
        this.loop = loop;
    }

    /** Closes {@code channel} after {@code answer}. For a thread that others wait for. */
    void close(SocketChannel channel, ByteString answer) {
        ClientSocket socket = new ClientSocket(channel, loop, going::decrementAndGet);
        if (going.incrementAndGet() > AT_ONCE) {
            socket.close();
            return;
        }
        socket.open(BUFFERS, new Discarding(socket));
        try {
            loop.execute(() -> answer(socket, answer));
        } catch (RejectedExecutionException e) {
            // Nobody is served any more.
            socket.close();
        }
    }

    private void answer(ClientSocket socket, ByteString answer) {
        try {
            socket.write(answer);
            socket.endOutput();
            system.scheduler().scheduleOnce(MOMENT, socket::close, system.executionContext());
        } catch (IOException e) {
            socket.close();
        }
    }

    /** Reads and drops what the client still sends. */
    private static final class Discarding implements ClientSocket.Reader {
        private final ClientSocket socket;
        private int left = READ_AT_MOST;

        Discarding(ClientSocket socket) {
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
