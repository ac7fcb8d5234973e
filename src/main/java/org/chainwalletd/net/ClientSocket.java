package org.chainwalletd.net;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.util.ByteString;

/**
 * The socket of a connection that was accepted. It is read on the thread of its {@link SocketLoop}, one piece whenever somebody has asked for
 * one, so that whoever sends more than is asked for waits; and written on the writer's own thread, as far as the system takes it.
 */
public final class ClientSocket {
    /**
     * Buffer sizes of the system for one connection, of its own memory, which all connections of the machine share: while it is short of it, it
     * drops what comes for anybody. Left to itself it would take some MiB from a client that sends ahead, and for one that reads nothing.
     * Linux holds twice as much, with what it needs beside.
     *
     * @param incoming bytes that have come and are not read
     * @param outgoing bytes that are written and not acknowledged
     */
    public record Buffers(int incoming, int outgoing) {}

    /** Is told what happens, by any thread, and only hands it over. */
    public interface Reader {
        /** The piece that was asked for. */
        void received(ByteString bytes);

        /** The peer sends no more. */
        void ended();

        /** The connection is lost; the socket has yet to be closed if it was not this side that gave it up. */
        void failed(IOException why);

        /** More can be written: see {@link #awaitWritable}. */
        void writable();
    }

    private static final int WRITTEN_AT_ONCE = 32 << 10;
    private static final ThreadLocal<ByteBuffer> OUTGOING =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(WRITTEN_AT_ONCE));

    private final SocketChannel channel;
    private final SocketLoop loop;
    private final Runnable closed;
    private final AtomicBoolean over = new AtomicBoolean();
    private final OnLoop onLoop = new OnLoop();
    private volatile Reader reader;
    private volatile boolean wanted;
    /** The loop looks for bytes. Written there only. */
    private volatile boolean looking = true;

    /**
     * @param channel accepted; this object closes it
     * @param closed run once, when it is closed, by whichever thread did it
     */
    public ClientSocket(SocketChannel channel, SocketLoop loop, Runnable closed) {
        this.channel = channel;
        this.loop = loop;
        this.closed = closed;
    }

    /** Begins, and asks for the first piece. Whoever accepts has others to accept, so everything is left to the loop. */
    public void open(Buffers buffers, Reader first) {
        reader = first;
        wanted = true;
        onLoop(() -> onLoop.begin(buffers));
    }

    /** Sets {@code next} as the reader; it also receives bytes that were requested before and have not arrived yet. */
    public void readBy(Reader next) {
        reader = next;
        if (over.get()) {
            next.failed(new ClosedChannelException());
        }
    }

    /** Asks for one more piece. */
    public void want() {
        wanted = true;
        if (!looking) {
            onLoop(onLoop::look);
        }
    }

    /** Writes what the system takes now, and returns the rest. For one thread at a time. */
    public ByteString write(ByteString bytes) throws IOException {
        ByteBuffer buffer = OUTGOING.get();
        ByteString rest = bytes;
        while (!rest.isEmpty()) {
            buffer.clear();
            int length = rest.copyToBuffer(buffer);
            int written = channel.write(buffer.flip());
            rest = rest.drop(written);
            if (written < length) {
                break;
            }
        }
        return rest;
    }

    /** Has the reader told once when the system takes more. */
    public void awaitWritable() {
        onLoop(onLoop::awaitRoom);
    }

    /** Ends the output: nothing more will be written. */
    public void endOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Closes; what is written still goes out, unless bytes of the peer lie unread. Idempotent. */
    public void close() {
        if (over.compareAndSet(false, true)) {
            closeChannel();
        }
    }

    /** Ends the connection by a reset, and tells the reader. Idempotent. */
    public void abort() {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // It is gone already.
        }
        closeChannel();
        reader.failed(new ClosedChannelException());
    }

    /** Ends the connection as {@link #close} does, from outside of its reader, who is told. Idempotent. */
    public void hangUp() {
        if (over.compareAndSet(false, true)) {
            closeChannel();
            reader.failed(new ClosedChannelException());
        }
    }

    /** Whether this side has closed it. */
    public boolean isClosed() {
        return over.get();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            // There is nothing left to be done about it.
        }
        loop.letGo();
        closed.run();
    }

    private void onLoop(Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException e) {
            abort();
        }
    }

    /** The part that belongs to the loop's thread. */
    private final class OnLoop implements SocketLoop.Connection {
        private SelectionKey key;

        void begin(Buffers buffers) {
            try {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_RCVBUF, buffers.incoming());
                channel.setOption(StandardSocketOptions.SO_SNDBUF, buffers.outgoing());
                key = loop.register(channel, SelectionKey.OP_READ, this);
            } catch (ClosedChannelException e) {
                // Closed by this side, which knows it.
            } catch (IOException e) {
                reader.failed(e);
            }
        }

        void look() {
            looking = true;
            interest(SelectionKey.OP_READ);
        }

        void awaitRoom() {
            interest(SelectionKey.OP_WRITE);
        }

        private void interest(int operation) {
            try {
                if (key != null) {
                    key.interestOpsOr(operation);
                }
            } catch (CancelledKeyException e) {
                // Closed by this side, as above.
            }
        }

        @Override
        public void ready(SelectionKey ready) {
            try {
                if (ready.isWritable()) {
                    ready.interestOpsAnd(~SelectionKey.OP_WRITE);
                    reader.writable();
                }
                if (ready.isReadable()) {
                    read();
                }
            } catch (CancelledKeyException e) {
                // Closed by this side, as above.
            }
        }

        private void read() {
            if (!wanted) {
                lookAway();
                if (wanted) {
                    look();
                }
                return;
            }
            wanted = false;
            try {
                int count =
                        loop.read(channel, (bytes, length) -> reader.received(ByteString.fromArray(bytes, 0, length)));
                if (count == 0) {
                    wanted = true;
                } else if (count < 0) {
                    lookAway();
                    reader.ended();
                }
            } catch (IOException e) {
                lookAway();
                reader.failed(e);
            }
        }

        private void lookAway() {
            looking = false;
            key.interestOpsAnd(~SelectionKey.OP_READ);
        }

        @Override
        public void loopEnded() {
            abort();
        }
    }
}
