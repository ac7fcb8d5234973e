package org.chainwalletd.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.http.LoadClient;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.DistortingNode;

/**
 * What waits cost, against the packaged daemon with the launcher's defaults: the live heap of 10,000 over HTTP/1.1 against that of idle
 * keep-alive connections in 512 MiB, and {@code ping} beside them against {@code ping} at a daemon without any; what a block that answers all of
 * them takes, from the last that the follower asks of the node to the last answer, and how many questions it takes for each address; and the
 * live heap of 50,000 over HTTP/2, 128 on a connection, with and without TLS, in 1 GiB. Where a goal is a number and no ratio, it stands
 * as the floor.
 *
 * <p>Arguments: any of {@code plain http2 tls} (default all), or {@code block}: of {@code plain} what a block takes, and nothing else; or
 * {@code daemons}: the same with the waits spread over three daemons on one PostgreSQL database, and once more after a kill of the one that
 * follows the chain, with its waits asked again at the others.
 */
public final class WaitBench {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int PARTS = 5;
    /** Pairs before the first that counts: both daemons have to be as warm. */
    private static final int WARM_UP = 3;

    private static final int PLAIN = 10_000;
    private static final int DAEMONS = 3;
    /** A lease lapses after 5 s, and whoever has taken it looks at the chain from where the books end. */
    private static final double MOST_SECONDS_AFTER_KILL = 10;
    /** What a daemon accepts also on a busy machine before its backlog is full. */
    private static final int OPENED_AT_ONCE = 250;

    private static final int MOST_TRIES = 10;
    private static final int FIRST_CALLS = 50;
    private static final int STREAMS = 128;
    private static final int SHARED = 395;
    private static final int ADDRESSES = 100;
    private static final int PING_CONNECTIONS = 32;
    private static final double MOST_BYTES = 8 << 10;
    private static final double MOST_MILLIS = 1_000;
    private static final double MOST_CALLS = 2;
    private static final long AFTER_FIRST_LOOK_MILLIS = 2_000;
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{},\"id\":1}";

    private final Path work = Files.createTempDirectory("wait-bench");
    private final Devnet chain;
    private final List<Address> addresses = new ArrayList<>();
    private int daemons;
    /** Datadir whose tokens the next daemons have too; null while each has its own. */
    private Path tokens;

    private WaitBench(Devnet chain) throws IOException {
        this.chain = chain;
        for (int i = 0; i < ADDRESSES; i++) {
            addresses.add(Address.of(Hash256.sha256(new byte[] {(byte) i}).toArray()));
        }
    }

