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
 * Where a keyring is kept: sealed blobs by their places, and the records that say which keys there are. {@link FolderStore} keeps it in the
 * wallet directory, {@link TableStore} in a database (scale-out.md, section 5). Nothing secret passes here unsealed.
 *
 * <p>Blocking: for the disk threads, or for a thread that is about to compute an Argon2id anyway. Fails with {@link KeyringException}: {@code
 * LOCKED} for a blob that is missing or no sealed blob, {@code STORAGE} for everything else that is not as it should be; messages name the
 * place and the way out. What was written survives a power cut when the method returns. One change of the records at a time; anything else may
 * overlap.
 */
public interface KeyringStore {
    /** Makes an empty keyring if none was ever made, and never one in the place of a lost one. */
    void make();

    /** Makes a keyring with a legacy seed; refused when there is one already, and then nothing is changed. */
    void makeSeeded(SealedBlob seed);

    /** Whether no keyring was ever made here, or nothing is left of it. */
    boolean isFree();

    /** Reads what there is, without unsealing anything. */
    Listing load();

    /**
     * The public side of a keyring.
     *
     * @param seeded whether there is a legacy seed to derive keys from
     * @param keptEvm addresses of account-chain keys that have a place by their own address
     * @param commit from which on {@link Shared#since} tells what has changed; 0 where nobody else changes the keyring
     */
    record Listing(KeyringView view, boolean seeded, Set<EvmAddress> keptEvm, long commit) {}

    /** Changes by others; empty where no other daemon can change the keyring. */
    default Optional<Shared> shared() {
        return Optional.empty();
    }

    default boolean isShared() {
        return shared().isPresent();
    }

    /**
     * Has this passphrase be the one of a shared keyring in which no sealed blob proves one yet. Returns false when another daemon was first.
     *
     * @param check blob that proves it
     */
    default boolean claim(SealedBlob check) {
        return true;
    }

    /** A place whose blob proves the passphrase: the seed's, or any key's, or the check's; empty when nothing is sealed. */
    Optional<SealedPlace> someSealed();

    /** Empty when there is none in this place. */
    Optional<SealedBlob> find(SealedPlace place);

    /** Fails when there is none in this place. */
    SealedBlob read(SealedPlace place);

    void write(SealedPlace place, SealedBlob blob);

    /** Writes the key, then its phrase, at the latest with {@link #record}, by which it becomes one of the keyring's. */
    void add(SealedKey key);

    /** Removes both places of a key that is recorded no more. */
    void remove(Address address);

    /** Removes one after the other in this order; one that is not there is none too many. */
    void remove(List<SealedPlace> places);

    /**
     * Changes the records. A key is there for good, or gone for good, when this returns. Fails with {@code CONFLICT}, with nothing changed, when
     * another daemon has changed what the batch was prepared on.
     */
    void record(KeyTable.Batch batch);

    /** Reads what is noted of the keys, anew each time. */
    KeyNotes notes();

    /**
     * Addresses of which something is known although {@code view} does not list them: given out by a keyring whose records were put back to an
     * older state, or about to be when the process died.
     */
    Set<Address> unlisted(KeyringView view);

    /** Notes that were taken of keys when they came. */
    @FunctionalInterface
    interface KeyNotes {
        /** Empty for a key without a note. */
        Optional<KeyNote> of(Address address);
    }

    /** The name under which people find a place, for messages: a path, or table, kind and owner. */
    String nameOf(SealedPlace place);

    /** Makes the next change cheap; called between changes. */
    default void prepare() {}

    /**
     * Looks for damage, the first time, and makes the next start quick: for a moment at which it is quiet.
     *
     * @param view the keyring at the moment
     */
    default void tend(Supplier<KeyringView> view) {}

    /** Does the last thing: nothing is written any more when this returns. */
    default void settle(KeyringView view) {}

    /** Drops what was prepared. */
    default void close() {}

    /** A 1:1 key whose secrets are sealed already; nothing of it is on the disk yet. */
    record SealedKey(Address address, PublicKey publicKey, SealedBlob secret, Optional<SealedBlob> phrase) {}

    /** A keyring that other daemons may change at the same time. */
    interface Shared {
        /** Registers who is told, on a thread that must not be blocked, that another daemon has changed it. */
        void whenOthersChange(Runnable told);

        /** Reads what has changed since a commit, by this daemon too. */
        KeyringNews since(long commit);

        /** Tells whether it has this key at this moment, which another daemon may have deleted. */
        boolean isListed(Address address);
    }

    /** A keyring that can be made of everything that another store has. */
    interface Fillable extends KeyringStore {
        /**
         * Makes the keyring; refused when there is one already, and then nothing is changed.
         *
         * @param givenOut addresses that are not listed and must not be given out again
         */
        void fill(
                KeyringView view,
                Map<SealedPlace, SealedBlob> sealed,
                Map<Address, KeyNote> notes,
                Set<Address> givenOut);
    }
}
