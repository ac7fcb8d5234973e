package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;

/** How the Keyring actor is asked, and how proofs of a passphrase are tried. Stages fail with {@link KeyringException}. */
final class KeyringQuestions {
    private final ActorRef<KeyringProtocol.Command> actor;
    private final ActorRef<PassphraseAttempts.Command> keystoreAttempts;
    private final ActorRef<PassphraseAttempts.Command> vaultAttempts;
    private final Executor crypto;

    KeyringQuestions(
            ActorRef<KeyringProtocol.Command> actor, KeyringSetup setup, KeyringMetrics metrics, Spawner spawner) {
        this.actor = actor;
        this.keystoreAttempts = spawner.spawn(
                PassphraseAttempts.create(setup.clock(), metrics.wrongPassphrases("keystore")), "keystore-attempts");
        this.vaultAttempts = spawner.spawn(
                PassphraseAttempts.create(setup.clock(), metrics.wrongPassphrases("vault")), "vault-attempts");
        this.crypto = setup.executors().crypto();
    }

    void tell(KeyringProtocol.Command command) {
        actor.tell(command);
    }

    <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, KeyringProtocol.Command> question) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        actor.tell(question.apply(reply));
        return reply;
    }

    CompletableFuture<KeyEntry> entry(Address address) {
        return this.<Optional<KeyEntry>>ask(reply -> new KeyringProtocol.Find(address, false, reply))
                .thenApplyAsync(found -> found.orElseThrow(() -> KeyringFailures.unknown(address)), crypto);
    }

    /** Does something with what an export needs, and overwrites the passphrase after it. */
    <T> CompletableFuture<T> lent(Function<KeyringProtocol.Lent, CompletableFuture<T>> use) {
        return this.<KeyringProtocol.Lent>ask(KeyringProtocol.Lend::new)
                .thenComposeAsync(
                        lent -> use.apply(lent)
                                .whenCompleteAsync(
                                        (done, failure) -> lent.passphrase().close(), crypto),
                        crypto);
    }

    /** A proof of the keystore's passphrase, as soon as it may be tried. */
    <T> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> proof) {
        return attempt(keystoreAttempts, proof);
    }

    /** A proof of a vault's passphrase, as soon as it may be tried. */
    <T> CompletableFuture<T> attemptVault(Supplier<CompletableFuture<T>> proof) {
        return attempt(vaultAttempts, proof);
    }

    private static <T> CompletableFuture<T> attempt(
            ActorRef<PassphraseAttempts.Command> counted, Supplier<CompletableFuture<T>> proof) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        counted.tell(new PassphraseAttempts.Attempt<>(proof, reply));
        return reply;
    }
}
