package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.created;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.StateFile;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks a keyring as a kill at every named crash point would leave it, and kills processes that change one, at crash points and at random. When it
 * is opened again, everything acknowledged is there, and nothing is incomplete.
 *
 * <p>{@code -Dwalletd.crash-points=all} checks each passage and kills a process at each point; {@code -Dwalletd.random-kills=200} makes the random
 * part as long as specified.
 */
@Tag("long")
@Walks({
    CrashPoint.FILE_TEMP_WRITTEN,
    CrashPoint.FILE_RENAMED,
    CrashPoint.MINT_BEFORE_KEY_FILE,
    CrashPoint.MINT_BEFORE_MNEMONIC_FILE,
    CrashPoint.MINT_BEFORE_STATE,
    CrashPoint.MINT_BEFORE_ANSWER,
    CrashPoint.IMPORT_BEFORE_STATE,
    CrashPoint.DELETE_BEFORE_STATE,
    CrashPoint.DELETE_BEFORE_FILES,
    CrashPoint.VAULT_IMPORT_BETWEEN_KEYS,
    CrashPoint.VAULT_IMPORT_BEFORE_STATE,
    CrashPoint.EVM_KEY_BEFORE_FILES,
    CrashPoint.EVM_KEY_BEFORE_KEY_FILE,
    CrashPoint.EVM_KEY_BEFORE_STATE,
    CrashPoint.EVM_KEY_BEFORE_ANSWER,
    CrashPoint.EVM_DELETE_BEFORE_STATE,
    CrashPoint.EVM_DELETE_BEFORE_FILES
})
class CrashTest {
    private static final int KILLED = 137;
    private static final int RANDOM_KILLS = Integer.getInteger("walletd.random-kills", 1);
    private static final boolean ALL =
            System.getProperty("walletd.crash-points", "").equals("all");
    /** Interval between the checked passages of each file. */
    private static final int FILES = ALL ? 1 : 9;

    private static final CrashPoint[] SOME = {CrashPoint.DELETE_BEFORE_FILES, CrashPoint.EVM_KEY_BEFORE_STATE};
    private static final int LARGE = StateFile.PREPARE_FROM + 5;

    @AutoClose
    private static KeyringFixture host;

    @TempDir
    Path folder;

    private Path vault;
    private Set<Address> vaultAddresses;

    /** Output of the killed process. */
    private record Told(
            Map<Address, String> added, Set<Address> announced, Set<Address> deleted, EvmTold evm, int exit) {
        Told lookedAtBefore() {
            return new Told(added, announced, deleted, EvmTold.UNKNOWN, exit);
        }
    }

    /**
     * Output of the killed process about account-chain keys.
     *
     * @param kept acknowledged keys that must not be deleted
     * @param current the last acknowledged key; empty also after its deletion
     * @param settled whether no change was begun since
     */
    private record EvmTold(Set<EvmAddress> kept, Optional<EvmAddress> current, boolean settled) {
        static final EvmTold NOTHING = new EvmTold(Set.of(), Optional.empty(), true);
        /** Output for a folder that was checked before, which leaves a key. */
        static final EvmTold UNKNOWN = new EvmTold(Set.of(), Optional.empty(), false);

        EvmTold and(char kind, String what) {
            Set<EvmAddress> now = new HashSet<>(kept);
            if (kind == '+') {
                now.add(EvmAddress.parse(what));
                return new EvmTold(now, Optional.of(EvmAddress.parse(what)), true);
            }
            if (kind == '-') {
                return new EvmTold(now, Optional.empty(), true);
            }
            if (what.startsWith("0x")) {
                now.remove(EvmAddress.parse(what));
            }
            return new EvmTold(now, current, false);
        }
    }

    @BeforeAll
    static void startThreads(@TempDir Path nowhere) {
        host = new KeyringFixture(nowhere);
    }

