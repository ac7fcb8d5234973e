package org.chainwalletd.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.config.Settings;
import org.chainwalletd.event.EventFeed;
import org.chainwalletd.http.door.Authenticator;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.http.pages.Pages.ReadinessCheck;
import org.chainwalletd.http.pages.RpcHandler;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;

/** Server on a free loopback port with an RPC layer that echoes the caller. */
public final class ServerFixture implements AutoCloseable {
    /** Words of the scopes of classic tokens. */
    public static final Set<String> EVERY_SCOPE = Set.of("read", "manage", "spend");

    public static final String READ = "read-token-0123456789";
    public static final String MANAGE = "manage-token-0123456789";
    public static final String SPEND = "spend-token-0123456789";
    public static final Map<String, String> TOKENS = Map.of("read", READ, "manage", MANAGE, "spend", SPEND);
    public static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    public static final HttpLimits LIMITS =
            limits(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(20), Duration.ofSeconds(5));

    /** Listener on the loopback address without optional parts. */
    public static final HttpServer.Place PLACE = place(Optional.empty(), false);

    /** Default limits of the option table. */
    public static final Settings.Http2 HTTP_2 = new Settings.Http2(256, 16_384, 100);

    /** Completes calls whose body is {@code "wait"}. */
    public final CompletableFuture<Void> gate = new CompletableFuture<>();

    private final AtomicInteger calls = new AtomicInteger();
    private final List<RawClient> clients = new CopyOnWriteArrayList<>();

    public final List<String> refusals = new CopyOnWriteArrayList<>();
    public final Authenticator authenticator;
    public final ActorSystem<Void> system;
    public final HttpServer server;

    public ServerFixture(Path datadir, HttpLimits limits) throws Exception {
        this(datadir, limits, List.of(), Optional.empty());
    }

    public static ServerFixture tls(Path datadir, HttpLimits limits, TlsIdentity identity) throws Exception {
        return new ServerFixture(datadir, limits, List.of(), Optional.of(identity));
    }

    public ServerFixture(Path datadir, HttpLimits limits, List<String> proxies, Optional<TlsIdentity> tls)
            throws Exception {
        this(
                datadir,
                limits,
                new HttpServer.Place(LOOPBACK, proxies, Optional.empty(), false, tls, Optional.empty()),
                List.of());
    }

    /** Creates a server with both versions of HTTP. */
    public static ServerFixture http2(Path datadir, HttpLimits limits, Optional<TlsIdentity> tls) throws Exception {
        return new ServerFixture(datadir, limits, withHttp2(tls), List.of());
    }

    /** Listeners on the loopback address, optionally with a listener for the metrics and with the console page. */
    public static HttpServer.Place place(Optional<InetSocketAddress> metrics, boolean console) {
        return new HttpServer.Place(LOOPBACK, List.of(), metrics, console, Optional.empty(), Optional.empty());
    }

    public static HttpServer.Place withHttp2(Optional<TlsIdentity> tls) {
        return new HttpServer.Place(LOOPBACK, List.of(), Optional.empty(), false, tls, Optional.of(HTTP_2));
    }

    public ServerFixture(Path datadir, HttpLimits limits, HttpServer.Place place, List<ReadinessCheck> readiness)
            throws Exception {
        this(datadir, limits, place, readiness, Optional.empty());
    }

    /** @param rpc in place of the echo */
    public ServerFixture(
            Path datadir,
            HttpLimits limits,
            HttpServer.Place place,
            List<ReadinessCheck> readiness,
            Optional<RpcHandler.RpcEndpoint> rpc)
            throws Exception {
        this(datadir, limits, place, readiness, rpc, Optional.empty());
    }

    /** @param events streams opened by {@code GET /events} */
    public ServerFixture(Path datadir, HttpLimits limits, EventFeed events) throws Exception {
        this(datadir, limits, PLACE, List.of(), Optional.empty(), Optional.of(events));
    }

    private ServerFixture(
            Path datadir,
            HttpLimits limits,
            HttpServer.Place place,
            List<ReadinessCheck> readiness,
            Optional<RpcHandler.RpcEndpoint> rpc,
            Optional<EventFeed> events)
            throws Exception {
        authenticator = new Authenticator(tokens(datadir, TOKENS, line -> {}), NamedTokens.none());
        system = ActorSystem.create(Behaviors.empty(), "http-test");
        server = Await.outcome(HttpServer.start(
                        system,
                        place,
                        limits,
                        new HttpServer.Services(
                                rpc.orElse(this::answer),
                                authenticator,
                                readiness,
                                () -> "metrics",
                                refusals::add,
                                events),
                        ByteBudget.of(limits.memory().all()))
                .toCompletableFuture());
    }

