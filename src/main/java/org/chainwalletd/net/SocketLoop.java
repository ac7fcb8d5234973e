package org.chainwalletd.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event loop: one thread that serves many connections. Handlers must not block; long work goes to other threads. Connections to peers are handled
 * here entirely: each call opens and closes one, so it costs only the system calls, while materialising a stream for each would cost several times
 * as much. Connections of clients are only read here ({@link ClientSocket}).
 */
public final class SocketLoop implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);
    private static final int READ_BYTES = 64 * 1024;

    /** Maximum number of tasks per round, so that a flood of tasks does not delay ready connections. */
    private static final int TASKS_A_ROUND = 1024;

    /** Handler for the readiness of a connection. */
    interface Connection {
        void ready(SelectionKey key);

        void loopEnded();
    }

    private final Selector selector;
    private final Runnable died;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ByteBuffer incoming;
    private final byte[] piece;
    private volatile boolean closed;

    private SocketLoop(Selector selector, int pieceBytes, Runnable died) {
        this.selector = selector;
        this.died = died;
        this.incoming = ByteBuffer.allocateDirect(pieceBytes);
        this.piece = new byte[pieceBytes];
    }

    /** Starts a loop for connections to peers. */
    static SocketLoop start(Runnable died) {
        return start("walletd-net-sockets", READ_BYTES, died);
    }

    /**
     * @param name of the thread
     * @param pieceBytes maximum number of bytes per read
     * @param died run on the loop's thread if it ends before {@link #close}, for any reason
     */
    public static SocketLoop start(String name, int pieceBytes, Runnable died) {
        SocketLoop loop = open(pieceBytes, died);
        Thread thread = new Thread(loop::run, name);
        thread.setDaemon(true);
        thread.start();
        return loop;
    }

    /** Creates a loop without a thread: the thread that calls {@link #round} becomes the loop's thread. */
    static SocketLoop open(int pieceBytes, Runnable died) {
        try {
            return new SocketLoop(Selector.open(), pieceBytes, died);
        } catch (IOException e) {
            throw new UncheckedIOException("no selector for the connections", e);
        }
    }

    /**
     * Runs {@code task} on the loop's thread.
     *
     * @throws RejectedExecutionException after the loop has ended
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (closed && tasks.remove(task)) {
            throw new RejectedExecutionException("the connections are closed");
        }
        selector.wakeup();
    }

    /** Wakes the selector, so that it releases channels that were closed on other threads. */
    void releaseClosedChannels() {
        selector.wakeup();
    }

    /** Notifies {@code connection} when {@code channel} is ready for {@code operations}. Must be called on the loop's thread. */
    SelectionKey register(SocketChannel channel, int operations, Connection connection) throws ClosedChannelException {
        return channel.register(selector, operations, connection);
    }

    /**
     * Reads bytes that have arrived. Must be called on the loop's thread.
     *
     * @param reader called with a buffer that the next call overwrites
     * @return number of bytes read; 0 if there are none now, -1 at the end of the connection
     */
    int read(SocketChannel channel, PieceReader reader) throws IOException {
        return read(channel, piece.length, reader);
    }

    /** Like {@link #read(SocketChannel, PieceReader)}, with at most {@code most} bytes. */
    int read(SocketChannel channel, int most, PieceReader reader) throws IOException {
        incoming.clear().limit(Math.min(most, piece.length));
        int count = channel.read(incoming);
        if (count > 0) {
            incoming.flip().get(piece, 0, count);
            reader.accept(piece, count);
            // Zeroed because it may contain a secret, and the next piece may arrive much later.
            Arrays.fill(piece, 0, count, (byte) 0);
            incoming.clear().put(piece, 0, count);
        }
        return count;
    }

    /** Returns the buffer for pieces that are decoded rather than read directly; each piece overwrites it. Must be used on the loop's thread. */
    byte[] scratch() {
        return piece;
    }

    /** Receives the first {@code length} bytes of a buffer. */
    @FunctionalInterface
    interface PieceReader {
        void accept(byte[] bytes, int length);
    }

    private void run() {
        try {
            while (!closed) {
                round();
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("{} has ended", Thread.currentThread().getName(), e);
        } finally {
            boolean closedOnPurpose = closed;
            try {
                end();
            } finally {
                if (!closedOnPurpose) {
                    died.run();
                }
            }
        }
    }

    /**
     * Waits until a connection is ready or a task is submitted. Then each ready connection does one step, such as reading one piece, and after that
     * the submitted tasks run, such as starts of connections. So no connection does its next step before all ready ones have done one, and a new
     * connection is served in the round after its start, however much others send.
     */
    void round() throws IOException {
        selector.select(this::ready);
        int left = TASKS_A_ROUND;
        for (Runnable task; left > 0 && (task = tasks.poll()) != null; left--) {
            guarded(task);
        }
        if (!tasks.isEmpty()) {
            selector.wakeup();
        }
    }

    private void ready(SelectionKey key) {
        guarded(() -> ((Connection) key.attachment()).ready(key));
    }

    /** Runs work of one connection; its failure must not end the loop for the others. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.error("a connection failed unexpectedly", e);
        }
    }

    private void end() {
        closed = true;
        for (Runnable task; (task = tasks.poll()) != null; ) {
            guarded(task);
        }
        for (SelectionKey key : new ArrayList<>(selector.keys())) {
            guarded(() -> ((Connection) key.attachment()).loopEnded());
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing the selector: {}", e.getMessage());
        }
    }

    /** Ends the loop; open connections are dropped. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
