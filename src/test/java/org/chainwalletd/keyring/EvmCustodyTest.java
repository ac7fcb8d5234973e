package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.flip;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.text;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.KeyringQuestions.PassphraseAttempts;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.evm.EvmKeyChanges.EvmReplacement;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyFolder;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The account-chain key in the keyring: origins, files, replacement, deletion, vault (swap.md, section 5). */
class EvmCustodyTest {
    private static final EvmReplacement NEVER = new EvmReplacement.Never("force");
    private static final EvmKeyGuard OPEN_SWAP =
            key -> CompletableFuture.completedFuture(List.of(new EvmKeyGuard.Objection.OpenSwap("swap 7 is open")));
    private static final byte[] HASH = Keccak256.of("to sign".getBytes(StandardCharsets.UTF_8));
    private static final String JUNK = "test test test test test test test test test test test junk";
    private static final EvmAddress JUNK_ADDRESS = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    private static final String JUNK_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    @TempDir
    Path folder;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private EvmCustody evm;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(folder.resolve("wallets"));
        reopened();
    }

    private void reopened() {
        if (keyring != null) {
            await(keyring.close());
        }
        keyring = fixture.open();
        evm = keyring.evm();
    }

    private EvmAddress created() {
        return created(NEVER);
    }

    private EvmAddress created(EvmReplacement replacement) {
        return KeyringFixture.created(evm, replacement);
    }

    @TestFactory
    Stream<DynamicTest> phrases_and_keys_give_the_addresses_of_the_vectors() {
        return Vectors.tests("evm.json", row -> Vectors.text(row, "type").equals("key"), row -> {
            JsonNode words = row.get("mnemonic");
            EvmAddress address = words.isNull()
                    ? await(evm.importKey(secret(Vectors.text(row, "private_key")), FORCED))
                    : await(evm.importPhrase(secret(words.asText()), FORCED));

            assertThat(address).hasToString(Vectors.text(row, "address"));
            EvmCustody.Revealed revealed = await(evm.revealKey(secret(PASSPHRASE)));
            assertThat(revealed.address()).isEqualTo(address);
            assertThat(text(revealed.secretHex())).isEqualTo(Vectors.text(row, "private_key"));
            assertThat(await(evm.sign(address, HASH)))
                    .isEqualTo(Secp256k1.sign(
                            Bytes.parse(Vectors.text(row, "private_key")).toArray(), HASH));
        });
    }

    @Test
    void a_new_key_is_there_after_a_restart_with_its_phrase() throws Exception {
        assertThat(await(evm.current())).isEmpty();
        EvmCustody.Created made = await(evm.create(NEVER));
        String words = text(made.words());

        assertThat(words.split(" ")).hasSize(24);
        JsonNode record = state().get("evm_key");
        assertThat(record.get("address").asText()).isEqualTo(made.address().toString());
        assertThat(record.get("source").asText()).isEqualTo("Generated");
        assertThat(record.get("created_at").asLong()).isEqualTo(1767225600L);
        assertThat(imported()).contains("evm.key.enc", "evm.mnemonic.enc");
        reopened();
        assertThat(await(evm.current())).contains(made.address());
        assertThat(await(evm.kept())).containsExactly(made.address());
        assertThat(text(await(evm.revealPhrase(secret(PASSPHRASE))))).isEqualTo(words);
        await(evm.sign(made.address(), HASH));
    }

    @Test
    void the_files_are_sealed_under_roles_of_their_own() throws Exception {
        created();
        Sealer sealer = fixture.setup().sealer();
        KeyFolder files = new KeyFolder(fixture.wallets());
        try (SecretBytes key = sealer.open(
                        Sealer.Role.EVM_KEY, secret(PASSPHRASE), files.read(files.path(SealedPlace.EVM_KEY)));
                SecretBytes entropy = sealer.open(
                        Sealer.Role.EVM_MNEMONIC, secret(PASSPHRASE), files.read(files.path(SealedPlace.EVM_PHRASE)))) {
            assertThat(key.length()).isEqualTo(32);
            assertThat(entropy.length()).isEqualTo(32);
        }
        assertThat(new String(Sealer.Role.EVM_KEY.bytes(KeyringFixture.CHAIN), StandardCharsets.US_ASCII))
                .isEqualTo("chain-walletd/v1/evm-key");
        assertThat(new String(Sealer.Role.EVM_MNEMONIC.bytes(KeyringFixture.CHAIN), StandardCharsets.US_ASCII))
                .isEqualTo("chain-walletd/v1/evm-mnemonic");
    }

    @Test
    void a_present_key_is_not_replaced_unasked() {
        EvmAddress first = created();

        assertThat(refused(evm.create(NEVER))).isEqualTo(EvmKeyRefusal.present(first, "force"));
        assertThat(refused(evm.importKey(secret(JUNK_KEY), new EvmReplacement.Never("overwrite"))))
                .isEqualTo(EvmKeyRefusal.present(first, "overwrite"));
        assertThat(await(evm.current())).contains(first);
    }

    @Test
    void a_replaced_key_is_kept_by_its_address_and_continues_to_sign() {
        EvmAddress first = created();
        EvmAddress second = created(FORCED);
        EvmAddress third = await(evm.importKey(secret(JUNK_KEY), FORCED));
        for (int restart = 0; restart < 2; restart++) {
            assertThat(await(evm.current())).contains(third);
            List<EvmAddress> kept = await(evm.kept());
            assertThat(kept).first().isEqualTo(third);
            assertThat(kept).containsExactlyInAnyOrder(third, first, second);
            kept.forEach(address -> await(evm.sign(address, HASH)));
            reopened();
        }
        assertThat(fixture.wallets().resolve("evm").toFile().list())
                .contains(first.hex() + ".key.enc", first.hex() + ".mnemonic.enc", second.hex() + ".key.enc");
        assertThat(imported()).doesNotContain("evm.mnemonic.enc");
    }

    @Test
    void a_kept_key_becomes_current_again_when_it_is_imported() {
        await(evm.importPhrase(secret(JUNK), NEVER));
        created(FORCED);

        assertThat(await(evm.importKey(secret(JUNK_KEY), FORCED))).isEqualTo(JUNK_ADDRESS);
        reopened();
        assertThat(await(evm.current())).contains(JUNK_ADDRESS);
        assertThat(await(evm.kept())).hasSize(2);
        await(evm.sign(JUNK_ADDRESS, HASH));
    }

    @Test
    void bringing_the_present_key_again_changes_nothing_but_may_add_its_phrase() {
        await(evm.importKey(secret(JUNK_KEY), NEVER));
        assertThat(refused(evm.revealPhrase(secret(PASSPHRASE))).message()).contains("has no phrase");

        assertThat(await(evm.importPhrase(secret(JUNK), new EvmReplacement.Guarded(OPEN_SWAP))))
                .isEqualTo(JUNK_ADDRESS);
        assertThat(text(await(evm.revealPhrase(secret(PASSPHRASE))))).isEqualTo(JUNK);
        await(evm.importKey(secret(JUNK_KEY), new EvmReplacement.Guarded(OPEN_SWAP)));
        reopened();
        assertThat(text(await(evm.revealPhrase(secret(PASSPHRASE))))).isEqualTo(JUNK);
        assertThat(await(evm.kept())).containsExactly(JUNK_ADDRESS);
    }

    @Test
    void overwriting_is_refused_for_a_balance_and_force_goes_past_it() {
        EvmAddress first = created();
        EvmReplacement guarded = new EvmReplacement.Guarded(EvmKeyGuard.BALANCE_UNKNOWN);

        assertThat(refused(evm.importKey(secret(JUNK_KEY), guarded)).message())
                .contains(first.toString(), "balance is unknown");
        assertThat(await(evm.importKey(secret(JUNK_KEY), new EvmReplacement.Forced(EvmKeyGuard.BALANCE_UNKNOWN))))
                .isEqualTo(JUNK_ADDRESS);
    }

    @Test
    void no_force_replaces_a_key_that_an_open_swap_needs_or_that_cannot_be_asked_for() {
        EvmAddress first = created();
        EvmKeyGuard both = EvmKeyGuard.all(List.of(EvmKeyGuard.BALANCE_UNKNOWN, OPEN_SWAP), Runnable::run);
        EvmKeyGuard failing = key -> CompletableFuture.failedFuture(new IllegalStateException("down"));
        EvmKeyGuard throwing = key -> {
            throw new IllegalStateException("down");
        };

        assertThat(refused(evm.create(new EvmReplacement.Forced(both))).message())
                .contains("swap 7 is open")
                .doesNotContain("balance");
        for (EvmKeyGuard guard : List.of(failing, throwing)) {
            assertThat(refused(evm.create(new EvmReplacement.Forced(guard))).message())
                    .contains(" stays: ");
        }
        assertThat(await(evm.kept())).containsExactly(first);
    }

    @Test
    void a_deletion_asks_the_passphrase_then_the_guard_and_removes_files_and_record() throws Exception {
        EvmAddress address = created();
        await(evm.sign(address, HASH));

        assertRefused(Reason.LOCKED, evm.delete(secret("wrong"), Optional.empty()));
        assertThat(refused(evm.delete(secret(PASSPHRASE), Optional.of(OPEN_SWAP)))
                        .message())
                .contains("swap 7 is open");
        assertThat(await(evm.delete(secret(PASSPHRASE), Optional.empty()))).isEqualTo(address);

        for (int restart = 0; restart < 2; restart++) {
            assertThat(await(evm.current())).isEmpty();
            assertThat(await(evm.kept())).isEmpty();
            assertThat(refused(evm.sign(address, HASH))).isEqualTo(EvmKeyRefusal.noKey());
            assertThat(refused(evm.delete(secret(PASSPHRASE), Optional.empty())))
                    .isEqualTo(EvmKeyRefusal.noKey());
            assertThat(refused(evm.revealKey(secret(PASSPHRASE)))).isEqualTo(EvmKeyRefusal.noKey());
            assertThat(refused(evm.revealPhrase(secret(PASSPHRASE)))).isEqualTo(EvmKeyRefusal.noKey());
            reopened();
        }
        assertThat(state().has("evm_key")).isFalse();
        assertThat(imported()).noneMatch(name -> name.startsWith("evm"));
    }

    @Test
    void a_key_whose_files_cannot_be_removed_is_gone_nevertheless() throws Exception {
        EvmAddress address = created();
        await(evm.sign(address, HASH));
        Path phrase = fixture.wallets().resolve("imported/evm.mnemonic.enc");
        Files.delete(phrase);
        Files.createDirectories(phrase.resolve("in the way"));

        assertRefused(Reason.STORAGE, evm.delete(secret(PASSPHRASE), Optional.empty()));
        for (int restart = 0; restart < 2; restart++) {
            assertThat(await(evm.current())).isEmpty();
            assertThat(refused(evm.sign(address, HASH))).isEqualTo(EvmKeyRefusal.noKey());
            reopened();
        }
    }

    @Test
    void a_deletion_leaves_replaced_keys() {
        EvmAddress first = created();
        created(FORCED);
        await(evm.delete(secret(PASSPHRASE), Optional.empty()));

        reopened();
        assertThat(await(evm.current())).isEmpty();
        assertThat(await(evm.kept())).containsExactly(first);
        await(evm.sign(first, HASH));
        assertThat(refused(evm.sign(JUNK_ADDRESS, HASH))).isEqualTo(EvmKeyRefusal.notKept(JUNK_ADDRESS));
    }

    @Test
    void a_raw_key_with_a_deleted_record_is_kept_before_it_is_written_over() throws Exception {
        EvmAddress lost = created();
        await(keyring.close());
        Path state = fixture.wallets().resolve("state.json");
        Files.writeString(state, Files.readString(state).replaceAll("(?s),\\s*\"evm_key\":\\s*\\{[^}]*\\}", ""));
        keyring = null;
        reopened();
        assertThat(await(evm.current())).isEmpty();

        created();
        assertThat(await(evm.kept())).hasSize(2).contains(lost);
        await(evm.sign(lost, HASH));
    }

    @Test
    void what_cannot_be_opened_is_never_written_over() throws Exception {
        EvmAddress first = created();
        Path file = fixture.wallets().resolve("imported/evm.key.enc");
        flip(file, 60);
        byte[] damaged = Files.readAllBytes(file);
        reopened();

        assertThat(refusal(evm.create(FORCED)).getMessage()).contains(file.toString());
        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
        assertRefused(Reason.LOCKED, evm.sign(first, HASH));
    }

    @Test
    void a_file_with_another_key_than_the_record_says_is_not_used() throws Exception {
        EvmAddress first = created();
        Path state = fixture.wallets().resolve("state.json");
        String text = Files.readString(state);
        await(keyring.close());
        keyring = null;
        Files.writeString(state, text.replace(first.toString(), JUNK_ADDRESS.toString()));
        reopened();

        assertThat(refusal(evm.sign(JUNK_ADDRESS, HASH)).getMessage())
                .contains("does not hold the key of " + JUNK_ADDRESS);
        assertRefused(Reason.LOCKED, evm.revealKey(secret(PASSPHRASE)));
    }

    @Test
    void a_damaged_record_stops_the_start() throws Exception {
        created();
        await(keyring.close());
        Path state = fixture.wallets().resolve("state.json");
        Files.writeString(state, Files.readString(state).replace("\"Generated\"", "\"Found\""));

        assertThat(refusal(fixture.tryOpen(PASSPHRASE)).getMessage()).contains("evm_key", state.toString());
    }

    @Test
    void a_keyring_with_no_other_key_proves_its_passphrase_on_this_one() throws Exception {
        created();
        await(keyring.close());
        Files.delete(fixture.wallets().resolve("check.enc"));

        assertThat(refusal(fixture.tryOpen("wrong")).getMessage()).contains("evm.key.enc");
        await(await(fixture.tryOpen(PASSPHRASE)).close());
        assertThat(Keyring.isMissing(fixture.wallets())).isFalse();
    }

    @Test
    void words_and_keys_that_are_none_are_refused() {
        assertRefused(Reason.INVALID, evm.importPhrase(secret("test test"), NEVER));
        try (Mnemonic fifteen = Mnemonic.ofEntropy(new byte[20])) {
            assertThat(refusal(evm.importPhrase(fifteen.phrase(), NEVER)).getMessage())
                    .contains("12 or 24");
        }
        assertThat(refused(evm.importKey(secret("00".repeat(32)), NEVER)).message())
                .contains("is no secp256k1 secret");
        assertThat(refused(evm.importKey(secret("ff".repeat(32)), NEVER)).message())
                .contains("is no secp256k1 secret");
        assertRefused(Reason.INVALID, evm.importKey(secret("0x12"), NEVER));
        assertThat(await(evm.current())).isEmpty();
    }

    @Test
    void wrong_passphrases_are_slowed_down_with_those_of_other_keys() {
        created();
        for (int i = 0; i < PassphraseAttempts.FREE; i++) {
            refusal(evm.revealKey(secret("wrong")));
        }
        assertRefused(Reason.TOO_MANY_ATTEMPTS, evm.revealPhrase(secret(PASSPHRASE)));
        assertRefused(Reason.TOO_MANY_ATTEMPTS, evm.delete(secret(PASSPHRASE), Optional.empty()));
    }

    @Test
    void many_changes_at_once_leave_one_key_and_all_that_were_acknowledged() {
        List<CompletableFuture<EvmCustody.Created>> made = Stream.generate(() -> evm.create(FORCED))
                .limit(8)
                .map(CompletionStage::toCompletableFuture)
                .toList();
        List<EvmAddress> addresses =
                made.stream().map(stage -> await(stage).address()).toList();

        reopened();
        assertThat(await(evm.kept())).containsExactlyInAnyOrderElementsOf(addresses);
        assertThat(addresses).contains(await(evm.current()).orElseThrow());
    }

    @Test
    void a_hash_of_another_length_is_no_hash() {
        assertThatThrownBy(() -> evm.sign(JUNK_ADDRESS, new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_vault_carries_the_key_with_its_phrase_and_those_that_were_replaced() {
        EvmAddress first = created();
        EvmAddress second = await(evm.importPhrase(secret(JUNK), FORCED));
        minted(keyring);
        Bytes vault = vault(keyring);

        KeyringFixture other = fixture.beside("other");
        Keyring restored = other.open();
        assertThat(restore(restored, vault)).hasSize(1);
        assertThat(await(restored.evm().current())).contains(second);
        assertThat(await(restored.evm().kept())).containsExactlyInAnyOrder(second, first);
        assertThat(text(await(restored.evm().revealPhrase(secret(PASSPHRASE))))).isEqualTo(JUNK);
        assertThat(restore(restored, vault)).isEmpty();
        await(restored.close());
        Keyring again = other.open();
        assertThat(await(again.evm().sign(first, HASH))).isEqualTo(await(evm.sign(first, HASH)));
    }

    @Test
    void a_vault_never_takes_the_place_of_a_key_that_is_there() {
        created();
        Bytes vault = vault(keyring);
        EvmAddress theirs = await(evm.current()).orElseThrow();

        KeyringFixture other = fixture.beside("other");
        EvmCustody ours = other.open().evm();
        EvmAddress own = await(ours.importKey(secret(JUNK_KEY), NEVER));
        Keyring with = other.open();
        restore(with, vault);
        assertThat(await(with.evm().current())).contains(own);
        assertThat(await(with.evm().kept())).containsExactly(own, theirs);
    }

    @Test
    void the_key_of_a_vault_that_was_imported_only_in_part_is_not_replaced_unasked() throws Exception {
        EvmAddress replaced = created();
        EvmAddress current = created(FORCED);
        Bytes vault = vault(keyring);
        KeyringFixture other = fixture.beside("other");
        Keyring restored = other.open();
        Path inTheWay = other.wallets().resolve("evm");
        Files.deleteIfExists(inTheWay);
        Files.createFile(inTheWay);

        assertRefused(Reason.STORAGE, restored.importVault(vault, secret("vault")));

        assertThat(await(restored.evm().current())).contains(current);
        assertThat(refused(restored.evm().create(NEVER))).isEqualTo(EvmKeyRefusal.present(current, "force"));
        Files.delete(inTheWay);
        restore(restored, vault);
        assertThat(await(restored.evm().kept())).containsExactly(current, replaced);
    }

    @Test
    void a_damaged_account_chain_key_is_named_by_the_export_of_all_others() throws Exception {
        created();
        KeyEntry entry = minted(keyring);
        EvmAddress damaged = await(evm.current()).orElseThrow();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path ->
                            path.toString().contains("evm") && path.toString().endsWith(".key.enc"))
                    .toList()) {
                Files.write(file, new byte[] {1});
            }
        }

        VaultExport.Export export = await(keyring.exportVault(secret("vault")));

        assertThat(export.missing()).containsExactly(new VaultExport.Missing("evm_key", damaged.toString()));
        assertThat(restore(fixture.beside("other").open(), export.vault())).containsExactly(entry.address());
    }

    @Test
    void a_damaged_phrase_is_named_and_its_key_exported() throws Exception {
        EvmAddress replaced = created();
        EvmAddress current = created(FORCED);
        flip(fixture.wallets().resolve("evm/" + replaced.hex() + ".mnemonic.enc"), 60);
        Files.delete(fixture.wallets().resolve("imported/evm.mnemonic.enc"));

        VaultExport.Export export = await(keyring.exportVault(secret("vault")));

        assertThat(export.missing())
                .containsExactlyInAnyOrder(
                        new VaultExport.Missing("phrase", replaced.toString()),
                        new VaultExport.Missing("phrase", current.toString()));
        Keyring restored = fixture.beside("other").open();
        restore(restored, export.vault());
        assertThat(await(restored.evm().kept())).containsExactly(current, replaced);
    }

    @Test
    void a_phrase_that_cannot_be_read_now_fails_the_export() {
        created();
        await(keyring.close());
        KeyringStore store = new FolderStore(fixture.setup());
        fixture.store(() -> Stub.of(KeyringStore.class, call -> {
            if (call.name().equals("read") && call.arguments()[0].equals(SealedPlace.EVM_PHRASE)) {
                throw new KeyringException(Reason.AWAY, "the database is away");
            }
            return call.on(store);
        }));
        keyring = fixture.open();

        assertRefused(Reason.AWAY, keyring.exportVault(secret("vault")));
    }

    @Test
    void the_vault_carries_a_raw_key_that_was_replaced_without_an_alarm() {
        EvmAddress raw = await(evm.importKey(secret(JUNK_KEY), NEVER));
        EvmAddress current = created(FORCED);
        VaultExport.Export export;
        LogCapture audit = LogCapture.of("audit");
        try (audit) {
            export = await(keyring.exportVault(secret("vault")));
        }

        assertThat(audit.messages()).noneMatch(line -> line.contains(raw.toString()));
        assertThat(export.missing()).isEmpty();
        Keyring restored = fixture.beside("other").open();
        restore(restored, export.vault());
        assertThat(await(restored.evm().kept())).containsExactly(current, raw);
    }

    @Test
    void the_vault_of_one_address_carries_no_other_key() {
        created();
        KeyEntry entry = minted(keyring);
        Bytes vault = await(keyring.exportAddress(entry.address(), secret("vault")));

        Keyring restored = fixture.beside("other").open();
        restore(restored, vault);
        assertThat(await(restored.evm().current())).isEmpty();
    }

    @Test
    void a_seeded_keyring_has_the_key_of_its_seed_until_it_gets_one_of_its_own() {
        KeyringFixture seeded = fixture.beside("seeded");
        String words = seeded.initSeeded();
        Keyring opened = seeded.open();
        EvmCustody keys = opened.evm();
        EvmAddress ofSeed = await(keys.current()).orElseThrow();
        assertThat(await(evm.importPhrase(secret(words), NEVER))).isEqualTo(ofSeed);
        assertThat(text(await(keys.revealPhrase(secret(PASSPHRASE))))).isEqualTo(words);
        assertThat(await(keys.sign(ofSeed, HASH))).isEqualTo(await(evm.sign(ofSeed, HASH)));
        assertThat(refused(keys.create(NEVER))).extracting(Refusal::code).isEqualTo(ErrorCode.WALLET_EXISTS);
        assertThat(refused(keys.delete(secret(PASSPHRASE), Optional.empty())).message())
                .contains("seed");

        EvmAddress own = await(keys.importKey(secret(JUNK_KEY), FORCED));
        assertThat(await(keys.kept())).containsExactly(own, ofSeed);
        Bytes vault = vault(opened);
        await(keys.delete(secret(PASSPHRASE), Optional.empty()));
        assertThat(await(keys.current())).contains(ofSeed);

        Keyring restored = fixture.beside("other").open();
        restore(restored, vault);
        assertThat(Set.copyOf(await(restored.evm().kept()))).isEqualTo(Set.of(own, ofSeed));
        assertThat(await(restored.evm().current())).contains(own);
    }

    private static Refusal refused(CompletionStage<?> stage) {
        try {
            throw new AssertionError("not refused: " + await(stage));
        } catch (RefusedException e) {
            return e.refusal();
        }
    }

    private JsonNode state() throws Exception {
        return new ObjectMapper()
                .readTree(fixture.wallets().resolve("state.json").toFile());
    }

    private List<String> imported() {
        return List.of(fixture.wallets().resolve("imported").toFile().list());
    }
}
