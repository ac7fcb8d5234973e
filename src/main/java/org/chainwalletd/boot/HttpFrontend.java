package org.chainwalletd.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.HttpServer;
import org.chainwalletd.http.door.Authenticator;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.TokenRotation;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.observe.HttpMetrics;
import org.chainwalletd.rpc.Handover;
import org.chainwalletd.rpc.RpcDispatcher;

/** HTTP entrance for clients: tokens, certificate, and the listener once there is something to serve. */
final class HttpFrontend {
    private static final Duration TOKENS_LOOKED_AT = Duration.ofSeconds(2);
    private static final Duration OPENING = Duration.ofMinutes(2);

    private final DaemonContext context;
    private final Authenticator authenticator;
    private final TokenRotation rotation;
    private final Optional<TlsIdentity> tls;
    private final NamedTokens named;
    private HttpServer server;
    private RpcDispatcher dispatcher;

    /** Opens the daemon's certificate, or makes one with these names. */
    @FunctionalInterface
    interface Identities {
        TlsIdentity open(List<String> names) throws IOException;
    }

    private HttpFrontend(DaemonContext context, TokenPlaces tokens, Identities identities) throws IOException {
        this.context = context;
        Settings settings = context.settings();
        this.named = NamedTokens.open(
                tokens.named(), context.clock(), settings.http().access().keyExport());
        this.authenticator = new Authenticator(tokens.classic().read(), named);
        this.rotation = new TokenRotation(tokens.classic(), authenticator);
        this.tls = openTls(settings, identities);
    }

    /** Creates a missing certificate; nothing listens yet. */
    static HttpFrontend open(DaemonContext context, TokenPlaces tokens, Identities identities) throws IOException {
        return new HttpFrontend(context, tokens, identities);
    }

    /** Tokens that the operator has named. */
    NamedTokens named() {
        return named;
    }

    private static Optional<TlsIdentity> openTls(Settings settings, Identities identities) throws IOException {
        if (!settings.http().tls()) {
            return Optional.empty();
        }
        List<String> names = TlsIdentity.names(
                settings.http().listening().bind().getAddress(), settings.http().tlsSan());
        return Optional.of(identities.open(names));
    }

    /** Answers calls, once it listens. */
    RpcDispatcher dispatcher() {
        return dispatcher;
    }

    /** Starts to listen, and to watch the token files for changes. Blocks until the port is bound. */
    void serve(Services services, Handover handover) {
        Settings.Http http = context.settings().http();
        dispatcher = services.dispatcher(handover);
        HttpMetrics httpMetrics = new HttpMetrics(context.meters());
        server = Futures.await(
                HttpServer.start(
                        context.system(),
                        HttpServer.Place.of(http, tls),
                        HttpLimits.of(http),
                        new HttpServer.Services(
                                dispatcher::dispatch,
                                authenticator,
                                services.readiness(),
                                context.metrics()::scrape,
                                httpMetrics::refused,
                                Optional.of(services.events())),
                        context.heldForPeers()),
                OPENING,
                "binding");
        server.ended().thenRunAsync(() -> context.threadEnded("a listening socket"), Runnable::run);
        httpMetrics.connections(server::connections);
        httpMetrics.held(server::heldBytes, server.mostHeldBytes());
        httpMetrics.waits(dispatcher::longPolls);
        httpMetrics.streams(services.events()::open);
        services.measure();
        lookAtTokens();
    }

    private void lookAtTokens() {
        Executor disk = context.workers().disk();
        context.system()
                .scheduler()
                .scheduleWithFixedDelay(
                        TOKENS_LOOKED_AT,
                        TOKENS_LOOKED_AT,
                        () -> disk.execute(rotation::look),
                        context.system().executionContext());
    }

    /**
     * Refuses new connections, then ends the waits, then lets all other calls end: so no client starts a new wait on an answer that the stop gave it.
     */
    void drain(ShutdownSequence.WaitEndings waits, ShutdownSequence.Times times) {
        CompletionStage<Void> drained = server.drain(context.settings().http().drain());
        waits.endAll(times.untilDrained());
        Futures.await(drained, times.untilStopped(), "answering the last calls");
    }

    /** URL at which clients reach the daemon, once it listens. */
    URI uri() {
        return uri(HostPort.of(server.address()));
    }

    /** URL at which this machine reaches the daemon, also when it listens on every address. */
    URI reachedAt() {
        return uri(HostPort.toReach(server.address()));
    }

    /** URL at which other machines reach the daemon, as far as it can tell. */
    URI advertised() {
        Optional<URI> named = context.settings().database().flatMap(Settings.Database::advertised);
        return named.orElseGet(() -> server.address().getAddress().isAnyLocalAddress() ? uri(machine()) : reachedAt());
    }

    private String machine() {
        try {
            return InetAddress.getLocalHost().getHostName() + ":"
                    + server.address().getPort();
        } catch (UnknownHostException e) {
            return HostPort.toReach(server.address());
        }
    }

    private URI uri(String authority) {
        return URI.create((tls.isPresent() ? "https://" : "http://") + authority + "/");
    }

    void listenForHangUp() {
        rotation.onHangUp();
    }
}
