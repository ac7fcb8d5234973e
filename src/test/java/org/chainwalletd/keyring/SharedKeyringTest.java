package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.created;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.deletion;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.TableStore;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.WatchStore.WatchOnly;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.postgres.PostgresStore;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keyrings of several daemons on one database: each answers as if it were the only one. */
@Tag("postgres")
@Timeout(300)
class SharedKeyringTest {
    @TempDir
    Path folder;

    private final SharedStores stores = new SharedStores();
    private final List<Daemon> daemons = new ArrayList<>();

    /** Daemon with its store and its keyring. */
    private final class Daemon {
        private final PostgresStore store;
        private final KeyringFixture fixture;
        private Keyring keyring;

        Daemon(int number) {
            store = stores.open(folder.resolve("datadir-" + number));
            fixture = new KeyringFixture(folder.resolve("unused-" + number)).store(() -> new TableStore(store.keys()));
            daemons.add(this);
        }

        Daemon opened() {
            keyring = fixture.open();
            return this;
        }

        Map<Address, Optional<String>> labels() {
            Map<Address, Optional<String>> labels = new HashMap<>();
            keyring.list().forEach(entry -> labels.put(entry.address(), entry.label()));
            return labels;
        }

        void close() {
            if (keyring != null) {
                await(keyring.close());
            }
            fixture.close();
            store.close();
        }
    }

    private Daemon daemon() {
        return new Daemon(daemons.size());
    }

    private Daemon opened() {
        return daemon().opened();
    }

    @AfterEach
    void close() {
        daemons.forEach(Daemon::close);
    }

    /** Returns a daemon that has made the keyring with a seed. */
    private Daemon seeded() {
        Daemon first = daemon();
        first.fixture.initSeeded();
        return first.opened();
    }

    private static Address imported(Daemon daemon, int number) {
        return await(daemon.keyring.importSecret(hex(number), Optional.of("key " + number)))
                .address();
    }

    private static SecretBytes hex(int number) {
        return secret(String.format("%064x", number + 1));
    }

    private static Intent spend(Address from, int number) {
        return new Intent(
                Hash256.sha256(new byte[] {7, (byte) number}),
                "transfer",
                from,
                Bytes.wrap(SealedBlob.magic()),
                List.of(new Coin(
                        new Outpoint(Hash256.sha256(new byte[] {8, (byte) number}), number), Amount.of(1_000))),
                100,
                OptionalInt.empty(),
                Optional.empty(),
                Amount.of(10),
                1_000,
                Intent.Progress.prepared(1_000));
    }

    @Test
    void a_key_that_was_minted_at_one_daemon_signs_at_another_at_once() {
        Daemon one = opened();
        Daemon other = opened();
        for (int i = 0; i < 5; i++) {
            KeyEntry minted = minted(one.keyring, "m" + i);
            assertThat(await(other.keyring.sign(minted.address(), new byte[] {1}))
                            .publicKey())
                    .isEqualTo(minted.knownPublicKey());
            assertThat(await(other.keyring.find(minted.address()))).contains(minted);
        }
        assertThat(await(other.keyring.find(Address.parse("ee".repeat(32))))).isEmpty();
        assertRefused(Reason.UNKNOWN_ADDRESS, other.keyring.sign(Address.parse("ee".repeat(32)), new byte[1]));
    }

