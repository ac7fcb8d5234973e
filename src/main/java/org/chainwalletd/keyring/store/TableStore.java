package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.store.KeyringRow;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.files.FileFailures;
import org.chainwalletd.store.postgres.KeyRows;

/**
 * Keyring in the tables of a PostgreSQL store that several daemons may change concurrently. The store decides whether this process may
 * write; each change is checked against the rows at commit time.
 */
public final class TableStore implements KeyringStore, KeyringStore.Shared {
    /** Kind of rows without a secret: addresses that a wallet directory knew but did not list. Their indexes of the seed are not used again. */
    private static final String GIVEN_OUT = "given_out";

    /** Places of the keyring itself and of its current account-chain key. */
    private static final List<SealedPlace> OF_KEYRING =
            List.of(SealedPlace.SEED, SealedPlace.CHECK, SealedPlace.EVM_KEY, SealedPlace.EVM_PHRASE);

    /** Keys of a wallet directory that are copied in one commit. */
    private static final int KEYS_AT_ONCE = 500;

    /** Suffix that a wallet directory is renamed with after its keys were copied. */
    private static final String ASIDE = "-moved";

    private final KeyRows rows;
    /** Sealed keys that are written with their record, in one commit: a deletion by another daemon must never find one without the other. */
    private final Map<Address, SealedKey> sealed = new ConcurrentHashMap<>();

    public TableStore(KeyRows rows) {
        this.rows = rows;
    }

    private static KeyringRow.Place row(SealedPlace place) {
        return new KeyringRow.Place(place.kind().word(), place.owner());
    }

    @Override
    public void make() {
        run(() -> {
            if (rows.head().isEmpty()) {
                requireNothingLost();
                boolean made = rows.write(KeyRows.Change.making(
                                Map.of(), head(KeyringView.of(List.of(), 0, Map.of())), KeyRows.Premise.unmade(0)))
                        .isEmpty();
                if (!made && rows.head().isEmpty()) {
                    throw KeyringFailures.changedElsewhere();
                }
            }
        });
    }

