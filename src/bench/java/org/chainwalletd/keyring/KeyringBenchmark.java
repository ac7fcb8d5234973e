package org.chainwalletd.keyring;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.files.Fence;

/**
 * The keyring's rows of the measured goals: prints {@code name ours floor ratio}, each the median of interleaved pairs of one run.
 *
 * <p>{@code java -cp … org.chainwalletd.keyring.KeyringBenchmark <empty folder> [number of keys, default 100000]}
 */
public final class KeyringBenchmark {
    private static final int PAIRS = 7;
    private static final String PASSPHRASE = "benchmark";
    private static final byte[] SALT = new byte[16];
    private static final int SIGNATURES = 40_000;

    private final ActorTestKit testKit = ActorTestKit.create();
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final ExecutorService crypto = Executors.newFixedThreadPool(cores);
    private final ExecutorService argon2 = Executors.newFixedThreadPool(cores);
    private final ExecutorService disk = Executors.newSingleThreadExecutor();
    private SimpleMeterRegistry metrics;
    private final Path folder;
    private final int many;

    private KeyringBenchmark(Path folder, int many) {
        this.folder = folder;
        this.many = many;
    }

    public static void main(String[] args) throws Exception {
        KeyringBenchmark benchmark =
                new KeyringBenchmark(Path.of(args[0]), args.length > 1 ? Integer.parseInt(args[1]) : 100_000);
        try {
            benchmark.run();
        } finally {
            benchmark.testKit.shutdownTestKit();
            benchmark.crypto.shutdownNow();
            benchmark.argon2.shutdownNow();
            benchmark.disk.shutdownNow();
        }
    }

    private void run() throws Exception {
        generate("small", 100);
        generate("large", many);
        System.out.println("name ours floor ratio");
        starts();
        heap();
        Keyring small = open("small", Argon2.SPECIFIED);
        warmUp(small);
        pooled(small);
        Keyring large = open("large", Argon2.SPECIFIED);
        lists(large);
        mints(small, large);
        unseals(large);
        signatures(large);
        System.out.println("state.json of the large keyring still lists " + large.size() + " keys");
    }

    private void generate(String name, int keys) throws IOException {
        if (!Files.isDirectory(folder.resolve(name))) {
            LargeDatadir.write(folder.resolve(name), keys, PASSPHRASE);
        }
    }

    private Keyring open(String name, Argon2 cost) {
        metrics = new SimpleMeterRegistry();
        KeyringSetup setup = new KeyringSetup(
                ChainProfile.of("chain"),
                folder.resolve(name).resolve("wallets"),
                cost,
                new SecureRandom(),
                InstantSource.system(),
                metrics,
                new KeyringSetup.Executors(crypto, argon2, disk, Executors.newCachedThreadPool()),
                new KeyringSetup.Upkeep(Duration.ofMillis(500), Duration.ofMinutes(10)),
                1_000,
                Fence.NONE,
                Optional.empty());
        return join(Keyring.begin(setup, secret()).under(new Spawner() {
            @Override
            public <T> ActorRef<T> spawn(Behavior<T> behavior, String actor) {
                return testKit.spawn(behavior);
            }
        }));
    }

    /** The whole opening, with its one Argon2id, at both sizes. */
    private void starts() {
        report("start-ms", PAIRS, () -> openAndClose("large"), () -> openAndClose("small"), 1e6);
    }

    private long openAndClose(String name) {
        long start = System.nanoTime();
        Keyring keyring = open(name, Argon2.SPECIFIED);
        long time = System.nanoTime() - start;
        join(keyring.close());
        return time;
    }

    /** What the large keyring takes beyond the small one. */
    private void heap() {
        // Argon2id keeps its memory for the next computation: it must be there already.
        heapOf("small");
        long bytes = (heapOf("large") - heapOf("small")) / many;
        System.out.printf("heap-bytes-per-address %d 300 %.2f%n", bytes, bytes / 300.0);
    }

    /** What comes with the keyring. */
    private long heapOf(String name) {
        long before = usedHeap();
        Keyring keyring = open(name, Argon2.SPECIFIED);
        sleep(3_000);
        long used = usedHeap() - before;
        touch(keyring.list());
        join(keyring.close());
        return used;
    }

    private static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
            sleep(100);
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private void lists(Keyring large) {
        report(
                "list-100k-us",
                21,
                () -> time(() -> touch(large.list())),
                () -> time(() -> touch(new ArrayList<>(large.list()))),
                1e3);
    }

    private static void touch(List<KeyEntry> entries) {
        int labelled = 0;
        for (KeyEntry entry : entries) {
            labelled += entry.label().isPresent() ? 1 : 0;
        }
        if (labelled < 0) {
            throw new AssertionError();
        }
    }

    private void warmUp(Keyring keyring) {
        for (int i = 0; i < 3; i++) {
            join(keyring.generateStandard(Optional.empty()));
            argon2();
        }
    }

