package org.chainwalletd.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.config.Settings;
import org.chainwalletd.event.EventFeed;
import org.chainwalletd.http.door.AddressShares;
import org.chainwalletd.http.door.Authenticator;
import org.chainwalletd.http.door.Callers;
import org.chainwalletd.http.door.ClientAddress;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.Listener;
import org.chainwalletd.http.door.Refusals;
import org.chainwalletd.http.door.Refusals.ServerObserver;
import org.chainwalletd.http.h1.PekkoHttp;
import org.chainwalletd.http.h1.RequestFraming;
import org.chainwalletd.http.h1.RequestStage;
import org.chainwalletd.http.h2.Http2Layer;
import org.chainwalletd.http.pages.EventPage;
import org.chainwalletd.http.pages.Pages;
import org.chainwalletd.http.pages.Pages.ReadinessCheck;
import org.chainwalletd.http.pages.Router;
import org.chainwalletd.http.pages.RpcHandler;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.http.tls.TlsLayers;
import org.chainwalletd.net.ByteBudget;

/** HTTP server of the daemon: the paths of interface.md, section 4.1, and those of decisions.md, section 5. */
public final class HttpServer {
    /**
     * Services of the daemon that the server needs.
     *
     * @param rpc answers {@code POST /}
     * @param readiness all must be met for {@code GET /readyz}
     * @param metrics text of {@code GET /metrics}
     * @param events streams of {@code GET /events}; empty: there is no such path
     */
    public record Services(
            RpcHandler.RpcEndpoint rpc,
            Authenticator authenticator,
            List<ReadinessCheck> readiness,
            Supplier<String> metrics,
            ServerObserver observer,
            Optional<EventFeed> events) {}

    /**
     * Listeners of the server.
     *
     * @param trustedProxies peers whose X-Forwarded-For is trusted: addresses or CIDR ranges
     * @param metricsBind separate listener for {@code /metrics}, without TLS and without a token; the main listener serves
     *     {@code /metrics}, with a token, when this is empty or there is a console
     * @param console whether {@code /console} serves the console page
     * @param tls HTTPS with this certificate; empty: plain HTTP
     * @param http2 offered beside HTTP/1.1 on the main listener, within these limits; empty: not offered
     */
    public record Place(
            InetSocketAddress bind,
            List<String> trustedProxies,
            Optional<InetSocketAddress> metricsBind,
            boolean console,
            Optional<TlsIdentity> tls,
            Optional<Settings.Http2> http2) {

        public static Place of(Settings.Http http, Optional<TlsIdentity> tls) {
            return new Place(
                    http.listening().bind(),
                    http.listening().trustedProxies(),
                    http.listening().metrics(),
                    http.console(),
                    tls,
                    http.http2());
        }
    }

    private final Listener main;
    private final Optional<Listener> metrics;
    private final ByteBudget budget;
    private final Executor executor;

    private HttpServer(Listener main, Optional<Listener> metrics, ByteBudget budget, Executor executor) {
        this.budget = budget;
        this.main = main;
        this.metrics = metrics;
        this.executor = executor;
    }

