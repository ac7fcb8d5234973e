package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.files.Fence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keyring in the wallet directory (interface.md, section 1.4): sealed files, {@code state.json} as the only list of the keys, and beside it the
 * data that is readable without unsealing. Reports damage; never replaces a damaged {@code state.json} or sealed file.
 */
public final class FolderStore implements KeyringStore.Fillable {
    private static final Logger LOG = LoggerFactory.getLogger(FolderStore.class);
    /** Largest keyring whose key files are all checked before the start completes; those of a larger one are checked afterwards. */
    public static final int CHECKED_AT_START = 1_000;

    private final KeyFolder folder;
    private final PublicKeyFiles publicKeys;
    private final KeyNoteFiles notes;
    private final StateFile stateFile;
    private final FolderUpkeep upkeep;
    private final Fence fence;
    private final boolean clears;

    public FolderStore(KeyringSetup setup) {
        this(setup, true);
    }

    /** Opens the keyring's store: the one named by {@code setup}, or else a folder store. Parameters as for the constructor. */
    public static KeyringStore open(KeyringSetup setup, boolean clears) {
        return setup.elsewhere().isPresent() ? setup.elsewhere().get().get() : new FolderStore(setup, clears);
    }

    /** @param clears whether half-written files are deleted; false when a running daemon may be writing them */
    public FolderStore(KeyringSetup setup, boolean clears) {
        this.clears = clears;
        this.folder = new KeyFolder(setup.wallets());
        this.publicKeys = new PublicKeyFiles(folder.publicKeys());
        this.notes = new KeyNoteFiles(folder.publicKeys());
        this.stateFile = new StateFile(folder.state());
        this.fence = setup.fence();
        this.upkeep = new FolderUpkeep(folder, setup.metrics());
    }

    @Override
    public void make() {
        run("cannot open the keyring at", folder.state(), () -> {
            folder.create();
            if (!Files.exists(folder.state())) {
                refuseLostState();
                writeEmptyState();
            }
        });
    }

    @Override
    public void makeSeeded(SealedBlob seed) {
        run("cannot make a keyring at", folder.state(), () -> {
            folder.requireFree();
            folder.create();
            folder.write(folder.seed(), seed);
            writeEmptyState();
        });
    }

    /** Writes {@code state.json} last, because it alone lists the keys. */
    @Override
    public void fill(
            KeyringView view, Map<SealedPlace, SealedBlob> sealed, Map<Address, KeyNote> noted, Set<Address> givenOut) {
        run("cannot make a keyring at", folder.state(), () -> {
            folder.requireFree();
            folder.create();
            sealed.forEach((place, blob) -> folder.write(folder.path(place), blob));
            publicKeys.add(view.entries().stream()
                    .filter(entry -> entry.publicKey().isPresent())
                    .toList());
            publicKeys.addUnknown(givenOut);
            notes.add(noted);
            new StateFile(folder.state()).write(view, false);
        });
    }

    private void writeEmptyState() throws IOException {
        new StateFile(folder.state()).write(KeyringView.of(List.of(), 0, Map.of()), false);
    }

