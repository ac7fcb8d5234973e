package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.MnemonicException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeyChanges.Known;
import org.chainwalletd.keyring.EvmKeyRecord.Source;
import org.chainwalletd.keyring.KeyringException.Reason;

/**
 * The account-chain key as its owner sees it (interface.md, section 4.13; swap.md, sections 4 and 5). All methods return at once; stages fail
 * with {@link EvmKeyException} or {@link KeyringException}. Secrets that are handed over belong to the keyring from then on, which overwrites
 * them; secrets that are answered belong to the caller.
 */
public final class EvmCustody implements EvmKeys {
    private final ActorRef<EvmKeyActor.Command> actor;
    private final EvmKeyFiles files;
    private final KeyWork work;
    private final Sealer sealer;
    private final KeyringQuestions questions;
    private final Executor crypto;

    /**
     * @param recording tells the Keyring actor which key is the current one
     * @param passphrase of the keystore; belongs to the actor from now on
     */
    EvmCustody(
            Groundwork groundwork,
            KeyWork work,
            EvmKeyChanges.Recording recording,
            SecretBytes passphrase,
            KeyringQuestions questions,
            Spawner spawner) {
        KeyringSetup setup = groundwork.setup();
        KeyringStore.Listing found = groundwork.loaded().join();
        this.files = new EvmKeyFiles(setup, groundwork.store());
        this.work = work;
        this.sealer = setup.sealer();
        this.questions = questions;
        this.crypto = setup.executors().crypto();
        EvmKeyChanges changes = new EvmKeyChanges(files, passphrase, recording, setup.clock(), crypto);
        this.actor = spawner.spawn(
                EvmKeyActor.create(
                        new EvmKeyActor.Parts(
                                files,
                                changes,
                                passphrase,
                                found.seeded() ? Optional.of(work::evmSecretOfSeed) : Optional.empty(),
                                crypto),
                        new Known(found.view().evmKey(), found.keptEvm(), Optional.empty())),
                "evm-keys");
    }

    @Override
    public CompletionStage<Optional<EvmAddress>> current() {
        return look().thenApplyAsync(Known::current, crypto);
    }

    @Override
    public CompletionStage<List<EvmAddress>> kept() {
        return look().thenApplyAsync(EvmCustody::all, crypto);
    }

    /** The current one first, each once. */
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

    /** @param words 24 of them in UTF-8, with single spaces between them; belong to the caller */
    public record Created(EvmAddress address, SecretBytes words) {}

    /** Makes a key of new words. */
    public CompletionStage<Created> create(EvmReplacement replacement) {
        return made(() -> NewEvmKey.ofPhrase(sealer.newPhrase(), Source.GENERATED))
                .thenComposeAsync(
                        key -> {
                            SecretBytes words = key.words();
                            EvmAddress address = key.address();
                            return put(key, replacement)
                                    .whenCompleteAsync((done, failure) -> closeAfter(failure, words), crypto)
                                    .thenApplyAsync(done -> new Created(address, words), crypto);
                        },
                        crypto);
    }

    private static void closeAfter(Throwable failure, SecretBytes words) {
        if (failure != null) {
            words.close();
        }
    }

