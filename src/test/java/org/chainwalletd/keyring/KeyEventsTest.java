package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.flip;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.store.FolderStore.KeyNoteFiles;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Followers of the chain learn which keys exist, with their birth heights, before any caller does. */
class KeyEventsTest {
    @TempDir
    Path datadir;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;

    /** Records its events; delays new keys as long as the test wants. */
    static final class Listener implements KeyEvents {
        final List<OwnKey> added = new CopyOnWriteArrayList<>();
        final List<OwnKey> learnt = new CopyOnWriteArrayList<>();
        final List<Address> removed = new CopyOnWriteArrayList<>();
        volatile CompletionStage<Void> answer = CompletableFuture.completedStage(null);

        @Override
        public CompletionStage<Void> added(List<OwnKey> keys) {
            added.addAll(keys);
            return answer;
        }

        @Override
        public void learnt(List<OwnKey> keys) {
            learnt.addAll(keys);
        }

        @Override
        public void removed(Set<Address> addresses) {
            removed.addAll(addresses);
        }
    }

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        keyring = fixture.open();
    }

    private void reopen() {
        keyring = fixture.reopened(keyring);
    }

    private Map<Address, OptionalLong> births() {
        Map<Address, OptionalLong> births = new LinkedHashMap<>();
        await(keyring.watch(new Listener())).forEach(key -> births.put(key.address(), key.birth()));
        return births;
    }

    @Test
    void a_key_that_is_drawn_is_born_a_hundred_blocks_below_the_followed_height_permanently() {
        keyring.bornBy(() -> OptionalLong.of(5_000));
        Address standard = minted(keyring).address();
        keyring.bornBy(() -> OptionalLong.of(5_001));
        Address independent =
                await(keyring.generateIndependent(Optional.empty())).address();
        keyring.bornBy(() -> OptionalLong.of(99));
        Address early = minted(keyring).address();
        keyring.bornBy(() -> OptionalLong.of(-1L));
        Address late = minted(keyring).address();
        Map<Address, OptionalLong> expected = new LinkedHashMap<>();
        expected.put(standard, OptionalLong.of(4_900));
        expected.put(independent, OptionalLong.of(4_901));
        expected.put(early, OptionalLong.of(0));
        expected.put(late, OptionalLong.of(-101L));

        assertThat(births()).isEqualTo(expected);
        reopen();
        assertThat(births()).isEqualTo(expected);
    }

    @Test
    void keys_that_were_brought_or_drawn_while_no_height_was_known_have_no_birth() {
        Address unfollowed = minted(keyring).address();
        keyring.bornBy(() -> OptionalLong.of(5_000));
        Address raw = await(keyring.importSecret(secret("0f".repeat(32)), Optional.empty()))
                .address();
        Address phrase = await(keyring.importStandard(secret("abandon ".repeat(23) + "art"), Optional.empty()))
                .address();
        Address words = await(keyring.importIndependent(secret("zoo ".repeat(23) + "vote"), Optional.empty()))
                .address();

        assertThat(births())
                .containsOnlyKeys(unfollowed, raw, phrase, words)
                .allSatisfy((address, birth) -> assertThat(birth).isEmpty());
    }

    @Test
    void a_key_that_comes_again_after_its_deletion_is_of_unknown_age() {
        keyring.bornBy(() -> OptionalLong.of(5_000));
        Address address = await(keyring.generateIndependent(Optional.empty())).address();
        String words = phrase(keyring, address);
        delete(keyring, address);

        await(keyring.importIndependent(secret(words), Optional.empty()));

        assertThat(births()).containsExactly(Map.entry(address, OptionalLong.empty()));
        reopen();
        assertThat(births()).containsExactly(Map.entry(address, OptionalLong.empty()));
    }

    @Test
    void a_new_key_is_answered_when_the_listener_knows_it() {
        Listener listener = new Listener();
        assertThat(await(keyring.watch(listener))).isEmpty();
        CompletableFuture<Void> watched = new CompletableFuture<>();
        listener.answer = watched;
        keyring.bornBy(() -> OptionalLong.of(300));

        CompletableFuture<KeyEntry> minted =
                keyring.generateStandard(Optional.empty()).toCompletableFuture();
        eventually(() -> !listener.added.isEmpty());

        assertThat(await(keyring.find(listener.added.get(0).address())))
                .as("durable")
                .isPresent();
        assertThat(minted).isNotDone();
        watched.complete(null);
        KeyEntry key = await(minted);
        assertThat(listener.added).containsExactly(new OwnKey(key.address(), key.publicKey(), OptionalLong.of(200)));
    }

    @Test
    void a_key_that_cannot_be_watched_is_there_and_the_answer_says_so() {
        Listener listener = new Listener();
        await(keyring.watch(listener));
        listener.answer = CompletableFuture.failedStage(new IllegalStateException("no space in the books"));
        KeyringException refusal = refusal(keyring.generateStandard(Optional.empty()));
        Address made = listener.added.get(listener.added.size() - 1).address();

        assertThat(refusal.reason()).isEqualTo(Reason.STORAGE);
        assertThat(refusal).hasMessageContainingAll(made.hex(), "kept");
        assertThat(keyring.list()).extracting(KeyEntry::address).contains(made);
        reopen();
        assertThat(births()).containsOnlyKeys(listener.added.get(0).address());
    }

    @Test
    void a_listener_that_throws_neither_ends_the_keyring_nor_hides_a_deletion() {
        await(keyring.watch(Stub.of(KeyEvents.class, call -> {
            throw new IllegalStateException("thrown");
        })));

        assertRefused(Reason.STORAGE, keyring.generateStandard(Optional.empty()));
        Address there = keyring.list().get(0).address();
        delete(keyring, there);
        assertThat(keyring.size()).isZero();
    }

    @Test
    void every_change_after_the_list_is_reported_once() {
        Address before = minted(keyring).address();
        Listener listener = new Listener();
        assertThat(await(keyring.watch(listener))).extracting(OwnKey::address).containsExactly(before);

        Address after = await(keyring.importSecret(secret("0f".repeat(32)), Optional.empty()))
                .address();
        delete(keyring, before);

        assertThat(listener.added).extracting(OwnKey::address).containsExactly(after);
        assertThat(listener.removed).containsExactly(before);
        assertThat(births()).containsOnlyKeys(after);
    }

    @Test
    void a_vault_is_reported_together_and_its_keys_are_of_unknown_age() {
        keyring.bornBy(() -> OptionalLong.of(5_000));
        minted(keyring);
        await(keyring.generateIndependent(Optional.empty()));
        Bytes vault = vault(keyring);
        Keyring target = fixture.beside("other").open();
        target.bornBy(() -> OptionalLong.of(5_000));
        Listener listener = new Listener();
        await(target.watch(listener));

        List<Address> addresses = restore(target, vault);

        assertThat(listener.added).extracting(OwnKey::address).containsExactlyElementsOf(addresses);
        assertThat(listener.added).allSatisfy(key -> assertThat(key.birth()).isEmpty());
    }

    @Test
    void a_public_key_that_becomes_known_is_reported() throws Exception {
        Address address = minted(keyring).address();
        await(keyring.close());
        Files.delete(datadir.resolve("wallets/pubkeys/000000.keys"));
        fixture.upkeep(Duration.ofDays(1), Duration.ofDays(1));
        keyring = fixture.open();
        Listener listener = new Listener();
        assertThat(await(keyring.watch(listener)).get(0).publicKey()).isEmpty();

        KeyEntry found = await(keyring.find(address)).orElseThrow();

        eventually(() -> !listener.learnt.isEmpty());
        assertThat(listener.learnt.get(0).publicKey()).isEqualTo(found.publicKey());
    }

    @Test
    void a_standard_key_that_lost_its_phrase_is_reported_and_never_spelt_as_another_kind() throws Exception {
        Address standard = minted(keyring).address();
        Address independent =
                await(keyring.generateIndependent(Optional.empty())).address();
        Path phrase = datadir.resolve("wallets/imported/" + standard + ".mnemonic.enc");
        Files.delete(phrase);
        fixture.close();
        open();

        eventually(() ->
                fixture.metrics.get("walletd.keyring.lost.phrases").gauge().value() == 1);
        assertRefused(Reason.LOCKED, keyring.revealPhrase(standard, secret(PASSPHRASE)))
                .hasMessageContainingAll(phrase.toString(), "restore");
        assertThat(secretHex(keyring, standard)).hasSize(64);
        assertThat(phrase(keyring, independent).split(" ")).hasSize(24);
    }

    @Test
    void damaged_notes_cost_births_and_nothing_else() throws Exception {
        keyring.bornBy(() -> OptionalLong.of(5_000));
        Address address = minted(keyring).address();
        await(keyring.close());
        Path notes = datadir.resolve("wallets/pubkeys/000000.notes");
        flip(notes, 40);
        keyring = fixture.open();

        assertThat(births()).containsExactly(Map.entry(address, OptionalLong.empty()));
        assertThat(phrase(keyring, address)).isNotEmpty();
    }

    @Test
    void notes_are_written_in_their_format() throws Exception {
        KeyNoteFiles files = new KeyNoteFiles(datadir.resolve("notes"));
        Address address = Address.parse("ab".repeat(32));
        files.add(Map.of(address, new KeyNote(KeyNote.Origin.INDEPENDENT, OptionalLong.of(0x0102030405060708L))));

        byte[] content = Files.readAllBytes(datadir.resolve("notes/000000.notes"));

        assertThat(content).hasSize(64 + 4);
        assertThat(Bytes.wrap(content).hex())
                .startsWith("ab".repeat(32) + "02" + "01" + "0102030405060708" + "00".repeat(22));
    }

    @Test
    void notes_of_many_keys_are_found_again_and_the_last_one_counts() throws Exception {
        Random random = Seeded.random("notes_of_many_keys_are_found_again_and_the_last_one_counts");
        KeyNoteFiles files = new KeyNoteFiles(datadir.resolve("notes"));
        Map<Address, KeyNote> all = new LinkedHashMap<>();
        List<Address> addresses = new ArrayList<>();
        for (int batch = 0; batch < 5; batch++) {
            Map<Address, KeyNote> notes = new LinkedHashMap<>();
            for (int i = 0; i < 700; i++) {
                Address address = i % 10 == 9 ? addresses.get(random.nextInt(addresses.size())) : any(random);
                KeyNote.Origin origin = KeyNote.Origin.values()[random.nextInt(KeyNote.Origin.values().length)];
                notes.put(
                        address,
                        new KeyNote(
                                origin,
                                random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty()));
                addresses.add(address);
            }
            files.add(notes);
            all.putAll(notes);
        }
        Set<Address> gone = Set.of(addresses.get(3), addresses.get(2_000));
        files.remove(gone);

        KeyNoteFiles.Found found = new KeyNoteFiles(datadir.resolve("notes")).load();

        all.keySet().removeAll(gone);
        all.forEach((address, note) -> assertThat(found.of(address)).contains(note));
        gone.forEach(address -> assertThat(found.of(address)).isEmpty());
        assertThat(found.of(any(random))).isEmpty();
    }

    private static Address any(Random random) {
        return Address.of(ByteBuffer.wrap(Seeded.bytes(random, 32)).array());
    }
}
