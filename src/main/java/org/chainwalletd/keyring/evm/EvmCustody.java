package org.chainwalletd.keyring.evm;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Mnemonic.MnemonicException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.evm.EvmKeyChanges.EvmReplacement;
import org.chainwalletd.keyring.evm.EvmKeyChanges.Known;
import org.chainwalletd.keyring.store.EvmKeyRecord;
import org.chainwalletd.keyring.store.EvmKeyRecord.Source;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.SecretText;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Work;

/**
 * Account-chain key as its owner sees it (interface.md, section 4.13; swap.md, sections 4 and 5). All methods return at once, except those
 * that say that they block; stages fail with {@link RefusedException} or {@link KeyringException}. The keyring takes ownership of secrets
 * passed to it and overwrites them; the caller owns secrets that are returned.
 */
public final class EvmCustody implements EvmKeys {
    private final ActorRef<EvmKeyActor.Command> actor;
    private final EvmKeyFiles files;
    private final EvmKeyChanges changes;
    private final OfSeed seed;
    private final Sealer sealer;
    private final Proving proving;
    private final KeyringSetup.Executors executors;
    private final Executor crypto;

    /**
     * Secrets derived from the legacy seed, unsealed under a passphrase; each costs one Argon2id and fails without a seed.
     *
     * @param secret secret of the account-chain key
     * @param phrase the seed's words
     */
    public record OfSeed(Function<SecretBytes, SecretBytes> secret, Function<SecretBytes, SecretBytes> phrase) {}

    /** Rate-limited attempts to verify the keystore's passphrase. */
    public interface Proving {
        /**
         * @param abandoned checked before the proof, see {@link KeyringFailures#unless}
         * @param proof runs on an Argon2id thread as soon as an attempt is allowed
         */
        <T> CompletableFuture<T> attempt(BooleanSupplier abandoned, Supplier<T> proof);
    }

    /**
     * @param recording records through the Keyring actor which key is the current one
     * @param news requests a call of {@link #follow} with the store's state at that time; does nothing when no other daemon changes the
     *     store
     * @param passphrase of the keystore; owned by the actor from now on
     */
    public EvmCustody(
            KeyringSetup setup,
            KeyringStore store,
            KeyringStore.Listing found,
            OfSeed seed,
            EvmKeyChanges.Recording recording,
            Runnable news,
            SecretBytes passphrase,
            Proving proving,
            Function<Behavior<EvmKeyActor.Command>, ActorRef<EvmKeyActor.Command>> spawner) {
        this.files = new EvmKeyFiles(setup, store);
        this.changes = new EvmKeyChanges(files, passphrase, recording, setup.clock());
        this.seed = seed;
        this.sealer = setup.sealer();
        this.proving = proving;
        this.executors = setup.executors();
        this.crypto = executors.crypto();
        this.actor = spawner.apply(EvmKeyActor.create(
                new EvmKeyActor.Parts(
                        files,
                        passphrase,
                        found.seeded() ? Optional.of(seed.secret()) : Optional.empty(),
                        executors,
                        news),
                new Known(found.view().evmKey(), found.keptEvm(), Optional.empty())));
    }

    @Override
    public CompletionStage<Optional<EvmAddress>> current() {
        return look().thenApplyAsync(Known::current, crypto);
    }

    @Override
    public CompletionStage<List<EvmAddress>> kept() {
        return look().thenApplyAsync(EvmCustody::all, crypto);
    }

    /** Returns the current address first, without duplicates. */
    private static List<EvmAddress> all(Known known) {
        List<EvmAddress> addresses = new ArrayList<>();
        known.current().ifPresent(addresses::add);
        known.ofSeed().ifPresent(addresses::add);
        addresses.addAll(known.kept());
        return addresses.stream().distinct().toList();
    }

