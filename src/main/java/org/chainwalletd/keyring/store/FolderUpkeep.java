package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on a wallet directory that nobody waits for, because it takes longer the larger the keyring is: looking at every key file of a large one,
 * and describing {@code state.json} in a snapshot for the next start. Blocking; takes no thread from those who wait for a file.
 */
final class FolderUpkeep {
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

    /** The keyring as the snapshot has it, when it fits {@code state.json}. */
    Optional<KeyringView> described() {
        return snapshot.read();
    }

    /** Tells that the snapshot which is there describes {@code view}. */
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

    /**
     * Writes the snapshot unless it describes {@code now}; never in the way of a change, which would otherwise cost more the larger the keyring
     * is.
     */
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

    /** A standard key without its phrase still signs, so that nobody would notice until the phrase is needed. */
    private void checkPhrases(Supplier<KeyringView> view) {
        try {
            KeyNoteFiles.Found notes = new KeyNoteFiles(folder.publicKeys()).load();
            Set<Address> lost = new LinkedHashSet<>();
            for (Address address : view.get().imported()) {
                boolean standard = notes.of(address)
                        .filter(note -> note.origin() == KeyNote.Origin.STANDARD)
                        .isPresent();
                if (standard && !Files.exists(folder.phrase(address))) {
                    lost.add(address);
                }
            }
            lost.retainAll(new HashSet<>(view.get().imported()));
            lostPhrases.set(lost.size());
            if (!lost.isEmpty()) {
                LOG.error(
                        "the phrase files of {} standard keys are missing; restore them from a backup, or make another one of the secrets: {}",
                        lost.size(),
                        lost.stream().limit(NAMED).toList());
            }
        } catch (IOException e) {
            LOG.warn("the phrase files could not be checked: {}", e.getMessage());
        }
    }
}