    /** Refuses to create an empty keyring in place of a lost one: it would forget keys and use the seed's addresses a second time. */
    private void requireNothingLost() {
        if (!isEmpty() || rows.hasPayments()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "the keyring in " + rows.database()
                            + " is not whole: its table keyring is empty although it was in use; put the newest copy of the"
                            + " database back, or start the daemon first on the datadir whose payments were moved here");
        }
    }

    private boolean isEmpty() {
        return !isSeeded()
                && rows.anySealed(SealedPlace.Kind.KEY.word()).isEmpty()
                && rows.anySealed(SealedPlace.Kind.EVM_KEY.word()).isEmpty();
    }

    private boolean isSeeded() {
        return rows.sealed(row(SealedPlace.SEED)).isPresent();
    }

    @Override
    public void makeSeeded(SealedBlob seed) {
        run(() -> {
            if (!isFree()) {
                throw new KeyringException(Reason.STORAGE, "there is a keyring already in " + rows.database());
            }
            requireNothingLost();
            Optional<KeyRows.Refusal> refusal = rows.write(KeyRows.Change.making(
                    Map.of(row(SealedPlace.SEED), bytes(seed)),
                    head(KeyringView.of(List.of(), 0, Map.of())),
                    KeyRows.Premise.unmade(0)));
            if (refusal.isPresent()) {
                throw new KeyringException(Reason.STORAGE, "there is a keyring already in " + rows.database());
            }
        });
    }

    private static Bytes bytes(SealedBlob blob) {
        return Bytes.wrap(blob.toBytes());
    }

    @Override
    public boolean isFree() {
        return call(() -> rows.head().isEmpty() && isEmpty());
    }

    @Override
    public Listing load() {
        return call(() -> {
            // Read before all rows: later changes are then reported again.
            long commit = rows.newest();
            KeyringRow.Head head = rows.head()
                    .orElseThrow(
                            () -> new KeyringException(Reason.STORAGE, "there is no keyring in " + rows.database()));
            boolean seeded = isSeeded();
            List<KeyEntry> entries = rows.keys().stream()
                    .map(TableStore::entry)
                    .sorted(Comparator.comparingLong(entry -> entry.index().orElse(Long.MAX_VALUE)))
                    .toList();
            if (!seeded && entries.stream().anyMatch(entry -> !entry.imported())) {
                throw new KeyringException(
                        Reason.STORAGE,
                        nameOf(SealedPlace.SEED)
                                + " is missing although there are derived addresses; put the newest copy of the database back");
            }
            requireKeys();
            return new Listing(KeyringView.of(entries, head.nextIndex(), members(head)), seeded, keptEvm(), commit);
        });
    }

    private static Map<String, byte[]> members(KeyringRow.Head head) {
        Map<String, byte[]> members = new LinkedHashMap<>();
        head.members().forEach((name, json) -> members.put(name, json.toArray()));
        return members;
    }

    @Override
    public Optional<Shared> shared() {
        return rows.areShared() ? Optional.of(this) : Optional.empty();
    }

    @Override
    public void whenOthersChange(Runnable told) {
        rows.whenOthersChange(told);
    }

    @Override
    public KeyringNews since(long commit) {
        return call(() -> {
            KeyRows.News news = rows.since(commit);
            return new KeyringNews(
                    news.commit(),
                    news.changed().stream().map(TableStore::entry).toList(),
                    notes(news.changed()),
                    news.deleted(),
                    news.head().nextIndex(),
                    members(news.head()),
                    keptEvm());
        });
    }

    @Override
    public boolean isListed(Address address) {
        return call(() -> rows.isListed(address));
    }

    @Override
    public boolean claim(SealedBlob check) {
        KeyringRow.Place place = row(SealedPlace.CHECK);
        return call(() -> {
            try {
                return rows.write(KeyRows.Change.sealing(Map.of(place, bytes(check)), KeyRows.Premise.vacant(place)))
                        .isEmpty();
            } catch (StoreException e) {
                // A stopped store is only read, under any passphrase.
                if (e.reason() == StoreException.Reason.STOPPED) {
                    return true;
                }
                throw e;
            }
        });
    }

    /**
     * Verifies that every listed key has its sealed blob. Both are written and removed in one commit; earlier releases used one commit for
     * each.
     */
    private void requireKeys() {
        List<Address> missing = rows.without(SealedPlace.Kind.KEY.word());
        if (!missing.isEmpty()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "the sealed keys of " + missing.size() + " listed addresses are missing in " + rows.database()
                            + ", the first is " + missing.get(0) + ": put the newest copy of the database back");
        }
    }

    private Set<EvmAddress> keptEvm() {
        return rows.owners(SealedPlace.Kind.KEPT_EVM_KEY.word()).stream()
                .map(owner -> EvmAddress.of(owner.toArray()))
                .collect(Collectors.toSet());
    }

    private static KeyEntry entry(KeyringRow.Key key) {
        return new KeyEntry(key.address(), key.publicKey(), key.index(), key.label(), key.imported());
    }

    @Override
    public Optional<SealedPlace> someSealed() {
        return call(() -> {
            if (isSeeded()) {
                return Optional.of(SealedPlace.SEED);
            }
            Optional<KeyringRow.Place> key = rows.anySealed(SealedPlace.Kind.KEY.word());
            if (key.isPresent()) {
                return key.map(found -> new SealedPlace(SealedPlace.Kind.KEY, found.owner()));
            }
            for (SealedPlace place : List.of(SealedPlace.EVM_KEY, SealedPlace.CHECK)) {
                if (rows.sealed(row(place)).isPresent()) {
                    return Optional.of(place);
                }
            }
            return Optional.empty();
        });
    }

    @Override
    public Optional<SealedBlob> find(SealedPlace place) {
        return call(() -> rows.sealed(row(place)).map(bytes -> parse(place, bytes)));
    }

    private SealedBlob parse(SealedPlace place, Bytes bytes) {
        try {
            return SealedBlob.parse(bytes.toArray());
        } catch (UnsealException e) {
            throw new KeyringException(
                    Reason.LOCKED,
                    nameOf(place) + " is damaged: " + e.getMessage() + "; put it back from a copy of the database");
        }
    }

    @Override
    public SealedBlob read(SealedPlace place) {
        return find(place)
                .orElseThrow(() -> new KeyringException(
                        Reason.LOCKED, nameOf(place) + " is missing; put it back from a copy of the database"));
    }

    @Override
    public void write(SealedPlace place, SealedBlob blob) {
        run(() -> rows.write(KeyRows.Change.sealing(Map.of(row(place), bytes(blob)), KeyRows.Premise.NONE)));
    }

    @Override
    public void add(SealedKey key) {
        CrashPoint.MINT_BEFORE_KEY_FILE.reached();
        sealed.put(key.address(), key);
    }

    /**
     * Drops only an unrecorded key. A recorded key's rows are removed with its record; rows found now may belong to a key added again by
     * another daemon.
     */
    @Override
    public void remove(Address address) {
        CrashPoint.DELETE_BEFORE_FILES.reached();
        sealed.remove(address);
    }

    @Override
    public void remove(List<SealedPlace> places) {
        run(() -> rows.write(
                KeyRows.Change.removing(places.stream().map(TableStore::row).toList())));
    }

    @Override
    public void record(KeyTable.Batch batch) {
        batch.changes().forEach(change -> change.before().ifPresent(CrashPoint::reached));
        Optional<KeyRows.Refusal> refusal = call(() -> rows.write(change(batch)));
        if (refusal.isPresent()) {
            throw refusal.get()
                    .needed()
                    .map(needed -> KeyringFailures.objected(
                            batch.gone().stream().findFirst().orElseThrow(), needed))
                    .orElseGet(KeyringFailures::changedElsewhere);
        }
        batch.added().forEach(entry -> sealed.remove(entry.address()));
        CrashPoint.MINT_BEFORE_ANSWER.reached();
    }

    private KeyRows.Change change(KeyTable.Batch batch) {
        Map<Address, KeyNote> notes = batch.notes();
        Map<KeyringRow.Place, Bytes> blobs = new LinkedHashMap<>();
        List<KeyringRow.Place> removed = new ArrayList<>();
        List<KeyringRow.Key> replaced = new ArrayList<>();
        Map<Address, Optional<String>> labels = new LinkedHashMap<>();
        Set<Address> unneeded = new HashSet<>();
        OptionalLong nextIndex = OptionalLong.empty();
        OptionalLong expectedIndex = OptionalLong.empty();
        Optional<KeyTable.Change.EvmKeyChange> evmKey = Optional.empty();
        for (KeyTable.Change change : batch.changes()) {
            change.replaced().values().forEach(entry -> replaced.add(key(entry, notes)));
            labels.putAll(change.labels());
            for (Address address : change.removed()) {
                removed.add(row(SealedPlace.phrase(address)));
                removed.add(row(SealedPlace.key(address)));
                if (change.unlessUsed()) {
                    unneeded.add(address);
                }
            }
            if (change.nextIndex() > 0) {
                nextIndex = OptionalLong.of(Math.max(nextIndex.orElse(0), change.nextIndex()));
                expectedIndex = change.expectedIndex();
            }
            if (change.evmKey().isPresent()) {
                evmKey = change.evmKey();
                evmKey.get().sealed().forEach((place, blob) -> blobs.put(row(place), bytes(blob)));
                evmKey.get().removed().forEach(place -> removed.add(row(place)));
            }
        }
        batch.added().stream()
                .filter(KeyEntry::imported)
                .forEach(entry -> blobs.putAll(blobs(sealedKey(entry.address()))));
        return new KeyRows.Change(
                blobs,
                removed,
                replaced,
                labels,
                batch.gone(),
                batch.added().stream().map(entry -> key(entry, notes)).toList(),
                nextIndex,
                evmKey.map(change -> head(batch.after()).members()),
                new KeyRows.Premise(
                        true,
                        false,
                        OptionalLong.empty(),
                        expectedIndex,
                        evmKey.map(change -> head(batch.before()).members()),
                        List.of(),
                        unneeded));
    }

    /** Returns a key that was added; a record without its sealed key could not sign and would stop every later start. */
    private SealedKey sealedKey(Address address) {
        SealedKey key = sealed.get(address);
        if (key == null) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "nothing was recorded, because the sealed key of " + address
                            + " is missing: report this as a fault of the program");
        }
        return key;
    }

    private static Map<KeyringRow.Place, Bytes> blobs(SealedKey key) {
        Map<KeyringRow.Place, Bytes> blobs = new LinkedHashMap<>();
        blobs.put(row(SealedPlace.key(key.address())), bytes(key.secret()));
        key.phrase().ifPresent(phrase -> blobs.put(row(SealedPlace.phrase(key.address())), bytes(phrase)));
        return blobs;
    }

    private static KeyringRow.Head head(KeyringView view) {
        Map<String, Bytes> members = new LinkedHashMap<>();
        view.unknownMembers().forEach((name, json) -> members.put(name, Bytes.wrap(json)));
        return new KeyringRow.Head(view.nextIndex(), members);
    }

    private static KeyringRow.Key key(KeyEntry entry, Map<Address, KeyNote> notes) {
        return key(entry, Optional.ofNullable(notes.get(entry.address())));
    }

    private static KeyringRow.Key key(KeyEntry entry, Optional<KeyNote> note) {
        return new KeyringRow.Key(
                entry.address(),
                entry.publicKey(),
                entry.index(),
                entry.label(),
                entry.imported(),
                note.map(known -> known.origin().code()).orElse(0),
                note.map(KeyNote::birth).orElse(OptionalLong.empty()));
    }

    @Override
    public KeyNotes notes() {
        return call(() -> {
            Map<Address, KeyNote> notes = notes(rows.keys());
            return address -> Optional.ofNullable(notes.get(address));
        });
    }

    private static Map<Address, KeyNote> notes(List<KeyringRow.Key> keys) {
        Map<Address, KeyNote> notes = new HashMap<>();
        for (KeyringRow.Key key : keys) {
            Arrays.stream(KeyNote.Origin.values())
                    .filter(origin -> origin.code() == key.origin())
                    .forEach(origin -> notes.put(key.address(), new KeyNote(origin, key.birth())));
        }
        return notes;
    }

    /**
     * Copies the keyring of the wallet directory into the database, if that has none yet, and renames the directory. Does nothing when the
     * directory holds no keyring. Resumes a copy that was interrupted.
     *
     * @param folder the keyring in the directory {@code wallets}
     * @return the number of keys; empty when there was nothing to copy
     * @throws KeyringException when the database has a keyring with other keys; nothing is changed then
     */
    public OptionalInt takeIn(KeyringStore folder, Path wallets) {
        if (folder.isFree()) {
            return OptionalInt.empty();
        }
        return call(() -> {
            Listing found = folder.load();
            if (rows.head().isPresent()) {
                requireSame(folder, found, load(), wallets);
            } else {
                requireNoOther(found, wallets);
                enter(folder, found, wallets);
            }
            CrashPoint.KEYS_MOVED.reached();
            putAside(wallets);
            return OptionalInt.of(found.view().size());
        });
    }

    private void enter(KeyringStore folder, Listing found, Path wallets) {
        KeyNotes notes = folder.notes();
        Set<Address> entered = new HashSet<>();
        rows.keys().forEach(key -> entered.add(key.address()));
        Map<KeyringRow.Place, Bytes> blobs = new LinkedHashMap<>();
        List<KeyringRow.Key> keys = new ArrayList<>();
        for (KeyEntry entry : found.view().entries()) {
            if (entry.imported()) {
                SealedPlace key = SealedPlace.key(entry.address());
                blobs.put(row(key), bytes(folder.read(key)));
                copy(folder, SealedPlace.phrase(entry.address()), blobs);
            }
            keys.add(key(entry, notes.of(entry.address())));
            if (keys.size() == KEYS_AT_ONCE) {
                write(blobs, keys, entered, wallets);
            }
        }
        write(blobs, keys, entered, wallets);
        OF_KEYRING.forEach(place -> copy(folder, place, blobs));
        placesOfKeptEvm(found).forEach(place -> copy(folder, place, blobs));
        folder.unlisted(found.view())
                .forEach(address ->
                        blobs.put(new KeyringRow.Place(GIVEN_OUT, Bytes.wrap(address.toArray())), Bytes.EMPTY));
        // The head row completes the keyring; until it is written, the next start copies everything again.
        requireAlone(
                rows.write(KeyRows.Change.making(blobs, head(found.view()), KeyRows.Premise.unmade(entered.size()))),
                wallets);
    }

    private static List<SealedPlace> placesOfKeptEvm(Listing found) {
        List<SealedPlace> places = new ArrayList<>();
        for (EvmAddress address : found.keptEvm()) {
            places.add(SealedPlace.keptEvmKey(address));
            places.add(SealedPlace.keptEvmPhrase(address));
        }
        return places;
    }

    /** @param entered addresses of all keys in the database; this method adds those it writes */
    private void write(
            Map<KeyringRow.Place, Bytes> blobs, List<KeyringRow.Key> keys, Set<Address> entered, Path wallets) {
        requireAlone(
                rows.write(KeyRows.Change.entering(
                        Map.copyOf(blobs), List.copyOf(keys), KeyRows.Premise.unmade(entered.size()))),
                wallets);
        keys.forEach(key -> entered.add(key.address()));
        CrashPoint.KEYS_IN_MOVE.reached();
        blobs.clear();
        keys.clear();
    }

    private static void copy(KeyringStore from, SealedPlace place, Map<KeyringRow.Place, Bytes> blobs) {
        from.find(place).ifPresent(blob -> blobs.put(row(place), bytes(blob)));
    }

    /** Accepts a directory that was copied before: the process ended before it renamed it, and other daemons may have deleted keys since. */
    private void requireSame(KeyringStore folder, Listing found, Listing there, Path wallets) {
        Set<Address> known =
                there.view().entries().stream().map(KeyEntry::address).collect(Collectors.toSet());
        known.addAll(rows.deleted());
        boolean sameSeed = !found.seeded()
                || folder.find(SealedPlace.SEED).map(TableStore::bytes).equals(rows.sealed(row(SealedPlace.SEED)));
        boolean all = found.view().entries().stream().map(KeyEntry::address).allMatch(known::contains)
                && found.view().nextIndex() <= there.view().nextIndex();
        if (!sameSeed || !all) {
            throw other(wallets);
        }
    }

    /** Fails when another daemon has created a keyring meanwhile or is copying another directory. */
    private void requireAlone(Optional<KeyRows.Refusal> refusal, Path wallets) {
        if (refusal.isPresent()) {
            throw other(wallets);
        }
    }

    /** Fails unless keys in a database without a head row, left by an interrupted copy, all come from this directory. */
    private void requireNoOther(Listing found, Path wallets) {
        Set<Address> own =
                found.view().entries().stream().map(KeyEntry::address).collect(Collectors.toSet());
        if (!rows.keys().stream().allMatch(key -> own.contains(key.address()))) {
            throw other(wallets);
        }
    }

    private KeyringException other(Path wallets) {
        return new KeyringException(
                Reason.STORAGE,
                "the folder " + wallets + " has a keyring, and so has " + rows.database()
                        + ", with other keys: name the right database or datadir; or, if both keyrings are yours, start a daemon"
                        + " without --store on a copy of the folder, export its keys, and import them here");
    }

    /**
     * Writes the keyring as a new wallet directory with the same sealed blobs, and compares it with the rows, which nothing else may change
     * meanwhile.
     *
     * @param folder the store of the directory, which must not hold a keyring yet
     * @return the number of keys; empty when there is no keyring, and nothing was written
     * @throws KeyringException also when the written keyring differs from the rows
     */
    public OptionalInt putOut(KeyringStore.Fillable folder) {
        return call(() -> {
            if (rows.head().isEmpty() && isEmpty()) {
                return OptionalInt.empty();
            }
            Listing found = load();
            Map<SealedPlace, SealedBlob> blobs = new LinkedHashMap<>();
            sealedPlaces(found).forEach((place, blob) -> blobs.put(place, parse(place, blob)));
            folder.fill(found.view(), blobs, notes(rows.keys()), unlisted(found.view()));
            requireCopied(found, folder);
            return OptionalInt.of(found.view().size());
        });
    }

    /**
     * Returns the sealed blobs of everything listed and of the keyring itself, in the order in which a folder is filled: the keyring's own
     * blobs first, because a folder with only kept account-chain keys would count as free.
     */
    private Map<SealedPlace, Bytes> sealedPlaces(Listing found) {
        List<SealedPlace> places = new ArrayList<>(OF_KEYRING);
        for (Address address : found.view().imported()) {
            places.add(SealedPlace.key(address));
            places.add(SealedPlace.phrase(address));
        }
        places.addAll(placesOfKeptEvm(found));
        Map<SealedPlace.Kind, Map<Bytes, Bytes>> blobs = new EnumMap<>(SealedPlace.Kind.class);
        for (SealedPlace.Kind kind : SealedPlace.Kind.values()) {
            blobs.put(kind, rows.allSealed(kind.word()));
        }
        Map<SealedPlace, Bytes> sealedBlobs = new LinkedHashMap<>();
        for (SealedPlace place : places) {
            Optional.ofNullable(blobs.get(place.kind()).get(place.owner()))
                    .ifPresent(blob -> sealedBlobs.put(place, blob));
        }
        return sealedBlobs;
    }

    private void requireCopied(Listing found, KeyringStore folder) {
        Listing copied = folder.load();
        KeyNotes known = notes();
        KeyNotes noted = folder.notes();
        boolean same = Set.copyOf(copied.view().entries())
                        .equals(Set.copyOf(found.view().entries()))
                && head(copied.view()).equals(head(found.view()))
                && copied.seeded() == found.seeded()
                && copied.keptEvm().equals(found.keptEvm())
                && folder.unlisted(copied.view()).equals(unlisted(found.view()))
                && found.view().entries().stream()
                        .allMatch(entry -> noted.of(entry.address()).equals(known.of(entry.address())))
                && sealedPlaces(found).entrySet().stream()
                        .allMatch(sealedBlob -> folder.find(sealedBlob.getKey())
                                .map(TableStore::bytes)
                                .filter(sealedBlob.getValue()::equals)
                                .isPresent());
        if (!same) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "the copy of the keyring differs from that in " + rows.database()
                            + ": go on with the database, and report this as a fault of the program");
        }
    }

    private static void putAside(Path wallets) {
        Path aside = wallets.resolveSibling(wallets.getFileName() + ASIDE);
        for (int number = 2; Files.exists(aside); number++) {
            aside = wallets.resolveSibling(wallets.getFileName() + ASIDE + "-" + number);
        }
        try {
            Files.move(wallets, aside);
            AtomicFiles.syncFolder(wallets.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "the keys are in the database, but the folder " + wallets + " cannot be renamed to " + aside + ": "
                            + FileFailures.describe(e) + "; move it away yourself");
        }
    }

    @Override
    public Set<Address> unlisted(KeyringView view) {
        return call(() -> {
            Set<Address> known = rows.owners(GIVEN_OUT).stream()
                    .map(owner -> Address.of(owner.toArray()))
                    .collect(Collectors.toSet());
            view.entries().forEach(entry -> known.remove(entry.address()));
            return known;
        });
    }

    @Override
    public String nameOf(SealedPlace place) {
        String owner = place.owner().isEmpty() ? "" : "/" + place.owner();
        return "sealed/" + place.kind().word() + owner + " in the database";
    }

    private static void run(Runnable step) {
        call(() -> {
            step.run();
            return null;
        });
    }

    private static <T> T call(Supplier<T> step) {
        try {
            return step.get();
        } catch (StoreException e) {
            boolean away = e.reason() == StoreException.Reason.BUSY;
            throw new KeyringException(
                    away ? Reason.AWAY : Reason.STORAGE, "the keyring could not be reached: " + e.getMessage());
        }
    }
}