    @BeforeEach
    void makeVault() throws Exception {
        vault = folder.resolve("vault.hex");
        try (KeyringFixture fixture = new KeyringFixture(folder.resolve("source"), host)) {
            Keyring source = fixture.open();
            Address first = minted(source, "v").address();
            Address second = await(source.generateIndependent(Optional.empty())).address();
            vaultAddresses = Set.of(first, second);
            Bytes blob = vault(source);
            Files.writeString(vault, blob.hex());
        }
    }

    /** A large keyring writes its state in another way. */
    @ParameterizedTest
    @ValueSource(ints = {0, LARGE})
    void a_kill_at_any_crash_point_loses_or_halves_nothing(int base) throws Exception {
        Path wallets = folder.resolve("photographed");
        prepare(wallets, base);
        List<CrashPhotographs.Photograph> photographs = photographed(wallets, "all", ALL ? 1 : base == 0 ? 2 : 3);
        Set<String> points = photographs.stream()
                .map(photograph -> photograph.name().replaceAll("-.*", ""))
                .collect(Collectors.toSet());
        assertThat(points)
                .containsAll(Stream.of(CrashPoint.values())
                        .filter(CrashTest::isOurs)
                        .map(Enum::name)
                        .toList());
        for (CrashPhotographs.Photograph photograph : photographs) {
            checked(photograph, () -> verify(photograph.wallets(), base, told(photograph.said(), KILLED)));
        }
    }

    /** A key of the pool is stored like every new key. */
    @Test
    void a_kill_at_any_crash_point_loses_no_key_of_the_pool_and_gives_none_out_twice() throws Exception {
        for (CrashPhotographs.Photograph photograph : photographed(folder.resolve("pool"), "pool", ALL ? 1 : 3)) {
            checked(photograph, () -> {
                Told told = told(photograph.said(), KILLED);
                verify(photograph.wallets(), 0, told);
                List<String> said = new ArrayList<>();
                try (KeyringFixture fixture = new KeyringFixture(photograph.wallets(), host)) {
                    CrashMain.run(fixture, "pool", vault, said::add);
                }
                Told again = told(said, 0).lookedAtBefore();
                assertThat(again.added())
                        .hasSize(3)
                        .doesNotContainKeys(told.added().keySet().toArray(Address[]::new));
                again.added().putAll(told.added());
                verify(photograph.wallets(), 0, again);
            });
        }
    }

    /** @param every interval between the checked passages of each point; the first one is always checked */
    private List<CrashPhotographs.Photograph> photographed(Path wallets, String work, int every) throws IOException {
        ExecutorService disk =
                Executors.newSingleThreadExecutor(task -> new Thread(task, KeyringFixture.threadName(wallets)));
        try (KeyringFixture fixture = new KeyringFixture(wallets).disk(disk);
                CrashPhotographs camera = new CrashPhotographs(
                        wallets,
                        folder.resolve("album"),
                        (point, passage) -> (passage - 1) % (isOfFiles(point) ? FILES : every) == 0)) {
            CrashMain.run(fixture, work, vault, camera::say);
            return camera.photographs();
        } finally {
            disk.shutdownNow();
        }
    }

    @FunctionalInterface
    private interface Look {
        void at() throws Exception;
    }

    private static void checked(CrashPhotographs.Photograph photograph, Look look) {
        try {
            look.at();
        } catch (Exception | AssertionError e) {
            throw new AssertionError("after a kill at " + photograph.name(), e);
        }
    }

    @Test
    void each_point_of_the_walk_has_passages() {
        assertThat(CrashPoint.values()).allMatch(point -> isOurs(point) == passagesOf(point).length > 0);
    }

    private static boolean isOurs(CrashPoint point) {
        return List.of(CrashTest.class.getAnnotation(Walks.class).value()).contains(point);
    }

    private static boolean isOfFiles(CrashPoint point) {
        return point == CrashPoint.FILE_TEMP_WRITTEN || point == CrashPoint.FILE_RENAMED;
    }