    /**
     * Warms up Pekko HTTP by passing a synthetic request through its layers, while the start of the daemon waits for something else.
     * Optional: it only makes {@link #start} and the first answer faster.
     */
    public static void prepare(ActorSystem<?> system) {
        Source.single(ByteString.fromString("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .via(PekkoHttp.plain(system)
                        .reversed()
                        .join(Flow.of(HttpRequest.class).map(request -> HttpResponse.create())))
                .runWith(Sink.ignore(), SystemMaterializer.get(system).materializer());
    }

    /**
     * Binds and serves, in a process that has other network peers too. Fails when an address cannot be bound.
     *
     * @param configured limits; with TLS, the connection limits are reduced to what fits into the share of the heap that TLS may use
     * @param peers memory budget of all untrusted peers of the process; HTTP clients use at most {@code configured.memory().all()} of it
     * @throws IllegalArgumentException for an entry of {@code trustedProxies} that is neither an address nor a range
     */
    public static CompletionStage<HttpServer> start(
            ActorSystem<?> system, Place place, HttpLimits configured, Services services, ByteBudget peers) {
        HttpLimits limits = place.tls().isPresent() ? configured.fitting(TlsLayers.mostInHeap()) : configured;
        ByteBudget budget = peers.within(limits.memory().all());
        ClientAddress addresses = new ClientAddress(place.trustedProxies());
        AddressShares shares = new AddressShares(limits, budget, addresses);
        Callers callers = new Callers(services.authenticator(), addresses);
        Refusals refusals = new Refusals(services.observer(), system);
        Pages pages = new Pages().health(services.readiness());
        place.tls().ifPresent(pages::certificate);
        if (place.console()) {
            pages.console();
        }
        // The console page reads the metrics too.
        if (place.metricsBind().isEmpty() || place.console()) {
            pages.guardedMetrics(services.metrics(), callers, refusals);
        }
        services.events()
                .ifPresent(feed -> pages.events(new EventPage(feed, callers, refusals, system.executionContext())));
        HttpHandler rpc = new RpcHandler(services.rpc(), callers, limits, refusals, system);
        Router router = new Router(Optional.of(rpc), pages.route(), refusals, system);
        Listener main = new Listener(
                system,
                limits,
                shares,
                protocol(system, router, place, services.observer()::refused),
                place.tls().isEmpty(),
                services.observer()::refused);
        Optional<Listener> metrics =
                place.metricsBind().map(address -> metricsListener(system, limits, shares, services));
        try {
            if (metrics.isPresent()) {
                metrics.get().bind(place.metricsBind().orElseThrow());
            }
            // Last, because clients are served from here on.
            main.bind(place.bind());
        } catch (IOException | RuntimeException e) {
            metrics.ifPresent(Listener::close);
            main.close();
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.completedFuture(new HttpServer(main, metrics, budget, system.executionContext()));
    }

    private static Listener metricsListener(
            ActorSystem<?> system, HttpLimits limits, AddressShares shares, Services services) {
        Pages pages = new Pages().health(services.readiness()).openMetrics(services.metrics());
        Refusals refusals = new Refusals(services.observer(), system);
        Router router = new Router(Optional.empty(), pages.route(), refusals, system);
        return new Listener(
                system,
                limits,
                shares,
                new PlainLayers(system, router, Optional.empty()),
                true,
                services.observer()::refused);
    }

    private static Listener.Protocol protocol(
            ActorSystem<?> system, HttpHandler handler, Place place, Consumer<String> refused) {
        Optional<Http2Layer> http2 = place.http2().map(limits -> new Http2Layer(system, handler, limits, refused));
        return place.tls()
                .<Listener.Protocol>map(
                        identity -> new TlsLayers(system, identity, handler, http2, refused, TlsLayers.mostInHeap()))
                .orElseGet(() -> new PlainLayers(system, handler, http2));
    }

    /** Returns the address on which the server listens, with the actual port when port 0 was configured. */
    public InetSocketAddress address() {
        return main.address();
    }

    public Optional<InetSocketAddress> metricsAddress() {
        return metrics.map(Listener::address);
    }

    /** Returns the bytes of requests and unread answers that are currently buffered for all clients. */
    public long heldBytes() {
        return budget.held();
    }

    /** Limit of {@link #heldBytes}. */
    public long mostHeldBytes() {
        return budget.limit();
    }

    /** Returns the number of open connections of the main listener. */
    public int connections() {
        return main.connections();
    }

    /** Completes when one of the listeners has stopped without being drained, so that it can serve no clients. */
    public CompletionStage<Void> ended() {
        return metrics.map(side -> main.ended().applyToEitherAsync(side.ended(), end -> end, executor))
                .orElseGet(main::ended);
    }

    /**
     * Stops accepting, lets requests in progress be answered, answers the rest with 503 shortly before {@code deadline}, and aborts the connections
     * that are open at {@code deadline}. Completes when no connection is open.
     */
    public CompletionStage<Void> drain(Duration deadline) {
        CompletionStage<Void> side = metrics.map(listener -> listener.drain(deadline))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
        return main.drain(deadline).thenCombineAsync(side, (one, other) -> null, executor);
    }

    /**
     * HTTP/1.1 without TLS, and HTTP/2 where it is offered, distinguished by the first bytes: HTTP/2 clients use prior knowledge (RFC 9113, section
     * 3.3). The upgrade mechanism from HTTP/1.1, which RFC 9113 deprecates, is ignored.
     */
    private static final class PlainLayers implements Listener.Protocol {
        private final HttpHandler handler;
        private final BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1;
        private final Optional<Http2Layer> http2;

        /** @param http2 empty: not offered */
        PlainLayers(ActorSystem<?> system, HttpHandler handler, Optional<Http2Layer> http2) {
            this.handler = handler;
            this.http1 = PekkoHttp.plain(system);
            this.http2 = http2;
        }

        /** True for a complete request head, and for bytes that are no head of HTTP/1, such as the HTTP/2 preface. */
        @Override
        public boolean isEnough(ByteString said) {
            RequestFraming framing = new RequestFraming(Integer.MAX_VALUE);
            framing.add(said);
            return framing.read().nonEmpty() || framing.fault().isPresent();
        }

        @Override
        public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
            return http2.map(offered -> either(offered, connection)).orElseGet(() -> http1(connection));
        }

        private Flow<ByteString, ByteString, NotUsed> either(Http2Layer http2, Connection connection) {
            return Flow.fromGraph(new Http2Preface())
                    .flatMapPrefix(
                            1,
                            first -> Flow.<ByteString>create()
                                    .prepend(PekkoHttp.handingOver(first))
                                    .via(
                                            !first.isEmpty() && Http2Preface.begins(first.get(0))
                                                    ? http2.on(connection)
                                                    : http1(connection)))
                    .mapMaterializedValue(chosen -> NotUsed.getInstance());
        }

        private Flow<ByteString, ByteString, NotUsed> http1(Connection connection) {
            connection.speaksHttp1();
            return RequestStage.http1(connection, http1, handler);
        }

        /**
         * Buffers the first bytes of a connection until they show whether the client speaks HTTP/2, then emits them as one piece; buffers at most
         * two bytes. {@code PRI} starts the HTTP/2 preface (RFC 9113, section 3.4) and is not a method of HTTP/1.
         */
        private static final class Http2Preface extends GraphStage<FlowShape<ByteString, ByteString>> {
            private static final ByteString TELLING = ByteString.fromString("PRI");

            private final Inlet<ByteString> in = Inlet.create("bytes");
            private final Outlet<ByteString> out = Outlet.create("told");
            private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);

            /** Whether a connection that starts with these bytes, at least three or differing from the preface earlier, speaks HTTP/2. */
            static boolean begins(ByteString first) {
                return first.startsWith(TELLING, 0);
            }

            @Override
            public FlowShape<ByteString, ByteString> shape() {
                return shape;
            }

            @Override
            public GraphStageLogic createLogic(Attributes attributes) {
                return new Logic();
            }

            private final class Logic extends GraphStageLogic {
                private ByteString held = ByteString.emptyByteString();
                private boolean told;

                Logic() {
                    super(shape);
                    setHandlers(in, out, new AbstractInOutHandler() {
                        @Override
                        public void onPush() {
                            if (told) {
                                push(out, grab(in));
                                return;
                            }
                            held = held.concat(grab(in));
                            if (held.length() < TELLING.length() && TELLING.startsWith(held, 0)) {
                                pull(in);
                            } else {
                                tell();
                            }
                        }

                        @Override
                        public void onPull() {
                            pull(in);
                        }

                        @Override
                        public void onUpstreamFinish() {
                            if (!told && held.nonEmpty() && isAvailable(out)) {
                                tell();
                            }
                            completeStage();
                        }
                    });
                }

                private void tell() {
                    told = true;
                    push(out, held.compact());
                    held = ByteString.emptyByteString();
                }
            }
        }
    }
}
