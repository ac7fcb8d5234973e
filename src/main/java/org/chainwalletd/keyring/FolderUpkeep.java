package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done to a wallet directory when nobody waits for it, because it takes longer the larger the keyring is: looking at every key file of
 * a large one, and describing {@code state.json} in a snapshot for the next start. Called by one thread, the Keyring actor's after the start.
 */
final class FolderUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(FolderUpkeep.class);
    private static final int PORTION = 1_000;
    private static final int NAMED = 5;

    private final Instant start = Instant.now();
    private final KeyFolder folder;
    private final Snapshot snapshot;
    private final Executor disk;
    private final AtomicInteger damagedKeys;
    private final AtomicInteger lostPhrases;
    /** Null while there is no snapshot. */
    private volatile KeyringView described;
    /** Done when the snapshot that was begun last is. */
    private volatile CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

    private boolean looked;

    FolderUpkeep(KeyFolder folder, Snapshot snapshot, KeyringSetup setup) {
        this.folder = folder;
        this.snapshot = snapshot;
        this.disk = setup.executors().disk();
        this.damagedKeys = KeyringMetrics.damagedKeys(setup.metrics());
        this.lostPhrases = KeyringMetrics.lostPhrases(setup.metrics());
    }

    /** The snapshot that is there describes {@code view}. */
    void describedBySnapshot(KeyringView view) {
        described = view;
    }

    /** Does what is due, one thing after the other, so that it takes one thread from those who wait for a file. */
    void tend(Supplier<KeyringView> view) {
        boolean first = !looked;
        looked = true;
        boolean snapshotDue = snapshotIsDue(view.get());
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (snapshotDue) {
            written = done;
        }
        disk.execute(() -> {
            if (snapshotDue) {
                try {
                    writeSnapshot();
                } finally {
                    done.complete(null);
                }
            }
            if (first && view.get().size() > FolderStore.CHECKED_AT_START) {
                checkFiles(view);
            }
            if (first) {
                checkPhrases(view);
            }
        });
    }

    /** Done when the snapshot describes {@code view}, also when writing it was begun before. */
    CompletableFuture<Void> settle(KeyringView view) {
        if (snapshotIsDue(view)) {
            written = CompletableFuture.runAsync(this::writeSnapshot, disk);
        }
        return written;
    }

    /** Never in anybody's way: a change of a large keyring would otherwise cost more the larger it is. */
    private boolean snapshotIsDue(KeyringView now) {
        if (now == described || (now.size() < Snapshot.FROM && described == null)) {
            return false;
        }
        described = now;
        return true;
    }

    private void writeSnapshot() {
        try {
            snapshot.write();
        } catch (IOException e) {
            LOG.warn("the next start will read all of state.json: {}", e.getMessage());
        }
    }

    /** In portions, so that nobody's write waits long behind it. */
    private void checkFiles(Supplier<KeyringView> view) {
        try {
            folder.clearHalfWritten(start);
            Collection<Address> listed = view.get().imported();
            KeyFolder.Inventory found = folder.unlistedBeside(listed);
            found.unlisted().removeIf(address -> !KeyFolder.isOlder(folder.key(address), start));
            found.reportUnlisted(folder);
            checkPortion(view, List.copyOf(listed), 0, new LinkedHashSet<>(found.damaged()));
        } catch (IOException e) {
            LOG.warn("the key files could not be checked: {}", e.getMessage());
        }
    }

    private void checkPortion(Supplier<KeyringView> view, List<Address> addresses, int from, Set<Address> damaged) {
        int to = Math.min(addresses.size(), from + PORTION);
        addresses.subList(from, to).stream()
                .filter(address -> !folder.isWhole(address))
                .forEach(damaged::add);
        if (to < addresses.size()) {
            disk.execute(() -> checkPortion(view, addresses, to, damaged));
            return;
        }
        damaged.retainAll(new HashSet<>(view.get().imported()));
        damaged.removeIf(folder::isWhole);
        damagedKeys.set(damaged.size());
        if (!damaged.isEmpty()) {
            LOG.error(
                    "key files of {} listed addresses are missing or damaged; restore them from a backup: {}",
                    damaged.size(),
                    folder.paths(damaged));
        }
    }

    /** A standard key without its phrase still signs, so that nobody would notice until the phrase is needed. */
    private void checkPhrases(Supplier<KeyringView> view) {
        try {
            KeyNoteFiles.Found notes = new KeyNoteFiles(folder.publicKeys()).load();
            List<Address> standard = view.get().imported().stream()
                    .filter(address -> notes.of(address)
                            .filter(note -> note.origin() == KeyOrigin.STANDARD)
                            .isPresent())
                    .toList();
            checkPhrases(view, standard, 0, new LinkedHashSet<>());
        } catch (IOException e) {
            LOG.warn("the phrase files could not be checked: {}", e.getMessage());
        }
    }

    private void checkPhrases(Supplier<KeyringView> view, List<Address> addresses, int from, Set<Address> lost) {
        int to = Math.min(addresses.size(), from + PORTION);
        addresses.subList(from, to).stream()
                .filter(address -> !Files.exists(folder.phrase(address)))
                .forEach(lost::add);
        if (to < addresses.size()) {
            disk.execute(() -> checkPhrases(view, addresses, to, lost));
            return;
        }
        lost.retainAll(new HashSet<>(view.get().imported()));
        lostPhrases.set(lost.size());
        if (!lost.isEmpty()) {
            LOG.error(
                    "the phrase files of {} standard keys are missing; restore them from a backup, or make another one of the secrets: {}",
                    lost.size(),
                    lost.stream().limit(NAMED).toList());
        }
    }
}
