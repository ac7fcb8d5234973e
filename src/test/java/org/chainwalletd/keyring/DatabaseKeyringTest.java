package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.TableStore;
import org.chainwalletd.store.KeyringRow;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.postgres.KeyRows;
import org.chainwalletd.store.postgres.PostgresStore;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keyring in a PostgreSQL database: the behaviour of every keyring, a database that goes back in time, and keys imported from a wallet directory.
 */
@Tag("long")
@Walks({CrashPoint.KEYS_IN_MOVE, CrashPoint.KEYS_MOVED})
class DatabaseKeyringTest extends KeyringContract {
    @TempDir
    Path folder;

    private final SharedStores stores = new SharedStores();
    private PostgresStore store;

    @Override
    KeyringFixture place() {
        store = stores.open(datadir());
        return new KeyringFixture(folder.resolve("unused")).store(() -> new TableStore(store.keys()));
    }

    private Path datadir() {
        return folder.resolve("datadir");
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Reopens the store as a new process does. */
    private void reopen(Path datadir) {
        shut();
        store = stores.open(datadir);
    }

    private void shut() {
        if (keyring != null) {
            await(keyring.close());
        }
        keyring = null;
        store.close();
    }

    private Set<Address> addresses() {
        Set<Address> addresses = new HashSet<>();
        keyring.list().forEach(entry -> addresses.add(entry.address()));
        return addresses;
    }

    private KeyringFixture directory() {
        return new KeyringFixture(wallets(), fixture);
    }

    @Test
    void a_database_that_went_back_gets_its_keys_from_the_log_before_anything_mints() {
        seed();
        restart();
        minted(keyring, "old");
        stores.backUp();
        KeyEntry minted = minted(keyring, "new");
        KeyEntry derived = derived(keyring);
        await(keyring.setLabel(minted.address(), Optional.of("newest")));
        Set<Address> all = addresses();
        String words = phrase(keyring, minted.address());
        shut();
        stores.putBack();

        store = stores.open(datadir());
        assertThat(store.stopped()).isPresent();
        keyring = fixture.open();
        assertRefused(Reason.STORAGE, keyring.generateStandard(Optional.empty()));
        assertRefused(Reason.STORAGE, keyring.deriveNext(Optional.empty()));
        shut();
        stores.restore(datadir(), false);

        store = stores.open(datadir());
        keyring = fixture.open();
        assertThat(addresses()).isEqualTo(all);
        assertThat(await(keyring.find(minted.address())).orElseThrow().label()).contains("newest");
        assertThat(phrase(keyring, minted.address())).isEqualTo(words);
        assertThat(derived(keyring).index()).hasValue(derived.index().orElseThrow() + 1);
    }

    @Test
    void a_datadir_that_comes_later_has_all_keys_in_its_log_soon() {
        restart();
        KeyEntry first = minted(keyring, "first");
        Path later = folder.resolve("later");
        reopen(later);
        restart();
        Await.until("the log of the later datadir has all keys", () -> {
            await(keyring.setLabel(first.address(), Optional.of("still first")));
            return logHas(later, first.address());
        });
        KeyEntry second = minted(keyring, "second");
        shut();
        stores.empty();
        stores.restore(later, false);
        stores.restoreWithout(later, datadir());

        store = stores.open(later);
        keyring = fixture.open();
        assertThat(addresses()).containsExactlyInAnyOrder(first.address(), second.address());
        await(keyring.sign(first.address(), new byte[] {1}));
    }

    /** Returns whether the sealed secret of an address is in the base of a log: it was sealed before the log was made. */
    private static boolean logHas(Path datadir, Address address) {
        try {
            String bytes = new String(Files.readAllBytes(datadir.resolve("sent.log")), StandardCharsets.ISO_8859_1);
            String owner = new String(address.toArray(), StandardCharsets.ISO_8859_1);
            return bytes.contains("key\0\0\0 " + owner);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_process_that_another_one_has_followed_mints_nothing() {
        restart();
        PostgresStore successor = stores.open(datadir());
        assertRefused(Reason.STORAGE, keyring.generateStandard(Optional.empty()));
        assertThat(keyring.size()).isZero();
        successor.close();
    }

    /** Returns the store of the keyring with a database that is unavailable at this read of a sealed blob. */
    private KeyringStore awayAt(int number) {
        AtomicInteger reads = new AtomicInteger();
        KeyringStore table = new TableStore(store.keys());
        return Stub.of(KeyringStore.class, call -> {
            if (call.name().equals("read") && reads.incrementAndGet() == number) {
                throw new KeyringException(Reason.AWAY, "the database is away");
            }
            return call.on(table);
        });
    }

    @Test
    void a_database_that_goes_away_is_not_taken_for_a_damaged_key() {
        restart();
        KeyEntry first = minted(keyring);
        KeyEntry second = minted(keyring);
        await(keyring.close());
        assertRefused(Reason.AWAY, fixture.store(() -> awayAt(1)).tryOpen(PASSPHRASE));

        // The place of the key contains another key, which a deletion keeps even when it is forced.
        TableStore table = new TableStore(store.keys());
        table.write(SealedPlace.key(first.address()), table.read(SealedPlace.key(second.address())));
        keyring = fixture.store(() -> awayAt(3)).open();
        assertRefused(Reason.AWAY, keyring.delete(first.address(), secret(PASSPHRASE), Optional.empty()));
        assertThat(addresses()).contains(first.address());
    }

    private OptionalInt takeIn(KeyringFixture directory) {
        return new TableStore(store.keys()).takeIn(new FolderStore(directory.setup()), wallets());
    }

    private Path wallets() {
        return folder.resolve("earlier/wallets");
    }

    @Test
    void the_keys_of_a_wallet_directory_are_entered_once_and_the_directory_is_put_aside() {
        KeyringFixture directory = directory();
        directory.initSeeded();
        Keyring before = directory.open();
        derived(before, "derived");
        minted(before, "standard");
        await(before.importSecret(secret("33".repeat(32)), Optional.empty()));
        List<KeyEntry> earlier = List.copyOf(before.list());
        String words = phrase(before, earlier.get(1).address());
        await(before.close());
        assertThat(movedUnlessKilledAt(directory, new ArrayList<>(List.of(CrashPoint.KEYS_IN_MOVE))))
                .isFalse();
        assertThat(wallets()).exists();

        assertThat(takeIn(directory)).hasValue(3);
        assertThat(wallets()).doesNotExist();
        assertThat(wallets().resolveSibling("wallets-moved/state.json")).exists();
        assertThat(takeIn(directory)).isEmpty();
        restart();
        assertThat(keyring.list()).isEqualTo(earlier);
        assertThat(phrase(keyring, earlier.get(1).address())).isEqualTo(words);
        assertThat(derived(keyring).index()).hasValue(1);
        await(keyring.sign(earlier.get(0).address(), new byte[] {1}));
    }

    @Test
    void the_keys_become_a_wallet_directory_again_and_no_index_of_the_seed_is_given_twice() throws Exception {
        seed();
        restart();
        KeyEntry derived = derived(keyring, "derived");
        KeyEntry deleted = derived(keyring);
        KeyEntry standard = minted(keyring, "standard");
        await(keyring.importSecret(secret("33".repeat(32)), Optional.empty()));
        delete(keyring, deleted.address());
        String words = phrase(keyring, standard.address());
        List<KeyEntry> all = List.copyOf(keyring.list());
        Address givenOut = Address.of(new byte[Address.LENGTH]);
        store.keys()
                .write(KeyRows.Change.sealing(
                        Map.of(new KeyringRow.Place("given_out", Bytes.wrap(givenOut.toArray())), Bytes.EMPTY),
                        KeyRows.Premise.NONE));
        await(keyring.close());
        keyring = null;
        KeyringFixture directory = directory();
        FolderStore folderStore = new FolderStore(directory.setup());

        assertThat(new TableStore(store.keys()).putOut(folderStore)).hasValue(all.size());

        assertThat(folderStore.unlisted(folderStore.load().view())).containsExactly(givenOut);
        assertThatThrownBy(() -> new TableStore(store.keys()).putOut(folderStore))
                .isInstanceOf(KeyringException.class)
                .hasMessageContaining("there is a keyring already");
        assertThat(refusal(directory.tryOpen("another passphrase"))).isNotNull();
        Keyring there = directory.open();
        assertThat(there.list()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(phrase(there, standard.address())).isEqualTo(words);
        await(there.sign(derived.address(), new byte[] {1}));
        assertThat(derived(there).index()).hasValue(deleted.index().orElseThrow() + 1);
        minted(there);
        await(there.close());
    }

    @Test
    void a_database_without_a_keyring_makes_no_wallet_directory() {
        KeyringFixture directory = directory();
        assertThat(new TableStore(store.keys()).putOut(new FolderStore(directory.setup())))
                .isEmpty();
        assertThat(wallets()).doesNotExist();
    }

    /** The next start continues with the state that each death leaves. */
    @Test
    void a_process_that_dies_after_any_commit_of_the_move_loses_no_key_and_enters_none_twice() throws Exception {
        List<KeyEntry> earlier = new ArrayList<>(ManyKeys.write(wallets(), 1_100));
        KeyringFixture directory = directory();
        Keyring before = directory.open();
        KeyEntry standard = minted(before, "standard");
        earlier.add(standard);
        String words = phrase(before, standard.address());
        await(before.close());
        List<CrashPoint> deaths = new ArrayList<>();
        while (!movedUnlessKilledAt(directory, deaths)) {
            assertThat(wallets()).exists();
            assertThat(wallets().resolveSibling("wallets-moved")).doesNotExist();
            stores.cut();
            reopen(datadir());
        }
        assertThat(deaths)
                .containsExactly(
                        CrashPoint.KEYS_IN_MOVE,
                        CrashPoint.KEYS_IN_MOVE,
                        CrashPoint.KEYS_IN_MOVE,
                        CrashPoint.KEYS_MOVED);
        assertThat(wallets()).doesNotExist();
        assertThat(wallets().resolveSibling("wallets-moved/state.json")).exists();
        restart();
        assertThat(keyring.list()).containsExactlyInAnyOrderElementsOf(earlier);
        for (KeyEntry entry : List.of(earlier.get(0), earlier.get(499), earlier.get(500), earlier.get(1_099))) {
            await(keyring.sign(entry.address(), new byte[] {1}));
        }
        assertThat(phrase(keyring, earlier.get(1_100).address())).isEqualTo(words);
    }

    /** Moves the keys in a process that dies one commit later than the previous one; returns whether it survived to the end. */
    private boolean movedUnlessKilledAt(KeyringFixture directory, List<CrashPoint> deaths) {
        AtomicInteger passed = new AtomicInteger();
        CrashPoint.watch(point -> {
            boolean ours = point == CrashPoint.KEYS_IN_MOVE || point == CrashPoint.KEYS_MOVED;
            if (ours && passed.incrementAndGet() > deaths.size()) {
                deaths.add(point);
                throw new IllegalStateException("the process ends here");
            }
        });
        try {
            takeIn(directory);
            return true;
        } catch (IllegalStateException killed) {
            return false;
        } finally {
            CrashPoint.watch(null);
        }
    }

    @Test
    void a_key_that_another_daemon_deleted_before_the_directory_was_put_aside_stays_deleted() throws Exception {
        KeyringFixture directory = directory();
        Keyring before = directory.open();
        minted(before, "kept");
        minted(before, "deleted");
        List<KeyEntry> earlier = List.copyOf(before.list());
        await(before.close());
        assertThat(movedUnlessKilledAt(directory, new ArrayList<>(List.of(CrashPoint.KEYS_IN_MOVE))))
                .isFalse();
        assertThat(wallets()).exists();
        restart();
        delete(keyring, earlier.get(1).address());

        assertThat(takeIn(directory)).isPresent();
        assertThat(wallets()).doesNotExist();
        restart();
        assertThat(keyring.list()).containsExactly(earlier.get(0));
    }

    @Test
    void an_address_that_an_older_record_of_the_directory_does_not_list_is_not_given_out_again() throws Exception {
        KeyringFixture directory = directory();
        directory.initSeeded();
        Keyring before = directory.open();
        derived(before);
        byte[] older = Files.readAllBytes(wallets().resolve("state.json"));
        derived(before);
        await(before.close());
        Files.write(wallets().resolve("state.json"), older);
        takeIn(directory);
        restart();
        assertThat(keyring.size()).isEqualTo(1);
        assertThat(derived(keyring).index()).hasValue(2);
    }

    @Test
    void a_wallet_directory_with_other_keys_than_the_database_is_refused_and_nothing_is_changed() {
        restart();
        KeyEntry own = minted(keyring);
        KeyringFixture directory = directory();
        Keyring other = directory.open();
        minted(other);
        await(other.close());
        assertThatThrownBy(() -> takeIn(directory))
                .isInstanceOf(KeyringException.class)
                .hasMessageContaining("with other keys");
        assertThat(wallets()).exists();
        restart();
        assertThat(keyring.list()).containsExactly(own);
    }
}
