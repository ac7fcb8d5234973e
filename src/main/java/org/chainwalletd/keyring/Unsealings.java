package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
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
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;

/**
 * Questions that need a secret. Each key, and the seed, is unsealed once; questions that need it meanwhile wait for the same Argon2id.
 * Unsealed keys also supply missing public keys. Belongs to the Keyring actor.
 */
final class Unsealings {
    private final KeyringParts keyring;
    private final ConcurrentMap<Address, SigningKey> keys;
    private final Consumer<Derive> derive;
    private final Map<Address, List<Question>> waitingForKey = new HashMap<>();
    private final List<Question> waitingForSeed = new ArrayList<>();
    private Optional<SecretBytes> seed = Optional.empty();

    /**
     * @param keys unsealed keys, written only here; other threads only sign with them and must expect a key to be closed at any time
     * @param derive continues a question after the seed is unsealed
     */
    Unsealings(KeyringParts keyring, ConcurrentMap<Address, SigningKey> keys, Consumer<Derive> derive) {
        this.keyring = keyring;
        this.keys = keys;
        this.derive = derive;
    }

    /** Empty when the seed is sealed or there is none. */
    Optional<SecretBytes> seed() {
        return seed;
    }

    Map<Address, SigningKey> copy() {
        return Map.copyOf(keys);
    }

    private Optional<SigningKey> key(Address address) {
        return Optional.ofNullable(keys.get(address));
    }

    void find(Find question) {
        Optional<KeyEntry> entry = keyring.table().find(question.address());
        Optional<SigningKey> key = key(question.address());
        if (entry.isEmpty() || !question.withPublicKey() || keyring.work().hasPublicKey(entry.get())) {
            question.reply().complete(entry);
        } else if (key.isPresent()) {
            PublicKey known = PublicKey.of(key.get().publicKey());
            question.reply().complete(Optional.of(entry.get().withPublicKey(known)));
        } else {
            unsealFor(entry.get(), question);
        }
    }

    void sign(Sign question) {
        Optional<SigningKey> key = key(question.address());
        if (key.isPresent()) {
            keyring.executors().crypto().execute(() -> KeyWork.sign(key.get(), question.message(), question.reply()));
            return;
        }
        keyring.table()
                .find(question.address())
                .ifPresentOrElse(
                        entry -> unsealFor(entry, question),
                        () -> question.refuse(KeyringFailures.unknown(question.address())));
    }

    /** Lets all questions for the same key wait for one Argon2id; each is then handled again. */
    private void unsealFor(KeyEntry entry, Question question) {
        if (!entry.imported() && seed.isEmpty()) {
            unsealSeedFor(question);
            return;
        }
        List<Question> others = waitingForKey.computeIfAbsent(entry.address(), unused -> new ArrayList<>());
        others.add(question);
        if (others.size() == 1) {
            Outcome.pipe(keyring.context(), unsealed(entry), value -> new Unsealed(entry.address(), value));
        }
    }

    private CompletableFuture<SecretBytes> unsealed(KeyEntry entry) {
        if (entry.imported()) {
            return argon2(() -> keyring.work().unseal(entry, keyring.passphrase()));
        }
        SecretBytes entropy = seed.orElseThrow();
        return Work.on(keyring.executors().crypto(), () -> keyring.work().derive(entry, entropy));
    }

    private CompletableFuture<SecretBytes> argon2(Supplier<SecretBytes> unsealing) {
        return keyring.executors().argon2().submit(Urgency.SPEND, unsealing);
    }

    void unsealSeedFor(Question question) {
        waitingForSeed.add(question);
        if (waitingForSeed.size() == 1) {
            Outcome.pipe(
                    keyring.context(),
                    argon2(() -> keyring.work().unsealSeed(keyring.passphrase())),
                    SeedUnsealed::new);
        }
    }

    /** Unseals the seed in the background, so that the first derivation and the first signature need not wait for it. */
    void unsealSeedAhead(Executor background) {
        if (seed.isEmpty()) {
            Outcome.pipe(
                    keyring.context(),
                    keyring.work().unsealSeedAhead(keyring.passphrase(), background),
                    SeedUnsealed::new);
        }
    }

    void ended(Unsealed outcome) {
        List<Question> waiting =
                Optional.ofNullable(waitingForKey.remove(outcome.address())).orElse(List.of());
        outcome.secret()
                .match(
                        secret -> takeOver(outcome.address(), secret, waiting),
                        failure -> refuse(waiting, KeyringFailures.of(failure)));
    }

    private void takeOver(Address address, SecretBytes secret, List<Question> waiting) {
        Optional<KeyEntry> entry = keyring.table().find(address);
        if (entry.isEmpty() || keyring.moving().contains(address)) {
            secret.close();
            refuse(waiting, KeyringFailures.unknown(address));
        } else {
            SigningKey key = SigningKey.takeOver(secret);
            keys.put(address, key);
            if (!keyring.work().hasPublicKey(entry.get())) {
                learn(List.of(entry.get().withPublicKey(PublicKey.of(key.publicKey()))));
            }
            waiting.forEach(this::again);
        }
    }

    void seedEnded(SeedUnsealed outcome) {
        List<Question> waiting = List.copyOf(waitingForSeed);
        waitingForSeed.clear();
        outcome.seed()
                .match(
                        entropy -> {
                            takeOverSeed(entropy);
                            waiting.forEach(this::again);
                        },
                        failure -> refuse(waiting, KeyringFailures.of(failure)));
    }

    private void takeOverSeed(SecretBytes entropy) {
        if (seed.isPresent()) {
            // A call needed the seed and unsealed it during the background unsealing.
            entropy.close();
            return;
        }
        seed = Optional.of(entropy);
        List<KeyEntry> unknown = keyring.table().derivedWithoutPublicKey();
        if (!unknown.isEmpty()) {
            Outcome.pipe(
                    keyring.context(),
                    Work.on(keyring.executors().crypto(), () -> keyring.work().learnDerived(entropy, unknown)),
                    Learnt::new);
        }
    }

    /** Handles a question again directly, not through the mailbox, where later questions would overtake it. */
    private void again(Question question) {
        if (question instanceof Sign sign) {
            sign(sign);
        } else if (question instanceof Find find) {
            find(find);
        } else if (question instanceof Derive next) {
            derive.accept(next);
        } else {
            throw new IllegalStateException("unexpected question waiting for a secret: " + question.getClass());
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
            keyring.writes().submit(KeyTable.Change.learning(replaced));
        }
    }

    private boolean isUnknown(Address address) {
        return keyring.table()
                        .find(address)
                        .filter(entry -> !keyring.work().hasPublicKey(entry))
                        .isPresent()
                && !keyring.moving().contains(address);
    }

    void remove(Address address) {
        Optional.ofNullable(keys.remove(address)).ifPresent(SigningKey::close);
    }

    /** Overwrites all secrets and refuses all waiting questions. */
    void wipe(KeyringException refusal) {
        keys.values().forEach(SigningKey::close);
        keys.clear();
        seed.ifPresent(SecretBytes::close);
        seed = Optional.empty();
        List<Question> waiting = new ArrayList<>(waitingForSeed);
        waitingForSeed.clear();
        waitingForKey.values().forEach(waiting::addAll);
        waitingForKey.clear();
        refuse(waiting, refusal);
    }
}
