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
 * A socket that listens, with a thread of its own that does nothing but accept: the system keeps those who wait in one row, and whoever is
 * last in it waits for all that is done about those before him. So what is told of a connection decides what becomes of it, and no more.
 */
public final class Acceptor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    /** Accepting fails again at once while the process has no file left. */
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
     * Listens from now on; nobody is accepted before {@link #start}.
     *
     * @param backlog connections that may wait to be accepted
     * @throws IOException when the address cannot be had
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
     * @param accepted given each connection, on the acceptor's thread
     * @param died run on it when it ends, for whatever reason, before {@link #close}
     */
    public void start(Consumer<SocketChannel> accepted, Runnable died) {
        Thread thread = new Thread(() -> run(accepted, died), "walletd-accept-" + address.getPort());
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the address on which it listens, with the port that the system chose where 0 was configured. */
    public InetSocketAddress address() {
        return address;
    }

    private void run(Consumer<SocketChannel> accepted, Runnable died) {
        boolean failing = false;
        try {
            while (!closed) {
                try {
                    give(server.accept(), accepted);
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
            LOG.error("{} is no longer listened on", address, e);
        } finally {
            boolean wanted = closed;
            close();
            ended.complete(null);
            if (!wanted) {
                died.run();
            }
        }
    }

    /** Keeps a connection's failure from ending the listening, and from keeping its socket. */
    private static void give(SocketChannel channel, Consumer<SocketChannel> accepted) throws IOException {
        try {
            accepted.accept(channel);
        } catch (RuntimeException e) {
            LOG.error("a connection failed unexpectedly", e);
            channel.close();
        }
    }

    /** Complete when its thread has ended: a moment after {@link #close} the system still lets others in. */
    public CompletionStage<Void> ended() {
        return ended;
    }

    /** Stops listening. Those who wait to be accepted are turned away by the system. */
    @Override
    public void close() {
        closed = true;
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("closing the socket that listens: {}", e.getMessage());
        }
    }
}
