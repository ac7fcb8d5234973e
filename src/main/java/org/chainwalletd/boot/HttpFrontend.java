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
import java.util.function.Consumer;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.HttpServer;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.TokenRotation;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.observe.HttpMetrics;
import org.chainwalletd.rpc.Handover;
import org.chainwalletd.rpc.RpcDispatcher;

/** HTTP server for clients: tokens, certificate, and the listener once the services are running. */
final class HttpFrontend {
    private static final Duration TOKEN_CHECK_INTERVAL = Duration.ofSeconds(2);
    private static final Duration OPENING_TIMEOUT = Duration.ofMinutes(2);

    private final DaemonContext context;
    private final TokenRotation rotation;
    private final Optional<TlsIdentity> tls;
    private final NamedTokens named;
    private HttpServer server;
    private RpcDispatcher dispatcher;

    /**
     * Storage of a daemon's tokens.
     *
     * @param named named tokens
     * @param classic one token per scope
     */
    record TokenPlaces(TokenRows named, Tokens.Source classic) {
        /**
         * Token files of the datadir; creates missing classic tokens.
         *
         * @param console receives new tokens
         */
        static TokenPlaces inFiles(Settings settings, Consumer<String> console) throws IOException {
            Settings.Http http = settings.http();
            Tokens.InFiles classic = new Tokens.InFiles(
                    settings.datadir(), http.tokenFlags(), http.access().classicTokens());
            classic.open(console);
            return new TokenPlaces(new TokenFile(settings.datadir()), classic);
        }
    }

    /** Factory that opens the daemon's certificate, or creates one with the given names. */
    @FunctionalInterface
    interface Identities {
        TlsIdentity open(List<String> names) throws IOException;
    }

    /** Reads the tokens and creates a missing certificate; does not listen yet. */
    HttpFrontend(DaemonContext context, TokenPlaces tokens, Identities identities) throws IOException {
        this.context = context;
        Settings settings = context.settings();
        this.named = NamedTokens.open(
                tokens.named(), context.clock(), settings.http().access().keyExport());
        this.rotation = new TokenRotation(tokens.classic(), named);
        this.tls = openTls(settings, identities);
    }

    /** Named tokens. */
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

    /** Dispatcher of calls; null before {@link #serve}. */
    RpcDispatcher dispatcher() {
        return dispatcher;
    }

    /** Starts to listen, and to poll the tokens for changes. Blocks until the port is bound. */
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
                                rotation.authenticator(),
                                services.readiness(),
                                context.metrics()::scrape,
                                httpMetrics::refused,
                                Optional.of(services.events())),
                        context.heldForPeers()),
                OPENING_TIMEOUT,
                "binding");
        server.ended().thenRunAsync(() -> context.threadEnded("a listening socket"), Runnable::run);
        httpMetrics.connections(server::connections);
        httpMetrics.held(server::heldBytes, server.mostHeldBytes());
        httpMetrics.waits(dispatcher::longPolls);
        httpMetrics.streams(services.events()::open);
        services.measure();
        pollTokens();
    }

    private void pollTokens() {
        Executor disk = context.workers().disk();
        context.system()
                .scheduler()
                .scheduleWithFixedDelay(
                        TOKEN_CHECK_INTERVAL,
                        TOKEN_CHECK_INTERVAL,
                        () -> disk.execute(rotation::look),
                        context.system().executionContext());
    }

    /**
     * Refuses new connections, then ends the waits, then waits for all other calls. In this order a client cannot start another wait when a
     * wait ends because of the stop.
     */
    void drain(ShutdownSequence.WaitEndings waits, ShutdownSequence.Times times) {
        CompletionStage<Void> drained = server.drain(context.settings().http().drain());
        waits.endAll(times.untilDrained());
        Futures.await(drained, times.untilStopped(), "answering the last calls");
    }

    /** URL at which clients reach the daemon; only after {@link #serve}. */
    URI uri() {
        return uri(HostPort.of(server.address()));
    }

    /** URL at which this machine reaches the daemon, also when it listens on all addresses. */
    URI reachedAt() {
        return uri(HostPort.toReach(server.address()));
    }

    /** URL at which other machines reach the daemon, as far as the daemon can determine it. */
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
