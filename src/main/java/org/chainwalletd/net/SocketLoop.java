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
 * Thread that carries many connections. Its work for one of them may not block: what is long is handed to other threads.
 * Connections to peers live on it altogether: one is made and closed at every call, so its price is that of the system calls; materialising a
 * stream for each costs several times as much. Those of clients are read on it ({@link ClientSocket}).
 */
public final class SocketLoop implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);
    private static final int READ_BYTES = 64 * 1024;

    /** More is handed over between two rounds only when very much else is going on, and nobody is to wait for the end of it. */
    private static final int TASKS_A_ROUND = 1024;

    /** Handler of a connection's readiness. */
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
     * @param pieceBytes most that is read at once
     * @param died run on the loop's thread when that ends, for whatever reason, before {@link #close}
     */
    public static SocketLoop start(String name, int pieceBytes, Runnable died) {
        SocketLoop loop = open(pieceBytes, died);
        Thread thread = new Thread(loop::run, name);
        thread.setDaemon(true);
        thread.start();
        return loop;
    }

    /** Creates a loop without a thread: whoever calls {@link #round} is its thread. */
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
     * @throws RejectedExecutionException after the end
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (closed && tasks.remove(task)) {
            throw new RejectedExecutionException("the connections are closed");
        }
        selector.wakeup();
    }

    /** Releases the resources of channels that were closed on other threads. */
    void letGo() {
        selector.wakeup();
    }

    /** Notifies {@code connection} when {@code channel} is ready for {@code operations}. Called on the loop's own thread. */
    SelectionKey register(SocketChannel channel, int operations, Connection connection) throws ClosedChannelException {
        return channel.register(selector, operations, connection);
    }

    /**
     * Reads the bytes that have arrived. Called on the loop's own thread.
     *
     * @param reader called with a buffer that is overwritten by the next call
     * @return bytes read, 0 when there are none now, -1 at the end of the connection
     */
    int read(SocketChannel channel, PieceReader reader) throws IOException {
        return read(channel, piece.length, reader);
    }

    /** As {@link #read(SocketChannel, PieceReader)}, with at most {@code most} bytes at once. */
    int read(SocketChannel channel, int most, PieceReader reader) throws IOException {
        incoming.clear().limit(Math.min(most, piece.length));
        int count = channel.read(incoming);
        if (count > 0) {
            incoming.flip().get(piece, 0, count);
            reader.accept(piece, count);
            // A piece may hold a secret, and the next one may be long in coming.
            Arrays.fill(piece, 0, count, (byte) 0);
            incoming.clear().put(piece, 0, count);
        }
        return count;
    }

    /** Buffer for a piece that arrives in another way, overwritten by the next one. Used on the loop's own thread. */
    byte[] scratch() {
        return piece;
    }

    /** Takes the first {@code length} bytes. */
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
            boolean wanted = closed;
            try {
                end();
            } finally {
                if (!wanted) {
                    died.run();
                }
            }
        }
    }

    /**
     * Waits until a connection is ready or something is handed over. Each connection that is ready does one step, such as reading one piece,
     * and then what was handed over is run, such as the beginning of new connections: so nobody does a second step before everybody has done
     * one, and who is new is read in the round after the one in which he came, whatever the others send.
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

    /** Keeps a connection's failure from ending the others. */
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

    /** Open connections are given up. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
