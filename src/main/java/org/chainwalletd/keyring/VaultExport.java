package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.chainwalletd.keyring.Stretching.Urgency;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects secrets key by key and seals them into a vault. Holds at most one secret beside the vault being written. */
final class VaultExport {
    private static final Logger LOG = LoggerFactory.getLogger(VaultExport.class);
    private static final int REPORTED = 1_000;
    private static final long RETRY_AFTER_SECONDS = 60;
    /** Vaults of one key that are made at a time; each costs up to three Argon2id. */
    static final int MOST_SINGLE = 16;

    private static final long SINGLE_RETRY_AFTER_SECONDS = 5;

    private final KeyWork work;
    private final Executor crypto;
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicInteger single = new AtomicInteger();

    VaultExport(KeyWork work, Executor crypto) {
        this.work = work;
        this.crypto = crypto;
    }

    CompletableFuture<Bytes> one(KeyEntry entry, KeyringProtocol.Lent lent, SecretBytes vaultPassphrase) {
        if (single.incrementAndGet() > MOST_SINGLE) {
            single.decrementAndGet();
            return CompletableFuture.failedFuture(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, MOST_SINGLE + " exports are running", SINGLE_RETRY_AFTER_SECONDS));
        }
        return sealed(List.of(entry), Optional.empty(), any -> false, VaultExport::none, lent, vaultPassphrase)
                .whenCompleteAsync((vault, failure) -> single.decrementAndGet(), crypto);
    }

    private static CompletableFuture<List<NewEvmKey>> none(SecretBytes passphrase) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Refused while another one runs. A key that is deleted on the way is left out.
     *
     * @param view the keyring at the moment
     * @param evmKeys unseals the account-chain keys under the keystore's passphrase
     */
    CompletableFuture<Bytes> all(
            Supplier<KeyringView> view,
            Function<SecretBytes, CompletableFuture<List<NewEvmKey>>> evmKeys,
            KeyringProtocol.Lent lent,
            SecretBytes vaultPassphrase) {
        if (!running.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, "another vault export is running", RETRY_AFTER_SECONDS));
        }
        KeyringView begun = view.get();
        return sealed(
                        begun.entries(),
                        Optional.of(begun),
                        entry -> isGone(entry, view.get()),
                        evmKeys,
                        lent,
                        vaultPassphrase)
                .whenCompleteAsync((vault, failure) -> running.set(false), crypto);
    }

    private static boolean isGone(KeyEntry entry, KeyringView view) {
        return view.entries().stream().noneMatch(there -> there.address().equals(entry.address()));
    }

    /** @param gone whether a key whose secret could not be had was deleted meanwhile */
    private CompletableFuture<Bytes> sealed(
            List<KeyEntry> entries,
            Optional<KeyringView> state,
            Predicate<KeyEntry> gone,
            Function<SecretBytes, CompletableFuture<List<NewEvmKey>>> evmKeys,
            KeyringProtocol.Lent lent,
            SecretBytes vaultPassphrase) {
        if (vaultPassphrase.length() == 0) {
            return CompletableFuture.failedFuture(
                    new KeyringException(Reason.INVALID, "the vault passphrase must not be empty"));
        }
        Vault.Writer vault = new Vault.Writer();
        return seed(entries, lent)
                .thenComposeAsync(
                        seed -> OneByOne.run(
                                        entries.size(),
                                        crypto,
                                        i -> unlessGone(add(vault, entries, i, seed, lent), entries.get(i), gone))
                                .whenCompleteAsync((done, failure) -> seed.ifPresent(SecretBytes::close), crypto),
                        crypto)
                .thenComposeAsync(done -> evmKeys.apply(lent.passphrase()), crypto)
                .thenComposeAsync(keys -> seal(ended(vault, state, keys), vaultPassphrase), crypto)
                .whenCompleteAsync((done, failure) -> vault.close(), crypto);
    }

    private static SecretBytes ended(Vault.Writer vault, Optional<KeyringView> state, List<NewEvmKey> evmKeys) {
        try {
            return vault.end(state, evmKeys);
        } finally {
            evmKeys.forEach(NewEvmKey::close);
        }
    }

    private CompletableFuture<Bytes> seal(SecretBytes content, SecretBytes vaultPassphrase) {
        return work.sealVault(content, vaultPassphrase).whenCompleteAsync((vault, failure) -> content.close(), crypto);
    }

    /** Unsealed once for all legacy HD keys. */
    private CompletableFuture<Optional<SecretBytes>> seed(List<KeyEntry> entries, KeyringProtocol.Lent lent) {
        return entries.stream().allMatch(KeyEntry::imported)
                ? CompletableFuture.completedFuture(Optional.empty())
                : work.unsealSeed(lent.passphrase(), Urgency.SEAL).thenApplyAsync(Optional::of, crypto);
    }

    private CompletableFuture<Void> add(
            Vault.Writer vault, List<KeyEntry> entries, int i, Optional<SecretBytes> seed, KeyringProtocol.Lent lent) {
        if (i > 0 && i % REPORTED == 0) {
            LOG.info("vault export: {} of {} keys", i, entries.size());
        }
        KeyEntry entry = entries.get(i);
        CompletableFuture<Optional<SecretBytes>> phrase = entry.imported()
                ? work.unsealPhrase(entry, lent.passphrase(), Urgency.SEAL)
                : CompletableFuture.completedFuture(Optional.empty());
        return phrase.thenComposeAsync(
                entropy -> secret(entry, seed, lent)
                        .thenAcceptAsync(secret -> add(vault, entry, secret, entropy), crypto)
                        .whenCompleteAsync((done, failure) -> entropy.ifPresent(SecretBytes::close), crypto),
                crypto);
    }

    private CompletableFuture<Void> unlessGone(
            CompletableFuture<Void> added, KeyEntry entry, Predicate<KeyEntry> gone) {
        return added.exceptionallyAsync(
                failure -> {
                    if (gone.test(entry)) {
                        LOG.info("vault export: {} was deleted meanwhile and is left out", entry.address());
                        return null;
                    }
                    throw KeyringFailures.of(failure);
                },
                crypto);
    }

    private static void add(Vault.Writer vault, KeyEntry entry, SecretBytes secret, Optional<SecretBytes> entropy) {
        try (secret) {
            vault.add(entry, secret, entropy);
        }
    }

    private CompletableFuture<SecretBytes> secret(
            KeyEntry entry, Optional<SecretBytes> seed, KeyringProtocol.Lent lent) {
        SigningKey key = lent.keys().get(entry.address());
        if (key != null) {
            try {
                return CompletableFuture.completedFuture(key.secret());
            } catch (IllegalStateException e) {
                LOG.debug("{} was deleted meanwhile", entry.address());
            }
        }
        return entry.imported()
                ? work.unseal(entry, lent.passphrase(), Urgency.SEAL)
                : work.derived(entry, seed.orElseThrow());
    }
}
