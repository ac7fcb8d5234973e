package org.chainwalletd.devnet.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.chainwalletd.chain.Address;
import org.chainwalletd.devnet.wire.HttpText.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener of the development node, or of its indexer: one request per connection, a push stream per {@code GET /sse}.
 *
 * <p>Each connection has a thread; one thread accepts them, and one cuts off those that are overdue.
 */
public final class NodeServer implements AutoCloseable {
    /** Connections a node serves at a time; a further one is closed without an answer. */
    private static final int MAX_CONNECTIONS = 32;
    /**
     * Open connections, each with a thread, also if the number being served is not limited: streams, connections that were answered and not yet
     * read, and those that send nothing. A further one is closed without an answer.
     */
    private static final int MAX_OPEN = 4_096;
    /** Time limit of a whole request. */
    private static final long REQUEST_MILLIS = 30_000;
    /** Time for which input is discarded after the answer, so that the answer is not lost in a reset. */
    private static final long DRAIN_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);
    private static final int BACKLOG = 1_024;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final RpcHandler handler;
    private final InstantSource clock;
    private final Alarms alarms;
    private final PushHub hub;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /** Connections that count against the limit: neither push streams nor those that were answered. */
    private final Set<Socket> serving = ConcurrentHashMap.newKeySet();

    private final ExecutorService threads;
    private volatile boolean connectionCap = true;

    /**
     * Binds; connections wait until {@link #start}.
     *
     * @throws IOException when the address cannot be bound
     */
    public NodeServer(InetSocketAddress bind, InstantSource clock, RpcHandler handler) throws IOException {
        this.handler = handler;
        this.clock = clock;
        this.alarms = new Alarms(clock);
        this.hub = new PushHub(alarms);
        this.listener = new ServerSocket();
        try {
            listener.bind(bind, BACKLOG);
        } catch (IOException | RuntimeException e) {
            PushHub.closeQuietly(listener);
            throw e;
        }
        String name = "devnet-" + COUNT.incrementAndGet();
        this.threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Begins to answer. */
    public void start() {
        threads.execute(alarms::run);
        threads.execute(this::accept);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Whether surplus connections are cut off. */
    public void capConnections(boolean capped) {
        connectionCap = capped;
    }

    /** Whether push streams are offered; switched off, {@code /sse} is not found and open streams end. */
    public void offerPush(boolean offered) {
        hub.switchOn(offered);
    }

    /** Ends all open push streams. */
    public void dropStreams() {
        hub.closeAll();
    }

    /**
     * Notifies the push streams of a change: {@code script_changed} for each script in order, then the tip.
     *
     * @param tip height of the new tip, or null when the tip has not changed
     */
    public void publish(List<Address> scripts, Long tip) {
        List<PushHub.Event> events = new ArrayList<>(scripts.size() + 1);
        scripts.forEach(script -> events.add(PushHub.Event.scriptChanged(script)));
        if (tip != null) {
            events.add(PushHub.Event.tip(tip));
        }
        hub.publish(events);
    }

    /** Rechecks the clock, for clocks that are set by hand. */
    public void clockMoved() {
        alarms.clockMoved();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                if (open.size() >= MAX_OPEN || connectionCap && serving.size() >= MAX_CONNECTIONS) {
                    PushHub.closeQuietly(socket);
                } else {
                    begin(socket);
                }
            } catch (IOException | RuntimeException e) {
                if (!listener.isClosed()) {
                    LOG.warn("the development node cannot accept a connection: {}", e.toString());
                }
            }
        }
    }

    private void begin(Socket socket) {
        open.add(socket);
        serving.add(socket);
        Alarms.Alarm overdue = alarms.in(REQUEST_MILLIS, () -> cut(socket));
        try {
            threads.execute(() -> serve(socket, overdue));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The system cannot create a thread, or the node stops.
            alarms.cancel(overdue);
            cut(socket);
            open.remove(socket);
        }
    }

    private void cut(Socket socket) {
        serving.remove(socket);
        PushHub.closeQuietly(socket);
    }

    private void serve(Socket socket, Alarms.Alarm overdue) {
        try {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            boolean mustDrain;
            try {
                RequestHead head = RequestHead.read(in);
                if (head.pushTarget() != null) {
                    stream(socket, head.pushTarget(), overdue);
                    return;
                }
                byte[] body = in.readNBytes(head.bodyLength());
                if (body.length < head.bodyLength() || !call(socket, body)) {
                    return;
                }
                mustDrain = in.available() > 0;
            } catch (RefusedException e) {
                answer(socket, e.refusal().answer());
                mustDrain = true;
            }
            if (mustDrain) {
                alarms.cancel(overdue);
                drain(socket, in);
            }
        } catch (IOException e) {
            LOG.debug("connection ended: {}", e.toString());
        } catch (RuntimeException e) {
            LOG.error("the development node failed on one connection", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            alarms.cancel(overdue);
            cut(socket);
            open.remove(socket);
        }
    }

    private void answer(Socket socket, byte[] bytes) throws IOException {
        // Before the client has the answer: it may connect again at once, and must then find room.
        serving.remove(socket);
        socket.getOutputStream().write(bytes);
    }

    private void stream(Socket socket, String target, Alarms.Alarm overdue)
            throws IOException, RefusedException, InterruptedException {
        PushHub.PushStream stream = hub.open(socket, target);
        try {
            serving.remove(socket);
            alarms.cancel(overdue);
            socket.setKeepAlive(true);
            if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60);
                socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 20);
                socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
            }
            stream.run();
        } finally {
            hub.close(stream);
        }
    }

    /** Whether the call has an answer; without one the connection is closed. */
    private boolean call(Socket socket, byte[] body) throws IOException, InterruptedException {
        long arrived = clock.millis();
        RpcHandler.Reply reply = handler.answer(socket.getInetAddress(), body);
        if (reply.delayMillis() > 0) {
            // Longer, and the connection is cut before the answer.
            alarms.await(arrived + Math.min(reply.delayMillis(), REQUEST_MILLIS + 1));
        }
        if (reply.body() == null) {
            return false;
        }
        answer(socket, HttpText.json(reply.status(), reply.body()));
        return true;
    }

    private void drain(Socket socket, InputStream in) throws IOException {
        Alarms.Alarm end = alarms.in(DRAIN_MILLIS, () -> cut(socket));
        try {
            socket.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        } finally {
            alarms.cancel(end);
        }
    }

    /** Stops listening and cuts every connection and stream. */
    @Override
    public void close() {
        PushHub.closeQuietly(listener);
        threads.shutdownNow();
        hub.closeAll();
        open.forEach(PushHub::closeQuietly);
        try {
            threads.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
