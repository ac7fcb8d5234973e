package org.chainwalletd.keyring;

import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.SecretText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations that need the keystore's passphrase in the request: revealing and deleting (interface.md, section 4.11, rule 1). Verifies it
 * by unsealing the stored blob again, and overwrites it afterwards. Does nothing for a caller who has stopped waiting before its turn.
 */
final class KeyReveals {
    private static final Logger LOG = LoggerFactory.getLogger(KeyReveals.class);

    private final KeyringQuestions questions;
    private final KeyWork work;
    private final Supplier<KeyringView> view;
    private final Executor crypto;

    /** @param view returns the current state of the keyring */
    KeyReveals(KeyringQuestions questions, KeyWork work, Supplier<KeyringView> view, Executor crypto) {
        this.questions = questions;
        this.work = work;
        this.view = view;
        this.crypto = crypto;
    }

    CompletableFuture<SecretBytes> secret(Address address, SecretBytes passphrase, BooleanSupplier abandoned) {
        return proved(address, passphrase, abandoned, entry -> {}, entry -> {
            try (SecretBytes secret = work.unseal(entry, passphrase)) {
                return SecretText.hex(secret);
            }
        });
    }

    CompletableFuture<SecretBytes> phrase(Address address, SecretBytes passphrase, BooleanSupplier abandoned) {
        return proved(
                address, passphrase, abandoned, KeyReveals::refuseDerived, entry -> work.phraseOf(entry, passphrase));
    }

    CompletableFuture<SecretBytes> seedPhrase(SecretBytes passphrase, BooleanSupplier abandoned) {
        return questions
                .attempt(abandoned, () -> work.seedPhrase(passphrase))
                .whenCompleteAsync((words, failure) -> passphrase.close(), crypto);
    }

    CompletableFuture<Address> delete(
            Address address, SecretBytes passphrase, Optional<DeletionGuard> guard, BooleanSupplier abandoned) {
        return proved(address, passphrase, abandoned, entry -> {}, entry -> {
                    prove(entry, passphrase, guard.isEmpty());
                    return address;
                })
                .thenComposeAsync(
                        done -> questions.ask(reply -> new KeyringProtocol.Delete(address, guard, reply)), crypto);
    }

    private static void refuseDerived(KeyEntry entry) {
        if (!entry.imported()) {
            throw KeyringFailures.derivedHasNoPhrase(entry);
        }
    }

    /**
     * @param refusal checks the entry before the passphrase is tried, and throws to refuse it
     * @param proof unseals part of the key with the passphrase, which is closed here
     */
    private <T> CompletableFuture<T> proved(
            Address address,
            SecretBytes passphrase,
            BooleanSupplier abandoned,
            Consumer<KeyEntry> refusal,
            Function<KeyEntry, T> proof) {
        return questions
                .entry(address)
                .thenComposeAsync(
                        entry -> {
                            refusal.accept(entry);
                            return questions.attempt(abandoned, () -> unlessGone(entry, proof));
                        },
                        crypto)
                .whenCompleteAsync((done, failure) -> passphrase.close(), crypto);
    }

    /**
     * Verifies the passphrase against the key's own file. If that does not open, a forced deletion relies on the passphrase that was
     * verified against another file when the daemon started.
     */
    private void prove(KeyEntry entry, SecretBytes passphrase, boolean forced) {
        try {
            work.unseal(entry, passphrase).close();
        } catch (KeyringException e) {
            // Never delete a file that opens but holds the key of another address: it may be the only copy of that key.
            if (!forced || e.reason() != Reason.LOCKED || !isOurs(passphrase) || work.holdsAnother(entry, passphrase)) {
                throw e;
            }
            LOG.warn("{} is deleted although its key cannot be unsealed: {}", entry.address(), e.getMessage());
        }
    }

    private boolean isOurs(SecretBytes passphrase) {
        try (SecretBytes own = questions.lent().passphrase()) {
            return own.use(ours -> passphrase.use(given -> MessageDigest.isEqual(ours, given)));
        }
    }

    /** Reports a key that was deleted since the lookup as unknown: its missing file is neither damage nor a wrong passphrase. */
    private <T> T unlessGone(KeyEntry entry, Function<KeyEntry, T> proof) {
        try {
            return proof.apply(entry);
        } catch (KeyringException e) {
            throw entry.imported() && !view.get().hasImported(entry.address())
                    ? KeyringFailures.unknown(entry.address())
                    : e;
        }
    }
}