    @Override
    public CompletionStage<Secp256k1.Signature> sign(EvmAddress from, byte[] hash) {
        if (hash.length != Secp256k1.SECRET_LENGTH) {
            throw new IllegalArgumentException("a hash to sign has 32 bytes, not " + hash.length);
        }
        return ask(reply -> new EvmKeyActor.Sign(from, hash, reply));
    }

    /** @param words 24 words in UTF-8 separated by single spaces; owned by the caller */
    public record Created(EvmAddress address, SecretBytes words) {}

    /** Creates a key from a new phrase; cannot be abandoned. */
    public CompletionStage<Created> create(EvmReplacement replacement) {
        return create(replacement, EvmKeyFiles.NEVER);
    }

    /** Creates a key from a new phrase. */
    public CompletionStage<Created> create(EvmReplacement replacement, BooleanSupplier abandoned) {
        return put(
                () -> NewEvmKey.ofPhrase(sealer.newPhrase(), Source.GENERATED),
                () -> {},
                replacement,
                abandoned,
                key -> new Created(key.address(), key.words()));
    }

    /** Imports a key with its phrase; cannot be abandoned. */
    public CompletionStage<EvmAddress> importPhrase(SecretBytes words, EvmReplacement replacement) {
        return importPhrase(words, replacement, EvmKeyFiles.NEVER);
    }

    /** @param words 12 or 24 words in UTF-8, separated by any white space */
    public CompletionStage<EvmAddress> importPhrase(
            SecretBytes words, EvmReplacement replacement, BooleanSupplier abandoned) {
        return put(
                () -> NewEvmKey.ofPhrase(parsed(words), Source.IMPORTED_MNEMONIC),
                words::close,
                replacement,
                abandoned,
                NewEvmKey::address);
    }

    private static Mnemonic parsed(SecretBytes words) {
        try {
            Mnemonic phrase = words.use(utf8 -> Mnemonic.parse(utf8));
            if (!NewEvmKey.isWordCount(phrase.wordCount())) {
                phrase.close();
                throw new KeyringException(
                        Reason.INVALID, "mnemonic: a phrase of the account chain has 12 or 24 words");
            }
            return phrase;
        } catch (MnemonicException e) {
            throw new KeyringException(Reason.INVALID, "mnemonic: " + e.getMessage());
        }
    }

    /** Imports a raw key; cannot be abandoned. */
    public CompletionStage<EvmAddress> importKey(SecretBytes hex, EvmReplacement replacement) {
        return importKey(hex, replacement, EvmKeyFiles.NEVER);
    }

    /** @param hex 64 characters */
    public CompletionStage<EvmAddress> importKey(
            SecretBytes hex, EvmReplacement replacement, BooleanSupplier abandoned) {
        return put(
                () -> NewEvmKey.ofSecret(SecretText.parseHex("private_key_hex", hex)),
                hex::close,
                replacement,
                abandoned,
                NewEvmKey::address);
    }

    /**
     * Makes a key and replaces the current one by it.
     *
     * @param given closes the input from which the key is made
     * @param abandoned checked when the change begins and before the key is sealed, see {@link KeyringFailures#unless}
     * @param answer computed from the key once it is durable
     */
    private <T> CompletableFuture<T> put(
            Supplier<NewEvmKey> made,
            Runnable given,
            EvmReplacement replacement,
            BooleanSupplier abandoned,
            Function<NewEvmKey, T> answer) {
        return Work.on(crypto, () -> {
                    try {
                        return made.get();
                    } finally {
                        given.run();
                    }
                })
                .thenComposeAsync(
                        key -> this.<T>ask(reply -> new EvmKeyActor.Change<>(
                                known -> {
                                    try (key) {
                                        Known after = KeyringFailures.unless(
                                                abandoned, () -> changes.put(known, key, replacement, abandoned));
                                        return new EvmKeyActor.Changed<>(after, answer.apply(key));
                                    }
                                },
                                key::close,
                                reply)),
                        crypto);
    }

