package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sealing, unsealing and derivation for the Keyring actor. Stateless. A method whose comment states its cost ("One Argon2id.") must run on an
 * Argon2id thread: it reads the file it needs, blocks, and fails with {@link KeyringException}. Methods that return a future submit their work
 * themselves.
 */
final class KeyWork {
    private static final Logger LOG = LoggerFactory.getLogger(KeyWork.class);
    private static final Logger AUDIT = LoggerFactory.getLogger("audit");

    private final Sealer sealer;
    private final KeyringStore store;
    private final Stretching argon2;
    private final Executor disk;
    private final Executor flows;

    KeyWork(KeyringSetup setup, KeyringStore store) {
        this.sealer = setup.sealer();
        this.store = store;
        this.argon2 = setup.executors().argon2();
        this.disk = setup.executors().disk();
        this.flows = setup.executors().flows();
    }

    /**
     * Seals a key's secret and phrase in parallel and makes the files durable: first the key, then the phrase. The returned key is closed.
     *
     * @param drawn makes the key, on an Argon2id thread
     * @param abandoned whether the caller has stopped waiting; checked before each Argon2id, and if so nothing is stored
     */
    CompletableFuture<NewKey> store(Supplier<NewKey> drawn, SecretBytes passphrase, BooleanSupplier abandoned) {
        CompletableFuture<Outcome<Optional<SealedBlob>>> phrase = new CompletableFuture<>();
        CompletableFuture<HalfSealed> begun = argon2.submit(Urgency.SEAL, () -> {
            try {
                NewKey key = KeyringFailures.unless(abandoned, drawn);
                beginPhrase(key, passphrase, abandoned, phrase);
                return new HalfSealed(
                        key, attempted(abandoned, () -> sealer.seal(Sealer.Role.IMPORTED, passphrase, key.secret())));
            } catch (RuntimeException | Error e) {
                // Nothing else completes the stage of a phrase whose sealing was not started.
                phrase.complete(new Outcome.Failed<>(e));
                throw e;
            }
        });
        if (begun.isCompletedExceptionally()) {
            phrase.complete(
                    new Outcome.Failed<>(new RejectedExecutionException("the Argon2id executor refused the task")));
        }
        return begun.thenCombineAsync(
                phrase,
                (half, words) -> {
                    try (NewKey key = half.key()) {
                        store.add(new KeyringStore.SealedKey(
                                key.address(), key.publicKey(), Flows.valueOf(half.secret()), Flows.valueOf(words)));
                        return key;
                    }
                },
                disk);
    }

    /** Key with its sealed secret, or with the reason why sealing failed, while another thread seals the phrase. */
    private record HalfSealed(NewKey key, Outcome<SealedBlob> secret) {}

    private void beginPhrase(
            NewKey key,
            SecretBytes passphrase,
            BooleanSupplier abandoned,
            CompletableFuture<Outcome<Optional<SealedBlob>>> phrase) {
        if (key.entropy().isEmpty()) {
            phrase.complete(new Outcome.Done<>(Optional.empty()));
            return;
        }
        try {
            argon2.of(Urgency.SEAL)
                    .execute(() -> phrase.complete(attempted(
                            abandoned,
                            () -> key.entropy()
                                    .map(entropy -> sealer.seal(Sealer.Role.MNEMONIC, passphrase, entropy)))));
        } catch (RejectedExecutionException e) {
            phrase.complete(new Outcome.Failed<>(e));
        }
    }

    private static <T> Outcome<T> attempted(BooleanSupplier abandoned, Supplier<T> sealing) {
        try {
            return new Outcome.Done<>(KeyringFailures.unless(abandoned, sealing));
        } catch (RuntimeException | Error e) {
            return new Outcome.Failed<>(e);
        }
    }

    /**
     * Generates and seals a standard key on {@code background}, only while no other Argon2id runs or waits; checked before each of its two
     * Argon2id.
     */
    CompletableFuture<KeyringStore.SealedKey> sealAhead(SecretBytes passphrase, Executor background) {
        Executor quiet = argon2.whenQuiet(background);
        return CompletableFuture.supplyAsync(
                        () -> {
                            NewKey key = NewKey.standard(sealer, sealer.newPhrase(), Optional.empty());
                            return new HalfSealed(
                                    key,
                                    attempted(
                                            () -> false,
                                            () -> sealer.seal(Sealer.Role.IMPORTED, passphrase, key.secret())));
                        },
                        quiet)
                .thenApplyAsync(
                        half -> {
                            try (NewKey key = half.key()) {
                                return new KeyringStore.SealedKey(
                                        key.address(),
                                        key.publicKey(),
                                        Flows.valueOf(half.secret()),
                                        key.entropy()
                                                .map(entropy ->
                                                        sealer.seal(Sealer.Role.MNEMONIC, passphrase, entropy)));
                            }
                        },
                        quiet);
    }

