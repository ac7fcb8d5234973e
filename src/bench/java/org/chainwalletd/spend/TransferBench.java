package org.chainwalletd.spend;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.bench.DiskBytes;
import org.chainwalletd.bench.HandOvers;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.OutputSource;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.VerifiedOutput;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.TestNodes;

/**
 * Transfers per second against a bare client that makes the same two upstream calls with the same concurrency, reads the answers as JSON, and
 * neither signs nor writes. There are two such clients: blocking sockets with a request put together by hand, which is the floor that counts,
 * and the JDK's HTTP client, which is what a backend would use. Pairs are interleaved; the median of their ratios counts. Before them, transfers
 * one after the other show how often one goes from thread to thread, from the call to its receipt, HTTP left out. After them, the same with the
 * store in PostgreSQL, on the test server of this machine, against the one in a file. {@code
 * TransferBench [seconds per run] [pairs] [folder]}
 */
public final class TransferBench {
    private static final int CONCURRENCY = Integer.getInteger("bench.concurrency", 64);
    /** Runs before the first that counts: ours is many times as much code, and the compiler is busy with it for long. */
    private static final int WARM_UPS = 4;

    private static final Duration WARM_UP = Duration.ofSeconds(80);

    private static final int COUNTED = 500;

    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static NodeClient nodeClient;

    private final CannedNode node;
    private final Duration run;
    private final SpendService spending;
    private final Address payer;
    private final Address shop;
    private final String sample;
    private final ExecutorService floorThreads = Executors.newFixedThreadPool(CONCURRENCY);
    private final HttpClient jdkClient =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private double lastCpuMicros;
    private final AtomicLong tokens = new AtomicLong();

    private TransferBench(CannedNode node, Duration run, SpendService spending, Address payer, Address shop) {
        this.node = node;
        this.run = run;
        this.spending = spending;
        this.payer = payer;
        this.shop = shop;
        // One input, two outputs: 227 bytes, as our transfers have.
        this.sample = "01000200" + "11".repeat(36) + ("e803000000000000" + "2000" + "22".repeat(32) + "0000").repeat(2)
                + "6000" + "33".repeat(96) + "00";
    }

