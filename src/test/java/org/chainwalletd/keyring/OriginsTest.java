package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backup and restoration of keys of each origin: the table of the manual, executed. */
class OriginsTest {
    @TempDir
    Path folder;

    private KeyringFixture fixture;
    private KeyringFixture other;
    private Keyring keyring;
    private Keyring restored;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(folder.resolve("one/wallets"));
        other = new KeyringFixture(folder.resolve("two/wallets"));
        keyring = fixture.open();
        restored = other.open();
    }

    @AfterEach
    void close() {
        fixture.close();
        other.close();
    }

    @Test
    void every_phrase_of_the_vectors_gives_its_key() {
        for (JsonNode row : Vectors.rows("keys.json")) {
            String words = Vectors.text(row, "mnemonic");
            String derivation = Vectors.text(row, "derivation");
            if (derivation.equals("hd")) {
                continue;
            }
            KeyEntry entry = await(
                    derivation.equals("standard")
                            ? keyring.importStandard(secret(words), Optional.empty())
                            : keyring.importIndependent(secret(words), Optional.empty()));
            assertThat(entry.address().hex()).as(Vectors.text(row, "name")).isEqualTo(Vectors.text(row, "address"));
            assertThat(entry.knownPublicKey().hex()).isEqualTo(Vectors.text(row, "public_key"));
            assertThat(secretHex(keyring, entry.address())).isEqualTo(Vectors.text(row, "secret"));
            assertThat(phrase(keyring, entry.address())).isEqualTo(words);
        }
    }

    @Test
    void a_standard_key_comes_back_from_its_phrase() {
        KeyEntry entry = minted(keyring);
        String words = phrase(keyring, entry.address());
        assertThat(words.split(" ")).hasSize(24);
        assertThat(await(restored.importStandard(secret("\t" + words.replace(" ", " \n ") + "\n"), Optional.empty()))
                        .address())
                .isEqualTo(entry.address());
        assertThat(phrase(restored, entry.address())).isEqualTo(words);
        assertThat(await(restored.importIndependent(secret(words), Optional.empty()))
                        .address())
                .as("the same words are another key when taken as an independent phrase")
                .isNotEqualTo(entry.address());
    }

    @Test
    void an_independent_key_comes_back_from_its_phrase() {
        KeyEntry entry = await(keyring.generateIndependent(Optional.empty()));
        String words = phrase(keyring, entry.address());
        assertThat(await(restored.importIndependent(secret(words), Optional.empty()))
                        .address())
                .isEqualTo(entry.address());
    }

    @Test
    void an_imported_secret_comes_back_from_the_secret_and_from_the_words_that_spell_it() {
        String hex = "AB".repeat(32);
        KeyEntry entry = await(keyring.importSecret(secret(hex), Optional.of("mine")));
        assertThat(entry.imported()).isTrue();
        assertThat(secretHex(keyring, entry.address())).isEqualTo("ab".repeat(32));
        assertThat(await(restored.importIndependent(secret(phrase(keyring, entry.address())), Optional.empty()))
                        .address())
                .isEqualTo(entry.address());
    }

    @Test
    void the_vault_brings_everything_back_with_phrases_and_labels() {
        KeyEntry standard = await(keyring.generateStandard(Optional.of("a \"quoted\" läbel")));
        KeyEntry independent = await(keyring.generateIndependent(Optional.empty()));
        KeyEntry present = await(keyring.importSecret(secret("01".repeat(32)), Optional.of("here")));
        await(restored.importSecret(secret("01".repeat(32)), Optional.of("there")));
        String words = phrase(keyring, standard.address());

        var vault = vault(keyring);
        assertThat(restore(restored, vault)).containsExactly(standard.address(), independent.address());
        assertThat(restore(restored, vault)).isEmpty();

        assertThat(phrase(restored, standard.address())).isEqualTo(words);
        assertThat(await(restored.find(standard.address())).orElseThrow().label())
                .contains("a \"quoted\" läbel");
        assertThat(await(restored.find(present.address())).orElseThrow().label())
                .contains("there");
    }

    @Test
    void a_key_that_is_deleted_during_an_export_is_left_out_and_does_not_spoil_the_vault() {
        KeyEntry kept = minted(keyring);
        KeyEntry gone = minted(keyring);
        KeyringView before = KeyringView.of(List.of(gone, kept), 0, Map.of());
        delete(keyring, gone.address());
        KeyringView after = KeyringView.of(List.of(kept), 0, Map.of());
        KeyringSetup setup = fixture.setup();
        VaultExport exports = new VaultExport(new KeyWork(setup, new FolderStore(setup)), setup.executors());
        Iterator<KeyringView> views = List.of(before, after).iterator();

        Bytes vault = await(exports.all(
                        views::next,
                        (none, damagedKey, damagedPhrase) -> List.of(),
                        () -> new KeyringProtocol.Lent(Map.of(), secret(PASSPHRASE)),
                        secret("vault"),
                        () -> false))
                .vault();
        delete(keyring, kept.address());
        assertThat(restore(keyring, vault)).containsExactly(kept.address());
    }

    @Test
    void the_export_of_one_address_is_a_vault_of_one_key() {
        KeyEntry standard = minted(keyring, "one");
        minted(keyring, "two");
        var vault = await(keyring.exportAddress(standard.address(), secret("vault")));
        assertThat(restore(restored, vault)).containsExactly(standard.address());
        assertThat(phrase(restored, standard.address())).isEqualTo(phrase(keyring, standard.address()));
    }

    @Test
    void a_wrong_vault_passphrase_and_a_vault_that_was_cut_or_changed_are_refused() {
        minted(keyring);
        byte[] vault = vault(keyring).toArray();
        assertRefused(Reason.LOCKED, restored.importVault(Bytes.of(vault), secret("Vault")));
        byte[] cut = Arrays.copyOf(vault, vault.length - 1);
        assertRefused(Reason.LOCKED, restored.importVault(Bytes.of(cut), secret("vault")));
        byte[] version = vault.clone();
        version[4] = 2;
        assertRefused(Reason.INVALID, restored.importVault(Bytes.of(version), secret("vault")));
        assertRefused(Reason.INVALID, keyring.exportVault(secret("")));
        assertThat(restored.size()).isZero();
    }

    @Test
    void words_that_are_no_phrase_are_refused_and_the_unknown_ones_told_by_their_place() {
        String good = Vectors.text(Vectors.row("keys.json", "standard-7f"), "mnemonic");
        assertRefused(Reason.INVALID, keyring.importStandard(secret(good + " art"), Optional.empty()))
                .hasMessageContaining("25");
        assertThat(refusal(keyring.importIndependent(
                        secret(good.substring(0, good.lastIndexOf(' ')) + " chainword"), Optional.empty())))
                .hasMessageContaining("word 24")
                .message()
                .doesNotContain("chainword");
        assertThat(refusal(keyring.importStandard(secret("abandon ".repeat(24)), Optional.empty())))
                .hasMessageContaining("checksum");
        assertThat(keyring.size()).isZero();
    }

    @Test
    void a_secret_of_another_length_is_refused_without_being_quoted() {
        for (String bad : new String[] {"", "01", "01".repeat(31), "01".repeat(33), "zz".repeat(32), "é".repeat(32)}) {
            KeyringException refusal = refusal(keyring.importSecret(secret(bad), Optional.empty()));
            assertThat(refusal.reason()).isEqualTo(Reason.INVALID);
            assertThat(refusal.getMessage()).isEqualTo("private_key must be 64 hex characters (a 32-byte secret)");
        }
    }

    @Test
    void the_same_key_is_not_imported_twice() {
        List<CompletionStage<KeyEntry>> both = List.of(
                keyring.importSecret(secret("02".repeat(32)), Optional.empty()),
                keyring.importSecret(secret("02".repeat(32)), Optional.empty()));
        assertThat(both.stream().filter(OriginsTest::succeeds)).hasSize(1);
        assertRefused(Reason.ALREADY_PRESENT, keyring.importSecret(secret("02".repeat(32)), Optional.empty()));
        assertThat(keyring.size()).isEqualTo(1);
    }

    private static boolean succeeds(CompletionStage<KeyEntry> stage) {
        try {
            await(stage);
            return true;
        } catch (KeyringException e) {
            assertThat(e.reason()).isEqualTo(Reason.ALREADY_PRESENT);
            return false;
        }
    }

    @Test
    void a_keyring_without_a_seed_derives_and_reveals_none() {
        assertThat(refusal(keyring.deriveNext(Optional.empty()))).hasMessageContaining("generate_standard_address");
        assertRefused(Reason.INVALID, keyring.revealSeedPhrase(secret(PASSPHRASE)));
    }
}
