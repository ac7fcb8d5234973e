package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Fence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A keyring in the wallet directory (interface.md, section 1.4): sealed files, {@code state.json}, which alone tells which keys there are, and
 * beside it what need not be unsealed to be known. Damage is told and never replaced.
 */
public final class FolderStore implements KeyringStore {
    private static final Logger LOG = LoggerFactory.getLogger(FolderStore.class);
    /** Up to this many key files are looked at before the start goes on; those of a larger keyring after it. */
    public static final int CHECKED_AT_START = 1_000;

    private final KeyFolder folder;
    private final KeyRecords records;
    private final FolderUpkeep upkeep;
    private final Fence fence;
    private final boolean clears;

    public FolderStore(KeyringSetup setup) {
        this(setup, true);
    }

    /** @param clears whether what was left half written is cleared away; a daemon that runs may be writing it */
    public FolderStore(KeyringSetup setup, boolean clears) {
        this.clears = clears;
        this.folder = new KeyFolder(setup.wallets());
        this.records = new KeyRecords(folder);
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

    private void writeEmptyState() throws IOException {
        new StateFile(folder.state()).write(KeyringView.of(List.of(), 0, Map.of()), false);
    }

    /**
     * An empty one in its place would forget keys, and give the addresses of a seed out a second time. Nothing tells a seed that was never used
     * from one whose records are lost.
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
        if (folder.anyKey().isPresent() || !records.publicKeys().load().isEmpty()) {
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
            records.opened(view);
            described.ifPresent(found -> upkeep.describes(view));
            return new Listing(view, seeded, folder.keptEvm());
        });
    }

    /** Public keys are learnt without a change of {@code state.json}. */
    private KeyringView withLearntKeys(KeyringView view) throws IOException {
        return view.hasAllPublicKeys() ? view : view.with(records.publicKeys().load());
    }

    private KeyringView readState() throws IOException {
        PublicKeyFiles.Found keys = records.publicKeys().load();
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
        key.phrase().ifPresent(blob -> folder.write(folder.phrase(key.address()), blob));
    }

    /** First the phrase, which is worthless without the key and recoverable while the key is there. */
    @Override
    public void remove(Address address) {
        CrashPoint.DELETE_BEFORE_FILES.reached();
        folder.delete(List.of(new SealedPlace.Phrase(address), new SealedPlace.Key(address)));
    }

    @Override
    public void remove(List<SealedPlace> places) {
        folder.delete(places);
    }

    @Override
    public void record(KeyTable.Batch batch) {
        KeyringFailures.io(() -> {
            records.write(batch);
            fence.check();
        });
    }

    @Override
    public KeyNotes notes() {
        return call(
                "cannot read the notes in",
                folder.publicKeys(),
                () -> records.notes().load());
    }

    @Override
    public Set<Address> unlisted(KeyringView view) {
        return call("cannot read the public keys in", folder.publicKeys(), () -> {
            Set<Address> known = records.publicKeys().load().addresses();
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
            records.prepare();
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
        records.close();
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

    /** @param otherwise what to say before the name of {@code file} when files cannot be read or written */
    private static <T> T call(String otherwise, Path file, Reading<T> step) {
        try {
            return step.read();
        } catch (IOException e) {
            throw KeyFolder.storage(otherwise, file, e);
        }
    }
}