    /**
     * Stores the keys of a vault one by one, so that other callers' Argon2id can run between two keys.
     *
     * @param abandoned as for one key, until the first key is stored
     */
    CompletableFuture<List<NewKey>> storeAll(List<NewKey> keys, SecretBytes passphrase, BooleanSupplier abandoned) {
        if (keys.size() == 1) {
            return store(() -> keys.get(0), passphrase, abandoned).thenApplyAsync(List::of, disk);
        }
        return Work.on(flows, () -> {
            for (int i = 0; i < keys.size(); i++) {
                if (i > 0) {
                    CrashPoint.VAULT_IMPORT_BETWEEN_KEYS.reached();
                }
                NewKey key = keys.get(i);
                Flows.join(store(() -> key, passphrase, i == 0 ? abandoned : () -> false));
            }
            return keys;
        });
    }

    /** Makes the files of a key that was sealed in advance durable. */
    CompletableFuture<KeyringStore.SealedKey> store(KeyringStore.SealedKey key) {
        return Work.on(disk, () -> {
            store.add(key);
            return key;
        });
    }

    /** Seals and stores the passphrase check, which verifies the passphrase while there is no key, unless it exists. One Argon2id. */
    void ensureCheck(SecretBytes passphrase) {
        if (store.find(SealedPlace.CHECK).isEmpty()) {
            try (SecretBytes nothing = SecretBytes.takeOver(new byte[32])) {
                SealedBlob check = sealer.seal(Sealer.Role.CHECK, passphrase, nothing);
                Flows.join(Work.on(disk, () -> {
                    store.write(SealedPlace.CHECK, check);
                    return null;
                }));
            }
        }
    }

    /** Adds the public key of a 1:1 key, computed from its secret, which is overwritten at once. One Argon2id. */
    KeyEntry learn(KeyEntry entry, SecretBytes passphrase) {
        try (SecretBytes secret = unseal(entry, passphrase)) {
            return entry.withPublicKey(sealer.publicKey(secret));
        }
    }

    /** Returns the 32-byte secret of {@code entry}, verified to be the one of its address. One Argon2id. */
    SecretBytes unseal(KeyEntry entry, SecretBytes passphrase) {
        if (entry.imported()) {
            SealedPlace place = SealedPlace.key(entry.address());
            return proved(entry.address(), open(place, store.read(place), passphrase), store.nameOf(place));
        }
        try (SecretBytes seed = unsealSeed(passphrase)) {
            return derive(entry, seed);
        }
    }

    /**
     * Whether the key's file opens, in which case it holds the key of another address. One Argon2id; none for a derived key, which has no
     * file.
     */
    boolean holdsAnother(KeyEntry entry, SecretBytes passphrase) {
        SealedPlace place = SealedPlace.key(entry.address());
        try {
            if (entry.imported()) {
                open(place, store.read(place), passphrase).close();
            }
            return entry.imported();
        } catch (KeyringException damaged) {
            damaged.throwIfAway();
            return false;
        }
    }

    /** Returns the 32 bytes of entropy of the legacy seed. One Argon2id. */
    SecretBytes unsealSeed(SecretBytes passphrase) {
        return open(SealedPlace.SEED, store.read(SealedPlace.SEED), passphrase);
    }

    /** Does the same on {@code background}, only while no other Argon2id runs or waits. */
    CompletableFuture<SecretBytes> unsealSeedAhead(SecretBytes passphrase, Executor background) {
        return Work.on(argon2.whenQuiet(background), () -> unsealSeed(passphrase));
    }

    /**
     * Derives the public entries of the next legacy HD keys from index {@code first} on; the seed stays open.
     *
     * @param taken addresses already in use, whose indexes are skipped
     */
    List<KeyEntry> deriveEntries(SecretBytes seed, long first, List<Optional<String>> labels, Set<Address> taken) {
        List<KeyEntry> derived = new ArrayList<>();
        long index = first;
        while (derived.size() < labels.size()) {
            KeyEntry entry = deriveEntry(seed, index, labels.get(derived.size()));
            if (taken.contains(entry.address())) {
                LOG.warn("index {} is skipped: its public key is known although its address is not listed", index);
            } else {
                derived.add(entry);
            }
            index++;
        }
        return List.copyOf(derived);
    }

    /** Adds public keys to {@code entries}, all of them derived; leaves out those that the seed does not yield. The seed stays open. */
    List<KeyEntry> learnDerived(SecretBytes seed, List<KeyEntry> entries) {
        return entries.stream().flatMap(entry -> learnt(entry, seed).stream()).toList();
    }

    /** Empty if the index yields another address, which is logged; the public keys of the other entries must still be learnt. */
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

