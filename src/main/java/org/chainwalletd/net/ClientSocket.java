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
 * Socket of an accepted connection. Read on the thread of its {@link SocketLoop}, one piece per request, so that a client that sends more is slowed
 * down by TCP flow control. Written on the writer's thread, without blocking.
 */
public final class ClientSocket {
    /**
     * Sizes of the kernel's socket buffers for one connection. Their memory is shared by all connections of the machine; when it runs short, the
     * kernel drops packets of any connection. By default the kernel would buffer some MiB for a client that sends ahead or reads nothing. Linux
     * doubles the sizes for its own bookkeeping.
     *
     * @param incoming bytes received but not read
     * @param outgoing bytes written but not acknowledged
     */
    public record Buffers(int incoming, int outgoing) {}

    /** Receives the events of the socket, on any thread; must not block. */
    public interface Reader {
        /** Called with the piece that was requested. */
        void received(ByteString bytes);

        /** Called when the peer has ended its output. */
        void ended();

        /** Called when the connection is lost. The socket still has to be closed unless this side closed it. */
        void failed(IOException why);

        /** Called when more can be written: see {@link #awaitWritable}. */
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
    /** Whether the loop selects the channel for reading. Written only on the loop. */
    private volatile boolean reading = true;

    /**
     * @param channel accepted; closed by this object
     * @param closed run once when it is closed, on the closing thread
     */
    public ClientSocket(SocketChannel channel, SocketLoop loop, Runnable closed) {
        this.channel = channel;
        this.loop = loop;
        this.closed = closed;
    }

    /** Starts the connection and requests the first piece. All work is left to the loop, so that the accept thread is not delayed. */
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

    /** Requests one more piece. */
    public void want() {
        wanted = true;
        if (!reading) {
            onLoop(onLoop::startReading);
        }
    }

    /** Writes as much as the kernel accepts now, and returns the rest. Must not be called concurrently. */
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

    /** Calls {@link Reader#writable} once when the kernel accepts more bytes. */
    public void awaitWritable() {
        onLoop(onLoop::awaitWritability);
    }

    /** Ends the output: nothing more may be written. */
    public void endOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Closes the socket. Written bytes are still sent, unless there are unread bytes of the peer. Idempotent. */
    public void close() {
        if (over.compareAndSet(false, true)) {
            closeChannel();
        }
    }

    /** Closes the connection with a reset and notifies the reader. Idempotent. */
    public void abort() {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // The connection is already closed.
        }
        closeChannel();
        reader.failed(new ClosedChannelException());
    }

    /** Closes like {@link #close}, but also notifies the reader: for callers other than the reader. Idempotent. */
    public void hangUp() {
        if (over.compareAndSet(false, true)) {
            closeChannel();
            reader.failed(new ClosedChannelException());
        }
    }

    /** Returns whether this side has closed the socket. */
    public boolean isClosed() {
        return over.get();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing more can be done.
        }
        loop.releaseClosedChannels();
        closed.run();
    }

    private void onLoop(Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException e) {
            abort();
        }
    }

    /** State that belongs to the loop's thread. */
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
                // Already closed by this side.
            } catch (IOException e) {
                reader.failed(e);
            }
        }

        void startReading() {
            reading = true;
            interest(SelectionKey.OP_READ);
        }

        void awaitWritability() {
            interest(SelectionKey.OP_WRITE);
        }

        private void interest(int operation) {
            try {
                if (key != null) {
                    key.interestOpsOr(operation);
                }
            } catch (CancelledKeyException e) {
                // Already closed by this side.
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
                // Already closed by this side.
            }
        }

        private void read() {
            if (!wanted) {
                stopReading();
                if (wanted) {
                    startReading();
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
                    stopReading();
                    reader.ended();
                }
            } catch (IOException e) {
                stopReading();
                reader.failed(e);
            }
        }

        private void stopReading() {
            reading = false;
            key.interestOpsAnd(~SelectionKey.OP_READ);
        }

        @Override
        public void loopEnded() {
            abort();
        }
    }
}