    /** The copies simulate kills; these are some real ones. */
    @TestFactory
    List<DynamicTest> a_killed_process_loses_or_halves_nothing() {
        List<DynamicTest> tests = new ArrayList<>();
        for (CrashPoint point : ALL ? CrashPoint.values() : SOME) {
            for (int passage : ALL ? passagesOf(point) : new int[] {1}) {
                String armed = point.name() + "#" + passage;
                int base = (point.ordinal() + passage) % 3 == 0 ? LARGE : 0;
                tests.add(DynamicTest.dynamicTest(armed + " with " + base, () -> killAt(armed, base)));
            }
        }
        return tests;
    }

    private static int[] passagesOf(CrashPoint point) {
        return switch (point) {
            case FILE_TEMP_WRITTEN, FILE_RENAMED -> new int[] {2, 4, 9, 17};
            case MINT_BEFORE_KEY_FILE, MINT_BEFORE_MNEMONIC_FILE -> new int[] {1, 4, 6};
            case MINT_BEFORE_STATE, MINT_BEFORE_ANSWER -> new int[] {1, 2, 3};
            case IMPORT_BEFORE_STATE,
                    DELETE_BEFORE_STATE,
                    DELETE_BEFORE_FILES,
                    VAULT_IMPORT_BETWEEN_KEYS,
                    VAULT_IMPORT_BEFORE_STATE,
                    EVM_DELETE_BEFORE_STATE,
                    EVM_DELETE_BEFORE_FILES -> new int[] {1};
            case EVM_KEY_BEFORE_FILES, EVM_KEY_BEFORE_KEY_FILE, EVM_KEY_BEFORE_STATE, EVM_KEY_BEFORE_ANSWER ->
                new int[] {1, 2};
            default -> new int[0];
        };
    }

    private void killAt(String armed, int base) throws Exception {
        Path wallets = folder.resolve(armed.replace('#', '-'));
        prepare(wallets, base);
        Process process = start(wallets, "all", "-Dwalletd.crash-point=" + armed);
        Told told = read(process);
        assertThat(told.exit()).as("the process was killed at " + armed).isEqualTo(KILLED);
        verify(wallets, base, told);
    }

    @Test
    void an_undisturbed_run_keeps_everything() throws Exception {
        Path wallets = folder.resolve("undisturbed");
        List<String> said = new ArrayList<>();
        try (KeyringFixture fixture = new KeyringFixture(wallets, host)) {
            CrashMain.run(fixture, "all", vault, said::add);
        }
        Told told = told(said, 0);
        assertThat(told.added()).hasSize(7);
        assertThat(told.evm().kept()).hasSize(1);
        verify(wallets, 0, told);
    }

