package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.crypto.UnsealException;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.chainwalletd.keyring.Stretching.Urgency;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work that the Keyring actor hands out: sealing, unsealing, deriving, each step on the executor where it belongs. Holds no state.
 * Stages fail with {@link KeyringException}.
 */
final class KeyWork {
    private static final Logger LOG = LoggerFactory.getLogger(KeyWork.class);
    private static final Logger AUDIT = LoggerFactory.getLogger("audit");

    private static final SealedPlace SEED = new SealedPlace.Seed();
    private static final SealedPlace CHECK = new SealedPlace.Check();

    private final Sealer sealer;
    private final KeyringStore store;
    private final Executor crypto;
    private final Stretching argon2;

    KeyWork(KeyringSetup setup, KeyringStore store) {
        this.sealer = setup.sealer();
        this.store = store;
        this.crypto = setup.executors().crypto();
        this.argon2 = setup.executors().argon2();
    }

    /**
     * Makes the sealed files durable: first the key, then the phrase. Closes {@code key}.
     *
     * @param abandoned whether nobody waits for it any more; asked before each Argon2id, and then nothing is stored
     */
    CompletableFuture<Void> store(Arrival key, SecretBytes passphrase, BooleanSupplier abandoned) {
        if (key instanceof PooledKey pooled) {
            return store.add(pooled.sealed());
        }
        NewKey open = (NewKey) key;
        return seal(open, passphrase, abandoned)
                .thenComposeAsync(store::add, crypto)
                .whenCompleteAsync((done, failure) -> open.close(), crypto);
    }

    /** Argon2id runs for secret and phrase at once. */
    private CompletableFuture<SealedKey> seal(NewKey key, SecretBytes passphrase, BooleanSupplier abandoned) {
        Executor sealing = argon2.of(Urgency.SEAL);
        CompletableFuture<SealedBlob> secret = CompletableFuture.supplyAsync(
                () -> unless(abandoned, () -> sealer.seal(SealedRole.IMPORTED, passphrase, key.secret())), sealing);
        CompletableFuture<Optional<SealedBlob>> phrase = key.entropy()
                .map(entropy -> CompletableFuture.supplyAsync(
                        () -> unless(
                                abandoned, () -> Optional.of(sealer.seal(SealedRole.MNEMONIC, passphrase, entropy))),
                        sealing))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        return secret.thenCombineAsync(
                phrase, (blob, words) -> new SealedKey(key.address(), key.publicKey(), blob, words), crypto);
    }

    private static <T> T unless(BooleanSupplier abandoned, Supplier<T> sealing) {
        if (abandoned.getAsBoolean()) {
            throw KeyringFailures.abandoned();
        }
        return sealing.get();
    }

    /**
     * Draws a standard key and seals it, all of it on {@code background} and while no other Argon2id runs or waits: before each of its two it
     * looks again.
     */
    CompletableFuture<SealedKey> sealAhead(SecretBytes passphrase, Executor background) {
        Executor quiet = argon2.whenQuiet(background);
        return CompletableFuture.supplyAsync(
                        () -> {
                            NewKey key = NewKey.standard(sealer, sealer.newPhrase(), Optional.empty());
                            try {
                                return new HalfSealed(key, sealer.seal(SealedRole.IMPORTED, passphrase, key.secret()));
                            } catch (RuntimeException e) {
                                key.close();
                                throw e;
                            }
                        },
                        quiet)
                .thenApplyAsync(
                        half -> {
                            try (NewKey key = half.key()) {
                                return new SealedKey(
                                        key.address(),
                                        key.publicKey(),
                                        half.secret(),
                                        key.entropy()
                                                .map(entropy -> sealer.seal(SealedRole.MNEMONIC, passphrase, entropy)));
                            }
                        },
                        quiet);
    }

    private record HalfSealed(NewKey key, SealedBlob secret) {}

    /** Stores one key after the other, so that a large vault leaves room for everybody else's Argon2id between two keys. */
    CompletableFuture<Void> storeAll(List<? extends Arrival> keys, SecretBytes passphrase, BooleanSupplier abandoned) {
        return OneByOne.run(keys.size(), crypto, i -> {
            if (i > 0) {
                CrashPoint.VAULT_IMPORT_BETWEEN_KEYS.reached();
            }
            return store(keys.get(i), passphrase, abandoned);
        });
    }