    private void mints(Keyring small, Keyring large) {
        report("mint-vs-two-argon2-ms", PAIRS, () -> mint(large), () -> argon2() + argon2(), 1e6);
        long[] smallCosts = new long[3 * PAIRS];
        long[] largeCosts = new long[3 * PAIRS];
        try (Without without = new Without()) {
            for (int i = 0; i < 3 * PAIRS; i++) {
                smallCosts[i] = without.mint("small");
                largeCosts[i] = without.mint("large");
            }
        }
        row("mint-without-argon2-us", median(largeCosts), median(smallCosts), 1e3);
    }

    /** Mints at a negligible Argon2id cost, so that only the keyring's own work is left; its files open with that cost only. */
    private final class Without implements AutoCloseable {
        private static final Argon2 NEGLIGIBLE = new Argon2(8, 1, 1);
        private final Keyring small;
        private final Keyring large;

        Without() {
            copyState("small");
            copyState("large");
            small = open("small-cheap", NEGLIGIBLE);
            large = open("large-cheap", NEGLIGIBLE);
            for (int i = 0; i < 10; i++) {
                mint("small");
                mint("large");
            }
        }

        long mint(String name) {
            sleep(300);
            return KeyringBenchmark.mint(name.equals("small") ? small : large);
        }

        /** See {@link Cheap}. */
        private void copyState(String name) {
            try {
                Path from = folder.resolve(name).resolve("wallets");
                Path to = folder.resolve(name + "-cheap").resolve("wallets");
                if (!Files.isDirectory(to)) {
                    Cheap.copy(from, to, NEGLIGIBLE, PASSPHRASE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            join(small.close());
            join(large.close());
        }
    }

    /** A new key while sealed ones are ready, against the 20 ms of the goal. */
    private void pooled(Keyring keyring) {
        ExecutorService background = Executors.newSingleThreadExecutor();
        int pool = 3 * PAIRS;
        keyring.keepPool(pool, background);
        while (metrics.get("walletd.keyring.pool.keys").gauge().value() < pool) {
            sleep(100);
        }
        long[] costs = new long[pool - 1];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = mint(keyring);
        }
        keyring.keepPool(0, background);
        background.shutdown();
        row("pool-mint-vs-20-ms", median(costs), Duration.ofMillis(20).toNanos(), 1e6);
    }

    private static long mint(Keyring keyring) {
        return time(() -> join(keyring.generateStandard(Optional.of("minted"))));
    }

    private void unseals(Keyring large) {
        AtomicInteger next = new AtomicInteger();
        report(
                "unseal-vs-one-argon2-ms",
                PAIRS,
                () -> time(() ->
                        join(large.sign(large.list().get(next.getAndIncrement()).address(), new byte[100]))),
                KeyringBenchmark::argon2,
                1e6);
    }

    private void signatures(Keyring large) {
        KeyEntry entry = large.list().get(0);
        SigningKey bare = SigningKey.takeOver(SecretBytes.takeOver(new byte[32]));
        byte[] message = new byte[200];
        report(
                "sign-ns",
                PAIRS,
                () -> throughput(reply -> large.sign(entry.address(), message)
                        .whenCompleteAsync((signature, failure) -> reply.run(), Runnable::run)),
                () -> throughput(reply -> crypto.execute(() -> {
                    bare.sign(message);
                    reply.run();
                })),
                SIGNATURES);
    }

    private interface Signing {
        void begin(Runnable reply);
    }

    private static long throughput(Signing signing) {
        CountDownLatch left = new CountDownLatch(SIGNATURES);
        Semaphore inFlight = new Semaphore(256);
        long start = System.nanoTime();
        try {
            for (int i = 0; i < SIGNATURES; i++) {
                inFlight.acquire();
                signing.begin(() -> {
                    inFlight.release();
                    left.countDown();
                });
            }
            left.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return System.nanoTime() - start;
    }

    private static long argon2() {
        return time(() -> Argon2.SPECIFIED
                .derive(PASSPHRASE.getBytes(StandardCharsets.UTF_8), SALT)
                .close());
    }

    private static void report(String name, int pairs, LongSupplier ours, LongSupplier floor, double unit) {
        long[] mine = new long[pairs];
        long[] theirs = new long[pairs];
        for (int i = -1; i < pairs; i++) {
            long one = ours.getAsLong();
            long other = floor.getAsLong();
            // The first pair only warms up.
            if (i >= 0) {
                mine[i] = one;
                theirs[i] = other;
            }
        }
        row(name, median(mine), median(theirs), unit);
    }

    private static void row(String name, long ours, long floor, double unit) {
        System.out.printf("%s %.1f %.1f %.2f%n", name, ours / unit, floor / unit, (double) ours / floor);
    }

    private static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static long time(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    private static SecretBytes secret() {
        return SecretBytes.takeOver(PASSPHRASE.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T join(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        return future.join();
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
