package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.text;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeededKeyringTest {
    private static final String WORDS = Vectors.text(Vectors.row("keys.json", "hd-0-abandon-art"), "mnemonic");

    @TempDir
    Path datadir;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AutoClose
    private KeyringFixture fixture;

    @BeforeEach
    void fixture() {
        fixture = new KeyringFixture(datadir.resolve("data/wallets"));
    }

    private int init(Optional<Path> words) {
        return new InitSeeded(fixture.setup(), new PrintStream(out), new PrintStream(err))
                .run(secret(PASSPHRASE), words);
    }

    private Path file(String words) throws Exception {
        return Files.writeString(datadir.resolve("words.txt"), words);
    }

    /** Returns a keyring with the seed of {@link #WORDS}. */
    private Keyring seeded() throws Exception {
        assertThat(init(Optional.of(file(WORDS)))).isZero();
        return fixture.open();
    }

    private static String address(int index) {
        return Vectors.text(Vectors.row("keys.json", "hd-" + index + "-abandon-art"), "address");
    }

    @Test
    void init_seeded_prints_one_json_line_and_the_words_reveal_again() {
        assertThat(init(Optional.empty())).isZero();
        String line = out.toString(StandardCharsets.UTF_8);
        assertThat(line).matches("\\{\"mnemonic\": \"([a-z]+ ){23}[a-z]+\"\\}\n");
        Keyring keyring = fixture.open();
        String words = text(await(keyring.revealSeedPhrase(secret(PASSPHRASE))));
        assertThat(line).isEqualTo("{\"mnemonic\": \"" + words + "\"}\n");
    }

    @Test
    void addresses_follow_the_seed_index_by_index_also_when_asked_for_at_once() throws Exception {
        assertThat(init(Optional.of(file("\n" + WORDS.replace(" ", "\n") + "\n"))))
                .isZero();
        Keyring keyring = fixture.open();
        List<CompletionStage<KeyEntry>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(keyring.deriveNext(Optional.of("n" + i)));
        }
        List<KeyEntry> derived = asked.stream().map(KeyringFixture::await).toList();
        for (int i = 0; i < 3; i++) {
            assertThat(derived.get(i).address().hex()).isEqualTo(address(i));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(derived.get(i).index()).hasValue(i);
            assertThat(derived.get(i).label()).contains("n" + i);
        }
        Keyring again = fixture.reopened(keyring);
        assertThat(again.list()).containsExactlyElementsOf(derived);
        assertThat(derived(again).index()).hasValue(20);
    }

    @Test
    void a_derived_key_signs_is_revealed_and_has_no_phrase_of_its_own() throws Exception {
        Keyring keyring = seeded();
        KeyEntry entry = derived(keyring);
        assertThat(entry.imported()).isFalse();
        byte[] message = {1};
        Signer.Signature signature = await(keyring.sign(entry.address(), message));
        assertThat(Ed25519.verify(entry.knownPublicKey().toArray(), message, signature.bytes()))
                .isTrue();
        assertThat(secretHex(keyring, entry.address()))
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "hd-0-abandon-art"), "secret"));
        assertThat(refusal(keyring.revealPhrase(entry.address(), secret(PASSPHRASE))))
                .hasMessageContaining("reveal_mnemonic");
    }

    @Test
    void the_vault_restores_a_derived_key_as_an_independent_one() throws Exception {
        Keyring keyring = seeded();
        Address zero = derived(keyring, "zero").address();
        var vault = vault(keyring);
        Keyring restored = fixture.beside("other").open();
        assertThat(restore(restored, vault)).containsExactly(zero);
        KeyEntry entry = await(restored.find(zero)).orElseThrow();
        assertThat(entry.imported()).isTrue();
        assertThat(entry.index()).isEmpty();
        assertThat(entry.label()).contains("zero");
    }

    @Test
    void a_derived_key_that_was_imported_before_keeps_its_file_and_gets_its_index() throws Exception {
        Keyring keyring = seeded();
        String hex = Vectors.text(Vectors.row("keys.json", "hd-0-abandon-art"), "secret");
        await(keyring.importSecret(secret(hex), Optional.of("early")));
        KeyEntry derived = derived(keyring);
        assertThat(derived.index()).hasValue(0);
        Keyring again = fixture.reopened(keyring);
        assertThat(again.size()).isEqualTo(1);
        assertThat(again.list().get(0).index()).hasValue(0);
        assertThat(again.list().get(0).label()).contains("early");
        assertThat(derived(again).address().hex()).isEqualTo(address(1));
    }

    @Test
    void a_deleted_index_is_not_given_out_again() throws Exception {
        Keyring keyring = seeded();
        Address zero = derived(keyring).address();
        delete(keyring, zero);
        assertThat(derived(keyring).index()).hasValue(1);
        assertThat(fixture.reopened(keyring).list())
                .extracting(KeyEntry::address)
                .doesNotContain(zero);
    }

    @Test
    void init_seeded_changes_nothing_where_there_is_a_keyring() throws Exception {
        await(fixture.open().close());
        byte[] before = Files.readAllBytes(datadir.resolve("data/wallets/state.json"));
        assertThat(init(Optional.empty())).isNotZero();
        assertThat(out.size()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("keyring already");
        assertThat(datadir.resolve("data/wallets/seed.enc")).doesNotExist();
        assertThat(Files.readAllBytes(datadir.resolve("data/wallets/state.json")))
                .isEqualTo(before);
    }

    @Test
    void init_seeded_makes_nothing_when_its_words_cannot_be_written() {
        PrintStream full = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        assertThat(new InitSeeded(fixture.setup(), full, new PrintStream(err))
                        .run(secret(PASSPHRASE), Optional.empty()))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("could not be written");
        assertThat(fixture.wallets()).doesNotExist();
        assertThat(init(Optional.empty())).isZero();
    }

    @Test
    void init_seeded_refuses_bad_words_and_a_datadir_in_use() throws Exception {
        assertThat(init(Optional.of(file(WORDS + " art")))).isNotZero();
        assertThat(init(Optional.of(datadir.resolve("nothing")))).isNotZero();
        assertThat(datadir.resolve("data/wallets")).doesNotExist();
        try (DatadirLock lock = DatadirLock.acquire(datadir.resolve("data"))) {
            assertThat(init(Optional.empty())).isNotZero();
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("another process");
            assertThat(lock).isNotNull();
        }
        assertThat(out.size()).isZero();
    }

    @Test
    void a_listed_address_that_the_seed_does_not_give_hides_no_other_public_key() throws Exception {
        init(Optional.of(file(WORDS)));
        Files.writeString(
                fixture.wallets().resolve("state.json"),
                "{\"derived\": {\"%s\": 0, \"%s\": 1, \"%s\": 2, \"%s\": 2147483648}}"
                        .formatted(address(0), "ab".repeat(32), address(2), "cd".repeat(32)));
        Keyring keyring = fixture.open();
        await(keyring.sign(Address.parse(address(0)), new byte[1]));

        KeyringFixture.eventually(() -> keyring.list().get(2).publicKey().isPresent());
        assertThat(keyring.list().get(1).publicKey()).isEmpty();
        assertRefused(Reason.LOCKED, keyring.sign(keyring.list().get(1).address(), new byte[1]));
        assertRefused(Reason.LOCKED, keyring.sign(keyring.list().get(3).address(), new byte[1]));
    }

    @Test
    void a_state_file_that_is_missing_beside_a_used_seed_stops_the_start_so_that_no_index_is_given_out_again()
            throws Exception {
        Keyring keyring = seeded();
        derived(keyring);
        await(keyring.close());
        Path state = fixture.wallets().resolve("state.json");
        Files.delete(state);

        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE)).hasMessageContainingAll(state.toString(), "backup");
        assertThat(state).doesNotExist();
    }

    /** Backup of the sealed files only. It cannot be distinguished from a seed that was never used, although index 0 is in use. */
    @Test
    void a_seed_alone_stops_the_start_so_that_no_index_is_given_out_again() throws Exception {
        Keyring keyring = seeded();
        derived(keyring);
        await(keyring.close());
        Path state = fixture.wallets().resolve("state.json");
        Path seed = fixture.wallets().resolve("seed.enc");
        try (Stream<Path> files = Files.walk(fixture.wallets())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.equals(seed)) {
                    Files.delete(file);
                }
            }
        }

        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE))
                .hasMessageContainingAll(state.toString(), "next_index", "init-seeded");
        assertThat(state).doesNotExist();

        OwnFiles.of(Files.writeString(state, "{\"next_index\": 1}"));
        assertThat(await(fixture.open().deriveNext(Optional.empty())).index()).hasValue(1);
    }

    /** Follows the message about a lost state.json with a backup from before the last addresses were assigned. */
    @Test
    void an_older_state_file_put_back_gives_no_index_out_a_second_time() throws Exception {
        Keyring keyring = seeded();
        derived(keyring, "first");
        Path state = fixture.wallets().resolve("state.json");
        byte[] older = Files.readAllBytes(state);
        derived(keyring, "second");
        derived(keyring, "third");
        await(keyring.close());
        Files.write(state, older);

        Keyring again = fixture.open();
        List<CompletionStage<KeyEntry>> asked =
                List.of(again.deriveNext(Optional.of("fourth")), again.deriveNext(Optional.of("fifth")));
        assertThat(asked.stream()
                        .map(KeyringFixture::await)
                        .map(entry -> entry.index().getAsLong()))
                .containsExactly(3L, 4L);
        assertThat(fixture.reopened(again).list())
                .extracting(entry -> entry.label().orElse(""))
                .containsExactly("first", "fourth", "fifth");
    }

    @Test
    void the_highest_index_that_a_state_file_may_list_leaves_a_state_file_that_opens() throws Exception {
        init(Optional.of(file(WORDS)));
        Files.writeString(
                fixture.wallets().resolve("state.json"), "{\"derived\": {\"" + "ab".repeat(32) + "\": 4294967295}}");
        Keyring keyring = fixture.open();
        assertRefused(Reason.INVALID, keyring.deriveNext(Optional.empty()));
        KeyEntry minted = minted(keyring);
        assertThat(fixture.reopened(keyring).list()).hasSize(2).contains(minted);
    }

    @Test
    void a_seed_file_that_is_missing_stops_the_start() throws Exception {
        Keyring keyring = seeded();
        derived(keyring);
        await(keyring.close());
        Files.delete(datadir.resolve("data/wallets/seed.enc"));
        assertRefused(Reason.STORAGE, fixture.tryOpen(PASSPHRASE)).hasMessageContainingAll("seed.enc", "backup");
    }

    @Test
    void a_file_of_words_that_is_not_there_is_named_and_nothing_is_made() {
        Path missing = datadir.resolve("missing.txt");
        assertThat(init(Optional.of(missing))).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("cannot read the file " + missing);
        assertThat(fixture.wallets()).doesNotExist();
    }
}
