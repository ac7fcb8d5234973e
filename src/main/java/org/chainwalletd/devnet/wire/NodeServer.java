package org.chainwalletd.devnet.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.chainwalletd.chain.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener of the development node, or of its indexer: one request per connection, a push stream per {@code GET /sse}.
 *
 * <p>One thread selects, reads, answers look-ups and writes; heavy calls go to two more threads. Without connections and streams it sleeps.
 */
public final class NodeServer implements AutoCloseable {
    /** Connections a node serves at a time; a further one is closed without an answer. */
    public static final int MAX_CONNECTIONS = 32;
    /** Time limit of a whole request, in milliseconds. */
    public static final long REQUEST_MILLIS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);
    private static final int BACKLOG = 1_024;
    private static final int LARGE_BODY_BYTES = 65_536;
    private static final long DRAIN_MILLIS = 1_000;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final RpcHandler handler;
    private final InstantSource clock;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final PushHub hub = new PushHub();
    /** The open request connections, oldest first, that count against the limit. Touched by the selector thread alone. */
    private final Set<RpcConnection> serving = new LinkedHashSet<>();
    /** Answered connections that are only read to their end. */
    private final Set<RpcConnection> draining = new LinkedHashSet<>();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Delayed> delayed = new PriorityQueue<>(Comparator.comparingLong(Delayed::at));
    private final ExecutorService workers;
    private final Thread thread;
    private volatile boolean connectionCap = true;
    private volatile boolean closed;

    /**
     * Binds and starts to answer.
     *
     * @throws IOException when the address cannot be bound
     */
    public NodeServer(InetSocketAddress bind, InstantSource clock, RpcHandler handler) throws IOException {
        this.handler = handler;
        this.clock = clock;
        this.selector = Selector.open();
        this.listener = ServerSocketChannel.open();
        try {
            listener.bind(bind, BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException | RuntimeException e) {
            closeQuietly(listener);
            selector.close();
            throw e;
        }
        int number = COUNT.incrementAndGet();
        this.workers = Executors.newFixedThreadPool(2, task -> daemon(task, "devnet-" + number + "-worker"));
        this.thread = daemon(this::loop, "devnet-" + number);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Begins to answer; connections made before wait in the backlog. */
    public void start() {
        thread.start();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /** Whether surplus connections are cut off. */
    public void capConnections(boolean capped) {
        connectionCap = capped;
    }

    /** Whether push streams are offered; switched off, {@code /sse} is not found and open streams end. */
    public void offerPush(boolean offered) {
        hub.switchOn(offered);
        if (!offered) {
            execute(hub::closeAll);
        }
    }

    /** Ends all open push streams. */
    public void dropStreams() {
        execute(hub::closeAll);
    }

    /**
     * Notifies the push streams of a change: {@code script_changed} for each script in order, then the tip.
     *
     * @param tip height of the new tip, or null when the tip has not changed
     */
    public void publish(List<Address> scripts, Long tip) {
        if (!hub.hasStreams() || scripts.isEmpty() && tip == null) {
            return;
        }
        List<PushHub.Event> events = new ArrayList<>(scripts.size() + 1);
        scripts.forEach(script -> events.add(PushHub.Event.scriptChanged(script)));
        if (tip != null) {
            events.add(PushHub.Event.tip(tip));
        }
        execute(() -> hub.publish(events));
    }

    /** Rechecks the clock, for clocks that are set by hand. */
    public void clockMoved() {
        selector.wakeup();
    }

    private void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    private void loop() {
        try {
            while (!closed) {
                select();
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    run(task);
                }
                runDue(clock.millis());
            }
        } catch (IOException | ClosedSelectorException e) {
            if (!closed) {
                LOG.error("the development node stops answering", e);
            }
        }
    }

    /** Prevents an exception on one connection from ending the selector loop. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("the development node failed on one connection", e);
        }
    }

    private void select() throws IOException {
        long due = Math.min(Math.min(nextDeadline(serving), nextDeadline(draining)), hub.nextBeat());
        due = delayed.isEmpty() ? due : Math.min(due, delayed.peek().at());
        long wait = due == Long.MAX_VALUE ? 0 : Math.max(1, due - clock.millis());
        selector.select(this::ready, wait);
    }

    private void runDue(long now) {
        hub.beat(now);
        while (!delayed.isEmpty() && delayed.peek().at() <= now) {
            run(delayed.poll().task());
        }
        closeOverdue(serving, now);
        closeOverdue(draining, now);
    }

    private void closeOverdue(Set<RpcConnection> connections, long now) {
        while (nextDeadline(connections) <= now) {
            close(connections.iterator().next());
        }
    }

    private static long nextDeadline(Set<RpcConnection> connections) {
        return connections.isEmpty() ? Long.MAX_VALUE : connections.iterator().next().deadline;
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else if (key.attachment() instanceof PushStream stream) {
                hub.flush(stream);
            } else if (key.attachment() instanceof RpcConnection connection) {
                advance(connection);
            }
        } catch (IOException | RuntimeException e) {
            if (key.attachment() instanceof RpcConnection connection) {
                LOG.debug("connection ended: {}", e.toString());
                close(connection);
            } else {
                LOG.warn("the development node cannot accept a connection: {}", e.toString());
            }
        }
    }

    private void accept() throws IOException {
        for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
            if (connectionCap && serving.size() >= MAX_CONNECTIONS) {
                closeQuietly(channel);
                continue;
            }
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            InetAddress peer = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            RpcConnection connection = new RpcConnection(channel, key, peer, clock.millis() + REQUEST_MILLIS);
            key.attach(connection);
            serving.add(connection);
        }
    }

    private void advance(RpcConnection connection) throws IOException {
        switch (connection.phase) {
            case HEAD, BODY -> receive(connection);
            case WRITING -> write(connection);
            case DRAINING -> {
                if (!connection.drain()) {
                    close(connection);
                }
            }
            case WORKING -> connection.key.interestOps(0);
        }
    }

    private void receive(RpcConnection connection) throws IOException {
        boolean more = connection.fill();
        if (connection.phase == RpcConnection.Phase.HEAD) {
            RequestHead head = connection.head();
            if (head instanceof RequestHead.Refused refused) {
                connection.refuse(refused.refusal());
                write(connection);
                return;
            }
            if (head instanceof RequestHead.Push push) {
                openStream(connection, push.target());
                return;
            }
        }
        if (connection.phase == RpcConnection.Phase.BODY && connection.hasBody()) {
            call(connection, connection.takeBody());
        } else if (!more) {
            close(connection);
        }
    }

    private void openStream(RpcConnection connection, String target) throws IOException {
        HttpText.Refusal refusal = hub.refuses(connection.peer).orElse(null);
        try {
            PushQuery query = refusal == null ? PushQuery.parse(target) : null;
            if (query != null) {
                serving.remove(connection);
                hub.open(stream(connection, query), clock.millis());
                return;
            }
        } catch (PushQuery.BadQuery e) {
            refusal = HttpText.Refusal.badRequest(e.getMessage());
        }
        connection.refuse(refusal);
        write(connection);
    }

    private static PushStream stream(RpcConnection connection, PushQuery query) throws IOException {
        SocketChannel channel = connection.channel;
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 20);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
        }
        PushStream stream = new PushStream(channel, connection.key, connection.peer, query);
        connection.key.attach(stream);
        return stream;
    }

    private void call(RpcConnection connection, byte[] body) throws IOException {
        if (body.length > LARGE_BODY_BYTES) {
            work(connection, () -> handler.prepare(connection.peer, body).run());
            return;
        }
        RpcHandler.Call call = handler.prepare(connection.peer, body);
        if (call.isHeavy()) {
            work(connection, call::run);
        } else {
            reply(connection, call.run());
        }
    }

    private void work(RpcConnection connection, Supplier<RpcHandler.Reply> call) {
        connection.key.interestOps(0);
        try {
            workers.execute(() -> {
                RpcHandler.Reply reply = call.get();
                execute(() -> reply(connection, reply));
            });
        } catch (RejectedExecutionException e) {
            close(connection);
        }
    }

    private void reply(RpcConnection connection, RpcHandler.Reply reply) {
        if (reply.delayMillis() > 0 && connection.key.isValid()) {
            connection.key.interestOps(0);
            long at = clock.millis() + reply.delayMillis();
            delayed.add(new Delayed(
                    at, () -> reply(connection, new RpcHandler.Reply(reply.body(), 0, reply.status()))));
            return;
        }
        try {
            if (reply.body() == null || !connection.key.isValid()) {
                close(connection);
                return;
            }
            connection.answer(HttpText.json(reply.status(), reply.body()));
            write(connection);
        } catch (IOException | RuntimeException e) {
            LOG.debug("answer not delivered: {}", e.toString());
            close(connection);
        }
    }

    private void write(RpcConnection connection) throws IOException {
        if (!connection.write()) {
            connection.key.interestOps(SelectionKey.OP_WRITE);
        } else if (connection.mustDrain()) {
            serving.remove(connection);
            connection.phase = RpcConnection.Phase.DRAINING;
            connection.deadline = clock.millis() + DRAIN_MILLIS;
            draining.add(connection);
            connection.channel.shutdownOutput();
            connection.key.interestOps(SelectionKey.OP_READ);
        } else {
            close(connection);
        }
    }

    private void close(RpcConnection connection) {
        serving.remove(connection);
        draining.remove(connection);
        closeQuietly(connection.channel);
    }

    static void closeQuietly(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing failed: {}", e.toString());
        }
    }

    /** Stops listening and cuts every connection and stream. */
    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        selector.wakeup();
        workers.shutdownNow();
        try {
            if (thread.isAlive()) {
                thread.join(5_000);
            }
            workers.awaitTermination(5, TimeUnit.SECONDS);
            for (SelectionKey key : selector.keys()) {
                closeQuietly(key.channel());
            }
            selector.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.debug("closing failed: {}", e.toString());
        }
    }

    private record Delayed(long at, Runnable task) {}

    /** Connection on which one request is read and answered. Touched by the selector thread alone. */
    private static final class RpcConnection {
        private static final int FIRST_BUFFER_BYTES = 2_048;

        final SocketChannel channel;
        final SelectionKey key;
        final InetAddress peer;
        /** Time at which the connection is cut, in milliseconds of the node's clock. */
        long deadline;

        Phase phase = Phase.HEAD;

        private byte[] in = new byte[FIRST_BUFFER_BYTES];
        private int received;
        private RequestHead.Post post;
        private ByteBuffer out;
        private boolean leftovers;

        /** Phase of the exchange. */
        enum Phase {
            HEAD,
            BODY,
            WORKING,
            WRITING,
            /** Answered; further input is discarded, so that the answer is not lost in a reset. */
            DRAINING
        }

        RpcConnection(SocketChannel channel, SelectionKey key, InetAddress peer, long deadline) {
            this.channel = channel;
            this.key = key;
            this.peer = peer;
            this.deadline = deadline;
        }

        /** Reads the available bytes; false at the end of the stream. */
        boolean fill() throws IOException {
            while (true) {
                if (received == in.length) {
                    in = Arrays.copyOf(in, capacity());
                }
                int count = channel.read(ByteBuffer.wrap(in, received, in.length - received));
                if (count <= 0) {
                    return count == 0;
                }
                received += count;
                if (received < in.length || isComplete()) {
                    return true;
                }
            }
        }

        private int capacity() {
            if (post != null) {
                return Math.min(4 * in.length, post.headLength() + post.bodyLength() + 1);
            }
            return Math.min(4 * in.length, RequestHead.MAX_BYTES + FIRST_BUFFER_BYTES);
        }

        private boolean isComplete() {
            return post != null && received >= post.headLength() + post.bodyLength()
                    || post == null && received >= RequestHead.MAX_BYTES;
        }

        RequestHead head() {
            RequestHead head = RequestHead.read(in, received);
            if (head instanceof RequestHead.Post announced) {
                post = announced;
                phase = Phase.BODY;
            }
            return head;
        }

        boolean hasBody() {
            return received >= post.headLength() + post.bodyLength();
        }

        /** The body; the connection's own buffer is given up. */
        byte[] takeBody() {
            int end = post.headLength() + post.bodyLength();
            leftovers = received > end;
            byte[] body = Arrays.copyOfRange(in, post.headLength(), end);
            in = null;
            phase = Phase.WORKING;
            return body;
        }

        /** Begins the answer of a request whose body was not read. */
        void refuse(HttpText.Refusal refusal) {
            leftovers = true;
            answer(HttpText.refusal(refusal));
        }

        void answer(ByteBuffer bytes) {
            out = bytes;
            phase = Phase.WRITING;
        }

        /** Writes as much as the socket accepts; true when all is written. */
        boolean write() throws IOException {
            channel.write(out);
            return !out.hasRemaining();
        }

        /** Tests, after the answer, whether the client sent more than was read, so that closing at once would reset the connection. */
        boolean mustDrain() throws IOException {
            return leftovers || channel.read(ByteBuffer.allocate(1)) > 0;
        }

        /** Discards input; false at the end of the stream. */
        boolean drain() throws IOException {
            ByteBuffer waste = ByteBuffer.allocate(16_384);
            int count;
            do {
                waste.clear();
                count = channel.read(waste);
            } while (count > 0);
            return count == 0;
        }
    }
}
