package org.chainwalletd.keyring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.KeyringProtocol.Derive;
import org.chainwalletd.keyring.KeyringProtocol.Find;
import org.chainwalletd.keyring.KeyringProtocol.Learnt;
import org.chainwalletd.keyring.KeyringProtocol.Question;
import org.chainwalletd.keyring.KeyringProtocol.SeedUnsealed;
import org.chainwalletd.keyring.KeyringProtocol.Sign;
import org.chainwalletd.keyring.KeyringProtocol.Unsealed;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;

/**
 * The questions that need a secret: each key, and the seed, is unsealed once, and whoever needs it meanwhile waits for the same Argon2id.
 * Unsealed keys also tell public keys that were not known. Belongs to the Keyring actor.
 */
final class Unsealings {
    private final ActorContext<Command> context;
    private final KeyTable table;
    private final StateWrites writes;
    private final KeyWork work;
    private final Set<Address> moving;
    private final SecretBytes passphrase;
    private final UnsealedKeys unsealed;
    private final Executor crypto;
    private final Stretching argon2;
    private final Consumer<Derive> derive;

    /** @param derive goes on with a question when the seed is unsealed */
    Unsealings(KeyringParts shared, KeyringSetup.Executors executors, Consumer<Derive> derive) {
        this.context = shared.context();
        this.table = shared.table();
        this.writes = shared.writes();
        this.work = shared.work();
        this.moving = shared.moving();
        this.passphrase = shared.passphrase();
        this.unsealed = shared.unsealed();
        this.crypto = executors.crypto();
        this.argon2 = executors.argon2();
        this.derive = derive;
    }

    void find(Find question) {
        Optional<KeyEntry> entry = table.find(question.address());
        Optional<SigningKey> key = unsealed.key(question.address());
        if (entry.isEmpty() || !question.withPublicKey() || work.hasPublicKey(entry.get())) {
            question.reply().complete(entry);
        } else if (key.isPresent()) {
            PublicKey known = PublicKey.of(key.get().publicKey());
            question.reply().complete(Optional.of(entry.get().withPublicKey(known)));
        } else {
            unsealFor(entry.get(), question);
        }
    }

    void sign(Sign question) {
        Optional<SigningKey> key = unsealed.key(question.address());
        if (key.isPresent()) {
            crypto.execute(() -> KeyWork.sign(key.get(), question.message(), question.reply()));
            return;
        }
        table.find(question.address())
                .ifPresentOrElse(
                        entry -> unsealFor(entry, question),
                        () -> question.refuse(KeyringFailures.unknown(question.address())));
    }

    /** Everybody who needs the same key waits for one Argon2id, and then asks again. */
    private void unsealFor(KeyEntry entry, Question question) {
        if (!entry.imported() && unsealed.seed().isEmpty()) {
            unsealSeedFor(question);
        } else if (unsealed.waitForKey(entry.address(), question)) {
            CompletableFuture<SecretBytes> secret = entry.imported()
                    ? argon2.submit(Urgency.SPEND, () -> work.unseal(entry, passphrase))
                    : derived(entry, unsealed.seed().orElseThrow());
            Outcome.pipe(context, secret, value -> new Unsealed(entry.address(), value));
        }
    }

    private CompletableFuture<SecretBytes> derived(KeyEntry entry, SecretBytes seed) {
        return Work.on(crypto, () -> work.derive(entry, seed));
    }

    void unsealSeedFor(Question question) {
        if (unsealed.waitForSeed(question)) {
            Outcome.pipe(context, argon2.submit(Urgency.SPEND, () -> work.unsealSeed(passphrase)), SeedUnsealed::new);
        }
    }

    /** So that the first key that is derived, and the first that signs, need not wait for it. */
    void unsealSeedAhead(Executor background) {
        if (unsealed.seed().isEmpty()) {
            Outcome.pipe(context, work.unsealSeedAhead(passphrase, background), SeedUnsealed::new);
        }
    }

    void ended(Unsealed outcome) {
        List<Question> waiting = unsealed.endWaitForKey(outcome.address());
        outcome.secret()
                .match(
                        secret -> takeOver(outcome.address(), secret, waiting),
                        failure -> refuse(waiting, KeyringFailures.of(failure)));
    }

    private void takeOver(Address address, SecretBytes secret, List<Question> waiting) {
        Optional<KeyEntry> entry = table.find(address);
        if (entry.isEmpty() || moving.contains(address)) {
            secret.close();
            refuse(waiting, KeyringFailures.unknown(address));
        } else {
            SigningKey key = SigningKey.takeOver(secret);
            unsealed.put(address, key);
            if (!work.hasPublicKey(entry.get())) {
                learn(List.of(entry.get().withPublicKey(PublicKey.of(key.publicKey()))));
            }
            waiting.forEach(this::again);
        }
    }

    void seedEnded(SeedUnsealed outcome) {
        List<Question> waiting = unsealed.endWaitForSeed();
        outcome.seed()
                .match(
                        seed -> {
                            takeOverSeed(seed);
                            waiting.forEach(this::again);
                        },
                        failure -> refuse(waiting, KeyringFailures.of(failure)));
    }

    private void takeOverSeed(SecretBytes seed) {
        if (unsealed.seed().isPresent()) {
            // A call needed it while it was being unsealed ahead of time.
            seed.close();
            return;
        }
        unsealed.putSeed(seed);
        List<KeyEntry> unknown = table.derivedWithoutPublicKey();
        if (!unknown.isEmpty()) {
            Outcome.pipe(context, Work.on(crypto, () -> work.learnDerived(seed, unknown)), Learnt::new);
        }
    }

    /** At once, and not through the mailbox, where later questions would overtake it. */
    private void again(Question question) {
        if (question instanceof Sign sign) {
            sign(sign);
        } else if (question instanceof Find find) {
            find(find);
        } else if (question instanceof Derive next) {
            derive.accept(next);
        } else {
            throw new IllegalStateException("does not wait for a secret: " + question.getClass());
        }
    }

    private static void refuse(List<Question> waiting, KeyringException refusal) {
        waiting.forEach(question -> question.refuse(refusal));
    }

    void learnt(Learnt outcome) {
        outcome.entries()
                .match(
                        this::learn,
                        failure -> KeyringFailures.log("the public keys of derived addresses stay unknown", failure));
    }

    private void learn(List<KeyEntry> entries) {
        Map<Address, KeyEntry> replaced = new HashMap<>();
        entries.stream()
                .filter(entry -> isUnknown(entry.address()))
                .forEach(entry -> replaced.put(entry.address(), entry));
        if (!replaced.isEmpty()) {
            writes.submit(KeyTable.Change.learning(replaced));
        }
    }

    private boolean isUnknown(Address address) {
        return table.find(address).filter(entry -> !work.hasPublicKey(entry)).isPresent() && !moving.contains(address);
    }
}
