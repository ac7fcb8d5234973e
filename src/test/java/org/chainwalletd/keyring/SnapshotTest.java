package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyFolder;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.PublicKeyFiles;
import org.chainwalletd.keyring.store.Snapshot;
import org.chainwalletd.keyring.store.StateFile;
import org.chainwalletd.keyring.store.StateReader;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code state.json} alone determines which keys exist; a snapshot only makes reading it faster. */
@Tag("long")
class SnapshotTest {
    private static final String EVM_KEY =
            "{\"address\":\"0x" + "ab".repeat(20) + "\",\"created_at\":1700000000,\"source\":\"Generated\"}";

    @TempDir
    Path datadir;

    private Path wallets;
    private KeyFolder folder;

    @AutoClose
    private KeyringFixture fixture;

    @BeforeEach
    void begin() {
        wallets = datadir.resolve("wallets");
        folder = new KeyFolder(wallets);
        fixture = new KeyringFixture(wallets).upkeep(Duration.ofDays(1), Duration.ofDays(1));
    }

    private Optional<KeyringView> read() {
        return new Snapshot(folder).read();
    }

    /** Writes legacy HD keys, labels with every kind of character, unknown members, and keys whose public key is unknown. */
    private KeyringView writeMixed(int keys) throws Exception {
        Random random = Seeded.random("mixed keyring");
        List<KeyEntry> entries = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            boolean derived = i < keys / 3;
            entries.add(new KeyEntry(
                    Address.of(Seeded.bytes(random, 32)),
                    Optional.of(PublicKey.of(Seeded.bytes(random, 32))),
                    derived ? OptionalLong.of(i * 1_000_000L) : OptionalLong.empty(),
                    random.nextInt(3) == 0 ? Optional.of("\"ä\\ 😀" + i) : Optional.empty(),
                    !derived || random.nextInt(4) == 0));
        }
        folder.create();
        new PublicKeyFiles(folder.publicKeys()).add(entries.subList(0, keys - 7));
        Map<String, byte[]> members = Map.of(
                "future", "{\"a\":[1.50,null]}".getBytes(StandardCharsets.UTF_8),
                "evm_key", EVM_KEY.getBytes(StandardCharsets.US_ASCII));
        KeyringView view = KeyringView.of(entries, 0xffff_ffffL, members);
        new StateFile(folder.state()).write(view, false);
        return StateReader.read(Files.readAllBytes(folder.state()), new PublicKeyFiles(folder.publicKeys()).load());
    }

    private static void assertSame(KeyringView actual, KeyringView expected) {
        assertThat(actual.entries()).isEqualTo(expected.entries());
        assertThat(actual.nextIndex()).isEqualTo(expected.nextIndex());
        assertThat(actual.unknownMembers().keySet())
                .isEqualTo(expected.unknownMembers().keySet());
        actual.unknownMembers()
                .forEach((name, json) ->
                        assertThat(json).isEqualTo(expected.unknownMembers().get(name)));
    }

    @Test
    void a_snapshot_says_what_the_state_says() throws Exception {
        KeyringView expected = writeMixed(1_500);
        assertThat(read()).isEmpty();
        new Snapshot(folder).write();
        assertSame(read().orElseThrow(), expected);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.snapshot())))
                .isEqualTo("rw-------");
    }

    @Test
    void a_snapshot_that_is_damaged_anywhere_counts_for_nothing() throws Exception {
        writeMixed(1_000);
        new Snapshot(folder).write();
        byte[] whole = Files.readAllBytes(folder.snapshot());
        Random random = Seeded.random("damaged snapshots");
        for (int i = 0; i < 300; i++) {
            byte[] damaged = switch (random.nextInt(3)) {
                case 0 -> Arrays.copyOf(whole, random.nextInt(whole.length));
                case 1 -> Arrays.copyOf(whole, whole.length + 1 + random.nextInt(100));
                default -> {
                    byte[] flipped = whole.clone();
                    int at = i < 100 ? i : random.nextInt(flipped.length);
                    flipped[at] ^= (byte) (1 << random.nextInt(8));
                    yield flipped;
                }
            };
            Files.write(folder.snapshot(), damaged);
            assertThat(read()).as("round " + i).isEmpty();
        }
        Files.write(folder.snapshot(), whole);
        assertThat(read()).isPresent();
    }

    @Test
    void a_snapshot_with_a_damaged_record_of_the_account_chain_key_is_ignored() throws Exception {
        writeMixed(1_000);
        new Snapshot(folder).write();
        byte[] whole = Files.readAllBytes(folder.snapshot());
        int at = new String(whole, StandardCharsets.ISO_8859_1).indexOf(EVM_KEY);
        assertThat(at).isPositive();
        for (int i = at; i < at + EVM_KEY.length(); i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 1;
            Files.write(folder.snapshot(), damaged);
            assertThat(read()).as("byte " + i).isEmpty();
        }
    }

    @Test
    void a_snapshot_of_other_bytes_than_the_state_counts_for_nothing() throws Exception {
        writeMixed(1_000);
        new Snapshot(folder).write();
        byte[] state = Files.readAllBytes(folder.state());
        Random random = Seeded.random("changed states");
        for (int i = 0; i < 100; i++) {
            byte[] changed = state.clone();
            changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(folder.state(), changed);
            assertThat(read()).as("round " + i).isEmpty();
        }
        Files.write(folder.state(), Arrays.copyOf(state, state.length + 1));
        assertThat(read()).isEmpty();
        Files.write(folder.state(), state);
        assertThat(read()).isPresent();
    }

    @Test
    void the_snapshot_of_another_keyring_adds_and_hides_nothing() throws Exception {
        List<KeyEntry> mine = ManyKeys.write(wallets, Snapshot.FROM);
        Path other = datadir.resolve("other");
        ManyKeys.writeOthers(other, Snapshot.FROM);
        KeyFolder others = new KeyFolder(other);
        new Snapshot(others).write();
        Files.copy(others.snapshot(), folder.snapshot());
        assertThat(fixture.open().list()).isEqualTo(mine);
    }

    @Test
    void a_snapshot_comes_soon_after_the_start_and_again_with_the_next_upkeep() throws Exception {
        ManyKeys.write(wallets, Snapshot.FROM);
        try (KeyringFixture often = new KeyringFixture(wallets).upkeep(Duration.ZERO, Duration.ofMillis(20))) {
            Keyring keyring = often.open();
            KeyringFixture.eventually(() -> read().isPresent());
            minted(keyring, "later");
            KeyringFixture.eventually(() ->
                    read().filter(view -> view.size() == Snapshot.FROM + 1).isPresent());
        }
    }

    @Test
    void closing_leaves_a_snapshot_of_everything() throws Exception {
        List<KeyEntry> expected = new ArrayList<>(ManyKeys.write(wallets, Snapshot.FROM));
        Keyring keyring = fixture.open();
        expected.add(minted(keyring, "one more"));
        await(keyring.close());
        assertThat(read().orElseThrow().entries()).isEqualTo(expected);
    }

    /** Simulates a kill between the two writes: the state is newer. */
    @Test
    void a_stale_snapshot_hides_no_key_and_brings_none_back() throws Exception {
        List<KeyEntry> expected = new ArrayList<>(ManyKeys.write(wallets, Snapshot.FROM + 1));
        new Snapshot(folder).write();
        Path stale = datadir.resolve("stale");
        Files.copy(folder.snapshot(), stale);
        Keyring keyring = fixture.open();
        KeyEntry gone = expected.remove(10);
        delete(keyring, gone.address());
        expected.add(minted(keyring, "new"));
        await(keyring.close());
        Files.copy(stale, folder.snapshot(), StandardCopyOption.REPLACE_EXISTING);

        assertThat(fixture.open().list()).isEqualTo(expected);
    }

    @Test
    void a_keyring_that_was_opened_from_its_snapshot_continues_like_any_other() throws Exception {
        List<KeyEntry> expected = new ArrayList<>(ManyKeys.write(wallets, Snapshot.FROM + 30));
        new Snapshot(folder).write();
        Keyring keyring = fixture.open();
        expected.add(minted(keyring, "ä"));
        KeyEntry gone = expected.remove(5);
        delete(keyring, gone.address());
        assertThat(await(keyring.find(gone.address()))).isEmpty();
        expected.add(await(keyring.generateIndependent(Optional.empty())));
        for (KeyEntry entry : expected) {
            assertThat(await(keyring.find(entry.address()))).contains(entry);
        }
        await(keyring.close());

        Files.delete(folder.snapshot());
        assertThat(fixture.open().list())
                .as("from the state, with all public keys")
                .isEqualTo(expected);
    }

    @Test
    void an_edit_of_the_state_by_hand_or_by_another_implementation_is_seen() throws Exception {
        List<KeyEntry> keys = ManyKeys.write(wallets, Snapshot.FROM);
        new Snapshot(folder).write();
        String state = Files.readString(folder.state());
        Files.writeString(folder.state(), state.replace("number 700\"", "number 7oo\""));
        Keyring keyring = fixture.open();
        assertThat(await(keyring.find(keys.get(700).address())).orElseThrow().label())
                .contains("number 7oo");
        await(keyring.close());

        Files.writeString(folder.state(), state.substring(0, state.length() - 10));
        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE)).hasMessageContaining("state.json");
        Files.delete(folder.state());
        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE)).hasMessageContaining("state.json");
    }

    @Test
    void public_keys_that_were_learnt_after_the_snapshot_are_known() throws Exception {
        List<KeyEntry> keys = ManyKeys.write(wallets, Snapshot.FROM);
        Path known = folder.publicKeys().resolve("000000.keys");
        Path aside = datadir.resolve("aside");
        Files.move(known, aside);
        new Snapshot(folder).write();
        assertThat(read().orElseThrow().withoutPublicKey()).hasSize(Snapshot.FROM);
        Files.move(aside, known);
        assertThat(fixture.open().list()).isEqualTo(keys);
    }

    @Test
    void derived_keys_need_their_seed_with_a_snapshot_too() throws Exception {
        writeMixed(1_000);
        new Snapshot(folder).write();
        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE)).hasMessageContaining("seed.enc");
    }

    @Test
    void a_deleted_key_is_in_no_snapshot() throws Exception {
        List<KeyEntry> keys = ManyKeys.write(wallets, Snapshot.FROM);
        new Snapshot(folder).write();
        await(fixture.open().delete(keys.get(3).address(), secret(PASSPHRASE), Optional.empty()));
        assertThat(folder.snapshot()).doesNotExist();
    }

    @Test
    void a_small_keyring_has_no_snapshot() throws Exception {
        ManyKeys.write(wallets, Snapshot.FROM);
        new Snapshot(folder).write();
        Keyring keyring = fixture.open();
        delete(keyring, keyring.list().get(0).address());
        await(keyring.close());
        assertThat(folder.snapshot()).doesNotExist();
        keyring = fixture.open();
        assertThat(keyring.size()).isEqualTo(Snapshot.FROM - 1);
        await(keyring.close());
        assertThat(folder.snapshot()).doesNotExist();
    }
}
