package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.UnsealException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.chainwalletd.keyring.SealedPlace.EvmKey;
import org.chainwalletd.keyring.SealedPlace.EvmPhrase;
import org.chainwalletd.keyring.SealedPlace.KeptEvmKey;
import org.chainwalletd.keyring.SealedPlace.KeptEvmPhrase;
import org.chainwalletd.keyring.Stretching.Urgency;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sealed blobs of account-chain keys. The current key stands in {@link EvmKey}; whatever stands there is copied to the place of its own
 * address before it is written over. So a crash in between loses nothing: the key of an address is looked for in its own place first, and the
 * record alone says which address is the current one.
 *
 * <p>Stateless; each blob costs one Argon2id. Stages fail with {@link KeyringException}.
 */
final class EvmKeyFiles {
    private static final Logger AUDIT = LoggerFactory.getLogger("audit");
    private static final SealedPlace KEY = new EvmKey();
    private static final SealedPlace PHRASE = new EvmPhrase();

    private final KeyringStore store;
    private final Sealer sealer;
    private final Executor proving;
    private final Executor sealing;
    private final Executor crypto;

    EvmKeyFiles(KeyringSetup setup, KeyringStore store) {
        this.store = store;
        this.sealer = setup.sealer();
        this.proving = setup.executors().argon2().of(Urgency.PROOF);
        this.sealing = setup.executors().argon2().of(Urgency.SEAL);
        this.crypto = setup.executors().crypto();
    }

    /** The secret of {@code address}, proved to be its. */
    CompletableFuture<SecretBytes> unseal(EvmAddress address, SecretBytes passphrase) {
        SealedPlace own = new KeptEvmKey(address);
        return store.find(own)
                .thenComposeAsync(
                        blob -> blob.isPresent()
                                ? proved(own, blob.get(), address, passphrase)
                                : store.read(KEY)
                                        .thenComposeAsync(current -> proved(KEY, current, address, passphrase), crypto),
                        crypto);
    }

    private CompletableFuture<SecretBytes> proved(
            SealedPlace place, SealedBlob blob, EvmAddress address, SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(
                () -> {
                    SecretBytes secret = open(place, blob, passphrase);
                    if (EvmAddress.ofSecret(secret).equals(address)) {
                        return secret;
                    }
                    secret.close();
                    throw mismatch(place, address);
                },
                proving);
    }

    /** The entropy of the phrase of {@code address}, proved to be its. */
    CompletableFuture<SecretBytes> unsealPhrase(EvmAddress address, SecretBytes passphrase) {
        SealedPlace own = new KeptEvmPhrase(address);
        return store.find(own)
                .thenComposeAsync(
                        blob -> blob.isPresent()
                                ? provedPhrase(own, blob.get(), address, passphrase)
                                : store.read(PHRASE)
                                        .thenComposeAsync(
                                                current -> provedPhrase(PHRASE, current, address, passphrase), crypto),
                        crypto);
    }

    /** The entropy of its phrase; empty when there is none of this address. */
    CompletableFuture<Optional<SecretBytes>> phraseIfThere(EvmAddress address, SecretBytes passphrase) {
        return unsealPhrase(address, passphrase)
                .handleAsync((entropy, failure) -> Optional.ofNullable(entropy), crypto);
    }

    private CompletableFuture<SecretBytes> provedPhrase(
            SealedPlace place, SealedBlob blob, EvmAddress address, SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(
                () -> {
                    SecretBytes entropy = open(place, blob, passphrase);
                    if (addressOfPhrase(entropy).equals(address)) {
                        return entropy;
                    }
                    entropy.close();
                    throw mismatch(place, address);
                },
                proving);
    }

    /** Copies what stands in the places of the current key to those of its address: first the phrase, so that a kept key has its own. */
    CompletableFuture<Optional<EvmAddress>> keepCurrent(SecretBytes passphrase) {
        return copy(PHRASE, passphrase)
                .thenComposeAsync(phrase -> copy(KEY, passphrase), crypto)
                .whenCompleteAsync((kept, failure) -> CrashPoint.EVM_KEY_BEFORE_FILES.reached(), crypto);
    }