    /** Seals what proves the passphrase while there is no key yet, unless it is there. One Argon2id. */
    CompletableFuture<Void> ensureCheck(SecretBytes passphrase) {
        return store.find(CHECK)
                .thenComposeAsync(
                        there -> there.isPresent() ? CompletableFuture.completedFuture(null) : writeCheck(passphrase),
                        crypto);
    }

    private CompletableFuture<Void> writeCheck(SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try (SecretBytes nothing = SecretBytes.takeOver(new byte[32])) {
                                return sealer.seal(SealedRole.CHECK, passphrase, nothing);
                            }
                        },
                        argon2.of(Urgency.SEAL))
                .thenComposeAsync(blob -> store.write(CHECK, blob), crypto);
    }

    /** The public key of a 1:1 key from its secret, which is overwritten at once. One Argon2id. */
    CompletableFuture<KeyEntry> learn(KeyEntry entry, SecretBytes passphrase) {
        return unseal(entry, passphrase, Urgency.SEAL)
                .thenApplyAsync(
                        secret -> {
                            try (secret) {
                                return entry.withPublicKey(sealer.publicKey(secret));
                            }
                        },
                        crypto);
    }

    /** The 32-byte secret of {@code entry}, proved to be its address's. One Argon2id. */
    CompletableFuture<SecretBytes> unseal(KeyEntry entry, SecretBytes passphrase, Urgency urgency) {
        if (entry.imported()) {
            return store.read(new SealedPlace.Key(entry.address()))
                    .thenApplyAsync(blob -> openKey(entry.address(), blob, passphrase), argon2.of(urgency));
        }
        return unsealSeed(passphrase, urgency)
                .thenApplyAsync(
                        seed -> {
                            try (seed) {
                                return derive(entry, seed);
                            }
                        },
                        crypto);
    }

    /** Whether the key's file opens, which then holds the key of another address. One Argon2id; none for a key of the seed, which has no file. */
    CompletableFuture<Boolean> holdsAnother(KeyEntry entry, SecretBytes passphrase) {
        SealedPlace place = new SealedPlace.Key(entry.address());
        return entry.imported()
                ? store.read(place)
                        .thenApplyAsync(
                                blob -> {
                                    open(place, blob, passphrase).close();
                                    return true;
                                },
                                argon2.of(Urgency.PROOF))
                        .exceptionallyAsync(damaged -> false, crypto)
                : CompletableFuture.completedFuture(false);
    }

    /** The 32 bytes of entropy of the legacy seed. One Argon2id. */
    CompletableFuture<SecretBytes> unsealSeed(SecretBytes passphrase, Urgency urgency) {
        return store.read(SEED).thenApplyAsync(blob -> open(SEED, blob, passphrase), argon2.of(urgency));
    }

    /** The same, by {@code background} and while no other Argon2id runs or waits. */
    CompletableFuture<SecretBytes> unsealSeedAhead(SecretBytes passphrase, Executor background) {
        return store.read(SEED).thenApplyAsync(blob -> open(SEED, blob, passphrase), argon2.whenQuiet(background));
    }

    /** The key of {@code entry} from the unsealed seed, which stays open. */
    CompletableFuture<SecretBytes> derived(KeyEntry entry, SecretBytes seed) {
        return onCrypto(() -> derive(entry, seed));
    }

    /**
     * The public sides of the next legacy HD keys from index {@code first} on; the seed stays open.
     *
     * @param taken addresses that are somebody's already: their indexes are left out
     */
    CompletableFuture<List<KeyEntry>> deriveEntries(
            SecretBytes seed, long first, List<Optional<String>> labels, Set<Address> taken) {
        return onCrypto(() -> {
            List<KeyEntry> derived = new ArrayList<>();
            long index = first;
            while (derived.size() < labels.size()) {
                KeyEntry entry = deriveEntry(seed, index, labels.get(derived.size()));
                if (taken.contains(entry.address())) {
                    LOG.warn("index {} is known although it is not listed, and is not given out again", index);
                } else {
                    derived.add(entry);
                }
                index++;
            }
            return List.copyOf(derived);
        });
    }

    /** Those of {@code entries}, all of them derived, that the seed gives, with their public keys; the seed stays open. */
    CompletableFuture<List<KeyEntry>> learnDerived(SecretBytes seed, List<KeyEntry> entries) {
        return onCrypto(() ->
                entries.stream().flatMap(entry -> learnt(entry, seed).stream()).toList());
    }

    /** Empty, and logged, for a listed address that is not the one of its index: it is no reason to know nothing of the others. */
    private Optional<KeyEntry> learnt(KeyEntry entry, SecretBytes seed) {
        try (SecretBytes secret = derive(entry, seed)) {
            return Optional.of(entry.withPublicKey(sealer.publicKey(secret)));
        } catch (KeyringException e) {
            return Optional.empty();
        }
    }

    private KeyEntry deriveEntry(SecretBytes seed, long index, Optional<String> label) {
        if (index > Integer.MAX_VALUE) {
            throw new KeyringException(
                    Reason.INVALID, "the legacy seed has no more indexes; use generate_standard_address");
        }
        try (SecretBytes secret = sealer.derivedSecret(seed, index)) {
            PublicKey publicKey = sealer.publicKey(secret);
            return new KeyEntry(
                    sealer.addressOf(publicKey), Optional.of(publicKey), OptionalLong.of(index), label, false);
        }
    }

    private SecretBytes derive(KeyEntry entry, SecretBytes seed) {
        long index = entry.index().orElseThrow();
        if (index > Integer.MAX_VALUE) {
            throw new KeyringException(
                    Reason.LOCKED,
                    "no seed gives a key with the index " + index + " that is listed for " + entry.address());
        }
        return proved(entry.address(), sealer.derivedSecret(seed, index), store.nameOf(SEED));
    }

    /** The sealed phrase of a standard key as entropy; empty when the key has none. One Argon2id. */
    CompletableFuture<Optional<SecretBytes>> unsealPhrase(KeyEntry entry, SecretBytes passphrase, Urgency urgency) {
        return store.find(new SealedPlace.Phrase(entry.address()))
                .thenApplyAsync(
                        blob -> blob.map(words -> openPhrase(entry.address(), words, passphrase)), argon2.of(urgency));
    }

    /** The words of a 1:1 key: the standard phrase, or those that spell the secret. One Argon2id. */
    CompletableFuture<SecretBytes> phraseOf(KeyEntry entry, SecretBytes passphrase) {
        return unsealPhrase(entry, passphrase, Urgency.PROOF)
                .thenComposeAsync(
                        entropy -> entropy.map(CompletableFuture::completedFuture)
                                .orElseGet(() -> spelling(entry, passphrase)),
                        crypto)
                .thenApplyAsync(KeyWork::words, crypto);
    }

    /** The secret of a key without a phrase of its own; refused for one that had a standard phrase, of which its words would say nothing. */
    private CompletableFuture<SecretBytes> spelling(KeyEntry entry, SecretBytes passphrase) {
        return store.notes()
                .thenComposeAsync(
                        notes -> notes.of(entry.address())
                                        .filter(known -> known.origin() == KeyOrigin.STANDARD)
                                        .isPresent()
                                ? CompletableFuture.failedFuture(KeyringFailures.phraseLost(
                                        store.nameOf(new SealedPlace.Phrase(entry.address()))))
                                : unseal(entry, passphrase, Urgency.PROOF),
                        crypto);
    }

    /** The account-chain secret of the legacy seed. One Argon2id. */
    CompletableFuture<SecretBytes> evmSecretOfSeed(SecretBytes passphrase) {
        return unsealSeed(passphrase, Urgency.PROOF)
                .thenApplyAsync(
                        entropy -> {
                            try (entropy;
                                    Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
                                return KeyDerivation.accountChain(phrase);
                            }
                        },
                        crypto);
    }

    /** The words of the legacy seed. One Argon2id. */
    CompletableFuture<SecretBytes> seedPhrase(SecretBytes passphrase) {
        return unsealSeed(passphrase, Urgency.PROOF).thenApplyAsync(KeyWork::words, crypto);
    }

    /** Whether the public key is known and, as it comes from a file that nothing protects, is the one of the address. */
    boolean hasPublicKey(KeyEntry entry) {
        return entry.publicKey()
                .filter(key -> sealer.addressOf(key).equals(entry.address()))
                .isPresent();
    }

    /** The words of {@code entropy}, which is closed, with single spaces between them. */
    static SecretBytes words(SecretBytes entropy) {
        try (entropy;
                Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
            return phrase.phrase();
        }
    }

    CompletableFuture<Bytes> sealVault(SecretBytes content, SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(
                () -> Bytes.wrap(
                        sealer.seal(SealedRole.VAULT, passphrase, content).toBytes()),
                argon2.of(Urgency.SEAL));
    }

    /** Opens a vault and reads its keys. One Argon2id. */
    CompletableFuture<Vault.Contents> openVault(Bytes blob, SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(() -> parseVault(blob), crypto)
                .thenApplyAsync(
                        vault -> open(SealedRole.VAULT, vault, passphrase, "the vault"), argon2.of(Urgency.PROOF))
                .thenApplyAsync(
                        content -> {
                            try (content) {
                                return Vault.read(content, sealer);
                            }
                        },
                        crypto);
    }

    private static SealedBlob parseVault(Bytes blob) {
        try {
            return SealedBlob.parse(blob.toArray());
        } catch (UnsealException e) {
            throw new KeyringException(Reason.INVALID, "vault_hex is not a vault: " + e.getMessage());
        }
    }

    private SecretBytes openKey(Address address, SealedBlob blob, SecretBytes passphrase) {
        SealedPlace place = new SealedPlace.Key(address);
        return proved(address, open(place, blob, passphrase), store.nameOf(place));
    }

    private SecretBytes openPhrase(Address address, SealedBlob blob, SecretBytes passphrase) {
        SealedPlace place = new SealedPlace.Phrase(address);
        SecretBytes entropy = open(place, blob, passphrase);
        try (Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
            proved(address, sealer.standardSecret(phrase), store.nameOf(place)).close();
            return entropy;
        } catch (RuntimeException e) {
            entropy.close();
            throw e;
        }
    }

    private SecretBytes open(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        String file = store.nameOf(place);
        if (blob.plaintextLength() != Ed25519.SEED_LENGTH) {
            throw new KeyringException(
                    Reason.LOCKED, file + " is damaged: it has another length than a key; restore it from a backup");
        }
        return open(place.role(), blob, passphrase, file);
    }

    private SecretBytes open(SealedRole role, SealedBlob blob, SecretBytes passphrase, String file) {
        try {
            return sealer.open(role, passphrase, blob);
        } catch (UnsealException e) {
            throw new KeyringException(Reason.LOCKED, "wrong passphrase, or damaged: " + file);
        }
    }

    /** A blob binds its role, not its address: a file under another one's name opens well and must still not be used. */
    private SecretBytes proved(Address address, SecretBytes secret, String file) {
        if (sealer.addressOf(sealer.publicKey(secret)).equals(address)) {
            return secret;
        }
        secret.close();
        AUDIT.error("event=key_mismatch file={} address={}", file, address);
        LOG.error("{} does not hold the key of {}", file, address);
        throw new KeyringException(
                Reason.LOCKED, file + " does not hold the key of " + address + "; restore it from a backup");
    }

    private <T> CompletableFuture<T> onCrypto(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, crypto);
    }

    /** Signs on the crypto executor; the key may be closed at any time, because its address was deleted or the daemon ends. */
    static void sign(SigningKey key, byte[] message, CompletableFuture<Signer.Signature> reply) {
        try {
            reply.complete(new Signer.Signature(PublicKey.of(key.publicKey()), key.sign(message)));
        } catch (IllegalStateException e) {
            reply.completeExceptionally(
                    new KeyringException(Reason.UNKNOWN_ADDRESS, "the key was taken out of the keyring meanwhile"));
        } catch (RuntimeException e) {
            reply.completeExceptionally(e);
        } catch (Error e) {
            // Whoever waits must hear of it before the thread ends.
            reply.completeExceptionally(e);
            throw e;
        }
    }
}