    /** Returns the words of the current key; cannot be abandoned. */
    public CompletionStage<SecretBytes> revealPhrase(SecretBytes passphrase) {
        return revealPhrase(passphrase, EvmKeyFiles.NEVER);
    }

    /** Returns the words of the current key separated by single spaces; fails for a key that was imported as a raw key. */
    public CompletionStage<SecretBytes> revealPhrase(SecretBytes passphrase, BooleanSupplier abandoned) {
        return proved(
                passphrase,
                abandoned,
                EvmCustody::requirePhrase,
                known -> known.own()
                        .map(own -> Sealer.words(files.unsealPhrase(own.address(), passphrase)))
                        .orElseGet(() -> seed.phrase().apply(passphrase)));
    }

    private static void requirePhrase(Known known) {
        known.own().filter(own -> !own.source().hasPhrase()).ifPresent(own -> {
            throw RefusedException.invalidParams("the account-chain key " + own.address()
                    + " came as a raw key and has no phrase; use reveal_evm_private_key");
        });
    }

    /** @param secretHex 64 characters; owned by the caller */
    public record Revealed(EvmAddress address, SecretBytes secretHex) {}

    /** Returns the secret of the current key; cannot be abandoned. */
    public CompletionStage<Revealed> revealKey(SecretBytes passphrase) {
        return revealKey(passphrase, EvmKeyFiles.NEVER);
    }

    /** Returns the secret of the current key. */
    public CompletionStage<Revealed> revealKey(SecretBytes passphrase, BooleanSupplier abandoned) {
        return proved(passphrase, abandoned, known -> {}, known -> {
            try (SecretBytes secret = secretOf(known, passphrase)) {
                return new Revealed(known.current().orElseThrow(), SecretText.hex(secret));
            }
        });
    }

    private SecretBytes secretOf(Known known, SecretBytes passphrase) {
        return known.own()
                .map(own -> files.unseal(own.address(), passphrase))
                .orElseGet(() -> seed.secret().apply(passphrase));
    }

    /** Removes the current key; cannot be abandoned. */
    public CompletionStage<EvmAddress> delete(SecretBytes passphrase, Optional<EvmKeyGuard> guard) {
        return delete(passphrase, guard, EvmKeyFiles.NEVER);
    }

    /**
     * Removes the current key permanently, after the passphrase was verified against the key's own file and {@code guard} did not object.
     * Keys replaced earlier are kept.
     *
     * @param guard empty to remove the key whatever it holds
     */
    public CompletionStage<EvmAddress> delete(
            SecretBytes passphrase, Optional<EvmKeyGuard> guard, BooleanSupplier abandoned) {
        return proved(passphrase, abandoned, known -> {}, known -> {
                    secretOf(known, passphrase).close();
                    return known.current().orElseThrow();
                })
                .thenComposeAsync(
                        address -> this.<EvmAddress>ask(reply -> new EvmKeyActor.Change<>(
                                known -> new EvmKeyActor.Changed<>(changes.delete(known, address, guard), address),
                                () -> {},
                                reply)),
                        crypto);
    }

    /**
     * Runs {@code proof} on the current key as a rate-limited passphrase attempt.
     *
     * @param refusal checks the keys before the passphrase is tried, and throws to refuse
     * @param proof unseals part of the current key with the passphrase, which is closed here
     */
    private <T> CompletableFuture<T> proved(
            SecretBytes passphrase, BooleanSupplier abandoned, Consumer<Known> refusal, Function<Known, T> proof) {
        return look().thenComposeAsync(
                        known -> {
                            if (known.current().isEmpty()) {
                                throw new RefusedException(EvmKeyRefusal.noKey());
                            }
                            refusal.accept(known);
                            return proving.attempt(abandoned, () -> proof.apply(known));
                        },
                        crypto)
                .whenCompleteAsync((done, failure) -> passphrase.close(), crypto);
    }