    @Test
    void a_vault_holds_the_keys_that_other_daemons_have_minted_before() {
        Daemon one = opened();
        Daemon other = opened();
        List<Address> minted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            minted.add(minted(one.keyring).address());
            VaultExport.Export export = await(other.keyring.exportVault(secret("vault")));
            assertThat(export.missing()).isEmpty();
            Keyring restored = new KeyringFixture(folder.resolve("elsewhere-" + i), one.fixture).open();
            assertThat(restore(restored, export.vault())).containsExactlyInAnyOrderElementsOf(minted);
            await(restored.close());
        }
    }

    @Test
    void the_births_and_phrases_of_keys_are_known_at_every_daemon() {
        Daemon one = opened();
        Daemon other = opened();
        one.keyring.bornBy(() -> OptionalLong.of(900));
        KeyEventsTest.Listener told = new KeyEventsTest.Listener();
        await(other.keyring.watch(told));
        KeyEntry minted = minted(one.keyring);
        String words = phrase(one.keyring, minted.address());
        assertThat(phrase(other.keyring, minted.address())).isEqualTo(words);
        assertThat(told.added).extracting(KeyEvents.OwnKey::birth).containsExactly(OptionalLong.of(800));
    }

    @Test
    void two_daemons_never_give_out_one_index_of_a_seed() {
        Daemon one = seeded();
        Daemon other = opened();
        List<CompletionStage<KeyEntry>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(one.keyring.deriveNext(Optional.of("one " + i)));
            asked.add(other.keyring.deriveNext(Optional.of("other " + i)));
        }
        Map<Long, KeyEntry> derived = new TreeMap<>();
        for (CompletionStage<KeyEntry> each : asked) {
            KeyEntry entry = await(each);
            assertThat(derived.put(entry.index().orElseThrow(), entry)).isNull();
        }
        assertThat(derived).hasSize(40);
        assertThat(derived.keySet()).contains(0L, 39L);
        for (Daemon daemon : daemons) {
            Await.until("both know all", () -> daemon.keyring.size() == 40);
            assertThat(new HashSet<>(daemon.keyring.list())).isEqualTo(new HashSet<>(derived.values()));
        }
    }

    @Test
    void a_derived_key_that_was_imported_at_another_daemon_keeps_its_label_and_gets_its_index() {
        Daemon one = seeded();
        Daemon other = opened();
        KeyEntry first = derived(one.keyring, "derived");
        String hex = secretHex(one.keyring, first.address());
        assertRefused(Reason.ALREADY_PRESENT, other.keyring.importSecret(secret(hex), Optional.empty()));
    }

    @Test
    void a_label_is_seen_at_the_other_daemon() {
        Daemon one = opened();
        Daemon other = opened();
        Address address = imported(one, 1);
        await(other.keyring.setLabel(address, Optional.of("from the other")));
        Await.until(
                "the label is known", () -> one.keyring.list().get(0).label().equals(Optional.of("from the other")));
        await(one.keyring.setLabel(address, Optional.empty()));
        Await.until(
                "the label is gone", () -> other.keyring.list().get(0).label().isEmpty());
    }

    @Test
    void a_key_that_was_deleted_at_one_daemon_is_refused_at_the_other() {
        Daemon one = opened();
        Daemon other = opened();
        Address address = imported(one, 1);
        await(other.keyring.sign(address, new byte[] {1}));
        assertThat(other.keyring.isAtHand(address)).isTrue();
        await(deletion(one.keyring, address));
        Await.until("the deletion is known", () -> !other.keyring.owns(address));
        assertThat(other.keyring.signAtHand(address, new byte[] {1})).isEmpty();
        assertRefused(Reason.UNKNOWN_ADDRESS, other.keyring.sign(address, new byte[] {1}));
        assertRefused(Reason.UNKNOWN_ADDRESS, other.keyring.setLabel(address, Optional.of("late")));

        assertThat(imported(other, 1)).isEqualTo(address);
        await(one.keyring.sign(address, new byte[] {1}));
    }

    @Test
    void a_key_that_was_deleted_at_one_daemon_signs_nothing_at_another_from_then_on() {
        Daemon one = opened();
        Daemon other = opened();
        for (int i = 0; i < 5; i++) {
            Address address = imported(one, i);
            await(other.keyring.sign(address, new byte[] {1}));
            assertThat(other.keyring.isAtHand(address)).isTrue();
            await(deletion(one.keyring, address));
            assertRefused(Reason.UNKNOWN_ADDRESS, other.keyring.sign(address, new byte[] {2}));
            imported(one, i);
            await(other.keyring.sign(address, new byte[] {3}));
        }
    }

    @Test
    void a_spend_that_was_signed_before_its_key_was_deleted_elsewhere_is_not_opened() {
        Daemon one = opened();
        Daemon other = opened();
        Address address = imported(one, 1);
        await(other.keyring.sign(address, new byte[] {1}));
        await(deletion(one.keyring, address));
        try {
            await(other.store.intents().open(spend(address, 1), 0));
            throw new AssertionError("the spend was opened");
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("was deleted meanwhile");
        }
        imported(other, 1);
        assertThat(await(other.store.intents().open(spend(address, 1), 0))).isInstanceOf(Opening.Opened.class);
    }

    @Test
    void a_deletion_loses_against_a_spend_that_is_open_at_another_daemon() {
        Daemon one = opened();
        Daemon other = opened();
        Address address = imported(one, 1);
        await(other.store.intents().open(spend(address, 1), 0));
        KeyringException refused = refusal(deletion(one.keyring, address));
        assertThat(refused).hasMessageContaining("needs it until it is settled");
        await(one.keyring.sign(address, new byte[] {1}));
        await(other.store
                .intents()
                .fail(spend(address, 1).txId(), IntentState.PREPARED, IntentState.REFUSED, "refused", 2_000));
        await(deletion(one.keyring, address));
    }

    @Test
    void of_a_deletion_and_a_spend_at_the_same_time_one_loses() {
        Daemon one = opened();
        Daemon other = opened();
        for (int i = 0; i < 12; i++) {
            Address address = imported(one, i);
            CompletionStage<Address> deletion = deletion(one.keyring, address);
            CompletionStage<Opening> opening = other.store.intents().open(spend(address, i), 0);
            boolean deleted = succeeds(deletion);
            boolean open = succeeds(opening);
            assertThat(deleted).as("key %s", i).isNotEqualTo(open);
            assertThat(new TableStore(other.store.keys())
                            .load().view().entries().stream()
                                    .anyMatch(entry -> entry.address().equals(address)))
                    .isEqualTo(open);
        }
    }

    private Books openBooks() {
        return stores.openBooks(List.of(new LedgerTable(), new HtlcTable(page -> address -> true)));
    }

    private static boolean succeeds(CompletionStage<?> stage) {
        try {
            await(stage);
            return true;
        } catch (KeyringException | StoreException e) {
            return false;
        }
    }

    @Test
    void a_key_that_two_daemons_import_at_once_is_there_once() {
        Daemon one = opened();
        Daemon other = opened();
        for (int i = 0; i < 10; i++) {
            CompletionStage<KeyEntry> here = one.keyring.importSecret(hex(i), Optional.of("one"));
            CompletionStage<KeyEntry> there = other.keyring.importSecret(hex(i), Optional.of("other"));
            boolean first = succeeds(here);
            boolean second = succeeds(there);
            assertThat(first).isNotEqualTo(second);
            assertRefused(Reason.ALREADY_PRESENT, first ? there : here);
        }
        for (Daemon daemon : daemons) {
            Await.until("all are known", () -> daemon.keyring.size() == 10);
        }
        assertThat(one.labels()).isEqualTo(other.labels());
        Address any = one.keyring.list().get(0).address();
        await(one.keyring.sign(any, new byte[1]));
        await(other.keyring.sign(any, new byte[1]));
    }

    @Test
    void two_daemons_may_take_in_one_vault_at_once() {
        Daemon one = opened();
        for (int i = 0; i < 5; i++) {
            imported(one, i);
        }
        Bytes vault = vault(one.keyring);
        for (int i = 0; i < 5; i++) {
            delete(one.keyring, one.keyring.list().get(0).address());
        }
        Daemon other = opened();
        CompletionStage<List<Address>> here = one.keyring.importVault(vault, secret("vault"));
        CompletionStage<List<Address>> there = other.keyring.importVault(vault, secret("vault"));
        List<Address> taken = new ArrayList<>(await(here));
        taken.addAll(await(there));
        assertThat(taken).hasSize(5).doesNotHaveDuplicates();
        for (Daemon daemon : daemons) {
            Await.until("all are known", () -> daemon.keyring.size() == 5);
            daemon.keyring.list().forEach(entry -> await(daemon.keyring.sign(entry.address(), new byte[1])));
        }
    }

    @Test
    void a_vault_of_which_another_daemon_takes_in_a_part_meanwhile_leaves_no_key_without_its_secret() {
        Daemon one = daemon();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        TableStore table = new TableStore(one.store.keys());
        one.fixture.store(() -> Stub.of(KeyringStore.class, call -> {
            if (call.name().equals("record")) {
                meanwhile.getAndSet(() -> {}).run();
            }
            return call.on(table);
        }));
        one.opened();
        Daemon other = opened();
        for (int i = 0; i < 4; i++) {
            imported(one, i);
        }
        Bytes vault = vault(one.keyring);
        for (int i = 0; i < 4; i++) {
            delete(one.keyring, one.keyring.list().get(0).address());
        }
        Await.until("the deletions are known", () -> other.keyring.size() == 0);
        meanwhile.set(() -> imported(other, 1));

        assertThat(restore(one.keyring, vault)).hasSize(3);

        opened();
        for (Daemon daemon : daemons) {
            Await.until("all are known", () -> daemon.keyring.size() == 4);
            daemon.keyring.list().forEach(entry -> await(daemon.keyring.sign(entry.address(), new byte[1])));
        }
    }

    @Test
    void a_key_whose_sealed_secret_is_not_at_hand_is_not_recorded() {
        Daemon one = daemon();
        TableStore table = new TableStore(one.store.keys());
        one.fixture.store(() -> Stub.of(KeyringStore.class, call -> call.name().equals("add") ? null : call.on(table)));
        one.opened();
        assertRefused(Reason.STORAGE, one.keyring.importSecret(hex(1), Optional.empty()))
                .hasMessageContaining("nothing was recorded");
        assertThat(opened().keyring.size()).isZero();
    }

    @Test
    void a_vault_that_is_imported_only_in_part_leaves_no_sealed_secret_in_memory() {
        Daemon one = opened();
        for (int i = 0; i < 3; i++) {
            imported(one, i);
        }
        Bytes vault = vault(one.keyring);
        stores.empty();
        Daemon other = daemon();
        TableStore table = new TableStore(other.store.keys());
        List<Address> held = new ArrayList<>();
        other.fixture.store(() -> Stub.of(KeyringStore.class, call -> {
            if (call.name().equals("add")) {
                if (held.size() == 2) {
                    throw new KeyringException(Reason.STORAGE, "no room");
                }
                held.add(((KeyringStore.SealedKey) call.arguments()[0]).address());
            } else if (call.name().equals("remove")) {
                held.remove(call.arguments()[0]);
            }
            return call.on(table);
        }));
        other.opened();
        assertRefused(Reason.STORAGE, other.keyring.importVault(vault, secret("vault")));
        assertThat(held).isEmpty();
    }

    @Test
    void the_first_of_two_daemons_decides_the_passphrase() {
        for (int i = 0; i < 5; i++) {
            stores.empty();
            Daemon one = new Daemon(10 + 2 * i);
            Daemon other = new Daemon(11 + 2 * i);
            CompletionStage<Keyring> here = one.fixture.tryOpen("first passphrase");
            CompletionStage<Keyring> there = other.fixture.tryOpen("second passphrase");
            boolean first = succeeds(here);
            boolean second = succeeds(there);
            assertThat(first).isNotEqualTo(second);
            assertRefused(Reason.LOCKED, first ? there : here)
                    .hasMessageContaining("all daemons of a database have one passphrase");
            await(await(first ? here : there).close());
            one.close();
            other.close();
            daemons.clear();
        }
    }

    @Test
    void a_keyring_without_keys_keeps_its_passphrase() {
        Daemon one = opened();
        Address address = imported(one, 1);
        delete(one.keyring, address);
        Daemon other = daemon();
        assertRefused(Reason.LOCKED, other.fixture.tryOpen("another passphrase"));
    }

    @Test
    void the_account_chain_key_of_one_daemon_signs_at_another() {
        Daemon one = opened();
        Daemon other = opened();
        EvmAddress first = created(one.keyring.evm(), FORCED);
        Await.until(
                "the key is known", () -> await(other.keyring.evm().current()).equals(Optional.of(first)));
        await(other.keyring.evm().sign(first, new byte[32]));
        EvmAddress second = created(other.keyring.evm(), FORCED);
        Await.until(
                "the next key is known",
                () -> await(one.keyring.evm().current()).equals(Optional.of(second)));
        for (Daemon daemon : daemons) {
            assertThat(await(daemon.keyring.evm().kept())).containsExactly(second, first);
            await(daemon.keyring.evm().sign(first, new byte[32]));
            await(daemon.keyring.evm().sign(second, new byte[32]));
        }
        await(one.keyring.evm().delete(secret(PASSPHRASE), Optional.empty()));
        Await.until(
                "the deletion is known",
                () -> await(other.keyring.evm().current()).isEmpty());
        assertThat(succeeds(other.keyring.evm().sign(first, new byte[32]))).isTrue();
    }

    @Test
    void of_two_account_chain_keys_at_once_one_is_refused_and_none_is_lost() {
        Daemon one = opened();
        Daemon other = opened();
        Set<EvmAddress> made = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            CompletionStage<EvmCustody.Created> here = one.keyring.evm().create(FORCED);
            CompletionStage<EvmCustody.Created> there = other.keyring.evm().create(FORCED);
            for (CompletionStage<EvmCustody.Created> each : List.of(here, there)) {
                if (succeeds(each)) {
                    made.add(await(each).address());
                    await(each).words().close();
                }
            }
        }
        for (Daemon daemon : daemons) {
            Await.until(
                    "all are known",
                    () -> new HashSet<>(await(daemon.keyring.evm().kept())).equals(made));
            made.forEach(address -> await(daemon.keyring.evm().sign(address, new byte[32])));
        }
        assertThat(await(one.keyring.evm().current()))
                .isEqualTo(await(other.keyring.evm().current()));
    }

    @Test
    void a_deletion_loses_against_a_payout_that_waits_at_another_daemon_unless_it_is_forced() {
        Daemon one = opened();
        Daemon other = opened();
        Address address = imported(one, 1);
        await(other.store
                .payouts()
                .submit(
                        List.of(new PayoutStore.Order(
                                "payout-1",
                                Address.parse("d7".repeat(32)),
                                Amount.of(1_000),
                                Optional.empty(),
                                Optional.empty())),
                        List.of(address),
                        Optional.empty(),
                        100,
                        1_000));
        assertThat(refusal(deletion(one.keyring, address)))
                .hasMessageContaining("the payout payout-1 waits to be paid from it");
        await(one.keyring.sign(address, new byte[1]));
        delete(one.keyring, address);
    }

    @Test
    void an_address_that_has_a_key_is_not_unwatched_by_a_daemon_with_an_old_memory() {
        Daemon one = opened();
        Daemon other = opened();
        try (Books here = openBooks();
                Books there = openBooks()) {
            LedgerBooks first = new LedgerBooks(here);
            LedgerBooks second = new LedgerBooks(there);
            for (int i = 0; i < 8; i++) {
                Address address = imported(one, 1);
                await(first.watch(List.of(address), false, 0));
                await(second.settle(Map.of(), List.of(address)));
                assertThat(await(first.find(address))).as("watched").isPresent();

                CompletionStage<Void> unwatched = deletion(one.keyring, address)
                        .thenComposeAsync(gone -> first.settle(Map.of(), List.of(gone)), Runnable::run);
                CompletionStage<Void> watched = other.keyring
                        .importSecret(hex(1), Optional.empty())
                        .thenComposeAsync(entry -> second.watch(List.of(entry.address()), false, 0), Runnable::run);
                await(unwatched);
                boolean back = succeeds(watched);
                assertThat(await(first.find(address)).isPresent())
                        .as("watched in round %s", i)
                        .isEqualTo(back);
                if (back) {
                    Await.until("the key is known", () -> one.keyring.owns(address));
                    await(deletion(one.keyring, address));
                    await(second.settle(Map.of(), List.of(address)));
                }
                Await.until("the deletion is known", () -> !other.keyring.owns(address) && !one.keyring.owns(address));
            }
        }
    }

    @Test
    void an_address_that_is_watched_without_its_deleted_key_is_not_unwatched_by_a_daemon_that_slept() {
        Daemon one = opened();
        Daemon sleeper = opened();
        try (Books here = openBooks();
                Books there = openBooks()) {
            LedgerBooks first = new LedgerBooks(here);
            LedgerBooks second = new LedgerBooks(there);
            Address address = imported(one, 1);
            await(first.watch(List.of(address), false, 0));
            await(deletion(one.keyring, address));
            await(one.store.watchOnly().put(new WatchOnly(address, Optional.empty(), OptionalLong.empty())));
            await(first.settleWatchOnly(Map.of(address, OptionalLong.empty()), List.of(), one.keyring::owns));
            await(second.settle(Map.of(), List.of(address)));
            assertThat(await(first.watchOnly())).containsExactly(address);

            Await.until("the deletion is known", () -> !sleeper.keyring.owns(address));
            imported(sleeper, 1);
            await(second.watch(List.of(address), false, 0));
            await(first.settleWatchOnly(Map.of(address, OptionalLong.empty()), List.of(), gone -> false));
            assertThat(await(first.allWatched())).as("owned wins").containsExactly(address);
            await(deletion(sleeper.keyring, address));
            await(first.settle(Map.of(), List.of(address)));
            assertThat(await(first.watchOnly()))
                    .as("the row of the store is still there")
                    .containsExactly(address);
            await(one.store.watchOnly().remove(List.of(address)));
            await(first.settle(Map.of(), List.of(address)));
            assertThat(await(first.find(address))).isEmpty();
        }
    }

    /** Concurrent changes of several daemons are distinguished by their answers; afterwards all of them have the keys of the model. */
    @Test
    void random_histories_of_three_daemons_leave_the_keys_that_their_answers_tell() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("keyrings: -Dtest.seed=" + seed);
        Random random = new Random(seed);
        seeded();
        opened();
        opened();
        Map<Address, Set<Optional<String>>> model = new HashMap<>();
        Set<Long> indexes = new HashSet<>();
        List<Address> secrets = new ArrayList<>();
        for (int round = 0; round < 25; round++) {
            Map<CompletionStage<?>, Runnable> asked = new HashMap<>();
            Set<Address> touched = new HashSet<>();
            for (int i = 0; i < 6; i++) {
                Keyring at = daemons.get(random.nextInt(3)).keyring;
                Optional<String> label = Optional.of("r" + round + "." + i);
                int what = random.nextInt(5);
                List<Address> known = new ArrayList<>(model.keySet());
                known.removeAll(touched);
                if (what == 0) {
                    CompletionStage<KeyEntry> minted = at.generateStandard(label);
                    asked.put(minted, () -> model.put(await(minted).address(), Set.of(label)));
                } else if (what == 1) {
                    CompletionStage<KeyEntry> derived = at.deriveNext(label);
                    asked.put(derived, () -> {
                        model.put(await(derived).address(), Set.of(label));
                        assertThat(indexes.add(await(derived).index().orElseThrow()))
                                .as("index given out once, seed %s", seed)
                                .isTrue();
                    });
                } else if (what == 2) {
                    CompletionStage<KeyEntry> brought = at.importSecret(hex(random.nextInt(8)), label);
                    asked.put(brought, () -> {
                        model.put(await(brought).address(), Set.of(label));
                        secrets.add(await(brought).address());
                    });
                } else if (what == 3 && !known.isEmpty()) {
                    Address address = known.get(random.nextInt(known.size()));
                    CompletionStage<?> first = at.setLabel(address, label);
                    Optional<String> more = Optional.of("also " + label.get());
                    CompletionStage<?> second =
                            daemons.get(random.nextInt(3)).keyring.setLabel(address, more);
                    asked.put(first, () -> {});
                    asked.put(second, () -> model.put(address, Set.of(label, more)));
                    touched.add(address);
                } else if (what == 4 && !known.isEmpty()) {
                    Address address = known.get(random.nextInt(known.size()));
                    touched.add(address);
                    CompletionStage<Address> gone = deletion(at, address);
                    // The same secret may be imported again in the same round.
                    succeeds(gone);
                    model.remove(address);
                }
            }
            asked.forEach((stage, then) -> {
                if (succeeds(stage)) {
                    then.run();
                } else {
                    assertRefused(Reason.ALREADY_PRESENT, stage);
                }
            });
            for (Daemon daemon : daemons) {
                Await.until(
                        "daemon " + daemons.indexOf(daemon) + " knows round " + round + ", seed " + seed,
                        () -> fits(daemon.labels(), model));
            }
        }
        for (Daemon daemon : daemons) {
            model.keySet().forEach(address -> await(daemon.keyring.sign(address, new byte[1])));
        }
        Daemon later = opened();
        assertThat(fits(later.labels(), model)).isTrue();
        assertThat(later.labels())
                .isEqualTo(daemons.get(0).labels())
                .isEqualTo(daemons.get(1).labels());
    }

    private static boolean fits(Map<Address, Optional<String>> labels, Map<Address, Set<Optional<String>>> model) {
        return labels.keySet().equals(model.keySet())
                && labels.entrySet().stream()
                        .allMatch(entry -> model.get(entry.getKey()).contains(entry.getValue()));
    }
}
