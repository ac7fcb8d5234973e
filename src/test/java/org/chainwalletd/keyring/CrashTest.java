package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.CrashPoint;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that changes a keyring, at every named crash point and at random, and opens the keyring again: what was acknowledged is
 * there, nothing is half there.
 *
 * <p>{@code -Dwalletd.random-kills=200} makes the random part as long as the goals ask for.
 */
class CrashTest {
    private static final int KILLED = 137;
    private static final int RANDOM_KILLS = Integer.getInteger("walletd.random-kills", 3);
    private static final int LARGE = StateFile.PREPARE_FROM + 5;

    @TempDir
    Path folder;

    private Path vault;
    private Set<Address> vaultAddresses;

    /** What the killed process said. */
    private record Told(Map<Address, String> added, Set<Address> announced, Set<Address> deleted, int exit) {}

    @BeforeEach
    void makeVault() throws Exception {
        vault = folder.resolve("vault.hex");
        try (KeyringFixture fixture = new KeyringFixture(folder.resolve("source"))) {
            Keyring source = fixture.open();
            Address first = await(source.generateStandard(Optional.of("v"))).address();
            Address second = await(source.generateIndependent(Optional.empty())).address();
            vaultAddresses = Set.of(first, second);
            Bytes blob = await(source.exportVault(secret("vault")));
            Files.writeString(vault, blob.hex());
        }
    }

    /** First and some later passage of each point; a large keyring takes the other way of writing its state. */
    @TestFactory
    List<DynamicTest> no_crash_point_loses_or_halves_anything() {
        List<DynamicTest> tests = new ArrayList<>();
        for (CrashPoint point : CrashPoint.values()) {
            for (int passage : passagesOf(point)) {
                String armed = point.name() + "#" + passage;
                int base = (point.ordinal() + passage) % 3 == 0 ? LARGE : 0;
                tests.add(DynamicTest.dynamicTest(armed + " with " + base, () -> killAt(armed, base)));
            }
        }
        return tests;
    }

    /** A key of the pool goes the way of every new key. */
    @TestFactory
    List<DynamicTest> no_crash_point_loses_a_key_of_the_pool_or_gives_one_out_twice() {
        return Stream.of(
                        "FILE_TEMP_WRITTEN#7",
                        "FILE_RENAMED#4",
                        "MINT_BEFORE_KEY_FILE#2",
                        "MINT_BEFORE_MNEMONIC_FILE#2",
                        "MINT_BEFORE_STATE#2",
                        "MINT_BEFORE_ANSWER#2")
                .map(armed -> DynamicTest.dynamicTest(armed, () -> {
                    Path wallets = folder.resolve("pool-" + armed.replace('#', '-'));
                    Told told = read(start(wallets, "pool", "-Dwalletd.crash-point=" + armed));
                    assertThat(told.exit()).isEqualTo(KILLED);
                    verify(wallets, 0, told);
                    Told again = read(start(wallets, "pool", "-Dunarmed=1"));
                    assertThat(again.exit()).isZero();
                    assertThat(again.added())
                            .hasSize(3)
                            .doesNotContainKeys(told.added().keySet().toArray(Address[]::new));
                    again.added().putAll(told.added());
                    verify(wallets, 0, again);
                }))
                .toList();
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
                    VAULT_IMPORT_BEFORE_STATE -> new int[] {1};
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
        prepare(wallets, 0);
        Told told = read(start(wallets, "all", "-Dunarmed=1"));
        assertThat(told.exit()).isZero();
        assertThat(told.added()).hasSize(7);
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
            looked = verify(wallets, looked, new Told(added, Set.of(), Set.of(), KILLED));
        }
        assertThat(added).isNotEmpty();
    }

    private void prepare(Path wallets, int base) throws IOException {
        if (base > 0) {
            ManyKeys.write(wallets, base);
        }
    }

    private Process start(Path wallets, String work, String option) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-Xmx256m",
                        option,
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashMain.class.getName(),
                        wallets.toString(),
                        work,
                        vault.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Told read(Process process) throws Exception {
        return readThenKill(process, Integer.MAX_VALUE, 0);
    }

    private static Told readThenKill(Process process, int lines, int thenMicros) throws Exception {
        Map<Address, String> added = new HashMap<>();
        Set<Address> announced = new HashSet<>();
        Set<Address> deleted = new HashSet<>();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            int read = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.matches("[+?-] [0-9a-f]{64}.*")) {
                    Address address = Address.parse(line.substring(2, 66));
                    switch (line.charAt(0)) {
                        case '+' -> added.put(address, line.length() > 67 ? line.substring(67) : "");
                        case '?' -> announced.add(address);
                        default -> deleted.add(address);
                    }
                    if (read++ == lines) {
                        TimeUnit.MICROSECONDS.sleep(thenMicros);
                        process.toHandle().destroyForcibly();
                    }
                }
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Told(added, announced, deleted, process.exitValue());
    }

    /**
     * @param base entries that need no look of their own, because they were there before
     * @return how many keys there are now
     */
    private int verify(Path wallets, int base, Told told) {
        int size;
        try (KeyringFixture fixture = new KeyringFixture(wallets)) {
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
            KeyEntry next = await(keyring.generateStandard(Optional.of("after the crash")));
            await(keyring.close());
            assertThat(fixture.open().list()).hasSize(present.size() + 1).contains(next);
            size = present.size() + 1;
        }
        if (base == 0) {
            assertThat(wallets.resolve("imported").toFile().list((dir, name) -> name.endsWith(".tmp")))
                    .isEmpty();
        }
        return size;
    }

    /** What was noted of a key is as durable as the key. */
    private static void assertBorn(Keyring keyring, Map<Address, String> added) {
        Map<Address, OptionalLong> births = new HashMap<>();
        await(keyring.watch(new SilentEvents())).forEach(key -> births.put(key.address(), key.birth()));
        added.forEach((address, label) -> {
            boolean drawnHere = !label.equals("vault") && !label.equals("imported");
            assertThat(births.get(address))
                    .isEqualTo(drawnHere ? OptionalLong.of(CrashMain.BIRTH) : OptionalLong.empty());
        });
    }

    private static void assertWhole(Keyring keyring, KeyEntry entry) {
        assertThat(entry.publicKey()).isNotNull();
        assertThat(await(keyring.sign(entry.address(), new byte[4])).publicKey())
                .isEqualTo(entry.publicKey());
        await(keyring.revealPhrase(entry.address(), secret(PASSPHRASE))).close();
    }
}
