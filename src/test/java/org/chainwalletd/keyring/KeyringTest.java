package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.minted;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyringTest {
    private static final byte[] MESSAGE = {1, 2, 3};

    @TempDir
    Path datadir;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        keyring = fixture.open();
    }

    private void restart() {
        keyring = fixture.reopened(keyring);
    }

    @Test
    void a_fresh_keyring_is_empty_and_its_files_belong_to_the_owner_alone() throws Exception {
        assertThat(keyring.size()).isZero();
        minted(keyring, "first");

        try (var paths = Files.walk(fixture.wallets())) {
            for (Path path : paths.toList()) {
                String expected = Files.isDirectory(path) ? "rwx------" : "rw-------";
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as(path.toString())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void what_was_minted_is_there_after_a_restart_with_label_and_public_key() {
        KeyEntry standard = await(keyring.generateStandard(Optional.of("häuser \"7\"\\")));
        KeyEntry independent = await(keyring.generateIndependent(Optional.empty()));
        restart();

        assertThat(keyring.list()).containsExactly(standard, independent);
        assertThat(await(keyring.find(standard.address()))).contains(standard);
        assertThat(standard.imported()).isTrue();
        assertThat(KeyringFixture.CHAIN.addressOf(standard.knownPublicKey())).isEqualTo(standard.address());
    }

    @Test
    void a_key_signs_before_and_after_a_restart() {
        KeyEntry entry = minted(keyring);
        Signer.Signature first = await(keyring.sign(entry.address(), MESSAGE));
        restart();
        Signer.Signature second = await(keyring.sign(entry.address(), MESSAGE));

        assertThat(first.publicKey()).isEqualTo(entry.knownPublicKey());
        assertThat(second.bytes()).isEqualTo(first.bytes());
        assertThat(Ed25519.verify(entry.knownPublicKey().toArray(), MESSAGE, first.bytes()))
                .isTrue();
    }

    @Test
    void a_keyring_has_only_the_addresses_of_all_its_keys_and_maybe_fewer() {
        assertThat(keyring.hasOnly(List.of())).isTrue();
        byte[] first = minted(keyring).address().toArray();
        byte[] second =
                await(keyring.generateIndependent(Optional.empty())).address().toArray();
        byte[] strange = new byte[Address.LENGTH];
        byte[] both = Arrays.copyOf(second, 2 * Address.LENGTH);
        System.arraycopy(strange, 0, both, Address.LENGTH, Address.LENGTH);

        assertThat(keyring.hasOnly(List.of(first, new byte[0], both))).isTrue();
        assertThat(keyring.hasOnly(List.of(first, strange))).isFalse();
        assertThat(keyring.hasOnly(List.of(second))).isFalse();
    }

    @Test
    void an_unknown_address_is_refused() {
        Address stranger = Address.of(new byte[32]);
        assertRefused(Reason.UNKNOWN_ADDRESS, keyring.sign(stranger, MESSAGE));
        assertThat(await(keyring.find(stranger))).isEmpty();
    }

    @Test
    void concurrent_mints_are_all_kept() {
        List<CompletionStage<KeyEntry>> mints = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            mints.add(keyring.generateStandard(Optional.of("n" + i)));
        }
        List<KeyEntry> minted = mints.stream().map(KeyringFixture::await).toList();
        restart();
        assertThat(keyring.list()).containsExactlyInAnyOrderElementsOf(minted);
    }

    @Test
    void an_empty_label_is_none() {
        assertThat(List.of(
                        await(keyring.generateStandard(Optional.of(""))),
                        await(keyring.generateIndependent(Optional.of("")))))
                .allMatch(made -> made.label().isEmpty());
        restart();
        assertThat(keyring.list()).hasSize(2).allMatch(kept -> kept.label().isEmpty());
    }

    @Test
    void an_absurd_label_is_refused() {
        assertRefused(Reason.INVALID, keyring.generateStandard(Optional.of("x".repeat(257))));
        assertRefused(Reason.INVALID, keyring.generateIndependent(Optional.of("a\nb")));
        assertThat(keyring.size()).isZero();
    }

    @Test
    void mints_that_meet_share_one_write_of_the_state() throws Exception {
        ThreadPoolExecutor disk = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        try (KeyringFixture slow =
                new KeyringFixture(datadir.resolve("slow")).disk(disk).upkeep(Duration.ofDays(1), Duration.ofDays(1))) {
            Keyring minting = slow.open();
            KeyringFixture.eventually(() -> Files.exists(datadir.resolve("slow/check.enc")));
            KeyringFixture.eventually(
                    () -> disk.getActiveCount() == 0 && disk.getQueue().isEmpty());
            CountDownLatch held = new CountDownLatch(1);
            disk.execute(() -> Await.opened(held));
            List<CompletionStage<KeyEntry>> mints = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                mints.add(minting.generateIndependent(Optional.empty()));
            }
            KeyringFixture.eventually(() -> disk.getQueue().size() == 20);
            assertThat(minting.size()).isZero();
            held.countDown();
            mints.forEach(KeyringFixture::await);
            assertThat(minting.size()).isEqualTo(20);
            assertThat(slow.metrics
                            .get("walletd.keyring.state.writes")
                            .counter()
                            .count())
                    .isBetween(1.0, 3.0);
            await(minting.close());
        } finally {
            disk.shutdownNow();
        }
    }

    @Test
    void requests_for_a_sealed_key_share_one_unsealing() {
        KeyEntry entry = minted(keyring);
        await(keyring.close());
        Gate argon2 = new Gate();
        keyring = fixture.argon2(argon2).open();
        int before = argon2.passed();
        argon2.shut();
        List<CompletionStage<Signer.Signature>> signatures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            signatures.add(keyring.sign(entry.address(), new byte[] {(byte) i}));
        }
        await(keyring.find(entry.address()));
        KeyringFixture.eventually(() -> argon2.waiting() == 1);
        argon2.open();

        for (int i = 0; i < 100; i++) {
            assertThat(Ed25519.verify(
                            entry.knownPublicKey().toArray(),
                            new byte[] {(byte) i},
                            await(signatures.get(i)).bytes()))
                    .isTrue();
        }
        assertThat(argon2.passed()).isEqualTo(before + 1);
    }

    @Test
    void a_write_that_fails_is_reported_and_leaves_the_keyring_as_it_was() throws Exception {
        KeyEntry kept = minted(keyring);
        Path state = fixture.wallets().resolve("state.json");
        byte[] content = Files.readAllBytes(state);
        Files.delete(state);
        Files.createDirectory(state);
        Files.createFile(state.resolve("in the way"));
        assertRefused(Reason.STORAGE, keyring.generateStandard(Optional.empty()));
        assertThat(keyring.list()).containsExactly(kept);
        Files.delete(state.resolve("in the way"));
        Files.delete(state);
        Files.write(state, content);
        KeyEntry second = minted(keyring);
        restart();
        assertThat(keyring.list()).containsExactly(kept, second);
    }
}
