package org.chainwalletd.http;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.io.Inet;
import org.apache.pekko.io.TcpSO;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.javadsl.Tcp;
import org.apache.pekko.util.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One listening socket: accepts up to the limit, refuses the rest quickly, closes late clients, and drains. The protocol above the bytes
 * is given per connection.
 */
final class Listener {
    /** What speaks on a connection. */
    @FunctionalInterface
    interface Protocol {
        Flow<ByteString, ByteString, NotUsed> on(Connection connection);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 1024;
    /** Connections of an address that are accepted before the first of them is served; Pekko gives them up after ten seconds. */
    private static final int MOST_WAITING = 512;

    /** The system would take some MiB of answers for a client that reads nothing, and the daemon make them. */
    private static final List<Inet.SocketOption> OPTIONS = List.of(TcpSO.sendBufferSize(256 << 10));

    private static final Duration GIVE_UP_BEFORE = Duration.ofSeconds(1);
    private static final ByteString OVERLOADED = unavailable("too many connections");
    private static final ByteString CROWDED = unavailable("too many connections from this address");

    private final ActorSystem<?> system;
    private final Materializer materializer;
    private final HttpLimits limits;
    private final AddressShares shares;
    private final Protocol protocol;
    private final boolean plain;
    private final Consumer<String> refused;
    private final Lane calm;
    private final Lane crowd;
    private final FairTurns turns;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean draining;
    private volatile Tcp.ServerBinding binding;
    private Cancellable sweep = Cancellable.alreadyCancelled();

    /**
     * @param plain whether a refusal may be said in HTTP: not where TLS is expected
     * @param refused told why a connection was refused or cut off: overload, address, head, malformed, memory, request, reading, closing, gone, idle
     */
    Listener(
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
        this.calm = Lane.calm(system);
        this.crowd = Lane.crowd(system);
        this.turns = new FairTurns(crowd.executor(), Runtime.getRuntime().availableProcessors());
    }

    /** Binds and serves. Fails when the address cannot be bound. */
    CompletionStage<Listener> bind(InetSocketAddress address) {
        Executor executor = system.executionContext();
        return Tcp.get(system)
                .bind(address.getHostString(), address.getPort(), BACKLOG, OPTIONS, true, Optional.<Duration>empty())
                .toMat(Sink.foreach(this::accept), (bound, end) -> {
                    end.handleAsync(this::listenedToTheEnd, Runnable::run);
                    return bound;
                })
                .run(materializer)
                .thenApplyAsync(this::bound, executor);
    }

    /** Complete when the socket has stopped listening although it was not told to. */
    CompletionStage<Void> ended() {
        return ended;
    }

    private Void listenedToTheEnd(Done done, Throwable failure) {
        // An address that cannot be bound is told by bind() itself.
        if (binding != null && !draining) {
            LOG.error("{} is no longer listened on", binding.localAddress(), failure);
            ended.complete(null);
        }
        return null;
    }

    InetSocketAddress address() {
        return binding.localAddress();
    }

    int connections() {
        return open.size();
    }

    private Listener bound(Tcp.ServerBinding bound) {
        binding = bound;
        long millis = Math.max(10, Math.min(1000, limits.requestDeadline().toMillis() / 4));
        Duration every = Duration.ofMillis(millis);
        sweep = system.scheduler()
                .scheduleWithFixedDelay(every, every, this::closeLateClients, system.executionContext());
        return this;
    }

    private void accept(Tcp.IncomingConnection incoming) {
        if (draining || open.size() >= limits.maxConnections()) {
            refuse(incoming, "overload", OVERLOADED);
            return;
        }
        Optional<AddressShares.Place> place =
                shares.enter(incoming.remoteAddress().getAddress());
        if (place.isEmpty()) {
            refuse(incoming, "address", CROWDED);
            return;
        }
        Lane lane = place.get().inCrowd() ? crowd : calm;
        Connection connection =
                new Connection(incoming.remoteAddress(), limits, place.get().budget(), lane);
        connection.whenCutOff(refused);
        open.add(connection);
        connection.whenClosed(() -> closed(connection, place.get()));
        String address = place.get().address();
        if (place.get().inCrowd() && turns.waiting(address) < MOST_WAITING) {
            // Making the streams costs most: others do not wait for that either.
            turns.of(address).execute(() -> serve(incoming, connection, place.get()));
        } else {
            serve(incoming, connection, place.get());
        }
    }

    private void serve(Tcp.IncomingConnection incoming, Connection connection, AddressShares.Place place) {
        BidiFlow<ByteString, ByteString, ByteString, ByteString, NotUsed> guard =
                BidiFlow.fromGraph(new ConnectionGuard(connection));
        try {
            incoming.flow()
                    .join(guard.join(protocol.on(connection)))
                    .addAttributes(connection.lane().attributes())
                    .run(materializer);
        } catch (RuntimeException e) {
            // One connection that cannot be served must not end the listening.
            LOG.error("a connection of {} cannot be served", incoming.remoteAddress(), e);
            closed(connection, place);
            incoming.handleWith(Flow.fromSinkAndSourceCoupled(Sink.cancelled(), Source.empty()), materializer);
            return;
        }
        if (draining) {
            connection.drain();
        }
    }

    private void refuse(Tcp.IncomingConnection incoming, String reason, ByteString inWords) {
        refused.accept(reason);
        Source<ByteString, NotUsed> answer = plain ? Source.single(inWords) : Source.empty();
        incoming.handleWith(
                Flow.fromSinkAndSourceCoupled(Sink.<ByteString>ignore(), answer).addAttributes(crowd.attributes()),
                materializer);
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
        long now = System.nanoTime();
        for (Connection connection : open) {
            connection.closeIfLate(now).ifPresent(reason -> {
                refused.accept(reason);
                LOG.debug("Closed {}: late with {}", connection.remote(), reason);
            });
        }
    }

    /**
     * Stops accepting, lets the requests in work be answered, and cuts off what is left after {@code deadline}. Completes when no
     * connection is open.
     */
    CompletionStage<Void> drain(Duration deadline) {
        draining = true;
        Executor executor = system.executionContext();
        return binding.unbind().thenComposeAsync(unbound -> drainConnections(deadline), executor);
    }

    private CompletionStage<Void> drainConnections(Duration deadline) {
        Duration politely = deadline.compareTo(GIVE_UP_BEFORE) > 0 ? deadline.minus(GIVE_UP_BEFORE) : Duration.ZERO;
        open.forEach(Connection::drain);
        if (open.isEmpty()) {
            drained.complete(null);
        }
        Cancellable giveUp = system.scheduler()
                .scheduleOnce(politely, () -> open.forEach(Connection::giveUp), system.executionContext());
        Cancellable cutOff = system.scheduler()
                .scheduleOnce(deadline, () -> open.forEach(Connection::abort), system.executionContext());
        return drained.thenRunAsync(
                () -> {
                    giveUp.cancel();
                    cutOff.cancel();
                    sweep.cancel();
                },
                system.executionContext());
    }
}
