package org.chainwalletd.keyring;

import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.chainwalletd.keyring.Stretching.Urgency;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What needs the keystore's passphrase of the request: revealing and deleting (interface.md, section 4.11, rule 1). It is proved by unsealing the
 * stored blob anew, and overwritten here.
 */
final class KeyReveals {
    private static final Logger LOG = LoggerFactory.getLogger(KeyReveals.class);

    private final KeyringQuestions questions;
    private final KeyWork work;
    private final Supplier<KeyringView> view;
    private final Executor crypto;

    /** @param view the keyring at the moment */
    KeyReveals(KeyringQuestions questions, KeyWork work, Supplier<KeyringView> view, Executor crypto) {
        this.questions = questions;
        this.work = work;
        this.view = view;
        this.crypto = crypto;
    }

    CompletableFuture<SecretBytes> secret(Address address, SecretBytes passphrase) {
        return unsealed(address, passphrase)
                .thenApplyAsync(
                        secret -> {
                            try (secret) {
                                return SecretHex.of(secret);
                            }
                        },
                        crypto)
                .whenCompleteAsync((hex, failure) -> passphrase.close(), crypto);
    }

    private CompletableFuture<SecretBytes> unsealed(Address address, SecretBytes passphrase) {
        return questions
                .entry(address)
                .thenComposeAsync(
                        entry -> questions.attempt(
                                () -> unlessGone(entry, work.unseal(entry, passphrase, Urgency.PROOF))),
                        crypto);
    }

    CompletableFuture<SecretBytes> phrase(Address address, SecretBytes passphrase) {
        return questions
                .entry(address)
                .thenComposeAsync(
                        entry -> entry.imported()
                                ? questions.attempt(() -> unlessGone(entry, work.phraseOf(entry, passphrase)))
                                : CompletableFuture.failedFuture(KeyringFailures.derivedHasNoPhrase(entry)),
                        crypto)
                .whenCompleteAsync((words, failure) -> passphrase.close(), crypto);
    }

    CompletableFuture<SecretBytes> seedPhrase(SecretBytes passphrase) {
        return questions
                .attempt(() -> work.seedPhrase(passphrase))
                .whenCompleteAsync((words, failure) -> passphrase.close(), crypto);
    }

    CompletableFuture<Address> delete(Address address, SecretBytes passphrase, Optional<DeletionGuard> guard) {
        return questions
                .entry(address)
                .thenComposeAsync(
                        entry -> questions.attempt(() -> unlessGone(entry, proof(entry, passphrase, guard.isEmpty()))),
                        crypto)
                .whenCompleteAsync((done, failure) -> passphrase.close(), crypto)
                .thenComposeAsync(
                        done -> questions.ask(reply -> new KeyringProtocol.Delete(address, guard, reply)), crypto);
    }

    /**
     * The passphrase is proved on the key's own file. Where that does not open, a deletion that is forced rests on the passphrase that was
     * proved on another file when the daemon started.
     */
    private CompletableFuture<Void> proof(KeyEntry entry, SecretBytes passphrase, boolean forced) {
        return work.unseal(entry, passphrase, Urgency.PROOF)
                .thenAcceptAsync(SecretBytes::close, crypto)
                .exceptionallyComposeAsync(
                        failure -> forced && KeyringFailures.of(failure).reason() == Reason.LOCKED
                                ? proofWithoutFile(entry, passphrase, failure)
                                : CompletableFuture.failedFuture(failure),
                        crypto);
    }

    /** A file that opens and holds the key of another address is not this key's to delete: it may be the only copy of that one. */
    private CompletableFuture<Void> proofWithoutFile(KeyEntry entry, SecretBytes passphrase, Throwable failure) {
        return questions
                .lent(lent -> CompletableFuture.completedFuture(
                        lent.passphrase().use(own -> passphrase.use(given -> MessageDigest.isEqual(own, given)))))
                .thenComposeAsync(
                        same -> same
                                ? work.holdsAnother(entry, passphrase)
                                : CompletableFuture.<Boolean>failedFuture(failure),
                        crypto)
                .thenAcceptAsync(
                        another -> {
                            if (another) {
                                throw KeyringFailures.of(failure);
                            }
                            LOG.warn(
                                    "{} is deleted although its key cannot be unsealed: {}",
                                    entry.address(),
                                    KeyringFailures.of(failure).getMessage());
                        },
                        crypto);
    }

    /** A key that was deleted since it was found is an unknown one: its missing file is neither damage nor a wrong passphrase. */
    private <T> CompletableFuture<T> unlessGone(KeyEntry entry, CompletableFuture<T> unsealing) {
        return unsealing.exceptionallyComposeAsync(
                failure -> CompletableFuture.failedFuture(
                        entry.imported() && !view.get().hasImported(entry.address())
                                ? KeyringFailures.unknown(entry.address())
                                : failure),
                crypto);
    }
}
