package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringSetup;

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
                PassphraseAttempts.create(
                        setup.executors().argon2(), setup.clock(), metrics.wrongPassphrases("keystore")),
                "keystore-attempts");
        this.vaultAttempts = spawner.spawn(
                PassphraseAttempts.create(setup.executors().argon2(), setup.clock(), metrics.wrongPassphrases("vault")),
                "vault-attempts");
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

    /** What an export needs; the passphrase is the caller's to close. Blocks until the actor has answered. */
    KeyringProtocol.Lent lent() {
        return Flows.join(ask(KeyringProtocol.Lend::new));
    }

    /** Proves the keystore's passphrase, as soon as it may be tried, by {@code proof}, which runs on a thread for Argon2id. */
    <T> CompletableFuture<T> attempt(Supplier<T> proof) {
        return attempt(keystoreAttempts, proof);
    }

    /** The same for a vault's passphrase. */
    <T> CompletableFuture<T> attemptVault(Supplier<T> proof) {
        return attempt(vaultAttempts, proof);
    }

    private static <T> CompletableFuture<T> attempt(ActorRef<PassphraseAttempts.Command> counted, Supplier<T> proof) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        counted.tell(new PassphraseAttempts.Attempt<>(proof, reply));
        return reply;
    }
}
