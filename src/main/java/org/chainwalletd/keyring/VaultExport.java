package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
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
public final class VaultExport {
    private static final Logger LOG = LoggerFactory.getLogger(VaultExport.class);
    private static final int REPORTED = 1_000;
    private static final long RETRY_AFTER_SECONDS = 60;
    /** Vaults of one key that are made at a time; each costs up to three Argon2id. */
    static final int MOST_SINGLE = 16;

    private static final long SINGLE_RETRY_AFTER_SECONDS = 5;

    /**
     * A vault, and what is not in it because its sealed file is damaged, missing or holds something else.
     *
     * @param missing empty when everything is in the vault
     */
    public record Export(Bytes vault, List<Missing> missing) {}

    /**
     * @param part {@code key}, {@code phrase} (its key is in the vault) or {@code evm_key}
     * @param address as the keyring lists it
     */
    public record Missing(String part, String address) {}

    private final KeyWork work;
    private final Executor crypto;
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicInteger single = new AtomicInteger();

    VaultExport(KeyWork work, Executor crypto) {
        this.work = work;
        this.crypto = crypto;
    }

    /** A vault of one key; fails when any part of it is damaged. */
    CompletableFuture<Bytes> one(KeyEntry entry, KeyringProtocol.Lent lent, SecretBytes vaultPassphrase) {
        if (single.incrementAndGet() > MOST_SINGLE) {
            single.decrementAndGet();
            return CompletableFuture.failedFuture(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, MOST_SINGLE + " exports are running", SINGLE_RETRY_AFTER_SECONDS));
        }
        return new Making(lent, any -> false, false)
                .sealed(List.of(entry), Optional.empty(), VaultExport::none, vaultPassphrase)
                .thenApplyAsync(Export::vault, crypto)
                .whenCompleteAsync((vault, failure) -> single.decrementAndGet(), crypto);
    }

    private static CompletableFuture<List<NewEvmKey>> none(
            SecretBytes passphrase, BiConsumer<String, Throwable> damaged) {
        return CompletableFuture.completedFuture(List.of());
    }

    /** Unseals the account-chain keys under the keystore's passphrase; names those that are damaged, with the reason. */
    @FunctionalInterface
    interface EvmKeySource {
        CompletableFuture<List<NewEvmKey>> unseal(SecretBytes passphrase, BiConsumer<String, Throwable> damaged);
    }

    /**
     * Refused while another one runs. A key that is deleted on the way is left out, and so is one that is damaged, which the answer names.
     * Fails when nothing at all can be unsealed.
     *
     * @param view the keyring at the moment
     */
    CompletableFuture<Export> all(
            Supplier<KeyringView> view, EvmKeySource evmKeys, KeyringProtocol.Lent lent, SecretBytes vaultPassphrase) {
        if (!running.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new KeyringException(
                    Reason.TOO_MANY_ATTEMPTS, "another vault export is running", RETRY_AFTER_SECONDS));
        }
        KeyringView begun = view.get();
        return new Making(lent, entry -> isGone(entry, view.get()), true)
                .sealed(begun.entries(), Optional.of(begun), evmKeys, vaultPassphrase)
                .whenCompleteAsync((vault, failure) -> running.set(false), crypto);
    }

    private static boolean isGone(KeyEntry entry, KeyringView view) {
        return view.entries().stream().noneMatch(there -> there.address().equals(entry.address()));
    }

    /** One vault in the making. Its steps run one after the other. */
    private final class Making {
        private final KeyringProtocol.Lent lent;
        private final Predicate<KeyEntry> gone;
        private final boolean partial;
        private final Vault.Writer vault = new Vault.Writer();
        private final List<Missing> missing = new ArrayList<>();
        private Optional<KeyringException> damage = Optional.empty();
        private int added;
        /** Of the legacy HD keys; unsealed once for all of them. */
        private Optional<SecretBytes> seed = Optional.empty();

        private Optional<KeyringException> seedDamage = Optional.empty();

        /**
         * @param gone whether a key whose secret could not be had was deleted meanwhile
         * @param partial whether what is damaged is left out, instead of failing
         */
        private Making(KeyringProtocol.Lent lent, Predicate<KeyEntry> gone, boolean partial) {
            this.partial = partial;
            this.lent = lent;
            this.gone = gone;
        }

        private CompletableFuture<Export> sealed(
                List<KeyEntry> entries,
                Optional<KeyringView> state,
                EvmKeySource evmKeys,
                SecretBytes vaultPassphrase) {
            if (vaultPassphrase.length() == 0) {
                return CompletableFuture.failedFuture(
                        new KeyringException(Reason.INVALID, "the vault passphrase must not be empty"));
            }
            return unsealSeed(entries)
                    .thenComposeAsync(done -> OneByOne.run(entries.size(), crypto, i -> add(entries, i)), crypto)
                    .whenCompleteAsync((done, failure) -> seed.ifPresent(SecretBytes::close), crypto)
                    .thenComposeAsync(
                            done -> evmKeys.unseal(
                                    lent.passphrase(), (address, failure) -> leaveOut("evm_key", address, failure)),
                            crypto)
                    .thenComposeAsync(keys -> seal(content(state, keys), vaultPassphrase), crypto)
                    .whenCompleteAsync((done, failure) -> vault.close(), crypto)
                    .thenApplyAsync(blob -> new Export(blob, List.copyOf(missing)), crypto);
        }

        private SecretBytes content(Optional<KeyringView> state, List<NewEvmKey> evmKeys) {
            if (damage.isPresent() && !(partial && added + evmKeys.size() > 0)) {
                evmKeys.forEach(NewEvmKey::close);
                throw damage.get();
            }
            return ended(vault, state, evmKeys);
        }

        /** @throws KeyringException the failure, when it says nothing of a sealed file: then the export is to be repeated */
        private void leaveOut(String part, String address, Throwable failure) {
            KeyringException cause = KeyringFailures.of(failure);
            if (cause.reason() != Reason.LOCKED) {
                throw cause;
            }
            LOG.warn("vault export: the {} of {} is left out: {}", part, address, cause.getMessage());
            missing.add(new Missing(part, address));
            damage = damage.or(() -> Optional.of(cause));
        }

        /** A damaged seed costs the keys that come from it and are not unsealed already, each of which is named. */
        private CompletableFuture<Void> unsealSeed(List<KeyEntry> entries) {
            return entries.stream().allMatch(KeyEntry::imported)
                    ? CompletableFuture.completedFuture(null)
                    : work.unsealSeed(lent.passphrase(), Urgency.SEAL)
                            .handleAsync(
                                    (entropy, failure) -> {
                                        seed = Optional.ofNullable(entropy);
                                        seedDamage =
                                                Optional.ofNullable(failure).map(KeyringFailures::of);
                                        return null;
                                    },
                                    crypto);
        }

        private CompletableFuture<Void> add(List<KeyEntry> entries, int i) {
            if (i > 0 && i % REPORTED == 0) {
                LOG.info("vault export: {} of {} keys", i, entries.size());
            }
            KeyEntry entry = entries.get(i);
            return phrase(entry)
                    .thenComposeAsync(
                            entropy -> secret(entry)
                                    .thenAcceptAsync(secret -> write(entry, secret, entropy), crypto)
                                    .whenCompleteAsync(
                                            (done, failure) -> entropy.ifPresent(SecretBytes::close), crypto),
                            crypto)
                    .exceptionallyAsync(
                            failure -> {
                                if (gone.test(entry)) {
                                    LOG.info("vault export: {} was deleted meanwhile and is left out", entry.address());
                                } else {
                                    leaveOut("key", entry.address().hex(), failure);
                                }
                                return null;
                            },
                            crypto);
        }

        /** A key whose phrase is damaged is exported without it. */
        private CompletableFuture<Optional<SecretBytes>> phrase(KeyEntry entry) {
            return entry.imported()
                    ? work.unsealPhrase(entry, lent.passphrase(), Urgency.SEAL)
                            .exceptionallyAsync(
                                    failure -> {
                                        if (!gone.test(entry)) {
                                            leaveOut("phrase", entry.address().hex(), failure);
                                        }
                                        return Optional.empty();
                                    },
                                    crypto)
                    : CompletableFuture.completedFuture(Optional.empty());
        }

        private void write(KeyEntry entry, SecretBytes secret, Optional<SecretBytes> entropy) {
            try (secret) {
                vault.add(entry, secret, entropy);
                added++;
            }
        }

        private CompletableFuture<SecretBytes> secret(KeyEntry entry) {
            SigningKey key = lent.keys().get(entry.address());
            if (key != null) {
                try {
                    return CompletableFuture.completedFuture(key.secret());
                } catch (IllegalStateException e) {
                    LOG.debug("{} was deleted meanwhile", entry.address());
                }
            }
            if (entry.imported()) {
                return work.unseal(entry, lent.passphrase(), Urgency.SEAL);
            }
            return seed.map(entropy -> work.derived(entry, entropy))
                    .orElseGet(() -> CompletableFuture.failedFuture(seedDamage.orElseThrow()));
        }
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
}
