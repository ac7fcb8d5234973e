package org.chainwalletd.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** Byte transport of a connection to a peer, plain or TLS. Used on the loop's thread; never blocks. */
interface Wire {
    /** Returns whether content may be transferred now; if not, the socket has to become ready first. */
    boolean open() throws IOException;

    /** Writes as much as the kernel accepts; returns whether nothing is left. */
    boolean write(ByteBuffer content) throws IOException;

    /**
     * Reads one piece: at most {@code most} bytes, or one TLS record.
     *
     * @return its length; 0 if nothing is available now, -1 at the end
     */
    int read(int most, SocketLoop.PieceReader reader) throws IOException;

    /** Returns whether the peer has ended its output deliberately; without TLS that cannot be told from a cut connection, and counts as proven. */
    boolean isEndProven();

    /** Returns whether more may be buffered although the socket has nothing. */
    boolean mayHoldMore();

    /** Returns the socket operations to wait for, as {@link SelectionKey#interestOps}. */
    int awaited(boolean reading, boolean writing);

    /** Sends a closing message before the socket is closed, as far as possible without waiting. */
    void end();

    /** Transport without TLS. */
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
            // Closing the socket is the message.
        }
    }
}