    /** Opens the classic tokens of a datadir, with all scopes accepted. */
    public static Tokens tokens(Path datadir, Map<String, String> configured, Consumer<String> created)
            throws IOException {
        return new Tokens.InFiles(datadir, configured, EVERY_SCOPE).open(created);
    }

    /** The usual limits with other deadlines. */
    public static HttpLimits limits(Duration request, Duration keepAlive, Duration write, Duration halfClosed) {
        return limits(1 << 20, 100, 8, request, keepAlive, write, halfClosed);
    }

    /** Limits without shares per address, with the default part of the heap for clients: a single client may use all of it. */
    public static HttpLimits limits(
            int maxBodyBytes,
            int maxConnections,
            int maxConcurrentPerToken,
            Duration request,
            Duration keepAlive,
            Duration write,
            Duration halfClosed) {
        long held = Runtime.getRuntime().maxMemory() / 4;
        return limits(maxBodyBytes, maxConnections, maxConcurrentPerToken, request, keepAlive, write, halfClosed, held);
    }

    /** Limits without shares per address, with {@code held} bytes for clients. */
    public static HttpLimits limits(
            int maxBodyBytes,
            int maxConnections,
            int maxConcurrentPerToken,
            Duration request,
            Duration keepAlive,
            Duration write,
            Duration halfClosed,
            long held) {
        return new HttpLimits(
                32 << 10,
                maxBodyBytes,
                maxConnections,
                maxConnections,
                maxConcurrentPerToken,
                new HttpLimits.Timeouts(request, keepAlive, write, halfClosed, System::nanoTime),
                new HttpLimits.Memory(held, held, held));
    }

    /** The same limits, with times that {@code nanoTime} measures. */
    public static HttpLimits timed(HttpLimits limits, LongSupplier nanoTime) {
        return Copies.with(limits, "timeouts", Copies.with(limits.timeouts(), "nanoTime", nanoTime));
    }

    /** Limits with shares of connections and bytes per address. */
    public static HttpLimits withShares(
            HttpLimits limits, int connectionsPerAddress, long bytesPerAddress, long bytesPerConnection) {
        return new HttpLimits(
                limits.maxHeadBytes(),
                limits.maxBodyBytes(),
                limits.maxConnections(),
                connectionsPerAddress,
                limits.maxConcurrentPerToken(),
                limits.timeouts(),
                new HttpLimits.Memory(limits.memory().all(), bytesPerAddress, bytesPerConnection));
    }

    /** Creates a client that is closed with the server, if not before. */
    public RawClient client() throws Exception {
        return kept(RawClient.to(server.address()));
    }

    /** Creates a client with a small receive buffer. */
    public RawClient deafClient() throws Exception {
        return kept(RawClient.deaf(server.address()));
    }

    private RawClient kept(RawClient client) {
        clients.add(client);
        return client;
    }

    public void closeClients() {
        try {
            for (RawClient client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the server has counted {@code reason}, which happens just after the client has noticed. */
    public void awaitRefusal(String reason) {
        Await.until("the server has told of " + reason, () -> refusals.contains(reason));
    }

    public void awaitCalls(int number) {
        Await.until(number + " calls have come", () -> calls.get() >= number);
    }

    private CompletableFuture<RpcAnswer> answer(byte[] body, Optional<Grant> grant, Client client) {
        calls.incrementAndGet();
        String text = new String(body, StandardCharsets.UTF_8);
        byte[] echo = ("{\"scope\":\"" + grant.get().scope().word() + "\",\"client\":\"" + client.address()
                        + "\",\"bytes\":" + body.length + "}")
                .getBytes(StandardCharsets.UTF_8);
        return switch (text) {
            case "\"wait\"" -> gate.thenApplyAsync(open -> new RpcAnswer(200, echo), system.executionContext());
            case "\"fail\"" -> CompletableFuture.failedFuture(new IllegalStateException("broken on purpose"));
            case "\"throw\"" -> throw new IllegalStateException("broken on purpose");
            case "\"notify\"" -> CompletableFuture.completedFuture(new RpcAnswer(204, new byte[0]));
            case "\"scope\"" -> {
                client.denied().run();
                yield CompletableFuture.completedFuture(new RpcAnswer(401, echo));
            }
            case "\"scope of a notification\"" -> {
                client.denied().run();
                yield CompletableFuture.completedFuture(new RpcAnswer(204, new byte[0]));
            }
            default -> CompletableFuture.completedFuture(new RpcAnswer(200, echo));
        };
    }

    @Override
    public void close() {
        gate.complete(null);
        closeClients();
        system.terminate();
        Await.result(system.getWhenTerminated());
    }
}