    /**
     * Refuses to create an empty {@code state.json} in place of a lost one: it would forget keys and use the seed's addresses a second
     * time. A seed that was never used cannot be told from one whose records are lost.
     */
    private void refuseLostState() throws IOException {
        if (folder.isSeeded()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    folder.state() + " is missing beside " + folder.seed()
                            + ": which indexes were given out is not known, and none is given out twice; restore it from a backup."
                            + " Without one, write one by hand whose \"next_index\" is above every index that was ever given"
                            + " out, and whose \"imported\" lists the addresses in the names of the *.key.enc files. If init-seeded was"
                            + " cut short here and printed no words, delete " + folder.seed() + " and run it again");
        }
        if (folder.anyKey().isPresent() || !publicKeys.load().isEmpty()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    folder.state()
                            + " is missing although the keyring was in use; restore it from a backup. Without one,"
                            + " write one by hand whose \"imported\" lists the addresses in the names of the *.key.enc files");
        }
    }

    @Override
    public boolean isFree() {
        return call("cannot read the folder of", folder.state(), folder::isFree);
    }

    @Override
    public Listing load() {
        return call("cannot read the files beside", folder.state(), () -> {
            Optional<KeyringView> described = upkeep.described();
            KeyringView view = described.isPresent() ? withLearntKeys(described.get()) : readState();
            boolean seeded = folder.isSeeded();
            if (view.hasDerived() && !seeded) {
                throw new KeyringException(
                        Reason.STORAGE,
                        folder.seed() + " is missing although " + folder.state()
                                + " lists derived addresses; restore it from a backup");
            }
            if (view.size() <= CHECKED_AT_START) {
                checkFiles(view.imported());
            }
            stateFile.opened(view);
            described.ifPresent(found -> upkeep.describes(view));
            return new Listing(view, seeded, folder.keptEvm(), 0);
        });
    }

    /** Adds public keys that were learnt since, which does not change {@code state.json}. */
    private KeyringView withLearntKeys(KeyringView view) throws IOException {
        return view.hasAllPublicKeys() ? view : view.with(publicKeys.load());
    }

    private KeyringView readState() throws IOException {
        PublicKeyFiles.Found keys = publicKeys.load();
        Path file = folder.state();
        try {
            return StateReader.read(Files.readAllBytes(file), keys);
        } catch (IOException | IllegalArgumentException e) {
            throw new KeyringException(
                    Reason.STORAGE,
                    file + " cannot be read: " + e.getMessage()
                            + ". It is the only record of the keys: restore it from a backup; it was not changed");
        }
    }

    private void checkFiles(List<Address> listed) throws IOException {
        if (clears) {
            folder.clearHalfWritten(Instant.MAX);
        }
        KeyFolder.Inventory found = folder.inventory(listed);
        if (!found.damaged().isEmpty()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "key files of " + found.damaged().size() + " listed addresses are missing or damaged: "
                            + folder.paths(found.damaged())
                            + ". Restore them from a backup, or, to go on without these keys, take"
                            + " their addresses out of \"imported\" in " + folder.state());
        }
        found.reportUnlisted(folder);
    }

    @Override
    public Optional<SealedPlace> someSealed() {
        return call("cannot read the folder of", folder.state(), folder::anySealed);
    }

    @Override
    public Optional<SealedBlob> find(SealedPlace place) {
        return folder.readIfThere(folder.path(place));
    }

    @Override
    public SealedBlob read(SealedPlace place) {
        return folder.read(folder.path(place));
    }

    @Override
    public void write(SealedPlace place, SealedBlob blob) {
        folder.write(folder.path(place), blob);
    }

    @Override
    public void add(KeyringStore.SealedKey key) {
        CrashPoint.MINT_BEFORE_KEY_FILE.reached();
        folder.write(folder.key(key.address()), key.secret());
        CrashPoint.MINT_BEFORE_MNEMONIC_FILE.reached();
        key.phrase().ifPresent(blob -> folder.write(folder.path(SealedPlace.phrase(key.address())), blob));
    }

    /** Removes the phrase first: it is worthless without the key, and can be recovered while the key exists. */
    @Override
    public void remove(Address address) {
        CrashPoint.DELETE_BEFORE_FILES.reached();
        folder.delete(List.of(SealedPlace.phrase(address), SealedPlace.key(address)));
    }

    @Override
    public void remove(List<SealedPlace> places) {
        folder.delete(places);
    }

    @Override
    public void record(KeyTable.Batch batch) {
        try {
            KeyringFailures.io(() -> {
                write(batch);
                fence.check();
            });
        } catch (RuntimeException | Error e) {
            // The list may have been written already, but the next change is based on the one before the refused
            // change.
            stateFile.opened(batch.before());
            throw e;
        }
    }

    /** Writes public keys and notes before the listing: a superfluous record is harmless, a missing one is not. */
    private void write(KeyTable.Batch batch) throws IOException {
        publicKeys.add(batch.withNewKeys());
        notes.add(batch.notes());
        if (!batch.changesState()) {
            return;
        }
        batch.changes().stream()
                .filter(change -> !change.onlyLearns())
                .forEach(change -> change.before().ifPresent(CrashPoint::reached));
        stateFile.write(batch.after(), batch.onlyAdds());
        forget(batch.gone());
        CrashPoint.MINT_BEFORE_ANSWER.reached();
    }

    /** Logs failures only: the key is no longer listed, so leftover records do not make the deletion fail. */
    private void forget(Set<Address> gone) {
        if (gone.isEmpty()) {
            return;
        }
        for (Forgetting files : List.<Forgetting>of(publicKeys::remove, notes::remove)) {
            try {
                files.remove(gone);
            } catch (IOException e) {
                LOG.warn("public keys and notes of deleted addresses stay in their files: {}", e.getMessage());
            }
        }
    }

    @FunctionalInterface
    private interface Forgetting {
        void remove(Set<Address> gone) throws IOException;
    }

    @Override
    public KeyNotes notes() {
        return call("cannot read the notes in", folder.publicKeys(), notes::load);
    }

    @Override
    public Set<Address> unlisted(KeyringView view) {
        return call("cannot read the public keys in", folder.publicKeys(), () -> {
            Set<Address> known = publicKeys.load().addresses();
            view.entries().forEach(entry -> known.remove(entry.address()));
            return known;
        });
    }

    @Override
    public String nameOf(SealedPlace place) {
        return folder.path(place).toString();
    }

    @Override
    public void prepare() {
        try {
            stateFile.prepare();
        } catch (IOException e) {
            LOG.warn("the next write of state.json will be a full one: {}", e.getMessage());
        }
    }

    @Override
    public void tend(Supplier<KeyringView> view) {
        upkeep.tend(view);
    }

    @Override
    public void settle(KeyringView view) {
        upkeep.describe(view);
    }

    @Override
    public void close() {
        stateFile.close();
    }

    private static void run(String otherwise, Path file, KeyringFailures.Io step) {
        call(otherwise, file, () -> {
            step.run();
            return null;
        });
    }

    @FunctionalInterface
    private interface Reading<T> {
        T read() throws IOException;
    }

    /** @param otherwise start of the error message, before the name of {@code file}, when files cannot be read or written */
    private static <T> T call(String otherwise, Path file, Reading<T> step) {
        try {
            return step.read();
        } catch (IOException e) {
            throw KeyFolder.storage(otherwise, file, e);
        }
    }

    /**
     * Background work on a wallet directory whose cost grows with the keyring: checking every key file of a large one, and writing a
     * snapshot of {@code state.json} for the next start. Blocking; runs on a thread that no caller waiting for a file needs.
     */
    private static final class FolderUpkeep {
        private static final Logger LOG = LoggerFactory.getLogger(FolderUpkeep.class);
        private static final int NAMED = 5;

        private final Instant start = Instant.now();
        private final KeyFolder folder;
        private final Snapshot snapshot;
        private final AtomicInteger damagedKeys;
        private final AtomicInteger lostPhrases;
        private final AtomicBoolean looked = new AtomicBoolean();
        /** Null while there is no snapshot. */
        private KeyringView described;

        FolderUpkeep(KeyFolder folder, MeterRegistry metrics) {
            this.folder = folder;
            this.snapshot = new Snapshot(folder);
            this.damagedKeys = KeyringMetrics.damagedKeys(metrics);
            this.lostPhrases = KeyringMetrics.lostPhrases(metrics);
        }

        /** Returns the keyring from the snapshot, if that matches {@code state.json}. */
        Optional<KeyringView> described() {
            return snapshot.read();
        }

        /** Records that the existing snapshot describes {@code view}. */
        synchronized void describes(KeyringView view) {
            described = view;
        }

        void tend(Supplier<KeyringView> view) {
            describe(view.get());
            if (looked.compareAndSet(false, true)) {
                if (view.get().size() > FolderStore.CHECKED_AT_START) {
                    checkFiles(view);
                }
                checkPhrases(view);
            }
        }

        /** Writes the snapshot unless it already describes {@code now}. Not part of a change, whose cost would then grow with the keyring. */
        synchronized void describe(KeyringView now) {
            if (now == described || (now.size() < Snapshot.FROM && described == null)) {
                return;
            }
            described = now;
            try {
                snapshot.write();
            } catch (IOException e) {
                LOG.warn("the next start will read all of state.json: {}", e.getMessage());
            }
        }

        private void checkFiles(Supplier<KeyringView> view) {
            try {
                folder.clearHalfWritten(start);
                List<Address> listed = view.get().imported();
                KeyFolder.Inventory found = folder.unlistedBeside(listed);
                found.unlisted().removeIf(address -> !KeyFolder.isOlder(folder.key(address), start));
                found.reportUnlisted(folder);
                Set<Address> damaged = new LinkedHashSet<>(found.damaged());
                listed.stream().filter(address -> !folder.isWhole(address)).forEach(damaged::add);
                damaged.retainAll(new HashSet<>(view.get().imported()));
                damaged.removeIf(folder::isWhole);
                damagedKeys.set(damaged.size());
                if (!damaged.isEmpty()) {
                    LOG.error(
                            "key files of {} listed addresses are missing or damaged; restore them from a backup: {}",
                            damaged.size(),
                            folder.paths(damaged));
                }
            } catch (IOException e) {
                LOG.warn("the key files could not be checked: {}", e.getMessage());
            }
        }

        /**
         * Checks that the phrase files exist: a standard key without its phrase still signs, so the loss would be noticed only when the
         * phrase is needed.
         */
        private void checkPhrases(Supplier<KeyringView> view) {
            try {
                KeyNoteFiles.Found notes = new KeyNoteFiles(folder.publicKeys()).load();
                Set<Address> lost = new LinkedHashSet<>();
                for (Address address : view.get().imported()) {
                    boolean standard = notes.of(address)
                            .filter(note -> note.origin() == KeyNote.Origin.STANDARD)
                            .isPresent();
                    if (standard && !Files.exists(folder.path(SealedPlace.phrase(address)))) {
                        lost.add(address);
                    }
                }
                lost.retainAll(new HashSet<>(view.get().imported()));
                lostPhrases.set(lost.size());
                if (!lost.isEmpty()) {
                    LOG.error(
                            "the phrase files of {} standard keys are missing; restore them from a backup, or back up the secrets instead: {}",
                            lost.size(),
                            lost.stream().limit(NAMED).toList());
                }
            } catch (IOException e) {
                LOG.warn("the phrase files could not be checked: {}", e.getMessage());
            }
        }
    }

    /**
     * Origins and births of 1:1 keys, in {@code wallets/pubkeys/000000.notes} and following files, see {@link RecordFiles}. The value of a record
     * is the origin's number (1 byte), whether a birth is known (1 byte: 0 or 1), the birth (8, big-endian) and 22 reserved zero bytes. Keys of
     * other implementations and of older versions have no record. Losing one costs a longer scan of the chain; besides, a lost phrase of the key is
     * then no longer reported, and the words of the secret are revealed in its place.
     *
     * <p>Not read at start. Blocking; one caller at a time.
     */
    public static final class KeyNoteFiles {
        private static final int FOR_LATER = 22;

        private final RecordFiles files;

        public KeyNoteFiles(Path folder) {
            this.files = new RecordFiles(folder, ".notes", "the age and origin of its keys are lost");
        }

        public Found load() throws IOException {
            return new Found(files.load());
        }

        /** Contents of the files. */
        public record Found(RecordFiles.Found records) implements KeyringStore.KeyNotes {
            /** Empty also for a note with an origin that this version does not know. */
            @Override
            public Optional<KeyNote> of(Address address) {
                int at = records.valueOf(address.toArray(), 0);
                if (at < 0) {
                    return Optional.empty();
                }
                ByteBuffer value = ByteBuffer.wrap(records.bytes(), at, KeyColumns.RECORD - Address.LENGTH);
                int code = value.get();
                boolean born = value.get() == 1;
                OptionalLong birth = born ? OptionalLong.of(value.getLong()) : OptionalLong.empty();
                for (KeyNote.Origin origin : KeyNote.Origin.values()) {
                    if (origin.code() == code) {
                        return Optional.of(new KeyNote(origin, birth));
                    }
                }
                return Optional.empty();
            }
        }

        /** Appends notes; they are durable when this returns. */
        public void add(Map<Address, KeyNote> notes) throws IOException {
            ByteBuffer records = ByteBuffer.allocate(notes.size() * KeyColumns.RECORD);
            notes.forEach((address, note) -> records.put(address.toArray())
                    .put((byte) note.origin().code())
                    .put((byte) (note.birth().isPresent() ? 1 : 0))
                    .putLong(note.birth().orElse(0))
                    .put(new byte[FOR_LATER]));
            files.add(records.array());
        }

        public void remove(Set<Address> addresses) throws IOException {
            files.remove(addresses);
        }
    }
}
