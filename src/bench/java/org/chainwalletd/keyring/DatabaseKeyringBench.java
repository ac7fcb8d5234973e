package org.chainwalletd.keyring;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.TableStore;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.files.Fence;
import org.chainwalletd.store.postgres.PostgresStore;
import org.chainwalletd.store.postgres.SharedStores;

/**
 * A keyring in a PostgreSQL database of this machine, a large one beside one of 100 keys: the move of a wallet folder, the start, and new keys. Prints
 * {@code name large small ratio}, medians of interleaved pairs.
 *
 * <p>{@code java -cp … org.chainwalletd.keyring.DatabaseKeyringBench [number of keys, default 100000]}
 */
public final class DatabaseKeyringBench {
    private static final int PAIRS = 7;
    private static final int SMALL = 100;
    private static final int AT_ONCE = 32;
    private static final int MINTS = 2_000;
    private static final String PASSPHRASE = "benchmark";
    /** Cost that leaves only the keyring's own work of a mint. */
    private static final Argon2 NEGLIGIBLE = new Argon2(8, 1, 1);

    private final ActorTestKit testKit = ActorTestKit.create();
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final ExecutorService crypto = Executors.newFixedThreadPool(cores);
    private final ExecutorService argon2 = Executors.newFixedThreadPool(cores);
    private final ExecutorService rows = Executors.newFixedThreadPool(4);
    private final ExecutorService flows = Executors.newCachedThreadPool();
    private final Path folder;

    /** A database with a keyring, and the datadir of its daemon. */
    private final class Place implements AutoCloseable {
        private final Path datadir;
        private final SharedStores stores = new SharedStores();
        private PostgresStore store;

        Place(String name) {
            datadir = folder.resolve(name);
            store = stores.open(datadir);
        }

        KeyringSetup setup(Argon2 cost) {
            return new KeyringSetup(
                    ChainProfile.of("chain"),
                    datadir.resolve("wallets"),
                    cost,
                    new SecureRandom(),
                    InstantSource.system(),
                    new SimpleMeterRegistry(),
                    new KeyringSetup.Executors(crypto, argon2, rows, flows),
                    new KeyringSetup.Upkeep(Duration.ofHours(1), Duration.ofHours(1)),
                    1_000,
                    Fence.NONE,
                    Optional.empty());
        }

        /** Enters the keys of a folder that is made before; returns the time of the move alone. */
        long move(int keys) throws IOException {
            LargeDatadir.write(datadir, keys, PASSPHRASE);
            KeyringSetup setup = setup(Argon2.SPECIFIED);
            long begun = System.nanoTime();
            new TableStore(store.keys()).takeIn(new FolderStore(setup), setup.wallets());
            return System.nanoTime() - begun;
        }

        /** Opens store and keyring as a start does, with its one Argon2id. */
        long start() {
            store.close();
            long begun = System.nanoTime();
            store = stores.open(datadir);
            Keyring keyring = open(Argon2.SPECIFIED);
            long time = System.nanoTime() - begun;
            join(keyring.close());
            return time;
        }

        Keyring open(Argon2 cost) {
            KeyringStore table = new TableStore(store.keys());
            return join(Keyring.begin(setup(cost).withStore(() -> table), secret())
                    .under(new Spawner() {
                        @Override
                        public <T> ActorRef<T> spawn(Behavior<T> behavior, String actor) {
                            return testKit.spawn(behavior);
                        }
                    }));
        }

        /** Seals those keys anew that an opening tries; all others open no more. */
        void makeCheap() {
            TableStore table = new TableStore(store.keys());
            Sealer sealer = new Sealer(ChainProfile.of("chain"), NEGLIGIBLE, new SecureRandom());
            List<SealedPlace> tried = new ArrayList<>();
            table.someSealed().ifPresent(tried::add);
            table.load().view().entries().stream()
                    .limit(2)
                    .forEach(entry -> tried.add(SealedPlace.key(entry.address())));
            try (SecretBytes phrase = secret();
                    SecretBytes any = sealer.newSecret()) {
                tried.forEach(place -> table.write(place, sealer.seal(Sealer.Role.IMPORTED, phrase, any)));
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private DatabaseKeyringBench(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        DatabaseKeyringBench bench = new DatabaseKeyringBench(Files.createTempDirectory("keyring-bench"));
        try {
            bench.run(args.length > 0 ? Integer.parseInt(args[0]) : 100_000);
        } finally {
            bench.testKit.shutdownTestKit();
            List.of(bench.crypto, bench.argon2, bench.rows, bench.flows).forEach(ExecutorService::shutdownNow);
        }
    }

    private void run(int keys) throws IOException {
        try (Place large = new Place("large");
                Place small = new Place("small")) {
            System.out.println("name large small ratio");
            row("move-ms", new long[] {large.move(keys)}, new long[] {small.move(SMALL)});
            long[] largeStarts = new long[PAIRS];
            long[] smallStarts = new long[PAIRS];
            // The first pair only warms up.
            for (int i = -1; i < PAIRS; i++) {
                largeStarts[Math.max(i, 0)] = large.start();
                smallStarts[Math.max(i, 0)] = small.start();
            }
            row("start-ms", largeStarts, smallStarts);
            mints(large, small);
        }
    }

    private void mints(Place large, Place small) {
        large.makeCheap();
        small.makeCheap();
        Keyring ofLarge = large.open(NEGLIGIBLE);
        Keyring ofSmall = small.open(NEGLIGIBLE);
        int pairs = 20 * PAIRS;
        long[] largeCosts = new long[pairs];
        long[] smallCosts = new long[pairs];
        for (int i = -20; i < pairs; i++) {
            largeCosts[Math.max(i, 0)] = mint(ofLarge);
            smallCosts[Math.max(i, 0)] = mint(ofSmall);
        }
        row("mint-without-argon2-ms", largeCosts, smallCosts);
        double ratesOfLarge = rate(ofLarge);
        double ratesOfSmall = rate(ofSmall);
        System.out.printf(
                "mints-per-second-without-argon2 %.0f %.0f %.2f%n",
                ratesOfLarge, ratesOfSmall, ratesOfLarge / ratesOfSmall);
        join(ofLarge.close());
        join(ofSmall.close());
    }

    private static long mint(Keyring keyring) {
        long begun = System.nanoTime();
        join(keyring.generateStandard(Optional.of("minted")));
        return System.nanoTime() - begun;
    }

    /** New keys for callers that come at once. */
    private static double rate(Keyring keyring) {
        Semaphore free = new Semaphore(AT_ONCE);
        List<CompletableFuture<?>> mints = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 0; i < MINTS; i++) {
            free.acquireUninterruptibly();
            mints.add(keyring.generateStandard(Optional.empty())
                    .whenCompleteAsync((key, failure) -> free.release(), Runnable::run)
                    .toCompletableFuture());
        }
        mints.forEach(CompletableFuture::join);
        return MINTS * 1e9 / (System.nanoTime() - begun);
    }

    private static void row(String name, long[] large, long[] small) {
        System.out.printf(
                "%s %.1f %.1f %.2f%n", name, median(large) / 1e6, median(small) / 1e6, median(large) / median(small));
    }

    private static double median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static SecretBytes secret() {
        return SecretBytes.takeOver(PASSPHRASE.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