    public static void main(String[] args) throws Exception {
        Duration run = Duration.ofMillis(args.length > 0 ? (long) (1000 * Double.parseDouble(args[0])) : 4_000);
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        Path folder = args.length > 2 ? Path.of(args[2]) : Files.createTempDirectory("transfer-bench");
        ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "bench", HandOvers.counting());
        Executor executor = Executors.newFixedThreadPool(2);
        try (CannedNode node = new CannedNode(10);
                Store store = SqliteStore.open(folder.resolve("file"));
                Store server = new SharedStores().open(folder.resolve("server"))) {
            TestKeys keys = new TestKeys(PROFILE);
            Address payer = keys.add(1);
            Nodes nodes = nodes(system, node.url(), folder, executor);
            SpendService spending = start("spending", system, nodes, executor, keys, store);
            TransferBench bench = new TransferBench(node, run, spending, payer, keys.add(2));
            if (!Boolean.getBoolean("bench.stores")) {
                bench.countHandOvers();
                bench.compare("transfer, 10 listed coins", 10, pairs);
                bench.compare("transfer, 1000 listed coins", 1_000, pairs);
            }
            bench.compareStores(start("with-server", system, nodes, executor, keys, server), pairs);
        }
        System.exit(0);
    }

    private static Nodes nodes(ActorSystem<Void> system, URI url, Path folder, Executor executor) {
        Settings.Node settings = new Settings.Node(
                List.of(url),
                4,
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                8 << 20,
                CONCURRENCY,
                Optional.empty());
        return TestNodes.start(
                system,
                settings,
                Optional.empty(),
                new GenesisFile(folder),
                HandOvers.counted("answers of nodes", executor),
                HandOvers.counted("calls of nodes", executor),
                new SimpleMeterRegistry());
    }

    private static SpendService start(
            String name, ActorSystem<Void> system, Nodes nodes, Executor executor, TestKeys keys, Store store) {
        SpendEnvironment env = new SpendEnvironment(
                PROFILE,
                nodes.client(),
                outputs(keys, nodes.client(), HandOvers.counted("proofs", executor)),
                new SpendEnvironment.ChainView(
                        nodes.chain(), () -> Optional.of(Network.DEVNET), new Unfollowed(), Optional::empty),
                keys,
                new SpendEnvironment.Stores(
                        store, HandOvers.counted("store", IntentStore.class, store.intents()), Optional.empty()),
                new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                new Pace(
                        Duration.ofMillis(500),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ofMinutes(10),
                        Duration.ofHours(1),
                        Duration.ofMillis(200),
                        360),
                Drawing.RANDOM,
                new SpendMetrics(new SimpleMeterRegistry()),
                Clock.systemUTC(),
                HandOvers.counted("spends", executor));
        nodeClient = nodes.client();
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        system.systemActorOf(SpendService.create(env, inBackground(name, system), started), name, Props.empty());
        return started.join();
    }

    private static Background inBackground(String prefix, ActorSystem<?> system) {
        return new Background() {
            @Override
            public <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped) {
                return system.systemActorOf(work, prefix + "-" + name, Props.empty());
            }
        };
    }

    /** As one who follows the chain knows them: every canned coin, without a question to the node. */
    private static VerifiedOutputs outputs(TestKeys keys, NodeClient node, Executor executor) {
        Bytes script = Bytes.wrap(keys.add(1).toArray());
        OutputSource blocks = wanted -> {
            Map<Outpoint, VerifiedOutput> found = new HashMap<>();
            wanted.forEach(
                    outpoint -> found.put(outpoint, new VerifiedOutput(CannedNode.valueOf(outpoint.index()), script)));
            return CompletableFuture.completedFuture(found);
        };
        return new VerifiedOutputs(PROFILE, List.of(blocks), node, executor, new SimpleMeterRegistry());
    }

    private void compare(String name, int coins, int pairs) throws Exception {
        node.coins(coins);
        for (int i = 0; i < WARM_UPS; i++) {
            ours();
            floor();
            jdkFloor();
        }
        if (Boolean.getBoolean("bench.client")) {
            double client = client();
            System.out.printf(
                    Locale.ROOT,
                    "%s, our node client alone  %.0f/s  %.0f us of processor%n",
                    name,
                    client,
                    lastCpuMicros);
        }
        if (Boolean.getBoolean("bench.alone")) {
            for (int i = 0; i < pairs; i++) {
                System.out.printf(
                        Locale.ROOT,
                        "%s, without the floor  %.0f/s  %.0f us of processor%n",
                        name,
                        ours(),
                        lastCpuMicros);
            }
            return;
        }
        Runs ours = new Runs(pairs);
        Runs sockets = new Runs(pairs);
        Runs jdk = new Runs(pairs);
        OptionalLong written = DiskBytes.written();
        long transfers = tokens.get();
        for (int i = 0; i < pairs; i++) {
            ours.add(i, ours(), lastCpuMicros);
            sockets.add(i, floor(), lastCpuMicros);
            jdk.add(i, jdkFloor(), lastCpuMicros);
        }
        System.out.println(name + ", disk  " + DiskBytes.each(written, DiskBytes.written(), tokens.get() - transfers));
        print(name + ", bare sockets", ours, sockets);
        print(name + ", bare JDK client", ours, jdk);
    }

    /** @param server spends with the store on a server; the other one has a file */
    private void compareStores(SpendService server, int pairs) throws Exception {
        node.coins(10);
        // What only a server needs is compiled last.
        for (long end = System.nanoTime() + WARM_UP.toNanos(); System.nanoTime() < end; ) {
            rate(CONCURRENCY, () -> transfer(server));
            ours();
        }
        Runs onServer = new Runs(pairs);
        Runs inFile = new Runs(pairs);
        for (int i = 0; i < pairs; i++) {
            onServer.add(i, rate(CONCURRENCY, () -> transfer(server)), lastCpuMicros);
            inFile.add(i, ours(), lastCpuMicros);
        }
        print("transfer, 10 listed coins, PostgreSQL against SQLite", onServer, inFile);
    }

    private static void print(String name, Runs ours, Runs floor) {
        double[] ratios = new double[ours.rates.length];
        Arrays.setAll(ratios, i -> ours.rates[i] / floor.rates[i]);
        System.out.printf(
                Locale.ROOT,
                "%s  ours %.0f/s  floor %.0f/s  ratio %.2f  (processor: ours %.0f us, floor %.0f us each)%n",
                name,
                median(ours.rates),
                median(floor.rates),
                median(ratios),
                median(ours.cpuMicros),
                median(floor.cpuMicros));
    }

    /** What the runs of one kind have measured. */
    private static final class Runs {
        private final double[] rates;
        private final double[] cpuMicros;

        private Runs(int number) {
            rates = new double[number];
            cpuMicros = new double[number];
        }

        private void add(int run, double rate, double cpu) {
            rates[run] = rate;
            cpuMicros[run] = cpu;
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private double ours() throws Exception {
        return rate(CONCURRENCY, this::transfer);
    }

    private void transfer() throws Exception {
        transfer(spending);
    }

    private void transfer(SpendService by) throws Exception {
        TransferRequest request = new TransferRequest(
                payer,
                List.of(new Payment(shop, Amount.of(1_000))),
                FeeChoice.MINIMUM,
                TransferRequest.DEFAULT_MAX_FEE,
                Optional.of("bench-token-" + tokens.incrementAndGet()),
                Optional.empty());
        by.transfer(request).toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** One at a time: otherwise an actor that is awake anyway takes several messages in one run. */
    private void countHandOvers() throws Exception {
        node.coins(10);
        for (int i = 0; i < COUNTED; i++) {
            transfer();
        }
        Map<String, Long> before = HandOvers.counts();
        long asked = node.requests();
        for (int i = 0; i < COUNTED; i++) {
            transfer();
        }
        System.out.printf(
                Locale.ROOT,
                "transfer, alone  %s; and to the sockets' thread %.1f%n",
                HandOvers.each(before, HandOvers.counts(), COUNTED),
                (double) (node.requests() - asked) / COUNTED);
    }

    private double client() throws Exception {
        Bytes tx = Bytes.parse(sample);
        return rate(CONCURRENCY, () -> {
            nodeClient.addressUtxos(payer).toCompletableFuture().get(30, TimeUnit.SECONDS);
            nodeClient.sendRawTransaction(tx).toCompletableFuture().get(30, TimeUnit.SECONDS);
        });
    }

    private double floor() throws Exception {
        return rate(CONCURRENCY, () -> {
            JSON.readTree(call("get_address_utxos", "{\"address\":\"" + payer + "\"}"));
            JSON.readTree(call("send_raw_transaction", "{\"tx_hex\":\"" + sample + "\"}"));
        });
    }

    private double jdkFloor() throws Exception {
        return rate(CONCURRENCY, () -> {
            JSON.readTree(jdkCall("get_address_utxos", "{\"address\":\"" + payer + "\"}"));
            JSON.readTree(jdkCall("send_raw_transaction", "{\"tx_hex\":\"" + sample + "\"}"));
        });
    }

    private byte[] jdkCall(String method, String params) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(node.url())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body(method, params)))
                .build();
        return jdkClient.send(request, HttpResponse.BodyHandlers.ofByteArray()).body();
    }

    private static byte[] body(String method, String params) {
        return ("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":1}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] call(String method, String params) throws IOException {
        byte[] body = body(method, params);
        byte[] head = ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        try (Socket socket = new Socket("127.0.0.1", node.url().getPort())) {
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            byte[] answer = in.readAllBytes();
            String text = new String(answer, 0, Math.min(answer.length, 300), StandardCharsets.US_ASCII);
            return Arrays.copyOfRange(answer, text.indexOf("\r\n\r\n") + 4, answer.length);
        }
    }

    /** One thing that is counted. */
    @FunctionalInterface
    private interface Unit {
        void run() throws Exception;
    }

    private double rate(int concurrency, Unit unit) throws Exception {
        AtomicLong done = new AtomicLong();
        long cpu = processCpu();
        long end = System.nanoTime() + run.toNanos();
        long began = System.nanoTime();
        List<Future<?>> lanes = new ArrayList<>();
        for (int i = 0; i < concurrency; i++) {
            lanes.add(floorThreads.submit(() -> {
                while (System.nanoTime() < end) {
                    unit.run();
                    done.incrementAndGet();
                }
                return null;
            }));
        }
        for (var lane : lanes) {
            lane.get();
        }
        lastCpuMicros = (processCpu() - cpu) / 1e3 / done.get();
        return done.get() / ((System.nanoTime() - began) / 1e9);
    }

    /** Nanoseconds of processor time of all threads, those of the canned node among them. */
    private static long processCpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** No block comes: what is sent stays in flight. */
    private static final class Unfollowed implements SpendChain {
        @Override
        public Optional<BlockPlace> tip() {
            return Optional.empty();
        }

        @Override
        public OptionalLong tipMillis() {
            return OptionalLong.empty();
        }

        @Override
        public Set<String> setAside() {
            return Set.of();
        }

        @Override
        public void subscribe(ActorRef<FollowEvent> subscriber) {}

        @Override
        public CompletionStage<Optional<Fates>> fates(List<SpendingBooks.Question> questions) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place) {
            return CompletableFuture.completedFuture(false);
        }
    }
}