    /**
     * Unseals all keys for a vault one after the other, the current one first; the caller owns them. Blocking.
     *
     * @param damagedKey called with each key that cannot be unsealed and the reason; an exception from it ends the export
     * @param damagedPhrase called with each key whose phrase cannot be unsealed; as {@code damagedKey}
     */
    public List<NewEvmKey> forVault(
            SecretBytes passphrase,
            BiConsumer<String, KeyringException> damagedKey,
            BiConsumer<String, KeyringException> damagedPhrase) {
        Known known = Flows.join(look());
        List<NewEvmKey> keys = new ArrayList<>();
        try {
            for (EvmAddress address : all(known)) {
                try {
                    keys.add(executors
                            .argon2()
                            .compute(Urgency.PROOF, () -> exported(known, address, passphrase, damagedPhrase)));
                } catch (RuntimeException e) {
                    damagedKey.accept(address.toString(), KeyringFailures.of(e));
                }
            }
            return keys;
        } catch (RuntimeException e) {
            keys.forEach(NewEvmKey::close);
            throw e;
        }
    }

    /** Unseals a key with its phrase, if it has one that opens. Up to two Argon2id. */
    private NewEvmKey exported(
            Known known,
            EvmAddress address,
            SecretBytes passphrase,
            BiConsumer<String, KeyringException> damagedPhrase) {
        boolean derived = known.ofSeed().equals(Optional.of(address)) && !known.isStored(address);
        if (derived) {
            return new NewEvmKey(seed.secret().apply(passphrase), Optional.empty(), address, Source.IMPORTED_KEY);
        }
        Optional<Source> recorded =
                known.own().filter(own -> own.address().equals(address)).map(EvmKeyRecord::source);
        SecretBytes secret = files.unseal(address, passphrase);
        try {
            Optional<SecretBytes> entropy = phraseOf(address, recorded, passphrase, damagedPhrase);
            Source source = recorded.orElse(entropy.isPresent() ? Source.IMPORTED_MNEMONIC : Source.IMPORTED_KEY);
            return new NewEvmKey(secret, entropy, address, source);
        } catch (RuntimeException e) {
            secret.close();
            throw e;
        }
    }

    /**
     * Empty when the key has no phrase, or one that was reported as damaged.
     *
     * @param recorded source of the current key; only that key may have its phrase in the current key's place
     */
    private Optional<SecretBytes> phraseOf(
            EvmAddress address,
            Optional<Source> recorded,
            SecretBytes passphrase,
            BiConsumer<String, KeyringException> damagedPhrase) {
        try {
            boolean has = recorded.filter(Source::hasPhrase).isPresent() || files.hasKeptPhrase(address);
            return has ? Optional.of(files.unsealPhrase(address, passphrase)) : Optional.empty();
        } catch (RuntimeException e) {
            damagedPhrase.accept(address.toString(), KeyringFailures.of(e));
            return Optional.empty();
        }
    }

    /** Imports the keys of a vault that are not present yet. They stay open. */
    public CompletableFuture<Void> restore(List<NewEvmKey> keys) {
        return keys.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : ask(reply -> new EvmKeyActor.Change<>(
                        known -> new EvmKeyActor.Changed<>(changes.restore(known, keys), null), () -> {}, reply));
    }

    /**
     * Takes over changes that other daemons have made to the keys.
     *
     * @param own record of the current key, unless that is the seed's key
     * @param kept addresses of the keys that have their own place
     */
    public void follow(Optional<EvmKeyRecord> own, Set<EvmAddress> kept) {
        actor.tell(new EvmKeyActor.Follow(own, kept));
    }

    /** Closes the account-chain keys; see {@link Keyring#close}. */
    public CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        actor.tell(new EvmKeyActor.Close(closed));
        return closed;
    }

    private CompletableFuture<Known> look() {
        return ask(EvmKeyActor.Look::new);
    }

    private <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, EvmKeyActor.Command> question) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        actor.tell(question.apply(reply));
        return reply;
    }
}
