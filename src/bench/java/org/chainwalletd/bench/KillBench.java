package org.chainwalletd.bench;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;

/**
 * Three packaged daemons on one PostgreSQL database that pay and are read at a steady pace, of which one is killed with SIGKILL: first one that
 * does not do the background work, then the one that does. Tells how long calls at the survivors took, and when another one had answered the
 * newest payments of the dead one. Everything shares two cores, and the pace is far below what the daemons can do, so that a wait is seen as one.
 */
final class KillBench {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int DAEMONS = 3;
    private static final int COINS = 200;
    private static final long BLOCK_EVERY_MILLIS = 3_000;
    private static final long COIN = 1_000_000;
    /** Per daemon. */
    private static final long READ_EVERY_MILLIS = 20;

    private static final int PAYERS = 4;
    private static final long PAY_EVERY_MILLIS = 1_000;
    private static final Duration WARM_UP = Duration.ofSeconds(80);
    private static final Duration MEASURED = Duration.ofSeconds(20);
    /** The time within which calls have to be as fast as before, and payments adopted. */
    private static final Duration ALLOWED = Duration.ofSeconds(10);

    /**
     * A call that has ended.
     *
     * @param began nanoseconds, as of {@link System#nanoTime}
     */
    private record Done(int daemon, boolean pays, boolean failed, long began, long nanos) {}

    private final Path work = Files.createTempDirectory("kill-bench");
    private final List<Installation.Ready> servers = new ArrayList<>();
    private final Queue<Done> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger orders = new AtomicInteger();
    /** The newest payment of each payer, answered or not. */
    private final AtomicReferenceArray<Map<String, Object>> newest = new AtomicReferenceArray<>(DAEMONS * PAYERS);

    private final AtomicBoolean isOver = new AtomicBoolean();
    private String payer;

    private KillBench() throws Exception {}

    /** Without arguments. */
    public static void main(String[] words) throws Exception {
        System.out.println("name ours floor ratio");
        new KillBench().measure();
        System.exit(0);
    }

