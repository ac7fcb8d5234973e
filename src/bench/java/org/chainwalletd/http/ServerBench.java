package org.chainwalletd.http;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.japi.function.Function;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.Scope;
import org.chainwalletd.http.door.Authenticator;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.h1.PekkoHttp;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.observe.AuditTrail;
import org.chainwalletd.observe.CallMetrics;
import org.chainwalletd.observe.HttpMetrics;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.RpcMethod.NoParams;

/**
 * The HTTP rows of the goals: {@code ping} with a token against a constant answer on the same stack, a batch of 100 against single calls,
 * and slow clients. Prints {@code name ours floor ratio}; the processor time per request, of all threads but the client's, is less moved by
 * other work on the machine than the rates are. Arguments: seconds per run (default 2), pairs (default 7), slow clients (default
 * 2000).
 */
public final class ServerBench {
    private static final String TOKEN = "bench-token-0123456789abcdef";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{},\"id\":1}";
    private static final byte[] PONG =
            "{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}".getBytes(StandardCharsets.UTF_8);
    private static final int BATCH = 100;
    private static final int CONNECTIONS = 32;
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private record Pong(boolean ok) {}

    private final long nanos;
    private final int pairs;
    private final int slow;
    private final ActorSystem<Void> system = ActorSystem.create(
            Behaviors.empty(),
            "bench",
            ConfigFactory.parseString("pekko.actor.default-dispatcher.fork-join-executor"
                            + " { parallelism-min = 2, parallelism-factor = 1.0, parallelism-max = 64 }")
                    .withFallback(ConfigFactory.load()));

    private ServerBench(String[] arguments) {
        nanos = TimeUnit.SECONDS.toNanos(arguments.length > 0 ? Long.parseLong(arguments[0]) : 2);
        pairs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
        slow = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 2000;
    }

    public static void main(String[] arguments) throws Exception {
        ServerBench bench = new ServerBench(arguments);
        try {
            bench.run();
        } finally {
            bench.system.terminate();
        }
    }