    /** @param words 12 or 24 in UTF-8, with any white space */
    public CompletionStage<EvmAddress> importPhrase(SecretBytes words, EvmReplacement replacement) {
        return imported(
                () -> {
                    try (words) {
                        return NewEvmKey.ofPhrase(parsed(words), Source.IMPORTED_MNEMONIC);
                    }
                },
                replacement);
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

    /** @param hex 64 characters */
    public CompletionStage<EvmAddress> importKey(SecretBytes hex, EvmReplacement replacement) {
        return imported(
                () -> {
                    try (hex) {
                        return NewEvmKey.ofSecret(SecretHex.parse("private_key_hex", hex));
                    }
                },
                replacement);
    }

    private CompletionStage<EvmAddress> imported(Supplier<NewEvmKey> key, EvmReplacement replacement) {
        return made(key)
                .thenComposeAsync(
                        made -> {
                            EvmAddress address = made.address();
                            return put(made, replacement).thenApplyAsync(done -> address, crypto);
                        },
                        crypto);
    }

    /** The words of the current key, with single spaces between them; refused for one that came as a raw key. */
    public CompletionStage<SecretBytes> revealPhrase(SecretBytes passphrase) {
        return present()
                .thenApplyAsync(EvmCustody::withPhrase, crypto)
                .thenComposeAsync(known -> questions.attempt(() -> phraseOf(known, passphrase)), crypto)
                .whenCompleteAsync((words, failure) -> passphrase.close(), crypto);
    }

    private static Known withPhrase(Known known) {
        known.own().filter(own -> !own.source().hasPhrase()).ifPresent(own -> {
            throw new EvmKeyException(new EvmKeyRefusal.Invalid("the account-chain key " + own.address()
                    + " came as a raw key and has no phrase; use reveal_evm_private_key"));
        });
        return known;
    }

    private CompletableFuture<SecretBytes> phraseOf(Known known, SecretBytes passphrase) {
        return known.own()
                .map(own -> files.unsealPhrase(own.address(), passphrase).thenApplyAsync(KeyWork::words, crypto))
                .orElseGet(() -> work.seedPhrase(passphrase));
    }

    /** @param secretHex 64 characters; belongs to the caller */
    public record Revealed(EvmAddress address, SecretBytes secretHex) {}

    /** The current key. */
    public CompletionStage<Revealed> revealKey(SecretBytes passphrase) {
        return present()
                .thenComposeAsync(
                        known -> questions
                                .attempt(() -> secretOf(known, passphrase))
                                .thenApplyAsync(
                                        secret -> {
                                            try (secret) {
                                                return new Revealed(
                                                        known.current().orElseThrow(), SecretHex.of(secret));
                                            }
                                        },
                                        crypto),
                        crypto)
                .whenCompleteAsync((revealed, failure) -> passphrase.close(), crypto);
    }

    private CompletableFuture<SecretBytes> secretOf(Known known, SecretBytes passphrase) {
        return known.own()
                .map(own -> files.unseal(own.address(), passphrase))
                .orElseGet(() -> work.evmSecretOfSeed(passphrase));
    }

    /**
     * Removes the current key for good, after the passphrase was proved on its own file and {@code guard} had nothing against it. Keys that
     * were replaced earlier stay.
     *
     * @param guard empty to remove it whatever it holds
     */
    public CompletionStage<EvmAddress> delete(SecretBytes passphrase, Optional<EvmKeyGuard> guard) {
        return present()
                .thenComposeAsync(
                        known -> questions
                                .attempt(() -> secretOf(known, passphrase))
                                .thenComposeAsync(
                                        secret -> {
                                            secret.close();
                                            return this.<Known>ask(reply -> new EvmKeyActor.Delete(
                                                    known.current().orElseThrow(), guard, reply));
                                        },
                                        crypto)
                                .thenApplyAsync(done -> known.current().orElseThrow(), crypto),
                        crypto)
                .whenCompleteAsync((deleted, failure) -> passphrase.close(), crypto);
    }

    /**
     * The keys for a vault, the current one first, unsealed one after the other; they belong to the caller.
     *
     * @param damaged hears of keys that cannot be unsealed, with the reason; what it throws ends the export
     */
    CompletableFuture<List<NewEvmKey>> forVault(SecretBytes passphrase, BiConsumer<String, Throwable> damaged) {
        List<NewEvmKey> keys = new ArrayList<>();
        return look().thenComposeAsync(
                        known -> {
                            List<EvmAddress> addresses = all(known);
                            return OneByOne.run(
                                    addresses.size(),
                                    crypto,
                                    i -> exported(known, addresses.get(i), passphrase)
                                            .thenAcceptAsync(keys::add, crypto)
                                            .exceptionallyAsync(
                                                    failure -> {
                                                        damaged.accept(
                                                                addresses.get(i).toString(), failure);
                                                        return null;
                                                    },
                                                    crypto));
                        },
                        crypto)
                .whenCompleteAsync((done, failure) -> closeAfter(failure, keys), crypto)
                .thenApplyAsync(done -> keys, crypto);
    }

    private static void closeAfter(Throwable failure, List<NewEvmKey> keys) {
        if (failure != null) {
            keys.forEach(NewEvmKey::close);
        }
    }

    /** With its phrase, when it has one of its own that opens. */
    private CompletableFuture<NewEvmKey> exported(Known known, EvmAddress address, SecretBytes passphrase) {
        boolean derived = known.ofSeed().equals(Optional.of(address)) && !known.isStored(address);
        if (derived) {
            return work.evmSecretOfSeed(passphrase)
                    .thenApplyAsync(
                            secret -> new NewEvmKey(secret, Optional.empty(), address, Source.IMPORTED_KEY), crypto);
        }
        Optional<Source> source =
                known.own().filter(own -> own.address().equals(address)).map(EvmKeyRecord::source);
        return files.unseal(address, passphrase)
                .thenComposeAsync(
                        secret -> files.phraseIfThere(address, passphrase)
                                .thenApplyAsync(
                                        entropy -> new NewEvmKey(
                                                secret,
                                                entropy,
                                                address,
                                                source.orElse(
                                                        entropy.isPresent()
                                                                ? Source.IMPORTED_MNEMONIC
                                                                : Source.IMPORTED_KEY)),
                                        crypto),
                        crypto);
    }

    /** Takes in the keys of a vault that are not there yet. */
    CompletableFuture<Void> restore(List<NewEvmKey> keys) {
        return keys.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : this.<Known>ask(reply -> new EvmKeyActor.Restore(keys, reply)).thenAcceptAsync(done -> {}, crypto);
    }

    /** See {@link Keyring#close}. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        actor.tell(new EvmKeyActor.Close(closed));
        return closed;
    }

    private CompletableFuture<Known> put(NewEvmKey key, EvmReplacement replacement) {
        return ask(reply -> new EvmKeyActor.Put(key, replacement, reply));
    }

    /** There is a current key. */
    private CompletableFuture<Known> present() {
        return look().thenApplyAsync(
                        known -> {
                            if (known.current().isEmpty()) {
                                throw new EvmKeyException(new EvmKeyRefusal.NoKey());
                            }
                            return known;
                        },
                        crypto);
    }

    private CompletableFuture<Known> look() {
        return ask(EvmKeyActor.Look::new);
    }

    private CompletableFuture<NewEvmKey> made(Supplier<NewEvmKey> key) {
        return CompletableFuture.supplyAsync(key, crypto);
    }

    private <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, EvmKeyActor.Command> question) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        actor.tell(question.apply(reply));
        return reply;
    }
}
