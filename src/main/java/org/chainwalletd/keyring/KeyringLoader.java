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
 * Opens a keyring at start: reads what it lists, and proves the passphrase on one sealed blob, at the same time. Nothing is unsealed beyond that
 * one, or another where that one is damaged.
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
     * @param made there is a keyring
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

    /** Result of trying the passphrase on one sealed blob; {@code tried} is empty when there is none to try. */
    private record Proof(boolean opened, Optional<SealedPlace> tried) {}

    /** Nothing is sealed yet. In a shared keyring the first daemon decides the passphrase: one that comes at the same time proves that one. */
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

    /** Keeps a shared keyring whose last key is deleted bound to its passphrase, which other daemons go on with. */
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
     * A blob that does not open may be damaged: another one that does open says that the passphrase is right. The key of no listed address
     * says nothing while there is a better one: somebody may have copied it here from a keyring with a passphrase of its own.
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
     * @param ours whether the first blob that was tried is a listed one
     * @param second the first attempt once more, when there was nothing better to try
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

    /** A listed key's blob other than {@code tried}, or in a keyring without keys the one that proves its passphrase. */
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

    /** Whether there is something, damaged or not. */
    private boolean isThere(SealedPlace place) {
        try {
            return store.find(place).isPresent();
        } catch (KeyringException damaged) {
            damaged.throwIfAway();
            return true;
        }
    }
}
