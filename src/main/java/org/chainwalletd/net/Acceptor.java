package org.chainwalletd.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listening socket with its own accept thread. Pending connections queue in the kernel's backlog while the callback runs, so the callback must only
 * decide what to do with a connection and return.
 */
public final class Acceptor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    /** Pause after a failed accept, which would fail again at once while the process has no free file descriptor. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ServerSocketChannel server;
    private final InetSocketAddress address;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean closed;

    private Acceptor(ServerSocketChannel server) throws IOException {
        this.server = server;
        this.address = (InetSocketAddress) server.getLocalAddress();
    }

    /**
     * Binds the socket; connections queue in the backlog until {@link #start}.
     *
     * @param backlog maximum number of connections that wait to be accepted
     * @throws IOException if the address cannot be bound
     */
    public static Acceptor bind(InetSocketAddress address, int backlog) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            InetSocketAddress found = new InetSocketAddress(address.getHostString(), address.getPort());
            if (found.isUnresolved()) {
                throw new BindException("the name " + address.getHostString() + " is not known");
            }
            server.bind(found, backlog);
            return new Acceptor(server);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Starts the accept thread.
     *
     * @param accepted called with each connection, on the accept thread
     * @param died run on the accept thread if it ends before {@link #close}, for any reason
     */
    public void start(Consumer<SocketChannel> accepted, Runnable died) {
        Thread thread = new Thread(() -> run(accepted, died), "walletd-accept-" + address.getPort());
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the listening address, with the actual port if 0 was configured. */
    public InetSocketAddress address() {
        return address;
    }

    private void run(Consumer<SocketChannel> accepted, Runnable died) {
        boolean failing = false;
        try {
            while (!closed) {
                try {
                    pass(server.accept(), accepted);
                    failing = false;
                } catch (ClosedChannelException e) {
                    return;
                } catch (IOException e) {
                    if (!failing) {
                        LOG.warn("a connection cannot be accepted: {}", e.getMessage());
                    }
                    failing = true;
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        } catch (Error e) {
            LOG.error("no longer listening on {}", address, e);
        } finally {
            boolean closedOnPurpose = closed;
            close();
            ended.complete(null);
            if (!closedOnPurpose) {
                died.run();
            }
        }
    }

    /** Passes a connection to the callback. A failure closes this connection and does not end the listening. */
    private static void pass(SocketChannel channel, Consumer<SocketChannel> accepted) throws IOException {
        try {
            accepted.accept(channel);
        } catch (RuntimeException e) {
            LOG.error("a connection failed unexpectedly", e);
            channel.close();
        }
    }

    /** Completes when the accept thread has ended: for a moment after {@link #close} the kernel may still accept connections. */
    public CompletionStage<Void> ended() {
        return ended;
    }

    /** Stops listening. The kernel rejects connections that wait to be accepted. */
    @Override
    public void close() {
        closed = true;
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("closing the listening socket: {}", e.getMessage());
        }
    }
}