    private void run() throws Exception {
        InetSocketAddress ours = server(ServerFixture.limits(
                        2 << 20,
                        16_384,
                        16_384,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(90),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10)))
                .address();
        InetSocketAddress floor = floor();
        byte[] single = request(PING);
        byte[] batch = request("[" + String.join(",", Collections.nCopies(BATCH, PING)) + "]");
        System.out.println("name ours floor ratio");
        compare("ping", "requests/s", ours, single, 1, floor, single, 1);
        compare("batch_of_100", "items/s", ours, batch, BATCH, ours, single, 1);
        slowClients(ours, single);
    }

    private void compare(
            String name,
            String unit,
            InetSocketAddress ours,
            byte[] ourRequest,
            int ourItems,
            InetSocketAddress floor,
            byte[] floorRequest,
            int floorItems)
            throws IOException {
        List<Double> mine = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        List<Double> myCpu = new ArrayList<>();
        List<Double> theirCpu = new ArrayList<>();
        try (LoadClient one = new LoadClient(ours, CONNECTIONS, ourRequest);
                LoadClient other = new LoadClient(floor, CONNECTIONS, floorRequest)) {
            for (int warmUp = 0; warmUp < 3; warmUp++) {
                other.run(nanos);
                one.run(nanos);
            }
            for (int pair = 0; pair < pairs; pair++) {
                double base = other.run(nanos) * floorItems;
                theirCpu.add(other.serverMicros() / floorItems);
                double rate = one.run(nanos) * ourItems;
                myCpu.add(one.serverMicros() / ourItems);
                mine.add(rate);
                theirs.add(base);
                ratios.add(rate / base);
            }
        }
        print(name + "(" + unit + ")", median(mine), median(theirs), median(ratios));
        print(name + "_processor(us)", median(myCpu), median(theirCpu), median(myCpu) / median(theirCpu));
    }

    /** The rate of ping stays low here: what counts is how long one takes while the slow ones drip. */
    private void slowClients(InetSocketAddress address, byte[] request) throws Exception {
        try (LoadClient ping = new LoadClient(address, 1, request)) {
            ping.run(nanos);
            List<Double> baseline = new ArrayList<>();
            for (int run = 0; run < pairs; run++) {
                ping.run(nanos);
                baseline.add(ping.quantile(0.99));
            }
            try (SlowClients clients = new SlowClients(address, slow)) {
                List<Double> during = new ArrayList<>();
                while (clients.open() > 0) {
                    ping.run(TimeUnit.SECONDS.toNanos(1));
                    during.add(ping.quantile(0.99));
                }
                print(
                        "ping_p99_beside_" + slow + "_slow(us)",
                        median(during),
                        median(baseline),
                        median(during) / median(baseline));
                print(
                        "slow_clients_closed_after(s)",
                        clients.lastClosedAfterSeconds(),
                        15,
                        clients.lastClosedAfterSeconds() / 15);
            }
        }
    }

    private HttpServer server(HttpLimits limits) throws Exception {
        Path datadir = Files.createTempDirectory("server-bench");
        Metrics metrics = new Metrics();
        HttpMetrics refusals = new HttpMetrics(metrics.registry());
        MethodRegistry methods = MethodRegistry.of(List.of(RpcMethod.of(
                "ping",
                Scope.READ,
                "Answers; asks nobody.",
                NoParams.class,
                Pong.class,
                (none, context) -> CompletableFuture.completedFuture(new Pong(true)))));
        RpcDispatcher dispatcher = new RpcDispatcher(
                methods,
                List.of(),
                new CallObserver.Both(new CallMetrics(metrics.registry(), methods), new AuditTrail(Clock.systemUTC())),
                new RpcDispatcher.Limits(1000, 16, 1000),
                system.executionContext());
        Map<String, String> tokens = Map.of("read", TOKEN, "manage", TOKEN + "-m", "spend", TOKEN + "-s");
        Authenticator authenticator =
                new Authenticator(ServerFixture.tokens(datadir, tokens, line -> {}), NamedTokens.none());
        HttpServer.Services services = new HttpServer.Services(
                dispatcher::dispatch, authenticator, List.of(), metrics::scrape, refusals::refused, Optional.empty());
        HttpServer.Place place =
                new HttpServer.Place(LOOPBACK, List.of(), Optional.empty(), false, Optional.empty(), Optional.empty());
        return HttpServer.start(
                        system,
                        place,
                        limits,
                        services,
                        ByteBudget.of(limits.memory().all()))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    /** Pekko HTTP as its manual starts it, with our settings, and an answer that is there already. */
    private InetSocketAddress floor() throws Exception {
        HttpResponse constant =
                HttpResponse.create().withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, PONG));
        CompletionStage<HttpResponse> answer = CompletableFuture.completedFuture(constant);
        ServerBinding binding = Http.get(system)
                .newServerAt("127.0.0.1", 0)
                .withSettings(PekkoHttp.settings(system))
                .bind((Function<HttpRequest, CompletionStage<HttpResponse>>) request -> answer)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        return binding.localAddress();
    }

    private static byte[] request(String body) {
        return ("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    private static void print(String name, double ours, double floor, double ratio) {
        System.out.println(String.format(Locale.ROOT, "%s %.1f %.1f %.3f", name, ours, floor, ratio));
    }

    /** Connections that send one byte of a request a second, until the server has closed them all. */
    private static final class SlowClients implements AutoCloseable {
        private final List<Socket> sockets = new ArrayList<>();
        private final Thread dripping;
        private final long start;
        private volatile int open;
        private volatile double lastClosedAfterSeconds;

        SlowClients(InetSocketAddress address, int number) throws IOException {
            for (int i = 0; i < number; i++) {
                Socket socket = new Socket(address.getAddress(), address.getPort());
                socket.getOutputStream().write('P');
                sockets.add(socket);
            }
            open = number;
            start = System.nanoTime();
            dripping = new Thread(this::drip, "slow clients");
            dripping.start();
        }

        int open() {
            return open;
        }

        double lastClosedAfterSeconds() {
            return lastClosedAfterSeconds;
        }

        private void drip() {
            boolean[] closed = new boolean[sockets.size()];
            byte[] rest = "OST / HTTP/1.1\r\nX-Slow: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
                    .getBytes(StandardCharsets.US_ASCII);
            long apart = TimeUnit.SECONDS.toNanos(1) / closed.length;
            long next = start;
            for (int second = 0; open > 0 && second < rest.length; second++) {
                for (int i = 0; i < closed.length; i++) {
                    next += apart;
                    while (next - System.nanoTime() > 1_000_000) {
                        LockSupport.parkNanos(next - System.nanoTime());
                    }
                    if (!closed[i] && !drip(sockets.get(i), rest[second])) {
                        closed[i] = true;
                        open--;
                        lastClosedAfterSeconds = (System.nanoTime() - start) / 1e9;
                    }
                }
            }
        }

        private static boolean drip(Socket socket, byte one) {
            try {
                socket.getOutputStream().write(one);
                return socket.getInputStream().available() == 0;
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