    private void measure() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (TestDatabase database = new TestDatabase();
                Devnet chain = Devnet.start(DevnetConfig.onDemand(PROFILE).withFirstBlocks(60))) {
            try {
                begin(chain, database.url());
                threads.execute(() -> paced(BLOCK_EVERY_MILLIS, number -> chain.mine(1)));
                for (int daemon = 0; daemon < DAEMONS; daemon++) {
                    WalletdClient client = client(daemon);
                    int at = daemon;
                    for (int half = 0; half < 2; half++) {
                        threads.execute(() -> paced(2 * READ_EVERY_MILLIS, number -> read(at, client)));
                    }
                    for (int one = 0; one < PAYERS; one++) {
                        int payerOf = daemon * PAYERS + one;
                        threads.execute(() -> paced(PAY_EVERY_MILLIS, number -> pay(at, payerOf, client)));
                    }
                }
                TimeUnit.NANOSECONDS.sleep(WARM_UP.toNanos());
                kill(1, 2, "another than the keeper");
                kill(0, 2, "the keeper");
            } finally {
                isOver.set(true);
                threads.shutdown();
                servers.forEach(server -> server.running().close());
            }
        }
    }

    private void begin(Devnet chain, String store) throws Exception {
        Installation installation = new Installation(
                Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd")),
                Map.of("WALLETD_ARCHIVE", "off", "WALLETD_HEAP", "256m"));
        for (int daemon = 0; daemon < DAEMONS; daemon++) {
            servers.add(installation.ready(
                    datadir(daemon), daemon == 0 ? null : datadir(0), chain.uri(), List.of("--store", store)));
        }
        payer = client(0)
                .call("generate_standard_address", Map.of())
                .path("address")
                .asText();
        Address address = Address.parse(payer);
        for (int coin = 0; coin < COINS; coin++) {
            chain.faucet(address, Amount.of(COIN));
        }
        chain.mine(1);
        for (int daemon = 0; daemon < DAEMONS; daemon++) {
            WalletdClient client = client(daemon);
            Await.until("the coins have arrived", () -> balance(client) == COINS * COIN);
        }
    }

    private Path datadir(int daemon) {
        return work.resolve("daemon-" + daemon);
    }

    private WalletdClient client(int daemon) throws Exception {
        URI uri = servers.get(daemon).uri();
        return new WalletdClient(
                uri, Files.readString(datadir(0).resolve("token-spend")).strip(), Optional.empty());
    }

    private long balance(WalletdClient client) {
        return client.call("get_balance", Map.of("address", payer))
                .path("balance")
                .asLong();
    }

    private void paced(long everyMillis, IntConsumer call) {
        long next = System.nanoTime();
        for (int number = 0; !isOver.get(); number++) {
            call.accept(number);
            next = Math.max(next + TimeUnit.MILLISECONDS.toNanos(everyMillis), System.nanoTime());
            try {
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void read(int daemon, WalletdClient client) {
        timed(daemon, false, () -> client.call("list_credits", Map.of("limit", 10)));
    }

    private void pay(int daemon, int payerOf, WalletdClient client) {
        int order = orders.incrementAndGet();
        Map<String, Object> payment = Map.of(
                "from",
                payer,
                "outputs",
                List.of(Map.of("to", String.format("%064x", 1_000_000 + order), "amount", 1_000)),
                "client_token",
                "order-" + order);
        newest.set(payerOf, payment);
        timed(daemon, true, () -> client.call("transfer", payment));
    }

    private void timed(int daemon, boolean pays, Runnable call) {
        long began = System.nanoTime();
        boolean failed = false;
        try {
            call.run();
        } catch (RuntimeException e) {
            failed = true;
        }
        calls.add(new Done(daemon, pays, failed, began, System.nanoTime() - began));
    }

    /** Kills a daemon, and compares the calls at the one that survives both kills before and after that. */
    private void kill(int victim, int survivor, String name) throws Exception {
        long before = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(MEASURED.toNanos());
        long killed = System.nanoTime();
        servers.get(victim).running().process().destroyForcibly().waitFor();
        WalletdClient client = client(survivor);
        for (int one = 0; one < PAYERS; one++) {
            Map<String, Object> payment = newest.get(victim * PAYERS + one);
            Await.until("the payment is answered", () -> isAnswered(client, payment));
        }
        Pairs answered = new Pairs();
        answered.add((System.nanoTime() - killed) / 1e6, ALLOWED.toMillis());
        System.out.println(answered.line("payments of " + name + ", killed, answered by another, ms"));
        long untilOver = killed + ALLOWED.toNanos() + MEASURED.toNanos() - System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(Math.max(0, untilOver));
        for (boolean pays : new boolean[] {false, true}) {
            String what = (pays ? "transfer" : "list_credits") + " p99 after " + name + " was killed";
            double usual = p99(survivor, pays, before, killed);
            compare(what + ", µs", p99(survivor, pays, killed + ALLOWED.toNanos(), Long.MAX_VALUE), usual);
            compare("the same within 10 s", p99(survivor, pays, killed, killed + ALLOWED.toNanos()), usual);
        }
    }

    private static boolean isAnswered(WalletdClient client, Map<String, Object> payment) {
        try {
            client.call("transfer", payment);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static void compare(String name, double after, double before) {
        Pairs pair = new Pairs();
        pair.add(after, before);
        System.out.println(pair.line(name));
    }

    /** Microseconds that 99 of 100 calls took at most which began in a time; those that failed count as endless. */
    private double p99(int daemon, boolean pays, long from, long to) {
        double[] micros = calls.stream()
                .filter(call -> call.daemon() == daemon && call.pays() == pays)
                .filter(call -> call.began() >= from && call.began() < to)
                .mapToDouble(call -> call.failed() ? Double.POSITIVE_INFINITY : call.nanos() / 1e3)
                .sorted()
                .toArray();
        return micros[Math.min(micros.length - 1, micros.length * 99 / 100)];
    }
}
