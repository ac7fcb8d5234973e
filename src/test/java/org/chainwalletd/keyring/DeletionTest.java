package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.StateFile;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletionTest {
    private static final byte[] MESSAGE = {9};

    @TempDir
    Path datadir;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private KeyEntry kept;
    private KeyEntry entry;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        keyring = fixture.open();
        kept = minted(keyring, "kept");
        entry = minted(keyring, "gone");
    }

    private static Optional<DeletionGuard> guard(String objection) {
        return Optional.of(any -> CompletableFuture.completedFuture(Optional.ofNullable(objection)));
    }

    /** If it were reported as present, its owner would discard the backup. */
    @Test
    void a_key_that_is_imported_while_it_is_being_deleted_is_there_afterwards() throws Exception {
        String hex = secretHex(keyring, entry.address());
        Bytes vault = await(keyring.exportAddress(entry.address(), secret("vault")));
        for (boolean byVault : new boolean[] {true, false}) {
            Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
            AtomicBoolean holding = new AtomicBoolean();
            await(keyring.close());
            fixture.disk(work -> {
                if (holding.get()) {
                    heldBack.add(work);
                } else {
                    ForkJoinPool.commonPool().execute(work);
                }
            });
            keyring = fixture.open();
            CompletionStage<Address> deleted = keyring.delete(entry.address(), secret(PASSPHRASE), Optional.of(any -> {
                holding.set(true);
                return CompletableFuture.completedFuture(Optional.empty());
            }));
            eventually(() -> !heldBack.isEmpty());

            CompletionStage<?> imported = byVault
                    ? keyring.importVault(vault, secret("vault"))
                    : keyring.importSecret(secret(hex), Optional.of("back"));
            await(keyring.find(kept.address()));
            holding.set(false);
            heldBack.forEach(Runnable::run);

            await(deleted);
            await(imported);
            assertThat(keyring.list()).extracting(KeyEntry::address).contains(entry.address());
            await(keyring.revealSecret(entry.address(), secret(PASSPHRASE))).close();
        }
    }

    /** A second daemon that has taken over the datadir meanwhile writes its own list. */
    @Test
    void no_change_is_acknowledged_when_the_datadir_is_not_this_process_s_alone_any_more() {
        AtomicBoolean alone = new AtomicBoolean(true);
        await(keyring.close());
        fixture.fence(() -> {
            if (!alone.get()) {
                throw new IOException("another process may be using the datadir");
            }
        });
        keyring = fixture.open();
        alone.set(false);
        assertRefused(Reason.STORAGE, keyring.generateStandard(Optional.empty()))
                .hasMessageContaining("another process");
        assertRefused(Reason.STORAGE, keyring.delete(kept.address(), secret(PASSPHRASE), guard(null)));
    }

    @Test
    void a_key_that_is_acknowledged_after_a_refused_one_is_listed_in_a_large_keyring() throws Exception {
        KeyringFixture large = fixture.beside("large");
        ManyKeys.write(large.wallets(), StateFile.PREPARE_FROM);
        AtomicBoolean failing = new AtomicBoolean(true);
        FolderStore store = new FolderStore(large.fence(() -> {
                    if (failing.getAndSet(false)) {
                        throw new IOException("another process may be using the datadir");
                    }
                })
                .setup());
        KeyTable table = new KeyTable(store.load().view(), new AtomicReference<>());
        assertThatThrownBy(() -> store.record(adding(table, entry))).isInstanceOf(KeyringException.class);
        store.prepare();
        store.record(adding(table, kept));

        assertThat(new FolderStore(large.setup()).load().view().entries())
                .hasSize(StateFile.PREPARE_FROM + 1)
                .last()
                .extracting(KeyEntry::address)
                .isEqualTo(kept.address());
    }

    private static KeyTable.Batch adding(KeyTable table, KeyEntry entry) {
        return table.prepare(List.of(
                KeyTable.Change.adding(CrashPoint.IMPORT_BEFORE_STATE, List.of(entry), Map.of(), failure -> {})));
    }

    @Test
    void nothing_of_a_deleted_key_stays() throws Exception {
        await(keyring.sign(entry.address(), MESSAGE));
        assertThat(await(keyring.delete(entry.address(), secret(PASSPHRASE), guard(null))))
                .isEqualTo(entry.address());

        assertRefused(Reason.UNKNOWN_ADDRESS, keyring.sign(entry.address(), MESSAGE));
        assertThat(keyring.list()).containsExactly(kept);
        try (var paths = Files.walk(fixture.wallets())) {
            for (Path path : paths.toList()) {
                assertThat(path.toString()).doesNotContain(entry.address().hex());
                if (Files.isRegularFile(path)) {
                    String content = new String(Files.readAllBytes(path), "ISO-8859-1");
                    assertThat(content).doesNotContain(entry.address().hex()).doesNotContain("gone");
                    assertThat(content)
                            .doesNotContain(new String(entry.knownPublicKey().toArray(), "ISO-8859-1"));
                }
            }
        }
        assertThat(fixture.reopened(keyring).list()).containsExactly(kept);
    }

    @Test
    void an_objection_keeps_the_key_and_is_reported() {
        assertRefused(
                        Reason.INVALID,
                        keyring.delete(entry.address(), secret(PASSPHRASE), guard("it holds a confirmed balance of 5")))
                .hasMessageContainingAll("confirmed balance of 5", "force");
        assertThat(keyring.size()).isEqualTo(2);
    }

    @Test
    void a_check_that_fails_keeps_the_key() {
        DeletionGuard broken = any -> CompletableFuture.failedFuture(new IllegalStateException("no node"));
        assertRefused(Reason.INVALID, keyring.delete(entry.address(), secret(PASSPHRASE), Optional.of(broken)));
        assertThat(keyring.size()).isEqualTo(2);
    }

    @Test
    void a_check_that_throws_keeps_the_key_and_the_keyring() {
        DeletionGuard broken = any -> {
            throw new IllegalStateException("no node");
        };
        assertRefused(Reason.INVALID, keyring.delete(entry.address(), secret(PASSPHRASE), Optional.of(broken)));
        await(keyring.sign(entry.address(), MESSAGE));
    }

    @Test
    void the_guard_is_asked_after_the_passphrase_was_proved() {
        AtomicInteger asked = new AtomicInteger();
        DeletionGuard counting = any -> {
            asked.incrementAndGet();
            return CompletableFuture.completedFuture(Optional.empty());
        };
        assertRefused(Reason.LOCKED, keyring.delete(entry.address(), secret("wrong"), Optional.of(counting)));
        assertThat(asked).hasValue(0);
        await(keyring.delete(entry.address(), secret(PASSPHRASE), Optional.of(counting)));
        assertThat(asked).hasValue(1);
    }

    @Test
    void force_asks_nobody() {
        delete(keyring, entry.address());
        assertThat(keyring.list()).containsExactly(kept);
    }

    @Test
    void a_deleted_key_can_be_imported_again() {
        String words = phrase(keyring, entry.address());
        delete(keyring, entry.address());
        assertThat(await(keyring.importStandard(secret(words), Optional.empty()))
                        .address())
                .isEqualTo(entry.address());
        await(keyring.sign(entry.address(), MESSAGE));
    }

    @Test
    void of_two_deletions_at_once_one_wins() {
        Address address = entry.address();
        var first = keyring.delete(address, secret(PASSPHRASE), Optional.empty());
        var second = keyring.delete(address, secret(PASSPHRASE), Optional.empty());
        int deleted = 0;
        for (var stage : List.of(first, second)) {
            try {
                await(stage);
                deleted++;
            } catch (KeyringException e) {
                assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_ADDRESS);
            }
        }
        assertThat(deleted).isEqualTo(1);
    }

    /** Its file is missing, but this is not a wrong passphrase, which would be counted and delay every caller. */
    @Test
    void a_key_that_is_deleted_while_it_is_being_revealed_is_unknown() throws Exception {
        await(keyring.close());
        AtomicBoolean holding = new AtomicBoolean();
        CompletableFuture<Runnable> held = new CompletableFuture<>();
        // Only the reveal needs an Argon2id thread.
        keyring = fixture.upkeep(Duration.ofDays(1), Duration.ofDays(1))
                .argon2(task -> {
                    if (holding.compareAndSet(true, false)) {
                        held.complete(task);
                    } else {
                        ForkJoinPool.commonPool().execute(task);
                    }
                })
                .open();
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        CompletableFuture<Optional<String>> nothingAgainst = new CompletableFuture<>();
        CompletionStage<Address> deletion = keyring.delete(entry.address(), secret(PASSPHRASE), Optional.of(key -> {
            asked.complete(true);
            return nothingAgainst;
        }));
        Await.outcome(asked);
        holding.set(true);
        CompletionStage<SecretBytes> reveal = keyring.revealSecret(entry.address(), secret(PASSPHRASE));
        Runnable reading = Await.outcome(held);
        nothingAgainst.complete(Optional.empty());
        await(deletion);
        reading.run();
        assertRefused(Reason.UNKNOWN_ADDRESS, reveal);
    }
}
