package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.KeyringProtocol.Lent;
import org.chainwalletd.keyring.evm.NewEvmKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects secrets key by key and seals them into a vault. Holds at most one secret besides the vault being written, and frees the Argon2id
 * threads between two keys. Ends before the next Argon2id when the caller has stopped waiting.
 */
public final class VaultExport {
    private static final Logger LOG = LoggerFactory.getLogger(VaultExport.class);
    private static final int REPORTED = 1_000;
    private static final long RETRY_AFTER_SECONDS = 60;
    /** Single-key exports that run concurrently; each costs up to three Argon2id. */
    static final int MOST_SINGLE = 16;

    private static final long SINGLE_RETRY_AFTER_SECONDS = 5;

    /**
     * Vault, and the parts left out of it because their sealed file is damaged, missing or holds something else.
     *
     * @param missing empty when the vault is complete
     */
    public record Export(Bytes vault, List<Missing> missing) {}

    /**
     * @param part {@code key}, {@code phrase} (its key is in the vault) or {@code evm_key}
     * @param address as the keyring lists it
     */
    public record Missing(String part, String address) {}

    /**
     * Unseals the account-chain keys under the keystore's passphrase; reports each damaged key, and each damaged phrase of a key that is
     * returned, with its address and the reason.
     */
    @FunctionalInterface
    interface EvmKeySource {
        List<NewEvmKey> unseal(
                SecretBytes passphrase,
                BiConsumer<String, KeyringException> damagedKey,
                BiConsumer<String, KeyringException> damagedPhrase);
    }

    private final KeyWork work;
    private final Stretching argon2;
    private final Executor flows;
    private final Semaphore all = new Semaphore(1);
    private final Semaphore single = new Semaphore(MOST_SINGLE);

    VaultExport(KeyWork work, KeyringSetup.Executors executors) {
        this.work = work;
        this.argon2 = executors.argon2();
        this.flows = executors.flows();
    }

    /** Exports one key; fails when any part of it is damaged. Closes {@code vaultPassphrase}. */
    CompletableFuture<Bytes> one(
            Supplier<KeyEntry> entry, Supplier<Lent> lending, SecretBytes vaultPassphrase, BooleanSupplier abandoned) {
        if (!single.tryAcquire()) {
            return refused(MOST_SINGLE + " exports are running", SINGLE_RETRY_AFTER_SECONDS, vaultPassphrase);
        }
        return made(single, vaultPassphrase, () -> {
            List<KeyEntry> key = List.of(entry.get());
            return new Making(any -> false, false, abandoned)
                    .sealed(
                            key,
                            Optional.empty(),
                            (passphrase, damagedKey, damagedPhrase) -> List.of(),
                            lending.get(),
                            vaultPassphrase)
                    .vault();
        });
    }

    /**
     * Exports all keys. Fails at once while another full export runs, and when nothing at all can be unsealed. Leaves out keys that are
     * deleted meanwhile, and damaged keys, which the result names. Closes {@code vaultPassphrase}.
     *
     * @param view returns the current state of the keyring
     */
    CompletableFuture<Export> all(
            Supplier<KeyringView> view,
            EvmKeySource evmKeys,
            Supplier<Lent> lending,
            SecretBytes vaultPassphrase,
            BooleanSupplier abandoned) {
        if (!all.tryAcquire()) {
            return refused("another vault export is running", RETRY_AFTER_SECONDS, vaultPassphrase);
        }
        return made(all, vaultPassphrase, () -> {
            Lent lent = lending.get();
            // Must follow the Lend question, which first reads the changes of other daemons into the view.
            KeyringView begun = view.get();
            return new Making(entry -> isGone(entry, view.get()), true, abandoned)
                    .sealed(begun.entries(), Optional.of(begun), evmKeys, lent, vaultPassphrase);
        });
    }

    private static <T> CompletableFuture<T> refused(String why, long retryAfterSeconds, SecretBytes vaultPassphrase) {
        vaultPassphrase.close();
        return CompletableFuture.failedFuture(new KeyringException(Reason.TOO_MANY_ATTEMPTS, why, retryAfterSeconds));
    }

    /** @param permit already acquired; released at the end */
    private <T> CompletableFuture<T> made(Semaphore permit, SecretBytes vaultPassphrase, Supplier<T> making) {
        Runnable notBegun = () -> {
            vaultPassphrase.close();
            permit.release();
        };
        Supplier<T> work = () -> {
            try (vaultPassphrase) {
                if (vaultPassphrase.length() == 0) {
                    throw new KeyringException(Reason.INVALID, "the vault passphrase must not be empty");
                }
                return making.get();
            } finally {
                permit.release();
            }
        };
        return Work.on(flows, work, notBegun);
    }

    private static boolean isGone(KeyEntry entry, KeyringView view) {
        return view.entries().stream().noneMatch(there -> there.address().equals(entry.address()));
    }

    /** Vault under construction. */
    private final class Making {
        private final Predicate<KeyEntry> gone;
        private final boolean partial;
        private final BooleanSupplier abandoned;
        private final List<Missing> missing = new ArrayList<>();
        private Optional<KeyringException> damage = Optional.empty();
        private int added;
        /** Entropy of the legacy HD keys, unsealed once for all of them. */
        private Optional<SecretBytes> seed = Optional.empty();

        private Optional<KeyringException> seedDamage = Optional.empty();

        /** Read when the first key without a phrase is met; kept only for an export of many keys, one of which runs at a time. */
        private Optional<KeyringStore.KeyNotes> notes = Optional.empty();