    public static void main(String[] words) throws Exception {
        List<String> parts = words.length == 0 ? List.of("plain", "http2", "tls") : List.of(words);
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(PROFILE).withFirstBlocks(ADDRESSES + 50))) {
            WaitBench bench = new WaitBench(chain);
            System.out.println("name ours floor ratio");
            if (parts.contains("plain")) {
                bench.plain();
            }
            if (parts.contains("block")) {
                bench.blockAlone();
            }
            if (parts.contains("daemons")) {
                bench.daemons();
            }
            if (parts.contains("http2")) {
                bench.shared(false);
            }
            if (parts.contains("tls")) {
                bench.shared(true);
            }
        }
        System.exit(0);
    }

    /** A daemon that runs, and where. */
    private record Server(Installation.Running running, URI uri, String token) implements AutoCloseable {
        InetSocketAddress address() {
            return new InetSocketAddress(uri.getHost(), uri.getPort());
        }

        long liveBytes() throws IOException {
            return DoorBench.liveBytes(running.process());
        }

        double workMicros() {
            return running.process()
                            .info()
                            .totalCpuDuration()
                            .orElse(Duration.ZERO)
                            .toNanos()
                    / 1e3;
        }

        /** Tried again while the system's queue of new connections is full. */
        String metrics() throws Exception {
            for (int tries = 0; ; tries++) {
                try (Socket socket = DoorBench.connected(uri)) {
                    socket.getOutputStream()
                            .write(("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                            + "Authorization: Bearer " + token + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
                    return answer(socket.getInputStream());
                } catch (SocketException refused) {
                    if (tries == MOST_TRIES || !running.process().isAlive()) {
                        throw refused;
                    }
                    Thread.sleep(200);
                }
            }
        }

        /** Up to the length that its head names: nobody has to close anything. */
        private static String answer(InputStream in) throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new SocketException("no answer");
                }
                head.append((char) next);
            }
            int length = head.toString()
                    .lines()
                    .filter(line -> line.startsWith("Content-Length: "))
                    .mapToInt(line -> Integer.parseInt(line.substring("Content-Length: ".length())))
                    .findFirst()
                    .orElseThrow();
            return new String(in.readNBytes(length), StandardCharsets.UTF_8);
        }

        void awaitOpen(int waits) throws Exception {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            String line = "walletd_waits_open{kind=\"payment\"} " + waits + ".0";
            String seen = metrics();
            while (!seen.contains(line)) {
                if (System.nanoTime() > end) {
                    throw new IOException("not " + line + " but "
                            + seen.lines()
                                    .filter(one -> one.startsWith("walletd_waits_open"))
                                    .toList());
                }
                Thread.sleep(20);
                seen = metrics();
            }
        }

        @Override
        public void close() {
            running.close();
        }
    }

    private Server start(String heap, URI node, String... more) throws Exception {
        Installation daemon = new Installation(
                Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd")),
                Map.of("WALLETD_ARCHIVE", "off", "WALLETD_HEAP", heap));
        Path datadir = work.resolve("daemon-" + daemons++);
        Installation.Ready ready = daemon.ready(datadir, tokens, node, List.of(more));
        return new Server(
                ready.running(),
                ready.uri(),
                Files.readString(datadir.resolve("token-read")).strip());
    }

    private String waiting(int number) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"wait_for_payment\",\"params\":{\"address\":\""
                + addresses.get(number % ADDRESSES) + "\",\"timeout_secs\":600},\"id\":1}";
    }

    private void plain() throws Exception {
        try (DistortingNode node = new DistortingNode(chain.uri());
                Server ours = start("512m", node.url());
                Server idle = start("512m", chain.uri());
                WaitLines waits = new WaitLines(ours.address(), ours.token());
                WaitLines connections = new WaitLines(idle.address(), idle.token())) {
            // Classes and what they keep are there before anything is weighed.
            pings(ours, idle, WARM_UP, false);
            List<Double> each = filled(ours, waits, true);
            pings(ours, idle, PARTS, true);
            block(ours, node, waits);
            // This process may open no more than twenty thousand files.
            waits.hangUp();
            Pairs heap = new Pairs();
            List<Double> bare = filled(idle, connections, false);
            for (int i = 0; i < PARTS; i++) {
                heap.add(each.get(i), bare.get(i));
            }
            System.out.println(heap.line("wait, HTTP/1.1, bytes against idle connection"));
        }
    }

    private void blockAlone() throws Exception {
        try (DistortingNode node = new DistortingNode(chain.uri());
                Server ours = start("512m", node.url());
                WaitLines waits = new WaitLines(ours.address(), ours.token())) {
            fill(ours, waits, PLAIN, true);
            block(ours, node, waits);
        }
    }

    private void fill(Server server, WaitLines lines, int end, boolean waiting) throws Exception {
        while (lines.size() < end) {
            int from = lines.size();
            lines.open(OPENED_AT_ONCE);
            lines.ask(from, lines.size(), number -> waiting ? waiting(number) : PING);
            if (waiting) {
                server.awaitOpen(lines.size());
            } else {
                lines.awaitAnswers(lines.size());
            }
        }
    }

    /** Live bytes of each connection, a part of them at a time. */
    private List<Double> filled(Server server, WaitLines lines, boolean waiting) throws Exception {
        List<Double> each = new ArrayList<>();
        int part = PLAIN / PARTS;
        long before = server.liveBytes();
        for (int i = 0; i < PARTS; i++) {
            fill(server, lines, lines.size() + part, waiting);
            long after = server.liveBytes();
            each.add((after - before) / (double) part);
            before = after;
        }
        return each;
    }

    private static void pings(Server ours, Server idle, int pairs, boolean told) throws Exception {
        Pairs rate = new Pairs();
        Pairs work = new Pairs();
        byte[] ask = ("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + PING.length() + "\r\n\r\n" + PING)
                .getBytes(StandardCharsets.US_ASCII);
        String text = new String(ask, StandardCharsets.US_ASCII);
        try (LoadClient beside = new LoadClient(
                        ours.address(),
                        PING_CONNECTIONS,
                        text.replace("%s", ours.token()).getBytes(StandardCharsets.US_ASCII));
                LoadClient alone = new LoadClient(
                        idle.address(),
                        PING_CONNECTIONS,
                        text.replace("%s", idle.token()).getBytes(StandardCharsets.US_ASCII))) {
            Pairs.interleave(pairs, () -> pinged(beside, ours), () -> pinged(alone, idle), (one, other) -> {
                rate.add(one[0], other[0]);
                work.add(one[1], other[1]);
            });
        }
        if (told) {
            System.out.println(rate.line("ping/s beside 10,000 waits"));
            System.out.println(work.line("the same, processor ns of the daemon"));
        }
    }

    /** Answers a second, and nanoseconds of the daemon's processor time for each. */
    private static double[] pinged(LoadClient client, Server server) throws IOException {
        double before = server.workMicros();
        double rate = client.run(TimeUnit.SECONDS.toNanos(1));
        return new double[] {rate, (server.workMicros() - before) * 1e3 / rate};
    }

    /** Each address is paid once; without a push the block is what answers. */
    private void block(Server server, DistortingNode node, WaitLines waits) throws Exception {
        Pairs millis = new Pairs();
        Pairs calls = new Pairs();
        Pairs work = new Pairs();
        AtomicLong last = new AtomicLong();
        node.lieAbout("get_transaction", (asked, truth) -> {
            last.set(System.nanoTime());
            return null;
        });
        chain.offerPush(false);
        chain.dropStreams();
        for (int i = 0; i < PARTS; i++) {
            long before = node.count();
            if (i > 0) {
                waits.ask(0, PLAIN, this::waiting);
                server.awaitOpen(PLAIN);
            }
            // What a first look at the mempools finds counts as older than the wait.
            Thread.sleep(AFTER_FIRST_LOOK_MILLIS);
            addresses.forEach(address -> chain.faucet(address, Amount.of(10_000)));
            chain.mine(1);
            double began = server.workMicros();
            waits.awaitAnswers(PLAIN);
            millis.add((System.nanoTime() - last.get()) / 1e6, MOST_MILLIS);
            work.add((server.workMicros() - began) / PLAIN, MOST_MILLIS * 1e3 * 2 / PLAIN);
            calls.add(100.0 * (node.count() - before) / ADDRESSES, 100 * MOST_CALLS);
        }
        System.out.println(millis.line("10,000 waits answered by one block, ms"));
        System.out.println(work.line("the same, processor µs a wait"));
        System.out.println(calls.line("the same, calls for 100 addresses"));
    }

    /** All daemons have a token in common, as the rows of the database say; the first one follows the chain. */
    private void daemons() throws Exception {
        List<Server> servers = new ArrayList<>();
        List<WaitLines> lines = new ArrayList<>();
        try (TestDatabase database = new TestDatabase();
                DistortingNode node = new DistortingNode(chain.uri())) {
            try {
                for (int i = 0; i < DAEMONS; i++) {
                    servers.add(start("512m", node.url(), "--store", database.url()));
                    tokens = work.resolve("daemon-0");
                    lines.add(new WaitLines(
                            servers.get(i).address(), servers.get(i).token()));
                    fill(servers.get(i), lines.get(i), (i + 1) * PLAIN / DAEMONS - i * PLAIN / DAEMONS, true);
                }
                AtomicLong last = new AtomicLong();
                node.lieAbout("get_transaction", (asked, truth) -> {
                    last.set(System.nanoTime());
                    return null;
                });
                chain.offerPush(false);
                chain.dropStreams();
                Pairs millis = new Pairs();
                for (int i = 0; i < PARTS; i++) {
                    if (i > 0) {
                        for (int each = 0; each < DAEMONS; each++) {
                            lines.get(each).ask(0, lines.get(each).size(), this::waiting);
                            servers.get(each).awaitOpen(lines.get(each).size());
                        }
                    }
                    answerAll(lines);
                    millis.add((System.nanoTime() - last.get()) / 1e6, MOST_MILLIS);
                }
                System.out.println(millis.line("10,000 waits at three daemons answered by one block, ms"));
                killed(servers, lines);
            } finally {
                for (WaitLines each : lines) {
                    each.close();
                }
                servers.forEach(Server::close);
            }
        }
    }

    private void answerAll(List<WaitLines> lines) throws Exception {
        Thread.sleep(AFTER_FIRST_LOOK_MILLIS);
        addresses.forEach(address -> chain.faucet(address, Amount.of(10_000)));
        chain.mine(1);
        for (WaitLines each : lines) {
            each.awaitAnswers(each.size());
        }
    }

    /** From the block, which nobody follows at first: another daemon has to take the lease. */
    private void killed(List<Server> servers, List<WaitLines> lines) throws Exception {
        int moved = lines.get(0).size();
        for (int each = 1; each < DAEMONS; each++) {
            lines.get(each).ask(0, lines.get(each).size(), this::waiting);
            servers.get(each).awaitOpen(lines.get(each).size());
        }
        servers.get(0).running().process().destroyForcibly().waitFor();
        lines.get(0).close();
        WaitLines others =
                new WaitLines(servers.get(1).address(), servers.get(1).token());
        lines.set(0, others);
        int before = lines.get(1).size();
        for (int open = 0; open < moved; open = others.size()) {
            int part = Math.min(OPENED_AT_ONCE, moved - open);
            others.open(part);
            others.ask(open, open + part, this::waiting);
            servers.get(1).awaitOpen(before + open + part);
        }
        long began = System.nanoTime();
        answerAll(lines);
        Pairs seconds = new Pairs();
        seconds.add((System.nanoTime() - began) / 1e9, MOST_SECONDS_AFTER_KILL);
        System.out.println(seconds.line("the same after kill -9 of the one that follows, its waits asked again, s"));
    }

    private void shared(boolean tls) throws Exception {
        List<String> more = new ArrayList<>(List.of("--http2", "--max-waits", "60000"));
        if (tls) {
            more.add("--tls");
        }
        List<RawHttp2> connections = new ArrayList<>();
        try (Server server = start("1g", chain.uri(), more.toArray(String[]::new))) {
            SSLContext any = DoorBench.trustingAnybody();
            Pairs heap = new Pairs();
            // A daemon that has just begun would be slow enough at TLS to give the first connection up.
            for (int i = 0; i < FIRST_CALLS; i++) {
                server.metrics();
            }
            int waits = 0;
            ask(connect(server, tls, any), connections, server, 0);
            waits += STREAMS;
            server.awaitOpen(waits);
            long first = server.liveBytes();
            long before = first;
            for (int part = 0; part < PARTS; part++) {
                for (int i = 0; i < SHARED / PARTS; i++) {
                    ask(connect(server, tls, any), connections, server, waits);
                    waits += STREAMS;
                }
                server.awaitOpen(waits);
                long after = server.liveBytes();
                heap.add((after - before) / (double) (SHARED / PARTS * STREAMS), MOST_BYTES);
                before = after;
            }
            String name = tls ? "wait, HTTP/2 over TLS" : "wait, HTTP/2";
            System.out.println(heap.line(name + ", bytes"));
            Pairs held = new Pairs();
            held.add(waits, 50_000);
            System.out.println(held.line(name + ", held at once in 1 GiB"));
        } finally {
            for (RawHttp2 connection : connections) {
                connection.close();
            }
        }
    }

    private void ask(Socket socket, List<RawHttp2> connections, Server server, int number) throws IOException {
        RawHttp2 connection = new RawHttp2(socket);
        connections.add(connection);
        for (int i = 0; i < STREAMS; i++) {
            connection.post(2 * i + 1, server.token(), waiting(number + i));
        }
    }

    private static Socket connect(Server server, boolean tls, SSLContext any) throws IOException {
        Socket socket = new Socket(server.uri().getHost(), server.uri().getPort());
        socket.setTcpNoDelay(true);
        if (!tls) {
            return socket;
        }
        SSLSocket secured = (SSLSocket) any.getSocketFactory()
                .createSocket(socket, server.uri().getHost(), server.uri().getPort(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }
}