    /** Derives the key of {@code entry} from the unsealed seed, which stays open. */
    SecretBytes derive(KeyEntry entry, SecretBytes seed) {
        long index = entry.index().orElseThrow();
        if (index > Integer.MAX_VALUE) {
            throw new KeyringException(
                    Reason.LOCKED,
                    "no seed gives a key with the index " + index + " that is listed for " + entry.address());
        }
        return proved(entry.address(), sealer.derivedSecret(seed, index), store.nameOf(SealedPlace.SEED));
    }

    /** Reads the notes of the keys anew. */
    KeyringStore.KeyNotes notes() {
        return store.notes();
    }

    /**
     * Returns the entropy of a standard key's phrase; empty when the key has none. Fails when the phrase was lost. One Argon2id.
     *
     * @param notes called only when there is no sealed phrase
     */
    Optional<SecretBytes> unsealPhrase(KeyEntry entry, Supplier<KeyringStore.KeyNotes> notes, SecretBytes passphrase) {
        SealedPlace place = SealedPlace.phrase(entry.address());
        Optional<SealedBlob> sealed = store.find(place);
        if (sealed.isEmpty()
                && notes.get()
                        .of(entry.address())
                        .filter(known -> known.origin() == KeyNote.Origin.STANDARD)
                        .isPresent()) {
            throw KeyringFailures.phraseLost(store.nameOf(place));
        }
        return sealed.map(blob -> {
            SecretBytes entropy = open(place, blob, passphrase);
            try (Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
                proved(entry.address(), sealer.standardSecret(phrase), store.nameOf(place))
                        .close();
                return entropy;
            } catch (RuntimeException e) {
                entropy.close();
                throw e;
            }
        });
    }

    /**
     * Returns the words of a 1:1 key: the standard phrase, or the words that encode the secret. Fails for a key whose standard phrase was
     * lost, because the words of its secret are not that phrase. One Argon2id.
     */
    SecretBytes phraseOf(KeyEntry entry, SecretBytes passphrase) {
        return Sealer.words(unsealPhrase(entry, this::notes, passphrase).orElseGet(() -> unseal(entry, passphrase)));
    }

    /** Returns the account-chain secret of the legacy seed. One Argon2id. */
    SecretBytes evmSecretOfSeed(SecretBytes passphrase) {
        try (SecretBytes entropy = unsealSeed(passphrase);
                Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
            return KeyDerivation.accountChain(phrase);
        }
    }

    /** Returns the words of the legacy seed. One Argon2id. */
    SecretBytes seedPhrase(SecretBytes passphrase) {
        return Sealer.words(unsealSeed(passphrase));
    }

    /** Whether the public key is known and hashes to the address; it comes from a file without integrity protection. */
    boolean hasPublicKey(KeyEntry entry) {
        return entry.publicKey()
                .filter(key -> sealer.addressOf(key).equals(entry.address()))
                .isPresent();
    }

    /** Costs one Argon2id. */
    Bytes sealVault(SecretBytes content, SecretBytes passphrase) {
        return Bytes.wrap(sealer.seal(Sealer.Role.VAULT, passphrase, content).toBytes());
    }

    /** Opens a vault and reads its keys. One Argon2id. */
    Vault.Contents openVault(Bytes blob, SecretBytes passphrase) {
        try (SecretBytes content = open(Sealer.Role.VAULT, parseVault(blob), passphrase, "the vault")) {
            return Vault.read(content, sealer);
        }
    }

    private static SealedBlob parseVault(Bytes blob) {
        try {
            return SealedBlob.parse(blob.toArray());
        } catch (UnsealException e) {
            throw new KeyringException(Reason.INVALID, "vault_hex is not a vault: " + e.getMessage());
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

    private SecretBytes open(Sealer.Role role, SealedBlob blob, SecretBytes passphrase, String file) {
        try {
            return sealer.open(role, passphrase, blob);
        } catch (UnsealException e) {
            throw new KeyringException(Reason.LOCKED, "wrong passphrase, or damaged: " + file);
        }
    }

    /**
     * Verifies that a secret belongs to its address. A blob authenticates its role, not its address, so a file under another address's name
     * opens without error.
     */
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

    /** Signs on the crypto executor. The key may be closed at any time, because its address is deleted or the daemon stops. */
    static void sign(SigningKey key, byte[] message, CompletableFuture<Signer.Signature> reply) {
        try {
            reply.complete(new Signer.Signature(PublicKey.of(key.publicKey()), key.sign(message)));
        } catch (IllegalStateException e) {
            reply.completeExceptionally(
                    new KeyringException(Reason.UNKNOWN_ADDRESS, "the key was taken out of the keyring meanwhile"));
        } catch (RuntimeException e) {
            reply.completeExceptionally(e);
        } catch (Error e) {
            // Completes the reply before the Error ends the thread.
            reply.completeExceptionally(e);
            throw e;
        }
    }
}
