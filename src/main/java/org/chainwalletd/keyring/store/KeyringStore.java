package org.chainwalletd.keyring.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.evm.EvmAddress;

/**
 * Storage of a keyring: sealed blobs by place, and the records that list the keys. {@link FolderStore} uses the wallet directory, {@link
 * TableStore} a database (scale-out.md, section 5). No unsealed secret passes through this interface.
 *
 * <p>Blocking: call on the disk threads, or on a thread that is about to compute an Argon2id anyway. Fails with {@link KeyringException}:
 * {@code LOCKED} for a blob that is missing or not a sealed blob, {@code AWAY} for a database that is not reachable now, {@code CONFLICT} see
 * {@link #record}, {@code STORAGE} for damage and everything else; messages name the place and a remedy. Writes are durable when the method
 * returns. Only one change of the records at a time; all other calls may run concurrently.
 */
public interface KeyringStore {
    /** Creates an empty keyring if none was ever created here; fails if one was lost. */
    void make();

    /** Creates a keyring with a legacy seed; fails without any change when one exists already. */
    void makeSeeded(SealedBlob seed);

    /** Whether no keyring was ever created here, or nothing is left of it. */
    boolean isFree();

    /** Reads the listing without unsealing anything. */
    Listing load();

    /**
     * Public part of a keyring.
     *
     * @param seeded whether there is a legacy seed to derive keys from
     * @param keptEvm addresses of account-chain keys that have their own place
     * @param commit number to pass to {@link Shared#since} for later changes; 0 when no other daemon changes the keyring
     */
    record Listing(KeyringView view, boolean seeded, Set<EvmAddress> keptEvm, long commit) {}

    /** Access to other daemons' changes; empty when no other daemon can change the keyring. */
    default Optional<Shared> shared() {
        return Optional.empty();
    }

    default boolean isShared() {
        return shared().isPresent();
    }

    /**
     * Sets the passphrase of a shared keyring that has no sealed blob yet. Returns false when another daemon was first.
     *
     * @param check blob that verifies the passphrase
     */
    default boolean claim(SealedBlob check) {
        return true;
    }

    /** Returns a place whose blob verifies the passphrase: the seed, any key or the check; empty when nothing is sealed. */
    Optional<SealedPlace> someSealed();

    /** Reads the blob of a place; empty when there is none. */
    Optional<SealedBlob> find(SealedPlace place);

    /** Reads the blob of a place; fails when there is none. */
    SealedBlob read(SealedPlace place);

    void write(SealedPlace place, SealedBlob blob);

    /** Stores the key, then its phrase, at the latest with {@link #record}, which makes it part of the keyring. */
    void add(SealedKey key);

    /** Removes both places of a key that is no longer recorded. */
    void remove(Address address);

    /** Removes the places in this order; missing ones are ignored. */
    void remove(List<SealedPlace> places);

    /**
     * Changes the records; additions and removals are durable when this returns. Fails with {@code CONFLICT}, and changes nothing, when
     * another daemon has changed the state on which the batch was prepared.
     */
    void record(KeyTable.Batch batch);

    /** Reads the notes of the keys, each time anew. */
    KeyNotes notes();

    /**
     * Returns addresses known to the store but not listed in {@code view}: given out before the records were restored from an older state,
     * or about to be given out when the process died.
     */
    Set<Address> unlisted(KeyringView view);

    /** Notes recorded when keys were added. */
    @FunctionalInterface
    interface KeyNotes {
        /** Empty for a key without a note. */
        Optional<KeyNote> of(Address address);
    }

    /** Returns the operator's name of a place, for messages: a path, or table, kind and owner. */
    String nameOf(SealedPlace place);

    /** Prepares the next change so that it is cheap; called between changes. */
    default void prepare() {}

    /**
     * Does background maintenance: on the first call checks for damage, on every call prepares data that speeds up the next start.
     *
     * @param view returns the current state of the keyring
     */
    default void tend(Supplier<KeyringView> view) {}

    /** Last call on shutdown; nothing is written after it returns. */
    default void settle(KeyringView view) {}

    /** Discards prepared data. */
    default void close() {}

    /** 1:1 key whose secrets are sealed; not yet stored. */
    record SealedKey(Address address, PublicKey publicKey, SealedBlob secret, Optional<SealedBlob> phrase) {}

    /** Keyring that other daemons may change concurrently. */
    interface Shared {
        /** Registers a callback for changes by other daemons; runs on a thread that must not be blocked. */
        void whenOthersChange(Runnable told);

        /** Reads all changes since a commit, including those by this daemon. */
        KeyringNews since(long commit);

        /** Whether the key is listed now; another daemon may have deleted it. */
        boolean isListed(Address address);
    }

    /** Keyring that can be created from the complete contents of another store. */
    interface Fillable extends KeyringStore {
        /**
         * Creates the keyring; fails without any change when one exists already.
         *
         * @param givenOut unlisted addresses that must not be given out again
         */
        void fill(
                KeyringView view,
                Map<SealedPlace, SealedBlob> sealed,
                Map<Address, KeyNote> notes,
                Set<Address> givenOut);
    }
}
