package org.chainwalletd.keyring.evm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sealed blobs of account-chain keys. The current key is in {@link SealedPlace#EVM_KEY}; a key found there is copied to the place of its
 * own address before it is overwritten. A crash in between therefore loses nothing: a key is looked up in its own place first, and only the
 * record says which address is the current one.
 *
 * <p>Stateless and blocking; fails with {@link KeyringException}. Unsealing costs one Argon2id on the calling thread; methods that change
 * files run their Argon2id on the Argon2id threads, one after the other.
 */
public final class EvmKeyFiles {
    /** For work that is not abandoned. */
    static final BooleanSupplier NEVER = () -> false;

    private static final Logger AUDIT = LoggerFactory.getLogger("audit");

    private final KeyringStore store;
    private final Sealer sealer;
    private final Stretching argon2;
    private final Executor disk;

    public EvmKeyFiles(KeyringSetup setup, KeyringStore store) {
        this.store = store;
        this.sealer = setup.sealer();
        this.argon2 = setup.executors().argon2();
        this.disk = setup.executors().disk();
    }

    /** Returns the secret of {@code address}, verified to be its own. */
    SecretBytes unseal(EvmAddress address, SecretBytes passphrase) {
        return proved(SealedPlace.keptEvmKey(address), SealedPlace.EVM_KEY, address, passphrase);
    }

    /** Returns the entropy of the phrase of {@code address}, verified to be its own. */
    SecretBytes unsealPhrase(EvmAddress address, SecretBytes passphrase) {
        return proved(SealedPlace.keptEvmPhrase(address), SealedPlace.EVM_PHRASE, address, passphrase);
    }

    /** Whether a phrase is stored under {@code address} itself, as that of a replaced key is. */
    boolean hasKeptPhrase(EvmAddress address) {
        return store.find(SealedPlace.keptEvmPhrase(address)).isPresent();
    }

    private SecretBytes proved(SealedPlace own, SealedPlace current, EvmAddress address, SecretBytes passphrase) {
        Optional<SealedBlob> kept = store.find(own);
        SealedPlace place = kept.isPresent() ? own : current;
        SecretBytes content = open(place, kept.orElseGet(() -> store.read(current)), passphrase);
        if (holder(place, content).equals(address)) {
            return content;
        }
        content.close();
        throw mismatch(place, address);
    }

    private static EvmAddress holder(SealedPlace place, SecretBytes content) {
        return place.role() == Sealer.Role.EVM_KEY ? EvmAddress.ofSecret(content) : addressOfPhrase(content);
    }

    /** Copies the blobs in the current key's places to those of their addresses: the phrase first, so that a kept key always has its phrase. */
    Optional<EvmAddress> keepCurrent(SecretBytes passphrase) {
        try {
            copy(SealedPlace.EVM_PHRASE, passphrase);
            return copy(SealedPlace.EVM_KEY, passphrase);
        } finally {
            CrashPoint.EVM_KEY_BEFORE_FILES.reached();
        }
    }

    private Optional<EvmAddress> copy(SealedPlace place, SecretBytes passphrase) {
        return store.find(place).map(blob -> {
            EvmAddress address = holder(place, blob, passphrase);
            write(
                    place.equals(SealedPlace.EVM_KEY)
                            ? SealedPlace.keptEvmKey(address)
                            : SealedPlace.keptEvmPhrase(address),
                    blob);
            return address;
        });
    }

    private EvmAddress holder(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        return argon2.compute(Urgency.PROOF, () -> {
            try (SecretBytes content = open(place, blob, passphrase)) {
                return holder(place, content);
            }
        });
    }

    /**
     * Seals {@code key} and writes it to the current key's places, the phrase first. Closes nothing. For a shared store, only returns the
     * sealed blobs for the places of the key's address, to be written with the record, so that no daemon overwrites another one's key.
     *
     * @param abandoned checked before each Argon2id; if so, nothing is written
     */
    Map<SealedPlace, SealedBlob> writeCurrent(NewEvmKey key, SecretBytes passphrase, BooleanSupplier abandoned) {
        if (!store.isShared()) {
            write(key, SealedPlace.EVM_KEY, SealedPlace.EVM_PHRASE, passphrase, abandoned);
            return Map.of();
        }
        Map<SealedPlace, SealedBlob> sealed = new LinkedHashMap<>();
        sealed.put(
                SealedPlace.keptEvmKey(key.address()),
                sealed(Sealer.Role.EVM_KEY, passphrase, key.secret(), abandoned));
        key.entropy()
                .ifPresent(entropy -> sealed.put(
                        SealedPlace.keptEvmPhrase(key.address()),
                        sealed(Sealer.Role.EVM_MNEMONIC, passphrase, entropy, abandoned)));
        return sealed;
    }

    private SealedBlob sealed(
            Sealer.Role role, SecretBytes passphrase, SecretBytes content, BooleanSupplier abandoned) {
        return argon2.compute(
                Urgency.SEAL, () -> KeyringFailures.unless(abandoned, () -> sealer.seal(role, passphrase, content)));
    }

    /** Seals {@code key} and writes it to the places of its address, the phrase first. Closes nothing. */
    void writeKept(NewEvmKey key, SecretBytes passphrase) {
        write(key, SealedPlace.keptEvmKey(key.address()), SealedPlace.keptEvmPhrase(key.address()), passphrase, NEVER);
    }

    private void write(
            NewEvmKey key,
            SealedPlace place,
            SealedPlace phrasePlace,
            SecretBytes passphrase,
            BooleanSupplier abandoned) {
        SealedBlob secret = sealed(Sealer.Role.EVM_KEY, passphrase, key.secret(), abandoned);
        Optional<SealedBlob> phrase =
                key.entropy().map(entropy -> sealed(Sealer.Role.EVM_MNEMONIC, passphrase, entropy, abandoned));
        phrase.ifPresentOrElse(
                blob -> write(phrasePlace, blob), () -> onDisk(() -> store.remove(List.of(phrasePlace))));
        CrashPoint.EVM_KEY_BEFORE_KEY_FILE.reached();
        write(place, secret);
    }

    private void write(SealedPlace place, SealedBlob blob) {
        onDisk(() -> store.write(place, blob));
    }

    /** Returns all places that hold a secret of {@code address}, which must be the current one. */
    List<SealedPlace> placesOf(EvmAddress address, SecretBytes passphrase) {
        boolean isCurrent = store.find(SealedPlace.EVM_KEY)
                .filter(blob -> holder(SealedPlace.EVM_KEY, blob, passphrase).equals(address))
                .isPresent();
        List<SealedPlace> own = List.of(SealedPlace.keptEvmPhrase(address), SealedPlace.keptEvmKey(address));
        return isCurrent
                ? Stream.concat(own.stream(), Stream.of(SealedPlace.EVM_PHRASE, SealedPlace.EVM_KEY))
                        .toList()
                : own;
    }

    /** Removes the places of a key that is no longer recorded; a shared store has removed them with the record. */
    void remove(List<SealedPlace> places) {
        CrashPoint.EVM_DELETE_BEFORE_FILES.reached();
        if (!store.isShared()) {
            onDisk(() -> store.remove(places));
        }
    }

    private void onDisk(Runnable step) {
        Flows.join(Work.on(disk, () -> {
            step.run();
            return null;
        }));
    }

    private SecretBytes open(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        SecretBytes content;
        try {
            content = sealer.open(place.role(), passphrase, blob);
        } catch (UnsealException e) {
            throw new KeyringException(Reason.LOCKED, "wrong passphrase, or damaged: " + store.nameOf(place));
        }
        boolean whole =
                place.role() == Sealer.Role.EVM_KEY ? content.use(Secp256k1::isUsable) : isEntropy(content.length());
        if (whole) {
            return content;
        }
        content.close();
        throw new KeyringException(
                Reason.LOCKED, store.nameOf(place) + " opens, but holds no such secret; restore it from a backup");
    }

    private static boolean isEntropy(int length) {
        return length % 4 == 0 && NewEvmKey.isWordCount(length / 4 * 3);
    }

    private static EvmAddress addressOfPhrase(SecretBytes entropy) {
        try (Mnemonic phrase = entropy.use(Mnemonic::ofEntropy);
                SecretBytes secret = KeyDerivation.accountChain(phrase)) {
            return EvmAddress.ofSecret(secret);
        }
    }

    /** Reports a blob under another address; a blob authenticates its role, not its address. */
    private KeyringException mismatch(SealedPlace place, EvmAddress address) {
        String name = store.nameOf(place);
        AUDIT.error("event=key_mismatch file={} address={}", name, address);
        return new KeyringException(
                Reason.LOCKED, name + " does not hold the key of " + address + "; restore it from a backup");
    }
}
