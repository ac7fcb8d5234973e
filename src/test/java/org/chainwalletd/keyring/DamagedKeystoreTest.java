package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.deletion;
import static org.chainwalletd.keyring.KeyringFixture.flip;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DamagedKeystoreTest {
    @TempDir
    Path datadir;

    @AutoClose
    private KeyringFixture fixture;

    private Path wallets;
    private Address first;
    private Address second;

    @BeforeEach
    void make() {
        wallets = datadir.resolve("wallets");
        fixture = new KeyringFixture(wallets);
        Keyring keyring = fixture.open();
        first = minted(keyring).address();
        second = minted(keyring).address();
        await(keyring.close());
    }

    private Path key(Address address) {
        return wallets.resolve("imported").resolve(address + ".key.enc");
    }

    private KeyringException refusedStart() {
        return refusal(fixture.tryOpen(PASSPHRASE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{\"imported\":[\"12\"]}",
                "{\"imported\":{}}",
                "{\"next_index\":-1}",
                "{\"next_index\":\"0\"}",
                "{\"derived\":{\"x\":1}}",
                "{\"labels\":{\"x\":1}}",
                "{} {}",
                "{\"imported\":[],\"imported\":[]}"
            })
    void a_state_file_that_cannot_be_read_stops_the_start_and_stays(String content) throws Exception {
        Path state = wallets.resolve("state.json");
        Files.writeString(state, content);
        assertThat(refusedStart())
                .hasMessageContainingAll("state.json", "backup")
                .extracting(KeyringException::reason)
                .isEqualTo(Reason.STORAGE);
        assertThat(Files.readString(state)).isEqualTo(content);
    }

    @Test
    void a_state_file_that_is_missing_beside_keys_stops_the_start() throws Exception {
        Files.delete(wallets.resolve("state.json"));
        assertThat(refusedStart()).hasMessageContainingAll("state.json", "backup");
        assertThat(wallets.resolve("state.json")).doesNotExist();
    }

    @Test
    void a_key_file_that_is_missing_or_cut_stops_the_start_and_is_named() throws Exception {
        byte[] whole = Files.readAllBytes(key(second));
        Files.delete(key(second));
        assertThat(refusedStart()).hasMessageContainingAll(key(second).toString(), "imported");
        Files.write(key(second), Arrays.copyOf(whole, 80));
        assertThat(refusedStart()).hasMessageContainingAll(key(second).toString(), "backup");
        Files.write(key(second), whole);
        assertThat(fixture.open().size()).isEqualTo(2);
    }

    @Test
    void a_key_file_that_was_changed_is_reported_when_it_is_used() throws Exception {
        for (Address address : new Address[] {first, second}) {
            byte[] whole = Files.readAllBytes(key(address));
            Damage.CHANGED.to(key(address));
            Keyring keyring = fixture.open();
            Address other = address.equals(first) ? second : first;
            await(keyring.sign(other, new byte[1]));
            assertRefused(Reason.LOCKED, keyring.sign(address, new byte[1]))
                    .hasMessageContaining(key(address).toString());
            await(keyring.close());
            Files.write(key(address), whole);
        }
    }

    @Test
    void a_key_file_under_another_ones_name_is_never_used() throws Exception {
        Files.copy(key(first), key(second), StandardCopyOption.REPLACE_EXISTING);
        Keyring keyring = fixture.open();
        await(keyring.sign(first, new byte[1]));
        assertRefused(Reason.LOCKED, keyring.sign(second, new byte[1]))
                .hasMessageContaining("does not hold the key of " + second);
        assertRefused(Reason.LOCKED, keyring.revealSecret(second, secret(PASSPHRASE)));
        assertThat(await(keyring.exportVault(secret("vault"))).missing())
                .containsExactly(new VaultExport.Missing("key", second.hex()));
        assertThat(refusal(keyring.delete(second, secret(PASSPHRASE), Optional.empty()))
                        .reason())
                .as("it may be the only copy of another key")
                .isEqualTo(Reason.LOCKED);
        assertThat(key(second)).exists();
    }

    /** Kinds of damage to a file while the daemon runs, or that keep its length. */
    private enum Damage {
        CHANGED {
            @Override
            void to(Path file) throws IOException {
                flip(file, 60);
            }
        },
        SHORTENED {
            @Override
            void to(Path file) throws IOException {
                Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 20));
            }
        },
        GONE {
            @Override
            void to(Path file) throws IOException {
                Files.delete(file);
            }
        },
        A_FOLDER {
            @Override
            void to(Path file) throws IOException {
                Files.delete(file);
                Files.createDirectory(file);
            }
        };

        abstract void to(Path file) throws IOException;
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void a_damaged_key_is_named_by_the_export_of_all_others_and_can_be_removed_by_force(Damage damage)
            throws Exception {
        Keyring keyring = fixture.open();
        damage.to(key(second));

        VaultExport.Export export = await(keyring.exportVault(secret("vault")));

        assertThat(export.missing()).containsExactly(new VaultExport.Missing("key", second.hex()));
        assertRefused(Reason.LOCKED, keyring.exportAddress(second, secret("vault")));
        assertRefused(Reason.LOCKED, deletion(keyring, second));
        assertRefused(Reason.LOCKED, keyring.delete(second, secret("another"), Optional.empty()));
        assertThat(keyring.owns(second)).isTrue();

        delete(keyring, second);

        assertThat(keyring.list()).extracting(KeyEntry::address).containsExactly(first);
        assertThat(key(second)).doesNotExist();
        assertThat(await(keyring.exportVault(secret("vault"))).missing()).isEmpty();
        await(keyring.close());
        assertThat(restore(fixture.beside("elsewhere").open(), export.vault())).containsExactly(first);
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void a_damaged_phrase_is_named_and_its_key_exported(Damage damage) throws Exception {
        Keyring keyring = fixture.open();
        await(keyring.generateIndependent(Optional.empty()));
        damage.to(wallets.resolve("imported").resolve(second + ".mnemonic.enc"));

        VaultExport.Export export = await(keyring.exportVault(secret("vault")));

        assertThat(export.missing()).containsExactly(new VaultExport.Missing("phrase", second.hex()));
        assertRefused(Reason.LOCKED, keyring.exportAddress(second, secret("vault")));
        await(keyring.close());
        assertThat(restore(fixture.beside("elsewhere").open(), export.vault()))
                .hasSize(3)
                .contains(first, second);
    }

    @Test
    void keys_without_a_phrase_are_exported_although_the_notes_cannot_be_read_and_named_by_the_export_of_all()
            throws Exception {
        Keyring keyring = fixture.open();
        Address raw = await(keyring.generateIndependent(Optional.empty())).address();
        Files.createFile(wallets.resolve("pubkeys/000000 (copy).notes"));

        VaultExport.Export all = await(keyring.exportVault(secret("vault")));
        Bytes one = await(keyring.exportAddress(raw, secret("vault")));

        assertThat(all.missing()).containsExactly(new VaultExport.Missing("phrase", raw.hex()));
        await(keyring.close());
        assertThat(restore(fixture.beside("all").open(), all.vault())).containsExactlyInAnyOrder(first, second, raw);
        assertThat(restore(fixture.beside("one").open(), one)).containsExactly(raw);
    }

    @Test
    void an_export_during_which_the_database_with_the_notes_is_unavailable_fails() {
        FolderStore store = new FolderStore(fixture.setup());
        fixture.store(() -> Stub.of(KeyringStore.class, call -> {
            if (call.name().equals("notes")) {
                throw new KeyringException(Reason.AWAY, "the database is away");
            }
            return call.on(store);
        }));
        Keyring keyring = fixture.open();
        Address raw = await(keyring.generateIndependent(Optional.empty())).address();

        assertRefused(Reason.AWAY, keyring.exportVault(secret("vault")));
        assertRefused(Reason.AWAY, keyring.exportAddress(raw, secret("vault")));
    }

    @Test
    void an_export_of_which_nothing_is_left_fails() throws Exception {
        Keyring keyring = fixture.open();
        Damage.CHANGED.to(key(first));
        Damage.GONE.to(key(second));

        assertRefused(Reason.LOCKED, keyring.exportVault(secret("vault")));
    }

    @Test
    void a_phrase_file_under_another_ones_name_is_never_revealed() throws Exception {
        Path folder = wallets.resolve("imported");
        Files.copy(
                folder.resolve(first + ".mnemonic.enc"),
                folder.resolve(second + ".mnemonic.enc"),
                StandardCopyOption.REPLACE_EXISTING);
        Keyring keyring = fixture.open();
        assertRefused(Reason.LOCKED, keyring.revealPhrase(second, secret(PASSPHRASE)));
    }

    @Test
    void a_key_file_of_no_listed_address_is_left_alone() throws Exception {
        Path stray = key(Address.of(new byte[32]));
        Files.copy(key(first), stray);
        assertThat(fixture.open().size()).isEqualTo(2);
        assertThat(stray).exists();
    }

    /** Keys made under a passphrase that opens no other key would be lost to the owners of the right passphrase. */
    @Test
    void a_key_file_of_another_keyring_proves_no_passphrase() throws Exception {
        KeyringFixture other = new KeyringFixture(datadir.resolve("other"));
        Path foreign;
        try (other) {
            Keyring keyring = await(other.tryOpen("of another keyring"));
            Address address = minted(keyring).address();
            await(keyring.close());
            foreign = datadir.resolve("other/imported").resolve(address + ".key.enc");
        }
        Keyring keyring = fixture.open();
        delete(keyring, second);
        await(keyring.close());
        // The file system determines which file is tried first: both orders, with and without keys of the keyring.
        for (boolean withKeys : new boolean[] {true, false}) {
            if (!withKeys) {
                Keyring emptied = fixture.open();
                delete(emptied, first);
                Keyring empty = fixture.reopened(emptied);
                KeyringFixture.eventually(() -> Files.exists(wallets.resolve("check.enc")));
                await(empty.close());
            }
            for (int copy = 0; copy < 8; copy++) {
                Path stray = key(Address.of(Arrays.copyOf(new byte[] {(byte) (copy * 31)}, 32)));
                Files.copy(foreign, stray, StandardCopyOption.REPLACE_EXISTING);
                assertRefused(Reason.LOCKED, fixture.tryOpen("of another keyring"));
                await(fixture.open().close());
            }
        }
    }

    @Test
    void a_folder_that_is_something_else_is_reported() throws Exception {
        Path imported = wallets.resolve("imported");
        Files.move(imported, wallets.resolve("elsewhere"));
        Files.createFile(imported);
        assertThat(refusedStart()).hasMessageContaining("something else has this name (" + imported + ")");
    }

    @Test
    void half_written_files_are_cleared_away() throws Exception {
        Path[] leftovers = {
            wallets.resolve(".state.json.1.tmp"), wallets.resolve("imported/." + first + ".key.enc.1.tmp")
        };
        for (Path leftover : leftovers) {
            OwnFiles.of(Files.write(leftover, new byte[3]));
        }
        fixture.open();
        assertThat(leftovers[0]).doesNotExist();
        assertThat(leftovers[1]).doesNotExist();
    }

    @Test
    void public_keys_that_are_lost_damaged_or_forged_are_learnt_again() throws Exception {
        Path keys = wallets.resolve("pubkeys/000000.keys");
        byte[] whole = Files.readAllBytes(keys);
        byte[] flipped = whole.clone();
        flipped[40] ^= 1;
        CRC32C crc = new CRC32C();
        byte[] forged = flipped.clone();
        crc.update(forged, 0, forged.length - 4);
        ByteBuffer.wrap(forged).putInt(forged.length - 4, (int) crc.getValue());
        for (byte[] content : new byte[][] {flipped, Arrays.copyOf(whole, 70), new byte[0], forged}) {
            Files.write(keys, content);
            Keyring keyring = fixture.open();
            for (Address address : new Address[] {first, second}) {
                assertThat(KeyringFixture.CHAIN.addressOf(
                                await(keyring.find(address)).orElseThrow().knownPublicKey()))
                        .isEqualTo(address);
            }
            await(keyring.close());
        }
    }

    @Test
    void notes_that_could_not_be_read_once_are_not_overwritten_by_the_next_key() throws Exception {
        Path folder = wallets.resolve("pubkeys");
        Keyring keyring = fixture.open();
        Damage.GONE.to(wallets.resolve("imported").resolve(second + ".mnemonic.enc"));
        Path aside = Files.move(folder.resolve("000000.notes"), datadir.resolve("aside"));
        Files.createDirectory(folder.resolve("000000.notes"));
        assertRefused(Reason.STORAGE, keyring.revealPhrase(second, secret(PASSPHRASE)));
        Files.delete(folder.resolve("000000.notes"));
        Files.move(aside, folder.resolve("000000.notes"));

        Address third = minted(keyring).address();

        FolderStore.KeyNoteFiles.Found notes = new FolderStore.KeyNoteFiles(folder).load();
        for (Address address : new Address[] {first, second, third}) {
            assertThat(notes.of(address)).as("%s", address).isPresent();
        }
    }

    @Test
    void with_one_key_only_a_damaged_file_and_a_wrong_passphrase_look_the_same() throws Exception {
        Keyring keyring = fixture.open();
        delete(keyring, second);
        await(keyring.close());
        Damage.CHANGED.to(key(first));
        assertThat(refusedStart()).hasMessageContainingAll("wrong passphrase", "damaged");
    }

    @Test
    void a_large_keyring_starts_at_once_and_counts_a_missing_key_file_and_refuses_its_use() throws Exception {
        Path large = datadir.resolve("large");
        Address lost =
                ManyKeys.write(large, FolderStore.CHECKED_AT_START + 5).get(700).address();
        Path file = large.resolve("imported").resolve(lost + ".key.enc");
        Files.delete(file);
        try (KeyringFixture many = new KeyringFixture(large)) {
            Keyring keyring = many.open();
            assertThat(keyring.size()).isEqualTo(FolderStore.CHECKED_AT_START + 5);
            KeyringFixture.eventually(() ->
                    many.metrics.get("walletd.keyring.damaged.keys").gauge().value() == 1);
            assertRefused(Reason.LOCKED, keyring.sign(lost, new byte[1])).hasMessageContaining(file.toString());
        }
    }
}