    private CompletableFuture<Optional<EvmAddress>> copy(SealedPlace place, SecretBytes passphrase) {
        return store.find(place)
                .thenComposeAsync(
                        blob -> blob.isEmpty()
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : holder(place, blob.get(), passphrase)
                                        .thenComposeAsync(
                                                address -> store.write(ownPlace(place, address), blob.get())
                                                        .thenApplyAsync(done -> Optional.of(address), crypto),
                                                crypto),
                        crypto);
    }

    private static SealedPlace ownPlace(SealedPlace place, EvmAddress address) {
        return place.equals(KEY) ? new KeptEvmKey(address) : new KeptEvmPhrase(address);
    }

    private CompletableFuture<EvmAddress> holder(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (SecretBytes content = open(place, blob, passphrase)) {
                        return place.equals(KEY) ? EvmAddress.ofSecret(content) : addressOfPhrase(content);
                    }
                },
                proving);
    }

    /** Seals {@code key} and puts it in the places of the current one: first the phrase. Closes nothing. */
    CompletableFuture<Void> writeCurrent(NewEvmKey key, SecretBytes passphrase) {
        return write(key, KEY, PHRASE, passphrase);
    }

    /** Seals {@code key} and puts it in the places of its address: first the phrase. Closes nothing. */
    CompletableFuture<Void> writeKept(NewEvmKey key, SecretBytes passphrase) {
        return write(key, new KeptEvmKey(key.address()), new KeptEvmPhrase(key.address()), passphrase);
    }

    private CompletableFuture<Void> write(
            NewEvmKey key, SealedPlace place, SealedPlace phrasePlace, SecretBytes passphrase) {
        CompletableFuture<SealedBlob> secret =
                CompletableFuture.supplyAsync(() -> sealer.seal(SealedRole.EVM_KEY, passphrase, key.secret()), sealing);
        CompletableFuture<Optional<SealedBlob>> phrase = CompletableFuture.supplyAsync(
                () -> key.entropy().map(entropy -> sealer.seal(SealedRole.EVM_MNEMONIC, passphrase, entropy)), sealing);
        return secret.thenCombineAsync(
                        phrase,
                        (blob, words) -> words.map(phraseBlob -> store.write(phrasePlace, phraseBlob))
                                .orElseGet(() -> store.remove(List.of(phrasePlace)))
                                .thenComposeAsync(
                                        done -> {
                                            CrashPoint.EVM_KEY_BEFORE_KEY_FILE.reached();
                                            return store.write(place, blob);
                                        },
                                        crypto),
                        crypto)
                .thenComposeAsync(written -> written, crypto);
    }

    /** Every place that holds something of {@code address}, which is the current one. */
    CompletableFuture<List<SealedPlace>> placesOf(EvmAddress address, SecretBytes passphrase) {
        List<SealedPlace> places = new ArrayList<>(List.of(new KeptEvmPhrase(address), new KeptEvmKey(address)));
        return store.find(KEY)
                .thenComposeAsync(
                        blob -> blob.isEmpty()
                                ? CompletableFuture.completedFuture(false)
                                : holder(KEY, blob.get(), passphrase).thenApplyAsync(address::equals, crypto),
                        crypto)
                .thenApplyAsync(
                        holds -> {
                            if (holds) {
                                places.addAll(List.of(PHRASE, KEY));
                            }
                            return places;
                        },
                        crypto);
    }

    CompletableFuture<Void> remove(List<SealedPlace> places) {
        CrashPoint.EVM_DELETE_BEFORE_FILES.reached();
        return store.remove(places);
    }

    private SecretBytes open(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        SecretBytes content;
        try {
            content = sealer.open(place.role(), passphrase, blob);
        } catch (UnsealException e) {
            throw new KeyringException(Reason.LOCKED, "wrong passphrase, or damaged: " + store.nameOf(place));
        }
        boolean whole =
                place.role() == SealedRole.EVM_KEY ? content.use(Secp256k1::isUsable) : isEntropy(content.length());
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

    /** A blob binds its role, not its address. */
    private KeyringException mismatch(SealedPlace place, EvmAddress address) {
        String name = store.nameOf(place);
        AUDIT.error("event=key_mismatch file={} address={}", name, address);
        return new KeyringException(
                Reason.LOCKED, name + " does not hold the key of " + address + "; restore it from a backup");
    }
}