        /**
         * @param gone whether a key whose secret could not be unsealed was deleted meanwhile
         * @param partial whether damaged parts are left out instead of failing the export
         * @param abandoned whether the caller has stopped waiting
         */
        private Making(Predicate<KeyEntry> gone, boolean partial, BooleanSupplier abandoned) {
            this.partial = partial;
            this.gone = gone;
            this.abandoned = abandoned;
        }

        private <T> T stretched(Supplier<T> computation) {
            return argon2.compute(Urgency.SEAL, () -> KeyringFailures.unless(abandoned, computation));
        }

        private Export sealed(
                List<KeyEntry> entries,
                Optional<KeyringView> state,
                EvmKeySource evmKeys,
                Lent lent,
                SecretBytes vaultPassphrase) {
            try (SecretBytes passphrase = lent.passphrase();
                    Vault.Writer vault = new Vault.Writer()) {
                addKeys(vault, entries, lent);
                try (SecretBytes content = end(vault, state, evmKeys, passphrase)) {
                    Bytes blob = stretched(() -> work.sealVault(content, vaultPassphrase));
                    return new Export(blob, List.copyOf(missing));
                }
            }
        }

        private void addKeys(Vault.Writer vault, List<KeyEntry> entries, Lent lent) {
            try {
                if (!entries.stream().allMatch(KeyEntry::imported)) {
                    unsealSeed(lent.passphrase());
                }
                for (int i = 0; i < entries.size(); i++) {
                    if (i > 0 && i % REPORTED == 0) {
                        LOG.info("vault export: {} of {} keys", i, entries.size());
                    }
                    add(vault, entries.get(i), lent);
                }
            } finally {
                seed.ifPresent(SecretBytes::close);
            }
        }

        /** Unseals the legacy seed. If it is damaged, each derived key that is not unsealed already is left out and named. */
        private void unsealSeed(SecretBytes passphrase) {
            try {
                seed = Optional.of(stretched(() -> work.unsealSeed(passphrase)));
            } catch (RuntimeException e) {
                seedDamage = Optional.of(KeyringFailures.of(e));
            }
        }

        private void add(Vault.Writer vault, KeyEntry entry, Lent lent) {
            Optional<SecretBytes> entropy = phrase(entry, lent.passphrase());
            try (SecretBytes secret = secret(entry, lent)) {
                vault.add(entry, secret, entropy);
                added++;
            } catch (RuntimeException e) {
                if (gone.test(entry)) {
                    LOG.info("vault export: {} was deleted during the export and is left out", entry.address());
                } else {
                    leaveOut("key", entry.address().hex(), KeyringFailures.of(e));
                }
            } finally {
                entropy.ifPresent(SecretBytes::close);
            }
        }

        /** Unseals the phrase of a key; a key whose phrase is damaged or lost is exported without it. */
        private Optional<SecretBytes> phrase(KeyEntry entry, SecretBytes passphrase) {
            if (!entry.imported()) {
                return Optional.empty();
            }
            try {
                return stretched(() -> work.unsealPhrase(entry, this::notes, passphrase));
            } catch (RuntimeException e) {
                if (!gone.test(entry)) {
                    leaveOut("phrase", entry.address().hex(), KeyringFailures.of(e));
                }
                return Optional.empty();
            }
        }

        private KeyringStore.KeyNotes notes() {
            KeyringStore.KeyNotes read = notes.orElseGet(this::readNotes);
            if (partial) {
                notes = Optional.of(read);
            }
            return read;
        }

        /**
         * Without notes, a lost phrase cannot be told from none: the export of all keys then names it as left out, the export of a single
         * key takes it as none.
         */
        private KeyringStore.KeyNotes readNotes() {
            try {
                return work.notes();
            } catch (KeyringException e) {
                e.throwIfAway();
                String untold = "whether its phrase was lost cannot be told: " + e.getMessage();
                return address -> {
                    if (partial) {
                        throw new KeyringException(Reason.LOCKED, untold);
                    }
                    LOG.warn("vault export: {} is exported without a phrase: {}", address, untold);
                    return Optional.empty();
                };
            }
        }

        private SecretBytes secret(KeyEntry entry, Lent lent) {
            SigningKey key = lent.keys().get(entry.address());
            if (key != null) {
                try {
                    return key.secret();
                } catch (IllegalStateException e) {
                    LOG.debug("{} was deleted meanwhile", entry.address());
                }
            }
            if (entry.imported()) {
                return stretched(() -> work.unseal(entry, lent.passphrase()));
            }
            return work.derive(entry, seed.orElseThrow(seedDamage::orElseThrow));
        }

        private SecretBytes end(
                Vault.Writer vault, Optional<KeyringView> state, EvmKeySource source, SecretBytes passphrase) {
            List<NewEvmKey> evmKeys = KeyringFailures.unless(
                    abandoned,
                    () -> source.unseal(
                            passphrase,
                            (address, damaged) -> leaveOut("evm_key", address, damaged),
                            (address, damaged) -> leaveOut("phrase", address, damaged)));
            try {
                if (damage.isPresent() && !(partial && added + evmKeys.size() > 0)) {
                    throw damage.get();
                }
                return vault.end(state, evmKeys);
            } finally {
                evmKeys.forEach(NewEvmKey::close);
            }
        }

        /** @throws KeyringException the cause itself, when it is not about a sealed file; the export must then be repeated */
        private void leaveOut(String part, String address, KeyringException cause) {
            if (cause.reason() != Reason.LOCKED) {
                throw cause;
            }
            LOG.warn("vault export: the {} of {} is left out: {}", part, address, cause.getMessage());
            missing.add(new Missing(part, address));
            damage = damage.or(() -> Optional.of(cause));
        }
    }
}
