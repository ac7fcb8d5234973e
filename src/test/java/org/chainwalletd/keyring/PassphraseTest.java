package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.vault;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassphraseTest {
    @TempDir
    Path datadir;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private Address address;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        keyring = fixture.open();
        address = minted(keyring).address();
    }

    private void wrong() {
        assertRefused(Reason.LOCKED, keyring.revealSecret(address, secret("wrong")));
    }

    private double counted(String proved) {
        return fixture.metrics
                .get("walletd.keyring.passphrase.failures")
                .tag("proved", proved)
                .counter()
                .count();
    }

    @Test
    void a_wrong_passphrase_at_the_start_is_refused_also_while_there_is_no_key() {
        await(keyring.close());
        assertRefused(Reason.LOCKED, fixture.tryOpen("wrong"));
        assertThat(await(fixture.tryOpen(PASSPHRASE)).size()).isEqualTo(1);

        KeyringFixture empty = fixture.beside("empty");
        Keyring first = empty.open();
        KeyringFixture.eventually(() -> Files.exists(datadir.resolve("empty/check.enc")));
        await(first.close());
        assertThat(refusal(empty.tryOpen("wrong"))).hasMessageContaining("check.enc");
        assertThat(await(empty.tryOpen(PASSPHRASE)).size()).isZero();
    }

    /** Executors refuse while the daemon stops, and whenever a limit of theirs is reached. */
    @Test
    void an_executor_that_refuses_costs_an_attempt_and_not_the_counting_of_them() {
        await(keyring.close());
        AtomicBoolean refusing = new AtomicBoolean();
        Executor threads = Executors.newCachedThreadPool();
        fixture.argon2(work -> {
            if (refusing.get()) {
                throw new RejectedExecutionException("full");
            }
            threads.execute(work);
        });
        keyring = fixture.open();

        refusing.set(true);
        assertRefused(Reason.STORAGE, keyring.revealSecret(address, secret(PASSPHRASE)));
        refusing.set(false);
        assertThat(secretHex(keyring, address)).hasSize(64);
        assertThat(counted("keystore")).isZero();
    }

    @Test
    void every_revealing_method_proves_the_passphrase_of_the_request() {
        wrong();
        assertRefused(Reason.LOCKED, keyring.revealPhrase(address, secret("wrong")));
        assertThat(secretHex(keyring, address)).hasSize(64);
        assertRefused(Reason.LOCKED, keyring.delete(address, secret(""), Optional.empty()));
        assertThat(keyring.size()).isEqualTo(1);
    }

    @Test
    void after_three_wrong_ones_attempts_wait_for_a_pause_that_doubles() {
        for (int i = 0; i < 3; i++) {
            wrong();
        }
        long pause = 1;
        for (int i = 0; i < 8; i++) {
            // The right passphrase is refused too during the pause.
            assertRefused(Reason.TOO_MANY_ATTEMPTS, keyring.revealSecret(address, secret(PASSPHRASE)))
                    .returns(pause, KeyringException::retryAfterSeconds);
            fixture.passes(Duration.ofSeconds(pause));
            wrong();
            pause = Math.min(2 * pause, 60);
        }
        assertThat(counted("keystore")).isEqualTo(11);
    }

    @Test
    void a_right_one_ends_the_slowing_down() {
        for (int i = 0; i < 3; i++) {
            wrong();
        }
        fixture.passes(Duration.ofSeconds(1));
        await(keyring.revealSecret(address, secret(PASSPHRASE))).close();
        for (int i = 0; i < 3; i++) {
            wrong();
        }
    }

    @Test
    void a_clock_that_is_set_back_locks_nobody_out() {
        for (int i = 0; i < 4; i++) {
            fixture.passes(Duration.ofSeconds(1));
            wrong();
        }
        fixture.passes(Duration.ofDays(-1));
        await(keyring.revealSecret(address, secret(PASSPHRASE))).close();
    }

    @Test
    void guessing_in_parallel_gains_no_more_than_one_try() {
        var tries = IntStream.range(0, 30)
                .mapToObj(i -> keyring.revealSecret(address, secret("guess" + i)))
                .toList();
        long tried = tries.stream()
                .map(KeyringFixture::refusal)
                .filter(refusal -> refusal.reason() == Reason.LOCKED)
                .count();
        assertThat(tried).isLessThanOrEqualTo(4);
    }

    @Test
    void vault_passphrases_are_counted_apart() {
        Bytes vault = vault(keyring);
        for (int i = 0; i < 3; i++) {
            assertRefused(Reason.LOCKED, keyring.importVault(vault, secret("wrong")));
        }
        assertRefused(Reason.TOO_MANY_ATTEMPTS, keyring.importVault(vault, secret("vault")));
        await(keyring.revealSecret(address, secret(PASSPHRASE))).close();
        assertThat(counted("vault")).isEqualTo(3);
    }

    @Test
    void a_passphrase_that_was_handed_over_is_overwritten() {
        SecretBytes passphrase = secret(PASSPHRASE);
        await(keyring.revealSecret(address, passphrase)).close();
        KeyringFixture.eventually(passphrase::isClosed);
        SecretBytes wrong = secret("wrong");
        refusal(keyring.delete(address, wrong, Optional.empty()));
        KeyringFixture.eventually(wrong::isClosed);
    }

    @Test
    void an_unknown_address_is_no_attempt() {
        Address stranger = Address.of(new byte[32]);
        for (int i = 0; i < 5; i++) {
            assertRefused(Reason.UNKNOWN_ADDRESS, keyring.revealSecret(stranger, secret("x")));
        }
        assertThat(counted("keystore")).isZero();
    }
}
