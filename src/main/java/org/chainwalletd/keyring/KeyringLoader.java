package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.KeyringStore.Listing;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a keyring at start: reads its listing and, in parallel, verifies the passphrase by unsealing one blob, or a second one when the
 * first is damaged. Nothing else is unsealed.
 */
final class KeyringLoader {
    private static final Logger LOG = LoggerFactory.getLogger(KeyringLoader.class);

    private final KeyringStore store;
    private final Sealer sealer;
    private final Executor argon2;
    private final Executor disk;

    KeyringLoader(KeyringSetup setup, KeyringStore store) {
        this.store = store;
        this.sealer = setup.sealer();
        this.argon2 = setup.executors().argon2().of(Urgency.SPEND);
        this.disk = setup.executors().disk();
    }

    /**
     * Fails with {@link KeyringException}: LOCKED for a wrong passphrase, STORAGE for damage.
     *
     * @param made completes when the keyring exists
     */
    CompletableFuture<Listing> load(CompletableFuture<Void> made, SecretBytes passphrase) {
        CompletableFuture<Listing> listing = made.thenApplyAsync(done -> store.load(), disk);
        CompletableFuture<Proof> proved = made.thenApplyAsync(
                done -> store.someSealed()
                        .map(place -> attempt(place, passphrase))
                        .orElseGet(() -> first(passphrase)),
                argon2);
        return listing.thenCombineAsync(
                proved, (found, proof) -> bound(conclude(found, proof, passphrase), passphrase), argon2);
    }

    /** Result of trying the passphrase on one sealed blob; {@code tried} is empty when there was none to try. */
    private record Proof(boolean opened, Optional<SealedPlace> tried) {}

    /**
     * Handles a keyring without sealed blobs. In a shared one the first daemon sets the passphrase; a daemon that starts concurrently
     * verifies its own against that.
     */
    private Proof first(SecretBytes passphrase) {
        Proof none = new Proof(true, Optional.empty());
        return !store.isShared() || claims(passphrase)
                ? none
                : store.someSealed().map(place -> attempt(place, passphrase)).orElse(none);
    }

    /** Costs one Argon2id. */
    private boolean claims(SecretBytes passphrase) {
        try (SecretBytes nothing = SecretBytes.takeOver(new byte[32])) {
            return store.claim(sealer.seal(Sealer.Role.CHECK, passphrase, nothing));
        }
    }

    /** Keeps a shared keyring bound to its passphrase after its last key was deleted, because other daemons continue to use that passphrase. */
    private Listing bound(Listing found, SecretBytes passphrase) {
        if (store.isShared() && !found.seeded() && !isThere(SealedPlace.CHECK)) {
            claims(passphrase);
        }
        return found;
    }

    /** Costs one Argon2id. */
    private Proof attempt(SealedPlace place, SecretBytes passphrase) {
        try {
            return new Proof(opens(place, store.read(place), passphrase), Optional.of(place));
        } catch (KeyringException damaged) {
            damaged.throwIfAway();
            return new Proof(false, Optional.of(place));
        }
    }

    private boolean opens(SealedPlace place, SealedBlob blob, SecretBytes passphrase) {
        try {
            sealer.open(place.role(), passphrase, blob).close();
            return true;
        } catch (UnsealException e) {
            return false;
        }
    }

    /**
     * Tries a second blob where the first is inconclusive. A blob that does not open may be damaged; if another one opens, the passphrase
     * is right. A key blob whose address is not listed proves nothing while a listed one exists: it may have been copied here from a
     * keyring with another passphrase.
     */
    private Listing conclude(Listing found, Proof proof, SecretBytes passphrase) {
        boolean ours = proof.tried().map(place -> isListed(place, found.view())).orElse(true);
        if (proof.opened() && ours) {
            return found;
        }
        Optional<SealedPlace> another = better(proof.tried(), found);
        if (another.isEmpty() && proof.opened()) {
            return found;
        }
        return judged(
                found,
                proof,
                ours,
                another.map(place -> attempt(place, passphrase)).orElse(proof));
    }

    /**
     * @param ours whether the first blob tried is a listed one
     * @param second repeats the first attempt when there was nothing better to try
     */
    private Listing judged(Listing found, Proof first, boolean ours, Proof second) {
        if (second.opened()) {
            if (ours) {
                LOG.error(
                        "the sealed file {} is damaged or sealed under another passphrase",
                        store.nameOf(first.tried().orElseThrow()));
            }
            return found;
        }
        SealedPlace refused = (ours ? first : second).tried().orElseThrow();
        String hint = refused.equals(SealedPlace.CHECK)
                ? store.isShared()
                        ? "; all daemons of a database have one passphrase, which the first one has chosen"
                        : "; there is no key yet: to choose another passphrase, delete this file"
                : ", or the file is damaged and the only one to try";
        throw new KeyringException(
                Reason.LOCKED, "wrong passphrase: the sealed file " + store.nameOf(refused) + " does not open" + hint);
    }

    private static boolean isListed(SealedPlace place, KeyringView view) {
        return place.kind() == SealedPlace.Kind.KEY
                ? view.hasImported(Address.of(place.owner().toArray()))
                : !place.equals(SealedPlace.EVM_KEY) || view.evmKey().isPresent();
    }

    /** A listed key's blob other than {@code tried}, or in a keyring without keys and seed its passphrase check. */
    private Optional<SealedPlace> better(Optional<SealedPlace> tried, Listing found) {
        KeyringView view = found.view();
        if (view.size() == 0 && !found.seeded() && !tried.equals(Optional.of(SealedPlace.CHECK))) {
            return isThere(SealedPlace.CHECK) ? Optional.of(SealedPlace.CHECK) : Optional.empty();
        }
        return view.entries().stream()
                .filter(KeyEntry::imported)
                .map(entry -> SealedPlace.key(entry.address()))
                .filter(place -> !tried.equals(Optional.of(place)))
                .findFirst();
    }

    /** Whether the blob exists, damaged or not. */
    private boolean isThere(SealedPlace place) {
        try {
            return store.find(place).isPresent();
        } catch (KeyringException damaged) {
            damaged.throwIfAway();
            return true;
        }
    }
}
