package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClosingTest {
    private static final byte[] MESSAGE = {7};

    @TempDir
    Path datadir;

    private final Gate argon2 = new Gate();
    private final Gate disk = new Gate();

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private KeyEntry entry;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"))
                .argon2(argon2)
                .disk(disk)
                .upkeep(Duration.ofDays(1), Duration.ofDays(1));
        keyring = fixture.open();
        entry = minted(keyring);
        // The disk work after a mint has passed the gate when the actor answers its next question.
        await(keyring.find(entry.address()));
    }

    private static void assertStopping(CompletionStage<?> stage) {
        assertRefused(Reason.STORAGE, stage).hasMessageContaining("shutting down");
    }

    @Test
    void whatever_is_asked_after_the_closing_is_refused_and_never_left_without_an_answer() {
        Bytes vault = vault(keyring);
        await(keyring.close());

        List.of(
                        keyring.find(entry.address()),
                        keyring.sign(entry.address(), MESSAGE),
                        keyring.generateStandard(Optional.empty()),
                        keyring.deriveNext(Optional.empty()),
                        keyring.importSecret(secret("01".repeat(32)), Optional.empty()),
                        keyring.revealSecret(entry.address(), secret(PASSPHRASE)),
                        keyring.delete(entry.address(), secret(PASSPHRASE), Optional.empty()),
                        keyring.exportVault(secret("vault")),
                        keyring.importVault(vault, secret("vault")))
                .forEach(ClosingTest::assertStopping);
        await(keyring.close());
    }

    @Test
    void the_secrets_of_a_refused_key_are_overwritten() {
        SecretBytes secret = secret("01".repeat(16));
        NewKey key = NewKey.alone(fixture.setup().sealer(), secret, KeyNote.Origin.IMPORTED, Optional.empty());
        new KeyringProtocol.Store(List.of(key), false, null, () -> false, new CompletableFuture<>())
                .refuse(KeyringFailures.stopping());
        assertThat(secret.isClosed()).isTrue();
    }

    @Test
    void a_mint_whose_files_are_being_written_is_recorded_and_answered_before_the_closing_ends() {
        disk.shut();
        CompletionStage<KeyEntry> mint = keyring.generateIndependent(Optional.empty());
        KeyringFixture.eventually(() -> disk.waiting() == 1);
        CompletionStage<Void> closed = keyring.close();
        assertStopping(keyring.find(entry.address()));
        assertThat(closed.toCompletableFuture()).isNotDone();
        disk.open();

        KeyEntry minted = await(mint);
        await(closed);
        assertThat(fixture.open().list()).containsExactly(entry, minted);
    }

    @Test
    void a_mint_that_is_not_sealed_yet_is_refused() {
        argon2.shut();
        CompletionStage<KeyEntry> mint = keyring.generateIndependent(Optional.empty());
        KeyringFixture.eventually(() -> argon2.waiting() == 1);
        CompletionStage<Void> closed = keyring.close();
        assertStopping(keyring.find(entry.address()));
        argon2.open();

        assertStopping(mint);
        await(closed);
        assertThat(fixture.open().list()).containsExactly(entry);
    }

    @Test
    void who_waits_for_a_key_to_be_unsealed_is_refused_at_once() {
        keyring = fixture.reopened(keyring);
        argon2.shut();
        CompletionStage<Signer.Signature> signature = keyring.sign(entry.address(), MESSAGE);
        KeyringFixture.eventually(() -> argon2.waiting() == 1);

        await(keyring.close());
        assertStopping(signature);
        argon2.open();
    }

    @Test
    void a_vault_with_a_key_that_is_on_its_way_in_waits_until_that_key_is_durable() {
        Bytes vault = vaultOfAnother();
        disk.shut();
        CompletionStage<List<Address>> first = keyring.importVault(vault, secret("vault"));
        KeyringFixture.eventually(() -> disk.waiting() == 1);
        CompletionStage<List<Address>> second = keyring.importVault(vault, secret("vault"));
        for (int i = 0; i < 100; i++) {
            await(keyring.find(entry.address()));
        }
        assertThat(second.toCompletableFuture()).isNotDone();
        disk.open();

        assertThat(await(first)).hasSize(1);
        assertThat(await(second)).isEmpty();
    }

    @Test
    void a_vault_that_waits_for_a_key_is_refused_at_the_closing() {
        Bytes vault = vaultOfAnother();
        disk.shut();
        CompletionStage<List<Address>> first = keyring.importVault(vault, secret("vault"));
        KeyringFixture.eventually(() -> disk.waiting() == 1);
        CompletionStage<List<Address>> second = keyring.importVault(vault, secret("vault"));
        CompletionStage<Void> closed = keyring.close();
        assertStopping(second);
        disk.open();

        assertThat(await(first)).hasSize(1);
        await(closed);
    }

    private Bytes vaultOfAnother() {
        Keyring other = new KeyringFixture(datadir.resolve("other")).open();
        await(other.generateIndependent(Optional.empty()));
        Bytes vault = vault(other);
        await(other.close());
        return vault;
    }
}