    @Test
    void killed_at_any_moment_nothing_acknowledged_is_lost() throws Exception {
        long seed = Long.getLong("walletd.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path wallets = folder.resolve("random");
        Map<Address, String> added = new HashMap<>();
        int looked = 0;
        for (int i = 0; i < RANDOM_KILLS; i++) {
            Process process = start(wallets, "mint", "-Dunarmed=1");
            int lines = random.nextInt(40);
            Told told = readThenKill(process, lines, random.nextInt(3_000));
            added.putAll(told.added());
            looked = verify(wallets, looked, new Told(added, Set.of(), Set.of(), EvmTold.UNKNOWN, KILLED));
        }
        assertThat(added).isNotEmpty();
    }

    private void prepare(Path wallets, int base) throws IOException {
        if (base > 0) {
            ManyKeys.write(wallets, base);
        }
    }

    private Process start(Path wallets, String work, String option) throws IOException {
        return ChildJvm.of(List.of("-Xshare:auto", "-Xmx256m", option), CrashMain.class, wallets, work, vault)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Told read(Process process) throws Exception {
        return readThenKill(process, Integer.MAX_VALUE, 0);
    }

    private static Told readThenKill(Process process, int lines, int thenMicros) throws Exception {
        List<String> said = new ArrayList<>();
        try (BufferedReader reader = Await.reader(process)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                said.add(line);
                if (said.size() == lines + 1) {
                    TimeUnit.MICROSECONDS.sleep(thenMicros);
                    process.toHandle().destroyForcibly();
                }
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return told(said, process.exitValue());
    }

    private static Told told(List<String> said, int exit) {
        Map<Address, String> added = new HashMap<>();
        Set<Address> announced = new HashSet<>();
        Set<Address> deleted = new HashSet<>();
        EvmTold evm = EvmTold.NOTHING;
        for (String line : said) {
            if (line.matches("evm [+?-] .*")) {
                evm = evm.and(line.charAt(4), line.substring(6));
            } else if (line.matches("[+?-] [0-9a-f]{64}.*")) {
                Address address = Address.parse(line.substring(2, 66));
                switch (line.charAt(0)) {
                    case '+' -> added.put(address, line.length() > 67 ? line.substring(67) : "");
                    case '?' -> announced.add(address);
                    default -> deleted.add(address);
                }
            }
        }
        return new Told(added, announced, deleted, evm, exit);
    }

    /**
     * @param base number of entries that are not checked, because they existed before
     * @return number of keys now
     */
    private int verify(Path wallets, int base, Told told) {
        int size;
        try (KeyringFixture fixture = new KeyringFixture(wallets, host)) {
            Keyring keyring = fixture.open();
            Map<Address, KeyEntry> present = new HashMap<>();
            keyring.list().forEach(entry -> present.put(entry.address(), entry));
            assertThat(present).hasSameSizeAs(keyring.list());

            told.added().keySet().removeAll(told.announced());
            assertThat(present.keySet())
                    .as("acknowledged")
                    .containsAll(told.added().keySet());
            assertThat(present.keySet()).as("deleted").noneMatch(told.deleted()::contains);
            assertThat(vaultAddresses.stream().filter(present::containsKey).count())
                    .as("the vault came whole or not at all")
                    .isIn(0L, 2L);
            told.added().forEach((address, label) -> {
                if (!label.equals("vault")) {
                    assertThat(present.get(address).label().orElse("")).isEqualTo(label);
                }
            });
            assertBorn(keyring, told.added());
            for (KeyEntry entry : keyring.list().subList(base, keyring.size())) {
                assertWhole(keyring, entry);
            }
            KeyEntry next = minted(keyring, "after the crash");
            EvmAddress another = assertEvmKeys(keyring.evm(), told.evm());
            Keyring again = fixture.reopened(keyring);
            assertThat(again.list()).hasSize(present.size() + 1).contains(next);
            assertThat(await(again.evm().current())).contains(another);
            assertThat(await(again.evm().kept())).containsAll(told.evm().kept());
            await(again.close());
            size = present.size() + 1;
        }
        if (base == 0) {
            assertThat(wallets.resolve("imported").toFile().list((dir, name) -> name.endsWith(".tmp")))
                    .isEmpty();
        }
        return size;
    }

    /** @return the address of a key that replaced the current one */
    private static EvmAddress assertEvmKeys(EvmCustody evm, EvmTold told) {
        Optional<EvmAddress> current = await(evm.current());
        List<EvmAddress> kept = await(evm.kept());
        assertThat(kept).containsAll(told.kept());
        if (told.settled()) {
            assertThat(current).isEqualTo(told.current());
        }
        kept.forEach(address -> await(evm.sign(address, new byte[32])));
        if (current.isPresent()) {
            await(evm.revealPhrase(secret(PASSPHRASE))).close();
        }
        EvmAddress another = created(evm, FORCED);
        assertThat(await(evm.kept())).containsAll(kept).first().isEqualTo(another);
        return another;
    }

    /** Asserts that the notes of a key are as durable as the key. */
    private static void assertBorn(Keyring keyring, Map<Address, String> added) {
        Map<Address, OptionalLong> births = new HashMap<>();
        await(keyring.keys()).forEach(key -> births.put(key.address(), key.birth()));
        added.forEach((address, label) -> {
            boolean drawnHere = !label.equals("vault") && !label.equals("imported");
            assertThat(births.get(address))
                    .isEqualTo(drawnHere ? OptionalLong.of(CrashMain.BIRTH) : OptionalLong.empty());
        });
    }

    private static void assertWhole(Keyring keyring, KeyEntry entry) {
        assertThat(entry.publicKey()).isPresent();
        assertThat(await(keyring.sign(entry.address(), new byte[4])).publicKey())
                .isEqualTo(entry.knownPublicKey());
        await(keyring.revealPhrase(entry.address(), secret(PASSPHRASE))).close();
    }

    /**
     * Copies a wallet folder at each crash point that a keyring passes: the state that a kill at that moment would leave to the next process. Other
     * writers wait at their next crash point until the copy is made. A writer that has just passed a point may still rename or delete a file
     * meanwhile; then the copy is made again. A kill -9 removes nothing from a copied file, because written data belongs to the kernel.
     */
    private static final class CrashPhotographs implements CrashPoint.Watcher, AutoCloseable {
        private static final int MOST_TRIES = 100;

        private final Path wallets;
        private final Path album;
        private final BiPredicate<CrashPoint, Integer> chosen;
        private final Map<CrashPoint, Integer> passages = new EnumMap<>(CrashPoint.class);
        private final List<Photograph> photographs = new ArrayList<>();
        private final List<String> said = new ArrayList<>();

        /**
         * State of the folder at one moment.
         *
         * @param said output before it
         */
        record Photograph(String name, Path wallets, List<String> said) {}

        /** @param chosen selects passages by crash point and number, from 1 */
        CrashPhotographs(Path wallets, Path album, BiPredicate<CrashPoint, Integer> chosen) {
            this.wallets = wallets;
            this.album = album;
            this.chosen = chosen;
            CrashPoint.watch(this);
        }

        synchronized void say(String line) {
            said.add(line);
        }

        synchronized List<Photograph> photographs() {
            return List.copyOf(photographs);
        }

        @Override
        public synchronized void at(CrashPoint point) {
            if (!Thread.currentThread().getName().equals(KeyringFixture.threadName(wallets))) {
                return;
            }
            int passage = passages.merge(point, 1, Integer::sum);
            if (chosen.test(point, passage)) {
                String name = point + "-" + passage;
                Path copy = album.resolve(name);
                copy(copy);
                photographs.add(new Photograph(name, copy, List.copyOf(said)));
            }
        }

        private void copy(Path target) {
            for (int tries = 1; ; tries++) {
                try {
                    copyOnce(target);
                    return;
                } catch (UncheckedIOException | IOException e) {
                    boolean moved = e instanceof NoSuchFileException || e.getCause() instanceof NoSuchFileException;
                    if (!moved || tries == MOST_TRIES) {
                        throw new AssertionError("no photograph of " + wallets, e);
                    }
                }
            }
        }

        private void copyOnce(Path target) throws IOException {
            delete(target);
            try (Stream<Path> files = Files.walk(wallets)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    Path to = target.resolve(wallets.relativize(file).toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(to);
                    } else if (file.toString().endsWith(".enc")) {
                        // Never written in place, only renamed over.
                        Files.createLink(to, file);
                    } else {
                        Files.copy(file, to);
                    }
                }
            }
            OwnFiles.of(target);
        }

        private static void delete(Path tree) throws IOException {
            if (Files.exists(tree)) {
                try (Stream<Path> files = Files.walk(tree)) {
                    for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                        Files.delete(file);
                    }
                }
            }
        }

        @Override
        public void close() {
            CrashPoint.watch(null);
        }
    }
}
