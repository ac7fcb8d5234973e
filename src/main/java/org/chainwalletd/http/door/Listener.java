package org.chainwalletd.http.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.net.Acceptor;
import org.chainwalletd.net.ClientSocket;
import org.chainwalletd.net.SocketLoop;
import org.chainwalletd.net.SocketStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listening socket: accepts connections up to the limit, refuses further ones quickly, closes connections that exceed their timeouts, and drains
 * on shutdown. The streams of a connection are created only once its client has sent data, so a silent client costs no more than its socket.
 *
 * <p>Accepting has a dedicated thread, so that a new client does not wait for work caused by other clients. Connections from an address that
 * has very many of them are read on a separate thread, and their streams run on a separate dispatcher ({@link ConnectionClass}).
 */
public final class Listener {
    /** Protocol of a connection. */
    @FunctionalInterface
    public interface Protocol {
        Flow<ByteString, ByteString, NotUsed> on(Connection connection);

        /**
         * Whether the bytes received so far justify creating the streams. Waiting for a complete request head keeps a client that disconnects
         * early from causing many times the cost of what it sent.
         */
        default boolean isEnough(ByteString said) {
            return true;
        }

        /** Reserves a place for the connection, held until the connection is closed; false when there is none. */
        default boolean hasPlace(Connection connection) {
            return true;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    /**
     * A client for which the backlog has no room is not refused; its SYN is retransmitted after one second, then two, then four. So the backlog is
     * as long as the system allows by default; a queued client waits some dozen microseconds for each client ahead of it.
     */
    private static final int BACKLOG = 4096;

    /** Bytes of one read. Received data is buffered while its reader is slow, so small reads limit the memory that a connection can occupy. */
    private static final int PIECE = 16 << 10;

    /** Socket buffer sizes for connections of the normal class. */
    private static final ClientSocket.Buffers NORMAL_BUFFERS = new ClientSocket.Buffers(128 << 10, 256 << 10);

    /** Socket buffer sizes for connections of the heavy class. */
    private static final ClientSocket.Buffers HEAVY_BUFFERS = new ClientSocket.Buffers(32 << 10, 64 << 10);
    /** Length in bytes up to which the start of a connection is examined again after each read. */
    private static final int LOOKED_AT_WHOLE = 1024;

    /**
     * Maximum number of connections of one address, beyond its memory budget, that wait in the queue to be refused with an HTTP answer; further
     * ones are reset.
     */
    private static final int REFUSED_IN_WORDS = 32;

    private static final Duration SWEEP_OF_A_STOP = Duration.ofMillis(100);
    private static final Duration GIVE_UP_BEFORE = Duration.ofSeconds(1);
    private static final ByteString OVERLOADED = unavailable("too many connections");
    private static final ByteString TOO_MANY_OF_ADDRESS = unavailable("too many connections from this address");

    /** Threads on which the connections of one class are read and served. */
    private record Side(
            ConnectionClass.Threads threads, SocketLoop loop, FairExecutor turns, ClientSocket.Buffers buffers) {
        static Side of(ActorSystem<?> system, ConnectionClass kind, ClientSocket.Buffers buffers, Runnable died) {
            int processors = Runtime.getRuntime().availableProcessors();
            SocketLoop loop = SocketLoop.start("walletd-http-" + kind.name().toLowerCase(Locale.ROOT), PIECE, died);
            ConnectionClass.Threads behind = kind.threads(system).behind(loop);
            return new Side(behind, loop, new FairExecutor(behind.inQueue(), processors), buffers);
        }
    }

    private final ActorSystem<?> system;
    private final Materializer materializer;
    private final HttpLimits limits;
    private final AddressShares shares;
    private final Protocol protocol;
    private final boolean plain;
    private final Consumer<String> refused;
    private final Side normal;
    private final Side heavy;
    private final LingeringClose lingeringClose;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean draining;
    private volatile Acceptor acceptor;
    private volatile Cancellable sweep = Cancellable.alreadyCancelled();

    /**
     * @param plain whether a refusal may be said in HTTP: not where TLS is expected
     * @param refused receives the reason why a connection was refused or cut off: overload, address, head, malformed, memory, request,
     *     reading, closing, gone, idle, place
     */
    public Listener(
            ActorSystem<?> system,
            HttpLimits limits,
            AddressShares shares,
            Protocol protocol,
            boolean plain,
            Consumer<String> refused) {
        this.system = system;
        this.materializer = SystemMaterializer.get(system).materializer();
        this.limits = limits;
        this.shares = shares;
        this.protocol = protocol;
        this.plain = plain;
        this.refused = refused;
        this.normal = Side.of(system, ConnectionClass.NORMAL, NORMAL_BUFFERS, this::died);
        this.heavy = Side.of(system, ConnectionClass.HEAVY, HEAVY_BUFFERS, this::died);
        this.lingeringClose = new LingeringClose(system, heavy.loop());
    }

    /**
     * Binds and serves.
     *
     * @throws IOException when the address cannot be bound; {@link #close} then
     */
    public void bind(InetSocketAddress address) throws IOException {
        acceptor = Acceptor.bind(address, BACKLOG);
        // Closes the listener even if it was never drained.
        system.getWhenTerminated().thenRunAsync(this::close, Runnable::run);
        acceptor.start(this::accept, this::died);
        long millis = Math.max(10, Math.min(1000, limits.timeouts().request().toMillis() / 4));
        sweep = sweepEvery(Duration.ofMillis(millis));
    }

    private Cancellable sweepEvery(Duration time) {
        return system.scheduler().scheduleWithFixedDelay(time, time, this::closeLateClients, system.executionContext());
    }

    /** Completes when the listener has stopped without being asked to. */
    public CompletionStage<Void> ended() {
        return ended;
    }

    private void died() {
        LOG.error("the listener at {} can no longer serve clients", address());
        ended.complete(null);
    }

    /** Releases the address and closes the socket loops with their open connections. */
    public void close() {
        if (acceptor != null) {
            acceptor.close();
        }
        sweep.cancel();
        normal.loop().close();
        heavy.loop().close();
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    public int connections() {
        return open.size();
    }

    /** Accepts a connection. Runs on the acceptor's thread, so it must not block. */
    private void accept(SocketChannel channel) {
        InetSocketAddress remote;
        try {
            remote = (InetSocketAddress) channel.getRemoteAddress();
        } catch (IOException e) {
            abandon(channel);
            return;
        }
        if (draining || open.size() >= limits.maxConnections() && !somebodyGivesWay(remote.getAddress())) {
            refuse(channel, "overload", OVERLOADED);
            return;
        }
        Optional<AddressShares.Place> place = shares.enter(remote.getAddress());
        if (place.isEmpty()) {
            refuse(channel, "address", TOO_MANY_OF_ADDRESS);
            return;
        }
        admit(channel, remote, place.get());
    }

    private boolean somebodyGivesWay(InetAddress to) {
        long now = limits.timeouts().nanoTime().getAsLong();
        boolean gone = shares.mayGiveWay(to, open::contains, now)
                .filter(quiet -> quiet.giveWay(now))
                .isPresent();
        if (gone) {
            refused.accept("place");
        }
        return gone && open.size() < limits.maxConnections();
    }

    private void admit(SocketChannel channel, InetSocketAddress remote, AddressShares.Place place) {
        Side side = place.connectionClass() == ConnectionClass.HEAVY ? heavy : normal;
        Connection connection = new Connection(remote, limits, place.budget(), side.threads());
        connection.whenCutOff(refused);
        connection.whenClosed(() -> closed(connection, place));
        ClientSocket socket = new ClientSocket(channel, side.loop(), connection::closed);
        connection.ending().opened(socket::hangUp, socket::abort);
        open.add(connection);
        place.heldBy(connection);
        if (!protocol.hasPlace(connection)) {
            socket.close();
            return;
        }
        socket.open(side.buffers(), new Silent(connection, socket, side, place.address()));
        if (draining) {
            connection.drain();
        }
    }

    private static void abandon(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a lost connection: {}", e.getMessage());
        }
    }

    /** Reader for a client that is sent at most a few bytes, without retry; closes the socket when the client closes its side. */
    private abstract static class UntilClosed implements ClientSocket.Reader {
        final ClientSocket socket;

        UntilClosed(ClientSocket socket) {
            this.socket = socket;
        }

        @Override
        public void ended() {
            socket.close();
        }

        @Override
        public void failed(IOException why) {
            socket.close();
        }

        @Override
        public void writable() {}
    }

    /** Reads from a client that has sent nothing yet, or too little for its streams to be created. */
    private final class Silent extends UntilClosed {
        private final Connection connection;
        private final Side side;
        private final String address;
        private ByteString said = ByteString.emptyByteString();

        Silent(Connection connection, ClientSocket socket, Side side, String address) {
            super(socket);
            this.connection = connection;
            this.side = side;
            this.address = address;
        }

        @Override
        public void received(ByteString bytes) {
            boolean counted = connection.readAhead(bytes.length());
            int before = said.length();
            said = said.concat(bytes).compact();
            if (counted && said.length() <= LOOKED_AT_WHOLE && !protocol.isEnough(said)) {
                connection.bytesArrived();
                socket.want();
                return;
            }
            if (!counted && side.turns().waiting(address) > REFUSED_IN_WORDS) {
                connection.refused("memory");
                socket.abort();
                return;
            }
            // The timeout for sending a request begins when the stream reads: waiting for a turn in the queue is not
            // the client's fault.
            ByteString first = said;
            int held = counted ? first.length() : before;
            Connection taker = connection;
            // Must not refer to this reader, which holds the received bytes: the stream keeps this action as long as
            // the connection is open.
            Runnable taken = () -> taker.handedOver(held);
            // Creating the streams is the most expensive step, so the addresses take turns.
            side.turns()
                    .whileThere(
                            address,
                            connection.presence(),
                            () -> serve(connection, socket, new SocketStage(socket, first, taken)),
                            () -> {});
        }
    }

    private void serve(Connection connection, ClientSocket socket, SocketStage bytes) {
        if (socket.isClosed()) {
            return;
        }
        BidiFlow<ByteString, ByteString, ByteString, ByteString, NotUsed> guard =
                BidiFlow.fromGraph(new ConnectionGuard(connection));
        try {
            Flow.fromGraph(bytes)
                    .join(guard.join(protocol.on(connection)))
                    .addAttributes(connection.threads().attributes())
                    .run(materializer);
        } catch (RuntimeException e) {
            // A failure to serve one connection must not stop the listener.
            LOG.error("a connection of {} cannot be served", connection.remote(), e);
            socket.close();
        } catch (Error e) {
            // For example a missing class: the next connection would fail in the same way.
            socket.close();
            died();
            throw e;
        }
        if (draining) {
            connection.drain();
        }
    }

    private void refuse(SocketChannel channel, String reason, ByteString inWords) {
        refused.accept(reason);
        if (plain) {
            lingeringClose.close(channel, inWords);
        } else {
            abandon(channel);
        }
    }

    private static ByteString unavailable(String message) {
        String body = "{\"message\":\"" + message + "\"}";
        return ByteString.fromString("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
                + "Retry-After: 1\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private void closed(Connection connection, AddressShares.Place place) {
        place.close();
        open.remove(connection);
        if (draining && open.isEmpty()) {
            drained.complete(null);
        }
    }

    private void closeLateClients() {
        long now = limits.timeouts().nanoTime().getAsLong();
        for (Connection connection : open) {
            connection.closeIfLate(now).ifPresent(reason -> {
                refused.accept(reason);
                LOG.debug("Closed {}: late with {}", connection.remote(), reason);
            });
        }
    }

    /**
     * Stops accepting, lets requests in progress be answered, and aborts the remaining connections after {@code deadline}. Completes when no
     * connection is open.
     */
    public CompletionStage<Void> drain(Duration deadline) {
        draining = true;
        acceptor.close();
        return acceptor.ended().thenComposeAsync(stopped -> drainConnections(deadline), system.executionContext());
    }

    private CompletionStage<Void> drainConnections(Duration deadline) {
        Duration politely = deadline.compareTo(GIVE_UP_BEFORE) > 0 ? deadline.minus(GIVE_UP_BEFORE) : Duration.ZERO;
        // Marks all connections before draining any, so that every answer sent after the first close announces that it
        // is the last of its connection.
        open.forEach(one -> one.ending().drains());
        open.forEach(Connection::drain);
        sweep.cancel();
        sweep = sweepEvery(SWEEP_OF_A_STOP);
        if (open.isEmpty()) {
            drained.complete(null);
        }
        Cancellable giveUp = system.scheduler()
                .scheduleOnce(politely, () -> open.forEach(one -> one.ending().giveUp()), system.executionContext());
        Cancellable cutOff = system.scheduler()
                .scheduleOnce(deadline, () -> open.forEach(one -> one.ending().abort()), system.executionContext());
        return drained.thenRunAsync(
                () -> {
                    giveUp.cancel();
                    cutOff.cancel();
                    close();
                },
                system.executionContext());
    }

    /**
     * Closes connections after a final answer, leaving each client a moment to read it: closing a socket with unread input resets the connection,
     * and the client loses the answer. When more than {@link #AT_ONCE} connections are closing, further ones are closed without an answer.
     */
    private static final class LingeringClose {
        private static final int AT_ONCE = 128;
        private static final ClientSocket.Buffers BUFFERS = new ClientSocket.Buffers(16 << 10, 4096);
        private static final Duration MOMENT = Duration.ofSeconds(1);
        /** Bytes that a client may have sent before it reads the answer. */
        private static final int READ_AT_MOST = 64 << 10;

        private final ActorSystem<?> system;
        private final SocketLoop loop;
        private final AtomicInteger going = new AtomicInteger();

        LingeringClose(ActorSystem<?> system, SocketLoop loop) {
            this.system = system;
            this.loop = loop;
        }

        /** Closes {@code channel} after {@code answer}. Does not block. */
        void close(SocketChannel channel, ByteString answer) {
            ClientSocket socket = new ClientSocket(channel, loop, going::decrementAndGet);
            if (going.incrementAndGet() > AT_ONCE) {
                socket.close();
                return;
            }
            socket.open(BUFFERS, new Discarding(socket));
            try {
                loop.execute(() -> answer(socket, answer));
            } catch (RejectedExecutionException e) {
                // The loop is closed: the listener has stopped.
                socket.close();
            }
        }

        private void answer(ClientSocket socket, ByteString answer) {
            try {
                socket.write(answer);
                socket.endOutput();
                system.scheduler().scheduleOnce(MOMENT, socket::close, system.executionContext());
            } catch (IOException e) {
                socket.close();
            }
        }

        /** Reads and drops what the client still sends. */
        private static final class Discarding extends UntilClosed {
            private int left = READ_AT_MOST;

            Discarding(ClientSocket socket) {
                super(socket);
            }

            @Override
            public void received(ByteString bytes) {
                left -= bytes.length();
                if (left > 0) {
                    socket.want();
                } else {
                    socket.close();
                }
            }
        }
    }
}
