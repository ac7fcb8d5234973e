package org.chainwalletd.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** The bytes of a connection to a peer, as they are or through TLS. For the thread of the socket loop; nothing blocks. */
interface Wire {
    /** Whether content may pass now; otherwise there is something to be awaited first. */
    boolean open() throws IOException;

    /** Writes what the system takes; true when nothing is left. */
    boolean write(ByteBuffer content) throws IOException;

    /**
     * Reads one piece of at most {@code most} bytes, or of one TLS record.
     *
     * @return its length, 0 when nothing is there now, -1 when the peer sends no more
     */
    int read(int most, SocketLoop.PieceReader reader) throws IOException;

    /** Whether the peer has said that it sends no more; without TLS nobody can tell that from a connection that was cut. */
    boolean isEndProven();

    /** Whether more may be there although the socket has nothing. */
    boolean mayHoldMore();

    /** Readiness to await of the socket, as {@link SelectionKey#interestOps}. */
    int awaited(boolean reading, boolean writing);

    /** Sends a closing message before the socket is closed, as far as that is possible without waiting. */
    void end();

    /** Bytes without TLS. */
    record Plain(SocketLoop loop, SocketChannel channel) implements Wire {
        @Override
        public boolean open() {
            return true;
        }

        @Override
        public boolean write(ByteBuffer content) throws IOException {
            channel.write(content);
            return !content.hasRemaining();
        }

        @Override
        public int read(int most, SocketLoop.PieceReader reader) throws IOException {
            return loop.read(channel, most, reader);
        }

        @Override
        public boolean isEndProven() {
            return true;
        }

        @Override
        public boolean mayHoldMore() {
            return false;
        }

        @Override
        public int awaited(boolean reading, boolean writing) {
            return (reading ? SelectionKey.OP_READ : 0) | (writing ? SelectionKey.OP_WRITE : 0);
        }

        @Override
        public void end() {
            // The socket's end says it.
        }
    }
}
