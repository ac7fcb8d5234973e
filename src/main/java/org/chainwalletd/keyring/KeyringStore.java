package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.evm.EvmAddress;

/**
 * Where a keyring is kept: sealed blobs by their places, and the records that say which keys there are. {@link FolderStore} keeps it in the
 * wallet directory; a table that several daemons share can stand in its place (scale-out.md, section 2). Nothing secret passes here unsealed.
 *
 * <p>Nothing blocks the caller. Stages fail with {@link KeyringException}: {@code LOCKED} for a blob that is missing or no sealed blob, {@code
 * STORAGE} for everything else that is not as it should be; messages name the place and the way out. What a stage of a write promised survives
 * a power cut. One change of the records at a time; anything else may overlap.
 */
interface KeyringStore {
    /** There is a keyring, an empty one if none was ever made, when this is complete. Never makes one in the place of a lost one. */
    CompletableFuture<Void> make();

    /** Makes a keyring with a legacy seed; refused when there is one already, and then nothing is changed. */
    CompletableFuture<Void> makeSeeded(SealedBlob seed);

    /** Whether no keyring was ever made here, or nothing is left of it. */
    CompletableFuture<Boolean> isFree();

    /** What there is, without unsealing anything. */
    CompletableFuture<Listing> load();

    /**
     * The public side of a keyring.
     *
     * @param seeded whether there is a legacy seed to derive keys from
     * @param keptEvm addresses of account-chain keys that have a place by their own address
     */
    record Listing(KeyringView view, boolean seeded, Set<EvmAddress> keptEvm) {}

    /** A place whose blob proves the passphrase: the seed's, or any key's, or the check's; empty when nothing is sealed. */
    CompletableFuture<Optional<SealedPlace>> someSealed();

    /** Empty when there is none in this place. */
    CompletableFuture<Optional<SealedBlob>> find(SealedPlace place);

    /** Fails when there is none in this place. */
    CompletableFuture<SealedBlob> read(SealedPlace place);

    CompletableFuture<Void> write(SealedPlace place, SealedBlob blob);

    /** First the key, then its phrase. It becomes one of the keyring's by {@link #record}. */
    CompletableFuture<Void> add(SealedKey key);

    /** Both places of a key that is recorded no more. */
    CompletableFuture<Void> remove(Address address);

    /** One after the other in this order; one that is not there is none too many. */
    CompletableFuture<Void> remove(List<SealedPlace> places);

    /** Changes the records. A key is there for good, or gone for good, when this is complete. */
    CompletableFuture<Void> record(KeyTable.Batch batch);

    /** What is noted of the keys; read anew each time. */
    CompletableFuture<KeyNotes> notes();

    /**
     * Addresses of which something is known although {@code view} does not list them: given out by a keyring whose records were put back to an
     * older state, or about to be when the process died.
     */
    CompletableFuture<Set<Address>> unlisted(KeyringView view);

    /** What was noted of keys when they came. */
    @FunctionalInterface
    interface KeyNotes {
        /** Empty for a key without a note. */
        Optional<KeyNote> of(Address address);
    }

    /** How people find a place: a path, for messages. */
    String nameOf(SealedPlace place);

    /** Makes the next change cheap; called between changes. */
    void prepare();

    /**
     * It is quiet: time to look for damage and to make the next start quick.
     *
     * @param view the keyring at the moment
     */
    void tend(Supplier<KeyringView> view);

    /** The last thing: complete when nothing is written any more. */
    CompletableFuture<Void> settle(KeyringView view);

    /** Drops what was prepared. */
    void close();
}
